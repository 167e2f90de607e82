// Float sums that happen once for a launch (VerifiedProgram::launch_sums): while lanes run, their
// values are collected; when all are done, each sum is added to its element.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "verify/verified_program.h"

namespace hologram::interpreter {

class LaunchSums {
 public:
  // Lanes may arrive out of order by fewer than this.
  static constexpr uint32_t kSlack = 2048;

  explicit LaunchSums(const verify::VerifiedProgram& program);
  ~LaunchSums();

  // The lanes [first, first + count) give `values`, of the type of the instruction, to the sum at
  // `pc`, which is for `element`. REQUIRES: count <= kSlack
  void Add(uint32_t pc, uint8_t* element, uint64_t first, uint64_t count, const void* values);
  // The same for lane first + k and values[k] for each bit k of `lanes`.
  void AddMasked(uint32_t pc, uint8_t* element, uint64_t first, uint64_t lanes, const void* values);
  // All `lanes` of the launch are done, without a fault.
  void Commit(uint64_t lanes);

 private:
  class One;
  template <class T>
  class OneOf;
  One& At(uint32_t pc);

  std::vector<std::unique_ptr<One>> sums_;
};

}  // namespace hologram::interpreter
