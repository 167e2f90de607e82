#include "device/barriers.h"

#include "base/check.h"

namespace hologram::device {

Barriers::Barriers(Builder& builder, const Facts& facts, uint32_t places)
    : b_(builder), facts_(facts) {
  if (!facts.lanes_leave) return;
  ended_ = b_.Array(Space::kShared, Scalar::kI32, 1);
  place_ = b_.Volatile(Scalar::kI32);
  go_on_ = b_.NewBlock();
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

void Barriers::Enter(Label first) {
  if (!facts_.lanes_leave) return b_.Jump(first);
  b_.Store(place_, b_.Constant(Scalar::kI32, 0));
  b_.Jump(go_on_);
  b_.Begin(go_on_);
  std::vector<Label> cases{first};
  cases.insert(cases.end(), places_.begin(), places_.end());
  cases.push_back(wait_);
  b_.Switch(b_.Load(place_), cases);
}

void Barriers::Sync() {
  if (!facts_.lanes_leave) return b_.Barrier();
  HOLOGRAM_CHECK(next_ < places_.size());
  b_.Store(place_, b_.Constant(Scalar::kI32, next_ + 1));
  b_.Jump(wait_);
  b_.Begin(places_[next_++]);
}

void Barriers::Leave() {
  if (!facts_.lanes_leave) return b_.Return();
  leaves_ = true;
  b_.Jump(leave_);
}

// Nobody ends between the two barriers, so all lanes read the same count.
void Barriers::End() {
  if (!facts_.lanes_leave) return;
  HOLOGRAM_CHECK(next_ == places_.size());
  if (leaves_) {
    b_.Begin(leave_);
    b_.Update(Atomic::kAdd, ended_, b_.Constant(Scalar::kI32, 1));
    b_.Store(place_, b_.Constant(Scalar::kI32, places_.size() + 1));
    b_.Jump(wait_);
  }
  b_.Begin(wait_);
  b_.Barrier();
  Value ended = b_.Load(ended_);
  b_.Barrier();
  const Label all = b_.NewBlock();
  b_.Branch(b_.Emit(Compare::kEq, ended, lanes_), all, go_on_);
  b_.Begin(all);
  b_.Return();
}

}  // namespace hologram::device
