#include "interpreter/launch_sums.h"

#include <algorithm>
#include <cstring>

#include "interpreter/chunk.h"
#include "interpreter/fixed_tree.h"

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
