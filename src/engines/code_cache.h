// Native code, as the compiler plugin or the driver of a device made it, kept in a folder of the
// user for the next process (docs/code-cache.md): one file for each key, written beside its place
// and renamed there, hashed again when it is read. Many processes may use one folder, and any of
// them may be killed at any time. Tested by tests/runtime/code_cache_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/blake3.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace hologram {

// A key of all that the code follows from. Each part counts with its length, so that no two lists
// of parts are the same bytes.
class KeyHasher {
 public:
  void Add(std::span<const uint8_t> part);
  void Add(std::string_view part);
  Hash Finish() { return hasher_.Finish(); }

 private:
  Blake3Hasher hasher_;
};

// The bytes of a file of the cache.
std::vector<uint8_t> EncodeEntry(const Hash& key, std::span<const uint8_t> object);
// The object in such a file; nothing if it is not what was written under this key.
std::optional<std::vector<uint8_t>> DecodeEntry(const Hash& key, std::span<const uint8_t> file);

class CodeCache {
 public:
  // Makes the folder, with those above it, if it is not there. Errors: kNotFound; kInvalidArgument
  // if it belongs to another user or others may write to it: what is there is executed.
  static Result<CodeCache> Open(const std::string& folder);
  // Of the next function; empty: none.
  static std::string FolderOfUser();
  // The folder named by HOLOGRAM_CACHE_DIR, else `hologram` in XDG_CACHE_HOME or in ~/.cache. None
  // if HOLOGRAM_CACHE_DIR is set to nothing, if there is no home, if the program has more rights
  // than its user, or if the default folder cannot be used. Errors: as Open, for a named folder.
  static Result<std::optional<CodeCache>> OfUser();

  CodeCache(CodeCache&& other) noexcept;
  CodeCache& operator=(CodeCache&& other) noexcept;
  CodeCache(const CodeCache&) = delete;
  CodeCache& operator=(const CodeCache&) = delete;
  ~CodeCache();

  // The object stored under the key. Nothing if there is no such file or it is not what was
  // written: that one is removed.
  std::optional<std::vector<uint8_t>> Find(const Hash& key) const;
  // Waits for others, threads and processes, who are making this object, but no longer than two
  // seconds; while the turn lives, others wait for it. A folder that takes no locks
  // gives an empty turn at once.
  class Turn {
   public:
    Turn(Descriptor lock, bool has_waited) : lock_(std::move(lock)), has_waited_(has_waited) {}
    bool has_waited() const { return has_waited_; }

   private:
    Descriptor lock_;
    bool has_waited_;
  };
  Turn Await(const Hash& key) const;
  // Best effort: stores nothing if the folder does not take it: it is full, or read-only.
  void Keep(const Hash& key, std::span<const uint8_t> object) const;
  // Removes the oldest files, down to `most`, and what killed writers left more than an hour ago.
  void Prune(size_t most) const;

 private:
  explicit CodeCache(int folder) : folder_(folder) {}

  int folder_ = -1;  // a descriptor: the folder that was checked is the one that is used
};

}  // namespace hologram
