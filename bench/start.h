// A second life of the bench: a process that does nothing but one launch.
#pragma once

namespace hologram::bench {

inline constexpr const char* kFirstResultArgument = "--first-result";

// Loads the bundle, adds two arrays natively and writes one byte to the standard output.
int FirstResult();

}  // namespace hologram::bench
