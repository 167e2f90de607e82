// The .npz format: a zip file with one NAME.npy for each array. Reads what numpy.savez and
// numpy.savez_compressed write (stored and deflated entries, also with the 64-bit fields of large
// files), by the directory at the end of the file; the CRC of what is read is compared. Writes
// stored entries without times, so that equal arrays give equal files.
// Tested by tests/cli/npz_test.cc and tests/cli/array_files_test.py.
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/quote.h"
#include "formats/array.h"

namespace hologram::tool {
namespace {

constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kEntrySignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint32_t kLocator64Signature = 0x07064b50;
constexpr size_t kLocalBytes = 30;
constexpr size_t kEntryBytes = 46;
constexpr size_t kEndBytes = 22;
constexpr size_t kLocatorBytes = 20;
constexpr size_t kEnd64Bytes = 56;
constexpr uint16_t kIn64Bits16 = 0xffff;
constexpr uint32_t kIn64Bits = 0xffffffff;
constexpr std::string_view kSuffix = ".npy";
constexpr size_t kShownKeys = 20;

Diagnostic Bad(std::string_view what) {
  return Error(ErrorCode::kInvalidArgument, "not a valid .npz file: " + std::string(what));
}

// Little-endian fields of bytes whose range the caller has checked.
template <class T>
T Field(std::span<const uint8_t> bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= uint64_t{bytes[at + i]} << (8 * i);
  return static_cast<T>(value);
}

bool Lies(std::span<const uint8_t> file, uint64_t offset, uint64_t size) {
  return offset <= file.size() && size <= file.size() - offset;
}

struct Entry {
  std::string name;
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t packed = 0;
  uint64_t size = 0;
  uint64_t offset = 0;  // of the local header
};

struct Directory {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t count = 0;
};

Result<Directory> FindDirectory(std::span<const uint8_t> file) {
  constexpr size_t kMaxComment = 65535;
  if (file.size() < kEndBytes) return Bad("it is too short");
  size_t end = file.size() - kEndBytes;
  const size_t first = end > kMaxComment ? end - kMaxComment : 0;
  while (Field<uint32_t>(file, end) != kEndSignature ||
         Field<uint16_t>(file, end + 20) != file.size() - end - kEndBytes) {
    if (end == first) return Bad("it has no directory at its end");
    --end;
  }
  Directory directory{Field<uint32_t>(file, end + 16), Field<uint32_t>(file, end + 12),
                      Field<uint16_t>(file, end + 10)};
  if (directory.offset == kIn64Bits || directory.size == kIn64Bits ||
      directory.count == kIn64Bits16) {
    if (end < kLocatorBytes || Field<uint32_t>(file, end - kLocatorBytes) != kLocator64Signature) {
      return Bad("the 64-bit end of its directory is missing");
    }
    const auto at = Field<uint64_t>(file, end - kLocatorBytes + 8);
    if (!Lies(file, at, kEnd64Bytes) || Field<uint32_t>(file, at) != kEnd64Signature) {
      return Bad("the 64-bit end of its directory is missing");
    }
    directory = {Field<uint64_t>(file, at + 48), Field<uint64_t>(file, at + 40),
                 Field<uint64_t>(file, at + 32)};
  }
  if (!Lies(file, directory.offset, directory.size)) {
    return Bad("its directory lies outside of the file");
  }
  return directory;
}

// The fields of an entry that did not fit 32 bits stand in an extra field, in this order.
bool ReadExtra(std::span<const uint8_t> extra, Entry& entry) {
  constexpr uint16_t kZip64 = 1;
  bool missing = entry.size == kIn64Bits || entry.packed == kIn64Bits || entry.offset == kIn64Bits;
  while (extra.size() >= 4) {
    const auto id = Field<uint16_t>(extra, 0);
    const auto size = Field<uint16_t>(extra, 2);
    if (size > extra.size() - 4) return false;
    if (id == kZip64 && missing) {
      std::span<const uint8_t> fields = extra.subspan(4, size);
      for (uint64_t* value : {&entry.size, &entry.packed, &entry.offset}) {
        if (*value != kIn64Bits) continue;
        if (fields.size() < 8) return false;
        *value = Field<uint64_t>(fields, 0);
        fields = fields.subspan(8);
      }
      missing = false;
    }
    extra = extra.subspan(size_t{4} + size);
  }
  return !missing;
}

// The entries that hold arrays.
Result<std::vector<Entry>> ReadEntries(std::span<const uint8_t> file) {
  HOLOGRAM_ASSIGN_OR_RETURN(const Directory directory, FindDirectory(file));
  std::span<const uint8_t> rest = file.subspan(directory.offset, directory.size);
  std::vector<Entry> entries;
  for (uint64_t i = 0; i < directory.count; ++i) {
    if (rest.size() < kEntryBytes || Field<uint32_t>(rest, 0) != kEntrySignature) {
      return Bad("its directory ends too early");
    }
    const size_t name = Field<uint16_t>(rest, 28);
    const size_t extra = Field<uint16_t>(rest, 30);
    const size_t whole = kEntryBytes + name + extra + Field<uint16_t>(rest, 32);
    if (whole > rest.size()) return Bad("its directory ends too early");
    Entry entry{{reinterpret_cast<const char*>(rest.data()) + kEntryBytes, name},
                Field<uint16_t>(rest, 8),
                Field<uint16_t>(rest, 10),
                Field<uint32_t>(rest, 16),
                Field<uint32_t>(rest, 20),
                Field<uint32_t>(rest, 24),
                Field<uint32_t>(rest, 42)};
    if (!ReadExtra(rest.subspan(kEntryBytes + name, extra), entry)) {
      return Bad("an entry without its 64-bit sizes");
    }
    rest = rest.subspan(whole);
    if (!entry.name.ends_with(kSuffix)) continue;
    entry.name.resize(entry.name.size() - kSuffix.size());
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::vector<uint8_t>> Inflate(std::span<const uint8_t> packed, uint64_t size) {
  // Deflate cannot do better than 1032 to 1; a file that promises more is lying.
  constexpr uint64_t kMaxRatio = 1032;
  if (size / kMaxRatio > packed.size()) return Bad("an entry promises more bytes than it can hold");
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
    return Error(ErrorCode::kResourceLimit, "no memory for zlib");
  }
  // One byte more than promised, to see a stream that does not end where it should.
  std::vector<uint8_t> bytes(size + 1);
  constexpr uint64_t kStep = uint64_t{1} << 30;
  uint64_t taken = 0;
  uint64_t made = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    const auto in = static_cast<uInt>(std::min(kStep, packed.size() - taken));
    const auto out = static_cast<uInt>(std::min(kStep, bytes.size() - made));
    stream.next_in = const_cast<uint8_t*>(packed.data() + taken);
    stream.avail_in = in;
    stream.next_out = bytes.data() + made;
    stream.avail_out = out;
    state = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += out - stream.avail_out;
    // Neither went on: it waits for bytes that are not there, or has more than was promised.
    if (state == Z_OK && in == stream.avail_in && out == stream.avail_out) break;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || made != size || taken != packed.size()) {
    return Bad("an entry is damaged: its compressed bytes do not give what its directory says");
  }
  bytes.resize(size);
  return bytes;
}

uint32_t CrcOf(std::span<const uint8_t> bytes) {
  return static_cast<uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
}

Result<Array> ReadEntry(std::span<const uint8_t> file, const Entry& entry) {
  if ((entry.flags & 1) != 0) return Error(ErrorCode::kUnsupported, "it is encrypted");
  if (!Lies(file, entry.offset, kLocalBytes) ||
      Field<uint32_t>(file, entry.offset) != kLocalSignature) {
    return Bad("an entry lies outside of the file");
  }
  const uint64_t start = entry.offset + kLocalBytes + Field<uint16_t>(file, entry.offset + 26) +
                         Field<uint16_t>(file, entry.offset + 28);
  if (!Lies(file, start, entry.packed)) return Bad("an entry lies outside of the file");
  const std::span<const uint8_t> packed = file.subspan(start, entry.packed);
  std::vector<uint8_t> inflated;
  std::span<const uint8_t> bytes = packed;
  if (entry.method == Z_DEFLATED) {
    HOLOGRAM_ASSIGN_OR_RETURN(inflated, Inflate(packed, entry.size));
    bytes = inflated;
  } else if (entry.method != 0) {
    return Error(ErrorCode::kUnsupported, "it is compressed by method " +
                                              std::to_string(entry.method) +
                                              "; save it by numpy.savez or savez_compressed");
  }
  if (bytes.size() != entry.size || CrcOf(bytes) != entry.crc) {
    return Bad("an entry is damaged: its CRC differs");
  }
  return DecodeNpy(bytes);
}

std::string KeysOf(const std::vector<Entry>& entries) {
  std::string keys;
  for (size_t i = 0; i < entries.size() && i < kShownKeys; ++i) {
    keys += (i == 0 ? "" : ", ") + Escape(entries[i].name, false);
  }
  return entries.size() > kShownKeys ? keys + ", ..." : keys;
}

}  // namespace

Result<Array> DecodeNpz(std::span<const uint8_t> file, const std::string& key,
                        const std::string& name) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<Entry> entries, ReadEntries(file));
  const Entry* found = nullptr;
  for (const Entry& entry : entries) {
    if (entry.name != (key.empty() ? name : key)) continue;
    if (found != nullptr) return Bad("array " + Shown(entry.name) + " is there twice");
    found = &entry;
  }
  if (found == nullptr && key.empty() && entries.size() == 1) found = entries.data();
  if (found == nullptr) {
    if (entries.empty()) return Error(ErrorCode::kNotFound, "there is no array in it");
    return Error(ErrorCode::kNotFound,
                 key.empty() ? "which array? write FILE.npz:KEY; it has: " + KeysOf(entries)
                             : "no array " + Shown(key) + "; it has: " + KeysOf(entries));
  }
  Result<Array> array = ReadEntry(file, *found);
  if (array.ok()) return array;
  Diagnostic error = array.errors()[0];
  error.message = Escape(found->name, false) + ": " + error.message;
  return error;
}

namespace {

class Writer {
 public:
  void Put16(uint64_t value) { Put(value, 2); }
  void Put32(uint64_t value) { Put(value, 4); }
  void PutBytes(std::span<const uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void PutText(std::string_view text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }
  uint64_t size() const { return bytes_.size(); }
  std::vector<uint8_t> Take() { return std::move(bytes_); }

 private:
  void Put(uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
  std::vector<uint8_t> bytes_;
};

// What the local header of an entry and the directory both say.
void PutCommon(Writer& writer, const Entry& entry) {
  constexpr uint16_t kNames = 1 << 11;        // in UTF-8
  constexpr uint16_t kFirstDay = 1 << 5 | 1;  // of January 1980, as zip counts
  writer.Put16(20);                           // the version of the format that a reader needs
  writer.Put16(kNames);
  writer.Put16(0);  // stored
  writer.Put16(0);  // midnight
  writer.Put16(kFirstDay);
  writer.Put32(entry.crc);
  writer.Put32(entry.packed);
  writer.Put32(entry.size);
  writer.Put16(entry.name.size());
  writer.Put16(0);  // no extra field
}

}  // namespace

Result<std::vector<uint8_t>> EncodeNpz(const std::vector<NamedArray>& arrays) {
  constexpr uint64_t kMaxBytes = kIn64Bits - 1;
  const auto too_large = [] {
    return Error(ErrorCode::kResourceLimit,
                 "a .npz of 4 GiB or more is not written; use one .npy for each array");
  };
  if (arrays.size() >= kIn64Bits16) return too_large();
  Writer file;
  std::vector<Entry> entries;
  for (const NamedArray& named : arrays) {
    if (named.key.size() + kSuffix.size() > kIn64Bits16) return too_large();
    if (named.array->bytes.size() > kMaxBytes - file.size()) return too_large();
    const std::vector<uint8_t> array = EncodeNpy(*named.array);
    Entry entry;
    entry.name = named.key + std::string(kSuffix);
    entry.crc = CrcOf(array);
    entry.packed = entry.size = array.size();
    entry.offset = file.size();
    file.Put32(kLocalSignature);
    PutCommon(file, entry);
    file.PutText(entry.name);
    file.PutBytes(array);
    if (file.size() > kMaxBytes) return too_large();
    entries.push_back(std::move(entry));
  }
  const uint64_t directory = file.size();
  for (const Entry& entry : entries) {
    file.Put32(kEntrySignature);
    file.Put16(20);
    PutCommon(file, entry);
    file.Put16(0);  // no comment
    file.Put16(0);  // first disk
    file.Put16(0);  // attributes
    file.Put32(0);
    file.Put32(entry.offset);
    file.PutText(entry.name);
  }
  const uint64_t size = file.size() - directory;
  if (file.size() > kMaxBytes) return too_large();
  file.Put32(kEndSignature);
  file.Put16(0);
  file.Put16(0);
  file.Put16(entries.size());
  file.Put16(entries.size());
  file.Put32(size);
  file.Put32(directory);
  file.Put16(0);
  return file.Take();
}

}  // namespace hologram::tool
