#include "profile/native_counts.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/targets.h"
#include "engines/cpu_features.h"
#include "isa/instruction.h"
#include "isa/type.h"
#include "runtime/compiler_plugin.h"
#include "runtime/kernel.h"

namespace hologram::profile {
namespace {

// The counts of a block are those of each of its instructions.
std::vector<Count> OfInstructions(const verify::VerifiedProgram& program,
                                  const runtime::BlockCounters& counters) {
  std::vector<Count> counts(program.program().code.size());
  for (uint32_t pc = 0; pc < counts.size(); ++pc) {
    const runtime::BlockCounters::Counter& block = counters.blocks[program.BlockOf(pc)];
    counts[pc] = {block.lanes, block.vectors};
  }
  return counts;
}

uint64_t MostBytes(const verify::VerifiedProgram& program, std::span<const Count> counts,
                   const launch::Launch& launch) {
  const isa::Program& code = program.program();
  std::vector<uint64_t> read(code.parameters.size());
  std::vector<uint64_t> written(code.parameters.size());
  for (const verify::AccessFact& access : program.accesses()) {
    if (!access.global()) continue;
    const isa::Instruction& in = code.code[access.pc];
    const uint64_t bytes = counts[access.pc].lanes * isa::SizeOf(in.type);
    if (!isa::IsStore(in.op)) read[access.slot] += bytes;
    if (!isa::IsLoad(in.op)) written[access.slot] += bytes;
  }
  uint64_t sum = 0;
  size_t number = 0;
  for (size_t k = 0; k < code.parameters.size(); ++k) {
    if (!code.parameters[k].is_buffer) continue;
    const uint64_t size = launch.buffers[number++].bytes;
    sum += std::min(read[k], size) + std::min(written[k], size);
  }
  return sum;
}

// Counts of code for AVX-512 have not been compared with the interpreter's on a processor that has
// it. Lanes are counted alike by the code of each level.
Target CountedTarget(Target target) {
  return target == Target::kX86V4 ? Target::kX86V3 : target;
}

}  // namespace

Result<LaunchCounts> CountNative(const verify::VerifiedProgram& program,
                                 const launch::Launch& launch,
                                 const runtime::LaunchConfig& config) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::optional<Target> target, engines::CurrentTarget());
  if (!target) return Error(ErrorCode::kUnsupported, "this processor runs no native code");
  const Target counted = CountedTarget(*target);
  HOLOGRAM_ASSIGN_OR_RETURN(
      const std::vector<uint8_t> object,
      runtime::Compile(program, counted, runtime::CompileOutput::kInstrumentedObject));
  runtime::BlockCounters counters(program.blocks().size());
  HOLOGRAM_ASSIGN_OR_RETURN(runtime::NativeCode code,
                            runtime::NativeCode::Load(object, nullptr, nullptr, &counters));
  const runtime::Kernel kernel(program, "profiled", std::move(code), "jit",
                               InfoOf(counted).short_name);
  runtime::LaunchConfig alone = config;
  alone.engine = launch::Engine::kCpu;
  alone.threads = 0;  // those of this kernel: one
  launch::Way way;
  HOLOGRAM_RETURN_IF_ERROR(kernel.Launch(launch.buffers, launch.scalars, alone, way));
  if (!way.native()) {
    return Error(ErrorCode::kUnsupported,
                 "native code does not run this launch, so it does not count it: " + way.reason);
  }
  const std::vector<Count> of_instructions = OfInstructions(program, counters);
  LaunchCounts counts = CountsOf(program, of_instructions);
  counts.work.bytes = MostBytes(program, of_instructions, launch);
  counts.work.bytes_at_most = true;
  counts.width = counters.width;
  counts.counted_by = InfoOf(counted).name;
  return counts;
}

}  // namespace hologram::profile
