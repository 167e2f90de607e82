#include "base/environment.h"

#include <stdlib.h>
#include <sys/auxv.h>

#include <array>

namespace hologram {
namespace {

using enum Variable;
using enum VariableKind;
using Reader = VariableReader;

constexpr std::array kVariables = {
    VariableInfo{kJit, "HOLOGRAM_JIT", kCode, Reader::kLibrary,
                 "the compiler plugin; else `libhologram_jit.so` beside the library"},
    VariableInfo{kStdlib, "HOLOGRAM_STDLIB", kFiles, Reader::kLibrary,
                 "the standard library; else `stdlib.holo` beside the library"},
    VariableInfo{kKernelPath, "HOLOGRAM_KERNEL_PATH", kFiles, Reader::kLibrary,
                 "folders of kernels that beat those of the program, separated by `:` "
                 "(`docs/registry.md`)"},
    VariableInfo{
        kNativeKernelPath, "HOLOGRAM_NATIVE_KERNEL_PATH", kCode, Reader::kLibrary,
        "such folders in which kernels written by hand, which are not verified, are loaded "
        "too"},
    VariableInfo{kCacheDir, "HOLOGRAM_CACHE_DIR", kCode, Reader::kLibrary,
                 "where compiled kernels are kept (`docs/code-cache.md`); set to nothing: nowhere"},
    VariableInfo{kXdgCacheHome, "XDG_CACHE_HOME", kCode, Reader::kLibrary,
                 "without `HOLOGRAM_CACHE_DIR` they are kept in its folder `hologram`"},
    VariableInfo{kHome, "HOME", kCode, Reader::kLibrary,
                 "without both they are kept in its folder `.cache/hologram`"},
    VariableInfo{kProfile, "HOLOGRAM_PROFILE", kFiles, Reader::kLibrary,
                 "`perf`, `jitdump`, `gdb`, separated by `,`: which tools learn of compiled code "
                 "(`docs/debugging.md`)"},
    VariableInfo{kProfileDir, "HOLOGRAM_PROFILE_DIR", kFiles, Reader::kLibrary,
                 "the folder of `jitdump`; else `/tmp`"},
    VariableInfo{kLibrary, "HOLOGRAM_LIBRARY", kCode, Reader::kPython,
                 "`libhologram.so` for kernels as plain Python (`docs/debugging.md`)"},
    VariableInfo{kPython, "HOLOGRAM_PYTHON", kCode, Reader::kCommand,
                 "the Python that reads `.py` files; else `python3`"},
    VariableInfo{kCc, "CC", kCode, Reader::kCommand,
                 "the program that links `.so`, and objects of several kernels; else `cc`"},
    VariableInfo{kTmpdir, "TMPDIR", kFiles, Reader::kCommand,
                 "where files lie while they are linked; else `/tmp`"},
    VariableInfo{kTiered, "HOLOGRAM_TIERED", kChoice, Reader::kLibrary,
                 "`never`: no kernel runs in the interpreter while it is compiled, also where a "
                 "program asks for that (`docs/code-cache.md`)"},
    VariableInfo{kCpuLevel, "HOLOGRAM_CPU_LEVEL", kChoice, Reader::kLibrary,
                 "`v2`, `v3` or `v4`: not above this level"},
    VariableInfo{kNumThreads, "HOLOGRAM_NUM_THREADS", kChoice, Reader::kLibrary,
                 "how many threads a launch may use; `--threads` comes first"},
    VariableInfo{kOmpNumThreads, "OMP_NUM_THREADS", kChoice, Reader::kLibrary,
                 "the same without `HOLOGRAM_NUM_THREADS`: the first number, if it is one"},
    VariableInfo{
        kProgress, "HOLOGRAM_PROGRESS", kChoice, Reader::kCommand,
        "`always`: progress also where standard error is no terminal; Python reads it too"},
    VariableInfo{kOpenCl, "HOLOGRAM_OPENCL", kCode, Reader::kLibrary,
                 "the OpenCL library; else `libOpenCL.so.1` (`docs/devices.md`)"},
    VariableInfo{kCuda, "HOLOGRAM_CUDA", kCode, Reader::kLibrary,
                 "the library of NVIDIA's driver; else `libcuda.so.1` (`docs/devices.md`)"},
    VariableInfo{kTrace, "HOLOGRAM_TRACE", kFiles, Reader::kLibrary,
                 "a file for a trace of the process, written when it ends (`docs/seeing.md`)"},
};

constexpr bool IsInOrder() {
  for (size_t k = 0; k < kVariables.size(); ++k) {
    if (static_cast<size_t>(kVariables[k].variable) != k) return false;
  }
  return true;
}
static_assert(IsInOrder());

const char* NameOf(VariableKind kind) {
  switch (kind) {
    case kCode:
      return "code";
    case kFiles:
      return "files";
    case kChoice:
      return "choice";
  }
  return "";
}

const char* NameOf(VariableReader reader) {
  switch (reader) {
    case Reader::kLibrary:
      return "library";
    case Reader::kCommand:
      return "command";
    case Reader::kPython:
      return "Python";
  }
  return "";
}

}  // namespace

std::span<const VariableInfo> Variables() {
  return kVariables;
}

const VariableInfo& InfoOf(Variable variable) {
  return kVariables[static_cast<size_t>(variable)];
}

bool HasMoreRightsThanItsUser() {
  return getauxval(AT_SECURE) != 0;
}

const char* ReadVariable(Variable variable) {
  return secure_getenv(InfoOf(variable).name);
}

const char* ReadNonEmpty(Variable variable) {
  const char* value = ReadVariable(variable);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

std::string VariablesMarkdown() {
  std::string text = "| variable | names | read by | meaning |\n|---|---|---|---|\n";
  for (const VariableInfo& info : kVariables) {
    text += std::string("| `") + info.name + "` | " + NameOf(info.kind) + " | " +
            NameOf(info.reader) + " | " + info.meaning + " |\n";
  }
  return text;
}

}  // namespace hologram
