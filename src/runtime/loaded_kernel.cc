#include "runtime/loaded_kernel.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <string_view>

#include "base/blake3.h"
#include "base/environment.h"
#include "engines/code_cache.h"
#include "engines/cpu_features.h"
#include "observe/counters.h"
#include "observe/span.h"
#include "runtime/background_compiler.h"
#include "runtime/code_key.h"
#include "runtime/compiler_plugin.h"
#include "runtime/observed_work.h"
#include "runtime/thread_count.h"
#include "runtime/thread_pool.h"

namespace hologram::runtime {
namespace {

struct Native {
  NativeCode code;
  std::string origin;
  std::string level;
};

// An object of a bundle for some target, which has the hash that the bundle says.
struct Object {
  std::vector<uint8_t> bytes;
  Target target;
};

// False: `bytes` of the section were compiled for another version of the native ABI, which `note`
// then says.
Result<bool> IsUsable(const bundle::NativeCode& section, std::span<const uint8_t> bytes,
                      std::string& note) {
  if (Blake3(bytes) != section.expected) {
    return Error(ErrorCode::kInvalidBundle,
                 section.name + " does not match its hash: the file is damaged or altered");
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const uint32_t version, NativeCode::AbiVersionOf(bytes));
  if (version == HOLOGRAM_NATIVE_ABI_VERSION) return true;
  if (note.empty()) note = OtherAbiNote(section.name, version);
  return false;
}

// Native code of the best level that the bundle has for this machine.
Result<std::optional<Object>> FindInBundle(const bundle::BundleReader& reader, size_t number,
                                           Target target, bundle::SectionType type,
                                           std::string& note) {
  for (size_t k = std::size(kTargets); k-- > 0;) {
    const TargetInfo& candidate = kTargets[k];
    if (candidate.family != InfoOf(target).family || candidate.target > target) continue;
    const auto section = reader.NativeSection(number, bundle::LevelOf(candidate.target), type);
    if (!section) continue;
    // The bundle may be a mapped file: what is hashed is what is run.
    std::vector<uint8_t> copy(section->bytes.begin(), section->bytes.end());
    HOLOGRAM_ASSIGN_OR_RETURN(const bool is_usable, IsUsable(*section, copy, note));
    if (is_usable) return std::optional<Object>({std::move(copy), candidate.target});
  }
  return std::optional<Object>();
}

Result<std::optional<Native>> FromBundle(const bundle::BundleReader& reader, size_t number,
                                         Target target, const CancelWord& cancel,
                                         std::string& note) {
  HOLOGRAM_ASSIGN_OR_RETURN(
      const std::optional<Object> object,
      FindInBundle(reader, number, target, bundle::SectionType::kNative, note));
  if (!object) return std::optional<Native>();
  HOLOGRAM_ASSIGN_OR_RETURN(NativeCode code, NativeCode::Load(object->bytes, cancel.word()));
  return std::optional<Native>(
      Native{std::move(code), "bundle", InfoOf(object->target).short_name});
}

Result<std::vector<uint8_t>> CheckedFromBundle(const bundle::BundleReader& reader, size_t number,
                                               Target target, std::string& note) {
  HOLOGRAM_ASSIGN_OR_RETURN(
      std::optional<Object> object,
      FindInBundle(reader, number, target, bundle::SectionType::kChecked, note));
  return object ? std::move(object->bytes) : std::vector<uint8_t>();
}

// Where native code that was made before may be, and under which key.
struct Cached {
  std::optional<CodeCache> cache;
  Hash key;
  std::string why_not;  // a cache that was asked for is left aside
};

Result<Cached> PlaceInCache(const verify::VerifiedProgram& program, Target target,
                            CompileOutput object) {
  Cached place;
  if (CompilerIdentity().empty()) return place;
  Result<std::optional<CodeCache>> opened = CodeCache::OfUser();
  // On a machine of others it must not stop a program, which runs the same without it.
  if (!opened.ok()) {
    place.why_not = opened.errors()[0].message + "; it is not used, each process compiles again";
    return place;
  }
  place.cache = std::move(opened).value();
  if (place.cache) place.key = CodeKey(program, target, CompilerIdentity(), object);
  return place;
}

Result<std::optional<Native>> FromCache(const Cached& place, Target target,
                                        const CancelWord& cancel) {
  if (!place.cache) return std::optional<Native>();
  observe::Span span("cache", "look for code");
  const auto kept = place.cache->Find(place.key);
  span.Text("found", kept ? "yes" : "no");
  observe::Count(kept ? observe::Counter::kCacheHits : observe::Counter::kCacheMisses);
  if (!kept) return std::optional<Native>();
  // What an older library has kept, or nobody can have: it is compiled again.
  const Result<uint32_t> version = NativeCode::AbiVersionOf(*kept);
  if (!version.ok() || version.value() != HOLOGRAM_NATIVE_ABI_VERSION) {
    return std::optional<Native>();
  }
  HOLOGRAM_ASSIGN_OR_RETURN(NativeCode code, NativeCode::Load(*kept, cancel.word()));
  return std::optional<Native>(Native{std::move(code), "cache", InfoOf(target).short_name});
}

Result<Native> FromCompiler(const verify::VerifiedProgram& program, Target target,
                            const Cached& place, const CancelWord& cancel,
                            CompileOutput output = CompileOutput::kObject) {
  // Of several processes that need it at once, the first one compiles.
  std::optional<CodeCache::Turn> turn;
  if (place.cache) turn.emplace(place.cache->Await(place.key));
  if (turn && turn->has_waited()) {
    Result<std::optional<Native>> made = FromCache(place, target, cancel);
    if (made.ok() && made.value()) return *std::move(made.value());
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> object, Compile(program, target, output));
  HOLOGRAM_ASSIGN_OR_RETURN(NativeCode code, NativeCode::Load(object, cancel.word()));
  if (place.cache) {
    const observe::Span span("cache", "keep code");
    place.cache->Keep(place.key, object);
  }
  return Native{std::move(code), "jit", InfoOf(target).short_name};
}

Result<NativeCode> CheckedCodeOf(const verify::VerifiedProgram& program, Target target,
                                 const CancelWord& cancel) {
  HOLOGRAM_ASSIGN_OR_RETURN(const Cached place,
                            PlaceInCache(program, target, CompileOutput::kCheckedObject));
  Result<std::optional<Native>> kept = FromCache(place, target, cancel);
  if (kept.ok() && kept.value()) return std::move(kept.value()->code);
  HOLOGRAM_ASSIGN_OR_RETURN(
      Native made, FromCompiler(program, target, place, cancel, CompileOutput::kCheckedObject));
  return std::move(made.code);
}

// Whether the environment allows kernels to run before they are compiled.
Result<bool> AllowsTiered() {
  const char* value = ReadNonEmpty(Variable::kTiered);
  if (value == nullptr) return true;
  if (std::string_view(value) == "never") return false;
  return Error(ErrorCode::kInvalidArgument,
               "HOLOGRAM_TIERED: expected 'never' or nothing, found '" + std::string(value) + "'");
}

void CompileInBackground(const std::shared_ptr<Kernel>& kernel, Target target, Cached place) {
  const auto shared = std::make_shared<const Cached>(std::move(place));
  BackgroundCompiler::Shared().Add([kernel, target, shared](bool stopped) {
    try {
      if (stopped) return kernel->SetNoCode("the process ended before it was compiled");
      Result<Native> compiled =
          FromCompiler(kernel->verified(), target, *shared, *kernel->cancel());
      if (!compiled.ok()) return kernel->SetNoCode(compiled.errors()[0].message);
      Native native = std::move(compiled).value();
      kernel->SetCode(std::move(native.code), native.origin, native.level);
    } catch (const std::exception&) {
      kernel->SetNoCode({});
    }
  });
}

}  // namespace

std::string OtherAbiNote(const std::string& section, uint32_t version) {
  return section + " was compiled for version " + std::to_string(version) +
         " of the native ABI and is not used by this library, which has version " +
         std::to_string(HOLOGRAM_NATIVE_ABI_VERSION);
}

bool HasCode(const bundle::BundleReader& reader, size_t number) {
  return std::any_of(std::begin(kTargets), std::end(kTargets), [&](const TargetInfo& info) {
    if (info.family != kHostFamily || info.section == 0) return false;
    const bundle::NativeLevel level = bundle::LevelOf(info.target);
    return reader.NativeSection(number, level, bundle::SectionType::kNative).has_value();
  });
}

Result<std::shared_ptr<const Launchable>> LoadedKernel::Make(const KernelSettings& settings) {
  if (library_ != nullptr) return std::shared_ptr<const Launchable>(library_);
  const std::lock_guard lock(mutex_);
  if (kernel_ == nullptr) {
    if (!program_) {
      HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program, bundle_->reader->ReadProgram(number_));
      HOLOGRAM_ASSIGN_OR_RETURN(program_, VerifySeen(std::move(program)));
      HOLOGRAM_ASSIGN_OR_RETURN(arguments_, bundle_->reader->ReadArguments(number_));
    }
    HOLOGRAM_ASSIGN_OR_RETURN(kernel_, Prepare(settings));
    bundle_ = nullptr;
    program_.reset();
  }
  return std::shared_ptr<const Launchable>(kernel_);
}

Result<std::shared_ptr<const Kernel>> LoadedKernel::Prepare(const KernelSettings& settings) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::optional<Target> target, engines::CurrentTarget());
  uint32_t threads = settings.threads;
  if (threads == 0) {
    HOLOGRAM_ASSIGN_OR_RETURN(threads, DefaultThreads());
  }
  std::optional<Native> native;
  std::vector<uint8_t> checked;
  std::string note;
  std::string why_not = "native code is not wanted";
  Cached place;
  bool later = false;
  if (allow_native_ && !target) {
    why_not = std::string("it needs ") + kNativeProcessors;
  } else if (allow_native_) {
    // A trusted bundle whose code cannot be loaded is damaged: that is never passed over.
    if (trust_native_) {
      HOLOGRAM_ASSIGN_OR_RETURN(
          native, FromBundle(*bundle_->reader, number_, *target, *settings.cancel, note));
      HOLOGRAM_ASSIGN_OR_RETURN(checked,
                                CheckedFromBundle(*bundle_->reader, number_, *target, note));
    }
    if (!native) {
      HOLOGRAM_ASSIGN_OR_RETURN(place, PlaceInCache(*program_, *target, CompileOutput::kObject));
      HOLOGRAM_ASSIGN_OR_RETURN(const bool allows_tiered, AllowsTiered());
      Result<std::optional<Native>> kept = FromCache(place, *target, *settings.cancel);
      if (!kept.ok()) {
        why_not = kept.errors()[0].message;
      } else if (kept.value()) {
        native = std::move(kept).value();
      } else if (settings.tiered && allows_tiered && HasCompiler()) {
        later = true;
      } else if (Result<Native> compiled =
                     FromCompiler(*program_, *target, place, *settings.cancel);
                 compiled.ok()) {
        native = std::move(compiled).value();
      } else {
        why_not = compiled.errors()[0].message;
        if (left_code_) {
          why_not += "; the file has native code, which runs if its hash is given (expect)";
        }
      }
    }
  }
  // Where the rest throws, the next call reads the program of a bundle again; others are copied.
  verify::VerifiedProgram program =
      bundle_ != nullptr ? *std::exchange(program_, std::nullopt) : *program_;
  const std::shared_ptr<Kernel> kernel =
      native  ? std::make_shared<Kernel>(std::move(program), id(), std::move(native->code),
                                         native->origin, native->level)
      : later ? std::make_shared<Kernel>(std::move(program), id(), Kernel::Compiling{})
              : std::make_shared<Kernel>(std::move(program), id(), std::move(why_not));
  if (!place.why_not.empty()) {
    kernel->set_note(place.why_not);
  } else if (!note.empty()) {
    kernel->set_note("kernel '" + kernel->name() + "': " + note +
                     (native || later ? "; it was compiled again" : "; it is interpreted"));
  } else if (allow_native_ && !native && !later) {
    kernel->set_note("kernel '" + kernel->name() + "' is interpreted: " + kernel->why_not_native());
  }
  kernel->set_arguments(arguments_);
  kernel->set_stream(settings.stream);
  kernel->set_print_sink(settings.print_sink);
  kernel->set_cancel(settings.cancel);
  kernel->set_threads(threads, settings.threads == 0);
  if (native || later) {
    const bool is_there = !checked.empty();
    kernel->set_checked_maker(
        [level = *target, cancel = settings.cancel,
         object = std::move(checked)](const verify::VerifiedProgram& verified) {
          if (!object.empty()) return NativeCode::Load(object, cancel->word());
          return CheckedCodeOf(verified, level, *cancel);
        },
        is_there);
  }
  // Made here, in a section, and not by a launch: a default may become a larger one.
  if (threads > 1 || settings.threads == 0) ThreadPool::Shared();
  if (later) CompileInBackground(kernel, *target, std::move(place));
  return std::shared_ptr<const Kernel>(kernel);
}

}  // namespace hologram::runtime
