#include "engines/code_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "base/descriptor.h"
#include "base/environment.h"

namespace hologram {
namespace {

constexpr std::string_view kMagic = "HOLOJIT1";
constexpr std::string_view kSuffix = ".object";
constexpr const char* kLockFile = "lock";
constexpr std::string_view kPartial = "partial-";
constexpr size_t kMostFiles = 4096;
constexpr size_t kMostBytes = size_t{1} << 28;

// A file: the magic, the hash of key and object, the object.
constexpr size_t kHeaderBytes = kMagic.size() + sizeof(Hash::bytes);

Hash HashOf(const Hash& key, std::span<const uint8_t> object) {
  Blake3Hasher hasher;
  hasher.Update(key.bytes);
  hasher.Update(object);
  return hasher.Finish();
}

std::string Reason() {
  return std::strerror(errno);
}

// All folders of a path that are missing, for this user alone.
void MakeFolders(const std::string& path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    mkdir(path.substr(0, slash).c_str(), S_IRWXU);
    if (slash == std::string::npos) return;
  }
}

}  // namespace

void KeyHasher::Add(std::span<const uint8_t> part) {
  const uint64_t size = part.size();
  hasher_.Update({reinterpret_cast<const uint8_t*>(&size), sizeof size});
  hasher_.Update(part);
}

void KeyHasher::Add(std::string_view part) {
  Add({reinterpret_cast<const uint8_t*>(part.data()), part.size()});
}

std::vector<uint8_t> EncodeEntry(const Hash& key, std::span<const uint8_t> object) {
  const Hash hash = HashOf(key, object);
  std::vector<uint8_t> file(kMagic.begin(), kMagic.end());
  file.reserve(kHeaderBytes + object.size());
  file.insert(file.end(), hash.bytes.begin(), hash.bytes.end());
  file.insert(file.end(), object.begin(), object.end());
  return file;
}

std::optional<std::vector<uint8_t>> DecodeEntry(const Hash& key, std::span<const uint8_t> file) {
  if (file.size() < kHeaderBytes || std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0) {
    return std::nullopt;
  }
  const std::span<const uint8_t> object = file.subspan(kHeaderBytes);
  const Hash hash = HashOf(key, object);
  if (std::memcmp(file.data() + kMagic.size(), hash.bytes.data(), hash.bytes.size()) != 0) {
    return std::nullopt;
  }
  return std::vector<uint8_t>(object.begin(), object.end());
}

Result<CodeCache> CodeCache::Open(const std::string& folder) {
  MakeFolders(folder);
  CodeCache cache(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat about{};
  if (cache.folder_ < 0 || fstat(cache.folder_, &about) != 0) {
    return Error(ErrorCode::kNotFound, "code cache " + folder + ": " + Reason());
  }
  if (about.st_uid != geteuid()) {
    return Error(ErrorCode::kInvalidArgument,
                 "code cache " + folder + " belongs to another user; what lies there is executed");
  }
  if ((about.st_mode & kWritableByOthers) != 0) {
    return Error(ErrorCode::kInvalidArgument,
                 "code cache " + folder + " can be written by others; what lies there is executed");
  }
  return cache;
}

std::string CodeCache::FolderOfUser() {
  if (const char* named = ReadVariable(Variable::kCacheDir); named != nullptr) return named;
  std::string folder;
  if (const char* caches = ReadNonEmpty(Variable::kXdgCacheHome); caches != nullptr) {
    folder = std::string(caches) + "/hologram";
  } else if (const char* home = ReadNonEmpty(Variable::kHome); home != nullptr) {
    folder = std::string(home) + "/.cache/hologram";
  }
  return folder.starts_with('/') ? folder : "";
}

Result<std::optional<CodeCache>> CodeCache::OfUser() {
  const std::string folder = FolderOfUser();
  if (folder.empty()) return std::optional<CodeCache>();
  Result<CodeCache> cache = Open(folder);
  const bool is_named = ReadVariable(Variable::kCacheDir) != nullptr;
  if (!cache.ok() && is_named) return cache.errors();
  if (!cache.ok()) return std::optional<CodeCache>();
  return std::optional<CodeCache>(std::move(cache).value());
}

CodeCache::CodeCache(CodeCache&& other) noexcept : folder_(std::exchange(other.folder_, -1)) {}

CodeCache& CodeCache::operator=(CodeCache&& other) noexcept {
  std::swap(folder_, other.folder_);
  return *this;
}

CodeCache::~CodeCache() {
  if (folder_ >= 0) close(folder_);
}

std::optional<std::vector<uint8_t>> CodeCache::Find(const Hash& key) const {
  const std::string name = ToHex(key) + std::string(kSuffix);
  const Descriptor file(
      openat(folder_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat about{};
  if (file.get() < 0 || fstat(file.get(), &about) != 0) return std::nullopt;
  const auto size = static_cast<size_t>(about.st_size);
  const bool is_ours = S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
                       (about.st_mode & kWritableByOthers) == 0;
  std::vector<uint8_t> bytes;
  if (is_ours && size >= kHeaderBytes && size <= kMostBytes) {
    bytes.resize(size);
    if (!ReadAll(file.get(), bytes)) bytes.clear();
  }
  std::optional<std::vector<uint8_t>> object = DecodeEntry(key, bytes);
  if (!object) unlinkat(folder_, name.c_str(), 0);
  return object;
}

CodeCache::Turn CodeCache::Await(const Hash& key) const {
  constexpr auto kMostTime = std::chrono::seconds(2);
  constexpr auto kPause = std::chrono::milliseconds(2);
  Descriptor file(openat(folder_, kLockFile, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                         S_IRUSR | S_IWUSR));
  if (file.get() < 0) return {std::move(file), false};
  // One byte of the file for each key: the system gives it back when the process ends.
  struct flock byte{};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  uint32_t place = 0;
  std::memcpy(&place, key.bytes.data(), sizeof place);
  byte.l_start = place;
  byte.l_len = 1;
  const auto end = std::chrono::steady_clock::now() + kMostTime;
  bool has_waited = false;
  while (fcntl(file.get(), F_OFD_SETLK, &byte) != 0) {
    const bool is_taken = errno == EAGAIN || errno == EACCES || errno == EINTR;
    if (!is_taken || std::chrono::steady_clock::now() > end) break;
    has_waited = true;
    std::this_thread::sleep_for(kPause);
  }
  return {std::move(file), has_waited};
}

void CodeCache::Keep(const Hash& key, std::span<const uint8_t> object) const {
  static std::atomic<uint64_t> number = 0;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::string partial = std::string(kPartial) + std::to_string(getpid()) + "-" +
                              std::to_string(now.tv_sec) + "-" + std::to_string(now.tv_nsec) + "-" +
                              std::to_string(number.fetch_add(1));
  bool written = false;
  {
    const Descriptor file(openat(folder_, partial.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                 S_IRUSR | S_IWUSR));
    if (file.get() < 0) return;
    written = WriteAll(file.get(), EncodeEntry(key, object));
  }
  const std::string name = ToHex(key) + std::string(kSuffix);
  if (!written || renameat(folder_, partial.c_str(), folder_, name.c_str()) != 0) {
    unlinkat(folder_, partial.c_str(), 0);
    return;
  }
  // Looking through the folder takes as long as some hundred files: now and then is enough.
  constexpr uint8_t kOneIn = 64;
  if (key.bytes[0] % kOneIn == 0) Prune(kMostFiles);
}

void CodeCache::Prune(size_t most) const {
  constexpr time_t kAbandonedAfter = 3600;
  const int copy = openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(fdopendir(copy), closedir);
  if (folder == nullptr) {
    close(copy);
    return;
  }
  std::vector<std::pair<timespec, std::string>> objects;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string name = entry->d_name;
    struct stat about{};
    if (fstatat(folder_, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (name.rfind(kPartial, 0) == 0 && about.st_mtime + kAbandonedAfter < time(nullptr)) {
      unlinkat(folder_, name.c_str(), 0);
    } else if (name.size() > kSuffix.size() && name.ends_with(kSuffix)) {
      objects.emplace_back(about.st_mtim, name);
    }
  }
  if (objects.size() <= most) return;
  std::sort(objects.begin(), objects.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.tv_sec, a.first.tv_nsec) < std::pair(b.first.tv_sec, b.first.tv_nsec);
  });
  for (size_t i = 0; i + most < objects.size(); ++i) {
    unlinkat(folder_, objects[i].second.c_str(), 0);
  }
}

}  // namespace hologram
