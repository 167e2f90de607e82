#include "interpreter/launch_sums.h"

#include <algorithm>
#include <cstring>

#include "interpreter/chunk.h"
#include "interpreter/fixed_tree.h"
#include "isa/half.h"

namespace hologram::interpreter {
namespace {

template <class T>
void AddTo(uint8_t* element, T sum) {
  T old;
  std::memcpy(&old, element, sizeof(T));
  const T replaced = Sum(old, sum);
  std::memcpy(element, &replaced, sizeof(T));
}

}  // namespace

struct LaunchSums::One {
  uint32_t pc = 0;
  isa::Type type = isa::Type::kF32;
  uint8_t* element = nullptr;  // empty: no lane has come there
  std::vector<double> values;  // of the lanes of the chunk; an f32 is a double too
  uint64_t first = 0;          // of OrderedSums: the lane that values[0] is of
  TreeSum<float> narrow;
  TreeSum<double> wide;
};

LaunchSums::~LaunchSums() = default;

LaunchSums::LaunchSums(const verify::VerifiedProgram& program, uint32_t capacity) {
  for (const uint32_t pc : program.launch_sums()) {
    One& one = *sums_.emplace_back(std::make_unique<One>());
    one.pc = pc;
    one.type = program.program().code[pc].type;
    one.values.assign(capacity, -0.0);
  }
}

template <class T>
void LaunchSums::CollectValues(const Chunk& chunk, uint8_t* element, const T* values) {
  const auto found = std::find_if(sums_.begin(), sums_.end(),
                                  [&](const auto& sum) { return sum->pc == chunk.pc(); });
  One& one = **found;
  one.element = element;
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      one.values[i] = static_cast<double>(values[i]);
    }
  }
}

void LaunchSums::Collect(const Chunk& chunk, uint8_t* element, const float* values) {
  CollectValues(chunk, element, values);
}

void LaunchSums::Collect(const Chunk& chunk, uint8_t* element, const double* values) {
  CollectValues(chunk, element, values);
}

void LaunchSums::FinishChunk(uint32_t count) {
  for (const auto& sum : sums_) {
    One& one = *sum;
    for (uint32_t i = 0; i < count; ++i) {
      if (one.type == isa::Type::kF32) {
        one.narrow.Add(static_cast<float>(one.values[i]));
      } else {
        one.wide.Add(one.values[i]);
      }
    }
    std::fill(one.values.begin(), one.values.end(), -0.0);
  }
}

namespace {

void AddTo(isa::Type type, double value, TreeSum<float>& narrow, TreeSum<double>& wide) {
  if (type == isa::Type::kF32) {
    narrow.Add(static_cast<float>(value));
  } else {
    wide.Add(value);
  }
}

}  // namespace

void OrderedSums::Add(uint32_t pc, uint64_t lane, uint8_t* element, uint64_t bits) {
  for (const auto& sum : sums_.sums_) {
    LaunchSums::One& one = *sum;
    if (one.pc != pc) continue;
    // The first half of the window is complete when a lane comes that lies behind the second.
    while (lane >= one.first + 2 * kSlack) {
      for (uint32_t i = 0; i < kSlack; ++i) AddTo(one.type, one.values[i], one.narrow, one.wide);
      std::copy(one.values.begin() + kSlack, one.values.end(), one.values.begin());
      std::fill(one.values.begin() + kSlack, one.values.end(), -0.0);
      one.first += kSlack;
    }
    one.element = element;
    one.values[lane - one.first] = isa::FloatValue(bits, one.type);
  }
}

void OrderedSums::Commit(uint64_t lanes) {
  for (const auto& sum : sums_.sums_) {
    LaunchSums::One& one = *sum;
    if (one.element == nullptr) continue;
    for (uint64_t lane = one.first; lane < lanes; ++lane) {
      const uint64_t i = lane - one.first;
      AddTo(one.type, i < one.values.size() ? one.values[i] : -0.0, one.narrow, one.wide);
    }
  }
  sums_.Commit();
}

void LaunchSums::Commit() {
  for (const auto& sum : sums_) {
    One& one = *sum;
    if (one.element == nullptr) continue;
    if (one.type == isa::Type::kF32) {
      AddTo(one.element, one.narrow.Total());
    } else {
      AddTo(one.element, one.wide.Total());
    }
  }
}

}  // namespace hologram::interpreter
