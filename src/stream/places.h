// Where the elements of a stream come from and go to: descriptors, functions of the caller, memory.
// Tested by tests/stream.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

namespace hologram::stream {

// Read from its beginning on, by one thread.
class Source {
 public:
  virtual ~Source() = default;
  // As many bytes as are asked for, fewer only at the end. Errors of the system; kCancelled, once
  // `stop` is set.
  virtual Result<uint64_t> Read(void* to, uint64_t bytes, const std::atomic<bool>& stop) = 0;
  // Whether it takes no wait: nothing is won by a thread of its own.
  virtual bool is_memory() const { return false; }
  // Whether it may wait for another program, as a pipe does.
  virtual bool may_wait() const { return true; }
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual Status Write(const void* from, uint64_t bytes, const std::atomic<bool>& stop) = 0;
  // All is written. A sink that is destroyed before was given up: what it has made goes.
  virtual Status Finish() { return Success{}; }
  virtual bool is_memory() const { return false; }
};

// `name` is for messages. The descriptor is borrowed; `offset`: the byte that the array begins at;
// nothing: where the descriptor is, which is moved.
std::unique_ptr<Source> DescriptorSource(int descriptor, std::optional<uint64_t> offset,
                                         std::string name);
std::unique_ptr<Sink> DescriptorSink(int descriptor, std::optional<uint64_t> offset,
                                     std::string name);
std::unique_ptr<Source> MemorySource(const void* data, uint64_t bytes);
std::unique_ptr<Sink> MemorySink(void* data, uint64_t bytes, std::string name);

// Whether a descriptor has a position that can be chosen: a regular file.
bool CanSeek(int descriptor);

// ---- Files by name (files.cc). Errors have the name.
Result<std::unique_ptr<Source>> FileSource(const std::string& path, uint64_t offset);
// The file appears under its name when all of it is there; before, it has another one beside it.
// `header` is what it begins with.
Result<std::unique_ptr<Sink>> FileSink(const std::string& path, std::string header);

}  // namespace hologram::stream
