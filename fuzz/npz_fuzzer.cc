// Bytes -> .npz array, as they are and once more with the CRCs of the directory made right, which
// gets mutations of the arrays past that check. Promises: what is accepted is a whole array, and is
// the same once it was written and read again.
#include <zlib.h>

#include <algorithm>

#include "arrays.h"
#include "base/bytes.h"
#include "base/check.h"
#include "fuzzer.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  return {};
}

namespace {

constexpr size_t kEntryBytes = 46;
constexpr size_t kLocalBytes = 30;
constexpr size_t kMostBytes = size_t{1} << 16;  // of an array whose CRC is made right

uint32_t CrcOf(std::span<const uint8_t> bytes) {
  return static_cast<uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
}

// What a deflate stream holds, up to kMostBytes.
Bytes Inflated(std::span<const uint8_t> packed) {
  Bytes bytes(kMostBytes);
  z_stream stream{};
  HOLOGRAM_CHECK(inflateInit2(&stream, -MAX_WBITS) == Z_OK);
  stream.next_in = const_cast<uint8_t*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = bytes.data();
  stream.avail_out = static_cast<uInt>(bytes.size());
  inflate(&stream, Z_FINISH);
  bytes.resize(bytes.size() - stream.avail_out);
  inflateEnd(&stream);
  return bytes;
}

// Gives an entry of the directory the CRC, and for a deflated one the size, of what it names.
void MakeEntryRight(Bytes& file, size_t entry) {
  ByteReader in(std::span<const uint8_t>(file).subspan(entry));
  in.Bytes(10);
  const uint16_t method = in.U16();
  in.Bytes(8);
  const uint32_t packed = in.U32();
  in.Bytes(18);
  const uint64_t local = in.U32();
  if (local > file.size() || file.size() - local < kLocalBytes) return;
  ByteReader names(std::span<const uint8_t>(file).subspan(local + 26, 4));
  const uint64_t start = local + kLocalBytes + names.U16() + names.U16();
  if (start > file.size() || packed > file.size() - start) return;
  std::span<const uint8_t> bytes = std::span<const uint8_t>(file).subspan(start, packed);
  Bytes inflated;
  if (method == Z_DEFLATED) {
    inflated = Inflated(bytes);
    bytes = inflated;
  }
  ByteWriter fields;
  fields.U32(CrcOf(bytes));
  fields.U32(packed);
  fields.U32(static_cast<uint32_t>(bytes.size()));
  const Bytes right = std::move(fields).Take();
  std::copy(right.begin(), right.end(), file.begin() + static_cast<std::ptrdiff_t>(entry + 16));
}

void MakeCrcsRight(Bytes& file) {
  constexpr uint8_t kSignature[] = {'P', 'K', 1, 2};
  for (size_t at = 0; at + kEntryBytes <= file.size(); ++at) {
    const auto begin = file.begin() + static_cast<std::ptrdiff_t>(at);
    if (std::equal(std::begin(kSignature), std::end(kSignature), begin)) MakeEntryRight(file, at);
  }
}

void RunOne(const Bytes& file) {
  for (const char* key : {"", "a", "../b"}) {
    Result<tool::Array> read = tool::DecodeNpz(file, key, "a");
    if (!read.ok()) {
      HOLOGRAM_CHECK(!read.errors()[0].message.empty());
      continue;
    }
    tool::Array array = std::move(read).value();
    CheckArray(array);
    const Result<Bytes> written = tool::EncodeNpz({{"x", &array}, {"y", &array}});
    HOLOGRAM_CHECK(written.ok());
    const Result<tool::Array> again = tool::DecodeNpz(written.value(), "y", "");
    HOLOGRAM_CHECK(again.ok());
    array.type = tool::FileType(array.type);
    HOLOGRAM_CHECK(Same(again.value(), array));
  }
}

}  // namespace
}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram::fuzz;
  Bytes file(data, data + size);
  RunOne(file);
  MakeCrcsRight(file);
  RunOne(file);
  return 0;
}
