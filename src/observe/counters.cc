#include "observe/counters.h"

#include <pthread.h>

#include <atomic>
#include <mutex>
#include <new>

#include "base/fork_gate.h"

namespace hologram::observe {
namespace {

// The counts of one thread, on the heap: what lists them may outlive the thread.
struct Block {
  std::array<std::atomic<uint64_t>, kNumCounters> counts{};
  hologram_inline_counts* inlined = nullptr;
  Block* next = nullptr;

  void Add(Counter counter, uint64_t amount) {
    std::atomic<uint64_t>& count = counts[static_cast<size_t>(counter)];
    count.store(count.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  uint64_t Read(size_t counter) const {
    uint64_t count = counts[counter].load(std::memory_order_relaxed);
    if (inlined == nullptr) return count;
    // The first launch makes 0 of all ones.
    if (counter == static_cast<size_t>(Counter::kCpu)) {
      count += __atomic_load_n(&inlined->launches, __ATOMIC_RELAXED) + 1;
    } else if (counter == static_cast<size_t>(Counter::kBytes)) {
      count += __atomic_load_n(&inlined->bytes, __ATOMIC_RELAXED);
    } else if (counter == static_cast<size_t>(Counter::kElements)) {
      count += __atomic_load_n(&inlined->elements, __ATOMIC_RELAXED);
    }
    return count;
  }
};

struct KeptReason {
  char engine[16];
  char text[192];
  std::atomic<uint64_t> launches{0};
};

__attribute__((tls_model(HOLOGRAM_TLS_MODEL))) thread_local Block* here = nullptr;

// Without C++ objects that threads destroy, which would keep the library loaded for as long as such
// a thread lives.
pthread_key_t at_thread_end;
Mutex mutex;                                              // for the list
Block* blocks = nullptr;                                  // of threads that live
std::array<std::atomic<uint64_t>, kNumCounters> ended{};  // of the others

std::array<KeptReason, kMostReasons> reasons;
std::atomic<size_t> num_reasons{0};
Mutex reasons_mutex;

// With the mutex held.
void Fold(const Block& block) {
  for (size_t k = 0; k < kNumCounters; ++k) {
    ended[k].fetch_add(block.Read(k), std::memory_order_relaxed);
  }
}

void EndThread(void* argument) {
  auto* const block = static_cast<Block*>(argument);
  {
    const std::lock_guard lock(mutex);
    Block** at = &blocks;
    while (*at != nullptr && *at != block) at = &(*at)->next;
    if (*at == block) *at = block->next;
    Fold(*block);
    here = nullptr;
  }
  delete block;
}

// The threads of the parent are not here; their stacks, with their inline counts, go away.
void InChild() {
  Block* block = blocks;
  blocks = nullptr;
  while (block != nullptr) {
    Block* const next = block->next;
    block->next = nullptr;
    if (block == here) {
      blocks = block;
    } else {
      Fold(*block);
      delete block;
    }
    block = next;
  }
}

struct Lifetime {
  Lifetime() {
    pthread_key_create(&at_thread_end, EndThread);
    ForkGate::Register({[] {}, [] {}, InChild});
  }
  // The library may be unloaded before its threads end.
  ~Lifetime() { pthread_key_delete(at_thread_end); }
};

// Null where there is no memory.
[[gnu::noinline, gnu::cold]] Block* FirstOfThread() {
  static const Lifetime lifetime;
  auto* const block = new (std::nothrow) Block;
  if (block == nullptr) return nullptr;
  if (pthread_setspecific(at_thread_end, block) != 0) {
    delete block;
    return nullptr;
  }
  const std::lock_guard lock(mutex);
  block->next = blocks;
  blocks = block;
  here = block;
  return block;
}

}  // namespace

void Count(Counter counter, uint64_t amount) {
  Block* block = here;
  if (block == nullptr) [[unlikely]] {
    block = FirstOfThread();
  }
  if (block != nullptr) return block->Add(counter, amount);
  ended[static_cast<size_t>(counter)].fetch_add(amount, std::memory_order_relaxed);
}

void Join(hologram_inline_counts* counts) {
  Block* const block = here != nullptr ? here : FirstOfThread();
  if (block == nullptr) return Count(Counter::kCpu);
  const std::lock_guard lock(mutex);
  block->inlined = counts;
}

namespace {

bool IsThis(const KeptReason& kept, std::string_view engine, std::string_view text) {
  return engine == kept.engine && text.substr(0, sizeof(kept.text) - 1) == kept.text;
}

KeptReason* Find(std::string_view engine, std::string_view text) {
  const size_t count = num_reasons.load(std::memory_order_acquire);
  for (size_t k = 0; k < count; ++k) {
    if (IsThis(reasons[k], engine, text)) return &reasons[k];
  }
  return nullptr;
}

}  // namespace

void CountReason(std::string_view engine, std::string_view reason) {
  KeptReason* kept = Find(engine, reason);
  if (kept == nullptr) {
    const std::lock_guard lock(reasons_mutex);
    kept = Find(engine, reason);
    const size_t count = num_reasons.load(std::memory_order_relaxed);
    if (kept == nullptr && count == kMostReasons) {
      kept = &reasons[kMostReasons - 1];
    } else if (kept == nullptr) {
      kept = &reasons[count];
      if (count == kMostReasons - 1) engine = "", reason = "others";
      engine.copy(kept->engine, sizeof(kept->engine) - 1);
      reason.copy(kept->text, sizeof(kept->text) - 1);
      num_reasons.store(count + 1, std::memory_order_release);
    }
  }
  kept->launches.fetch_add(1, std::memory_order_relaxed);
}

Totals ReadTotals() {
  Totals totals;
  {
    const std::lock_guard lock(mutex);
    for (size_t k = 0; k < kNumCounters; ++k) {
      totals.counts[k] = ended[k].load(std::memory_order_relaxed);
      for (const Block* block = blocks; block != nullptr; block = block->next) {
        totals.counts[k] += block->Read(k);
      }
    }
  }
  const size_t count = num_reasons.load(std::memory_order_acquire);
  for (size_t k = 0; k < count; ++k) {
    totals.reasons.push_back(
        {reasons[k].engine, reasons[k].text, reasons[k].launches.load(std::memory_order_relaxed)});
  }
  return totals;
}

}  // namespace hologram::observe
