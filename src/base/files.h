// Reading whole files, and writing results so that they appear only when everything went well.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hologram {

inline constexpr uint64_t kMaxFileBytes = uint64_t{1} << 40;
// Of a file of text. Readers of one kind of text may have a lower limit.
inline constexpr uint64_t kMaxSourceBytes = uint64_t{64} << 20;

// Of a file that holds programs: a bundle, an object, a shared library.
inline constexpr uint64_t kMaxProgramFileBytes = uint64_t{1} << 30;

// Errors: "FILE: no such file or directory" and its relatives (kNotFound), without a place; more
// than `most` bytes, found before a regular file is read; a device, which may never end.
Result<std::vector<uint8_t>> ReadFile(const std::string& path, uint64_t most = kMaxFileBytes);

// A file that holds programs, which is read several times. Errors: as ReadFile; more than 1 GiB; no
// regular file, so that a pipe without a writer is not waited for.
Result<std::vector<uint8_t>> ReadProgramFile(const std::string& path);

// A file that the system makes when it is read, as those in /proc, whose sizes are said to be 0.
// Empty if it cannot be read.
std::string TextOfSystemFile(const std::string& path);

// Files that are written beside their final names and renamed by Commit; without it they vanish.
class OutputFiles {
 public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  ~OutputFiles();

  Status Add(const std::string& path, std::span<const uint8_t> bytes);
  Status Commit();

 private:
  struct Pending {
    std::string temporary;
    std::string path;
  };
  std::vector<Pending> pending_;
};

// An error if `output` is one of `inputs`, under whatever name: sources are not written over.
Status CheckNotInput(const std::string& output, const std::vector<std::string>& inputs);

// One file by the same means.
Status WriteFile(const std::string& path, std::span<const uint8_t> bytes);

inline std::span<const uint8_t> BytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace hologram
