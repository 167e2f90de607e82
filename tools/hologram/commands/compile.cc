// hologram compile: kernel files to any of the compiled forms.
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include "base/files.h"
#include "base/quote.h"
#include "bundle/bundle.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/load.h"
#include "commands/options.h"
#include "commands/progress.h"
#include "commands/report.h"
#include "commands/timing.h"
#include "device/write.h"
#include "driver/bundle_header.h"
#include "driver/c_header.h"
#include "driver/circuit_text.h"
#include "driver/manifest.h"
#include "driver/object_file.h"
#include "driver/stats.h"
#include "driver/wasm.h"
#include "runtime/compiler_plugin.h"
#include "runtime/native_bundle.h"
#include "text/text.h"
#include "verify/verified_program.h"

namespace hologram::tool {
namespace {

using driver::Compiled;
using driver::NativeSizes;
using runtime::CompileOutput;

enum class Emit : uint8_t {
  kJson,
  kCircuit,
  kCalls,
  kAsm,
  kHolo,
  kHeader,
  kObject,
  kShared,
  kLlvm,
  kPtx,
  kSpirv,
  kCuda,
  kWasm,
  kTvmFfi
};

struct EmitName {
  std::string_view name;
  std::string_view suffix;
  Emit emit;
};
constexpr EmitName kEmits[] = {
    {"json", ".json", Emit::kJson},    {"circuit", ".circuit", Emit::kCircuit},
    {"calls", ".calls", Emit::kCalls}, {"asm", ".hasm", Emit::kAsm},
    {"holo", ".holo", Emit::kHolo},    {"header", ".h", Emit::kHeader},
    {"obj", ".o", Emit::kObject},      {"so", ".so", Emit::kShared},
    {"llvm", ".ll", Emit::kLlvm},      {"ptx", ".ptx", Emit::kPtx},
    {"spirv", ".spv", Emit::kSpirv},   {"cuda", ".cuda", Emit::kCuda},
    {"wasm", ".wasm", Emit::kWasm},    {"tvm-ffi", ".so", Emit::kTvmFfi},
};

Emit EmitOf(const Options& options) {
  if (const auto name = options.one("--emit")) {
    for (const EmitName& known : kEmits) {
      if (known.name == *name) return known.emit;
    }
    Fail(ErrorCode::kInvalidArgument,
         "--emit: expected json, circuit, calls, asm, holo, header, obj, so, llvm, ptx, spirv, "
         "cuda, wasm or tvm-ffi, found " +
             Shown(*name));
  }
  const std::string output = options.one("-o").value_or("");
  for (const EmitName& known : kEmits) {
    if (output.ends_with(known.suffix)) return known.emit;
  }
  return Emit::kHolo;
}

Target TargetOf(const Options& options, Emit emit) {
  const bool ptx = emit == Emit::kPtx;
  const std::string option = ptx ? "--arch" : "--level";
  const std::string usual = InfoOf(ptx ? Target::kSm80 : runtime::UsualTargets().back()).short_name;
  const std::string name = options.one(option).value_or(usual);
  const std::optional<Target> found = ptx ? FindTarget(Family::kPtx, name) : FindBundleTarget(name);
  if (found) return *found;
  Fail(ErrorCode::kInvalidArgument, option + ": expected " +
                                        (ptx ? ShortNamesOf(Family::kPtx) : BundleTargetNames()) +
                                        ", found " + Shown(name));
}

Compiled CompileFiles(const Options& options, Emit emit, driver::CompileTimes& times) {
  using Clock = std::chrono::steady_clock;
  driver::Constants constants = ConstantsOf(options);
  const Clock::time_point start = Clock::now();
  driver::Request request;
  request.files = options.positional();
  request.source.entry = options.one("--entry").value_or("");
  request.canonical = options.has("--canonical");
  request.class_memory = options.has("--class-memory");
  request.source.circuits =
      request.canonical || options.has("--stats") || emit == Emit::kCircuit || emit == Emit::kCalls;
  driver::Kernels kernels = LoadKernels(std::move(request), constants);
  RequireUsed(constants);
  const Clock::time_point loaded = Clock::now();
  Compiled compiled = OrFail(driver::Verify(std::move(kernels)));
  const Clock::time_point done = Clock::now();
  times.frontend_ms = std::chrono::duration<double, std::milli>(loaded - start).count();
  times.verify_us = std::chrono::duration<double, std::micro>(done - loaded).count();
  return compiled;
}

const verify::VerifiedProgram& OnlyProgram(const Compiled& compiled, const Options& options) {
  std::vector<std::string> names;
  for (const auto& program : compiled.programs) names.push_back(program.program().name);
  OrFail(driver::ChooseEntry(names, "", options.positional()[0]));
  return compiled.programs[0];
}

std::string EmitJson(const Options& options) {
  if (options.positional().size() != 1) throw UsageError{"--emit json takes one file"};
  return OrThrow(driver::KernelJson(options.positional()[0], options.one("--entry").value_or("")));
}

std::string EmitAsm(const Compiled& compiled) {
  std::string text;
  for (const verify::VerifiedProgram& program : compiled.programs) {
    if (!text.empty()) text += '\n';
    text += hologram::text::Disassemble(program.source());
  }
  return text;
}

// Asked for, it is an error if it cannot be done; by default it is done where it can be.
std::vector<Target> NativeTargets(const Options& options) {
  const std::span<const Target> usual = runtime::UsualTargets();
  const std::vector<Target> all(usual.begin(), usual.end());
  const auto native = options.one("--native");
  if (!native) return runtime::HasCompiler() ? all : std::vector<Target>();
  if (*native == "all") return all;
  return OrFail(runtime::TargetsNamed("--native: expected all, ", *native));
}

std::vector<runtime::NativeForms> MakeNative(const Compiled& compiled, const Options& options,
                                             std::span<const Target> targets) {
  const std::vector<verify::VerifiedProgram>& programs = compiled.programs;
  const bool one = programs.size() == 1;
  Share share;
  share.all = one ? 0 : programs.size();
  const Progress progress(one ? "compiling kernel '" + programs[0].program().name + "'"
                              : "compiling " + std::to_string(programs.size()) + " kernels",
                          &share);
  runtime::NativeOptions native;
  native.targets = targets;
  native.cache = options.one("--cache");
  native.done = &share.done;
  return OrFail(runtime::MakeNativeCode(programs, native));
}

std::vector<uint8_t> EmitHolo(const Compiled& compiled, const Options& options,
                              std::vector<NativeSizes>& sizes) {
  const std::vector<Target> targets = NativeTargets(options);
  if (targets.empty()) {
    sizes.resize(compiled.programs.size());
    return OrFail(runtime::BundleOf(compiled.programs, {}, {}, {}, compiled.arguments));
  }
  std::vector<runtime::NativeForms> forms = MakeNative(compiled, options, targets);
  for (runtime::NativeForms& form : forms) {
    sizes.emplace_back();
    // Some programs run on the interpreter only; the others of the file have their native code.
    if (!form.errors.empty()) {
      if (options.one("--native") || form.errors[0].code != ErrorCode::kUnsupported) {
        throw Failure{form.errors};
      }
      PrintNote(form.errors[0]);
      continue;
    }
    for (size_t k = 0; k < targets.size(); ++k) {
      sizes.back().push_back({targets[k], form.objects[k].size()});
    }
  }
  return OrFail(
      runtime::BundleOf(compiled.programs, std::move(forms), targets, {}, compiled.arguments));
}

// FILE.py -> FILE.holo; only for forms that are not text.
std::string OutputName(const Options& options, Emit emit) {
  if (const auto output = options.one("-o")) return *output;
  const std::string& path = options.positional()[0];
  const std::string stem = path.substr(0, path.rfind('.'));
  std::string output = stem;
  for (const EmitName& known : kEmits) {
    if (known.emit == emit) output += known.suffix;
  }
  if (output == path) throw UsageError{"option -o is needed: the output would replace its input"};
  return output;
}

// The header beside saxpy.o is saxpy.h, unless that is somebody's own.
std::string HeaderName(const Options& options, const std::string& output) {
  if (const auto header = options.one("--header")) return *header;
  const size_t dot = output.rfind('.');
  const bool has_suffix = dot != std::string::npos && output.find('/', dot) == std::string::npos;
  const std::string header = (has_suffix ? output.substr(0, dot) : output) + ".h";
  const Result<std::vector<uint8_t>> old = ReadFile(header);
  if (old.ok() && !driver::IsOurHeader({old.value().begin(), old.value().end()})) {
    Fail(ErrorCode::kInvalidArgument,
         header + " exists and was not written by hologram compile; say --header FILE");
  }
  return header;
}

void WriteText(const std::string& text, const Options& options) {
  if (const auto output = options.one("-o")) {
    OrFail(WriteFile(*output, BytesOf(text)));
  } else {
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
}

void WriteBundle(const Compiled& compiled, const Options& options,
                 std::vector<NativeSizes>& sizes) {
  const std::vector<uint8_t> bytes = EmitHolo(compiled, options, sizes);
  const std::string output = OutputName(options, Emit::kHolo);
  OutputFiles files;
  OrFail(files.Add(output, bytes));
  if (const auto header = options.one("--header")) {
    OrFail(files.Add(*header,
                     BytesOf(OrFail(driver::BundleHeader(output, bytes, options.has("--embed"))))));
  }
  if (const auto manifest = options.one("--manifest")) {
    std::vector<isa::Program> programs;
    for (const auto& program : compiled.programs) programs.push_back(program.source());
    const bundle::BundleReader reader = OrFail(bundle::BundleReader::Open(bytes));
    OrFail(files.Add(*manifest, BytesOf(driver::BundleJson(reader, programs))));
  }
  OrFail(files.Commit());
  if (!options.one("--native") && !runtime::HasCompiler()) {
    PrintNote(Error(ErrorCode::kUnsupported, output + " has no native code: no compiler plugin: " +
                                                 runtime::WhyNoCompiler() +
                                                 "; pass --native none to silence this note"));
  }
}

// All kernels in one object or shared library, and the header for it.
void WriteNative(const Compiled& compiled, const Options& options, Emit emit, Target target) {
  const std::string output = OutputName(options, emit);
  const std::string header_name = HeaderName(options, output);
  const std::string header = OrFail(driver::MakeCHeader(compiled.programs, target));
  std::vector<std::vector<uint8_t>> objects;
  Share share;
  share.all = compiled.programs.size() == 1 ? 0 : compiled.programs.size();
  const Progress progress("compiling " + Counted(compiled.programs.size(), "kernel"), &share);
  for (const verify::VerifiedProgram& program : compiled.programs) {
    std::vector<uint8_t> object = OrFail(runtime::Compile(program, target, CompileOutput::kObject));
    ++share.done;
    objects.push_back(
        OrFail(driver::RenameInfo(std::move(object), driver::InfoSymbol(program.program()))));
  }
  std::vector<uint8_t> bytes;
  if (emit == Emit::kShared) {
    // A library has its programs too, so that it can be inspected, verified and run as a bundle.
    const std::vector<uint8_t> bundle =
        OrFail(runtime::BundleOf(compiled.programs, {}, {}, {}, compiled.arguments));
    bytes = OrFail(driver::Link(objects, driver::LinkKind::kShared, bundle));
  } else if (objects.size() == 1) {
    bytes = std::move(objects[0]);
  } else {
    bytes = OrFail(driver::Link(objects, driver::LinkKind::kObject, {}));
  }
  OutputFiles files;
  OrFail(files.Add(output, bytes));
  OrFail(files.Add(header_name, BytesOf(header)));
  OrFail(files.Commit());
}

// The words in the order of this machine's bytes, which the reader of a module finds out.
std::string EmitSpirv(const verify::VerifiedProgram& program) {
  const device::SpirvKernel kernel = OrFail(device::WriteSpirv(program, device::Division::kSingle));
  const char* const bytes = reinterpret_cast<const char*>(kernel.words.data());
  return {bytes, kernel.words.size() * sizeof(uint32_t)};
}

// All kernels in one module; those that have no code there are in it for the engine.
void WriteWasm(const Compiled& compiled, const Options& options) {
  const std::string output = OutputName(options, Emit::kWasm);
  Share share;
  share.all = compiled.programs.size() == 1 ? 0 : compiled.programs.size();
  const Progress progress("compiling " + Counted(compiled.programs.size(), "kernel"), &share);
  const driver::WasmFile file = OrFail(driver::MakeWasm(compiled.programs, &share.done));
  for (const Diagnostic& note : file.notes) PrintNote(note);
  OutputFiles files;
  OrFail(files.Add(output, file.bytes));
  OrFail(files.Commit());
}

// A library that holds the bundle; its kernels may have native code, as those of one.
void WriteTvmFfi(const Compiled& compiled, const Options& options,
                 std::vector<NativeSizes>& sizes) {
  const std::vector<uint8_t> bundle = EmitHolo(compiled, options, sizes);
  OutputFiles files;
  OrFail(files.Add(OutputName(options, Emit::kTvmFfi), OrFail(runtime::TvmFfiLibrary(bundle))));
  OrFail(files.Commit());
}

void CheckOptionsBelong(const Options& options, Emit emit) {
  const auto belongs = [&](const char* option, bool here, const char* emits) {
    if (options.has(option) && !here) {
      throw UsageError{std::string("option ") + option + " belongs to --emit " + emits};
    }
  };
  const bool native = emit == Emit::kObject || emit == Emit::kShared;
  const bool bundled = emit == Emit::kHolo || emit == Emit::kTvmFfi;
  belongs("--header", emit == Emit::kHolo || native, "holo, obj and so");
  belongs("--native", bundled, "holo and tvm-ffi");
  belongs("--embed", emit == Emit::kHolo, "holo");
  if (options.has("--embed") && !options.has("--header")) {
    throw UsageError{"option --embed needs --header"};
  }
  belongs("--cache", bundled, "holo and tvm-ffi");
  if (options.has("--cache") && options.one("--native") == "none") {
    throw UsageError{"option --cache keeps native code, and --native none makes none"};
  }
  belongs("--manifest", emit == Emit::kHolo, "holo");
  belongs("--arch", emit == Emit::kPtx, "ptx");
  belongs("--level", native || emit == Emit::kHeader || emit == Emit::kLlvm,
          "header, obj, so and llvm");
}

void CompileOnce(const Options& options) {
  const Emit emit = EmitOf(options);
  CheckOptionsBelong(options, emit);
  const Target target = TargetOf(options, emit);
  for (const std::string& file : options.positional()) {
    if (options.has("--class-memory") && !file.ends_with(".circuit")) {
      OrFail(driver::KindOf(file));
      Fail(ErrorCode::kInvalidArgument, file + ": --class-memory belongs to .circuit files");
    }
  }
  for (const char* output : {"-o", "--header", "--manifest"}) {
    if (const auto file = options.one(output)) {
      OrFail(CheckNotInput(*file, options.positional()));
    }
  }
  // The JSON of a kernel with errors is of no use: everything is checked, whatever is written.
  driver::CompileTimes times;
  const Compiled compiled = CompileFiles(options, emit, times);
  std::vector<NativeSizes> sizes;
  switch (emit) {
    case Emit::kJson:
      WriteText(EmitJson(options), options);
      break;
    case Emit::kCircuit:
    case Emit::kCalls:
      WriteText(OrFail(driver::CircuitsText(compiled.circuits, emit == Emit::kCalls)), options);
      break;
    case Emit::kAsm:
      WriteText(EmitAsm(compiled), options);
      break;
    case Emit::kHolo:
      WriteBundle(compiled, options, sizes);
      break;
    case Emit::kHeader:
      WriteText(OrFail(driver::MakeCHeader(compiled.programs, target)), options);
      break;
    case Emit::kObject:
    case Emit::kShared:
      WriteNative(compiled, options, emit, target);
      break;
    case Emit::kLlvm:
    case Emit::kPtx: {
      const CompileOutput kind =
          emit == Emit::kLlvm ? CompileOutput::kLlvm : CompileOutput::kObject;
      const Progress progress("compiling");
      const std::vector<uint8_t> bytes =
          OrFail(runtime::Compile(OnlyProgram(compiled, options), target, kind));
      WriteText({bytes.begin(), bytes.end()}, options);
      break;
    }
    case Emit::kWasm:
      WriteWasm(compiled, options);
      break;
    case Emit::kTvmFfi:
      WriteTvmFfi(compiled, options, sizes);
      break;
    case Emit::kSpirv:
      WriteText(EmitSpirv(OnlyProgram(compiled, options)), options);
      break;
    case Emit::kCuda:
      WriteText(OrFail(device::WritePtx(OnlyProgram(compiled, options))).text, options);
      break;
  }
  if (options.has("--stats")) {
    std::fputs(driver::StatsText(compiled, sizes, times).c_str(), stderr);
  }
}

// What of a file changes when somebody saves it, also by putting another in its place.
using Stamp = std::array<int64_t, 4>;

std::vector<Stamp> StampsOf(const std::vector<std::string>& files) {
  std::vector<Stamp> stamps;
  for (const std::string& file : files) {
    struct stat info{};
    if (stat(file.c_str(), &info) != 0) info = {};
    stamps.push_back({static_cast<int64_t>(info.st_ino), info.st_size, info.st_mtim.tv_sec,
                      info.st_mtim.tv_nsec});
  }
  return stamps;
}

// Compiles whenever a file has changed. Mistakes in the files are reported and waited for.
[[noreturn]] void Watch(const Options& options) {
  constexpr auto kLook = std::chrono::milliseconds(100);
  for (;;) {
    const std::vector<Stamp> before = StampsOf(options.positional());
    StopWatch watch;
    try {
      CompileOnce(options);
      std::fprintf(stderr, "hologram: compiled in %.0f ms; watching\n", watch.Lap());
    } catch (const Failure& failure) {
      PrintErrors(failure.errors);
      std::fprintf(stderr, "hologram: watching\n");
    } catch (const AlreadyReported&) {
      std::fprintf(stderr, "hologram: watching\n");
    }
    std::fflush(stdout);
    while (StampsOf(options.positional()) == before) std::this_thread::sleep_for(kLook);
  }
}

}  // namespace

int CompileCommand(const Arguments& arguments) {
  const Options options = ReadOptions("compile", arguments);
  if (options.positional().empty()) throw UsageError{"expected a file"};
  if (options.has("--watch")) Watch(options);
  CompileOnce(options);
  return 0;
}

}  // namespace hologram::tool
