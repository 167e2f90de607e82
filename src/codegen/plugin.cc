#include <llvm/Support/ErrorHandling.h>

#include <atomic>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <optional>
#include <stdexcept>

#include "codegen/codegen.h"
#include "codegen/reserve.h"
#include "plugin/code.h"
#include "verify/checked_form.h"

// Objects with static storage in this library, LLVM's among them, live until the process ends: what
// would destroy them at its end is not registered, as a thread may still be compiling then. The
// library is never unloaded (runtime/compiler_plugin.cc).
extern "C" int __cxa_atexit(void (* /*destroy*/)(void*), void* /*object*/,
                            void* /*library*/) noexcept {
  return 0;
}

namespace hologram::codegen {
namespace {

Result<Options> ReadOptions(uint32_t level, uint32_t flags) {
  if (level >= std::size(kTargets)) {
    return Error(ErrorCode::kInvalidArgument, "level " + std::to_string(level) +
                                                  " does not exist, the last is " +
                                                  std::to_string(std::size(kTargets) - 1));
  }
  Options options;
  options.level = static_cast<Level>(level);
  options.debug_lines = (flags & HOLOGRAM_JIT_NO_DEBUG_LINES) == 0;
  options.unchecked = (flags & HOLOGRAM_JIT_UNCHECKED) != 0;
  return options;
}

struct Request {
  std::vector<uint8_t> code;
  std::vector<uint8_t> debug;
  std::vector<uint32_t> levels;
  uint32_t flags;
  uint32_t output;
};

using Outputs = std::vector<std::vector<uint8_t>>;

// LLVM that was left in the middle has objects half made and locks held. So the compiler is not
// called again in this process then; kernels are interpreted.
std::atomic<bool> is_lost{false};
constexpr const char* kLost =
    "the compiler was left in the middle before, and is not used again in this process";

// What LLVM calls where an allocation fails, and for errors of which it says that they cannot
// happen. It would end the process.
void OnNoMemory(void* /*user*/, const char* /*reason*/, bool /*generate_crash_report*/) {
  Reserve::Leave("out of memory");
  throw std::bad_alloc();
}
void OnFatal(void* /*user*/, const char* reason, bool /*generate_crash_report*/) {
  Reserve::Leave(reason);
  throw std::runtime_error(reason);
}

// LLVM is entered here alone.
Result<std::vector<uint8_t>> CompileOnReserve(const verify::VerifiedProgram& program,
                                              const Options& options, Output output) {
  // LLVM takes about 1.2 MB for a small kernel and 11 KB for each instruction of a large one.
  constexpr size_t kInstructionsOfRegion = 1000;
  struct Work {
    const verify::VerifiedProgram& program;
    const Options& options;
    Output output;
    std::optional<Result<std::vector<uint8_t>>> made;
  };
  Reserve reserve(1 + program.program().code.size() / kInstructionsOfRegion);
  if (!reserve.is_ready()) throw std::bad_alloc();
  Work work{program, options, output, std::nullopt};
  const bool is_done = reserve.Run(
      [](void* data) {
        Work& given = *static_cast<Work*>(data);
        given.made.emplace(Compile(given.program, given.options, given.output));
      },
      &work);
  if (is_done) return *std::move(work.made);
  is_lost = true;
  return Error(ErrorCode::kResourceLimit, reserve.why());
}

// The program is verified once, whatever it is compiled for.
Result<Outputs> Serve(const Request& request) {
  if (request.output > HOLOGRAM_JIT_INSTRUMENTED_OBJECT) {
    return Error(ErrorCode::kInvalidArgument, "output " + std::to_string(request.output) +
                                                  " does not exist, the last is " +
                                                  std::to_string(HOLOGRAM_JIT_INSTRUMENTED_OBJECT));
  }
  HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program, isa::DecodeProgram(request.code, request.debug));
  const bool checked = request.output == HOLOGRAM_JIT_CHECKED_OBJECT;
  const bool instrumented = request.output == HOLOGRAM_JIT_INSTRUMENTED_OBJECT;
  HOLOGRAM_ASSIGN_OR_RETURN(
      const verify::VerifiedProgram verified,
      checked ? verify::VerifyCheckedForm(std::move(program)) : verify::Verify(std::move(program)));
  Outputs outputs;
  for (const uint32_t level : request.levels) {
    HOLOGRAM_ASSIGN_OR_RETURN(Options options, ReadOptions(level, request.flags));
    options.instrumented = instrumented;
    outputs.emplace_back();
    if (checked && !verify::LeavesAccesses(verified)) continue;
    HOLOGRAM_ASSIGN_OR_RETURN(
        outputs.back(),
        CompileOnReserve(
            verified, options,
            checked || instrumented ? Output::kObject : static_cast<Output>(request.output)));
  }
  return outputs;
}

void InstallHandlers() {
  [[maybe_unused]] static const bool installed = [] {
    llvm::install_bad_alloc_error_handler(OnNoMemory);
    llvm::install_fatal_error_handler(OnFatal);
    return true;
  }();
}

template <class T>
std::vector<T> Copy(const T* first, size_t size) {
  if (size == 0) return {};
  return std::vector<T>(first, first + size);
}

void Send(hologram_jit_sink sink, void* user, const std::string& text) {
  sink(user, reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

}  // namespace
}  // namespace hologram::codegen

#define HOLOGRAM_JIT_EXPORT extern "C" [[gnu::visibility("default")]]

HOLOGRAM_JIT_EXPORT const char* hologram_jit_version() {
  return HOLOGRAM_VERSION;
}

HOLOGRAM_JIT_EXPORT int hologram_jit_compile(const uint8_t* code, size_t code_size,
                                             const uint8_t* debug, size_t debug_size,
                                             const uint32_t* levels, size_t num_levels,
                                             uint32_t flags, uint32_t output,
                                             hologram_jit_sink result, hologram_jit_sink error,
                                             void* user) {
  namespace codegen = hologram::codegen;
  codegen::Outputs outputs;
  std::string message;
  try {
    codegen::InstallHandlers();
    if (codegen::is_lost) {
      message = codegen::kLost;
    } else {
      auto made = codegen::Serve({codegen::Copy(code, code_size), codegen::Copy(debug, debug_size),
                                  codegen::Copy(levels, num_levels), flags, output});
      if (made.ok()) {
        outputs = std::move(made).value();
      } else {
        message = made.errors()[0].message;
      }
    }
  } catch (const std::bad_alloc&) {
    message = "out of memory";  // short enough to need none
  } catch (const std::exception& exception) {
    const char* const what = exception.what();
    error(user, reinterpret_cast<const uint8_t*>(what), std::strlen(what));
    return 1;
  }
  if (!message.empty()) {
    codegen::Send(error, user, message);
    return 1;
  }
  for (const std::vector<uint8_t>& bytes : outputs) result(user, bytes.data(), bytes.size());
  return 0;
}

HOLOGRAM_JIT_EXPORT uint64_t hologram_jit_verifications() {
  return hologram::verify::VerificationsMade();
}
