// The spans of threads until they are taken: for each thread a ring of bytes with one writer, the
// thread, and one reader. A full ring drops what comes, and counts it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "observe/clock.h"
#include "observe/trace.h"

namespace hologram::observe {

// Address space of a ring; of it only what was written is memory.
inline constexpr size_t kRingBytes = size_t{8} << 20;
inline constexpr size_t kMostRings = 256;  // the threads after these have none

// Nothing that was written before is taken any more. With the mutex of traces held, as the next.
void ForgetSpans();
// Calls take() with each span, those of one thread in the order in which they ended; spans that
// begun before `timeline` did are left out. With `until_reading` those that ended after its last
// reading stay, in threads that write meanwhile, for the next call. Gives how many were dropped
// since the last call.
uint64_t TakeSpans(const Timeline& timeline, bool until_reading,
                   const std::function<void(const TracedSpan&)>& take);

}  // namespace hologram::observe
