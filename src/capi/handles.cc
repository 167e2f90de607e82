// All handles of kernels, so that their inline entries are closed while launches are watched
// (capi/watch.h): these then pass the library, and else the inline path has nothing to look at.
#include <mutex>

#include "capi/kernel_handle.h"
#include "capi/watch.h"

namespace {

hologram::Mutex handles_mutex;
const hologram_kernel* handles = nullptr;

}  // namespace

void hologram_kernel::Enlist() const {
  const std::lock_guard lock(handles_mutex);
  next = handles;
  if (next != nullptr) next->previous = this;
  handles = this;
}

hologram_kernel::~hologram_kernel() {
  const std::lock_guard lock(handles_mutex);
  if (next != nullptr) next->previous = previous;
  if (previous != nullptr) previous->next = next;
  if (handles == this) handles = next;
}

namespace {

// With the mutex of the handles held.
void Switch() {
  for (const hologram_kernel* kernel = handles; kernel != nullptr; kernel = kernel->next) {
    const std::lock_guard of_kernel(kernel->mutex);
    if (hologram::capi::Watched()) {
      kernel->ClosePlan();
    } else if (!kernel->noted.load(std::memory_order_relaxed)) {
      kernel->OpenPlan();
    }
  }
}

}  // namespace

void hologram::capi::SwitchPlans(bool tracing) {
  const std::lock_guard lock(handles_mutex);
  if (tracing) {
    watchers.fetch_or(kTrace);
  } else {
    watchers.fetch_and(~kTrace);
  }
  Switch();
}

void hologram::capi::SwitchCapture(bool begins) {
  const std::lock_guard lock(handles_mutex);
  const uint32_t before = begins ? watchers.fetch_add(kCapture) : watchers.fetch_sub(kCapture);
  if (before == 0 || before == kCapture) Switch();
}
