// Mutated programs through the verifier, and those that it accepts through the interpreter, on
// buffers that end where their memory ends. Promises: no crash, no hang, and what was proved is
// true: in a launch that passes the launch check no proved access faults, and a loop that was
// proved to end does not use up the budget.
//
// The input is a script: which seed program, how to change it, how to launch it. So every input is
// a program that is nearly right, and libFuzzer can still steer.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>

#include "base/check.h"
#include "fuzzer.h"
#include "interpreter/interpreter.h"
#include "launch/fault_text.h"
#include "launch/launch.h"
#include "text/text.h"

namespace hologram::fuzz {
namespace {

class Script {
 public:
  Script(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint32_t Below(uint32_t limit) { return limit == 0 ? 0 : Word() % limit; }
  uint32_t Word() {
    uint32_t word = 0;
    for (int i = 0; i < 2 && position_ < size_; ++i) word = word << 8 | data_[position_++];
    return word;
  }
  bool Ended() const { return position_ >= size_; }

 private:
  const uint8_t* data_;
  size_t size_;
  size_t position_ = 0;
};

const std::vector<isa::Program>& SeedPrograms() {
  static const std::vector<isa::Program> kPrograms = [] {
    std::vector<isa::Program> all;
    for (const char* path : {HOLOGRAM_SOURCE_DIR "/tests/codegen/kernels.hasm",
                             HOLOGRAM_SOURCE_DIR "/fuzz/kernels.hasm"}) {
      std::ifstream file(path);
      HOLOGRAM_CHECK(file.is_open());
      const std::string text(std::istreambuf_iterator<char>(file), {});
      auto programs = text::Assemble(text, path);
      HOLOGRAM_CHECK(programs.ok());
      for (isa::Program& program : programs.value()) all.push_back(std::move(program));
    }
    return all;
  }();
  return kPrograms;
}

// One change that often keeps the program well-typed.
void Mutate(isa::Program& program, Script& script) {
  std::vector<isa::Instruction>& code = program.code;
  if (code.empty()) return;
  const uint32_t size = static_cast<uint32_t>(code.size());
  isa::Instruction& target = code[script.Below(size)];
  const isa::Instruction& other = code[script.Below(size)];
  switch (script.Below(12)) {
    case 0:
      target.a = other.a;
      break;
    case 1:
      target.b = other.b;
      break;
    case 2:
      target.c = other.c;
      break;
    case 3:
      target.d = other.d;
      break;
    case 4:
      target.a = other.d;
      break;
    case 5:
      target.b = other.d;
      break;
    case 6:
      target.imm = target.imm + script.Below(5) - 2;
      break;
    case 7:
      target.imm = script.Below(4) == 0 ? uint64_t{script.Word()} << script.Below(48) : other.imm;
      break;
    case 8:
      target.op = static_cast<isa::Opcode>(script.Below(96));
      break;
    case 9:
      target.mod = static_cast<uint8_t>(script.Below(17));
      break;
    case 10:
      target.type = other.type;
      break;
    default:
      target = other;
  }
}

// Memory that ends at its last byte, so that a sanitizer sees every access outside.
struct Memory {
  std::vector<std::unique_ptr<uint8_t[]>> blocks;
  std::vector<hologram_buffer_ref> refs;
};

Memory MakeBuffers(const isa::Program& program, Script& script) {
  Memory memory;
  const uint32_t elements = script.Below(70);
  for (const isa::Parameter& parameter : program.parameters) {
    if (!parameter.is_buffer) continue;
    const uint32_t count = script.Below(3) == 0 ? script.Below(70) : elements;
    const size_t bytes = size_t{count} * isa::SizeOf(parameter.type);
    memory.blocks.push_back(std::make_unique<uint8_t[]>(bytes));
    for (size_t i = 0; i < bytes; ++i) {
      memory.blocks.back()[i] = static_cast<uint8_t>(script.Below(4) == 0 ? script.Word() : i % 5);
    }
    memory.refs.push_back({memory.blocks.back().get(), bytes});
  }
  return memory;
}

bool IsProved(const verify::VerifiedProgram& program, uint32_t pc) {
  const verify::AccessFact* access = program.AccessAt(pc);
  return access != nullptr && access->tier == verify::Tier::kProved;
}

void RunOnce(const verify::VerifiedProgram& program, Script& script) {
  Memory memory = MakeBuffers(program.program(), script);
  std::vector<uint64_t> scalars;
  for (const isa::Parameter& parameter : program.program().parameters) {
    if (parameter.is_buffer) continue;
    // Edges only where they cannot be the number of rounds of a loop, which may take hours.
    constexpr uint64_t kEdges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, ~uint64_t{0}};
    const bool edge = program.loops().empty() && script.Below(4) == 0;
    const uint64_t value = edge ? kEdges[script.Below(6)] : script.Below(70);
    scalars.push_back(value & (~uint64_t{0} >> (64 - isa::BitsOf(parameter.type))));
  }
  launch::Launch launch;
  launch.buffers = memory.refs;
  launch.scalars = scalars;
  launch.shape = {{1 + script.Below(3), 1 + script.Below(2), 1},
                  {1 + script.Below(40), 1 + script.Below(3), 1}};
  launch.budget = 40;
  launch.deterministic = script.Below(2) == 0;
  const Result<launch::LaunchTier> tier = launch::CheckLaunch(program, launch);
  if (!tier.ok()) return;
  const auto ran = interpreter::Run(program, launch);
  if (!ran.ok() || !ran.value()) return;
  const launch::Fault& fault = *ran.value();
  HOLOGRAM_CHECK(!launch::DescribeFault(program, launch, fault).message.empty());
  if (tier.value() != launch::LaunchTier::kProved) return;
  HOLOGRAM_CHECK(fault.code != HOLOGRAM_FAULT_OUT_OF_BOUNDS || !IsProved(program, fault.pc));
  const auto ends = [](const verify::LoopFact& loop) { return loop.ends; };
  HOLOGRAM_CHECK(fault.code != HOLOGRAM_FAULT_BUDGET ||
                 !std::all_of(program.loops().begin(), program.loops().end(), ends));
}

// Printed at the end: a fuzzer whose programs are all refused tests nothing but refusals.
struct Counts {
  uint64_t programs = 0;
  uint64_t verified = 0;
  ~Counts() {
    std::fprintf(stderr, "%llu of %llu programs passed the verifier\n",
                 static_cast<unsigned long long>(verified),
                 static_cast<unsigned long long>(programs));
  }
};

}  // namespace

std::vector<Bytes> Seeds() {
  std::mt19937 random(5);
  std::vector<Bytes> seeds;
  for (int i = 0; i < 300; ++i) {
    Bytes bytes(40 + random() % 200);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    seeds.push_back(std::move(bytes));
  }
  return seeds;
}

}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram;
  using namespace hologram::fuzz;
  static Counts counts;
  Script script(data, size);
  isa::Program program = SeedPrograms()[script.Below(static_cast<uint32_t>(SeedPrograms().size()))];
  for (uint32_t n = script.Below(4); n > 0; --n) Mutate(program, script);
  ++counts.programs;
  const Result<verify::VerifiedProgram> verified = verify::Verify(std::move(program));
  if (!verified.ok()) {
    HOLOGRAM_CHECK(!verified.errors().empty());
    return 0;
  }
  ++counts.verified;
  for (int launch = 0; launch < 3 && !script.Ended(); ++launch) RunOnce(verified.value(), script);
  return 0;
}
