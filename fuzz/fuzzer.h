// A fuzzer is an entry point in the form that libFuzzer calls, and seeds to start from: the
// files of corpus/NAME, and what Seeds() makes. Without libFuzzer, driver.cc runs a fixed number of
// mutations of the seeds, so every fuzzer is also a test. With it, only the files are seeds, and
// half of the mutations are those of mutations.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hologram::fuzz {

using Bytes = std::vector<uint8_t>;

// Bytes that are written here were read: a compiler keeps the reads, and a sanitizer sees them.
inline volatile uint64_t read_sum = 0;

// Valid inputs beside the files.
std::vector<Bytes> Seeds();

}  // namespace hologram::fuzz

// A broken promise ends in HOLOGRAM_CHECK.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
