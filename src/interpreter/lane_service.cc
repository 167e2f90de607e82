#include "interpreter/lane_service.h"

#include <bit>
#include <cstring>
#include <exception>

namespace hologram::interpreter {
namespace {

using isa::Instruction;
using isa::Opcode;

}  // namespace

LaneService::LaneService(const verify::VerifiedProgram& program, const launch::Launch& launch)
    : program_(program),
      launch_(launch),
      lanes_per_block_(launch::LanesPerBlock(launch.shape)),
      run_(program.program(), launch.stream, static_cast<uint32_t>(lanes_per_block_)) {
  state_.launch = launch::InitialState(launch);
  state_.phase = run_.stream_phase();
  state_.service = Serve;
  state_.add = AddToSum;
  state_.session = this;
  if (!program.launch_sums().empty()) sums_.emplace(program);
}

Status LaneService::Commit() {
  run_.set_steps_of_lane_0(state_.phase_advance);
  HOLOGRAM_RETURN_IF_ERROR(run_.Commit());
  if (sums_) {
    const uint32_t* grid = launch_.shape.grid;
    sums_->Commit(uint64_t{grid[0]} * grid[1] * grid[2] * lanes_per_block_);
  }
  return Success{};
}

int32_t LaneService::Serve(hologram_launch_state* state, uint32_t pc, uint64_t lane,
                           const uint64_t* operands, uint64_t* result) {
  // The launch state is the first member of the stream state.
  auto* const stream = reinterpret_cast<hologram_stream_state*>(state);
  auto& self = *static_cast<LaneService*>(stream->session);
  if (self.has_failed_) return 1;
  try {
    return self.Answer(pc, lane, operands, result);
  } catch (const std::exception&) {
    self.has_failed_ = true;
    *result = 0;
    return 1;
  }
}

int32_t LaneService::Answer(uint32_t pc, uint64_t lane, const uint64_t* operands,
                            uint64_t* result) {
  const Instruction& in = program_.program().code[pc];
  if (isa::IsPrint(in.op)) {
    Print(in, pc, lane, operands);
    return 0;
  }
  const uint64_t block = lane / lanes_per_block_;
  if (block_ != block) run_.Start(block * lanes_per_block_);
  block_ = block;
  int64_t index = 0;
  uint64_t other = 0;
  const auto in_block = static_cast<uint32_t>(lane % lanes_per_block_);
  const uint32_t code = Run(in, in_block, operands, result, &index, &other);
  if (code == HOLOGRAM_FAULT_NONE) return 0;
  hologram_launch_state& state = state_.launch;
  if (lane < state.fault_lane) {
    fault_other_ = other;
    state.fault_lane = lane;
    state.fault_index = index;
    state.fault_pc = program_.SourcePc(pc);
    state.fault_code = code;
  }
  return 1;
}

// The element is in bounds.
void LaneService::AddToSum(hologram_launch_state* state, uint32_t pc, uint64_t first,
                           uint64_t lanes, uint64_t element, const void* values) {
  auto* const stream = reinterpret_cast<hologram_stream_state*>(state);
  auto& self = *static_cast<LaneService*>(stream->session);
  const verify::AccessFact& access = *self.program_.AccessAt(pc);
  const isa::Program& program = self.program_.program();
  size_t buffer = 0;
  for (uint32_t k = 0; k < access.slot; ++k) buffer += program.parameters[k].is_buffer ? 1 : 0;
  auto* const data = static_cast<uint8_t*>(self.launch_.buffers[buffer].data);
  try {
    self.sums_->AddMasked(pc, data + element * isa::SizeOf(program.code[pc].type), first, lanes,
                          values);
  } catch (const std::exception&) {
    self.has_failed_ = true;
  }
}

void LaneService::Print(const Instruction& in, uint32_t pc, uint64_t lane,
                        const uint64_t* operands) {
  launch::PrintLog* const prints = launch_.prints;
  if (prints == nullptr) return;
  if (in.op == Opcode::kPrint) {
    prints->Value(lane, pc, in, operands[0]);
  } else if (in.op == Opcode::kPrintText) {
    prints->Text(lane, pc, isa::TextOf(in.imm));
  } else {
    prints->End(lane, pc);
  }
}

uint32_t LaneService::Run(const Instruction& in, uint32_t lane, const uint64_t* operands,
                          uint64_t* result, int64_t* index, uint64_t* other) {
  *index = static_cast<int64_t>(operands[0]);
  if (in.op == Opcode::kResAccum) {
    if (operands[0] >= isa::kNumClasses) return HOLOGRAM_FAULT_INVALID_CLASS;
    const auto units = launch::UnitsOf(in.type, operands[1]);
    *other = operands[1];
    if (!units) return HOLOGRAM_FAULT_RESONANCE_OVERFLOW;
    run_.Accumulate(lane, static_cast<uint8_t>(operands[0]), *units);
    return HOLOGRAM_FAULT_NONE;
  }
  if (in.op == Opcode::kUnityTest) {
    *result = run_.TestUnity(lane, std::bit_cast<double>(in.imm)) ? 1 : 0;
    return HOLOGRAM_FAULT_NONE;
  }
  if (in.op == Opcode::kPoolAlloc) {
    *index = in.displacement();
    *result = run_.AllocatePool(lane, in.imm);
    return *result == 0 ? HOLOGRAM_FAULT_POOL_MEMORY : HOLOGRAM_FAULT_NONE;
  }
  if (in.op == Opcode::kPoolFree) {
    return run_.FreePool(lane, operands[0]) ? HOLOGRAM_FAULT_NONE : HOLOGRAM_FAULT_INVALID_POOL;
  }
  // POOL.LOAD and POOL.STORE, perhaps of class memory.
  const uint64_t handle = in.in_class_memory() ? 0 : *operands++;
  const uint64_t offset = in.mode == isa::kPhiMode ? in.imm : *operands++;
  uint8_t* at = nullptr;
  switch (run_.FindInPool(lane, handle, offset, isa::SizeOf(in.type), &at)) {
    case StreamRun::PoolAccess::kNoPool:
      *index = static_cast<int64_t>(handle);
      return HOLOGRAM_FAULT_INVALID_POOL;
    case StreamRun::PoolAccess::kOutOfBounds:
      *index = static_cast<int64_t>(offset);
      *other = handle;
      return HOLOGRAM_FAULT_POOL_OUT_OF_BOUNDS;
    case StreamRun::PoolAccess::kOk:
      break;
  }
  if (in.op == Opcode::kPoolStore) {
    std::memcpy(at, operands, isa::SizeOf(in.type));
  } else {
    *result = 0;
    std::memcpy(result, at, isa::SizeOf(in.type));
  }
  return HOLOGRAM_FAULT_NONE;
}

}  // namespace hologram::interpreter
