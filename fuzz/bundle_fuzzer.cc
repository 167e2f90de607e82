// Bytes -> bundle, as they are and once more put together again (rebuild_bundle.h), which gets
// mutations past places and hashes. Promises: everything in an accepted file can be read, and
// writing its programs and native code again gives a file of the same programs; and a file whose
// trust hash is that of a seed and whose sections all read is that seed, to the byte.
#include <array>
#include <map>

#include "base/check.h"
#include "bundle/bundle.h"
#include "fuzzer.h"
#include "isa/well_formed_programs.h"
#include "rebuild_bundle.h"
#include "use_program.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  isa::WellFormedPrograms random(3);
  std::vector<Bytes> seeds;
  for (size_t i = 0; i < 30; ++i) {
    bundle::BundleWriter writer;
    for (size_t k = 0; k < i % 4; ++k) {
      isa::Program program = random.Next();
      program.name = "kernel" + std::to_string(k);
      writer.AddProgram(program);
      if (i % 2 == 0) writer.AddNative(k, bundle::NativeLevel::kX86V3, Bytes(10 + 30 * i, 0xc3));
    }
    seeds.push_back(writer.Finish().value());
  }
  return seeds;
}

namespace {

// The seeds by trust hash: the files that somebody vouches for.
const std::map<std::array<uint8_t, 32>, Bytes>& Vouched() {
  static const std::map<std::array<uint8_t, 32>, Bytes> kVouched = [] {
    std::map<std::array<uint8_t, 32>, Bytes> vouched;
    for (Bytes& file : Seeds()) {
      const Hash hash = bundle::BundleReader::Open(file).value().trust_hash();
      vouched.emplace(hash.bytes, std::move(file));
    }
    return vouched;
  }();
  return kVouched;
}

void RunOne(const Bytes& bytes) {
  UseBundle(bytes);
  const Result<bundle::BundleReader> opened = bundle::BundleReader::Open(bytes);
  if (!opened.ok()) return;
  const auto vouched = Vouched().find(opened.value().trust_hash().bytes);
  if (vouched == Vouched().end() || !opened.value().CheckAll().ok()) return;
  HOLOGRAM_CHECK(vouched->second == bytes);
}

}  // namespace
}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram::fuzz;
  RunOne(Bytes(data, data + size));
  RunOne(RebuildBundle({data, size}));
  return 0;
}
