#include "runtime/background_compiler.h"

#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <utility>

#include "base/fork_gate.h"

namespace hologram::runtime {
namespace {

constexpr size_t kStackBytes = size_t{8} << 20;  // as the main thread has: LLVM's passes recurse

}  // namespace

struct BackgroundCompiler::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
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
    if (state.jobs.empty()) {
      state.changed.wait(lock);
      continue;
    }
    lock.unlock();
    const ForkGate section;  // a fork waits for the job, and none is begun while it forks
    lock.lock();
    if (state.jobs.empty() || state.stopping) continue;
    const Job job = std::move(state.jobs.front());
    state.jobs.pop_front();
    lock.unlock();
    job(false);
    lock.lock();
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
  std::deque<Job> mine;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->jobs.empty() || state_->stopping || state_->Start()) return;
    mine.swap(state_->jobs);
  }
  for (const Job& job : mine) job(false);
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

void BackgroundCompiler::BeforeFork() {
  Shared().state_->mutex.lock();
}

void BackgroundCompiler::InParent() {
  Shared().state_->mutex.unlock();
}

void BackgroundCompiler::InChild() {
  // This thread holds the mutex; the threads that waited are not here.
  State& state = *Shared().state_;
  new (&state.changed) std::condition_variable;
  state.has_thread = false;
  state.mutex.unlock();
}

BackgroundCompiler& BackgroundCompiler::Shared() {
  static BackgroundCompiler* const compiler = new BackgroundCompiler;
  struct Lifetime {
    Lifetime() { ForkGate::Register({BeforeFork, InParent, InChild}); }
    ~Lifetime() { compiler->Stop(); }
  };
  static const Lifetime lifetime;
  return *compiler;
}

}  // namespace hologram::runtime
