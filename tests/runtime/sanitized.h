// Whether this program was compiled with a sanitizer that some tests must be left out for.
#pragma once

namespace hologram::runtime {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

}  // namespace hologram::runtime
