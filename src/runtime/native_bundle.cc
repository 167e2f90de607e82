#include "runtime/native_bundle.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "runtime/checked_form.h"
#include "runtime/code_cache.h"
#include "runtime/thread_count.h"

namespace hologram::runtime {
namespace {

Result<std::vector<uint8_t>> Make(const verify::VerifiedProgram& program, Target target,
                                  CompileOutput output, DebugLines lines,
                                  const std::optional<CodeCache>& cache) {
  const auto compile = [&] { return Compile(program, target, output, Checks::kKept, lines); };
  if (!cache || lines != DebugLines::kKept) return compile();
  const Hash key = CodeKey(program, target, CompilerIdentity(), output);
  if (auto kept = cache->Find(key)) return std::move(*kept);
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<uint8_t> object, compile());
  cache->Keep(key, object);
  return object;
}

NativeForms MakeForms(const verify::VerifiedProgram& program, const NativeOptions& options,
                      const std::optional<CodeCache>& cache) {
  NativeForms forms;
  bool checked = options.checked && MayNeedCheckedForm(program);
  for (const Target target : options.targets) {
    const auto make = [&](CompileOutput output) {
      return Make(program, target, output, options.lines, cache);
    };
    Result<std::vector<uint8_t>> object = make(CompileOutput::kObject);
    if (!object.ok()) return {{}, {}, object.errors()};
    forms.objects.push_back(std::move(object).value());
    if (!checked) continue;
    object = make(CompileOutput::kCheckedObject);
    if (object.ok()) {
      forms.checked.push_back(std::move(object).value());
    } else {  // launches that need it are interpreted, and say so
      forms.checked.clear();
      checked = false;
    }
  }
  return forms;
}

}  // namespace

std::span<const Target> UsualTargets() {
  static constexpr Target kUsual[] = {Target::kX86V3, Target::kX86V4};
  return kUsual;
}

Result<std::vector<NativeForms>> MakeNativeCode(std::span<const verify::VerifiedProgram> programs,
                                                const NativeOptions& options) {
  std::optional<CodeCache> folder;
  if (options.cache) {
    HOLOGRAM_ASSIGN_OR_RETURN(folder, CodeCache::Open(*options.cache));
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const uint32_t most, DefaultThreads());
  const size_t threads = std::min<size_t>(most, programs.size());
  std::vector<NativeForms> forms(programs.size());
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr thrown;  // the first; with the mutex held
  const auto work = [&] {
    try {
      for (size_t k = next++; k < programs.size(); k = next++) {
        forms[k] = MakeForms(programs[k], options, folder);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (thrown == nullptr) thrown = std::current_exception();
    }
  };
  std::vector<std::thread> helpers;
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

Result<std::vector<uint8_t>> BundleOf(std::span<const verify::VerifiedProgram> programs,
                                      std::vector<NativeForms> forms,
                                      std::span<const Target> targets,
                                      std::vector<uint8_t> pipeline) {
  forms.resize(programs.size());
  bundle::BundleWriter writer;
  for (size_t i = 0; i < programs.size(); ++i) {
    const size_t number = writer.AddProgram(programs[i].source());
    for (size_t k = 0; k < forms[i].objects.size(); ++k) {
      writer.AddNative(number, bundle::LevelOf(targets[k]), std::move(forms[i].objects[k]));
    }
    for (size_t k = 0; k < forms[i].checked.size(); ++k) {
      writer.AddNative(number, bundle::LevelOf(targets[k]), std::move(forms[i].checked[k]),
                       bundle::SectionType::kChecked);
    }
  }
  if (!pipeline.empty()) writer.SetPipeline(std::move(pipeline));
  return writer.Finish();
}

Result<std::vector<uint8_t>> WithNativeCode(std::span<const uint8_t> bundle,
                                            std::span<const Target> targets) {
  HOLOGRAM_ASSIGN_OR_RETURN(const bundle::BundleReader reader, bundle::BundleReader::Open(bundle));
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<uint8_t> pipeline, reader.ReadPipeline());
  std::vector<verify::VerifiedProgram> programs;
  for (size_t i = 0; i < reader.size(); ++i) {
    HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program, reader.ReadProgram(i));
    HOLOGRAM_ASSIGN_OR_RETURN(verify::VerifiedProgram verified, verify::Verify(std::move(program)));
    programs.push_back(std::move(verified));
  }
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<NativeForms> forms, MakeNativeCode(programs, {targets}));
  for (const NativeForms& form : forms) {
    if (!form.errors.empty()) return form.errors;
  }
  return BundleOf(programs, std::move(forms), targets, std::move(pipeline));
}

}  // namespace hologram::runtime
