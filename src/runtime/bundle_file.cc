#include "runtime/bundle_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/blake3.h"
#include "base/descriptor.h"
#include "base/files.h"
#include "base/quote.h"
#include "observe/counters.h"
#include "runtime/observed_work.h"

namespace hologram::runtime {

namespace {

Diagnostic FileError(const std::string& path) {
  const int error = errno;
  return Error(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument,
               path + ": " + (error == ENOENT ? "no such file" : std::strerror(error)));
}

struct OpenFile {
  Descriptor file;
  size_t size;
};

Result<OpenFile> OpenRegular(const std::string& path) {
  // A pipe without a writer must not block.
  Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) return FileError(path);
  struct stat info{};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return Error(ErrorCode::kInvalidArgument, path + ": not a regular file");
  }
  if (static_cast<uint64_t>(info.st_size) > kMaxProgramFileBytes) {
    return Error(ErrorCode::kResourceLimit, path + ": more than 1 GiB");
  }
  return OpenFile{std::move(file), static_cast<size_t>(info.st_size)};
}

}  // namespace

Result<FileBytes> ReadWholeFile(const std::string& path) {
  HOLOGRAM_ASSIGN_OR_RETURN(const OpenFile opened, OpenRegular(path));
  FileBytes bytes{std::make_unique_for_overwrite<uint8_t[]>(opened.size)};
  while (bytes.size < opened.size) {
    const ssize_t got =
        read(opened.file.get(), bytes.data.get() + bytes.size, opened.size - bytes.size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError(path);
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
                               std::span<const uint8_t> bytes, const LoadOptions& options,
                               bundle::Padding padding = bundle::Padding::kCheck) {
  HOLOGRAM_ASSIGN_OR_RETURN(bundle->reader, bundle::BundleReader::Open(bytes, padding));
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
  observe::Count(observe::Counter::kBundlesLoaded);
  LoadedKernels loaded;
  for (size_t i = 0; i < reader.size(); ++i) {
    std::shared_ptr<LoadedKernel>& kernel = loaded[reader.NameOf(i)];
    if (trusted || options.lazy) {
      kernel = std::make_shared<LoadedKernel>(bundle, i, options.allow_native, trusted);
      continue;
    }
    HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program, reader.ReadProgram(i));
    HOLOGRAM_ASSIGN_OR_RETURN(verify::VerifiedProgram verified, VerifySeen(std::move(program)));
    HOLOGRAM_ASSIGN_OR_RETURN(std::string arguments, reader.ReadArguments(i));
    kernel = std::make_shared<LoadedKernel>(std::move(verified), reader.IdentityOf(i),
                                            options.allow_native, HasCode(reader, i),
                                            std::move(arguments));
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

Result<LoadedKernels> ReadLibraryFile(const std::string& path, const LoadOptions& options) {
  HOLOGRAM_ASSIGN_OR_RETURN(const OpenFile opened, OpenRegular(path));
  const size_t size = opened.size;
  if (size == 0) return ReadStaticKernels({}, options);  // cannot be mapped
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, opened.file.get(), 0);
  if (mapped == MAP_FAILED) return FileError(path);
  const auto bundle = std::make_shared<LoadedBundle>();
  bundle->bytes =
      std::shared_ptr<const void>(mapped, [mapped, size](const void*) { munmap(mapped, size); });
  return ReadFrom(bundle, {static_cast<const uint8_t*>(mapped), size}, options,
                  bundle::Padding::kIgnore);
}

}  // namespace hologram::runtime
