#include "load.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/quote.h"
#include "bundle/bundle.h"
#include "files.h"
#include "frontend/circuit/lower.h"
#include "frontend/frontend.h"
#include "kernel_text.h"
#include "progress.h"
#include "report.h"
#include "runtime/bundle_file.h"
#include "runtime/loaded_kernel.h"
#include "runtime/native/elf_loader.h"
#include "text/text.h"

namespace hologram::tool {
namespace {

std::string ReadText(const std::string& path) {
  const std::vector<uint8_t> bytes = OrFail(ReadFile(path));
  return {bytes.begin(), bytes.end()};
}

template <class T>
T InFile(Result<T> result, const std::string& path) {
  if (!result.ok()) throw Failure{runtime::WithPath(result.errors(), path)};
  return std::move(result).value();
}

std::vector<isa::Program> ReadBundle(const std::string& path) {
  const std::vector<uint8_t> bytes = OrFail(ReadFile(path));
  const bundle::BundleReader reader = InFile(bundle::BundleReader::Open(bytes), path);
  std::vector<isa::Program> programs;
  for (size_t i = 0; i < reader.size(); ++i) {
    programs.push_back(InFile(reader.ReadProgram(i), path));
  }
  return programs;
}

using CompileTimeValues = std::vector<frontend::CompileTimeValue>;

constexpr uint64_t kMaxTextBytes = uint64_t{8} << 20;

ConvertedText Convert(const std::string& path, FileKind kind) {
  const std::string text = ReadText(path);
  if (text.size() > kMaxTextBytes) {
    Fail(ErrorCode::kResourceLimit, path + ": more than 8 MiB of kernel text");
  }
  return ToJson(OrFail(kind == FileKind::kYaml ? ParseYaml(text, path) : ParseToml(text, path)),
                path);
}

using Kernels = std::vector<frontend::CompiledKernel>;

Kernels CompileConverted(const std::string& path, FileKind kind, const std::string& entry,
                         CompileTimeValues& constants) {
  const ConvertedText text = Convert(path, kind);
  Result<Kernels> kernels = frontend::CompileJsonWithCircuits(text.json, path, entry, constants);
  if (!kernels.ok()) throw Failure{WithPlaces(kernels.errors(), text, path)};
  return std::move(kernels).value();
}

// "a/blur.circuit" holds the kernel blur.
std::string StemOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  return file.substr(0, file.rfind('.'));
}

// Programs that did not come from a kernel.
Kernels WithoutCircuits(std::vector<isa::Program> programs, const std::string& path) {
  const Diagnostic obstacle =
      Error(ErrorCode::kInvalidArgument, path + " holds no kernel source, so no circuit");
  Kernels kernels;
  for (isa::Program& program : programs) {
    kernels.emplace_back();
    kernels.back().circuit.name = program.name;
    kernels.back().circuit.obstacle = obstacle;
    kernels.back().program = std::move(program);
  }
  return kernels;
}

Kernels LoadAll(const std::string& path, const std::string& entry, CompileTimeValues& constants,
                const std::function<std::string()>& python) {
  const FileKind kind = KindOf(path);
  switch (kind) {
    case FileKind::kPython:
      try {
        return OrFail(frontend::CompileJsonWithCircuits(python(), path, entry, constants));
      } catch (const AlreadyReported& reported) {
        // What is wrong with one kernel does not hide what is wrong with the others.
        if (!reported.rest.empty()) {
          OrFail(frontend::CompileJsonWithCircuits(reported.rest, path, "", constants));
        }
        throw;
      }
    case FileKind::kJson:
      return OrFail(
          frontend::CompileJsonWithCircuits(KernelJson(path, entry), path, entry, constants));
    case FileKind::kYaml:
    case FileKind::kToml:
      return CompileConverted(path, kind, entry, constants);
    case FileKind::kCircuit: {
      Kernels kernels;
      kernels.push_back(OrFail(frontend::CompileCircuitFile(ReadText(path), path, StemOf(path))));
      return kernels;
    }
    case FileKind::kAssembly:
      return WithoutCircuits(OrFail(text::Assemble(ReadText(path), path)), path);
    case FileKind::kBundle:
      return WithoutCircuits(ReadBundle(path), path);
  }
  return {};
}

// `python` is the JSON of a .py file.
Kernels LoadChosen(const std::string& path, const std::string& entry, CompileTimeValues& constants,
                   const std::function<std::string()>& python) {
  Kernels kernels = LoadAll(path, entry, constants, python);
  const bool chosen = KindOf(path) == FileKind::kPython || KindOf(path) == FileKind::kJson;
  if (entry.empty() || chosen) return kernels;  // the front end knows instances
  std::vector<std::string> names;
  for (const frontend::CompiledKernel& kernel : kernels) names.push_back(kernel.program.name);
  ChooseEntry(names, entry, path);
  std::erase_if(kernels, [&](const auto& kernel) { return kernel.program.name != entry; });
  return kernels;
}

}  // namespace

void CheckBundle(const std::string& path) {
  const std::vector<uint8_t> bytes = OrFail(ReadFile(path));
  const bundle::BundleReader reader = InFile(bundle::BundleReader::Open(bytes), path);
  InFile(reader.CheckAll(), path);
}

std::vector<std::string> NotesOfNativeCode(const std::string& path, const std::string& kernel) {
  const std::vector<uint8_t> bytes = OrFail(ReadFile(path));
  const bundle::BundleReader reader = InFile(bundle::BundleReader::Open(bytes), path);
  std::vector<std::string> notes;
  const std::optional<size_t> program = reader.Find(kernel);
  for (const TargetInfo& target : kTargets) {
    if (!program || target.section == 0) continue;
    const auto section = reader.NativeSection(*program, bundle::LevelOf(target.target));
    if (!section) continue;
    if (Blake3(section->bytes) != section->expected) {
      notes.push_back(section->name + " does not match its hash and is not used");
      continue;
    }
    const Result<uint32_t> version = runtime::NativeCode::AbiVersionOf(section->bytes);
    if (!version.ok()) {
      notes.push_back(section->name + " is not used: " + version.errors()[0].message);
    } else if (version.value() != HOLOGRAM_NATIVE_ABI_VERSION) {
      notes.push_back(runtime::OtherAbiNote(section->name, version.value()));
    }
  }
  return notes;
}

FileKind KindOf(const std::string& path) {
  if (path.ends_with(".py")) return FileKind::kPython;
  if (path.ends_with(".json")) return FileKind::kJson;
  if (path.ends_with(".yaml") || path.ends_with(".yml")) return FileKind::kYaml;
  if (path.ends_with(".toml")) return FileKind::kToml;
  if (path.ends_with(".hasm")) return FileKind::kAssembly;
  if (path.ends_with(".holo") || path.ends_with(".so")) return FileKind::kBundle;
  if (path.ends_with(".circuit")) return FileKind::kCircuit;
  Fail(ErrorCode::kInvalidArgument,
       path + ": expected a .py, .json, .yaml, .toml, .circuit, .hasm, .holo or .so file");
}

std::string KernelJson(const std::string& path, const std::string& entry) {
  const FileKind kind = KindOf(path);
  switch (kind) {
    case FileKind::kPython: {
      const Progress progress("reading " + path);
      return CompilePython(path, entry);
    }
    case FileKind::kJson:
      return ReadText(path);
    case FileKind::kYaml:
    case FileKind::kToml:
      return Convert(path, kind).json + "\n";
    case FileKind::kCircuit:
    case FileKind::kAssembly:
    case FileKind::kBundle:
      break;
  }
  Fail(ErrorCode::kInvalidArgument, path + " holds no kernel source to write as JSON");
}

isa::Program InClassMemory(const std::string& path) {
  if (KindOf(path) != FileKind::kCircuit) {
    Fail(ErrorCode::kInvalidArgument, path + ": --class-memory belongs to .circuit files");
  }
  return OrFail(frontend::CompileCircuitInClassMemory(ReadText(path), path, StemOf(path)));
}

std::string ChooseEntry(const std::vector<std::string>& names, const std::string& entry,
                        const std::string& path) {
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  if (!entry.empty()) {
    if (std::find(names.begin(), names.end(), entry) != names.end()) return entry;
    Fail(ErrorCode::kNotFound,
         path + " has no kernel " + Shown(entry) + (known.empty() ? "" : "; it has: " + known));
  }
  if (names.size() == 1) return names[0];
  if (names.empty()) Fail(ErrorCode::kNotFound, path + " has no kernel");
  Fail(ErrorCode::kInvalidArgument, path + " has " + std::to_string(names.size()) +
                                        " kernels; choose one with --entry: " + known);
}

std::vector<frontend::CompileTimeValue> CompileTimeValuesOf(const Options& options) {
  constexpr const char* kShape = "NAME=VALUE or NAME=VALUE,VALUE";
  std::vector<frontend::CompileTimeValue> constants;
  for (const std::string& text : options.all("--set-const")) {
    const NameAndValue given = SplitAssignment("--set-const", text, kShape);
    const bool twice = std::any_of(constants.begin(), constants.end(), [&](const auto& constant) {
      return constant.name == given.name;
    });
    if (twice) throw UsageError{"option --set-const gives " + given.name + " twice"};
    constants.push_back({given.name, {}});
    for (size_t begin = 0, comma = 0; comma != std::string::npos; begin = comma + 1) {
      comma = given.value.find(',', begin);
      constants.back().values.push_back(given.value.substr(begin, comma - begin));
    }
  }
  return constants;
}

void RequireUsed(const std::vector<frontend::CompileTimeValue>& constants) {
  for (const frontend::CompileTimeValue& constant : constants) {
    if (constant.used) continue;
    Fail(ErrorCode::kNotFound,
         "--set-const " + constant.name +
             ": no kernel has a compile-time parameter or type variable of that name");
  }
}

std::vector<isa::Program> LoadPrograms(const std::string& path, const std::string& entry) {
  std::vector<frontend::CompileTimeValue> constants;
  return LoadPrograms(path, entry, constants);
}

std::vector<isa::Program> LoadPrograms(const std::string& path, const std::string& entry,
                                       std::vector<frontend::CompileTimeValue>& constants) {
  std::vector<isa::Program> programs;
  for (frontend::CompiledKernel& kernel : LoadKernels(path, entry, constants)) {
    programs.push_back(std::move(kernel.program));
  }
  return programs;
}

std::vector<frontend::CompiledKernel> LoadKernels(
    const std::string& path, const std::string& entry,
    std::vector<frontend::CompileTimeValue>& constants) {
  return LoadChosen(path, entry, constants, [&] { return KernelJson(path, entry); });
}

KernelFiles::KernelFiles(std::vector<std::string> paths, const std::string& entry)
    : paths_(std::move(paths)), entry_(entry), python_(paths_, entry) {}

std::vector<frontend::CompiledKernel> KernelFiles::Load(
    size_t k, std::vector<frontend::CompileTimeValue>& constants) {
  return LoadChosen(paths_[k], entry_, constants, [&] {
    const Progress progress("reading " + paths_[k]);
    return python_.Take(k);
  });
}

}  // namespace hologram::tool
