#include "use_program.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/check.h"
#include "bundle/bundle.h"
#include "interpreter/interpreter.h"
#include "launch/fault_text.h"
#include "launch/launch.h"
#include "text/text.h"

namespace hologram::fuzz {
namespace {

constexpr size_t kMostInstructions = 2000;
constexpr uint64_t kFewRounds = 2000;
constexpr uint64_t kMostImmediate = 256;
constexpr size_t kMostLoops = 2;

// A loop that is proved to end is not counted on the budget below 2^32 rounds. How often it goes
// round at most, the verifier knows where that is a constant; else only programs whose numbers are
// small are launched.
bool EndsSoon(const verify::VerifiedProgram& program) {
  if (program.program().code.size() > kMostInstructions) return false;
  const auto& loops = program.loops();
  if (std::all_of(loops.begin(), loops.end(), [](const verify::LoopFact& loop) {
        return !loop.ends || loop.nest_rounds <= kFewRounds;
      })) {
    return true;
  }
  const auto& code = program.program().code;
  return loops.size() <= kMostLoops &&
         std::all_of(code.begin(), code.end(),
                     [](const isa::Instruction& in) { return in.imm <= kMostImmediate; });
}

struct Memory {
  std::vector<std::unique_ptr<uint8_t[]>> blocks;
  std::vector<hologram_buffer_ref> refs;
};

// Elements are small numbers: some programs take the rounds of a loop from them.
Memory MakeBuffers(const isa::Program& program, size_t elements) {
  Memory memory;
  for (const isa::Parameter& parameter : program.parameters) {
    if (!parameter.is_buffer) continue;
    const size_t size = isa::SizeOf(parameter.type);
    const size_t bytes = elements * size;
    memory.blocks.push_back(std::make_unique<uint8_t[]>(bytes));
    uint8_t* data = memory.blocks.back().get();
    for (size_t i = 0; i < elements; ++i) data[i * size] = static_cast<uint8_t>(i % 5);
    memory.refs.push_back({data, bytes});
  }
  return memory;
}

// Of an instruction of the source, which the program may have several times.
bool IsProved(const verify::VerifiedProgram& program, uint32_t pc) {
  return std::all_of(
      program.accesses().begin(), program.accesses().end(), [&](const verify::AccessFact& access) {
        return program.SourcePc(access.pc) != pc || access.tier == verify::Tier::kProved;
      });
}

void LaunchOnce(const verify::VerifiedProgram& program, size_t elements, uint64_t scalar,
                uint32_t lanes) {
  const Memory memory = MakeBuffers(program.program(), elements);
  std::vector<uint64_t> scalars;
  for (const isa::Parameter& parameter : program.program().parameters) {
    if (parameter.is_buffer) continue;
    scalars.push_back(scalar & (~uint64_t{0} >> (64 - isa::BitsOf(parameter.type))));
  }
  launch::Launch launch;
  launch.buffers = memory.refs;
  launch.scalars = scalars;
  launch.shape = {{2, 1, 1}, {lanes, 1, 1}};
  launch.budget = 40;
  launch.deterministic = lanes % 2 == 0;
  const Result<launch::LaunchTier> tier = launch::CheckLaunch(program, launch);
  if (!tier.ok()) return;
  const auto ran = interpreter::Run(program, launch);
  if (!ran.ok() || !ran.value()) return;
  const launch::Fault& fault = *ran.value();
  HOLOGRAM_CHECK(!launch::DescribeFault(program, launch, fault).message.empty());
  HOLOGRAM_CHECK(tier.value() != launch::LaunchTier::kProved ||
                 fault.code != HOLOGRAM_FAULT_OUT_OF_BOUNDS || !IsProved(program, fault.pc));
}

void ReadBack(const isa::Program& program) {
  const Result<isa::Program> decoded =
      isa::DecodeProgram(isa::EncodeCode(program), isa::EncodeDebug(program));
  HOLOGRAM_CHECK(decoded.ok() && decoded.value() == program);
  const Result<std::vector<isa::Program>> assembled =
      text::Assemble(text::Disassemble(program), "again.hasm");
  HOLOGRAM_CHECK(assembled.ok() && assembled.value().size() == 1);
  HOLOGRAM_CHECK(assembled.value()[0] == program);
}

// Most mutations leave most programs of a file alone, and many leave all: what was used once is not
// used again.
bool IsNew(const isa::Program& program) {
  constexpr size_t kMost = 20000;
  static std::set<std::array<uint8_t, sizeof(Hash::bytes)>> known;
  std::vector<uint8_t> bytes = isa::EncodeCode(program);
  const std::vector<uint8_t> debug = isa::EncodeDebug(program);
  bytes.insert(bytes.end(), debug.begin(), debug.end());
  if (known.size() >= kMost) known.clear();
  return known.insert(Blake3(bytes).bytes).second;
}

}  // namespace

void UseProgram(const isa::Program& program) {
  if (!IsNew(program)) return;
  ReadBack(program);
  const Result<verify::VerifiedProgram> verified = verify::Verify(program);
  if (!verified.ok()) {
    HOLOGRAM_CHECK(!verified.errors()[0].message.empty());
    return;
  }
  if (!EndsSoon(verified.value())) return;
  LaunchOnce(verified.value(), 7, 5, 4);
  LaunchOnce(verified.value(), 0, 0, 3);
  if (verified.value().loops().empty()) LaunchOnce(verified.value(), 3, ~uint64_t{0}, 5);
}

void UseBundle(std::span<const uint8_t> file) {
  const Result<bundle::BundleReader> opened = bundle::BundleReader::Open(file);
  if (!opened.ok()) return;
  const bundle::BundleReader& reader = opened.value();
  const bool intact = reader.CheckAll().ok();
  bundle::BundleWriter writer;
  for (size_t i = 0; i < reader.size(); ++i) {
    const Result<isa::Program> program = reader.ReadProgram(i);
    HOLOGRAM_CHECK(program.ok() || !intact);
    if (!program.ok()) return;
    HOLOGRAM_CHECK(bundle::IdentityOf(program.value()) == reader.IdentityOf(i));
    HOLOGRAM_CHECK(reader.Find(reader.NameOf(i)) == i);
    UseProgram(program.value());
    const size_t number = writer.AddProgram(program.value());
    for (const bundle::SectionType type :
         {bundle::SectionType::kNative, bundle::SectionType::kChecked}) {
      const std::optional<bundle::NativeCode> native =
          reader.NativeSection(i, bundle::NativeLevel::kX86V3, type);
      if (!native) continue;
      const std::vector<uint8_t> code(native->bytes.begin(), native->bytes.end());
      HOLOGRAM_CHECK(!intact || Blake3(code) == native->expected);
      writer.AddNative(number, bundle::NativeLevel::kX86V3, code, type);
    }
  }
  const Result<std::vector<uint8_t>> again = writer.Finish();
  HOLOGRAM_CHECK(again.ok());
  const Result<bundle::BundleReader> reread = bundle::BundleReader::Open(again.value());
  HOLOGRAM_CHECK(reread.ok() && reread.value().CheckAll().ok());
  HOLOGRAM_CHECK(reread.value().size() == reader.size());
}

}  // namespace hologram::fuzz
