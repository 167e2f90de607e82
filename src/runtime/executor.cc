#include "runtime/executor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <utility>

#include "backends/cpu_features.h"
#include "base/blake3.h"
#include "base/quote.h"
#include "isa/bundle.h"
#include "runtime/code_cache.h"
#include "runtime/compiler_plugin.h"
#include "runtime/thread_count.h"

namespace hologram::runtime {
namespace {

using backends::CpuLevel;

// A bundle in private memory. Programs that came from it share it until their kernel is made.
struct LoadedBundle {
  std::vector<uint8_t> bytes;
  std::optional<isa::BundleReader> reader;
};

isa::NativeLevel NativeLevelOf(CpuLevel level) {
  switch (level) {
    case CpuLevel::kNone:
      break;
    case CpuLevel::kV2:
      return isa::NativeLevel::kX86V2;
    case CpuLevel::kV3:
      return isa::NativeLevel::kX86V3;
    case CpuLevel::kV4:
      return isa::NativeLevel::kX86V4;
  }
  return isa::NativeLevel::kNone;
}

Result<std::vector<uint8_t>> ReadWholeFile(const std::string& path) {
  const auto failed = [&] {
    const int error = errno;
    return Error(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument,
                 path + ": " + (error == ENOENT ? "no such file" : std::strerror(error)));
  };
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failed();
  struct stat info{};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd);
    return Error(ErrorCode::kInvalidArgument, path + ": not a regular file");
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(info.st_size));
  size_t used = 0;
  while (used < bytes.size()) {
    const ssize_t got = read(fd, bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const Diagnostic error = failed();
      close(fd);
      return error;
    }
    if (got == 0) break;
    used += static_cast<size_t>(got);
  }
  close(fd);
  bytes.resize(used);
  return bytes;
}

Diagnostics WithPath(Diagnostics errors, const std::string& path) {
  for (Diagnostic& error : errors) {
    if (error.where.file.empty()) error.where.file = path;
  }
  return errors;
}

}  // namespace

struct Executor::Entry {
  // Until the kernel is made. Of a bundle that somebody vouches for, only from then on: a library
  // of a thousand kernels must not cost a program that uses three of them more than three.
  std::optional<verify::VerifiedProgram> program;
  std::string id;
  std::shared_ptr<const LoadedBundle> bundle;  // null: no bundle, or nobody vouches for it
  size_t number = 0;                           // in the bundle
  bool allow_native = true;
  std::shared_ptr<const Kernel> kernel;
};

Executor::Executor() : stream_(std::make_shared<SharedStream>()) {}
Executor::~Executor() = default;

Status Executor::LoadFile(const std::string& path, const LoadOptions& options) {
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, ReadWholeFile(path));
  Status status = LoadBundle(std::move(bytes), options);
  if (!status.ok()) return WithPath(status.errors(), path);
  return status;
}

Status Executor::LoadBundle(std::vector<uint8_t> bytes, const LoadOptions& options) {
  auto bundle = std::make_shared<LoadedBundle>();
  bundle->bytes = std::move(bytes);
  HOLOGRAM_ASSIGN_OR_RETURN(bundle->reader, isa::BundleReader::Open(bundle->bytes));
  const isa::BundleReader& reader = *bundle->reader;
  const std::optional<Hash> expect = ParseHash(options.expect);
  if (!options.expect.empty() && !expect) {
    return Error(ErrorCode::kInvalidArgument,
                 "expected a trust hash of 64 hexadecimal digits, found " + Shown(options.expect));
  }
  if (expect && *expect != reader.trust_hash()) {
    return Error(ErrorCode::kInvalidBundle,
                 "expected trust hash " + options.expect + ", found " + ToHex(reader.trust_hash()));
  }
  std::map<std::string, std::unique_ptr<Entry>> loaded;
  for (size_t i = 0; i < reader.size(); ++i) {
    auto entry = std::make_unique<Entry>();
    entry->id = ToHex(reader.IdentityOf(i));
    if (expect) {
      entry->bundle = bundle;
    } else {
      HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program, reader.ReadProgram(i));
      HOLOGRAM_ASSIGN_OR_RETURN(entry->program, verify::Verify(std::move(program)));
    }
    entry->number = i;
    entry->allow_native = options.allow_native;
    loaded[reader.NameOf(i)] = std::move(entry);
  }
  for (auto& [name, entry] : loaded) entries_[name] = std::move(entry);
  return Success{};
}

Status Executor::Add(isa::Program program, bool allow_native) {
  auto entry = std::make_unique<Entry>();
  entry->id = ToHex(isa::IdentityOf(program));
  entry->allow_native = allow_native;
  const std::string name = program.name;
  HOLOGRAM_ASSIGN_OR_RETURN(entry->program, verify::Verify(std::move(program)));
  entries_[name] = std::move(entry);
  return Success{};
}

std::vector<std::string> Executor::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

Status Executor::SetThreads(uint32_t threads) {
  if (threads > kMaxThreads) {
    return Error(ErrorCode::kInvalidArgument, "threads: expected 0 to " +
                                                  std::to_string(kMaxThreads) + ", found " +
                                                  std::to_string(threads));
  }
  threads_ = threads;
  return Success{};
}

// All names if they are few, else those that begin most like `name`.
std::string Executor::NamesLike(const std::string& name) const {
  constexpr size_t kMost = 12;
  std::vector<std::pair<size_t, const std::string*>> likely;  // letters that differ, the name
  for (const auto& [other, entry] : entries_) {
    const size_t shorter = std::min(name.size(), other.size());
    const auto end =
        std::mismatch(name.begin(), name.begin() + static_cast<ptrdiff_t>(shorter), other.begin());
    const auto same = static_cast<size_t>(end.first - name.begin());
    likely.emplace_back(entries_.size() > kMost ? name.size() + other.size() - 2 * same : 0,
                        &other);
  }
  std::sort(likely.begin(), likely.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : *a.second < *b.second;
  });
  std::string text;
  for (size_t k = 0; k < std::min(kMost, likely.size()); ++k) {
    text += (k == 0 ? "" : ", ") + *likely[k].second;
  }
  if (likely.size() > kMost) text += " and " + std::to_string(likely.size() - kMost) + " more";
  return text;
}

Result<std::shared_ptr<const Kernel>> Executor::Find(const std::string& name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    return Error(ErrorCode::kNotFound, "no kernel " + Shown(name) +
                                           (entries_.empty() ? ": nothing is loaded"
                                                             : "; there are: " + NamesLike(name)));
  }
  Entry& entry = *found->second;
  if (entry.kernel == nullptr) {
    if (!entry.program) {
      HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program,
                                entry.bundle->reader->ReadProgram(entry.number));
      HOLOGRAM_ASSIGN_OR_RETURN(entry.program, verify::Verify(std::move(program)));
    }
    HOLOGRAM_ASSIGN_OR_RETURN(entry.kernel, Prepare(entry));
    entry.bundle = nullptr;
  }
  return entry.kernel;
}

namespace {

struct Native {
  NativeCode code;
  std::string origin;
  std::string level;
};

Result<Native> LoadTrusted(const isa::NativeCode& section, CpuLevel level) {
  // The bytes are in private memory already, so what is hashed is what is run.
  if (Blake3(section.bytes) != section.expected) {
    return Error(ErrorCode::kInvalidBundle,
                 "native code does not match its hash: the file is damaged or altered");
  }
  HOLOGRAM_ASSIGN_OR_RETURN(NativeCode code, NativeCode::Load(section.bytes));
  return Native{std::move(code), "bundle", std::string(NameOf(level))};
}

// Native code of the best level that the bundle has for this machine.
Result<std::optional<Native>> FromBundle(const isa::BundleReader& reader, size_t number,
                                         CpuLevel level) {
  for (auto l = static_cast<int>(level); l > 0; --l) {
    const auto candidate = static_cast<CpuLevel>(l);
    const auto section = reader.NativeSection(number, NativeLevelOf(candidate));
    if (!section) continue;
    HOLOGRAM_ASSIGN_OR_RETURN(Native native, LoadTrusted(*section, candidate));
    return std::optional<Native>(std::move(native));
  }
  return std::optional<Native>();
}

Result<Native> FromCompiler(const verify::VerifiedProgram& program, CpuLevel level,
                            const std::optional<CodeCache>& cache) {
  Hash key;
  if (cache) {
    key = CodeKey(program, TargetFor(level), CompilerIdentity());
    if (const auto kept = cache->Find(key)) {
      HOLOGRAM_ASSIGN_OR_RETURN(NativeCode code, NativeCode::Load(*kept));
      return Native{std::move(code), "cache", std::string(NameOf(level))};
    }
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> object,
                            Compile(program, TargetFor(level), CompileOutput::kObject));
  HOLOGRAM_ASSIGN_OR_RETURN(NativeCode code, NativeCode::Load(object));
  if (cache) cache->Keep(key, object);
  return Native{std::move(code), "jit", std::string(NameOf(level))};
}

}  // namespace

Result<std::shared_ptr<const Kernel>> Executor::Prepare(Entry& entry) {
  HOLOGRAM_ASSIGN_OR_RETURN(const CpuLevel level, backends::CurrentLevel());
  uint32_t threads = threads_;
  if (threads == 0) {
    HOLOGRAM_ASSIGN_OR_RETURN(threads, DefaultThreads());
  }
  std::optional<Native> native;
  std::string why_not = "native code is not wanted";
  if (entry.allow_native && level == CpuLevel::kNone) {
    why_not = "it needs an x86-64-v2 processor or better";
  } else if (entry.allow_native) {
    // A trusted bundle whose code cannot be loaded is damaged: that is never passed over.
    if (entry.bundle != nullptr) {
      HOLOGRAM_ASSIGN_OR_RETURN(native, FromBundle(*entry.bundle->reader, entry.number, level));
    }
    if (!native) {
      std::optional<CodeCache> cache;
      if (!CompilerIdentity().empty()) {
        HOLOGRAM_ASSIGN_OR_RETURN(cache, CodeCache::OfUser());
      }
      Result<Native> compiled = FromCompiler(*entry.program, level, cache);
      if (compiled.ok()) {
        native = std::move(compiled).value();
      } else {
        why_not = compiled.errors()[0].message;
      }
    }
  }
  verify::VerifiedProgram program = *std::exchange(entry.program, std::nullopt);
  const std::shared_ptr<Kernel> kernel =
      native ? std::make_shared<Kernel>(std::move(program), entry.id, std::move(native->code),
                                        native->origin, native->level)
             : std::make_shared<Kernel>(std::move(program), entry.id, std::move(why_not));
  kernel->set_stream(stream_);
  kernel->set_threads(threads);
  return std::shared_ptr<const Kernel>(kernel);
}

}  // namespace hologram::runtime
