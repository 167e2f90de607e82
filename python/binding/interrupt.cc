#include "interrupt.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

namespace hologram::python {
namespace {

// One of them at most.
std::atomic<const hologram_kernel*> running{nullptr};
std::atomic<const hologram_pipeline*> running_pipeline{nullptr};
struct sigaction before;  // written before the handler is installed

// Runs on whatever thread gets the signal: atomic operations, and the handler before it.
void Stop(int signal, siginfo_t* info, void* context) {
  if (const hologram_kernel* kernel = running.load()) hologram_kernel_cancel(kernel);
  if (const hologram_pipeline* pipeline = running_pipeline.load()) {
    hologram_pipeline_cancel(pipeline);
  }
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else {
    before.sa_handler(signal);
  }
}

bool IsOurs(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == Stop;
}

bool OnMainThread() {
  static thread_local const bool is_main = syscall(SYS_gettid) == getpid();
  return is_main;
}

}  // namespace

Interruptible::Interruptible(const hologram_kernel* kernel) : Interruptible(kernel, nullptr) {}

Interruptible::Interruptible(const hologram_pipeline* pipeline)
    : Interruptible(nullptr, pipeline) {}

Interruptible::Interruptible(const hologram_kernel* kernel, const hologram_pipeline* pipeline)
    : kernel_(kernel), pipeline_(pipeline), is_installed_(Install()) {}

void Interruptible::Cancel() const {
  if (kernel_ != nullptr) hologram_kernel_cancel(kernel_);
  if (pipeline_ != nullptr) hologram_pipeline_cancel(pipeline_);
}

bool Interruptible::Install() const {
  // What a kernel prints may launch another one, which the outer launch need not be stopped for.
  if (!OnMainThread() || running.load() != nullptr || running_pipeline.load() != nullptr) {
    return false;
  }
  struct sigaction found;
  if (sigaction(SIGINT, nullptr, &found) != 0 || IsOurs(found)) return false;
  const bool handled = (found.sa_flags & SA_SIGINFO) != 0 ||
                       (found.sa_handler != SIG_DFL && found.sa_handler != SIG_IGN);
  if (!handled) return false;  // the process ends, or does not care
  before = found;
  struct sigaction action = found;
  action.sa_flags |= SA_SIGINFO;
  action.sa_sigaction = Stop;
  running.store(kernel_);
  running_pipeline.store(pipeline_);
  if (sigaction(SIGINT, &action, nullptr) != 0) {
    running.store(nullptr);
    running_pipeline.store(nullptr);
    return false;
  }
  // Looking takes the note of the signal away, so it is made again for Python.
  if (PyOS_InterruptOccurred() != 0) {
    PyErr_SetInterrupt();
    Cancel();
  }
  return true;
}

Interruptible::~Interruptible() {
  if (!is_installed_) return;
  struct sigaction found;
  // Another thread may have installed a handler meanwhile: it stays.
  if (sigaction(SIGINT, &before, &found) == 0 && !IsOurs(found)) {
    sigaction(SIGINT, &found, nullptr);
  }
  running.store(nullptr);
  running_pipeline.store(nullptr);
  if (kernel_ != nullptr) hologram_kernel_resume(kernel_);
  if (pipeline_ != nullptr) hologram_pipeline_resume(pipeline_);
}

}  // namespace hologram::python
