#include "codegen/emit/chunk.h"

#include "codegen/emit/idioms.h"

namespace hologram::codegen {

using llvm::Value;

void Chunk::Begin(unsigned unroll, Value* remaining) {
  unroll_ = unroll;
  full_ = remaining == nullptr;
  live_.clear();
  existing_.clear();
  if (!full_) {
    Value* count = b_.CreateTrunc(remaining, b_.getInt32Ty());
    for (unsigned u = 0; u < unroll; ++u) {
      Value* number = f_.Iota(b_.getInt32Ty(), 1, int64_t{u} * f_.target().width);
      existing_.push_back(b_.CreateICmpULT(number, f_.Splat(count)));
    }
  }
  all_ = full_;
  running_ = existing_;
}

void Chunk::TrackLive() {
  llvm::Type* type = f_.VectorOf(b_.getInt1Ty());
  for (unsigned u = 0; u < unroll_; ++u) {
    live_.push_back(f_.NewSlot(type, "live"));
    b_.CreateStore(full_ ? llvm::Constant::getAllOnesValue(type) : existing_[u], live_[u]);
  }
}

Value* Chunk::Mask(size_t u) const {
  return all_ ? llvm::ConstantInt::getTrue(f_.VectorOf(b_.getInt1Ty())) : running_[u];
}

Values Chunk::Masks() const {
  Values masks;
  for (unsigned u = 0; u < unroll_; ++u) masks.push_back(Mask(u));
  return masks;
}

void Chunk::Run(Values mask) {
  all_ = false;
  running_ = std::move(mask);
}

void Chunk::RunLive() {
  all_ = full_ && live_.empty();
  running_ = live_.empty() ? existing_ : Live();
}

void Chunk::Restore(Running before) {
  running_ = std::move(before.mask);
  all_ = before.all;
}

Values Chunk::Live() {
  return LoadSlots(b_, live_);
}

void Chunk::SetLive(const Values& live) {
  for (unsigned u = 0; u < unroll_; ++u) b_.CreateStore(live[u], live_[u]);
}

void Chunk::Leave(size_t u, Value* stay) {
  Value* live = b_.CreateLoad(live_[u]->getAllocatedType(), live_[u]);
  b_.CreateStore(b_.CreateAnd(live, stay), live_[u]);
}

}  // namespace hologram::codegen
