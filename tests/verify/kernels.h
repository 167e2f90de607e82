// Kernels in assembly, as the Python front end shapes them, for the tests of the verifier.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"

namespace hologram::verify::test {

using launch::kDefaultBudget;
using launch::Launch;
using launch::LaunchTier;

// The named kernel of kernels.cc; fails the process if there is none.
std::string KernelText(std::string_view name);
std::vector<std::string> KernelNames();

isa::Program Assembled(const std::string& text);
// REQUIRES: the program verifies.
VerifiedProgram Verified(const std::string& text);
// The messages of Verify(), one per line; empty if it succeeds.
std::string ErrorsOf(const std::string& text);

// Memory and arguments of one launch; buffers by their number of elements.
class TestLaunch {
 public:
  TestLaunch(const VerifiedProgram& program, std::vector<uint64_t> extents,
             std::vector<uint64_t> scalars, hologram_launch_shape shape);
  Launch launch() const;
  std::vector<uint8_t>& bytes(size_t buffer) { return storage_[buffer]; }

 private:
  std::vector<std::vector<uint8_t>> storage_;
  std::vector<hologram_buffer_ref> buffers_;
  std::vector<uint64_t> scalars_;
  hologram_launch_shape shape_;
};

// "proved", "guarded", or the messages of CheckLaunch.
std::string TierOf(const VerifiedProgram& program, const Launch& launch);

}  // namespace hologram::verify::test
