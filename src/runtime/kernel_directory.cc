#include "runtime/kernel_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "bundle/bundle_library.h"
#include "runtime/bundle_file.h"

namespace hologram::runtime {

namespace {

// Clocks of file systems go by steps, those of some by two seconds.
constexpr time_t kStepOfClock = 2;

FileStamp StampOf(const struct stat& info) {
  return {info.st_dev, info.st_ino, info.st_size, info.st_mtim, info.st_ctim};
}

bool Same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool Same(const FileStamp& a, const FileStamp& b) {
  return a.device == b.device && a.number == b.number && a.size == b.size &&
         Same(a.modified, b.modified) && Same(a.changed, b.changed);
}

bool IsRecent(const FileStamp& stamp, time_t now) {
  return stamp.modified.tv_sec + kStepOfClock >= now || stamp.changed.tv_sec + kStepOfClock >= now;
}

// Names that begin with a dot are those of files that are not ready yet, as rsync writes them.
bool IsKernelFile(std::string_view name) {
  return (name.ends_with(".holo") || name.ends_with(".so")) && !name.starts_with('.');
}

// What lies there is executed, so nobody else may be able to put it there.
Status CheckOwner(const struct stat& info, const std::string& what) {
  if (info.st_uid != geteuid() && info.st_uid != 0) {
    return Error(ErrorCode::kInvalidArgument,
                 what + " belongs to another user; native code there is not loaded");
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return Error(ErrorCode::kInvalidArgument,
                 what + " can be written by others; native code there is not loaded");
  }
  return Success{};
}

void ReadLibrary(std::span<const uint8_t> bytes, DirectoryFile& file) {
  Result<std::shared_ptr<const KernelLibrary>> library = KernelLibrary::Load(bytes);
  if (library.ok()) {
    const std::string name = library.value()->name();
    file.kernels[name] = std::make_shared<LoadedKernel>(std::move(library).value());
  } else {
    file.errors = WithPath(library.errors(), file.path);
  }
}

void ReadBundle(const std::vector<Hash>& trusted, FileBytes bytes, DirectoryFile& file) {
  LoadOptions options;
  options.trusted = trusted;
  Result<LoadedKernels> kernels = ReadKernels(std::move(bytes), options);
  if (kernels.ok()) {
    file.kernels = std::move(kernels).value();
  } else {
    file.errors = WithPath(kernels.errors(), file.path);
  }
}

// Brings `file` up to date with what is at its path. `native`: whether a library may be loaded.
void Update(const Status& native, const struct stat& info, const std::vector<Hash>& trusted,
            DirectoryFile& file) {
  const FileStamp stamp = StampOf(info);
  const bool same = Same(stamp, file.stamp);
  if (same && !file.may_have_changed) return;
  const bool is_recent = IsRecent(stamp, time(nullptr));
  Result<FileBytes> bytes = ReadWholeFile(file.path);
  const Hash content = bytes.ok() ? Blake3(bytes.value().span()) : Hash{};
  if (same && bytes.ok() && content == file.content) {
    file.may_have_changed = is_recent;
    return;
  }
  DirectoryFile read;
  read.path = file.path;
  read.stamp = stamp;
  read.may_have_changed = is_recent;
  read.content = content;
  // Of a library that carries programs only these are read, and verified like those of any bundle.
  const bool carries = bytes.ok() && bundle::IsLibrary(bytes.value().span()) &&
                       bundle::BundleInLibrary(bytes.value().span()).ok();
  const bool is_library = file.path.ends_with(".so") && !carries;
  const Status allowed = is_library && native.ok() ? CheckOwner(info, "the file") : native;
  if (is_library && !allowed.ok()) {
    read.errors = WithPath(allowed.errors(), file.path);
  } else if (bytes.ok() && is_library) {
    ReadLibrary(bytes.value().span(), read);
  } else if (bytes.ok()) {
    ReadBundle(trusted, std::move(bytes).value(), read);
  } else {
    read.errors = bytes.errors();
  }
  if (!read.errors.empty()) {
    read.lost = std::move(file.lost);
    for (const auto& [name, kernel] : file.kernels) read.lost.push_back(name);
  }
  file = std::move(read);
}

// The file cannot be read any more.
void Lose(Diagnostic error, DirectoryFile& file) {
  for (const auto& [name, kernel] : file.kernels) file.lost.push_back(name);
  file.kernels.clear();
  file.errors = WithPath({std::move(error)}, file.path);
  file.stamp = {};
  file.may_have_changed = true;
}

}  // namespace

void KernelDirectory::Refresh(const std::vector<Hash>& trusted) {
  errors_.clear();
  if (!path_.starts_with('/')) {
    errors_.push_back(Error(ErrorCode::kInvalidArgument,
                            "kernel folder " + path_ + ": expected a path that begins with /"));
    return;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path_.c_str()), closedir);
  if (folder == nullptr) {
    const int error = errno;
    files_.clear();
    if (options_.optional && error == ENOENT) return;
    errors_.push_back(
        Error(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument,
              "kernel folder " + path_ + ": " +
                  (error == ENOENT ? "there is no such folder" : std::strerror(error))));
    return;
  }
  Status native = Success{};
  struct stat own{};
  if (!options_.allow_native) {
    native = Error(ErrorCode::kInvalidArgument,
                   "native code, which is loaded only from folders that are named for it, as by "
                   "HOLOGRAM_NATIVE_KERNEL_PATH");
  } else if (fstat(dirfd(folder.get()), &own) == 0) {
    native = CheckOwner(own, "its folder");
  }
  std::set<std::string> present;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string name = entry->d_name;
    struct stat info{};
    if (!IsKernelFile(name)) continue;
    const bool there = fstatat(dirfd(folder.get()), name.c_str(), &info, 0) == 0;
    const int why = errno;
    // A file may go while the folder is read; a link to nothing stays.
    if (!there && fstatat(dirfd(folder.get()), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    present.insert(name);
    DirectoryFile& file = files_[name];
    file.path = path_ + "/" + name;
    if (there) {
      Update(native, info, trusted, file);
    } else {
      Lose(Error(ErrorCode::kNotFound, std::string("a link to nothing: ") + std::strerror(why)),
           file);
    }
  }
  std::erase_if(files_, [&](const auto& file) { return !present.contains(file.first); });
}

}  // namespace hologram::runtime
