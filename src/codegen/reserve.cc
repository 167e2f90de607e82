#include "codegen/reserve.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#ifndef HOLOGRAM_NO_RESERVE
extern "C" {
void* __real_malloc(size_t bytes);
void* __real_calloc(size_t count, size_t bytes);
void* __real_realloc(void* old, size_t bytes);
void* __real_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void** block, size_t alignment, size_t bytes);
void __real_free(void* block);
}
#endif

namespace hologram::codegen {
namespace {

constexpr size_t kAlignment = alignof(std::max_align_t);
constexpr size_t kSizeClasses = 4 * 32;  // four for each power of two
constexpr size_t kMostMapped = 256;      // regions in the process, those that are kept included

// In front of every block.
struct alignas(kAlignment) Header {
  uint32_t size_class;
  uint32_t before;  // bytes of the piece in front of this header, where it had to be aligned
  size_t bytes;     // from here to the end of the piece
};

// A piece that was given back.
struct Piece {
  Piece* next;
};

// At the start of its own memory.
struct alignas(64) Region {
  size_t used;  // bytes from the start
  size_t live;  // blocks
  bool is_owned;
  Piece* free[kSizeClasses];
};

// One lock for all: it is taken where memory is short, and at both ends of a compilation.
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
std::atomic<Region*> mapped[kMostMapped];
std::atomic<size_t> num_mapped{0};  // places of `mapped` that were ever used

class Locked {
 public:
  Locked() { pthread_mutex_lock(&lock); }
  ~Locked() { pthread_mutex_unlock(&lock); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

// The Reserve of a thread. No thread_local object: of a library that was loaded later those are
// allocated at their first use, in a way that ends the process where that fails.
pthread_key_t CurrentKey() {
  static const pthread_key_t key = [] {
    pthread_key_t made = 0;
    return pthread_key_create(&made, nullptr) == 0 ? made : static_cast<pthread_key_t>(-1);
  }();
  return key;
}

Reserve* Current() {
  return static_cast<Reserve*>(pthread_getspecific(CurrentKey()));
}

// The region that `block` is in. No region is unmapped as long as it has blocks.
[[maybe_unused]] Region* RegionOf(const void* block) {
  const auto address = reinterpret_cast<uintptr_t>(block);
  const size_t count = num_mapped.load(std::memory_order_acquire);
  for (size_t k = 0; k < count; ++k) {
    Region* const region = mapped[k].load(std::memory_order_acquire);
    if (region == nullptr) continue;
    if (address - reinterpret_cast<uintptr_t>(region) < Reserve::kRegionBytes) return region;
  }
  return nullptr;
}

// With the lock held. Null: there is no memory, or no place.
Region* MapRegion() {
  for (size_t k = 0; k < kMostMapped; ++k) {
    if (mapped[k].load(std::memory_order_relaxed) != nullptr) continue;
    void* const memory = mmap(nullptr, Reserve::kRegionBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    auto* const region = static_cast<Region*>(memory);
    region->used = sizeof(Region);
    region->is_owned = true;
    mapped[k].store(region, std::memory_order_release);
    num_mapped.store(std::max(num_mapped.load(), k + 1), std::memory_order_release);
    return region;
  }
  return nullptr;
}

// With the lock held.
void UnmapIfUnused(Region* region) {
  if (region->live != 0 || region->is_owned) return;
  for (std::atomic<Region*>& place : mapped) {
    if (place.load(std::memory_order_relaxed) == region) place.store(nullptr);
  }
  munmap(region, Reserve::kRegionBytes);
}

struct SizeClass {
  uint32_t number;
  size_t bytes;  // of all its pieces
};

// REQUIRES: bytes <= kRegionBytes
SizeClass SizeClassOf(size_t bytes) {
  bytes = std::max<size_t>(bytes, 64);
  const size_t step = std::bit_floor(bytes) / 4;
  bytes = (bytes + step - 1) / step * step;
  const auto power = static_cast<uint32_t>(std::bit_width(bytes) - 1);
  return {4 * power + static_cast<uint32_t>((bytes >> (power - 2)) & 3), bytes};
}

// Null: there is no room in this region.
void* TakeFrom(Region* region, size_t bytes, size_t alignment) {
  if (bytes > Reserve::kRegionBytes || alignment > Reserve::kRegionBytes) return nullptr;
  const size_t extra = alignment > kAlignment ? alignment : 0;
  if (bytes + extra + sizeof(Header) > Reserve::kRegionBytes) return nullptr;
  const SizeClass size = SizeClassOf(bytes + extra + sizeof(Header));
  const Locked locked;
  uint8_t* piece = nullptr;
  if (Piece* const free = region->free[size.number]; free != nullptr) {
    region->free[size.number] = free->next;
    piece = reinterpret_cast<uint8_t*>(free);
  } else if (size.bytes <= Reserve::kRegionBytes - region->used) {
    piece = reinterpret_cast<uint8_t*>(region) + region->used;
    region->used += size.bytes;
  } else {
    return nullptr;
  }
  ++region->live;
  uint8_t* block = piece + sizeof(Header);
  if (extra != 0) {
    block += (alignment - reinterpret_cast<uintptr_t>(block) % alignment) % alignment;
  }
  auto* const header = reinterpret_cast<Header*>(block) - 1;
  const auto before = static_cast<size_t>(reinterpret_cast<uint8_t*>(header) - piece);
  *header = {size.number, static_cast<uint32_t>(before), size.bytes - before};
  return block;
}

Header* HeaderOf(void* block) {
  return static_cast<Header*>(block) - 1;
}

[[maybe_unused]] void GiveBack(Region* region, void* block) {
  Header* const header = HeaderOf(block);
  const uint32_t number = header->size_class;
  auto* const piece = reinterpret_cast<Piece*>(reinterpret_cast<uint8_t*>(header) - header->before);
  const Locked locked;
  piece->next = region->free[number];
  region->free[number] = piece;
  --region->live;
  UnmapIfUnused(region);
}

}  // namespace

Reserve::Reserve(size_t regions) {
  regions = std::clamp<size_t>(regions, 1, kMostRegions);
  // What may fail in Run() is tried here.
  if (pthread_setspecific(CurrentKey(), this) != 0) return;
  pthread_setspecific(CurrentKey(), nullptr);
  const Locked locked;
  while (num_regions_ < regions) {
    Region* const region = MapRegion();
    if (region == nullptr) break;
    regions_[num_regions_++] = region;
  }
}

Reserve::~Reserve() {
  const Locked locked;
  for (size_t k = 0; k < num_regions_; ++k) {
    auto* const region = static_cast<Region*>(regions_[k]);
    region->is_owned = false;
    UnmapIfUnused(region);
  }
}

bool Reserve::Run(void (*work)(void* data), void* data) {
  pthread_setspecific(CurrentKey(), this);
  bool is_done = false;
  if (_setjmp(outside_) == 0) {
    try {
      work(data);
      is_done = true;
    } catch (const std::bad_alloc&) {
      std::strncpy(why_, "out of memory", sizeof why_ - 1);
    } catch (const std::exception& exception) {
      std::strncpy(why_, exception.what(), sizeof why_ - 1);
    }
  }
  pthread_setspecific(CurrentKey(), nullptr);
  return is_done;
}

void Reserve::Leave(const char* why) {
  Reserve* const current = Current();
  if (current == nullptr) return;
  std::strncpy(current->why_, why, sizeof current->why_ - 1);
  longjmp(current->outside_, 1);
}

void* Reserve::Take(size_t bytes, size_t alignment) {
  was_used_ = true;
  for (size_t k = 0; k < num_regions_; ++k) {
    if (void* block = TakeFrom(static_cast<Region*>(regions_[k]), bytes, alignment)) return block;
  }
  return nullptr;
}

void* Reserve::Serve(size_t bytes, size_t alignment) {
  Reserve* const current = Current();
  if (current == nullptr) return nullptr;
  void* const block = current->Take(bytes, alignment);
  if (block == nullptr) Leave("out of memory");
  return block;
}

}  // namespace hologram::codegen

// Builds whose allocations go elsewhere, as those with a sanitizer, only leave LLVM in time.
#ifndef HOLOGRAM_NO_RESERVE

using hologram::codegen::GiveBack;
using hologram::codegen::HeaderOf;
using hologram::codegen::Region;
using hologram::codegen::RegionOf;
using hologram::codegen::Reserve;

extern "C" {

void* __wrap_malloc(size_t bytes) {
  void* const block = __real_malloc(bytes);
  if (block != nullptr) [[likely]]
    return block;
  return Reserve::Serve(bytes, hologram::codegen::kAlignment);
}

void* __wrap_calloc(size_t count, size_t bytes) {
  void* block = __real_calloc(count, bytes);
  if (block != nullptr) [[likely]]
    return block;
  size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return nullptr;
  block = Reserve::Serve(all, hologram::codegen::kAlignment);
  if (block != nullptr) std::memset(block, 0, all);
  return block;
}

void* __wrap_aligned_alloc(size_t alignment, size_t bytes) {
  void* const block = __real_aligned_alloc(alignment, bytes);
  if (block != nullptr) [[likely]]
    return block;
  return std::has_single_bit(alignment) ? Reserve::Serve(bytes, alignment) : nullptr;
}

int __wrap_posix_memalign(void** block, size_t alignment, size_t bytes) {
  const int failed = __real_posix_memalign(block, alignment, bytes);
  if (failed != ENOMEM) [[likely]]
    return failed;
  void* const served = Reserve::Serve(bytes, alignment);
  if (served != nullptr) *block = served;
  return served == nullptr ? ENOMEM : 0;
}

void __wrap_free(void* block) {
  if (Region* const region = block == nullptr ? nullptr : RegionOf(block)) {
    return GiveBack(region, block);
  }
  __real_free(block);
}

void* __wrap_realloc(void* old, size_t bytes) {
  Region* const region = old == nullptr ? nullptr : RegionOf(old);
  size_t had = 0;
  void* block = nullptr;
  if (region == nullptr) {
    block = __real_realloc(old, bytes);
    if (block != nullptr || (old != nullptr && bytes == 0)) [[likely]]
      return block;
    had = old == nullptr ? 0 : malloc_usable_size(old);
    block = Reserve::Serve(bytes, hologram::codegen::kAlignment);
  } else {
    had = HeaderOf(old)->bytes - sizeof(hologram::codegen::Header);
    block = __wrap_malloc(bytes);
  }
  if (block == nullptr) return nullptr;
  if (old != nullptr) std::memcpy(block, old, std::min(had, bytes));
  __wrap_free(old);
  return block;
}

}  // extern "C"

#endif
