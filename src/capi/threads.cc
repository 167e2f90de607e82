// How many threads launches use: of the process, of a thread of it. Tested by tests/capi.
#include "capi/error.h"
#include "capi/guard.h"
#include "hologram/hologram.h"
#include "runtime/thread_count.h"

using hologram::Result;
using hologram::capi::FromException;
using hologram::capi::MakeError;

namespace runtime = hologram::runtime;

hologram_error* hologram_set_threads(uint32_t threads) try {
  const hologram::Status checked = runtime::CheckThreads(threads);
  if (checked.ok()) runtime::SetThreadsOfProcess(threads);
  return hologram::capi::FromStatus(checked);
} catch (...) {
  return FromException();
}

uint32_t hologram_set_thread_limit(uint32_t threads) {
  return runtime::SetThreadLimit(threads);
}

hologram_error* hologram_get_threads(uint32_t* threads) try {
  HOLOGRAM_NOT_NULL(threads);
  const Result<uint32_t> found = runtime::DefaultThreads();
  if (!found.ok()) return MakeError(found.errors());
  *threads = runtime::ThreadsOfLaunch(found.value());
  return nullptr;
} catch (...) {
  return FromException();
}
