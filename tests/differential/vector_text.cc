#include "vector_text.h"

#include <cstdio>
#include <cstring>

#include "engine.h"
#include "text/text.h"

namespace hologram::tests {
namespace {

std::string Hexadecimal(uint64_t word, size_t bytes) {
  char text[24];
  std::snprintf(text, sizeof text, "%0*llx", static_cast<int>(2 * bytes),
                static_cast<unsigned long long>(word));
  return text;
}

std::string Extent(const uint32_t (&size)[3]) {
  return std::to_string(size[0]) + "," + std::to_string(size[1]) + "," + std::to_string(size[2]);
}

std::string BuffersText(const isa::Program& program, const std::vector<std::vector<uint8_t>>& all) {
  std::string text;
  size_t next = 0;
  for (const isa::Parameter& parameter : program.parameters) {
    if (!parameter.is_buffer) continue;
    const std::vector<uint8_t>& bytes = all[next++];
    const size_t size = isa::SizeOf(parameter.type);
    text += parameter.name + " =";
    for (size_t i = 0; i + size <= bytes.size(); i += size) {
      uint64_t word = 0;
      std::memcpy(&word, &bytes[i], size);
      text += " " + Hexadecimal(word, size);
    }
    text += "\n";
  }
  return text;
}

std::string StreamText(const launch::Stream& stream) {
  std::string text = "phase " + std::to_string(stream.phase) + "\n";
  for (size_t c = 0; c < stream.resonance.size(); ++c) {
    const launch::Ratio ratio = stream.resonance[c];
    if (ratio == launch::Ratio{}) continue;
    text += "resonance " + std::to_string(c) + " " + std::to_string(ratio.numerator) + "/" +
            std::to_string(ratio.denominator) + "\n";
  }
  return text;
}

}  // namespace

std::string VectorText(const TestProgram& test, const std::vector<std::vector<uint8_t>>& buffers,
                       const std::optional<launch::Fault>& fault,
                       const std::optional<launch::Stream>& after) {
  const TestLaunch& launch = test.launch;
  std::string text = "-- asm\n" + text::Disassemble(test.program) + "-- launch\ngrid " +
                     Extent(launch.shape.grid) + " block " + Extent(launch.shape.block) +
                     " budget " + std::to_string(launch.budget) + " class_base " +
                     std::to_string(launch.class_base) + " nondeterministic\n-- scalars\n";
  size_t scalar = 0;
  for (const isa::Parameter& parameter : test.program.parameters) {
    if (parameter.is_buffer) continue;
    text += parameter.name + " = " +
            Hexadecimal(launch.scalars[scalar++], isa::SizeOf(parameter.type)) + "\n";
  }
  text += "-- stream\n" + StreamText(launch.stream) + "-- buffers\n" +
          BuffersText(test.program, launch.buffers);
  if (fault) return text + "-- fault\n" + Describe(fault) + "\n";
  if (!after) return "# The launch fails: a class of the resonance does not fit.\n" + text;
  return text + "-- stream after\n" + StreamText(*after) + "-- result\n" +
         BuffersText(test.program, buffers);
}

}  // namespace hologram::tests
