// Memory that stays on a device. An address is its placeholder in launches: it is reserved in this
// process, nothing may touch what is there, and views, lengths and comparisons of arrays are those
// of other addresses. Tested by tests/device/resident_test.cc.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engines/devices/device.h"
#include "isa/program.h"
#include "launch/way.h"

namespace hologram::engines::devices {

// A device as users name it: "cuda:0".
struct Place {
  launch::Engine engine = launch::Engine::kAuto;
  uint32_t number = 0;       // among the devices of the engine
  Device* device = nullptr;  // null: the memory of this process
};
std::string NameOf(const Place& place);
// "cuda:1"; "cuda": the one that launches on host memory use; "": the first that any engine uses.
// Errors: another text, no such device, or why it is not used.
Result<Place> FindDevice(std::string_view name);

class ResidentMemory {
 public:
  // Of arbitrary content. Errors: kResourceLimit where the device has no room.
  static Result<std::unique_ptr<ResidentMemory>> Allocate(const Place& place, uint64_t bytes);
  // Of others, who keep it as long as this is there. Launches wait for what they have asked the
  // device for. Errors: kUnsupported where the driver does not know memory by addresses.
  static Result<std::unique_ptr<ResidentMemory>> Borrow(const Place& place, Address memory,
                                                        uint64_t bytes);
  ~ResidentMemory();
  ResidentMemory(const ResidentMemory&) = delete;
  ResidentMemory& operator=(const ResidentMemory&) = delete;

  const Place& place() const { return place_; }
  uint64_t bytes() const { return bytes_; }
  void* address() const { return address_; }  // at a multiple of a page
  Address on_device() const { return memory_; }
  // Others know it: launches wait for what they have asked the device for, and are done when they
  // return.
  bool is_shared() const { return is_shared_.load(std::memory_order_relaxed); }
  // on_device() for others, when what launches have written is there.
  Address Share() const;

  // Copies that are done when they return. Thread-safe. REQUIRES: within bytes()
  Status Write(uint64_t at, const void* from, uint64_t bytes) const;
  Status Read(void* to, uint64_t at, uint64_t bytes) const;
  // Until all that was asked of its device is done. Errors: those of the launches. Thread-safe.
  Status Wait() const;

 private:
  ResidentMemory(const Place& place, uint64_t bytes, bool is_borrowed)
      : place_(place), bytes_(bytes), is_borrowed_(is_borrowed), is_shared_(is_borrowed) {}
  Status TakeAddress();

  const Place place_;
  const uint64_t bytes_;
  const bool is_borrowed_;
  mutable std::atomic<bool> is_shared_;
  void* address_ = nullptr;
  Address memory_ = 0;
};

// ---- Of addresses

// All of them are in one range; before the first there is none.
inline constexpr uint64_t kReservedBytes = uint64_t{1} << 44;
inline constexpr uint64_t kNothingReserved = UINT64_MAX - kReservedBytes;
extern std::atomic<uint64_t> reserved_begin;
inline bool IsResident(const void* address) {
  const uint64_t at = reinterpret_cast<uintptr_t>(address);
  return at - reserved_begin.load(std::memory_order_relaxed) < kReservedBytes;
}

// The memory that begins there, which stays while a launch uses it; null: there is none.
const ResidentMemory* FindResident(const void* address);

// Where the arrays of a launch are; empty ones are anywhere. Errors name two arrays in different
// places.
Result<Place> PlaceOfResident(const isa::Program& program,
                              std::span<const hologram_buffer_ref> buffers);
inline Result<Place> PlaceOf(const isa::Program& program,
                             std::span<const hologram_buffer_ref> buffers) {
  for (const hologram_buffer_ref& buffer : buffers) {
    if (IsResident(buffer.data)) [[unlikely]] {
      return PlaceOfResident(program, buffers);
    }
  }
  return Place{};
}

// Copies on the host of what a launch has on a device, for what runs on the host. Arrays that are
// on the host are not copied.
class HostCopies {
 public:
  // Errors: kResourceLimit; those of the copies.
  static Result<HostCopies> Of(std::span<const hologram_buffer_ref> buffers);
  // The launch on the copies of its arrays. REQUIRES: this outlives it.
  launch::Launch On(const launch::Launch& launch) const {
    launch::Launch on_host = launch;
    on_host.buffers = buffers_;
    return on_host;
  }
  // Of the arrays that `program` writes.
  Status CopyBack(const isa::Program& program) const;

 private:
  struct FreeDeleter {
    void operator()(void* memory) const;
  };
  std::vector<hologram_buffer_ref> buffers_;
  std::vector<const ResidentMemory*> residents_;
  std::vector<std::unique_ptr<void, FreeDeleter>> memory_;
};

}  // namespace hologram::engines::devices
