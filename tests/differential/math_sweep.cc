// Every canonical function on random bits: the interpreter against native code of every level of
// this machine, bit for bit.
//
//   math_sweep [--count N] [--seed S] [<mnemonic>]
//
// A quarter of the inputs are any bits, the others of everyday size; those near the limits of the
// algorithms are in tests/conformance. Prints the first input that differs.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "engine.h"
#include "math/functions.h"
#include "text/text.h"
#include "verify/verified_program.h"

namespace hologram::tests {
namespace {

using isa::Type;
using Bytes = std::vector<uint8_t>;

struct Case {
  const math::FunctionInfo& function;
  bool fast;
  Type type;

  std::string name() const {
    return std::string(isa::InfoOf(function.op).mnemonic) + (fast ? ".fast" : "") + "." +
           std::string(isa::NameOf(type));
  }
};

std::string SourceOf(const Case& item) {
  const std::string type(isa::NameOf(item.type));
  const std::string size = std::to_string(isa::SizeOf(item.type));
  const bool binary = item.function.num_operands == 2;
  std::string text = ".kernel sweep\n.param a " + type + "[] in\n";
  if (binary) text += ".param b " + type + "[] in\n";
  text += ".param d " + type + "[] out\n  sreg.u32 r20, global.x\n";
  text += "  ldg." + type + " r30, [r1 + r20*" + size + "]\n";
  if (binary) text += "  ldg." + type + " r31, [r2 + r20*" + size + "]\n";
  text += "  " + item.name() + " r40, r30" + (binary ? ", r31" : "") + "\n";
  text += "  stg." + type + " [r" + (binary ? "3" : "2") + " + r20*" + size + "], r40\n  exit\n";
  return text;
}

Bytes RandomInputs(Type type, size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  const bool single = type == Type::kF32;
  const int mantissa = single ? 23 : 52;
  const uint64_t bias = single ? 127 : 1023;
  const uint64_t keep = single ? 0x807fffff : 0x800fffffffffffff;
  const size_t size = isa::SizeOf(type);
  Bytes bytes(count * size);
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = random();
    if (i % 4 != 0) bits = (bits & keep) | (bias - 12 + random() % 24) << mantissa;
    std::memcpy(&bytes[i * size], &bits, size);
  }
  return bytes;
}

// The output, or an empty one after a message.
Bytes RunOn(const Engine& engine, const verify::VerifiedProgram& program,
            std::vector<Bytes> buffers, size_t count) {
  auto prepared = engine.prepare(program);
  if (!prepared.ok()) {
    std::printf("%s: %s\n", engine.name.c_str(), ToString(prepared.errors()[0]).c_str());
    return {};
  }
  std::vector<hologram_buffer_ref> refs;
  for (Bytes& buffer : buffers) refs.push_back({buffer.data(), buffer.size()});
  launch::Launch launch;
  launch.buffers = refs;
  launch.shape = {{static_cast<uint32_t>(count / 256), 1, 1}, {256, 1, 1}};
  launch.deterministic = false;
  const auto fault = prepared.value()(launch);
  if (!fault.ok() || fault.value()) {
    std::printf("%s: the launch failed\n", engine.name.c_str());
    return {};
  }
  return buffers.back();
}

bool Compare(const Case& item, const std::vector<Bytes>& inputs, const Engine& engine,
             const Bytes& expected, const Bytes& found) {
  if (!found.empty() && found == expected) return true;
  const size_t size = isa::SizeOf(item.type);
  for (size_t i = 0; i + size <= found.size(); i += size) {
    if (std::memcmp(&found[i], &expected[i], size) == 0) continue;
    const auto word = [&](const Bytes& bytes) {
      uint64_t bits = 0;
      std::memcpy(&bits, &bytes[i], size);
      return static_cast<unsigned long long>(bits);
    };
    std::printf("%s of %llx, %llx: interpreter %llx, %s %llx\n", item.name().c_str(),
                word(inputs.front()), word(inputs.back()), word(expected), engine.name.c_str(),
                word(found));
    break;
  }
  return false;
}

bool Sweep(const Case& item, size_t count, uint64_t seed) {
  auto programs = text::Assemble(SourceOf(item), "sweep");
  if (!programs.ok()) {
    std::printf("%s: %s\n", item.name().c_str(), ToString(programs.errors()[0]).c_str());
    return false;
  }
  const auto program = verify::Verify(programs.value()[0]);
  if (!program.ok()) {
    std::printf("%s: %s\n", item.name().c_str(), ToString(program.errors()[0]).c_str());
    return false;
  }
  std::vector<Bytes> inputs;
  for (int i = 0; i < item.function.num_operands; ++i) {
    inputs.push_back(RandomInputs(item.type, count, seed + static_cast<uint64_t>(i)));
  }
  std::vector<Bytes> buffers = inputs;
  buffers.emplace_back(inputs[0].size());
  bool same = true;
  Bytes expected;
  for (const Engine& engine : Engines()) {
    const Bytes found = RunOn(engine, program.value(), buffers, count);
    if (expected.empty()) expected = found;
    same = Compare(item, inputs, engine, expected, found) && same;
  }
  return same;
}

int Main(int argc, char** argv) {
  size_t count = 1 << 16;
  uint64_t seed = 1;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--count" && i + 1 < argc) {
      count = std::strtoull(argv[++i], nullptr, 10) / 256 * 256;
    } else if (argument == "--seed" && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      only = argument;
    }
  }
  int failures = 0;
  int forms = 0;
  for (const math::FunctionInfo& function : math::kFunctions) {
    if (!only.empty() && only != isa::InfoOf(function.op).mnemonic) continue;
    for (const Type type : {Type::kF32, Type::kF64}) {
      for (const bool fast : {false, true}) {
        if (fast && !function.has_fast) continue;
        ++forms;
        failures += Sweep({function, fast, type}, count, seed) ? 0 : 1;
      }
    }
  }
  std::printf("%d forms, %zu inputs each, %zu engines: %d differ\n", forms, count, Engines().size(),
              failures);
  return failures == 0 && forms != 0 ? 0 : 1;
}

}  // namespace
}  // namespace hologram::tests

int main(int argc, char** argv) {
  return hologram::tests::Main(argc, argv);
}
