// The threads that help with launches. A caller announces a job, works on its chunks itself from
// the first moment on, and at the end waits only for chunks that a thread has really taken: a
// worker that sleeps, or that the system does not run, delays no other. Several callers may have
// jobs at once; one that finds no worker free does its job alone. Callers and workers together are
// no more than a job may have threads: a worker leaves it, or does not join, where others call too.
//
// No thread exists before the first job that wants one. Workers have no signals, the default
// floating-point environment, and a stack of kStackBytes, as kernels keep shared memory there. They
// look for more work for a moment, then sleep. If none can be started, callers do everything.
//
// Tested by tests/runtime/thread_pool_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engines/workers.h"

namespace hologram::runtime {

class ThreadPool final : public engines::Workers {
 public:
  static constexpr size_t kStackBytes = size_t{8} << 20;

  ThreadPool();
  ~ThreadPool() override;  // REQUIRES: no Run() is under way
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The pool of the process. Never destroyed; its threads end when the library is unloaded or the
  // process exits, and a forked child starts with none.
  static ThreadPool& Shared();

  void Run(uint32_t chunks, uint32_t threads, Chunk chunk, void* context) override;

  // Ends the workers, which finish the chunks they are at, and waits for them. Callers do
  // everything from then on.
  void Stop();
  size_t workers() const;  // that there are

 private:
  struct Job;
  struct State;
  static void* Serve(void* state);
  static void BeforeFork();
  static void InParent();
  static void InChild();

  State* const state_;
};

}  // namespace hologram::runtime
