// Builds stdlib.holo, the kernels of hg.ops. A tool of the build, not installed: it needs neither
// the command's libraries nor LLVM, so that a wheel can be built without them.
//
//   hologram_stdlib_builder compile none|all KERNELS.json PART.holo    one kernel file; all: native
//   code too hologram_stdlib_builder merge STDLIB.holo STDLIB.py PART.holo...   all of them, and
//   the hash to trust
//
// Parts are made side by side, and again only when their source changes. Tested by what uses the
// bundle: python/tests/test_ops*.py.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "bundle/bundle.h"
#include "frontend/frontend.h"
#include "runtime/compiler_plugin.h"
#include "tools/hologram/files.h"
#include "verify/verified_program.h"

namespace hologram::tool {
namespace {

constexpr std::pair<bundle::NativeLevel, runtime::CompileTarget> kLevels[] = {
    {bundle::NativeLevel::kX86V3, runtime::CompileTarget::kX86V3},
    {bundle::NativeLevel::kX86V4, runtime::CompileTarget::kX86V4},
};

// Kernels for which code for wider vectors is not worth its space in the file. Along columns it is,
// for the usual types: twice as many lanes go over the rows of a matrix at once.
bool WaitsForMemory(const std::string& name) {
  if (name.find("_columns") != std::string::npos &&
      (name.ends_with("_f32") || name.ends_with("_f64"))) {
    return false;
  }
  constexpr const char* kForms[] = {"_strided",    "_into",    "_rows_left",
                                    "_rows_right", "_columns", "op_cast_"};
  return std::any_of(std::begin(kForms), std::end(kForms),
                     [&](const char* form) { return name.find(form) != std::string::npos; });
}

Status CompilePart(bool native, const std::string& source, const std::string& output) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> json, ReadFile(source));
  const std::string text(json.begin(), json.end());
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<isa::Program> programs,
                            frontend::CompileJson(text, source, ""));
  bundle::BundleWriter writer;
  for (isa::Program& program : programs) {
    HOLOGRAM_ASSIGN_OR_RETURN(const verify::VerifiedProgram verified,
                              verify::Verify(std::move(program)));
    const size_t number = writer.AddProgram(verified.source());
    if (!native) continue;
    // Faults are told by the program's own lines; those in native code are for profilers, and half
    // of its size.
    isa::Program bare = verified.source();
    bare.debug.clear();
    HOLOGRAM_ASSIGN_OR_RETURN(const verify::VerifiedProgram compiled,
                              verify::Verify(std::move(bare)));
    const bool waits = WaitsForMemory(verified.program().name);
    for (const auto& [level, target] : kLevels) {
      if (waits && level != bundle::NativeLevel::kX86V3) continue;
      HOLOGRAM_ASSIGN_OR_RETURN(
          std::vector<uint8_t> object,
          runtime::Compile(compiled, target, runtime::CompileOutput::kObject));
      writer.AddNative(number, level, std::move(object));
    }
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> bundle, writer.Finish());
  return WriteFile(output, bundle);
}

// Programs and native code of a part that was just built, as they are.
Status AddPart(const std::string& path, bundle::BundleWriter& writer) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(path));
  HOLOGRAM_ASSIGN_OR_RETURN(const bundle::BundleReader reader, bundle::BundleReader::Open(bytes));
  for (size_t i = 0; i < reader.size(); ++i) {
    HOLOGRAM_ASSIGN_OR_RETURN(const isa::Program program, reader.ReadProgram(i));
    const size_t number = writer.AddProgram(program);
    for (const auto& [level, target] : kLevels) {
      const auto code = reader.NativeSection(i, level);
      if (code) writer.AddNative(number, level, {code->bytes.begin(), code->bytes.end()});
    }
  }
  return Success{};
}

Status Merge(const std::vector<std::string>& arguments) {
  bundle::BundleWriter writer;
  for (size_t k = 3; k < arguments.size(); ++k) {
    const Status added = AddPart(arguments[k], writer);
    if (!added.ok()) return added;
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> bundle, writer.Finish());
  HOLOGRAM_ASSIGN_OR_RETURN(const bundle::BundleReader reader, bundle::BundleReader::Open(bundle));
  const std::string hash = "\"" + ToHex(reader.trust_hash()) + "\"";
  const std::string python =
      "\"\"\"Written by the build: the hash by which this package trusts its stdlib.holo.\"\"\"\n\n"
      "HASH = " +
      hash + "\n";
  const std::string header =
      "// Written by the build: the hash by which hologram/ops.hpp trusts its stdlib.holo.\n"
      "#pragma once\n\nnamespace hologram {\n\ninline constexpr char stdlib_hash[] =\n    " +
      hash + ";\n\n}  // namespace hologram\n";
  OutputFiles files;
  Status status = files.Add(arguments[0], bundle);
  if (status.ok()) status = files.Add(arguments[1], BytesOf(python));
  if (status.ok()) status = files.Add(arguments[2], BytesOf(header));
  if (status.ok()) status = files.Commit();
  return status;
}

int Run(const std::string& command, const std::vector<std::string>& arguments) {
  const bool compile = command == "compile" && arguments.size() == 3 &&
                       (arguments[0] == "none" || arguments[0] == "all");
  if (!compile && (command != "merge" || arguments.size() < 4)) {
    std::fprintf(
        stderr,
        "usage: hologram_stdlib_builder compile none|all KERNELS.json PART.holo\n"
        "       hologram_stdlib_builder merge STDLIB.holo STDLIB.py STDLIB.hpp PART.holo...\n");
    return 2;
  }
  const Status status =
      compile ? CompilePart(arguments[0] == "all", arguments[1], arguments[2]) : Merge(arguments);
  if (status.ok()) return 0;
  for (const Diagnostic& error : status.errors()) {
    std::fprintf(stderr, "%s\n", ToString(error).c_str());
  }
  return 1;
}

}  // namespace
}  // namespace hologram::tool

int main(int count, char** arguments) {
  return hologram::tool::Run(count > 1 ? arguments[1] : "",
                             {arguments + (count > 1 ? 2 : 1), arguments + count});
}
