// Builds stdlib.holo, the standard kernels and those of hg.ops. A tool of the build, not installed:
// it needs neither the command's libraries nor LLVM, so that a wheel can be built without them.
//
//   hologram_stdlib_builder compile none|all KERNELS.json PART.holo
//   hologram_stdlib_builder merge STDLIB.holo STDLIB.py STDLIB.hpp PART.holo...
//
// `compile` makes a bundle of one kernel file, with `all` also its native code; `merge` makes one
// of all of them, and two files that hold the hash to trust. Parts are made side by side, and again
// only when their source changes. Tested by what uses the bundle: python/tests/test_ops*.py, and
// by tests/hardening/same_bytes_test.py.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "bundle/bundle.h"
#include "driver/compile.h"
#include "isa/program.h"
#include "order.h"
#include "runtime/native_bundle.h"
#include "runtime/observed_work.h"

namespace hologram::tool {
namespace {

// Kernels for which code for wider vectors is not worth its space in the file. Along columns it is,
// for the usual types: twice as many lanes go over the rows of a matrix at once.
bool WaitsForMemory(const std::string& name) {
  if (!name.starts_with("op_")) return false;  // a standard kernel
  if (name.find("_columns") != std::string::npos &&
      (name.ends_with("_f32") || name.ends_with("_f64"))) {
    return false;
  }
  constexpr const char* kForms[] = {"_strided",    "_into",    "_rows_left",
                                    "_rows_right", "_columns", "op_cast_"};
  return std::any_of(std::begin(kForms), std::end(kForms),
                     [&](const char* form) { return name.find(form) != std::string::npos; });
}

bool StartsWithOneOf(const std::string& name, std::span<const char* const> firsts) {
  return std::any_of(firsts.begin(), firsts.end(),
                     [&](const char* first) { return name.starts_with(first); });
}

// A wheel has room for 8 MB, of which these would take 120 KB; code that is like other code is
// almost free. Few compute losses and activations in f64, RSQRT, logarithms, powers, tanh and
// softplus in 16 bits and powers of rows, which take 1.3 to 1.8 times as long without, and running
// sums of 8 and 16 bits, which take twice as long. elu, layer_norm and rms_norm in f64 take 1.0 to
// 1.1 times as long.
bool IsTooLargeWide(const std::string& name) {
  constexpr const char* kLarge[] = {"op_binary_cross_entropy_double_f64",
                                    "op_cross_entropy_double_f64",
                                    "op_cumsum_rows_signed_i16",
                                    "op_cumsum_rows_signed_i8",
                                    "op_cumsum_rows_unsigned_u16",
                                    "op_cumsum_rows_unsigned_u8",
                                    "op_elu_f64",
                                    "op_gelu_erf_f64",
                                    "op_gelu_f64",
                                    "op_layer_norm_f64",
                                    "op_log10_f16",
                                    "op_log2_f16",
                                    "op_log_f16",
                                    "op_pow_bf16",
                                    "op_pow_f16",
                                    "op_pow_rows_bf16",
                                    "op_pow_rows_f16",
                                    "op_pow_rows_f64",
                                    "op_rms_norm_f64",
                                    "op_rsqrt_f16",
                                    "op_softplus_bf16",
                                    "op_softplus_f16",
                                    "op_softplus_f64",
                                    "op_tanh_f16",
                                    "op_tanh_f64"};
  return std::find(std::begin(kLarge), std::end(kLarge), name) != std::end(kLarge);
}

// Of 16-bit floats the conversions take the time. Code for wider vectors is as fast for arithmetic
// of f16 (dot: 5 % faster), and takes 1.4 to 2.9 times as long for tests of rows and where values
// are chosen by comparisons.
bool IsNoFasterWide(const std::string& name) {
  constexpr const char* kOfF16[] = {
      "op_add_",        "op_sub_",        "op_mul_",  "op_div_",   "op_min_rows", "op_max_rows",
      "op_argmin_pick", "op_argmax_pick", "op_abs_",  "op_neg_",   "op_sqrt_",    "op_relu_",
      "op_leaky_relu_", "op_elu_",        "op_ceil_", "op_floor_", "op_round_",   "op_erf_",
      "op_sigmoid_",    "op_silu_",       "op_all_",  "op_any_",   "op_mse_",     "op_dot_"};
  constexpr const char* kOfBf16[] = {"op_abs_", "op_neg_", "op_sqrt_"};
  return (name.ends_with("_f16") && StartsWithOneOf(name, kOfF16)) ||
         (name.ends_with("_bf16") && StartsWithOneOf(name, kOfBf16));
}

// Only launched on devices, which have code of their own.
bool IsForDevices(const std::string& name) {
  return name.starts_with("op_") && name.find("_device") != std::string::npos;
}

// Standard kernels that mostly wait for memory, or whose operations in hg.ops have code for wider
// vectors. Theirs would take 320 KB of a wheel.
bool HasOnlyFirstLevel(const std::string& source) {
  constexpr const char* kFiles[] = {"activation_", "linalg_", "loss_",   "movement_", "nn_",
                                    "qsim_",       "random_", "reduce_", "search_",   "sort_"};
  return StartsWithOneOf(source.substr(source.rfind('/') + 1), kFiles);
}

Status CompilePart(bool native, const std::string& source, const std::string& output) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> json, ReadFile(source));
  const std::string text(json.begin(), json.end());
  driver::Constants constants;
  HOLOGRAM_ASSIGN_OR_RETURN(driver::Kernels kernels, driver::FromJson(text, source, "", constants));
  HOLOGRAM_ASSIGN_OR_RETURN(const driver::Compiled compiled, driver::Verify(std::move(kernels)));
  const std::vector<verify::VerifiedProgram>& verified = compiled.programs;
  std::vector<runtime::NativeForms> forms(verified.size());
  const std::span<const Target> levels = runtime::UsualTargets();
  for (size_t k = 0; native && k < verified.size(); ++k) {
    runtime::NativeOptions options;
    const std::string& name = verified[k].program().name;
    if (IsForDevices(name)) continue;
    const bool first = WaitsForMemory(name) || IsNoFasterWide(name) || IsTooLargeWide(name) ||
                       HasOnlyFirstLevel(source);
    options.targets = first ? levels.first(1) : levels;
    // Those of the program are enough for faults.
    options.lines = runtime::DebugLines::kLeftOut;
    // Operations on arrays launch these kernels, and pass arrays that are as long as the proofs
    // want.
    options.checked = false;
    HOLOGRAM_ASSIGN_OR_RETURN(std::vector<runtime::NativeForms> made,
                              runtime::MakeNativeCode({&verified[k], 1}, options));
    if (!made[0].errors.empty()) return made[0].errors;
    forms[k] = std::move(made[0]);
  }
  HOLOGRAM_ASSIGN_OR_RETURN(
      const std::vector<uint8_t> bundle,
      runtime::BundleOf(verified, std::move(forms), levels, {}, compiled.arguments));
  return WriteFile(output, bundle);
}

// A program of a part that was just built, with its native code, as they are.
struct Built {
  isa::Program program;
  struct Code {
    bundle::SectionType type;
    bundle::NativeLevel level;
    std::vector<uint8_t> bytes;
  };
  std::vector<Code> native;
};

Status ReadPart(const std::string& path, std::vector<Built>& found) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(path));
  HOLOGRAM_ASSIGN_OR_RETURN(const bundle::BundleReader reader, bundle::BundleReader::Open(bytes));
  for (size_t i = 0; i < reader.size(); ++i) {
    HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program, reader.ReadProgram(i));
    Built& built = found.emplace_back(Built{std::move(program), {}});
    for (const bundle::SectionType type :
         {bundle::SectionType::kNative, bundle::SectionType::kChecked}) {
      for (const Target target : runtime::UsualTargets()) {
        const auto code = reader.NativeSection(i, bundle::LevelOf(target), type);
        if (!code) continue;
        built.native.push_back(
            {type, bundle::LevelOf(target), {code->bytes.begin(), code->bytes.end()}});
      }
    }
  }
  return Success{};
}

// What of a program takes room in a bundle.
std::vector<uint8_t> ContentsOf(const Built& built) {
  std::vector<uint8_t> bytes = isa::EncodeCode(built.program);
  for (const Built::Code& code : built.native) {
    bytes.insert(bytes.end(), code.bytes.begin(), code.bytes.end());
  }
  return bytes;
}

Status Merge(const std::vector<std::string>& arguments) {
  std::vector<Built> found;
  for (size_t k = 3; k < arguments.size(); ++k) {
    const Status read = ReadPart(arguments[k], found);
    if (!read.ok()) return read;
  }
  std::vector<std::vector<uint8_t>> contents;
  for (const Built& built : found) contents.push_back(ContentsOf(built));
  bundle::BundleWriter writer;
  for (const size_t k : OrderBySimilarity(contents)) {
    const size_t number = writer.AddProgram(found[k].program);
    for (Built::Code& code : found[k].native) {
      writer.AddNative(number, code.level, std::move(code.bytes), code.type);
    }
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
