// Text -> parameters of a kernel library, then arguments that fit its kinds: small ones, none, and
// the largest numbers. Promises: errors are one line; names are there once; what is packed has each
// value at a multiple of its size; buffers that are too small are refused.
#include <algorithm>
#include <set>

#include "base/check.h"
#include "fuzzer.h"
#include "runtime/library_signature.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  return {};
}

namespace {

void Launch(const runtime::LibrarySignature& signature, size_t bytes, uint64_t scalar) {
  std::vector<hologram_buffer_ref> buffers;
  std::vector<uint64_t> scalars;
  alignas(64) static uint8_t memory[4096];
  size_t packed = 0;
  for (const isa::Parameter& parameter : signature.program.parameters) {
    const size_t size = parameter.is_buffer ? 8 : isa::SizeOf(parameter.type);
    packed = (packed + size - 1) / size * size + size;
    if (parameter.is_buffer) {
      buffers.push_back({memory + 64 * (buffers.size() % 60), bytes});
    } else {
      scalars.push_back(scalar);
    }
  }
  HOLOGRAM_CHECK(runtime::PackParameters(signature, buffers, scalars).size() == packed);
  const Status fits = runtime::CheckBuffers(signature, buffers, scalars);
  HOLOGRAM_CHECK(fits.ok() || !fits.errors()[0].message.empty());
  // A single term of one number says how many elements there must be.
  for (size_t k = 0, b = 0; fits.ok() && k < signature.extents.size(); ++k) {
    if (!signature.program.parameters[k].is_buffer) continue;
    const uint64_t elements =
        buffers[b++].bytes / isa::SizeOf(signature.program.parameters[k].type);
    const auto& extent = signature.extents[k];
    HOLOGRAM_CHECK(extent.size() != 1 || !extent[0].scalars.empty() ||
                   extent[0].factor <= elements);
  }
}

}  // namespace
}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram;
  const std::string text(data, data + size);
  const auto read = runtime::ParseLibrarySignature("k", text);
  if (!read.ok()) {
    HOLOGRAM_CHECK(read.errors()[0].message.find('\n') == std::string::npos);
    return 0;
  }
  const runtime::LibrarySignature& signature = read.value();
  HOLOGRAM_CHECK(signature.extents.size() == signature.program.parameters.size());
  std::set<std::string> names;
  for (size_t k = 0; k < signature.extents.size(); ++k) {
    const isa::Parameter& parameter = signature.program.parameters[k];
    HOLOGRAM_CHECK(names.insert(parameter.name).second);
    HOLOGRAM_CHECK(parameter.is_buffer != signature.extents[k].empty());
    for (const runtime::ExtentTerm& term : signature.extents[k]) {
      for (const size_t scalar : term.scalars) {
        HOLOGRAM_CHECK(scalar < signature.extents.size());
        HOLOGRAM_CHECK(!signature.program.parameters[scalar].is_buffer);
      }
    }
  }
  fuzz::Launch(signature, 64, 3);
  fuzz::Launch(signature, 0, 0);
  fuzz::Launch(signature, 64, ~uint64_t{0});
  fuzz::Launch(signature, ~uint64_t{0}, uint64_t{1} << 63);
  return 0;
}
