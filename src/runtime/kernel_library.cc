#include "runtime/kernel_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/blake3.h"
#include "base/descriptor.h"
#include "base/quote.h"
#include "runtime/observed_launch.h"

namespace hologram::runtime {
namespace {

Diagnostic Bad(std::string message) {
  return Error(ErrorCode::kInvalidBundle, std::move(message));
}

// Exported functions are found as data.
template <class Function>
Status Find(void* handle, const char* name, Function& function) {
  void* symbol = dlsym(handle, name);
  if (symbol == nullptr) return Bad("the library exports no " + std::string(name));
  static_assert(sizeof function == sizeof symbol);
  std::memcpy(&function, &symbol, sizeof symbol);
  return Success{};
}

std::string PathOf(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

bool IsKnown(const std::string& path) {
  void* const loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (loaded == nullptr) return false;
  dlclose(loaded);
  return true;
}

// Gives `file` a number whose path no library has. The system's loader knows a library by its path:
// one that stays in the process when it is closed (-z nodelete, variables that C++ has once in a
// process) would be given again for the next one whose descriptor has that number. (A new folder
// for each, as by "/proc/self/./fd", is memory that the loader never frees.) False: errno has the
// reason.
bool TakeNewPath(int& file) {
  while (IsKnown(PathOf(file))) {
    const int next = fcntl(file, F_DUPFD_CLOEXEC, file + 1);
    if (next < 0) return false;
    close(std::exchange(file, next));
  }
  return true;
}

}  // namespace

// Linkers put the section table at the end, so a file that is cut anywhere shows.
Status CheckLibraryFile(std::span<const uint8_t> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return Bad("no shared library");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN) {
    return Bad("no shared library");
  }
  const auto inside = [&](uint64_t offset, uint64_t size) {
    return offset <= bytes.size() && size <= bytes.size() - offset;
  };
  const Diagnostic cut = Bad("a shared library that is cut off");
  if (header.e_phentsize != sizeof(Elf64_Phdr) ||
      !inside(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)) ||
      !inside(header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize)) {
    return cut;
  }
  for (uint64_t k = 0; k < header.e_phnum; ++k) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + k * sizeof segment, sizeof segment);
    if (!inside(segment.p_offset, segment.p_filesz)) return cut;
  }
  return Success{};
}

KernelLibrary::~KernelLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
  if (file_ >= 0) close(file_);
}

Result<std::shared_ptr<const KernelLibrary>> KernelLibrary::Load(std::span<const uint8_t> bytes) {
  HOLOGRAM_RETURN_IF_ERROR(CheckLibraryFile(bytes));
  const std::shared_ptr<KernelLibrary> library(new KernelLibrary);
  library->id_ = ToHex(Blake3(bytes));
  library->file_ = memfd_create("hologram-kernel", MFD_CLOEXEC);
  if (library->file_ < 0 || !WriteAll(library->file_, bytes) || !TakeNewPath(library->file_)) {
    return Error(ErrorCode::kResourceLimit,
                 std::string("no memory for a copy of the library: ") + std::strerror(errno));
  }
  library->handle_ = dlopen(PathOf(library->file_).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library->handle_ == nullptr) {
    const char* why = dlerror();
    return Bad(std::string("the library cannot be loaded: ") + (why == nullptr ? "" : why));
  }
  uint32_t (*version)() = nullptr;
  const char* (*name)() = nullptr;
  const char* (*parameters)() = nullptr;
  HOLOGRAM_RETURN_IF_ERROR(Find(library->handle_, "atlas_kernel_abi_version", version));
  if (const uint32_t found = version(); found != ATLAS_KERNEL_ABI_VERSION) {
    return Bad("expected version " + std::to_string(ATLAS_KERNEL_ABI_VERSION) +
               " of the interface of kernel libraries, found " + std::to_string(found));
  }
  HOLOGRAM_RETURN_IF_ERROR(Find(library->handle_, "atlas_kernel_name", name));
  HOLOGRAM_RETURN_IF_ERROR(Find(library->handle_, "atlas_kernel_parameters", parameters));
  HOLOGRAM_RETURN_IF_ERROR(Find(library->handle_, "atlas_kernel_execute", library->execute_));
  const char* called = name();
  if (called == nullptr || !IsIdentifier(called)) {
    return Bad("atlas_kernel_name: expected a name, found " +
               (called == nullptr ? "nothing" : Shown(called)));
  }
  const char* text = parameters();
  if (text == nullptr) return Bad("atlas_kernel_parameters: expected a text, found nothing");
  HOLOGRAM_ASSIGN_OR_RETURN(library->signature_, ParseLibrarySignature(called, text));
  return std::shared_ptr<const KernelLibrary>(library);
}

Status KernelLibrary::Launch(std::span<const hologram_buffer_ref> buffers,
                             std::span<const uint64_t> scalars, const LaunchConfig& config,
                             launch::Way& way) const {
  way.form = launch::Form::kCall;
  const ObservedLaunch observed(signature_.program, buffers);
  Status status = RunLaunch(buffers, scalars, config);
  observed.End(way, hologram_launch_shape{}, status);
  return status;
}

Status KernelLibrary::RunLaunch(std::span<const hologram_buffer_ref> buffers,
                                std::span<const uint64_t> scalars,
                                const LaunchConfig& config) const {
  const std::string kernel = "kernel '" + name() + "'";
  if (config.engine != launch::Engine::kAuto && config.engine != launch::Engine::kCpu) {
    return Error(ErrorCode::kUnsupported, kernel +
                                              " is a library, which only the processor runs, not " +
                                              std::string(launch::NameOf(config.engine)));
  }
  if (config.class_base != 0) {
    return Error(ErrorCode::kUnsupported, kernel + " is a library, which has no class_base");
  }
  HOLOGRAM_RETURN_IF_ERROR(CheckBuffers(signature_, buffers, scalars));
  atlas_launch_config launch{{1, 1, 1}, {isa::kDefaultBlock, 1, 1}};
  if (config.shape.block) std::copy_n(config.shape.block->begin(), 3, launch.block);
  if (config.shape.grid) {
    std::copy_n(config.shape.grid->begin(), 3, launch.grid);
  } else {
    bool has_output = false;
    uint64_t elements = 0;
    size_t b = 0;
    for (const isa::Parameter& parameter : signature_.program.parameters) {
      if (!parameter.is_buffer) continue;
      const uint64_t count = buffers[b++].bytes / isa::SizeOf(parameter.type);
      if (parameter.direction == isa::Direction::kIn) continue;
      has_output = true;
      elements = std::max(elements, count);
    }
    if (has_output && elements == 0) return Success{};
    const uint64_t lanes = uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    const uint64_t blocks = lanes == 0 || !has_output ? 1 : (elements + lanes - 1) / lanes;
    if (blocks > UINT32_MAX) {
      return Error(ErrorCode::kInvalidArgument, kernel + ": more than 2^32 - 1 blocks");
    }
    launch.grid[0] = static_cast<uint32_t>(blocks);
  }
  for (int d = 0; d < 3; ++d) {
    if (launch.grid[d] == 0 || launch.block[d] == 0) {
      return Error(ErrorCode::kInvalidArgument,
                   kernel + ": grid and block: expected at least 1 in each dimension, found 0");
    }
  }
  // Never null, also of a kernel without parameters.
  std::vector<uint8_t> block = PackParameters(signature_, buffers, scalars);
  const size_t size = block.size();
  block.reserve(1);
  const char* said = nullptr;
  const uint32_t code = execute_(&launch, block.data(), size, &said);
  if (code == ATLAS_KERNEL_SUCCESS) {
    launches_.fetch_add(1);
    return Success{};
  }
  const std::string why = code == ATLAS_KERNEL_INVALID_PARAMS
                              ? "the library calls its parameters invalid"
                          : code == ATLAS_KERNEL_EXECUTION_FAILED
                              ? std::string("the library failed")
                              : "the library failed with code " + std::to_string(code);
  return Error(
      code == ATLAS_KERNEL_INVALID_PARAMS ? ErrorCode::kInvalidArgument : ErrorCode::kFault,
      kernel + ": " + why + (said == nullptr ? "" : ": " + Escape(said, false)));
}

}  // namespace hologram::runtime
