#include "interpreter/interpreter.h"

#include <algorithm>

#include "interpreter/chunk.h"
#include "interpreter/instructions.h"
#include "launch/window.h"

namespace hologram::interpreter {

using isa::Opcode;

void Execute(Chunk& chunk, const isa::Instruction& in) {
  switch (in.op) {
#define OP(code, Name, mnemonic, types, operands, summary) \
  case Opcode::k##Name:                                    \
    return Name(chunk, in);
#include "isa/instructions.def"
  }
}

namespace {

// REQUIRES: there is one.
launch::Fault FaultOf(const verify::VerifiedProgram& program, const Chunk& chunk) {
  launch::Fault fault = *chunk.fault();
  DescribeVariables(chunk, fault);
  fault.pc = program.SourcePc(fault.pc);
  return fault;
}

// Runs consecutive lanes. False: the launch was stopped. A fault of the chunk is kept in `fault` if
// its lane is lower; nothing runs after it.
bool RunSpan(const verify::VerifiedProgram& program, Chunk& chunk, launch::LaneSpan lanes,
             uint64_t step, std::optional<launch::Fault>& fault) {
  for (uint64_t first = lanes.first; first < lanes.last; first += step) {
    chunk.Start(first, static_cast<uint32_t>(std::min(step, lanes.last - first)));
    if (!RunLanes(chunk)) return false;
    if (!chunk.fault()) continue;
    // All lanes before this chunk ran without a fault, so this is the lowest one.
    if (!fault || chunk.fault()->lane < fault->lane) fault = FaultOf(program, chunk);
    return true;
  }
  return true;
}

}  // namespace

Result<std::optional<launch::Fault>> Run(const verify::VerifiedProgram& program,
                                         const launch::Launch& launch, Traffic* traffic,
                                         Observer* observer) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::unique_ptr<Chunk> chunk, Chunk::Create(program, launch));
  Traffic unread;
  chunk->set_watch({traffic == nullptr ? &unread : traffic, observer});
  const hologram_launch_shape& shape = launch.shape;
  const uint64_t lanes_per_block = launch::LanesPerBlock(shape);
  const uint64_t lanes = uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2] * lanes_per_block;
  const uint64_t step = chunk->by_block() ? lanes_per_block : chunk->capacity();
  std::optional<launch::Fault> fault;
  if (launch.window == nullptr) {
    if (!RunSpan(program, *chunk, {0, lanes}, step, fault)) return launch::CancelledError(program);
  } else {
    for (launch::WindowLanes window(shape, *launch.window); const auto span = window.Next();) {
      if (!RunSpan(program, *chunk, *span, step, fault)) return launch::CancelledError(program);
      // Of rows, a later one may have lower lanes.
      if (fault && launch.window->unit != HOLOGRAM_UNIT_ROW) break;
    }
  }
  if (fault) return fault;
  if (program.uses_stream()) HOLOGRAM_RETURN_IF_ERROR(chunk->stream().Commit());
  if (!program.launch_sums().empty()) chunk->sums().Commit(lanes);
  return std::optional<launch::Fault>();
}

Result<std::optional<launch::Fault>> RunLane(const verify::VerifiedProgram& program,
                                             const launch::Launch& launch, uint64_t lane) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::unique_ptr<Chunk> chunk, Chunk::Create(program, launch));
  Traffic unread;
  chunk->set_watch({&unread, nullptr});
  chunk->Start(lane, 1);
  if (!RunLanes(*chunk) || !chunk->fault()) return std::optional<launch::Fault>();
  return std::optional(FaultOf(program, *chunk));
}

}  // namespace hologram::interpreter
