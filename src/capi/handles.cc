// All handles of kernels, so that their inline entries are closed while a trace runs: launches then
// pass the library, which writes their spans, and without a trace the inline path has nothing to
// look at.
#include <mutex>

#include "capi/kernel_handle.h"
#include "observe/span.h"

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

void hologram::capi::SwitchPlans(bool tracing) {
  const std::lock_guard lock(handles_mutex);
  for (const hologram_kernel* kernel = handles; kernel != nullptr; kernel = kernel->next) {
    const std::lock_guard of_kernel(kernel->mutex);
    if (tracing) {
      kernel->ClosePlan();
    } else if (!kernel->noted.load(std::memory_order_relaxed)) {
      kernel->OpenPlan();
    }
  }
}
