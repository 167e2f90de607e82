#include "observe/rings.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>

#include "base/fork_gate.h"
#include "hologram/observe.h"
#include "observe/decode.h"
#include "observe/span.h"
#include "observe/track.h"

namespace hologram::observe {

struct Ring {
  char* bytes = nullptr;
  uint32_t thread = 0;
  char thread_name[64] = {};
  bool is_track = false;
  std::atomic<bool> ended{false};  // its thread has
  std::atomic<uint64_t> dropped{0};
  Ring* next = nullptr;
  // ---- Of its thread
  char file[SpanRecord::kMostText];
  size_t file_size = 0;
  uint32_t line = 0;
  alignas(64) std::atomic<uint64_t> written{0};
  // ---- Of the reader
  alignas(64) std::atomic<uint64_t> taken{0};

  void Put(uint64_t at, const void* data, size_t size) {
    const size_t offset = at % kRingBytes;
    const size_t first = std::min(size, kRingBytes - offset);
    std::memcpy(bytes + offset, data, first);
    if (first != size) {
      std::memcpy(bytes, static_cast<const char*>(data) + first, size - first);
    }
  }
  // REQUIRES: `at` is a multiple of 8.
  void PutWord(uint64_t at, uint64_t word) {
    std::memcpy(bytes + at % kRingBytes, &word, sizeof(word));
  }
  void Get(uint64_t at, void* data, size_t size) const {
    const size_t offset = at % kRingBytes;
    const size_t first = std::min(size, kRingBytes - offset);
    std::memcpy(data, bytes + offset, first);
    std::memcpy(static_cast<char*>(data) + first, bytes, size - first);
  }
};

namespace {

struct Header {
  uint64_t begun;  // ticks, or nanoseconds of a track
  uint64_t ended;
  uint64_t size;  // of what follows, without padding
};

constexpr uint64_t Padded(uint64_t size) {
  return (size + 7) / 8 * 8;
}

__attribute__((tls_model(HOLOGRAM_TLS_MODEL))) thread_local Ring* own = nullptr;
std::atomic<uint64_t> dropped_without_ring{0};
pthread_key_t at_thread_end;
Mutex mutex;  // for the list
Ring* rings = nullptr;
size_t num_rings = 0;
// Linux numbers threads below.
uint32_t next_track = uint32_t{1} << 22;

void Delete(Ring* ring) {
  munmap(ring->bytes, kRingBytes);
  delete ring;
}

// Its spans stay until they are taken.
void EndThread(void* argument) {
  own = nullptr;
  static_cast<Ring*>(argument)->ended.store(true, std::memory_order_release);
}

void InChild() {
  is_tracing.store(false, std::memory_order_relaxed);
  Ring* ring = rings;
  rings = nullptr;
  num_rings = 0;
  while (ring != nullptr) {
    Ring* const next = ring->next;
    if (ring == own) ring->thread = static_cast<uint32_t>(syscall(SYS_gettid));
    if (ring == own || ring->is_track) {
      ring->next = rings;
      rings = ring;
      ++num_rings;
    } else {
      Delete(ring);
    }
    ring = next;
  }
}

struct Lifetime {
  Lifetime() {
    pthread_key_create(&at_thread_end, EndThread);
    ForkGate::Register({[] {}, [] {}, InChild});
  }
  ~Lifetime() { pthread_key_delete(at_thread_end); }
};

// Null where there is no memory, or there are too many. With the mutex held.
Ring* NewRing() {
  if (num_rings == kMostRings) return nullptr;
  auto* const ring = new (std::nothrow) Ring;
  if (ring == nullptr) return nullptr;
  void* bytes = mmap(nullptr, kRingBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (bytes == MAP_FAILED) {
    delete ring;
    return nullptr;
  }
  ring->bytes = static_cast<char*>(bytes);
  return ring;
}

void List(Ring* ring) {
  ring->next = rings;
  rings = ring;
  ++num_rings;
}

void EndWithThreads() {
  static const Lifetime lifetime;
}

[[gnu::noinline, gnu::cold]] Ring* FirstOfThread() {
  EndWithThreads();
  const std::lock_guard lock(mutex);
  Ring* const ring = NewRing();
  if (ring == nullptr) return nullptr;
  if (pthread_setspecific(at_thread_end, ring) != 0) {
    Delete(ring);
    return nullptr;
  }
  ring->thread = static_cast<uint32_t>(syscall(SYS_gettid));
  prctl(PR_GET_NAME, ring->thread_name);
  List(ring);
  own = ring;
  return ring;
}

Ring* FirstOfTrack(std::string_view name) {
  EndWithThreads();
  const std::lock_guard lock(mutex);
  Ring* const ring = NewRing();
  if (ring == nullptr) return nullptr;
  ring->is_track = true;
  ring->thread = next_track++;
  name.copy(ring->thread_name, sizeof(ring->thread_name) - 1);
  List(ring);
  return ring;
}

// Without a ring, or without room, it is dropped.
inline void PutSpan(Ring* ring, const SpanRecord& record, uint64_t begun, uint64_t ended) {
  if (ring == nullptr) {
    dropped_without_ring.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const uint64_t at = ring->written.load(std::memory_order_relaxed);
  const uint64_t end = at + sizeof(Header) + Padded(record.size());
  if (end - ring->taken.load(std::memory_order_acquire) > kRingBytes) {
    ring->dropped.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  // Word by word: a copy of a Header would wait for its words to be stored.
  ring->PutWord(at, begun);
  ring->PutWord(at + sizeof(uint64_t), ended);
  ring->PutWord(at + 2 * sizeof(uint64_t), record.size());
  ring->Put(at + sizeof(Header), record.bytes(), record.size());
  ring->written.store(end, std::memory_order_release);
}

}  // namespace

void Write(const SpanRecord& record, uint64_t begun, uint64_t ended) {
  if (!Tracing()) return;
  Ring* ring = own;
  if (ring == nullptr) [[unlikely]] {
    ring = FirstOfThread();
  }
  PutSpan(ring, record, begun, ended);
}

void Track::Write(const SpanRecord& record, uint64_t begun, uint64_t ended) {
  if (!Tracing()) return;
  if (ring_ == nullptr) ring_ = FirstOfTrack(name_);
  PutSpan(ring_, record, begun, ended);
}

void SetCaller(std::string_view file, uint32_t line) {
  Ring* const ring = own != nullptr ? own : FirstOfThread();
  if (ring == nullptr) return;
  // The end of a long path says more.
  if (file.size() > sizeof(ring->file)) file.remove_prefix(file.size() - sizeof(ring->file));
  file.copy(ring->file, file.size());
  ring->file_size = file.size();
  ring->line = line;
}

void TakeCaller(SpanRecord& record) {
  Ring* const ring = own;
  if (ring == nullptr || ring->line == 0) return;
  record.Text("file", {ring->file, ring->file_size});
  record.Number("line", ring->line);
  ring->line = 0;
}

namespace {

// When, since the start; nothing if it began before that.
bool PlaceSpan(const Ring& ring, const Timeline& timeline, const Header& header, TracedSpan& span) {
  const Timeline::Reading& start = timeline.start();
  if (header.begun < (ring.is_track ? start.ns : start.ticks)) return false;
  const auto since = [&](uint64_t time) {
    return ring.is_track ? timeline.SinceOfSystem(time) : timeline.Since(time);
  };
  span.begin_ns = since(header.begun);
  span.duration_ns = since(std::max(header.begun, header.ended)) - span.begin_ns;
  return true;
}

// Up to the first span that ended after the last reading, if `until_reading`.
void TakeFrom(Ring& ring, const Timeline& timeline, bool until_reading, DecodedSpan& decoded,
              const std::function<void(const TracedSpan&)>& take) {
  char bytes[SpanRecord::kMostBytes];
  const uint64_t end = ring.written.load(std::memory_order_acquire);
  uint64_t at = ring.taken.load(std::memory_order_relaxed);
  while (at != end) {
    Header header{};
    ring.Get(at, &header, sizeof(header));
    if (until_reading && !ring.is_track && header.ended > timeline.last().ticks) break;
    ring.Get(at + sizeof(header), bytes, header.size);
    at += sizeof(header) + Padded(header.size);
    TracedSpan span = decoded.Read(bytes, header.size);
    if (!PlaceSpan(ring, timeline, header, span)) continue;
    span.thread = ring.thread;
    span.thread_name = ring.thread_name;
    take(span);
    ring.taken.store(at, std::memory_order_release);
  }
  ring.taken.store(at, std::memory_order_release);
}

// The list as it is; rings are only removed by who calls this.
Ring* AllRings() {
  const std::lock_guard lock(mutex);
  return rings;
}

void RemoveEnded() {
  const std::lock_guard lock(mutex);
  for (Ring** at = &rings; *at != nullptr;) {
    Ring* const ring = *at;
    const bool empty = ring->taken.load() == ring->written.load(std::memory_order_acquire);
    if (!ring->ended.load(std::memory_order_acquire) || !empty) {
      at = &ring->next;
      continue;
    }
    *at = ring->next;
    --num_rings;
    Delete(ring);
  }
}

}  // namespace

void ForgetSpans() {
  for (Ring* ring = AllRings(); ring != nullptr; ring = ring->next) {
    ring->taken.store(ring->written.load(std::memory_order_acquire), std::memory_order_release);
    ring->dropped.store(0, std::memory_order_relaxed);
  }
  dropped_without_ring.store(0, std::memory_order_relaxed);
  RemoveEnded();
}

uint64_t TakeSpans(const Timeline& timeline, bool until_reading,
                   const std::function<void(const TracedSpan&)>& take) {
  uint64_t dropped = dropped_without_ring.exchange(0, std::memory_order_relaxed);
  DecodedSpan decoded;
  for (Ring* ring = AllRings(); ring != nullptr; ring = ring->next) {
    TakeFrom(*ring, timeline, until_reading, decoded, take);
    dropped += ring->dropped.exchange(0, std::memory_order_relaxed);
  }
  RemoveEnded();
  return dropped;
}

}  // namespace hologram::observe
