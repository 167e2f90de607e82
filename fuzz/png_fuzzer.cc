// Bytes -> .png image, three times: as they are; with the CRCs of the chunks made right; and with
// the contents of each IDAT chunk taken as rows that are still to be compressed, so that mutations
// reach filters and row lengths behind zlib. Promises: what is accepted is a whole array of u8, and
// is the same once it was written and read again.
#include <zlib.h>

#include <cstring>

#include "arrays.h"
#include "base/check.h"
#include "fuzzer.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  return {};
}

namespace {

constexpr size_t kSignatureBytes = 8;
constexpr size_t kChunkBytes = 12;  // length, type and CRC

void PutBigEndian(Bytes& out, uint64_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<uint8_t>(value >> shift));
}

// A zlib stream of stored blocks: fast to make, and as good as a compressed one behind zlib.
Bytes Compressed(std::span<const uint8_t> bytes) {
  uLongf size = compressBound(bytes.size());
  Bytes out(size);
  HOLOGRAM_CHECK(compress2(out.data(), &size, bytes.data(), bytes.size(), 0) == Z_OK);
  out.resize(size);
  return out;
}

// The chunks with right CRCs, and with `compress` those of rows as zlib streams. A length that
// reaches past the end takes what is there.
Bytes Rebuilt(std::span<const uint8_t> file, bool compress) {
  if (file.size() < kSignatureBytes) return {file.begin(), file.end()};
  Bytes out(file.begin(), file.begin() + kSignatureBytes);
  file = file.subspan(kSignatureBytes);
  while (file.size() >= kChunkBytes) {
    const uint64_t length = uint64_t{file[0]} << 24 | uint64_t{file[1]} << 16 |
                            uint64_t{file[2]} << 8 | uint64_t{file[3]};
    const size_t taken = std::min<uint64_t>(length, file.size() - kChunkBytes);
    const std::span<const uint8_t> type = file.subspan(4, 4);
    Bytes content(file.begin() + 8, file.begin() + 8 + static_cast<std::ptrdiff_t>(taken));
    if (compress && std::memcmp(type.data(), "IDAT", 4) == 0) content = Compressed(content);
    PutBigEndian(out, content.size());
    Bytes checked(type.begin(), type.end());
    checked.insert(checked.end(), content.begin(), content.end());
    out.insert(out.end(), checked.begin(), checked.end());
    PutBigEndian(out, crc32_z(0, checked.data(), checked.size()));
    file = file.subspan(kChunkBytes + taken);
  }
  return out;
}

void RunOne(std::span<const uint8_t> file) {
  const Result<tool::Array> read = tool::DecodePng(file);
  if (!read.ok()) {
    HOLOGRAM_CHECK(!read.errors()[0].message.empty());
    return;
  }
  CheckArray(read.value());
  constexpr uint64_t kMostBytes = 1 << 16;  // written again: libpng compresses slowly
  if (read.value().bytes.size() > kMostBytes) return;
  const Result<Bytes> written = tool::EncodePng(read.value());
  HOLOGRAM_CHECK(written.ok());
  const Result<tool::Array> again = tool::DecodePng(written.value());
  HOLOGRAM_CHECK(again.ok() && Same(again.value(), read.value()));
}

}  // namespace
}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram::fuzz;
  // A file may promise 2048 times as many bytes as it has, which are zeroed before they are read.
  constexpr size_t kMostBytes = 2048;
  if (size > kMostBytes) return 0;
  const std::span<const uint8_t> file(data, size);
  RunOne(file);
  RunOne(Rebuilt(file, /*compress=*/false));
  RunOne(Rebuilt(file, /*compress=*/true));
  return 0;
}
