#include "runtime/compiler_plugin.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "base/descriptor.h"
#include "base/environment.h"
#include "base/fork_gate.h"
#include "plugin/code.h"
#include "plugin/kernels.h"
#include "plugin/launches.h"
#include "plugin/library.h"
#include "runtime/install_paths.h"
#include "runtime/observed_work.h"

namespace hologram::runtime {
namespace {

constexpr std::string_view kFileName = "libhologram_jit.so";

struct Plugin {
  hologram_jit_compile_function compile = nullptr;
  hologram_jit_compile_circuit_function compile_circuit = nullptr;
  hologram_jit_compile_json_function compile_json = nullptr;
  hologram_jit_tvm_ffi_library_function tvm_ffi_library = nullptr;
  hologram_jit_merge_launches_function merge_launches = nullptr;
  std::string missing;  // why there is none
};

// HOLOGRAM_JIT, or beside libhologram, or in ../lib as seen from a program in bin.
std::vector<std::string> Places() {
  if (const char* named = ReadNonEmpty(Variable::kJit); named != nullptr) return {named};
  const std::string folder = OwnFolder();
  if (folder.empty()) return {};
  std::vector<std::string> places = {folder + "/" + std::string(kFileName)};
  // Of a folder called lib, the second one is the first.
  std::string other = folder + "/../lib/" + std::string(kFileName);
  if (InWords(other) != InWords(places[0])) places.push_back(std::move(other));
  return places;
}

// Whether only the owner of the process's rights, or root, can have put `path` there. A program
// that is linked statically looks beside itself, and another name of it can be made in any folder.
bool IsSafe(const std::string& path) {
  for (const std::string& part : {path, path.substr(0, path.rfind('/') + 1)}) {
    struct stat about{};
    if (stat(part.c_str(), &about) != 0 || (about.st_mode & kWritableByOthers) != 0) return false;
    if (about.st_uid != 0 && about.st_uid != geteuid()) return false;
  }
  return true;
}

// LLVM makes objects of some 2 MB when it is loaded. Without memory for them it ends the process,
// and nothing can be caught there. So it is loaded only where there is room for the file, which
// takes about its own size of address space, and for much more than the objects beside it.
void RequireRoom(const std::string& path) {
  constexpr size_t kRoom = size_t{16} << 20;
  struct stat about{};
  if (stat(path.c_str(), &about) != 0 || about.st_size <= 0) return;  // the loader says why
  const size_t size = static_cast<size_t>(about.st_size);
  constexpr int kOwn = MAP_PRIVATE | MAP_ANONYMOUS;
  void* const file = mmap(nullptr, size, PROT_NONE, kOwn, -1, 0);
  void* const objects = mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, kOwn, -1, 0);
  const bool is_room = file != MAP_FAILED && objects != MAP_FAILED;
  if (file != MAP_FAILED) munmap(file, size);
  if (objects != MAP_FAILED) munmap(objects, kRoom);
  if (!is_room) throw std::bad_alloc();
}

// Why the plugin does not fit this runtime; empty if it does.
std::string WhyUnfit(const std::string& path, void* library) {
  const auto version =
      reinterpret_cast<hologram_jit_version_function>(dlsym(library, "hologram_jit_version"));
  const std::string_view its = version == nullptr ? "that is not known" : version();
  if (its == HOLOGRAM_VERSION) return {};
  return path + " is a compiler plugin of version " + std::string(its) +
         ", and this is hologram " HOLOGRAM_VERSION
         "; install the hologram-jit wheel of version " HOLOGRAM_VERSION
         " beside it (docs/install.md)";
}

Plugin Open() {
  Plugin plugin;
  const std::vector<std::string> places = Places();
  if (places.empty()) plugin.missing = "its folder is not known; HOLOGRAM_JIT names one";
  for (const std::string& path : places) {
    if (access(path.c_str(), R_OK) != 0) {
      plugin.missing += (plugin.missing.empty() ? "looked for " : " and ") + InWords(path);
      continue;
    }
    if (HasMoreRightsThanItsUser() && !IsSafe(path)) {
      plugin.missing =
          path + " can be written by others, and this program has more rights than they";
      return plugin;
    }
    RequireRoom(path);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* reason = dlerror();
      plugin.missing = reason == nullptr ? path : reason;
      return plugin;
    }
    plugin.missing = WhyUnfit(path, library);
    if (!plugin.missing.empty()) return plugin;
    plugin.compile =
        reinterpret_cast<hologram_jit_compile_function>(dlsym(library, "hologram_jit_compile"));
    if (plugin.compile == nullptr) plugin.missing = path + " has no hologram_jit_compile";
    plugin.compile_circuit = reinterpret_cast<hologram_jit_compile_circuit_function>(
        dlsym(library, "hologram_jit_compile_circuit"));
    plugin.compile_json = reinterpret_cast<hologram_jit_compile_json_function>(
        dlsym(library, "hologram_jit_compile_json"));
    plugin.tvm_ffi_library = reinterpret_cast<hologram_jit_tvm_ffi_library_function>(
        dlsym(library, "hologram_jit_tvm_ffi_library"));
    plugin.merge_launches = reinterpret_cast<hologram_jit_merge_launches_function>(
        dlsym(library, "hologram_jit_merge_launches"));
    return plugin;
  }
  if (ReadNonEmpty(Variable::kJit) == nullptr) {
    plugin.missing += "; install the hologram-jit wheel beside hologram's (docs/install.md)";
  }
  return plugin;
}

std::string IdentityOfFile() {
  for (const std::string& path : Places()) {
    struct stat about{};
    if (stat(path.c_str(), &about) != 0) continue;
    std::string identity;
    for (const int64_t part :
         {static_cast<int64_t>(about.st_dev), static_cast<int64_t>(about.st_ino),
          static_cast<int64_t>(about.st_size), static_cast<int64_t>(about.st_mtim.tv_sec),
          static_cast<int64_t>(about.st_mtim.tv_nsec)}) {
      identity += std::to_string(part) + " ";
    }
    return identity;
  }
  return {};
}

// Loaded once and never closed: code that it compiled does not need it, other threads may.
const Plugin& ThePlugin() {
  const ForkGate section;
  CompilerIdentity();  // of the file that is loaded here, not of one that replaces it later
  static const Plugin plugin = Open();
  return plugin;
}

uint32_t OutputOf(CompileOutput output) {
  switch (output) {
    case CompileOutput::kObject:
      return HOLOGRAM_JIT_OBJECT;
    case CompileOutput::kAssembly:
      return HOLOGRAM_JIT_ASSEMBLY;
    case CompileOutput::kLlvm:
      return HOLOGRAM_JIT_LLVM;
    case CompileOutput::kRemarks:
      return HOLOGRAM_JIT_REMARKS;
    case CompileOutput::kCheckedObject:
      return HOLOGRAM_JIT_CHECKED_OBJECT;
    case CompileOutput::kInstrumentedObject:
      return HOLOGRAM_JIT_INSTRUMENTED_OBJECT;
  }
  return HOLOGRAM_JIT_OBJECT;
}

std::vector<uint8_t> WithoutLines(const verify::VerifiedProgram& program) {
  isa::Program bare = program.source();
  bare.debug.clear();
  return isa::EncodeDebug(bare);
}

// What the plugin gives. The functions that it calls throw nothing into it: LLVM is between.
struct Answer {
  std::vector<uint8_t> bytes;
  Diagnostic error;
  Diagnostics errors;  // of a document
  bool out_of_memory = false;

  template <class Take>
  void Try(const Take& take) noexcept {
    try {
      take();
    } catch (const std::exception&) {
      out_of_memory = true;
    }
  }
};

void TakeBytes(void* user, const uint8_t* bytes, size_t size) {
  auto& taken = *static_cast<Answer*>(user);
  taken.Try([&] { taken.bytes.assign(bytes, bytes + size); });
}

// Why something is not compiled: there is no plugin, or it is that of another version.
Diagnostic Lacks(const char* what, const Plugin& plugin) {
  return Error(ErrorCode::kUnsupported,
               std::string(what) + " by the compiler plugin: " +
                   (plugin.missing.empty() ? "this one is older and does not" : plugin.missing));
}

}  // namespace

const std::string& CompilerIdentity() {
  const ForkGate section;
  static const std::string identity = IdentityOfFile();
  return identity;
}

bool HasCompiler() {
  return ThePlugin().compile != nullptr;
}

const std::string& WhyNoCompiler() {
  return ThePlugin().missing;
}

namespace {

// What the plugin gives for several targets.
struct Outputs : Answer {
  std::vector<std::vector<uint8_t>> all;
};

Result<std::vector<std::vector<uint8_t>>> CompileUnseen(const verify::VerifiedProgram& program,
                                                        std::span<const Target> targets,
                                                        CompileOutput output, Checks checks,
                                                        DebugLines lines) {
  const ForkGate section;  // a child finds the locks of LLVM free
  const Plugin& plugin = ThePlugin();
  if (plugin.compile == nullptr) {
    return Error(ErrorCode::kUnsupported, "no compiler plugin: " + plugin.missing);
  }
  const std::vector<uint8_t> code = isa::EncodeCode(program.source());
  const std::vector<uint8_t> debug =
      lines == DebugLines::kKept ? isa::EncodeDebug(program.source()) : WithoutLines(program);
  std::vector<uint32_t> levels;
  for (const Target target : targets) levels.push_back(static_cast<uint32_t>(target));
  const auto on_result = [](void* user, const uint8_t* bytes, size_t size) {
    auto& taken = *static_cast<Outputs*>(user);
    taken.Try([&] { taken.all.emplace_back(bytes, bytes + size); });
  };
  const auto on_error = [](void* user, const uint8_t* bytes, size_t size) {
    auto& taken = *static_cast<Outputs*>(user);
    taken.Try([&] { taken.error.message.assign(bytes, bytes + size); });
  };
  Outputs answer;
  const int failed =
      plugin.compile(code.data(), code.size(), debug.data(), debug.size(), levels.data(),
                     levels.size(), checks == Checks::kLeftOut ? HOLOGRAM_JIT_UNCHECKED : 0,
                     OutputOf(output), on_result, on_error, &answer);
  if (answer.out_of_memory) throw std::bad_alloc();
  if (failed == 0) return std::move(answer.all);
  return Error(ErrorCode::kUnsupported, "kernel '" + program.program().name +
                                            "' cannot be compiled: " + answer.error.message);
}

}  // namespace

Result<std::vector<std::vector<uint8_t>>> CompileFor(const verify::VerifiedProgram& program,
                                                     std::span<const Target> targets,
                                                     CompileOutput output, Checks checks,
                                                     DebugLines lines) {
  ObservedCompile observed(program, targets, output);
  auto code = CompileUnseen(program, targets, output, checks, lines);
  observed.End(code.ok());
  return code;
}

Result<std::vector<uint8_t>> Compile(const verify::VerifiedProgram& program, Target target,
                                     CompileOutput output, Checks checks, DebugLines lines) {
  HOLOGRAM_ASSIGN_OR_RETURN(auto code, CompileFor(program, {&target, 1}, output, checks, lines));
  return std::move(code.at(0));
}

Result<std::vector<uint8_t>> CompileCircuit(std::string_view text, std::string_view name) {
  const observe::Span span("compile", name);
  const ForkGate section;
  const Plugin& plugin = ThePlugin();
  if (plugin.compile_circuit == nullptr) {
    return Lacks("circuits are compiled", plugin);
  }
  const auto on_error = [](void* user, uint32_t code, uint32_t line, uint32_t column,
                           const char* message, size_t size) {
    auto& taken = *static_cast<Answer*>(user);
    taken.Try([&] {
      taken.error.code = static_cast<ErrorCode>(code);
      taken.error.where = {"circuit", line, column};
      taken.error.message.assign(message, size);
    });
  };
  Answer answer;
  const int failed = plugin.compile_circuit(text.data(), text.size(), name.data(), name.size(),
                                            TakeBytes, on_error, &answer);
  if (answer.out_of_memory) throw std::bad_alloc();
  if (failed == 0) return std::move(answer.bytes);
  return std::move(answer.error);
}

namespace {

// A bundle made of a bundle.
Result<std::vector<uint8_t>> MadeOf(std::span<const uint8_t> bundle,
                                    hologram_jit_merge_launches_function make) {
  const auto on_error = [](void* user, uint32_t code, const char* message, size_t size) {
    auto& taken = *static_cast<Answer*>(user);
    taken.Try([&] {
      taken.error.code = static_cast<ErrorCode>(code);
      taken.error.message.assign(message, size);
    });
  };
  Answer answer;
  const int failed = make(bundle.data(), bundle.size(), TakeBytes, on_error, &answer);
  if (answer.out_of_memory) throw std::bad_alloc();
  if (failed == 0) return std::move(answer.bytes);
  return std::move(answer.error);
}

}  // namespace

Result<std::vector<uint8_t>> TvmFfiLibrary(std::span<const uint8_t> bundle) {
  const ForkGate section;
  const Plugin& plugin = ThePlugin();
  if (plugin.tvm_ffi_library == nullptr) return Lacks("libraries for tvm-ffi are written", plugin);
  return MadeOf(bundle, plugin.tvm_ffi_library);
}

Result<std::vector<uint8_t>> MergeLaunches(std::span<const uint8_t> bundle) {
  const observe::Span span("merge", "launches");
  const ForkGate section;
  const Plugin& plugin = ThePlugin();
  if (plugin.merge_launches == nullptr) return Lacks("launches are merged", plugin);
  return MadeOf(bundle, plugin.merge_launches);
}

Result<std::vector<uint8_t>> CompileJson(std::string_view json, std::string_view file) {
  const observe::Span span("compile", file);
  const ForkGate section;
  const Plugin& plugin = ThePlugin();
  if (plugin.compile_json == nullptr) return Lacks("kernel JSON is compiled", plugin);
  const auto on_error = [](void* user, uint32_t code, const char* where, size_t where_size,
                           uint32_t line, uint32_t column, const char* message, size_t size) {
    auto& taken = *static_cast<Answer*>(user);
    taken.Try([&] {
      taken.errors.push_back({static_cast<ErrorCode>(code),
                              {std::string(where, where_size), line, column},
                              std::string(message, size)});
    });
  };
  Answer answer;
  const int failed = plugin.compile_json(json.data(), json.size(), file.data(), file.size(),
                                         TakeBytes, on_error, &answer);
  if (answer.out_of_memory) throw std::bad_alloc();
  if (failed == 0) return std::move(answer.bytes);
  if (answer.errors.empty())
    return Error(ErrorCode::kInternal, "the compiler plugin gave no error");
  return std::move(answer.errors);
}

}  // namespace hologram::runtime
