// What an executor lets its caller do with the stream of its kernels.
#include "runtime/stream.h"

#include <cstring>
#include <string>

#include "runtime/executor.h"

namespace hologram::runtime {
namespace {

Status CheckClass(uint32_t class_index) {
  if (class_index < isa::kNumClasses) return Success{};
  return Error(ErrorCode::kInvalidArgument, "expected a class below " +
                                                std::to_string(isa::kNumClasses) + ", found " +
                                                std::to_string(class_index));
}

Status CheckBytes(uint64_t offset, size_t size) {
  if (size <= isa::kBytesPerClass && isa::IsInOneClass(offset, static_cast<uint32_t>(size))) {
    return Success{};
  }
  return Error(ErrorCode::kInvalidArgument,
               "expected bytes inside one class of " + std::to_string(isa::kBytesPerClass) +
                   " bytes, found " + std::to_string(size) + " at " + std::to_string(offset));
}

}  // namespace

uint32_t Executor::phase() const {
  const std::lock_guard lock(stream_->mutex);
  return stream_->stream.phase;
}

void Executor::AdvancePhase(uint64_t delta) {
  const std::lock_guard lock(stream_->mutex);
  stream_->stream.phase = isa::AdvancePhase(stream_->stream.phase, delta);
}

Result<launch::Ratio> Executor::ResonanceOf(uint32_t class_index) const {
  HOLOGRAM_RETURN_IF_ERROR(CheckClass(class_index));
  const std::lock_guard lock(stream_->mutex);
  return stream_->stream.resonance[class_index];
}

Status Executor::SetResonance(uint32_t class_index, launch::Ratio ratio) {
  HOLOGRAM_RETURN_IF_ERROR(CheckClass(class_index));
  HOLOGRAM_RETURN_IF_ERROR(launch::CheckCanonical(ratio));
  const std::lock_guard lock(stream_->mutex);
  stream_->stream.resonance[class_index] = ratio;
  return Success{};
}

Status Executor::AddResonance(uint32_t class_index, launch::Ratio ratio) {
  HOLOGRAM_RETURN_IF_ERROR(CheckClass(class_index));
  HOLOGRAM_RETURN_IF_ERROR(launch::CheckCanonical(ratio));
  const std::lock_guard lock(stream_->mutex);
  launch::Ratio& resonance = stream_->stream.resonance[class_index];
  const std::optional<launch::Ratio> sum = launch::SumOf(resonance, ratio);
  if (!sum) {
    return Error(ErrorCode::kInvalidArgument,
                 "the resonance of class " + std::to_string(class_index) +
                     " would be no fraction of 64-bit numbers; it stays as it was");
  }
  resonance = *sum;
  return Success{};
}

void Executor::ResetResonance() {
  const std::lock_guard lock(stream_->mutex);
  stream_->stream.resonance = launch::Resonance();
}

Status Executor::ReadClassMemory(uint64_t offset, void* data, size_t size) const {
  HOLOGRAM_RETURN_IF_ERROR(CheckBytes(offset, size));
  const std::lock_guard lock(stream_->mutex);
  if (size != 0) std::memcpy(data, stream_->stream.class_memory.data() + offset, size);
  return Success{};
}

Status Executor::WriteClassMemory(uint64_t offset, const void* data, size_t size) {
  HOLOGRAM_RETURN_IF_ERROR(CheckBytes(offset, size));
  const std::lock_guard lock(stream_->mutex);
  if (size != 0) std::memcpy(stream_->stream.class_memory.data() + offset, data, size);
  return Success{};
}

uint32_t Executor::NumFreeClasses() const {
  const std::lock_guard lock(stream_->classes_mutex);
  return isa::kNumClasses - static_cast<uint32_t>(stream_->has_buffer.count());
}

}  // namespace hologram::runtime
