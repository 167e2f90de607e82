// Files by name.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/descriptor.h"
#include "stream/places.h"
#include "stream/system_error.h"

namespace hologram::stream {
namespace {

class FromFile final : public Source {
 public:
  FromFile(Descriptor file, std::optional<uint64_t> offset, const std::string& path)
      : file_(std::move(file)), source_(DescriptorSource(file_.get(), offset, path)) {}
  Result<uint64_t> Read(void* to, uint64_t bytes, const std::atomic<bool>& stop) override {
    return source_->Read(to, bytes, stop);
  }
  bool may_wait() const override { return source_->may_wait(); }

 private:
  Descriptor file_;
  std::unique_ptr<Source> source_;
};

class ToFile final : public Sink {
 public:
  // `temporary` is empty where there is nothing to rename.
  ToFile(Descriptor file, std::string temporary, std::string path, uint64_t offset)
      : file_(std::move(file)),
        temporary_(std::move(temporary)),
        path_(std::move(path)),
        sink_(DescriptorSink(file_.get(), temporary_.empty() ? std::nullopt : std::optional(offset),
                             path_)) {}
  ~ToFile() override {
    if (!temporary_.empty()) unlink(temporary_.c_str());
  }

  Status Write(const void* from, uint64_t bytes, const std::atomic<bool>& stop) override {
    return sink_->Write(from, bytes, stop);
  }
  Status Finish() override {
    if (temporary_.empty()) return Success{};
    if (rename(temporary_.c_str(), path_.c_str()) != 0) return SystemError(path_, 0, errno);
    temporary_.clear();
    return Success{};
  }

 private:
  Descriptor file_;
  std::string temporary_;
  std::string path_;
  std::unique_ptr<Sink> sink_;
};

bool IsRegular(int file) {
  struct stat info{};
  return fstat(file, &info) == 0 && S_ISREG(info.st_mode);
}

Status WriteHeader(int file, const std::string& path, const std::string& header) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(header.data());
  if (WriteAll(file, {bytes, header.size()})) return Success{};
  return SystemError(path, 0, errno);
}

}  // namespace

Result<std::unique_ptr<Source>> FileSource(const std::string& path, uint64_t offset) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return SystemError(path, 0, errno);
  const bool regular = IsRegular(file.get());
  if (regular) posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::unique_ptr<Source>(std::make_unique<FromFile>(
      std::move(file), regular ? std::optional(offset) : std::nullopt, path));
}

Result<std::unique_ptr<Sink>> FileSink(const std::string& path, std::string header) {
  struct stat info{};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    // A device or a pipe cannot be replaced by a rename.
    Descriptor device(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (device.get() < 0) return SystemError(path, 0, errno);
    HOLOGRAM_RETURN_IF_ERROR(WriteHeader(device.get(), path, header));
    return std::unique_ptr<Sink>(std::make_unique<ToFile>(std::move(device), "", path, 0));
  }
  std::string temporary = path + ".XXXXXX";
  Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return SystemError(path, 0, errno);
  auto sink = std::make_unique<ToFile>(std::move(file), temporary, path, header.size());
  const int descriptor = open(temporary.c_str(), O_WRONLY | O_CLOEXEC);
  const Descriptor again(descriptor);
  if (descriptor < 0) return SystemError(path, 0, errno);
  // mkostemp makes files private; results are files like any other.
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, static_cast<mode_t>(0666 & ~mask));
  HOLOGRAM_RETURN_IF_ERROR(WriteHeader(descriptor, path, header));
  return std::unique_ptr<Sink>(std::move(sink));
}

}  // namespace hologram::stream
