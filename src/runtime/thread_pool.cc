#include "runtime/thread_pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <vector>

#include "base/fork_gate.h"

namespace hologram::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// How long an idle worker looks for the next job before it sleeps: waking it costs about as much.
constexpr std::chrono::microseconds kSpin{30};
// Rounds of waiting for others' last chunks before the caller sleeps.
constexpr int kCallerSpins = 2000;

void Relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

// Lives until the caller and all workers that have joined are through with it. `chunk` and
// `context` are used only by who has claimed a chunk: then the caller is still waiting.
struct ThreadPool::Job {
  Chunk chunk = nullptr;
  void* context = nullptr;
  uint32_t chunks = 0;
  uint32_t threads = 0;  // with which it is to run, the caller included
  uint32_t wanted = 0;   // how many may still join; with the mutex held
  Job* following = nullptr;
  std::atomic<uint32_t> references{1};
  alignas(64) std::atomic<uint64_t> next{0};  // 64 bits: claims in vain never wrap it
  alignas(64) std::atomic<uint32_t> done{0};

  // Until no chunk is left, or `leave()`.
  template <class F>
  void Work(const F& leave) {
    while (!leave()) {
      const uint64_t claimed = next.fetch_add(1, std::memory_order_relaxed);
      if (claimed >= chunks) return;
      chunk(context, static_cast<uint32_t>(claimed));
      if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == chunks) done.notify_all();
    }
  }

  void AwaitAll() {
    for (int spin = 0; spin < kCallerSpins; ++spin) {
      if (done.load(std::memory_order_acquire) == chunks) return;
      Relax();
    }
    for (;;) {
      const uint32_t seen = done.load(std::memory_order_acquire);
      if (seen == chunks) return;
      done.wait(seen, std::memory_order_acquire);
    }
  }

  void Drop() {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
};

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<uint32_t> announced{0};  // jobs so far; changed with the mutex held
  Job* jobs = nullptr;                 // the newest first
  uint32_t sleeping = 0;
  // Those who have a job, and workers that are at one: changed with the mutex held.
  std::atomic<uint32_t> callers{0};
  std::atomic<uint32_t> busy{0};
  bool stopping = false;
  std::vector<pthread_t> threads;

  // ---- With the mutex held
  void StartUpTo(size_t count) {
    if (threads.size() >= count) return;
    try {
      threads.reserve(count);
    } catch (const std::bad_alloc&) {
      return;
    }
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setstacksize(&attributes, kStackBytes);
    // The application's handlers run on its own threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (threads.size() < count) {
      pthread_t thread;
      if (pthread_create(&thread, &attributes, Serve, this) != 0) break;
      pthread_setname_np(thread, "hologram");
      threads.push_back(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
  }

  // Whether a job has all the threads that it may, as other callers are at work too: these are
  // processors that it would only take from them.
  bool IsCrowded(const Job& job, uint32_t more) const {
    return callers.load(std::memory_order_relaxed) + busy.load(std::memory_order_relaxed) + more >
           job.threads;
  }

  // A job with chunks that nobody has claimed, joined; null if there is none.
  Job* Join() {
    for (Job* job = jobs; job != nullptr; job = job->following) {
      if (job->wanted == 0 || IsCrowded(*job, 1) ||
          job->next.load(std::memory_order_relaxed) >= job->chunks)
        continue;
      --job->wanted;
      busy.fetch_add(1, std::memory_order_relaxed);
      job->references.fetch_add(1, std::memory_order_relaxed);
      return job;
    }
    return nullptr;
  }

  void Remove(Job* job) {
    Job** at = &jobs;
    while (*at != job) at = &(*at)->following;
    *at = job->following;
  }

  // ---- Without it
  void SpinWhile(uint32_t seen) const {
    const Clock::time_point end = Clock::now() + kSpin;
    while (announced.load(std::memory_order_relaxed) == seen && Clock::now() < end) Relax();
  }
};

ThreadPool::ThreadPool() : state_(new State) {}

ThreadPool::~ThreadPool() {
  Stop();
  delete state_;
}

void* ThreadPool::Serve(void* argument) {
  State& state = *static_cast<State*>(argument);
  // Inherited from the thread that happened to start this one.
  std::fesetenv(FE_DFL_ENV);
  bool has_looked = false;
  std::unique_lock lock(state.mutex);
  while (!state.stopping) {
    if (Job* job = state.Join()) {
      lock.unlock();
      job->Work([&] { return state.IsCrowded(*job, 0); });
      lock.lock();
      state.busy.fetch_sub(1, std::memory_order_relaxed);
      ++job->wanted;  // it may be joined again
      job->Drop();
      has_looked = false;
    } else if (!has_looked) {
      const uint32_t seen = state.announced.load(std::memory_order_relaxed);
      lock.unlock();
      state.SpinWhile(seen);
      lock.lock();
      has_looked = true;
    } else {
      ++state.sleeping;
      state.wake.wait(lock);
      --state.sleeping;
    }
  }
  return nullptr;
}

void ThreadPool::Run(uint32_t chunks, uint32_t threads, Chunk chunk, void* context) {
  State& state = *state_;
  Job* job = threads > 1 && chunks > 1 ? new (std::nothrow) Job : nullptr;
  if (job == nullptr) {
    for (uint32_t i = 0; i < chunks; ++i) chunk(context, i);
    return;
  }
  job->chunk = chunk;
  job->context = context;
  job->chunks = chunks;
  job->threads = threads;
  job->wanted = std::min(threads, chunks) - 1;
  bool listed = false;
  bool wake = false;
  const uint32_t wanted = job->wanted;
  {
    const std::lock_guard lock(state.mutex);
    state.callers.fetch_add(1, std::memory_order_relaxed);
    if (!state.stopping) {
      state.StartUpTo(wanted);
      job->following = state.jobs;
      state.jobs = job;
      listed = true;
      if (!state.IsCrowded(*job, 1)) {
        state.announced.fetch_add(1, std::memory_order_relaxed);
        wake = state.sleeping != 0;
      }
    }
  }
  if (wake && wanted == 1) state.wake.notify_one();
  if (wake && wanted != 1) state.wake.notify_all();
  job->Work([] { return false; });
  bool wake_others = false;
  {
    const std::lock_guard lock(state.mutex);
    if (listed) state.Remove(job);
    state.callers.fetch_sub(1, std::memory_order_relaxed);
    // Those who go on have a processor more.
    if (state.jobs != nullptr) {
      state.announced.fetch_add(1, std::memory_order_relaxed);
      wake_others = state.sleeping != 0;
    }
  }
  if (wake_others) state.wake.notify_one();
  job->AwaitAll();
  job->Drop();
}

void ThreadPool::Stop() {
  std::vector<pthread_t> threads;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    threads.swap(state_->threads);
  }
  state_->wake.notify_all();
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
}

size_t ThreadPool::workers() const {
  const std::lock_guard lock(state_->mutex);
  return state_->threads.size();
}

// No thread of the pool can be inside its mutex while the process forks.
void ThreadPool::BeforeFork() {
  Shared().state_->mutex.lock();
}

void ThreadPool::InParent() {
  Shared().state_->mutex.unlock();
}

void ThreadPool::InChild() {
  // This thread holds the mutex; jobs are those of threads that are not here.
  State& state = *Shared().state_;
  new (&state.wake) std::condition_variable;
  state.jobs = nullptr;
  state.sleeping = 0;
  state.callers.store(0, std::memory_order_relaxed);
  state.busy.store(0, std::memory_order_relaxed);
  state.threads.clear();
  state.mutex.unlock();
}

ThreadPool& ThreadPool::Shared() {
  static ThreadPool* const pool = new ThreadPool;
  struct Lifetime {
    Lifetime() { ForkGate::Register({BeforeFork, InParent, InChild}); }
    ~Lifetime() { pool->Stop(); }
  };
  static const Lifetime lifetime;
  return *pool;
}

}  // namespace hologram::runtime
