#include "engines/lane_replay.h"

// Tested by python/tests/test_fault_text.py.
#include <algorithm>
#include <vector>

namespace hologram::engines {
namespace {

using isa::Opcode;

// For each parameter, whether its memory is read, perhaps by way of another one.
std::vector<bool> ReadMemory(const isa::Program& program, const launch::Launch& launch) {
  std::vector<size_t> buffers;  // their parameters
  for (size_t k = 0; k < program.parameters.size(); ++k) {
    if (program.parameters[k].is_buffer) buffers.push_back(k);
  }
  std::vector<bool> read(program.parameters.size(), false);
  for (size_t b = 0; b < buffers.size(); ++b) {
    for (size_t other = 0; other < buffers.size(); ++other) {
      if (program.parameters[buffers[other]].direction == isa::Direction::kOut) continue;
      if (other == b || IsSameMemory(launch.buffers[b], launch.buffers[other])) {
        read[buffers[b]] = true;
      }
    }
  }
  return read;
}

// What lanes do to each other, other than by memory that only one of them touches.
bool LanesMeet(const verify::VerifiedProgram& program) {
  if (program.uses_stream() || program.uses_barrier() || program.recursive() ||
      program.program().SharedBytes() != 0 || !program.races().empty()) {
    return true;
  }
  return std::any_of(
      program.program().code.begin(), program.program().code.end(),
      [](const isa::Instruction& in) { return isa::IsAtomic(in.op) || isa::IsReduce(in.op); });
}

// Marks the blocks that follow a block, itself only if it follows itself.
void MarkFollowing(const verify::VerifiedProgram& program, uint32_t block,
                   std::vector<bool>& marked) {
  std::vector<uint32_t> open = {block};
  while (!open.empty()) {
    const uint32_t next = open.back();
    open.pop_back();
    for (const uint32_t successor : program.blocks()[next].successors) {
      if (successor == verify::kExitBlock || marked[successor]) continue;
      marked[successor] = true;
      open.push_back(successor);
    }
  }
}

}  // namespace

bool CanRepeatLane(const verify::VerifiedProgram& program, const launch::Launch& launch,
                   uint32_t pc) {
  if (LanesMeet(program)) return false;
  launch::Launch strict = launch;
  strict.deterministic = true;
  strict.prints = nullptr;
  if (!launch::CheckLaunch(program, strict).ok()) return false;
  const std::vector<isa::Instruction>& code = program.program().code;
  const std::vector<bool> read = ReadMemory(program.program(), launch);
  std::vector<bool> after(program.blocks().size(), false);  // a store to memory that is read
  std::vector<uint32_t> first(program.blocks().size(), UINT32_MAX);  // such a store in the block
  for (uint32_t at = 0; at < code.size(); ++at) {
    if (code[at].op != Opcode::kStg || !read[code[at].a - 1U]) continue;
    const uint32_t block = program.BlockOf(at);
    first[block] = std::min(first[block], at);
    MarkFollowing(program, block, after);
  }
  for (uint32_t at = 0; at < code.size(); ++at) {
    if (program.SourcePc(at) != pc) continue;
    const uint32_t block = program.BlockOf(at);
    if (after[block] || first[block] < at) return false;
  }
  return true;
}

}  // namespace hologram::engines
