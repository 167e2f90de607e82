#include "runtime/class_buffer.h"

#include <string>

namespace hologram::runtime {
namespace {

Status CheckSize(const char* name, const char* unit, uint32_t most, uint32_t found) {
  if (found >= 1 && found <= most) return Success{};
  return Error(ErrorCode::kInvalidArgument, std::string(name) + ": expected 1 to " +
                                                std::to_string(most) + " " + unit + ", found " +
                                                std::to_string(found));
}

// With the classes_mutex held.
Result<uint32_t> Choose(const SharedStream& stream, std::optional<uint32_t> class_index) {
  if (class_index) {
    if (!stream.has_buffer[*class_index]) return *class_index;
    return Error(ErrorCode::kInvalidArgument,
                 "class_index: class " + std::to_string(*class_index) + " has a buffer already");
  }
  for (uint32_t c = 0; c < isa::kNumClasses; ++c) {
    if (!stream.has_buffer[c]) return c;
  }
  return Error(ErrorCode::kResourceLimit, "no class is free: all " +
                                              std::to_string(isa::kNumClasses) +
                                              " of the executor have a buffer");
}

}  // namespace

Result<ClassBuffer> ClassBuffer::Make(std::shared_ptr<SharedStream> stream,
                                      std::optional<uint32_t> class_index, uint32_t width,
                                      uint32_t height) {
  if (class_index && *class_index >= isa::kNumClasses) {
    return Error(ErrorCode::kInvalidArgument, "class_index: expected 0 to " +
                                                  std::to_string(isa::kNumClasses - 1) +
                                                  ", found " + std::to_string(*class_index));
  }
  HOLOGRAM_RETURN_IF_ERROR(CheckSize("width", "pages", isa::kPagesPerClass, width));
  HOLOGRAM_RETURN_IF_ERROR(CheckSize("height", "bytes", isa::kBytesPerPage, height));
  uint8_t* memory = nullptr;
  {
    const std::lock_guard lock(stream->mutex);
    memory = stream->stream.class_memory.data();
  }
  uint32_t chosen = 0;
  {
    const std::lock_guard lock(stream->classes_mutex);
    HOLOGRAM_ASSIGN_OR_RETURN(chosen, Choose(*stream, class_index));
    stream->has_buffer[chosen] = true;
  }
  return ClassBuffer(std::move(stream), chosen, memory + isa::PhiAddress(chosen, 0, 0),
                     size_t{width} * height);
}

ClassBuffer::~ClassBuffer() {
  if (stream_ == nullptr) return;
  const std::lock_guard lock(stream_->classes_mutex);
  stream_->has_buffer[class_index_] = false;
}

}  // namespace hologram::runtime
