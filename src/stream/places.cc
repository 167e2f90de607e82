#include "stream/places.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "stream/system_error.h"

namespace hologram::stream {
namespace {

constexpr int kPollMs = 50;  // between two looks at what stops a stream
// Of one write to what may have no room: less waits less behind the look.
constexpr uint64_t kPipeBytes = uint64_t{64} << 10;

Diagnostic Stopped() {
  return Error(ErrorCode::kCancelled, "the stream was stopped");
}

// What may keep a caller waiting: pipes, sockets, terminals.
bool MayWait(int descriptor) {
  return !CanSeek(descriptor);
}

// Waits until the descriptor can be read or written. False: the stream was stopped.
bool Await(int descriptor, int16_t events, const std::atomic<bool>& stop) {
  for (;;) {
    if (stop.load(std::memory_order_relaxed)) return false;
    pollfd wait{descriptor, events, 0};
    if (poll(&wait, 1, kPollMs) != 0) return true;  // errors as well: the call says which
  }
}

class FromDescriptor final : public Source {
 public:
  FromDescriptor(int descriptor, std::optional<uint64_t> offset, std::string name)
      : descriptor_(descriptor),
        offset_(offset),
        name_(std::move(name)),
        may_wait_(!offset && MayWait(descriptor)) {}

  Result<uint64_t> Read(void* to, uint64_t bytes, const std::atomic<bool>& stop) override {
    auto* const data = static_cast<char*>(to);
    uint64_t done = 0;
    while (done < bytes) {
      if (may_wait_ && !Await(descriptor_, POLLIN, stop)) return Stopped();
      const ssize_t got = offset_ ? pread(descriptor_, data + done, bytes - done,
                                          static_cast<off_t>(*offset_ + position_))
                                  : read(descriptor_, data + done, bytes - done);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got < 0) return SystemError(name_, position_, errno);
      if (got == 0) break;
      done += static_cast<uint64_t>(got);
      position_ += static_cast<uint64_t>(got);
    }
    return done;
  }
  bool may_wait() const override { return may_wait_; }

 private:
  int descriptor_;
  std::optional<uint64_t> offset_;
  std::string name_;
  bool may_wait_;
  uint64_t position_ = 0;
};

// Without the signal that ends the process where nobody reads a pipe any more.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGPIPE);
    sigset_t pending;
    was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    blocked_ = pthread_sigmask(SIG_BLOCK, &set_, &before_) == 0;
  }
  ~NoPipeSignal() {
    if (!blocked_) return;
    const timespec now{};
    if (!was_pending_) {
      while (sigtimedwait(&set_, nullptr, &now) < 0 && errno == EINTR) continue;
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t set_;
  sigset_t before_;
  bool was_pending_ = false;
  bool blocked_ = false;
};

class ToDescriptor final : public Sink {
 public:
  ToDescriptor(int descriptor, std::optional<uint64_t> offset, std::string name)
      : descriptor_(descriptor),
        offset_(offset),
        name_(std::move(name)),
        may_wait_(!offset && MayWait(descriptor)) {}

  Status Write(const void* from, uint64_t bytes, const std::atomic<bool>& stop) override {
    if (!may_wait_) return WriteAll(from, bytes, bytes, stop);
    const NoPipeSignal quiet;
    return WriteAll(from, bytes, kPipeBytes, stop);
  }

 private:
  Status WriteAll(const void* from, uint64_t bytes, uint64_t most, const std::atomic<bool>& stop) {
    const auto* const data = static_cast<const char*>(from);
    uint64_t done = 0;
    while (done < bytes) {
      if (may_wait_ && !Await(descriptor_, POLLOUT, stop)) return Stopped();
      const uint64_t size = std::min(bytes - done, most);
      const ssize_t put =
          offset_ ? pwrite(descriptor_, data + done, size, static_cast<off_t>(*offset_ + position_))
                  : write(descriptor_, data + done, size);
      if (put < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (put <= 0) return SystemError(name_, position_, put < 0 ? errno : ENOSPC);
      done += static_cast<uint64_t>(put);
      position_ += static_cast<uint64_t>(put);
    }
    return Success{};
  }

  int descriptor_;
  std::optional<uint64_t> offset_;
  std::string name_;
  bool may_wait_;
  uint64_t position_ = 0;
};

class FromMemory final : public Source {
 public:
  FromMemory(const void* data, uint64_t bytes)
      : data_(static_cast<const char*>(data)), left_(bytes) {}

  Result<uint64_t> Read(void* to, uint64_t bytes, const std::atomic<bool>& /*stop*/) override {
    const uint64_t size = std::min(bytes, left_);
    if (size != 0) std::memcpy(to, data_, size);
    data_ += size;
    left_ -= size;
    return size;
  }
  bool is_memory() const override { return true; }
  bool may_wait() const override { return false; }

 private:
  const char* data_;
  uint64_t left_;
};

class ToMemory final : public Sink {
 public:
  ToMemory(void* data, uint64_t bytes, std::string name)
      : data_(static_cast<char*>(data)), left_(bytes), name_(std::move(name)) {}

  Status Write(const void* from, uint64_t bytes, const std::atomic<bool>& /*stop*/) override {
    if (bytes > left_) {
      return Error(ErrorCode::kInvalidArgument, "'" + name_ + "' has no room for " +
                                                    std::to_string(bytes - left_) + " bytes more");
    }
    if (bytes != 0) std::memcpy(data_, from, bytes);
    data_ += bytes;
    left_ -= bytes;
    return Success{};
  }
  bool is_memory() const override { return true; }

 private:
  char* data_;
  uint64_t left_;
  std::string name_;
};

}  // namespace

Diagnostic SystemError(const std::string& name, uint64_t byte, int error) {
  const ErrorCode code = error == ENOSPC || error == EDQUOT || error == EFBIG
                             ? ErrorCode::kResourceLimit
                         : error == ENOENT ? ErrorCode::kNotFound
                                           : ErrorCode::kInvalidArgument;
  std::string text = std::strerror(error);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  return Error(code, name + ": " + text + " at byte " + std::to_string(byte));
}

bool CanSeek(int descriptor) {
  struct stat info{};
  return fstat(descriptor, &info) == 0 && (S_ISREG(info.st_mode) || S_ISBLK(info.st_mode));
}

std::unique_ptr<Source> DescriptorSource(int descriptor, std::optional<uint64_t> offset,
                                         std::string name) {
  return std::make_unique<FromDescriptor>(descriptor, offset, std::move(name));
}

std::unique_ptr<Sink> DescriptorSink(int descriptor, std::optional<uint64_t> offset,
                                     std::string name) {
  return std::make_unique<ToDescriptor>(descriptor, offset, std::move(name));
}

std::unique_ptr<Source> MemorySource(const void* data, uint64_t bytes) {
  return std::make_unique<FromMemory>(data, bytes);
}

std::unique_ptr<Sink> MemorySink(void* data, uint64_t bytes, std::string name) {
  return std::make_unique<ToMemory>(data, bytes, std::move(name));
}

}  // namespace hologram::stream
