// Fifty kernels of one operation each, over 4,099 pairs of numbers that have the special ones among
// them, and the hash of what each gives. Every engine gives the same bits, on every machine, so the
// hashes are published with the source (published.inc). Tested by tests/doctor.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/targets.h"

namespace hologram::doctor {

struct TestKernel {
  std::string name;  // "exp.f32"
  std::string text;  // assembly
};
std::vector<TestKernel> TestKernels();

// The hash of the kernel's result in the interpreter, or in native code for `target`, made by the
// compiler plugin. Errors: no plugin, a launch that fails.
Result<std::string> HashOf(const TestKernel& kernel, std::optional<Target> target);

struct Published {
  const char* name;
  const char* hash;
};
std::span<const Published> PublishedHashes();

}  // namespace hologram::doctor
