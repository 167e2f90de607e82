// Bytes -> entry of the code cache, as they are and once more with the right hash and an object of
// this version, which gets mutations to the loader behind them. Promises: only what was written
// under a key is found under it, and an object that is found is loaded or refused.
#include "base/check.h"
#include "engines/code_cache.h"
#include "fuzzer.h"
#include "native_version.h"
#include "runtime/native/elf_loader.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  return {};
}

namespace {

constexpr size_t kHeaderBytes = 40;  // magic and hash

Hash KeyOf(uint8_t number) {
  Hash key;
  key.bytes.fill(number);
  return key;
}

void Find(const Bytes& entry) {
  const auto object = DecodeEntry(KeyOf(1), entry);
  if (!object) return;
  HOLOGRAM_CHECK(EncodeEntry(KeyOf(1), *object) == entry);
  HOLOGRAM_CHECK(!DecodeEntry(KeyOf(2), entry));
  const Result<runtime::NativeCode> code = runtime::NativeCode::Load(*object);
  HOLOGRAM_CHECK(code.ok() || !code.errors()[0].message.empty());
}

}  // namespace
}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram;
  using namespace hologram::fuzz;
  Find(Bytes(data, data + size));
  if (size < kHeaderBytes) return 0;
  Bytes object(data + kHeaderBytes, data + size);
  SetCurrentVersion(object);
  const Bytes entry = EncodeEntry(KeyOf(1), object);
  HOLOGRAM_CHECK(DecodeEntry(KeyOf(1), entry).has_value());
  Find(entry);
  return 0;
}
