#include "device/barriers.h"

#include "base/check.h"

namespace hologram::device {

Barriers::Barriers(Builder& builder, const Facts& facts, uint32_t places)
    : b_(builder), facts_(facts) {
  if (!facts.lanes_leave) return;
  ended_ = b_.Array(Space::kShared, Scalar::kI32, 1);
  place_ = b_.Array(Space::kPrivate, Scalar::kI32, 1);
  wait_ = b_.NewBlock();
  leave_ = b_.NewBlock();
  for (uint32_t k = 0; k < places; ++k) places_.push_back(b_.NewBlock());
}

void Barriers::Start(Value linear, Value lanes) {
  linear_ = linear;
  lanes_ = lanes;
  // By every lane, the same.
  if (facts_.lanes_leave) b_.Store(ended_, b_.Constant(Scalar::kI32, 0));
}

void Barriers::Sync() {
  if (!facts_.lanes_leave) return b_.Barrier();
  HOLOGRAM_CHECK(next_ < places_.size());
  b_.Store(place_, b_.Constant(Scalar::kI32, next_));
  b_.Jump(wait_);
  if (!has_place_) EmitPlace();
  has_place_ = true;
  b_.Begin(places_[next_++]);
}

// Nobody ends between the two barriers, so all lanes read the same count.
void Barriers::EmitPlace() {
  b_.Begin(wait_);
  b_.Barrier();
  Value ended = b_.Load(ended_);
  b_.Barrier();
  const Label all = b_.NewBlock();
  const Label some = b_.NewBlock();
  b_.Branch(b_.Emit(Compare::kEq, ended, lanes_), all, some);
  b_.Begin(all);
  b_.Return();
  b_.Begin(some);
  std::vector<Label> cases = places_;
  cases.push_back(wait_);
  b_.Switch(b_.Load(place_), cases);
}

void Barriers::Leave() {
  if (!facts_.lanes_leave) return b_.Return();
  leaves_ = true;
  b_.Jump(leave_);
}

void Barriers::End() {
  if (!facts_.lanes_leave) return;
  HOLOGRAM_CHECK(next_ == places_.size() && has_place_);
  if (!leaves_) return;
  b_.Begin(leave_);
  b_.Update(Atomic::kAdd, ended_, b_.Constant(Scalar::kI32, 1));
  b_.Store(place_, b_.Constant(Scalar::kI32, places_.size()));
  b_.Jump(wait_);
}

}  // namespace hologram::device
