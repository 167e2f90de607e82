// The part of hologram.h about class memory: its buffers, addresses and canonical bytes. Tested by
// tests/capi.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "capi/error.h"
#include "capi/executor_handle.h"
#include "capi/guard.h"
#include "isa/atlas.h"

using hologram::ErrorCode;
using hologram::Result;
using hologram::capi::DropException;
using hologram::capi::FromException;
using hologram::capi::MakeError;
using hologram::runtime::ClassBuffer;
namespace isa = hologram::isa;

static_assert(HOLOGRAM_NUM_CLASSES == isa::kNumClasses);
static_assert(HOLOGRAM_PAGES_PER_CLASS == isa::kPagesPerClass);
static_assert(HOLOGRAM_BYTES_PER_PAGE == isa::kBytesPerPage);
static_assert(HOLOGRAM_BYTES_PER_CLASS == isa::kBytesPerClass);

struct hologram_boundary {
  ClassBuffer buffer;
};

namespace {

hologram_error* CheckBelow(const char* name, uint64_t limit, uint64_t found) {
  if (found < limit) return nullptr;
  return MakeError(ErrorCode::kInvalidArgument, std::string(name) + ": expected 0 to " +
                                                    std::to_string(limit - 1) + ", found " +
                                                    std::to_string(found));
}

}  // namespace

hologram_error* hologram_executor_allocate_boundary(hologram_executor* executor,
                                                    uint32_t class_index, uint32_t width,
                                                    uint32_t height,
                                                    hologram_boundary** boundary) try {
  HOLOGRAM_NOT_NULL(executor);
  HOLOGRAM_NOT_NULL(boundary);
  std::optional<uint32_t> chosen;
  if (class_index != HOLOGRAM_ANY_CLASS) chosen = class_index;
  Result<ClassBuffer> made = executor->executor.AllocateBoundary(chosen, width, height);
  if (!made.ok()) return MakeError(made.errors());
  *boundary = new hologram_boundary{std::move(made).value()};
  return nullptr;
} catch (...) {
  return FromException();
}

uint32_t hologram_executor_num_free_classes(const hologram_executor* executor) try {
  if (executor == nullptr) return 0;
  return executor->executor.NumFreeClasses();
} catch (...) {
  DropException();
  return 0;
}

void hologram_boundary_destroy(hologram_boundary* boundary) {
  delete boundary;
}

uint32_t hologram_boundary_class(const hologram_boundary* boundary) {
  if (boundary == nullptr) return HOLOGRAM_ANY_CLASS;
  return boundary->buffer.class_index();
}

void* hologram_boundary_data(const hologram_boundary* boundary) {
  if (boundary == nullptr) return nullptr;
  return boundary->buffer.data();
}

size_t hologram_boundary_size(const hologram_boundary* boundary) {
  if (boundary == nullptr) return 0;
  return boundary->buffer.size();
}

hologram_error* hologram_class_offset_to_phi(uint32_t class_index, uint64_t offset, uint32_t* page,
                                             uint32_t* byte) try {
  HOLOGRAM_NOT_NULL(page);
  HOLOGRAM_NOT_NULL(byte);
  if (hologram_error* error = CheckBelow("class_index", isa::kNumClasses, class_index)) {
    return error;
  }
  if (hologram_error* error = CheckBelow("offset", isa::kBytesPerClass, offset)) return error;
  const isa::Phi phi = *isa::PhiOfOffset(static_cast<uint32_t>(offset));
  *page = phi.page;
  *byte = phi.byte;
  return nullptr;
} catch (...) {
  return FromException();
}

hologram_error* hologram_class_phi_to_offset(uint32_t class_index, uint32_t page, uint32_t byte,
                                             uint32_t* offset) try {
  HOLOGRAM_NOT_NULL(offset);
  if (hologram_error* error = CheckBelow("class_index", isa::kNumClasses, class_index)) {
    return error;
  }
  if (hologram_error* error = CheckBelow("page", isa::kPagesPerClass, page)) return error;
  if (hologram_error* error = CheckBelow("byte", isa::kBytesPerPage, byte)) return error;
  *offset = isa::PhiAddress(0, page, byte);
  return nullptr;
} catch (...) {
  return FromException();
}

void hologram_canonicalize(void* data, size_t size) {
  if (data == nullptr) return;
  for (uint8_t& byte : std::span(static_cast<uint8_t*>(data), size)) byte &= 0xfe;
}

int32_t hologram_is_canonical(const void* data, size_t size) {
  if (data == nullptr) return size == 0 ? 1 : 0;
  const std::span bytes(static_cast<const uint8_t*>(data), size);
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return (byte & 1) == 0; }) ? 1
                                                                                               : 0;
}
