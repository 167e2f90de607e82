// Float sums that happen once for a launch (VerifiedProgram::launch_sums): while lanes run, their
// values are collected lane by lane; when all are done, each sum is added to its element.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "verify/verified_program.h"

namespace hologram::interpreter {

class Chunk;

class LaunchSums {
 public:
  // For chunks of up to `capacity` lanes.
  LaunchSums(const verify::VerifiedProgram& program, uint32_t capacity);
  ~LaunchSums();

  // The running lanes of the chunk give their values to the sum at its pc, which is for `element`.
  void Collect(const Chunk& chunk, uint8_t* element, const float* values);
  void Collect(const Chunk& chunk, uint8_t* element, const double* values);
  // All lanes of a chunk of `count` are done, without a fault.
  void FinishChunk(uint32_t count);
  // All lanes of the launch are.
  void Commit();

 private:
  struct One;
  friend class OrderedSums;
  template <class T>
  void CollectValues(const Chunk& chunk, uint8_t* element, const T* values);

  std::vector<std::unique_ptr<One>> sums_;
};

// The same for lanes that come one at a time, each at most kSlack lanes before one that has come.
class OrderedSums {
 public:
  static constexpr uint32_t kSlack = 1024;

  explicit OrderedSums(const verify::VerifiedProgram& program) : sums_(program, 2 * kSlack) {}

  // Lane `lane` gives the bits of its value to the sum at `pc`, which is for `element`.
  void Add(uint32_t pc, uint64_t lane, uint8_t* element, uint64_t bits);
  // All `lanes` of the launch are done, without a fault.
  void Commit(uint64_t lanes);

 private:
  LaunchSums sums_;
};

}  // namespace hologram::interpreter
