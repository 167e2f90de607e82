// What a fuzzer is: an entry point in the form that libFuzzer calls, and seeds to start from.
// Without libFuzzer, driver.cc runs a fixed number of mutations of the seeds, so every fuzzer is
// also a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hologram::fuzz {

using Bytes = std::vector<uint8_t>;

// Valid inputs.
std::vector<Bytes> Seeds();

}  // namespace hologram::fuzz

// A broken promise ends in HOLOGRAM_CHECK.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
