// hologram compile: kernel files to any of the compiled forms.
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include "base/quote.h"
#include "bundle/bundle.h"
#include "bundle_json.h"
#include "c_header.h"
#include "circuit_text.h"
#include "command_table.h"
#include "commands.h"
#include "compile_stats.h"
#include "files.h"
#include "load.h"
#include "native_code.h"
#include "object_file.h"
#include "options.h"
#include "progress.h"
#include "python_frontend.h"
#include "report.h"
#include "runtime/compiler_plugin.h"
#include "text/text.h"
#include "timing.h"
#include "verify/verified_program.h"

namespace hologram::tool {
namespace {

using runtime::CompileOutput;
using runtime::CompileTarget;

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
  kPtx
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
};

Emit EmitOf(const Options& options) {
  if (const auto name = options.one("--emit")) {
    for (const EmitName& known : kEmits) {
      if (known.name == *name) return known.emit;
    }
    Fail(ErrorCode::kInvalidArgument,
         "--emit: expected json, circuit, calls, asm, holo, header, obj, so, llvm or ptx, found " +
             Shown(*name));
  }
  const std::string output = options.one("-o").value_or("");
  for (const EmitName& known : kEmits) {
    if (output.ends_with(known.suffix)) return known.emit;
  }
  return Emit::kHolo;
}

CompileTarget TargetOf(const Options& options, Emit emit) {
  const bool ptx = emit == Emit::kPtx;
  const std::string option = ptx ? "--arch" : "--level";
  const Family family = ptx ? Family::kPtx : Family::kX86;
  const std::string name = options.one(option).value_or(ptx ? "sm_80" : "v4");
  if (const std::optional<Target> found = FindTarget(family, name)) return *found;
  Fail(ErrorCode::kInvalidArgument,
       option + ": expected " + ShortNamesOf(family) + ", found " + Shown(name));
}

Compiled CompileFiles(const Options& options) {
  using Clock = std::chrono::steady_clock;
  const std::string entry = options.one("--entry").value_or("");
  std::vector<frontend::CompileTimeValue> constants = CompileTimeValuesOf(options);
  Compiled compiled;
  const Clock::time_point start = Clock::now();
  const bool canonical = options.has("--canonical");
  std::vector<isa::Program> programs;
  KernelFiles files(options.positional(), entry);
  for (size_t k = 0; k < options.positional().size(); ++k) {
    const std::string& path = options.positional()[k];
    for (frontend::CompiledKernel& kernel : files.Load(k, constants)) {
      compiled.through.push_back(!kernel.circuit.obstacle &&
                                 (canonical || KindOf(path) == FileKind::kCircuit));
      if (options.has("--class-memory")) {
        kernel.program = InClassMemory(path);
      } else if (compiled.through.back()) {
        kernel.program = OrFail(frontend::CompileKernelCircuit(kernel.circuit));
      }
      programs.push_back(std::move(kernel.program));
      compiled.circuits.push_back(std::move(kernel.circuit));
    }
  }
  RequireUsed(constants);
  const Clock::time_point loaded = Clock::now();
  Diagnostics errors;
  for (isa::Program& program : programs) {
    Result<verify::VerifiedProgram> verified = verify::Verify(std::move(program));
    if (verified.ok()) {
      compiled.programs.push_back(std::move(verified).value());
    } else {
      errors.insert(errors.end(), verified.errors().begin(), verified.errors().end());
    }
  }
  if (!errors.empty()) throw Failure{errors};
  const Clock::time_point done = Clock::now();
  compiled.frontend_ms = std::chrono::duration<double, std::milli>(loaded - start).count();
  compiled.verify_us = std::chrono::duration<double, std::micro>(done - loaded).count();
  return compiled;
}

const verify::VerifiedProgram& OnlyProgram(const Compiled& compiled, const Options& options) {
  std::vector<std::string> names;
  for (const auto& program : compiled.programs) names.push_back(program.program().name);
  ChooseEntry(names, "", options.positional()[0]);
  return compiled.programs[0];
}

std::string EmitJson(const Options& options) {
  if (options.positional().size() != 1) throw UsageError{"--emit json takes one file"};
  return KernelJson(options.positional()[0], options.one("--entry").value_or(""));
}

std::string EmitAsm(const Compiled& compiled) {
  std::string text;
  for (const verify::VerifiedProgram& program : compiled.programs) {
    if (!text.empty()) text += '\n';
    text += hologram::text::Disassemble(program.source());
  }
  return text;
}

bool WantsNative(const Options& options) {
  const auto native = options.one("--native");
  if (native == "none") return false;
  if (native && *native != "all") {
    Fail(ErrorCode::kInvalidArgument, "--native: expected all or none, found " + Shown(*native));
  }
  // Asked for, it is an error if it cannot be done; by default it is done where it can be.
  return native.has_value() || runtime::HasCompiler();
}

std::vector<uint8_t> EmitHolo(const Compiled& compiled, const Options& options,
                              std::vector<NativeSize>& sizes) {
  bundle::BundleWriter writer;
  const bool native = WantsNative(options);
  std::vector<NativeForms> forms;
  if (native) forms = MakeNativeCode(compiled.programs, options.one("--cache"));
  for (size_t k = 0; k < compiled.programs.size(); ++k) {
    const size_t number = writer.AddProgram(compiled.programs[k].source());
    sizes.emplace_back();
    if (!native) continue;
    // Some programs run on the interpreter only; the others of the file have their native code.
    if (!forms[k].errors.empty()) {
      if (options.one("--native") || forms[k].errors[0].code != ErrorCode::kUnsupported) {
        throw Failure{forms[k].errors};
      }
      PrintNote(forms[k].errors[0]);
      continue;
    }
    sizes.back() = {forms[k].v3.size(), forms[k].v4.size()};
    writer.AddNative(number, bundle::NativeLevel::kX86V3, std::move(forms[k].v3));
    writer.AddNative(number, bundle::NativeLevel::kX86V4, std::move(forms[k].v4));
  }
  return OrFail(writer.Finish());
}

// As numbers: string literals have limits, and a zero at the end.
std::string EmbeddedBytes(const std::vector<uint8_t>& bytes) {
  constexpr size_t kPerLine = 24;
  std::string text = "alignas(64) inline constexpr unsigned char bundle[] = {";
  for (size_t k = 0; k < bytes.size(); ++k) {
    text += (k % kPerLine == 0 ? "\n    " : "") + std::to_string(bytes[k]) + ",";
  }
  return text + "\n};\n";
}

// Names, ids and where in the bundle the encoded programs lie.
std::string EmbeddedPrograms(const bundle::BundleReader& reader) {
  std::string text =
      "struct program {\n  const char* name;\n  const char* id;\n  unsigned long long offset;  // "
      "in bundle\n  unsigned long long size;\n};\ninline constexpr program programs[] = {\n";
  for (const bundle::Section& section : reader.sections()) {
    if (section.type != static_cast<uint32_t>(bundle::SectionType::kCode)) continue;
    text += "    {" + Quote(reader.NameOf(section.program)) + ", \"" +
            ToHex(reader.IdentityOf(section.program)) + "\", " + std::to_string(section.offset) +
            ", " + std::to_string(section.size) + "},\n";
  }
  return text + "};\n";
}

// "digits.holo" and its trust hash as constants, for the program that is built around it.
// With `embed` also the bytes themselves, in static storage, and a list of their programs.
std::string HeaderFor(const std::string& bundle, const std::vector<uint8_t>& bytes, bool embed) {
  const bundle::BundleReader reader = OrFail(bundle::BundleReader::Open(bytes));
  const size_t slash = bundle.rfind('/');
  const std::string file = slash == std::string::npos ? bundle : bundle.substr(slash + 1);
  std::string name;
  for (char c : file.substr(0, file.rfind('.'))) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    name += letter || (digit && !name.empty()) ? c : '_';
  }
  return "// Written by hologram compile: the bundle and the hash by which this program trusts "
         "it.\n"
         "#pragma once\n\nnamespace " +
         name + "_kernels {\n" + "inline constexpr char file[] = " + Quote(file) + ";\n" +
         "inline constexpr char hash[] =\n    \"" + ToHex(reader.trust_hash()) + "\";\n" +
         (embed ? EmbeddedBytes(bytes) + EmbeddedPrograms(reader) : "") + "}  // namespace " +
         name + "_kernels\n";
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
  if (old.ok() && !IsOurHeader({old.value().begin(), old.value().end()})) {
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

void WriteBundle(const Compiled& compiled, const Options& options, std::vector<NativeSize>& sizes) {
  const std::vector<uint8_t> bytes = EmitHolo(compiled, options, sizes);
  const std::string output = OutputName(options, Emit::kHolo);
  OutputFiles files;
  OrFail(files.Add(output, bytes));
  if (const auto header = options.one("--header")) {
    OrFail(files.Add(*header, BytesOf(HeaderFor(output, bytes, options.has("--embed")))));
  }
  if (const auto manifest = options.one("--manifest")) {
    std::vector<isa::Program> programs;
    for (const auto& program : compiled.programs) programs.push_back(program.source());
    const bundle::BundleReader reader = OrFail(bundle::BundleReader::Open(bytes));
    OrFail(files.Add(*manifest, BytesOf(BundleJson(reader, programs))));
  }
  OrFail(files.Commit());
  if (!options.one("--native") && !runtime::HasCompiler()) {
    PrintNote(Error(ErrorCode::kUnsupported, output + " has no native code: no compiler plugin: " +
                                                 runtime::WhyNoCompiler() +
                                                 "; --native none says that this is wanted"));
  }
}

// All kernels in one object or shared library, and the header for it.
void WriteNative(const Compiled& compiled, const Options& options, Emit emit,
                 CompileTarget target) {
  const std::string output = OutputName(options, emit);
  const std::string header_name = HeaderName(options, output);
  const std::string header = OrFail(MakeCHeader(compiled.programs, target));
  std::vector<std::vector<uint8_t>> objects;
  for (const verify::VerifiedProgram& program : compiled.programs) {
    std::vector<uint8_t> object = OrFail(runtime::Compile(program, target, CompileOutput::kObject));
    objects.push_back(OrFail(RenameInfo(std::move(object), InfoSymbol(program.program()))));
  }
  // A library has its programs too, so that it can be inspected, verified and run as a bundle.
  bundle::BundleWriter writer;
  for (const verify::VerifiedProgram& program : compiled.programs)
    writer.AddProgram(program.source());
  const bool alone = emit == Emit::kObject && objects.size() == 1;
  const std::vector<uint8_t> bytes =
      alone ? std::move(objects[0])
            : Link(objects, emit == Emit::kObject ? LinkKind::kObject : LinkKind::kShared,
                   emit == Emit::kObject ? std::vector<uint8_t>() : OrFail(writer.Finish()));
  OutputFiles files;
  OrFail(files.Add(output, bytes));
  OrFail(files.Add(header_name, BytesOf(header)));
  OrFail(files.Commit());
}

void CheckOptionsBelong(const Options& options, Emit emit) {
  const auto belongs = [&](const char* option, bool here, const char* emits) {
    if (options.has(option) && !here) {
      throw UsageError{std::string("option ") + option + " belongs to --emit " + emits};
    }
  };
  const bool native = emit == Emit::kObject || emit == Emit::kShared;
  belongs("--header", emit == Emit::kHolo || native, "holo, obj and so");
  belongs("--native", emit == Emit::kHolo, "holo");
  belongs("--embed", emit == Emit::kHolo, "holo");
  if (options.has("--embed") && !options.has("--header")) {
    throw UsageError{"option --embed needs --header"};
  }
  belongs("--cache", emit == Emit::kHolo, "holo");
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
  const CompileTarget target = TargetOf(options, emit);
  for (const char* output : {"-o", "--header", "--manifest"}) {
    if (const auto file = options.one(output)) {
      OrFail(CheckNotInput(*file, options.positional()));
    }
  }
  // The JSON of a kernel with errors is of no use: everything is checked, whatever is written.
  const Compiled compiled = CompileFiles(options);
  std::vector<NativeSize> sizes;
  switch (emit) {
    case Emit::kJson:
      WriteText(EmitJson(options), options);
      break;
    case Emit::kCircuit:
    case Emit::kCalls:
      WriteText(CircuitsText(compiled.circuits, emit == Emit::kCalls), options);
      break;
    case Emit::kAsm:
      WriteText(EmitAsm(compiled), options);
      break;
    case Emit::kHolo:
      WriteBundle(compiled, options, sizes);
      break;
    case Emit::kHeader:
      WriteText(OrFail(MakeCHeader(compiled.programs, target)), options);
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
  }
  if (options.has("--stats")) PrintStats(compiled, sizes);
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
