// HOLOGRAM_CHECK: aborts with a message when one of our own invariants is broken. Never reachable
// from input; the fuzz tests exist to prove it.
#pragma once

namespace hologram {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}  // namespace hologram

#define HOLOGRAM_CHECK(condition) \
  ((condition) ? void(0) : ::hologram::CheckFailed(#condition, __FILE__, __LINE__))
