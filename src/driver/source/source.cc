#include "driver/source/source.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/files.h"
#include "base/quote.h"
#include "bundle/bundle.h"
#include "driver/source/kernel_text.h"
#include "frontend/circuit/lower.h"
#include "runtime/bundle_file.h"
#include "runtime/loaded_kernel.h"
#include "runtime/native/elf_loader.h"
#include "text/text.h"

namespace hologram::driver {
namespace {

using CompiledKernels = std::vector<frontend::CompiledKernel>;

constexpr uint64_t kMaxTextBytes = uint64_t{8} << 20;

Result<std::string> ReadText(const std::string& path) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(path, kMaxSourceBytes));
  return std::string(bytes.begin(), bytes.end());
}

template <class T>
Result<T> InFile(Result<T> result, const std::string& path) {
  if (result.ok()) return result;
  return runtime::WithPath(result.errors(), path);
}

Result<ConvertedText> Convert(const std::string& path, FileKind kind) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::string text, ReadText(path));
  if (text.size() > kMaxTextBytes) {
    return Error(ErrorCode::kResourceLimit, path + ": more than 8 MiB of kernel text");
  }
  HOLOGRAM_ASSIGN_OR_RETURN(std::unique_ptr<TextNode> root, kind == FileKind::kYaml
                                                                ? ParseYaml(text, path)
                                                                : ParseToml(text, path));
  return ToJson(std::move(root), path);
}

// Programs without circuits; `why` is the obstacle of each.
CompiledKernels WithoutCircuits(std::vector<isa::Program> programs, const Diagnostic& why) {
  CompiledKernels kernels;
  for (isa::Program& program : programs) {
    kernels.emplace_back();
    kernels.back().circuit.name = program.name;
    kernels.back().circuit.obstacle = why;
    kernels.back().program = std::move(program);
  }
  return kernels;
}

Diagnostic NoSource(const std::string& path) {
  return Error(ErrorCode::kInvalidArgument, path + " holds no kernel source, so no circuit");
}

Result<CompiledKernels> ReadBundle(const std::string& path, const Diagnostic& why) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadProgramFile(path));
  HOLOGRAM_ASSIGN_OR_RETURN(const bundle::BundleReader reader,
                            InFile(bundle::BundleReader::Open(bytes), path));
  std::vector<isa::Program> programs;
  std::vector<std::string> arguments;
  for (size_t i = 0; i < reader.size(); ++i) {
    HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program, InFile(reader.ReadProgram(i), path));
    HOLOGRAM_ASSIGN_OR_RETURN(std::string text, InFile(reader.ReadArguments(i), path));
    programs.push_back(std::move(program));
    arguments.push_back(std::move(text));
  }
  CompiledKernels kernels = WithoutCircuits(std::move(programs), why);
  for (size_t i = 0; i < kernels.size(); ++i) kernels[i].arguments = std::move(arguments[i]);
  return kernels;
}

Result<CompiledKernels> CompileText(const std::string& json, const std::string& path,
                                    const SourceOptions& options, Constants& constants) {
  HOLOGRAM_ASSIGN_OR_RETURN(
      CompiledKernels kernels,
      frontend::CompileJsonWithCircuits(
          json, path, options.entry, constants,
          options.circuits ? frontend::Circuits::kCanonical : frontend::Circuits::kNone));
  if (options.circuits) return kernels;
  for (frontend::CompiledKernel& kernel : kernels) {
    kernel.circuit.name = kernel.program.name;
    kernel.circuit.obstacle = Error(ErrorCode::kUnsupported, path + ": no circuits were asked for");
  }
  return kernels;
}

Result<CompiledKernels> CompileConverted(const std::string& path, FileKind kind,
                                         const SourceOptions& options, Constants& constants) {
  HOLOGRAM_ASSIGN_OR_RETURN(const ConvertedText text, Convert(path, kind));
  Result<CompiledKernels> kernels = CompileText(text.json, path, options, constants);
  if (kernels.ok()) return kernels;
  return WithPlaces(kernels.errors(), text, path);
}

// "a/blur.circuit" holds the kernel blur.
std::string StemOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  return file.substr(0, file.rfind('.'));
}

Result<CompiledKernels> CompileCircuit(const std::string& path) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::string text, ReadText(path));
  HOLOGRAM_ASSIGN_OR_RETURN(frontend::CompiledKernel kernel,
                            frontend::CompileCircuitFile(text, path, StemOf(path)));
  CompiledKernels kernels;
  kernels.push_back(std::move(kernel));
  return kernels;
}

Result<CompiledKernels> Assemble(const std::string& path) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::string text, ReadText(path));
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<isa::Program> programs, text::Assemble(text, path));
  return WithoutCircuits(std::move(programs), NoSource(path));
}

LoadedKernels From(Result<CompiledKernels> kernels) {
  if (!kernels.ok()) return {{}, {}, kernels.errors()};
  return {std::move(kernels).value(), {}, {}};
}

LoadedKernels LoadPython(Result<PythonAnswer> answer, const std::string& path,
                         const SourceOptions& options, Constants& constants) {
  if (!answer.ok()) return {{}, {}, answer.errors()};
  const PythonAnswer& read = answer.value();
  if (read.ok()) return From(CompileText(read.json, path, options, constants));
  // What is wrong with one kernel does not hide what is wrong with the others.
  LoadedKernels loaded{{}, read.messages, {}};
  if (read.json.empty()) return loaded;
  loaded.errors = CompileText(read.json, path, {{}, options.circuits}, constants).errors();
  return loaded;
}

Result<CompiledKernels> LoadOther(FileKind kind, const std::string& path,
                                  const SourceOptions& options, Constants& constants) {
  switch (kind) {
    case FileKind::kPython:
      break;
    case FileKind::kJson: {
      HOLOGRAM_ASSIGN_OR_RETURN(const std::string json, ReadText(path));
      return CompileText(json, path, options, constants);
    }
    case FileKind::kYaml:
    case FileKind::kToml:
      return CompileConverted(path, kind, options, constants);
    case FileKind::kCircuit:
      return CompileCircuit(path);
    case FileKind::kAssembly:
      return Assemble(path);
    case FileKind::kBundle:
      return ReadBundle(path, NoSource(path));
  }
  return CompiledKernels();
}

// Of files whose front end does not know entries.
void KeepEntry(LoadedKernels& loaded, const std::string& entry, const std::string& path) {
  std::vector<std::string> names;
  for (const frontend::CompiledKernel& kernel : loaded.value) names.push_back(kernel.program.name);
  const Result<std::string> chosen = ChooseEntry(names, entry, path);
  if (!chosen.ok()) {
    loaded.errors = chosen.errors();
    return;
  }
  std::erase_if(loaded.value, [&](const auto& kernel) { return kernel.program.name != entry; });
}

// `kernel` of paths[k] becomes one of `kernels`.
Status Take(frontend::CompiledKernel kernel, const std::string& path, const Request& request,
            Kernels& kernels) {
  const bool is_circuit_file = path.ends_with(".circuit");
  const bool through = !kernel.circuit.obstacle && (request.canonical || is_circuit_file);
  if (request.class_memory) {
    HOLOGRAM_ASSIGN_OR_RETURN(const std::string text, ReadText(path));
    HOLOGRAM_ASSIGN_OR_RETURN(kernel.program,
                              frontend::CompileCircuitInClassMemory(text, path, StemOf(path)));
  } else if (through) {
    HOLOGRAM_ASSIGN_OR_RETURN(kernel.program, frontend::CompileKernelCircuit(kernel.circuit));
  }
  const std::string note = kernel.note.empty() ? "" : path + ": " + kernel.note;
  const auto& known = kernels.notes;
  if (!note.empty() && std::find(known.begin(), known.end(), note) == known.end()) {
    kernels.notes.push_back(note);
  }
  if (request.class_memory) kernel.arguments.clear();  // the program has parameters of its own
  Add(std::move(kernel), through, kernels);
  return Success{};
}

}  // namespace

Status CheckBundle(const std::string& path) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadProgramFile(path));
  HOLOGRAM_ASSIGN_OR_RETURN(const bundle::BundleReader reader,
                            InFile(bundle::BundleReader::Open(bytes), path));
  return InFile(reader.CheckAll(), path);
}

namespace {

// Why the section is not used, if it is not.
void AddNoteOf(const bundle::NativeCode& section, std::vector<std::string>& notes) {
  if (Blake3(section.bytes) != section.expected) {
    notes.push_back(section.name + " does not match its hash and is not used");
    return;
  }
  const Result<uint32_t> version = runtime::NativeCode::AbiVersionOf(section.bytes);
  if (!version.ok()) {
    notes.push_back(section.name + " is not used: " + version.errors()[0].message);
  } else if (version.value() != HOLOGRAM_NATIVE_ABI_VERSION) {
    notes.push_back(runtime::OtherAbiNote(section.name, version.value()));
  }
}

}  // namespace

Result<std::vector<std::string>> NotesOfNativeCode(const std::string& path,
                                                   const std::string& kernel) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadProgramFile(path));
  HOLOGRAM_ASSIGN_OR_RETURN(const bundle::BundleReader reader,
                            InFile(bundle::BundleReader::Open(bytes), path));
  std::vector<std::string> notes;
  const std::optional<size_t> program = reader.Find(kernel);
  for (const bundle::SectionType type :
       {bundle::SectionType::kNative, bundle::SectionType::kChecked}) {
    for (const TargetInfo& target : kTargets) {
      if (!program || target.section == 0) continue;
      const auto section = reader.NativeSection(*program, bundle::LevelOf(target.target), type);
      if (section) AddNoteOf(*section, notes);
    }
  }
  return notes;
}

Result<FileKind> KindOf(const std::string& path) {
  if (path.ends_with(".py")) return FileKind::kPython;
  if (path.ends_with(".json")) return FileKind::kJson;
  if (path.ends_with(".yaml") || path.ends_with(".yml")) return FileKind::kYaml;
  if (path.ends_with(".toml")) return FileKind::kToml;
  if (path.ends_with(".hasm")) return FileKind::kAssembly;
  if (path.ends_with(".holo") || path.ends_with(".so")) return FileKind::kBundle;
  if (path.ends_with(".circuit")) return FileKind::kCircuit;
  return Error(ErrorCode::kInvalidArgument,
               path + ": expected a .py, .json, .yaml, .toml, .circuit, .hasm, .holo or .so file");
}

FromSource<std::string> KernelJson(const std::string& path, const std::string& entry) {
  const auto from = [](const Result<std::string>& json) -> FromSource<std::string> {
    if (!json.ok()) return {{}, {}, json.errors()};
    return {json.value(), {}, {}};
  };
  const Result<FileKind> kind = KindOf(path);
  if (!kind.ok()) return {{}, {}, kind.errors()};
  switch (kind.value()) {
    case FileKind::kPython: {
      Result<PythonAnswer> answer = CompilePython(path, entry);
      if (!answer.ok()) return {{}, {}, answer.errors()};
      return {std::move(answer.value().json), std::move(answer.value().messages), {}};
    }
    case FileKind::kJson:
      return from(ReadText(path));
    case FileKind::kYaml:
    case FileKind::kToml: {
      const Result<ConvertedText> text = Convert(path, kind.value());
      if (!text.ok()) return {{}, {}, text.errors()};
      return {text.value().json + "\n", {}, {}};
    }
    case FileKind::kCircuit:
    case FileKind::kAssembly:
    case FileKind::kBundle:
      break;
  }
  return from(
      Error(ErrorCode::kInvalidArgument, path + " holds no kernel source to write as JSON"));
}

Result<std::string> ChooseEntry(const std::vector<std::string>& names, const std::string& entry,
                                const std::string& path) {
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  if (!entry.empty()) {
    if (std::find(names.begin(), names.end(), entry) != names.end()) return entry;
    return Error(ErrorCode::kNotFound, path + " has no kernel " + Shown(entry) +
                                           (known.empty() ? "" : "; it has: " + known));
  }
  if (names.size() == 1) return names[0];
  if (names.empty()) return Error(ErrorCode::kNotFound, path + " has no kernel");
  return Error(ErrorCode::kInvalidArgument, path + " has " + std::to_string(names.size()) +
                                                " kernels; choose one with --entry: " + known);
}

KernelFiles::KernelFiles(std::vector<std::string> paths, SourceOptions options, PythonFiles python)
    : paths_(std::move(paths)), options_(std::move(options)), python_(std::move(python)) {}

Result<KernelFiles> KernelFiles::Open(std::vector<std::string> paths, SourceOptions options) {
  HOLOGRAM_ASSIGN_OR_RETURN(PythonFiles python, PythonFiles::Start(paths, options.entry));
  return KernelFiles(std::move(paths), std::move(options), std::move(python));
}

LoadedKernels KernelFiles::Load(size_t k, Constants& constants) {
  const std::string& path = paths_[k];
  const Result<FileKind> kind = KindOf(path);
  if (!kind.ok()) return {{}, {}, kind.errors()};
  if (kind.value() == FileKind::kPython) {
    return LoadPython(python_.Take(k), path, options_, constants);
  }
  LoadedKernels loaded = From(LoadOther(kind.value(), path, options_, constants));
  const bool chosen = kind.value() == FileKind::kJson;  // that front end knows instances
  if (loaded.ok() && !options_.entry.empty() && !chosen) KeepEntry(loaded, options_.entry, path);
  return loaded;
}

FromSource<Kernels> Load(const Request& request, Constants& constants) {
  const auto step = [&](const std::string& name) {
    if (request.on_step) request.on_step(name);
  };
  Result<KernelFiles> files = KernelFiles::Open(request.files, request.source);
  if (!files.ok()) return {{}, {}, files.errors()};
  FromSource<Kernels> all;
  for (size_t k = 0; k < request.files.size(); ++k) {
    const std::string& path = request.files[k];
    step("reading " + path);
    LoadedKernels loaded = files.value().Load(k, constants);
    step("");
    if (!loaded.ok()) return {{}, std::move(loaded.messages), std::move(loaded.errors)};
    for (frontend::CompiledKernel& kernel : loaded.value) {
      const Status taken = Take(std::move(kernel), path, request, all.value);
      if (!taken.ok()) return {{}, {}, taken.errors()};
    }
  }
  return all;
}

}  // namespace hologram::driver
