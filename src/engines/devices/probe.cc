#include "engines/devices/probe.h"

#include <cstring>
#include <iterator>
#include <vector>

#include "engines/devices/kernel.h"
#include "interpreter/interpreter.h"

namespace hologram::engines::devices {
namespace {

using isa::Instruction;
using isa::Opcode;

constexpr uint32_t kElements = 64;
constexpr uint32_t kInputs = 3;
constexpr struct {
  Opcode op;
  const char* name;
} kOperations[] = {{Opcode::kFma, "fma"},
                   {Opcode::kDiv, "division"},
                   {Opcode::kSqrt, "square root"},
                   {Opcode::kMul, "product"},
                   {Opcode::kAdd, "sum"}};
constexpr uint32_t kOutputs = std::size(kOperations);

// out[k][i] = operation k of x[i], y[i], z[i].
isa::Program ProbeProgram(isa::Type type) {
  constexpr uint8_t kIndex = 30;
  constexpr uint8_t kResult = 40;
  isa::Program program;
  program.name = "hologram_probe";
  program.default_block = kElements;
  const auto add = [&](const Instruction& in) { program.code.push_back(in); };
  for (uint32_t k = 0; k < kInputs + kOutputs; ++k) {
    isa::Parameter parameter;
    parameter.name = "p" + std::to_string(k);
    parameter.is_buffer = true;
    parameter.type = type;
    parameter.direction = k < kInputs ? isa::Direction::kIn : isa::Direction::kOut;
    program.parameters.push_back(parameter);
  }
  add({.op = Opcode::kReadSreg,
       .type = isa::Type::kU32,
       .mod = static_cast<uint8_t>(isa::Sreg::kGlobalX),
       .d = kIndex});
  for (uint8_t k = 0; k < kInputs; ++k) {
    add({.op = Opcode::kLdg,
         .type = type,
         .d = static_cast<uint8_t>(kIndex + 1 + k),
         .a = isa::Program::RegisterOfParameter(k),
         .b = kIndex,
         .mode = isa::kIndexedMode});
  }
  for (uint8_t k = 0; k < kOutputs; ++k) {
    Instruction in{.op = kOperations[k].op, .type = type, .d = kResult, .a = kIndex + 1};
    if (in.op != Opcode::kSqrt) in.b = kIndex + 2;
    if (in.op == Opcode::kFma) in.c = kIndex + 3;
    add(in);
    add({.op = Opcode::kStg,
         .type = type,
         .a = isa::Program::RegisterOfParameter(kInputs + k),
         .b = kIndex,
         .c = kResult,
         .mode = isa::kIndexedMode});
  }
  add({.op = Opcode::kExit});
  return program;
}

// Numbers near 1, at the ends of the range, subnormals, zeros, infinities, NaN; and any bits.
uint64_t ElementOf(isa::Type type, uint32_t input, uint32_t i) {
  const bool is_double = type == isa::Type::kF64;
  constexpr uint64_t kSingle[] = {0x3f800000, 0x3f800800, 0xbf801000, 0x40490fdb, 0x00000001,
                                  0x807fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000,
                                  0x7fc00000, 0x7f800001, 0x00000000, 0x80000000, 0x00400000};
  constexpr uint64_t kDouble[] = {0x3ff0000000000000, 0x3ff0000001000000, 0xbff0000002000000,
                                  0x400921fb54442d18, 0x0000000000000001, 0x800fffffffffffff,
                                  0x0010000000000000, 0x7fefffffffffffff, 0x7ff0000000000000,
                                  0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
                                  0x0000000000000000, 0x8000000000000000, 0x0008000000000000};
  constexpr uint32_t kCount = std::size(kSingle);
  constexpr uint32_t kSteps[kInputs] = {1, 4, 7};
  if (i < 2 * kCount) {
    const uint32_t k = (i * kSteps[input] + i / kCount + input) % kCount;
    return is_double ? kDouble[k] : kSingle[k];
  }
  uint64_t word = (i + 1) * uint64_t{0x9e3779b97f4a7c15} + input * uint64_t{0xbf58476d1ce4e5b9};
  word ^= word >> 29;
  word *= uint64_t{0x94d049bb133111eb};
  // Half of them are of ordinary size, so that a wrong last bit is seen.
  if (i % 2 == 0) return word;
  return is_double ? (word >> 12 | uint64_t{0x3ff} << 52) : (word >> 41 | 0x3f800000);
}

std::string ProbeType(Device& device, isa::Type type) {
  Result<verify::VerifiedProgram> program = verify::Verify(ProbeProgram(type));
  if (!program.ok()) return program.errors()[0].message;
  const size_t size = isa::SizeOf(type);
  constexpr uint32_t kBuffers = kInputs + kOutputs;
  std::vector<std::vector<uint8_t>> arrays[2];
  for (auto& memory : arrays) {
    memory.assign(kBuffers, std::vector<uint8_t>(kElements * size, 0));
    for (uint32_t k = 0; k < kInputs; ++k) {
      for (uint32_t i = 0; i < kElements; ++i) {
        const uint64_t bits = ElementOf(type, k, i);
        std::memcpy(memory[k].data() + i * size, &bits, size);
      }
    }
  }
  const auto launch_on = [&](std::vector<std::vector<uint8_t>>& memory,
                             std::vector<hologram_buffer_ref>& buffers) {
    for (std::vector<uint8_t>& array : memory) buffers.push_back({array.data(), array.size()});
    launch::Launch launch;
    launch.buffers = buffers;
    launch.shape = {{1, 1, 1}, {kElements, 1, 1}};
    return launch;
  };
  std::vector<hologram_buffer_ref> here;
  std::vector<hologram_buffer_ref> there;
  const auto expected = interpreter::Run(program.value(), launch_on(arrays[0], here));
  if (!expected.ok()) return expected.errors()[0].message;
  Result<std::unique_ptr<Kernel>> kernel = Kernel::Make(device, program.value());
  if (!kernel.ok()) return kernel.errors()[0].message;
  const Result<bool> ran = kernel.value()->Run(launch_on(arrays[1], there));
  if (!ran.ok()) return ran.errors()[0].message;
  for (uint32_t k = 0; k < kOutputs; ++k) {
    if (arrays[0][kInputs + k] == arrays[1][kInputs + k]) continue;
    return std::string("its ") + kOperations[k].name + " of " + std::string(isa::NameOf(type)) +
           " has other bits";
  }
  return {};
}

}  // namespace

std::string Probe(Device& device) {
  const std::string single = ProbeType(device, isa::Type::kF32);
  if (!single.empty() || !device.facts().has_f64) return single;
  return ProbeType(device, isa::Type::kF64);
}

}  // namespace hologram::engines::devices
