#include "interpreter/launch_sums.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "interpreter/fixed_tree.h"
#include "isa/half.h"

namespace hologram::interpreter {

class LaunchSums::One {
 public:
  One(uint32_t at, uint32_t bytes) : pc(at), size(bytes) {}
  virtual ~One() = default;
  virtual void Add(uint64_t first, uint64_t count, const void* values) = 0;
  virtual void Commit(uint64_t lanes) = 0;

  const uint32_t pc;
  const uint32_t size;         // of a value
  uint8_t* element = nullptr;  // null: no lane has come there
};

// A window of values over the lanes, -0 where none has come; its first half is done when a lane
// comes that lies behind it.
template <class T>
class LaunchSums::OneOf final : public One {
 public:
  explicit OneOf(uint32_t at) : One(at, sizeof(T)), values_(2 * kSlack, kNothing) {}

  void Add(uint64_t first, uint64_t count, const void* values) override {
    while (first + count > first_ + 2 * kSlack) FinishHalf();
    const uint64_t at = first - first_;
    const auto* bytes = static_cast<const uint8_t*>(values);
    for (uint64_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
      values_[at + i] = Widened(value);
    }
    used_[at / kSlack] = used_[(at + count - 1) / kSlack] = true;
  }

  void Commit(uint64_t lanes) override {
    if (element == nullptr) return;
    while (first_ < lanes) FinishHalf(lanes);
    T old;
    std::memcpy(&old, element, sizeof(T));
    const T replaced = Stored<T>(Sum(Widened(old), tree_.Total()));
    std::memcpy(element, &replaced, sizeof(T));
  }

 private:
  using V = Computed<T>;
  static constexpr V kNothing{-0.0F};
  static constexpr size_t kBlock = isa::kMaxLanesPerBlock;
  static_assert(kSlack % kBlock == 0);

  void FinishHalf(uint64_t lanes = UINT64_MAX) {
    for (size_t block = 0; block < kSlack && first_ + block < lanes; block += kBlock) {
      if (used_[0]) {
        tree_.AddBlock(values_.data() + block);
      } else {
        tree_.AddEmptyBlock();
      }
    }
    first_ += kSlack;
    if (!used_[0] && !used_[1]) return;
    std::copy(values_.begin() + kSlack, values_.end(), values_.begin());
    std::fill(values_.begin() + kSlack, values_.end(), kNothing);
    used_[0] = used_[1];
    used_[1] = false;
  }

  uint64_t first_ = 0;  // the lane of values_[0]
  std::vector<V> values_;
  bool used_[2] = {false, false};  // a lane has come there, by half
  TreeSum<T> tree_;
};

LaunchSums::~LaunchSums() = default;

LaunchSums::LaunchSums(const verify::VerifiedProgram& program) {
  for (const uint32_t pc : program.launch_sums()) {
    switch (program.program().code[pc].type) {
      case isa::Type::kF16:
        sums_.push_back(std::make_unique<OneOf<isa::F16>>(pc));
        break;
      case isa::Type::kBF16:
        sums_.push_back(std::make_unique<OneOf<isa::BF16>>(pc));
        break;
      case isa::Type::kF32:
        sums_.push_back(std::make_unique<OneOf<float>>(pc));
        break;
      default:
        sums_.push_back(std::make_unique<OneOf<double>>(pc));
        break;
    }
  }
}

LaunchSums::One& LaunchSums::At(uint32_t pc) {
  const auto found =
      std::find_if(sums_.begin(), sums_.end(), [&](const auto& sum) { return sum->pc == pc; });
  HOLOGRAM_CHECK(found != sums_.end());
  return **found;
}

void LaunchSums::Add(uint32_t pc, uint8_t* element, uint64_t first, uint64_t count,
                     const void* values) {
  One& one = At(pc);
  one.element = element;
  one.Add(first, count, values);
}

void LaunchSums::AddMasked(uint32_t pc, uint8_t* element, uint64_t first, uint64_t lanes,
                           const void* values) {
  One& one = At(pc);
  one.element = element;
  const auto* bytes = static_cast<const uint8_t*>(values);
  while (lanes != 0) {  // by runs of lanes
    const auto begin = static_cast<uint32_t>(std::countr_zero(lanes));
    const auto count = static_cast<uint32_t>(std::countr_one(lanes >> begin));
    one.Add(first + begin, count, bytes + size_t{begin} * one.size);
    if (begin + count >= 64) return;
    lanes &= ~uint64_t{0} << (begin + count);
  }
}

void LaunchSums::Commit(uint64_t lanes) {
  for (const auto& sum : sums_) sum->Commit(lanes);
}

}  // namespace hologram::interpreter
