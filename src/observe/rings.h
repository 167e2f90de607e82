// The spans of threads until they are taken: for each thread a ring of bytes with one writer, the
// thread, and one reader. A full ring drops what comes, and counts it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "observe/trace.h"

namespace hologram::observe {

// Address space of a ring; of it only what was written is memory.
inline constexpr size_t kRingBytes = size_t{8} << 20;
inline constexpr size_t kMostRings = 256;  // the threads after these have none

// Nothing that was written before is taken any more. With the mutex of traces held, as the next.
void ForgetSpans();
// Calls take() with each span, those of one thread in the order in which they ended; spans that
// begun before `since` are left out. Gives how many were dropped since the last call.
uint64_t TakeSpans(uint64_t since, const std::function<void(const TracedSpan&)>& take);

}  // namespace hologram::observe
