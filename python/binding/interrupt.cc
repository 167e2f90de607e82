#include "interrupt.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

namespace hologram::python {
namespace {

std::atomic<const hologram_kernel*> running{nullptr};
struct sigaction before;  // written before the handler is installed

// Runs on whatever thread gets the signal: atomic operations, and the handler before it.
void Stop(int signal, siginfo_t* info, void* context) {
  if (const hologram_kernel* kernel = running.load()) hologram_kernel_cancel(kernel);
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

Interruptible::Interruptible(const hologram_kernel* kernel) {
  // What a kernel prints may launch another one, which the outer launch need not be stopped for.
  if (!OnMainThread() || running.load() != nullptr) return;
  struct sigaction found;
  if (sigaction(SIGINT, nullptr, &found) != 0 || IsOurs(found)) return;
  const bool handled = (found.sa_flags & SA_SIGINFO) != 0 ||
                       (found.sa_handler != SIG_DFL && found.sa_handler != SIG_IGN);
  if (!handled) return;  // the process ends, or does not care
  before = found;
  struct sigaction action = found;
  action.sa_flags |= SA_SIGINFO;
  action.sa_sigaction = Stop;
  kernel_ = kernel;
  running.store(kernel);
  if (sigaction(SIGINT, &action, nullptr) == 0) return;
  running.store(nullptr);
  kernel_ = nullptr;
}

Interruptible::~Interruptible() {
  if (kernel_ == nullptr) return;
  struct sigaction found;
  // Another thread may have installed a handler meanwhile: it stays.
  if (sigaction(SIGINT, &before, &found) == 0 && !IsOurs(found)) {
    sigaction(SIGINT, &found, nullptr);
  }
  running.store(nullptr);
  hologram_kernel_resume(kernel_);
}

}  // namespace hologram::python
