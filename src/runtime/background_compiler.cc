#include "runtime/background_compiler.h"

#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace hologram::runtime {
namespace {

constexpr size_t kStackBytes = size_t{8} << 20;  // as the main thread has: LLVM's passes recurse

}  // namespace

struct BackgroundCompiler::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  bool working = false;
  int forking = 0;  // threads that want to fork: no job is begun
  bool stopping = false;
  bool has_thread = false;
  pthread_t thread{};

  // With the mutex held. False: there is none.
  bool Start() {
    if (has_thread) return true;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setstacksize(&attributes, kStackBytes);
    // The application's handlers run on its own threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    has_thread = pthread_create(&thread, &attributes, Serve, this) == 0;
    if (has_thread) pthread_setname_np(thread, "hologram-jit");
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    return has_thread;
  }
};

BackgroundCompiler::BackgroundCompiler() : state_(new State) {}

void* BackgroundCompiler::Serve(void* argument) {
  State& state = *static_cast<State*>(argument);
  std::unique_lock lock(state.mutex);
  while (!state.stopping) {
    if (state.jobs.empty() || state.forking != 0) {
      state.changed.wait(lock);
      continue;
    }
    const Job job = std::move(state.jobs.front());
    state.jobs.pop_front();
    state.working = true;
    lock.unlock();
    job(false);
    lock.lock();
    state.working = false;
    state.changed.notify_all();
  }
  return nullptr;
}

void BackgroundCompiler::Add(Job job) {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->stopping && state_->Start()) {
      state_->jobs.push_back(std::move(job));
      state_->changed.notify_all();
      return;
    }
    if (state_->stopping) return job(true);
  }
  job(false);
}

void BackgroundCompiler::Ensure() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->jobs.empty() && !state_->stopping) state_->Start();
}

void BackgroundCompiler::Stop() {
  std::deque<Job> left;
  bool has_thread = false;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    left.swap(state_->jobs);
    has_thread = std::exchange(state_->has_thread, false);
    state_->changed.notify_all();
  }
  if (has_thread) pthread_join(state_->thread, nullptr);
  for (const Job& job : left) job(true);
}

// The compiler's own locks are free then.
void BackgroundCompiler::BeforeFork() {
  State& state = *Shared().state_;
  std::unique_lock lock(state.mutex);
  ++state.forking;
  state.changed.wait(lock, [&] { return !state.working; });
  lock.release();
}

void BackgroundCompiler::InParent() {
  State& state = *Shared().state_;
  --state.forking;
  state.changed.notify_all();
  state.mutex.unlock();
}

void BackgroundCompiler::InChild() {
  auto* fresh = new State;
  fresh->jobs = std::move(Shared().state_->jobs);
  fresh->stopping = Shared().state_->stopping;
  Shared().state_ = fresh;
}

BackgroundCompiler& BackgroundCompiler::Shared() {
  static BackgroundCompiler* const compiler = new BackgroundCompiler;
  struct Lifetime {
    Lifetime() { pthread_atfork(BeforeFork, InParent, InChild); }
    ~Lifetime() { compiler->Stop(); }
  };
  static const Lifetime lifetime;
  return *compiler;
}

}  // namespace hologram::runtime
