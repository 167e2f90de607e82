// A kernel over arrays that are larger than memory: windows of them are read, launched and written,
// each in its turn (line.h). Bits are those of one launch on whole arrays, of zeros where they are
// written, for every window, depth and kind of place. Tested by tests/stream.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/kernel.h"
#include "stream/places.h"
#include "stream/plan.h"
#include "stream/pool.h"

namespace hologram::stream {

struct Streamed {
  uint64_t elements = 0;  // of the longest array that moves
  uint64_t windows = 0;
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
  uint64_t pool_bytes = 0;
  double seconds = 0;
  double reading = 0;  // seconds that each hand worked
  double computing = 0;
  double writing = 0;
};

// One buffer of the kernel.
struct Flow {
  std::unique_ptr<Source> source;  // of windows
  std::unique_ptr<Sink> sink;
  hologram_buffer_ref memory{};  // all of it, where there is neither
  uint64_t extent = 0;           // elements; kUnknown: until the source ends
};

struct StepArray {
  std::string name;
  uint32_t size = 1;  // bytes of an element
};

struct Request {
  // A window is launched, or given to a function of the caller, which gets the memory of
  // each array and how many elements of each there are.
  const runtime::Kernel* kernel = nullptr;
  std::vector<uint64_t> scalars;
  runtime::LaunchConfig config;
  std::function<Status(std::span<std::byte* const>, uint64_t)> step;
  std::vector<StepArray> arrays;  // of a function; by flow
  uint64_t row = 1;  // of a function: elements that windows but the last have a multiple of

  std::vector<Flow> flows;    // by buffer
  uint64_t window_bytes = 0;  // 0: kWindowBytes, or what fits the pool
  uint64_t depth = 0;         // windows of each array that are in memory; 0: kDepth
  Pool* pool = nullptr;       // null: one of this run
  std::function<Status(const Streamed&)> progress;  // now and then; an error stops the stream
};

// Errors: the first in the order of the stream; windows before it are written, none after it are.
Result<Streamed> Run(Request request);

}  // namespace hologram::stream
