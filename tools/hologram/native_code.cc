#include "native_code.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "progress.h"
#include "report.h"
#include "runtime/code_cache.h"
#include "runtime/compiler_plugin.h"
#include "runtime/thread_count.h"

namespace hologram::tool {
namespace {

using runtime::CompileTarget;

Result<std::vector<uint8_t>> Make(const verify::VerifiedProgram& program, CompileTarget target,
                                  const std::optional<runtime::CodeCache>& cache) {
  if (!cache) return runtime::Compile(program, target, runtime::CompileOutput::kObject);
  const Hash key = runtime::CodeKey(program, target, runtime::CompilerIdentity());
  if (auto kept = cache->Find(key)) return std::move(*kept);
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<uint8_t> object,
                            runtime::Compile(program, target, runtime::CompileOutput::kObject));
  cache->Keep(key, object);
  return object;
}

NativeForms MakeForms(const verify::VerifiedProgram& program,
                      const std::optional<runtime::CodeCache>& cache) {
  NativeForms forms;
  Result<std::vector<uint8_t>> v3 = Make(program, CompileTarget::kX86V3, cache);
  if (!v3.ok()) {
    forms.errors = v3.errors();
    return forms;
  }
  Result<std::vector<uint8_t>> v4 = Make(program, CompileTarget::kX86V4, cache);
  if (!v4.ok()) {
    forms.errors = v4.errors();
    return forms;
  }
  forms.v3 = std::move(v3).value();
  forms.v4 = std::move(v4).value();
  return forms;
}

}  // namespace

std::vector<NativeForms> MakeNativeCode(const std::vector<verify::VerifiedProgram>& programs,
                                        const std::optional<std::string>& cache) {
  std::optional<runtime::CodeCache> folder;
  if (cache) folder = OrFail(runtime::CodeCache::Open(*cache));
  std::vector<NativeForms> forms(programs.size());
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr thrown;  // the first; with the mutex held
  const auto work = [&] {
    try {
      for (size_t k = next++; k < programs.size(); k = next++) {
        forms[k] = MakeForms(programs[k], folder);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (thrown == nullptr) thrown = std::current_exception();
    }
  };
  const Progress progress(programs.size() == 1
                              ? "compiling kernel '" + programs[0].program().name + "'"
                              : "compiling " + std::to_string(programs.size()) + " kernels");
  std::vector<std::thread> helpers;
  const size_t threads = std::min<size_t>(OrFail(runtime::DefaultThreads()), programs.size());
  try {
    for (size_t t = 1; t < threads; ++t) helpers.emplace_back(work);
  } catch (const std::exception&) {
    // No more threads, or no memory for one: those that there are do the work.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  if (thrown != nullptr) std::rethrow_exception(thrown);
  return forms;
}

}  // namespace hologram::tool
