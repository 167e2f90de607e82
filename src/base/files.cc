#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/descriptor.h"

namespace hologram {
namespace {

Diagnostic SystemError(const std::string& path, int error) {
  std::string text = std::strerror(error);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return Error(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument,
               path + ": " + text);
}

Status WriteTo(const Descriptor& file, const std::string& path, std::span<const uint8_t> bytes) {
  if (!WriteAll(file.get(), bytes)) return SystemError(path, errno);
  return Success{};
}

}  // namespace

Result<std::vector<uint8_t>> ReadFile(const std::string& path, uint64_t most) {
  const auto too_large = [&] {
    return Error(ErrorCode::kResourceLimit,
                 path + ": more than " + std::to_string(most) + " bytes");
  };
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return SystemError(path, errno);
  struct stat info{};
  if (fstat(file.get(), &info) != 0) return SystemError(path, errno);
  if (S_ISDIR(info.st_mode)) return SystemError(path, EISDIR);
  // A terminal is typed at, and /dev/null is empty.
  const bool device = S_ISBLK(info.st_mode) || S_ISCHR(info.st_mode);
  if (device && isatty(file.get()) == 0 && info.st_rdev != makedev(1, 3)) {
    return Error(ErrorCode::kInvalidArgument, path + ": is a device");
  }
  std::vector<uint8_t> bytes;
  if (S_ISREG(info.st_mode)) {
    if (static_cast<uint64_t>(info.st_size) > most) return too_large();
    bytes.reserve(static_cast<size_t>(info.st_size) + 1);
  }
  // Read to the end, whatever the size said: pipes have none, and files may grow.
  for (;;) {
    constexpr size_t kChunk = size_t{1} << 20;
    const size_t used = bytes.size();
    const size_t room = bytes.capacity() - used;
    bytes.resize(used + (room == 0 ? kChunk : room));
    const ssize_t got = read(file.get(), bytes.data() + used, bytes.size() - used);
    bytes.resize(used + static_cast<size_t>(got > 0 ? got : 0));
    if (got == 0) return bytes;
    if (got < 0 && errno != EINTR) return SystemError(path, errno);
    if (bytes.size() > most) return too_large();
  }
}

Result<std::vector<uint8_t>> ReadProgramFile(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return SystemError(path, errno);
  if (S_ISDIR(info.st_mode)) return SystemError(path, EISDIR);
  if (!S_ISREG(info.st_mode)) {
    return Error(ErrorCode::kInvalidArgument, path + ": not a regular file");
  }
  if (static_cast<uint64_t>(info.st_size) > kMaxProgramFileBytes) {
    return Error(ErrorCode::kResourceLimit, path + ": more than 1 GiB");
  }
  return ReadFile(path, kMaxProgramFileBytes);
}

Status OutputFiles::Add(const std::string& path, std::span<const uint8_t> bytes) {
  // Something that is no regular file (/dev/null, a pipe) cannot be replaced by a rename.
  struct stat info{};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    const Descriptor device(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (device.get() < 0) return SystemError(path, errno);
    return WriteTo(device, path, bytes);
  }
  // Two results under one name would leave only the one that is renamed last.
  const auto whole = [](const std::string& name) {
    std::error_code error;  // the name itself is good enough then
    const std::filesystem::path full = std::filesystem::absolute(name, error).lexically_normal();
    // A link to a folder is another name of what is in it; one that is replaced is no other file.
    const std::filesystem::path folder = std::filesystem::canonical(full.parent_path(), error);
    return error ? full : folder / full.filename();
  };
  for (const Pending& other : pending_) {
    if (whole(other.path) == whole(path)) {
      return Error(ErrorCode::kInvalidArgument, path + ": two outputs have this name");
    }
  }
  std::string temporary = path + ".XXXXXX";
  const Descriptor file(mkstemp(temporary.data()));
  if (file.get() < 0) return SystemError(path, errno);
  pending_.push_back({temporary, path});
  // mkstemp makes files private; results are files like any other.
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(file.get(), static_cast<mode_t>(0666 & ~mask));
  return WriteTo(file, path, bytes);
}

Status OutputFiles::Commit() {
  while (!pending_.empty()) {
    const Pending pending = pending_.back();
    if (std::rename(pending.temporary.c_str(), pending.path.c_str()) != 0) {
      return SystemError(pending.path, errno);
    }
    pending_.pop_back();
  }
  return Success{};
}

std::string TextOfSystemFile(const std::string& path) {
  const auto close = [](FILE* file) { fclose(file); };
  const std::unique_ptr<FILE, decltype(close)> file(fopen(path.c_str(), "re"), close);
  std::string text;
  if (file == nullptr) return text;
  char part[4096];
  for (size_t size; (size = fread(part, 1, sizeof(part), file.get())) > 0;) text.append(part, size);
  return text;
}

OutputFiles::~OutputFiles() {
  for (const Pending& pending : pending_) unlink(pending.temporary.c_str());
}

Status CheckNotInput(const std::string& output, const std::vector<std::string>& inputs) {
  struct stat out{};
  if (stat(output.c_str(), &out) != 0 || !S_ISREG(out.st_mode)) return Success{};
  for (const std::string& input : inputs) {
    struct stat in{};
    if (stat(input.c_str(), &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino) {
      return Error(ErrorCode::kInvalidArgument, output + ": the output would replace its input");
    }
  }
  return Success{};
}

Status WriteFile(const std::string& path, std::span<const uint8_t> bytes) {
  OutputFiles files;
  HOLOGRAM_RETURN_IF_ERROR(files.Add(path, bytes));
  return files.Commit();
}

}  // namespace hologram
