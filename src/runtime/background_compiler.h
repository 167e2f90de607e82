// Compiles kernels one after the other on a thread of its own, while they run in the interpreter.
// The thread exists from the first job on. Tested by tests/runtime/tiered_test.cc.
#pragma once

#include <functional>

namespace hologram::runtime {

class BackgroundCompiler {
 public:
  // Makes code, or with `stopped` only reports that none will; called once. Throws nothing.
  using Job = std::function<void(bool stopped)>;

  // That of the process; never destroyed. When the process ends, or the library is unloaded, the
  // job under way is finished and the others are stopped; later ones are stopped at once. A fork
  // waits for the job under way; the child has the others, and a thread from its next Add() or
  // Ensure() on. REQUIRES: the compiler plugin was looked for, so that it outlives the thread
  static BackgroundCompiler& Shared();

  BackgroundCompiler(const BackgroundCompiler&) = delete;
  BackgroundCompiler& operator=(const BackgroundCompiler&) = delete;

  // If no thread can be started, the job is done now.
  void Add(Job job);
  // A caller waits for a job: a forked child gets its thread; if none can be started, the jobs are
  // done now.
  void Ensure();

 private:
  struct State;
  BackgroundCompiler();
  static void* Serve(void* state);
  static void BeforeFork();
  static void InParent();
  static void InChild();
  void Stop();

  State* const state_;
};

}  // namespace hologram::runtime
