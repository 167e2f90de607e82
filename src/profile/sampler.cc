#include "profile/sampler.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#if defined(__linux__)
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#endif

namespace hologram::profile {
namespace {

Diagnostic No(const std::string& why) {
  return Error(ErrorCode::kUnsupported, why);
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

// What the handler writes. It outlives every sampler, since a signal may come late.
std::atomic<bool> taken{false};
std::atomic<size_t> count{0};
uint64_t addresses[Sampler::kMostSamples];
struct sigaction before;

uint64_t AddressOf(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
#else
  return context.uc_mcontext.pc;
#endif
}

void Keep(int /*signal*/, siginfo_t* /*info*/, void* context) {
  const size_t place = count.load(std::memory_order_relaxed);
  if (place >= Sampler::kMostSamples) return;
  addresses[place] = AddressOf(*static_cast<const ucontext_t*>(context));
  count.store(place + 1, std::memory_order_relaxed);
}

// The system calls themselves: in older C libraries their functions are in another library.
Result<int> StartTimer(uint64_t interval_ns) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
#if defined(sigev_notify_thread_id)
  event.sigev_notify_thread_id = static_cast<int>(syscall(SYS_gettid));
#else
  event._sigev_un._tid = static_cast<int>(syscall(SYS_gettid));
#endif
  int timer = 0;
  if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) != 0) {
    return No(std::string("no timer: ") + std::strerror(errno));
  }
  itimerspec interval{};
  interval.it_interval.tv_nsec = static_cast<long>(interval_ns);
  interval.it_value = interval.it_interval;
  if (syscall(SYS_timer_settime, timer, 0, &interval, nullptr) == 0) return timer;
  const int error = errno;
  syscall(SYS_timer_delete, timer);
  return No(std::string("no timer: ") + std::strerror(error));
}

// Gives the signal back. One that is on its way is ignored: by itself it would end the process.
void GiveBack() {
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPROF, &ignore, nullptr);
  sigaction(SIGPROF, &before, nullptr);
}

#endif

}  // namespace

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

Result<Sampler> Sampler::Start(uint64_t interval_ns) {
  if (taken.exchange(true)) return No("another launch is sampled at this time");
  struct sigaction mine{};
  mine.sa_sigaction = Keep;
  mine.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGPROF, nullptr, &before);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    taken.store(false);
    return No("the program has a handler for SIGPROF");
  }
  count.store(0);
  sigaction(SIGPROF, &mine, nullptr);
  Result<int> timer = StartTimer(interval_ns);
  if (!timer.ok()) {
    GiveBack();
    taken.store(false);
    return timer.errors();
  }
  Sampler sampler;
  sampler.timer_ = timer.value();
  sampler.runs_ = true;
  return sampler;
}

std::vector<uint64_t> Sampler::Stop() {
  if (!runs_) return {};
  runs_ = false;
  syscall(SYS_timer_delete, timer_);
  GiveBack();
  std::vector<uint64_t> kept(addresses, addresses + std::min(count.load(), kMostSamples));
  taken.store(false);
  return kept;
}

#else

Result<Sampler> Sampler::Start(uint64_t /*interval_ns*/) {
  return No("threads of this system are not sampled");
}

std::vector<uint64_t> Sampler::Stop() {
  return {};
}

#endif

Sampler::Sampler(Sampler&& other) noexcept
    : runs_(std::exchange(other.runs_, false)), timer_(other.timer_) {}

Sampler::~Sampler() {
  Stop();
}

}  // namespace hologram::profile
