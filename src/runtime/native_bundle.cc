#include "runtime/native_bundle.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/quote.h"
#include "engines/code_cache.h"
#include "runtime/checked_form.h"
#include "runtime/code_key.h"
#include "runtime/observed_work.h"
#include "runtime/thread_count.h"

namespace hologram::runtime {
namespace {

using Objects = std::vector<std::vector<uint8_t>>;

// One for each target. What the cache does not have is compiled in one call, for which the plugin
// verifies the program once.
Result<Objects> Make(const verify::VerifiedProgram& program, CompileOutput output,
                     const NativeOptions& options, const std::optional<CodeCache>& cache) {
  const std::span<const Target> targets = options.targets;
  if (!cache || options.lines != DebugLines::kKept) {
    return CompileFor(program, targets, output, Checks::kKept, options.lines);
  }
  Objects objects(targets.size());
  std::vector<Target> missing;
  std::vector<size_t> places;  // of what is missing
  for (size_t k = 0; k < targets.size(); ++k) {
    if (auto kept = cache->Find(CodeKey(program, targets[k], CompilerIdentity(), output))) {
      objects[k] = std::move(*kept);
    } else {
      missing.push_back(targets[k]);
      places.push_back(k);
    }
  }
  if (missing.empty()) return objects;
  HOLOGRAM_ASSIGN_OR_RETURN(Objects made, CompileFor(program, missing, output));
  for (size_t k = 0; k < made.size(); ++k) {
    if (!made[k].empty()) {
      cache->Keep(CodeKey(program, missing[k], CompilerIdentity(), output), made[k]);
    }
    objects[places[k]] = std::move(made[k]);
  }
  return objects;
}

NativeForms MakeForms(const verify::VerifiedProgram& program, const NativeOptions& options,
                      const std::optional<CodeCache>& cache) {
  NativeForms forms;
  Result<Objects> objects = Make(program, CompileOutput::kObject, options, cache);
  if (!objects.ok()) return {{}, {}, objects.errors()};
  forms.objects = std::move(objects).value();
  if (!options.checked || !MayHaveCheckedForm(program)) return forms;
  objects = Make(program, CompileOutput::kCheckedObject, options, cache);
  // Without this form, launches that need it are interpreted, and say so.
  if (!objects.ok()) return forms;
  const auto is_empty = [](const std::vector<uint8_t>& object) { return object.empty(); };
  if (std::any_of(objects.value().begin(), objects.value().end(), is_empty)) return forms;
  forms.checked = std::move(objects).value();
  return forms;
}

}  // namespace

std::span<const Target> UsualTargets() {
  static constexpr Target kX86[] = {Target::kX86V3, Target::kX86V4};
  static constexpr Target kAArch64[] = {Target::kAArch64};
  if constexpr (kHostFamily == Family::kAArch64) return kAArch64;
  return kX86;
}

Result<std::vector<Target>> TargetsNamed(const std::string& what, std::string_view text) {
  std::vector<Target> targets;
  if (text == "none") return targets;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const size_t comma = rest.find(',');
    const std::optional<Target> target = FindBundleTarget(rest.substr(0, comma));
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
    if (!target || std::find(targets.begin(), targets.end(), *target) != targets.end()) {
      return Error(ErrorCode::kInvalidArgument,
                   what + "none, " + BundleTargetNames() +
                       ", or several of these with commas, each once, found " + Shown(text));
    }
    targets.push_back(*target);
  }
  return targets;
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
        if (options.done != nullptr) options.done->fetch_add(1, std::memory_order_relaxed);
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
                                      std::vector<uint8_t> pipeline,
                                      const ArgumentTexts& arguments) {
  forms.resize(programs.size());
  bundle::BundleWriter writer;
  for (size_t i = 0; i < programs.size(); ++i) {
    const isa::Program& program = programs[i].source();
    const size_t number = writer.AddProgram(program);
    const auto text = arguments.find(program.name);
    if (text != arguments.end()) writer.SetArguments(number, text->second);
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
  ArgumentTexts arguments;
  for (size_t i = 0; i < reader.size(); ++i) {
    HOLOGRAM_ASSIGN_OR_RETURN(arguments[reader.NameOf(i)], reader.ReadArguments(i));
    HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program, reader.ReadProgram(i));
    HOLOGRAM_ASSIGN_OR_RETURN(verify::VerifiedProgram verified, VerifySeen(std::move(program)));
    programs.push_back(std::move(verified));
  }
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<NativeForms> forms, MakeNativeCode(programs, {targets}));
  for (const NativeForms& form : forms) {
    if (!form.errors.empty()) return form.errors;
  }
  return BundleOf(programs, std::move(forms), targets, std::move(pipeline), arguments);
}

}  // namespace hologram::runtime
