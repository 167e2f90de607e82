#include "runtime/executor.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "base/blake3.h"
#include "base/quote.h"
#include "observe/span.h"
#include "runtime/compiler_plugin.h"
#include "runtime/install_paths.h"
#include "runtime/observed_work.h"
#include "runtime/thread_count.h"

namespace hologram::runtime {
namespace {

// All names if they are few, else those that begin most like `name`.
std::string NamesLike(const std::vector<std::string>& names, const std::string& name) {
  constexpr size_t kMost = 12;
  std::vector<std::pair<size_t, const std::string*>> likely;  // letters that differ, the name
  for (const std::string& other : names) {
    const size_t shorter = std::min(name.size(), other.size());
    const auto end =
        std::mismatch(name.begin(), name.begin() + static_cast<ptrdiff_t>(shorter), other.begin());
    const auto same = static_cast<size_t>(end.first - name.begin());
    likely.emplace_back(names.size() > kMost ? name.size() + other.size() - 2 * same : 0, &other);
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

// "blur" of "/a/blur.holo"
std::string StemOf(const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

}  // namespace

Executor::Executor()
    : stream_(std::make_shared<SharedStream>()), print_sink_(std::make_shared<PrintSink>()) {
  settings_.stream = stream_;
  settings_.print_sink = print_sink_;
  settings_.cancel = std::make_shared<CancelWord>();
}
Executor::~Executor() = default;

Executor::LoadedByName Executor::ByName(const LoadedKernels& kernels, const std::string& file) {
  LoadedByName added;
  for (const auto& [name, kernel] : kernels) added[name] = {kernel, file};
  return added;
}

void Executor::Adopt(LoadedByName added, LoadedByName& into) {
  while (!added.empty()) {
    auto node = added.extract(added.begin());
    const auto old = into.find(node.key());
    if (old == into.end()) {
      into.insert(std::move(node));
    } else {
      old->second = std::move(node.mapped());
    }
  }
}

Status Executor::LoadFile(const std::string& path, const LoadOptions& options) {
  const observe::Span span("load", path);
  const ForkGate section;
  HOLOGRAM_ASSIGN_OR_RETURN(FileBytes bytes, ReadWholeFile(path));
  Result<LoadedKernels> kernels = ReadKernels(std::move(bytes), options);
  if (!kernels.ok()) return WithPath(kernels.errors(), path);
  LoadedByName added = ByName(kernels.value(), path);
  const std::lock_guard lock(mutex_);
  Adopt(std::move(added), loaded_);
  return Success{};
}

Status Executor::LoadBundle(std::vector<uint8_t> bytes, const LoadOptions& options) {
  observe::Span span("load", "memory");
  span.Number("bytes", bytes.size());
  const ForkGate section;
  HOLOGRAM_ASSIGN_OR_RETURN(const LoadedKernels kernels, ReadKernels(std::move(bytes), options));
  LoadedByName added = ByName(kernels, "");
  const std::lock_guard lock(mutex_);
  Adopt(std::move(added), loaded_);
  return Success{};
}

Status Executor::LoadCircuit(std::string_view text, std::string_view name) {
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<uint8_t> bundle, CompileCircuit(text, name));
  return LoadBundle(std::move(bundle), {});
}

Status Executor::LoadStatic(std::span<const uint8_t> bytes, const LoadOptions& options) {
  observe::Span span("load", "memory");
  span.Number("bytes", bytes.size());
  const ForkGate section;
  HOLOGRAM_ASSIGN_OR_RETURN(const LoadedKernels kernels, ReadStaticKernels(bytes, options));
  LoadedByName added = ByName(kernels, "");
  const std::lock_guard lock(mutex_);
  Adopt(std::move(added), loaded_);
  return Success{};
}

Status Executor::Add(isa::Program program, bool allow_native) {
  const ForkGate section;
  const Hash identity = bundle::IdentityOf(program);
  const std::string name = program.name;
  HOLOGRAM_ASSIGN_OR_RETURN(verify::VerifiedProgram verified, VerifySeen(std::move(program)));
  auto kernel = std::make_shared<LoadedKernel>(std::move(verified), identity, allow_native);
  const std::lock_guard lock(mutex_);
  loaded_[name] = {std::move(kernel), ""};
  return Success{};
}

Status Executor::LoadStandard(const LoadOptions& options) {
  const observe::Span span("load", "standard library");
  const ForkGate section;
  HOLOGRAM_ASSIGN_OR_RETURN(const std::string path, FindStandardLibrary());
  const Result<LoadedKernels> kernels = ReadLibraryFile(path, options);
  if (!kernels.ok()) return WithPath(kernels.errors(), path);
  LoadedByName added = ByName(kernels.value(), path);
  const std::lock_guard lock(mutex_);
  Adopt(std::move(added), built_in_);
  return Success{};
}

Status Executor::AddDirectory(const std::string& path, bool allow_native) {
  char absolute[PATH_MAX];
  struct stat info{};
  if (realpath(path.c_str(), absolute) == nullptr || stat(absolute, &info) != 0) {
    const int error = errno;
    return Error(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument,
                 "kernel folder " + path + ": " +
                     (error == ENOENT ? "there is no such folder" : std::strerror(error)));
  }
  if (!S_ISDIR(info.st_mode)) {
    return Error(ErrorCode::kInvalidArgument, "kernel folder " + path + ": not a folder");
  }
  const std::lock_guard lock(mutex_);
  user_.emplace_back(absolute, DirectoryOptions{false, allow_native});
  return Success{};
}

// An empty part, which elsewhere is the current folder, is nothing.
void Executor::AddFolders(Variable variable, bool allow_native) {
  const char* named = ReadVariable(variable);
  std::string_view rest = named == nullptr ? "" : named;
  while (!rest.empty()) {
    const std::string_view path = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(path.size() + 1, rest.size()));
    if (path.empty()) continue;
    user_.emplace_back(std::string(path), DirectoryOptions{false, allow_native});
  }
}

void Executor::AddDefaultPlaces() {
  const std::lock_guard lock(mutex_);
  AddFolders(Variable::kNativeKernelPath, true);
  AddFolders(Variable::kKernelPath, false);
  const std::string own = ExecutableFolder();
  if (!own.empty()) bundled_.emplace_back(own + "/kernels", DirectoryOptions{true, false});
  standard_when_missing_ = true;
}

Status Executor::Trust(const std::string& hash) {
  const std::optional<Hash> parsed = ParseHash(hash);
  if (!parsed) {
    return Error(ErrorCode::kInvalidArgument,
                 "expected a trust hash of 64 hexadecimal digits, found " + Shown(hash));
  }
  const std::lock_guard lock(mutex_);
  trusted_.push_back(*parsed);
  for (KernelDirectory& directory : user_) directory.Forget();
  for (KernelDirectory& directory : bundled_) directory.Forget();
  return Success{};
}

Status Executor::SetThreads(uint32_t threads) {
  HOLOGRAM_RETURN_IF_ERROR(CheckThreads(threads));
  const std::lock_guard lock(mutex_);
  settings_.threads = threads;
  return Success{};
}

KernelSettings Executor::settings() {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void Executor::SetTiered(bool tiered) {
  const std::lock_guard lock(mutex_);
  settings_.tiered = tiered;
}

void Executor::Refresh() {
  for (KernelDirectory& directory : user_) directory.Refresh(trusted_);
  for (KernelDirectory& directory : bundled_) directory.Refresh(trusted_);
}

// Only for names that are nowhere else: who asks for no such name opens no library.
void Executor::LoadDefaultLibrary() {
  if (!standard_when_missing_ || !built_in_.empty()) return;
  standard_errors_.clear();
  const Result<std::string> path = FindStandardLibrary();
  if (!path.ok()) return;
  LoadOptions options;
  options.trusted = trusted_;
  options.lazy = true;
  const Result<LoadedKernels> kernels = ReadLibraryFile(path.value(), options);
  if (!kernels.ok()) {
    standard_errors_ = WithPath(kernels.errors(), path.value());
    return;
  }
  Adopt(ByName(kernels.value(), path.value()), built_in_);
  standard_by_default_ = true;
}

namespace {

// The kernel of that name of the first file that has it. A file that cannot be read now, and had it
// before or is called so, stands in the way: what it hides must not take its place in silence.
Result<std::shared_ptr<LoadedKernel>> LookupIn(const std::vector<KernelDirectory>& directories,
                                               const std::string& name) {
  for (const KernelDirectory& directory : directories) {
    for (const auto& [file_name, file] : directory.files()) {
      const auto found = file.kernels.find(name);
      if (found != file.kernels.end()) return found->second;
      if (file.errors.empty()) continue;
      const bool had = std::find(file.lost.begin(), file.lost.end(), name) != file.lost.end();
      if (had || StemOf(file.path) == name) return file.errors;
    }
  }
  return std::shared_ptr<LoadedKernel>();
}

}  // namespace

Result<std::shared_ptr<LoadedKernel>> Executor::Lookup(const std::string& name) {
  HOLOGRAM_ASSIGN_OR_RETURN(std::shared_ptr<LoadedKernel> kernel, LookupIn(user_, name));
  if (kernel != nullptr) return kernel;
  if (const auto found = loaded_.find(name); found != loaded_.end()) return found->second.kernel;
  HOLOGRAM_ASSIGN_OR_RETURN(kernel, LookupIn(bundled_, name));
  if (kernel != nullptr) return kernel;
  LoadDefaultLibrary();
  if (const auto found = built_in_.find(name); found != built_in_.end()) {
    return found->second.kernel;
  }
  return NoKernel(name);
}

Diagnostics Executor::NoKernel(const std::string& name) const {
  std::vector<std::string> names = NamesOf(!standard_by_default_);
  Diagnostics errors;
  errors.push_back(Error(
      ErrorCode::kNotFound,
      "no kernel " + Shown(name) +
          (names.empty() ? ": nothing is loaded" : "; there are: " + NamesLike(names, name))));
  for (const Diagnostic& error : ErrorsOfPlaces()) errors.push_back(error);
  return errors;
}

Result<std::shared_ptr<const Launchable>> Executor::FindAny(const std::string& name) {
  const observe::Span span("find", name);
  std::shared_ptr<LoadedKernel> kernel;
  KernelSettings settings;
  {
    const std::lock_guard lock(mutex_);
    Refresh();
    HOLOGRAM_ASSIGN_OR_RETURN(kernel, Lookup(name));
    settings = settings_;
  }
  // It may be compiled now, which nobody else has to wait for.
  return kernel->Make(settings);
}

Result<std::shared_ptr<const Kernel>> Executor::Find(const std::string& name) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::shared_ptr<const Launchable> found, FindAny(name));
  // The pointer to the kernel owns what was found.
  if (const Kernel* kernel = found->program_kernel()) {
    return std::shared_ptr<const Kernel>(found, kernel);
  }
  return Error(ErrorCode::kUnsupported, "kernel " + Shown(name) + " is a library, without program");
}

}  // namespace hologram::runtime
