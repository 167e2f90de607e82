#include "runtime/bundle_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/blake3.h"
#include "base/descriptor.h"
#include "base/quote.h"

namespace hologram::runtime {

Result<FileBytes> ReadWholeFile(const std::string& path) {
  constexpr off_t kMostBytes = off_t{1} << 30;
  const auto failed = [&] {
    const int error = errno;
    return Error(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument,
                 path + ": " + (error == ENOENT ? "no such file" : std::strerror(error)));
  };
  // A pipe without a writer must not block.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) return failed();
  struct stat info{};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return Error(ErrorCode::kInvalidArgument, path + ": not a regular file");
  }
  if (info.st_size > kMostBytes) {
    return Error(ErrorCode::kResourceLimit, path + ": more than 1 GiB");
  }
  const auto room = static_cast<size_t>(info.st_size);
  FileBytes bytes{std::make_unique_for_overwrite<uint8_t[]>(room)};
  while (bytes.size < room) {
    const ssize_t got = read(file.get(), bytes.data.get() + bytes.size, room - bytes.size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed();
    if (got == 0) break;
    bytes.size += static_cast<size_t>(got);
  }
  return bytes;
}

Diagnostics WithPath(Diagnostics errors, const std::string& path) {
  for (Diagnostic& error : errors) {
    if (error.where.file.empty()) error.where.file = path;
  }
  return errors;
}

namespace {

Result<LoadedKernels> ReadFrom(const std::shared_ptr<LoadedBundle>& bundle,
                               std::span<const uint8_t> bytes, const LoadOptions& options) {
  HOLOGRAM_ASSIGN_OR_RETURN(bundle->reader, bundle::BundleReader::Open(bytes));
  const bundle::BundleReader& reader = *bundle->reader;
  const std::optional<Hash> expect =
      options.expect ? ParseHash(*options.expect) : std::optional<Hash>();
  if (options.expect && !expect) {
    return Error(ErrorCode::kInvalidArgument,
                 "expected a trust hash of 64 hexadecimal digits, found " + Shown(*options.expect));
  }
  if (expect && *expect != reader.trust_hash()) {
    return Error(ErrorCode::kInvalidBundle, "expected trust hash " + *options.expect + ", found " +
                                                ToHex(reader.trust_hash()));
  }
  const bool trusted = expect || std::find(options.trusted.begin(), options.trusted.end(),
                                           reader.trust_hash()) != options.trusted.end();
  LoadedKernels loaded;
  for (size_t i = 0; i < reader.size(); ++i) {
    std::shared_ptr<LoadedKernel>& kernel = loaded[reader.NameOf(i)];
    if (trusted || options.lazy) {
      kernel = std::make_shared<LoadedKernel>(bundle, i, options.allow_native, trusted);
      continue;
    }
    HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program, reader.ReadProgram(i));
    HOLOGRAM_ASSIGN_OR_RETURN(verify::VerifiedProgram verified, verify::Verify(std::move(program)));
    kernel = std::make_shared<LoadedKernel>(std::move(verified), ToHex(reader.IdentityOf(i)),
                                            options.allow_native);
  }
  return loaded;
}

}  // namespace

Result<LoadedKernels> ReadKernels(FileBytes bytes, const LoadOptions& options) {
  const std::span<const uint8_t> span = bytes.span();
  const auto bundle = std::make_shared<LoadedBundle>();
  bundle->bytes = std::shared_ptr<const uint8_t[]>(std::move(bytes.data));
  return ReadFrom(bundle, span, options);
}

Result<LoadedKernels> ReadKernels(std::vector<uint8_t> bytes, const LoadOptions& options) {
  const auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  const auto bundle = std::make_shared<LoadedBundle>();
  bundle->bytes = owner;
  return ReadFrom(bundle, *owner, options);
}

Result<LoadedKernels> ReadStaticKernels(std::span<const uint8_t> bytes,
                                        const LoadOptions& options) {
  return ReadFrom(std::make_shared<LoadedBundle>(), bytes, options);
}

}  // namespace hologram::runtime
