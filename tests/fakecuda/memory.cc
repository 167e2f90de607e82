#include "memory.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstring>

namespace fakecuda {
namespace {

constexpr uint64_t kArena = uint64_t{16} << 30;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kGap = 256;

}  // namespace

bool DeviceMemory::Open() {
  void* const arena =
      mmap(nullptr, kArena, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (arena == MAP_FAILED) return false;
  arena_ = reinterpret_cast<uint64_t>(arena);
  return true;
}

void DeviceMemory::Protect(bool open) {
  open_ += open ? 1 : -1;
  if (open_ != (open ? 1 : 0) || used_ == 0) return;
  const int rights = open ? PROT_READ | PROT_WRITE : PROT_NONE;
  (void)mprotect(reinterpret_cast<void*>(arena_), (used_ + kPage - 1) / kPage * kPage, rights);
}

uint64_t DeviceMemory::Allocate(uint64_t bytes, int device, bool is_table) {
  const uint64_t at = (used_ + 2 * kGap - 1) / kGap * kGap;
  if (at + bytes + kGap > kArena) return 0;
  used_ = at + bytes + kGap;
  live_[arena_ + at] = {bytes, device, is_table};
  const Access access(*this);
  std::memset(reinterpret_cast<void*>(arena_ + at), 0xCD, bytes);
  return arena_ + at;
}

bool DeviceMemory::Free(uint64_t address) {
  hit_ = {};
  if (live_.erase(address) == 0) return false;
  if (!live_.empty()) return true;
  (void)madvise(reinterpret_cast<void*>(arena_), used_, MADV_DONTNEED);
  used_ = 0;
  return true;
}

std::string DeviceMemory::WhyNot(uint64_t address, uint64_t bytes, int device, bool writes) {
  const auto inside = [&](uint64_t at, const Allocation& one) {
    return address >= at && address - at <= one.bytes && bytes <= one.bytes - (address - at);
  };
  if (!inside(hit_.first, hit_.second)) {
    auto found = live_.upper_bound(address);
    if (found != live_.begin()) --found;
    if (found == live_.end() || !inside(found->first, found->second)) {
      char text[96];
      std::snprintf(text, sizeof text, "%llu bytes outside every allocation at %llx",
                    static_cast<unsigned long long>(bytes),
                    static_cast<unsigned long long>(address));
      return text;
    }
    hit_ = *found;
  }
  if (hit_.second.device != device) return "memory of another device";
  return writes && hit_.second.is_table ? "a store to a table" : "";
}

}  // namespace fakecuda
