#include "statevector/team.h"

#include <sched.h>

#include <barrier>
#include <system_error>
#include <thread>
#include <vector>

namespace hologram::statevector {

uint32_t Processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<uint32_t>(CPU_COUNT(&set));
}

struct Team::Threads {
  explicit Threads(uint32_t count) : size(count), together(static_cast<std::ptrdiff_t>(count)) {}
  const uint32_t size;
  std::barrier<> together;
};

Team::Team(uint32_t threads) : threads_(std::make_unique<Threads>(threads)) {}
Team::~Team() = default;

void Team::Run(const std::function<void(bool)>& work) {
  std::vector<std::thread> others;
  others.reserve(threads_->size - 1);
  for (uint32_t k = 1; k < threads_->size; ++k) {
    try {
      others.emplace_back(work, false);
    } catch (const std::system_error&) {
      threads_->together.arrive_and_drop();  // those that there are do the work
    }
  }
  work(true);
  for (std::thread& other : others) other.join();
}

void Team::Wait() {
  if (threads_->size > 1) threads_->together.arrive_and_wait();
}

}  // namespace hologram::statevector
