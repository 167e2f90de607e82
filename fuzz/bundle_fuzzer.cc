// Bytes -> bundle, as they are and once more with the hashes of the sections made right, which gets
// mutations past the first door. Promises: everything in an accepted file can be read, and writing
// its programs and native code again gives a file of the same programs; and a file whose trust hash
// is that of a seed and whose sections all read is that seed, to the byte.
#include <algorithm>
#include <array>
#include <map>

#include "base/bytes.h"
#include "base/check.h"
#include "fuzzer.h"
#include "isa/bundle.h"
#include "isa/random_program.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  isa::RandomPrograms random(3);
  std::vector<Bytes> seeds;
  for (size_t i = 0; i < 30; ++i) {
    isa::BundleWriter writer;
    for (size_t k = 0; k < i % 4; ++k) {
      isa::Program program = random.Next();
      program.name = "kernel" + std::to_string(k);
      writer.AddProgram(program);
      if (i % 2 == 0) writer.AddNative(k, isa::NativeLevel::kX86V3, Bytes(10 + 30 * i, 0xc3));
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
      const Hash hash = isa::BundleReader::Open(file).value().trust_hash();
      vouched.emplace(hash.bytes, std::move(file));
    }
    return vouched;
  }();
  return kVouched;
}

constexpr size_t kRow = 64;  // bytes of the header and of a row of the section table

void MakeHashesRight(Bytes& file) {
  ByteReader header(file);
  header.Bytes(24);
  const uint64_t end = kRow * (uint64_t{1} + header.U32());
  for (size_t row = kRow; row < end && row + kRow <= file.size(); row += kRow) {
    ByteReader in(std::span<const uint8_t>(file).subspan(row, kRow));
    in.U64();
    const uint64_t offset = in.U64();
    const uint64_t size = in.U64();
    if (offset > file.size() || size > file.size() - offset) return;
    const Hash hash = Blake3(std::span(file).subspan(offset, size));
    std::copy(hash.bytes.begin(), hash.bytes.end(),
              file.begin() + static_cast<std::ptrdiff_t>(row + 32));
  }
}

void RunOne(const Bytes& bytes) {
  const Result<isa::BundleReader> opened = isa::BundleReader::Open(bytes);
  if (!opened.ok()) return;
  const isa::BundleReader& reader = opened.value();
  const bool intact = reader.CheckAll().ok();
  const auto vouched = Vouched().find(reader.trust_hash().bytes);
  HOLOGRAM_CHECK(!intact || vouched == Vouched().end() || vouched->second == bytes);
  isa::BundleWriter writer;
  for (size_t i = 0; i < reader.size(); ++i) {
    const Result<isa::Program> program = reader.ReadProgram(i);
    HOLOGRAM_CHECK(program.ok() || !intact);
    if (!program.ok()) return;
    HOLOGRAM_CHECK(isa::IdentityOf(program.value()) == reader.IdentityOf(i));
    HOLOGRAM_CHECK(reader.Find(reader.NameOf(i)) == i);
    const size_t number = writer.AddProgram(program.value());
    const std::optional<isa::NativeCode> native = reader.NativeSection(i, isa::NativeLevel::kX86V3);
    if (!native) continue;
    const Bytes code(native->bytes.begin(), native->bytes.end());
    HOLOGRAM_CHECK(!intact || Blake3(code) == native->expected);
    writer.AddNative(number, isa::NativeLevel::kX86V3, code);
  }
  const Result<std::vector<uint8_t>> file = writer.Finish();
  HOLOGRAM_CHECK(file.ok());
  const Result<isa::BundleReader> again = isa::BundleReader::Open(file.value());
  HOLOGRAM_CHECK(again.ok() && again.value().CheckAll().ok());
  HOLOGRAM_CHECK(again.value().size() == reader.size());
}

}  // namespace
}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram::fuzz;
  Bytes bytes(data, data + size);
  RunOne(bytes);
  MakeHashesRight(bytes);
  RunOne(bytes);
  return 0;
}
