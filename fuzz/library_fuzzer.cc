// Bytes -> shared library: the bundle in it, and whether it is whole enough for the system's
// loader. That loader is not called: it runs what it loads, and is not ours. Each library goes in
// as it is, and with its bundle put together again. Promises: the bundle lies in the file; the rest
// in use_program.h.
#include <algorithm>

#include "base/check.h"
#include "bundle/bundle_library.h"
#include "fuzzer.h"
#include "rebuild_bundle.h"
#include "runtime/kernel_library.h"
#include "use_program.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  return {};
}

namespace {

void RunOne(std::span<const uint8_t> file) {
  const Status whole = runtime::CheckLibraryFile(file);
  HOLOGRAM_CHECK(whole.ok() || !whole.errors()[0].message.empty());
  if (bundle::IsLibrary(file)) UseBundle(file);
}

// The file with the bundle in its section put together again, as far as there is room for it.
Bytes WithRightBundle(std::span<const uint8_t> file) {
  Bytes changed(file.begin(), file.end());
  if (!bundle::IsLibrary(file)) return changed;
  const auto bundle = bundle::BundleInLibrary(file);
  if (!bundle.ok()) return changed;
  HOLOGRAM_CHECK(bundle.value().size() <= file.size());
  const Bytes right = RebuildBundle(bundle.value());
  const size_t size = std::min(right.size(), bundle.value().size());
  const auto at = bundle.value().data() - file.data();
  HOLOGRAM_CHECK(at >= 0);
  std::copy_n(right.begin(), size, changed.begin() + at);
  return changed;
}

}  // namespace
}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram::fuzz;
  RunOne({data, size});
  RunOne(WithRightBundle({data, size}));
  return 0;
}
