#include "engine/library.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "bundle/bundle.h"
#include "engine/json.h"
#include "engine/state.h"
#include "frontend/circuit/lower.h"
#include "frontend/frontend.h"
#include "isa/atlas.h"
#include "sigmatics/circuit.h"
#include "text/text.h"
#include "verify/verified_program.h"

namespace hologram::web {
namespace {

struct OpenBundle {
  std::vector<uint8_t> bytes;  // which the reader keeps
  bundle::BundleReader reader;
};

struct Library {
  std::map<int32_t, OpenBundle> bundles;
  int32_t next = 1;
  Diagnostics warnings;  // of the last bundle
};

Library& TheLibrary() {
  static Library library;
  return library;
}

Result<int32_t> Open(std::vector<uint8_t> bytes) {
  HOLOGRAM_ASSIGN_OR_RETURN(bundle::BundleReader reader, bundle::BundleReader::Open(bytes));
  Library& library = TheLibrary();
  std::string names;
  for (size_t k = 0; k < reader.size(); ++k) {
    names += (k == 0 ? "" : ",") + JsonString(reader.NameOf(k));
  }
  Give("{\"trust_hash\":" + JsonString(ToHex(reader.trust_hash())) + ",\"names\":[" + names + "]}");
  const int32_t number = library.next++;
  library.bundles.emplace(number, OpenBundle{std::move(bytes), std::move(reader)});
  return number;
}

int32_t FindIn(int32_t bundle, std::string_view name) {
  const auto found = TheLibrary().bundles.find(bundle);
  if (found == TheLibrary().bundles.end()) return NoKernel();
  const bundle::BundleReader& reader = found->second.reader;
  const std::optional<size_t> program = reader.Find(name);
  if (!program) {
    std::string names;
    for (size_t k = 0; k < reader.size(); ++k) names += (k == 0 ? "" : ", ") + reader.NameOf(k);
    return Fail(
        {Error(ErrorCode::kNotFound, "there is no kernel " + Shown(name) + "; there is " + names)});
  }
  const auto arguments = reader.ReadArguments(*program);
  if (!arguments.ok()) return Fail(arguments.errors());
  const int32_t number = Keep(LoadProgram(reader, *program));
  if (number > 0) {
    const bool uses_stream = FindKernel(number, 0)->uses_stream();
    Give("{\"id\":" + JsonString(ToHex(reader.IdentityOf(*program))) +
         ",\"arguments\":" + JsonString(arguments.value()) +
         ",\"uses_stream\":" + (uses_stream ? "true" : "false") + "}");
  }
  return number;
}

// Pairs of texts with a zero behind each.
std::vector<frontend::CompileTimeValue> ConstantsOf(std::string_view text) {
  std::vector<frontend::CompileTimeValue> constants;
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = text.find('\0');
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  for (size_t k = 0; k + 1 < parts.size(); k += 2) constants.push_back({parts[k], {parts[k + 1]}});
  return constants;
}

struct Source {
  std::string_view form;
  std::string_view text;
  std::string file;
  std::string entry;
  std::string_view constants;
};

Result<std::vector<frontend::CompiledKernel>> Compiled(const Source& source) {
  std::vector<frontend::CompiledKernel> kernels;
  if (source.form == "json") {
    auto constants = ConstantsOf(source.constants);
    HOLOGRAM_ASSIGN_OR_RETURN(
        kernels, frontend::CompileJsonWithCircuits(source.text, source.file, source.entry,
                                                   constants, frontend::Circuits::kNone));
    for (const frontend::CompileTimeValue& constant : constants) {
      if (constant.used) continue;
      return Error(
          ErrorCode::kNotFound,
          "no kernel has a compile-time parameter or type variable '" + constant.name + "'");
    }
    return kernels;
  }
  if (source.form == "circuit") {
    HOLOGRAM_ASSIGN_OR_RETURN(kernels.emplace_back().program,
                              frontend::CompileCircuit(source.text, "", source.entry));
    return kernels;
  }
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<isa::Program> programs,
                            text::Assemble(source.text, source.file));
  for (isa::Program& program : programs) {
    if (!source.entry.empty() && program.name != source.entry) continue;
    kernels.emplace_back().program = std::move(program);
  }
  if (!kernels.empty()) return kernels;
  return Error(ErrorCode::kNotFound, source.file + " has no kernel " + Shown(source.entry));
}

// As driver::VerifiedBundle, without native code.
Result<std::string> BundleOf(const Source& source) {
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<frontend::CompiledKernel> kernels, Compiled(source));
  Diagnostics errors;
  bundle::BundleWriter writer;
  TheLibrary().warnings.clear();
  for (frontend::CompiledKernel& kernel : kernels) {
    TheLibrary().warnings.insert(TheLibrary().warnings.end(), kernel.warnings.begin(),
                                 kernel.warnings.end());
    const auto verified = verify::Verify(std::move(kernel.program));
    if (!verified.ok()) {
      errors.insert(errors.end(), verified.errors().begin(), verified.errors().end());
      continue;
    }
    const size_t number = writer.AddProgram(verified.value().source());
    if (!kernel.arguments.empty()) writer.SetArguments(number, kernel.arguments);
  }
  if (!errors.empty()) return errors;
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, writer.Finish());
  return std::string(bytes.begin(), bytes.end());
}

Result<std::string> Canonical(std::string_view text) {
  HOLOGRAM_ASSIGN_OR_RETURN(const frontend::CompiledKernel kernel,
                            frontend::CompileCircuitFile(text, "", "circuit"));
  const sigmatics::Canonical& form = kernel.circuit.form;
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<size_t> numbers, frontend::NumbersAmongOutputs(form));
  std::string list;
  for (const size_t number : numbers) list += (list.empty() ? "" : ",") + std::to_string(number);
  return "{\"circuit\":" + JsonString(sigmatics::Print(form.circuit)) + ",\"numbers\":[" + list +
         "]}";
}

}  // namespace
}  // namespace hologram::web

namespace isa = hologram::isa;
using namespace hologram::web;  // NOLINT(google-build-using-namespace)

int32_t hologram_web_open(const uint8_t* bytes, size_t size) {
  const auto number = Open({bytes, bytes + size});
  return number.ok() ? number.value() : Fail(number.errors());
}

void hologram_web_close(int32_t bundle) {
  TheLibrary().bundles.erase(bundle);
}

int32_t hologram_web_find(int32_t bundle, const char* name, size_t size) {
  return FindIn(bundle, {name, size});
}

int32_t hologram_web_bundle(const char* form, size_t form_size, const char* text, size_t size,
                            const char* file, size_t file_size, const char* entry,
                            size_t entry_size, const char* constants, size_t constants_size) {
  return GiveOrFail(BundleOf({{form, form_size},
                              {text, size},
                              std::string(file, file_size),
                              std::string(entry, entry_size),
                              {constants, constants_size}}));
}

void hologram_web_warnings() {
  Give(ErrorsJson(TheLibrary().warnings));
}

int32_t hologram_web_atlas() {
  return Give("{\"classes\":" + std::to_string(isa::kNumClasses) +
              ",\"pages\":" + std::to_string(isa::kPagesPerClass) +
              ",\"bytes\":" + std::to_string(isa::kBytesPerPage) +
              ",\"block\":" + std::to_string(isa::Program().default_block) + "}");
}

int32_t hologram_web_canonical(const char* text, size_t size) {
  return GiveOrFail(Canonical({text, size}));
}
