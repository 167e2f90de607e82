// A buffer in the memory of a class: the memory that kernels reach by the addresses of classes. A
// class has one buffer at most; it is free again when the buffer goes. Tested by
// tests/runtime/class_buffer_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/result.h"
#include "runtime/stream.h"

namespace hologram::runtime {

class ClassBuffer {
 public:
  // The first width * height bytes of a class; without `class_index` of the lowest one that is
  // free. They hold what the class holds, zeros at first. The memory lives as long as the buffer,
  // also when the executor is gone. Waits for launches that use the stream. Errors: no such class,
  // one that has a buffer, a width of no or more than 48 pages, a height of no or more than 256
  // bytes; all classes have one.
  static Result<ClassBuffer> Make(std::shared_ptr<SharedStream> stream,
                                  std::optional<uint32_t> class_index, uint32_t width,
                                  uint32_t height);
  ClassBuffer(ClassBuffer&& other) noexcept = default;
  ClassBuffer& operator=(ClassBuffer&&) = delete;
  ~ClassBuffer();

  uint32_t class_index() const { return class_index_; }
  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  ClassBuffer(std::shared_ptr<SharedStream> stream, uint32_t class_index, uint8_t* data,
              size_t size)
      : stream_(std::move(stream)), class_index_(class_index), data_(data), size_(size) {}

  std::shared_ptr<SharedStream> stream_;  // null: moved from
  uint32_t class_index_;
  uint8_t* data_;
  size_t size_;
};

}  // namespace hologram::runtime
