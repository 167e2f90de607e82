#include "observe/rings.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <ctime>
#include <mutex>
#include <new>
#include <string>

#include "base/fork_gate.h"
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
  void Get(uint64_t at, void* data, size_t size) const {
    const size_t offset = at % kRingBytes;
    const size_t first = std::min(size, kRingBytes - offset);
    std::memcpy(data, bytes + offset, first);
    std::memcpy(static_cast<char*>(data) + first, bytes, size - first);
  }
};

namespace {

struct Header {
  uint64_t begun;
  uint64_t duration;
  uint64_t size;  // of what follows, without padding
};

constexpr uint64_t Padded(uint64_t size) {
  return (size + 7) / 8 * 8;
}

__attribute__((tls_model("initial-exec"))) thread_local Ring* own = nullptr;
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
  const Header header{begun, ended - begun, record.size()};
  const uint64_t at = ring->written.load(std::memory_order_relaxed);
  const uint64_t end = at + sizeof(header) + Padded(record.size());
  if (end - ring->taken.load(std::memory_order_acquire) > kRingBytes) {
    ring->dropped.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  ring->Put(at, &header, sizeof(header));
  ring->Put(at + sizeof(header), record.bytes(), record.size());
  ring->written.store(end, std::memory_order_release);
}

}  // namespace

uint64_t Now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

void Write(const SpanRecord& record, uint64_t begun) {
  const uint64_t now = Now();
  if (!Tracing()) return;
  Ring* ring = own;
  if (ring == nullptr) [[unlikely]] {
    ring = FirstOfThread();
  }
  PutSpan(ring, record, begun, now);
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

// Reads what SpanRecord has put together.
class Reader {
 public:
  Reader(const char* bytes, size_t size) : bytes_(bytes), size_(size) {}
  bool AtEnd() const { return at_ >= size_; }
  uint8_t Byte() { return static_cast<uint8_t>(bytes_[at_++]); }
  std::string_view Text() {
    const size_t size = Byte();
    const std::string_view text(bytes_ + at_, size);
    at_ += size;
    return text;
  }
  template <class T>
  void Value(T& value) {
    std::memcpy(&value, bytes_ + at_, sizeof(value));
    at_ += sizeof(value);
  }

 private:
  const char* bytes_;
  size_t size_;
  size_t at_ = 0;
};

constexpr size_t kMostArguments = 64;

struct Decoded {
  std::array<TracedArgument, kMostArguments> arguments;
  std::array<std::string, kMostArguments> texts;  // of counts
};

TracedSpan Decode(const char* bytes, size_t size, Decoded& decoded) {
  Reader reader(bytes, size);
  TracedSpan span;
  span.category = reader.Text();
  span.name = reader.Text();
  size_t count = 0;
  while (!reader.AtEnd() && count < kMostArguments) {
    TracedArgument& argument = decoded.arguments[count];
    argument = {};
    const uint8_t kind = reader.Byte();
    argument.name = reader.Text();
    argument.is_text = kind != SpanRecord::kNumber;
    if (kind == SpanRecord::kNumber) {
      reader.Value(argument.number);
    } else if (kind == SpanRecord::kText) {
      argument.text = reader.Text();
    } else {
      uint32_t counts[3];
      reader.Value(counts);
      std::string& text = decoded.texts[count];
      text = std::to_string(counts[0]) + "," + std::to_string(counts[1]) + "," +
             std::to_string(counts[2]);
      argument.text = text;
    }
    ++count;
  }
  span.arguments = {decoded.arguments.data(), count};
  return span;
}

void TakeFrom(Ring& ring, uint64_t since, Decoded& decoded,
              const std::function<void(const TracedSpan&)>& take) {
  char bytes[SpanRecord::kMostBytes];
  const uint64_t end = ring.written.load(std::memory_order_acquire);
  uint64_t at = ring.taken.load(std::memory_order_relaxed);
  while (at != end) {
    Header header{};
    ring.Get(at, &header, sizeof(header));
    ring.Get(at + sizeof(header), bytes, header.size);
    at += sizeof(header) + Padded(header.size);
    if (header.begun < since) continue;
    TracedSpan span = Decode(bytes, header.size, decoded);
    span.begin_ns = header.begun - since;
    span.duration_ns = header.duration;
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

uint64_t TakeSpans(uint64_t since, const std::function<void(const TracedSpan&)>& take) {
  uint64_t dropped = dropped_without_ring.exchange(0, std::memory_order_relaxed);
  Decoded decoded;
  for (Ring* ring = AllRings(); ring != nullptr; ring = ring->next) {
    TakeFrom(*ring, since, decoded, take);
    dropped += ring->dropped.exchange(0, std::memory_order_relaxed);
  }
  RemoveEnded();
  return dropped;
}

}  // namespace hologram::observe
