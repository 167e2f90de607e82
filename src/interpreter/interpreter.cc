#include "interpreter/interpreter.h"

#include <algorithm>

#include "interpreter/chunk.h"
#include "interpreter/instructions.h"

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
  for (uint64_t first = 0; first < lanes; first += step) {
    chunk->Start(first, static_cast<uint32_t>(std::min(step, lanes - first)));
    if (!RunLanes(*chunk)) return launch::CancelledError(program);
    // All lanes before this chunk ran without a fault, so this is the lowest one.
    if (chunk->fault()) return std::optional(FaultOf(program, *chunk));
  }
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
