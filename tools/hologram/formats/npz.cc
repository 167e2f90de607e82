// The .npz format: a zip file with one NAME.npy for each array, read and written by minizip. Reads
// what numpy.savez and numpy.savez_compressed write: stored and deflated entries, also with the
// 64-bit fields of large files, whose CRC is compared. Writes stored entries without times, so that
// equal arrays give equal files. (libzip would bring libcrypto, 5 MB that every start of the
// command would load.) Tested by tests/cli/npz_test.cc, tests/cli/array_files_test.py and
// fuzz/npz_fuzzer.cc.
#include <minizip/unzip.h>
#include <minizip/zip.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>

#include "base/quote.h"
#include "formats/array.h"

namespace hologram::tool {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr size_t kShownKeys = 20;
constexpr size_t kMaxName = 65535;
constexpr size_t kEndBytes = 22;               // of the record that ends a file
constexpr int kMemory = 8;                     // of zlib, its default
constexpr uint64_t kStep = uint64_t{1} << 30;  // what one call of minizip takes

Diagnostic Bad(std::string_view what) {
  return Error(ErrorCode::kInvalidArgument, "not a valid .npz file: " + std::string(what));
}

// A file in memory, as minizip sees it: `in` is read, `out` is written.
struct Memory {
  std::span<const uint8_t> in;
  std::vector<uint8_t> out;
  uint64_t at = 0;

  uint64_t size() const { return std::max(in.size(), out.size()); }
  uint64_t Read(void* bytes, uint64_t count) {
    const std::span<const uint8_t> all = in.empty() ? std::span<const uint8_t>(out) : in;
    count = at > all.size() ? 0 : std::min(count, all.size() - at);
    if (count != 0) std::memcpy(bytes, all.data() + at, count);
    at += count;
    return count;
  }
  uint64_t Write(const void* bytes, uint64_t count) {
    if (at + count > out.size()) out.resize(at + count);
    if (count != 0) std::memcpy(out.data() + at, bytes, count);
    at += count;
    return count;
  }
  bool Seek(uint64_t offset, int origin) {
    const uint64_t base = origin == SEEK_SET ? 0 : origin == SEEK_CUR ? at : size();
    if (offset > size() || base > size() - offset) return false;
    at = base + offset;
    return true;
  }
};

zlib_filefunc64_def FunctionsOf(Memory& memory) {
  zlib_filefunc64_def functions{};
  functions.opaque = &memory;
  functions.zopen64_file = [](void* opaque, const void*, int) { return opaque; };
  functions.zread_file = [](void*, void* stream, void* bytes, uLong count) -> uLong {
    return static_cast<Memory*>(stream)->Read(bytes, count);
  };
  // Nothing is thrown through minizip. What is not written is an error of its own.
  functions.zwrite_file = [](void*, void* stream, const void* bytes, uLong count) -> uLong {
    try {
      return static_cast<Memory*>(stream)->Write(bytes, count);
    } catch (const std::exception&) {
      return 0;
    }
  };
  functions.ztell64_file = [](void*, void* stream) -> ZPOS64_T {
    return static_cast<Memory*>(stream)->at;
  };
  functions.zseek64_file = [](void*, void* stream, ZPOS64_T offset, int origin) -> long {
    return static_cast<Memory*>(stream)->Seek(offset, origin) ? 0 : -1;
  };
  functions.zclose_file = [](void*, void*) { return 0; };
  functions.zerror_file = [](void*, void*) { return 0; };
  return functions;
}

struct Close {
  void operator()(void* zip) const { unzClose(zip); }
};
using Unzip = std::unique_ptr<void, Close>;

struct Entry {
  std::string name;  // without its suffix
  unz64_file_pos place{};
};

// Whether the record of the directory ends the file, which minizip does not ask for.
bool EndsWithDirectory(std::span<const uint8_t> file, size_t comment) {
  constexpr std::string_view kEnd = "PK\5\6";
  if (file.size() < kEndBytes + comment) return false;
  return std::memcmp(file.data() + file.size() - kEndBytes - comment, kEnd.data(), kEnd.size()) ==
         0;
}

// The entries that hold arrays.
Result<std::vector<Entry>> ReadEntries(unzFile zip, std::span<const uint8_t> file) {
  unz_global_info64 all{};
  if (unzGetGlobalInfo64(zip, &all) != UNZ_OK || !EndsWithDirectory(file, all.size_comment)) {
    return Bad("it has no directory at its end");
  }
  std::vector<Entry> entries;
  if (all.number_entry == 0) return entries;
  std::string name(kMaxName + 1, 0);
  int state = unzGoToFirstFile(zip);
  for (; state == UNZ_OK; state = unzGoToNextFile(zip)) {
    unz_file_info64 info{};
    Entry entry;
    if (unzGetCurrentFileInfo64(zip, &info, name.data(), name.size(), nullptr, 0, nullptr, 0) !=
            UNZ_OK ||
        unzGetFilePos64(zip, &entry.place) != UNZ_OK || info.size_filename > kMaxName) {
      return Bad("its directory ends too early");
    }
    const std::string_view whole(name.data(), info.size_filename);
    if (!whole.ends_with(kSuffix)) continue;
    entry.name = whole.substr(0, whole.size() - kSuffix.size());
    entries.push_back(std::move(entry));
  }
  if (state != UNZ_END_OF_LIST_OF_FILE) return Bad("its directory ends too early");
  return entries;
}

// Whether an entry may hold what it promises. One that may not is refused before it is allocated.
bool CanHold(const unz_file_info64& info, size_t file_size) {
  // Deflate cannot do better than 1032 to 1; a file that promises more is lying.
  constexpr uint64_t kMaxRatio = 1032;
  if (info.compressed_size > file_size) return false;
  if (info.compression_method == 0) return info.uncompressed_size == info.compressed_size;
  return info.uncompressed_size / kMaxRatio <= info.compressed_size;
}

Result<Array> ReadEntry(unzFile zip, const Entry& entry, size_t file_size) {
  unz64_file_pos place = entry.place;
  unz_file_info64 info{};
  if (unzGoToFilePos64(zip, &place) != UNZ_OK ||
      unzGetCurrentFileInfo64(zip, &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK) {
    return Bad("its directory ends too early");
  }
  if ((info.flag & 1) != 0) return Error(ErrorCode::kUnsupported, "it is encrypted");
  if (info.compression_method != 0 && info.compression_method != Z_DEFLATED) {
    return Error(ErrorCode::kUnsupported, "it is compressed by method " +
                                              std::to_string(info.compression_method) +
                                              "; save it by numpy.savez or savez_compressed");
  }
  if (!CanHold(info, file_size)) return Bad("an entry promises more bytes than it can hold");
  if (unzOpenCurrentFile(zip) != UNZ_OK) return Bad("its directory and the entry do not agree");
  // One byte more than promised, to see an entry that does not end where it should.
  std::vector<uint8_t> bytes(info.uncompressed_size + 1);
  uint64_t made = 0;
  int got = 1;
  while (got > 0 && made < bytes.size()) {
    const auto room = static_cast<unsigned>(std::min(kStep, bytes.size() - made));
    got = unzReadCurrentFile(zip, bytes.data() + made, room);
    if (got > 0) made += static_cast<uint64_t>(got);
  }
  const int closed = unzCloseCurrentFile(zip);
  if (got < 0 || made != info.uncompressed_size) {
    return Bad("an entry is damaged: its compressed bytes do not give what its directory says");
  }
  if (closed != UNZ_OK) return Bad("an entry is damaged: its CRC differs");
  bytes.resize(made);
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
  // minizip takes no file that is nothing but a directory.
  if (file.size() == kEndBytes && EndsWithDirectory(file, 0)) {
    return Error(ErrorCode::kNotFound, "there is no array in it");
  }
  Memory memory{file, {}};
  zlib_filefunc64_def functions = FunctionsOf(memory);
  const Unzip zip(unzOpen2_64("", &functions));
  if (zip == nullptr) return Bad("it has no directory at its end");
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<Entry> entries, ReadEntries(zip.get(), file));
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
  Result<Array> array = ReadEntry(zip.get(), *found, file.size());
  if (array.ok()) return array;
  Diagnostic error = array.errors()[0];
  error.message = Escape(found->name, false) + ": " + error.message;
  return error;
}

namespace {

Status AddArray(zipFile zip, const NamedArray& named) {
  constexpr uLong kUtf8 = 1 << 11;
  constexpr uLong kFirstDay = 1 << 5 | 1;  // of January 1980, as zip counts
  const std::string name = named.key + std::string(kSuffix);
  if (name.size() > kMaxName) {
    return Error(ErrorCode::kResourceLimit, "a name of more than 65535 bytes");
  }
  const std::vector<uint8_t> file = EncodeNpy(*named.array);
  zip_fileinfo info{};
  info.dosDate = kFirstDay << 16;
  const int is_large = file.size() >= UINT32_MAX ? 1 : 0;
  int state = zipOpenNewFileInZip4_64(zip, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, 0,
                                      0, 0, -MAX_WBITS, kMemory, Z_DEFAULT_STRATEGY, nullptr, 0, 0,
                                      kUtf8, is_large);
  for (uint64_t at = 0; state == ZIP_OK && at < file.size(); at += kStep) {
    const auto count = static_cast<unsigned>(std::min(kStep, file.size() - at));
    state = zipWriteInFileInZip(zip, file.data() + at, count);
  }
  if (state == ZIP_OK) state = zipCloseFileInZip(zip);
  if (state == ZIP_OK) return Success{};
  return Error(ErrorCode::kResourceLimit, "no memory for minizip");
}

}  // namespace

Result<std::vector<uint8_t>> EncodeNpz(const std::vector<NamedArray>& arrays) {
  Memory memory;
  uint64_t elements = 0;
  for (const NamedArray& named : arrays) elements += named.array->bytes.size();
  memory.out.reserve(elements + 512 * arrays.size());  // headers of .npy and zip
  zlib_filefunc64_def functions = FunctionsOf(memory);
  const zipFile zip = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
  if (zip == nullptr) return Error(ErrorCode::kResourceLimit, "no memory for minizip");
  Status status = Success{};
  for (const NamedArray& named : arrays) {
    if (status.ok()) status = AddArray(zip, named);
  }
  if (zipClose(zip, nullptr) != ZIP_OK && status.ok()) {
    return Error(ErrorCode::kResourceLimit, "no memory for minizip");
  }
  if (!status.ok()) return status.errors();
  return std::move(memory.out);
}

}  // namespace hologram::tool
