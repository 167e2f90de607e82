#include "codegen/emit/lane_ids.h"

#include "base/check.h"

namespace hologram::codegen {

using isa::Sreg;
using llvm::Value;

LaneIds::LaneIds(FunctionState& f, const std::array<Value*, 6>& shape) : b_(f.builder()) {
  where_.shape = shape;
  for (unsigned d = 0; d < 3; ++d) {
    Set(Sreg::kGridDimX, d, shape[d]);
    Set(Sreg::kBlockDimX, d, shape[3 + d]);
  }
}

Value* LaneIds::Get(Sreg sreg, unsigned d) const {
  return where_.ids[static_cast<size_t>(sreg) + d];
}

void LaneIds::Set(Sreg sreg, unsigned d, Value* value) {
  where_.ids[static_cast<size_t>(sreg) + d] = value;
}

Value* LaneIds::Read(Sreg sreg) {
  Value* id = Get(sreg);
  HOLOGRAM_CHECK(id != nullptr);
  const bool counts = sreg == Sreg::kLaneX || sreg == Sreg::kGlobalX;
  return counts ? b_.CreateTrunc(id, b_.getInt32Ty()) : id;
}

Value* LaneIds::Shape(bool block, unsigned dimension) const {
  return where_.shape[(block ? 3 : 0) + dimension];
}

Value* LaneIds::LinearLane() const {
  HOLOGRAM_CHECK(Get(Sreg::kLinear) != nullptr);
  return Get(Sreg::kLinear);
}

Value* LaneIds::LaneInBlock() {
  return b_.CreateAdd(row_lanes_, Get(Sreg::kLaneX));
}

Value* LaneIds::LanesOfBlock() {
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Value* lanes = wide(Shape(true, 0));
  for (unsigned d = 1; d < 3; ++d) lanes = b_.CreateMul(lanes, wide(Shape(true, d)));
  return lanes;
}

void LaneIds::FixBlockShape(unsigned lanes) {
  for (unsigned d = 0; d < 3; ++d) {
    where_.shape[3 + d] = b_.getInt32(d == 0 ? lanes : 1);
    Set(Sreg::kBlockDimX, d, where_.shape[3 + d]);
  }
}

void LaneIds::StartBlock(Value* block, const std::array<Value*, 3>& at) {
  for (unsigned d = 0; d < 3; ++d) Set(Sreg::kBlockX, d, at[d]);
  const auto extend = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  global_base_ = b_.CreateMul(extend(at[0]), extend(Shape(true, 0)));
  block_lanes_ = b_.CreateMul(block, LanesOfBlock());
}

void LaneIds::StartRow(Value* row, Value* width, Value* y, Value* z) {
  row_ = row;
  row_lanes_ = b_.CreateMul(row, width);
  linear_base_ = b_.CreateAdd(block_lanes_, row_lanes_);
  const std::array<Value*, 3> lane{nullptr, y, z};
  for (unsigned d = 1; d < 3; ++d) {
    Value* narrow = b_.CreateTrunc(lane[d], b_.getInt32Ty());
    Set(Sreg::kLaneX, d, narrow);
    Set(Sreg::kGlobalX, d,
        b_.CreateAdd(b_.CreateMul(Get(Sreg::kBlockX, d), Shape(true, d)), narrow));
  }
}

void LaneIds::StartOnlyRow() {
  linear_base_ = block_lanes_;
  for (unsigned d = 1; d < 3; ++d) {
    Set(Sreg::kLaneX, d, b_.getInt32(0));
    Set(Sreg::kGlobalX, d, Get(Sreg::kBlockX, d));
  }
}

void LaneIds::StartFlat() {
  global_base_ = b_.getInt64(0);
  linear_base_ = b_.getInt64(0);
}

void LaneIds::StartThread(Value* lane, Value* linear) {
  row_lanes_ = lane;
  Set(Sreg::kLinear, 0, linear);
}

void LaneIds::StartChunk(Value* x) {
  Set(Sreg::kLaneX, 0, x);
  Set(Sreg::kGlobalX, 0, b_.CreateAdd(global_base_, x));
  Set(Sreg::kLinear, 0, b_.CreateAdd(linear_base_, x));
}

}  // namespace hologram::codegen
