// Memory on devices, as device.h has it. Tested by tests/device.
#include <memory>
#include <string>

#include "capi/error.h"
#include "capi/guard.h"
#include "engines/devices/resident.h"
#include "hologram/device.h"

namespace devices = hologram::engines::devices;

using hologram::ErrorCode;
using hologram::Result;
using hologram::Status;
using hologram::capi::DropException;
using hologram::capi::FromException;
using hologram::capi::MakeError;

struct hologram_device_memory {
  std::unique_ptr<devices::ResidentMemory> memory;
  std::string place;
};

namespace {

hologram_error* CheckRange(const hologram_device_memory& memory, size_t offset, size_t bytes) {
  const uint64_t size = memory.memory->bytes();
  if (offset <= size && bytes <= size - offset) return nullptr;
  return MakeError(ErrorCode::kInvalidArgument,
                   std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                       " are not inside of " + std::to_string(size) + " bytes on " + memory.place);
}

template <class Take>
hologram_error* Make(const char* device, hologram_device_memory*& memory, const Take& take) {
  memory = nullptr;
  const Result<devices::Place> place = devices::FindDevice(device == nullptr ? "" : device);
  if (!place.ok()) return MakeError(place.errors());
  auto made = std::make_unique<hologram_device_memory>();
  made->place = devices::NameOf(place.value());
  Result<std::unique_ptr<devices::ResidentMemory>> taken = take(place.value());
  if (!taken.ok()) return MakeError(taken.errors());
  made->memory = std::move(taken).value();
  memory = made.release();
  return nullptr;
}

}  // namespace

hologram_error* hologram_device_allocate(const char* device, size_t bytes,
                                         hologram_device_memory** memory) try {
  HOLOGRAM_NOT_NULL(memory);
  return Make(device, *memory, [&](const devices::Place& place) {
    return devices::ResidentMemory::Allocate(place, bytes);
  });
} catch (...) {
  return FromException();
}

hologram_error* hologram_device_borrow(const char* device, uint64_t pointer, size_t bytes,
                                       hologram_device_memory** memory) try {
  HOLOGRAM_NOT_NULL(memory);
  return Make(device, *memory, [&](const devices::Place& place) {
    return devices::ResidentMemory::Borrow(place, pointer, bytes);
  });
} catch (...) {
  return FromException();
}

void hologram_device_destroy(hologram_device_memory* memory) try { delete memory; } catch (...) {
  DropException();
}

void* hologram_device_address(const hologram_device_memory* memory) {
  return memory == nullptr ? nullptr : memory->memory->address();
}

size_t hologram_device_size(const hologram_device_memory* memory) {
  return memory == nullptr ? 0 : memory->memory->bytes();
}

uint64_t hologram_device_pointer(const hologram_device_memory* memory) {
  return memory == nullptr ? 0 : memory->memory->Share();
}

const char* hologram_device_place(const hologram_device_memory* memory) {
  return memory == nullptr ? "" : memory->place.c_str();
}

hologram_error* hologram_device_wait(const hologram_device_memory* memory) try {
  HOLOGRAM_NOT_NULL(memory);
  const Status done = memory->memory->Wait();
  return done.ok() ? nullptr : MakeError(done.errors());
} catch (...) {
  return FromException();
}

hologram_error* hologram_device_write(hologram_device_memory* memory, size_t offset,
                                      const void* from, size_t bytes) try {
  HOLOGRAM_NOT_NULL(memory);
  if (bytes != 0) HOLOGRAM_NOT_NULL(from);
  if (hologram_error* error = CheckRange(*memory, offset, bytes)) return error;
  const Status done = memory->memory->Write(offset, from, bytes);
  return done.ok() ? nullptr : MakeError(done.errors());
} catch (...) {
  return FromException();
}

hologram_error* hologram_device_read(const hologram_device_memory* memory, size_t offset, void* to,
                                     size_t bytes) try {
  HOLOGRAM_NOT_NULL(memory);
  if (bytes != 0) HOLOGRAM_NOT_NULL(to);
  if (hologram_error* error = CheckRange(*memory, offset, bytes)) return error;
  const Status done = memory->memory->Read(to, offset, bytes);
  return done.ok() ? nullptr : MakeError(done.errors());
} catch (...) {
  return FromException();
}
