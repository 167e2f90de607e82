#include "driver/c_header.h"

#include <algorithm>
#include <string_view>

#include "base/quote.h"
#include "base/words.h"
#include "launch/facts.h"

namespace hologram::driver {
namespace {

using isa::Parameter;
using isa::Type;

constexpr std::string_view kFirstLine = "/* Written by hologram compile";

// Words that a parameter cannot be called in C99, in C++ or beside what the header uses.
constexpr std::string_view kTaken[] = {"alignas",
                                       "alignof",
                                       "and",
                                       "and_eq",
                                       "asm",
                                       "assert",
                                       "auto",
                                       "bitand",
                                       "bitor",
                                       "bool",
                                       "break",
                                       "case",
                                       "catch",
                                       "char",
                                       "class",
                                       "compl",
                                       "concept",
                                       "const",
                                       "const_cast",
                                       "consteval",
                                       "constexpr",
                                       "constinit",
                                       "continue",
                                       "co_await",
                                       "co_return",
                                       "co_yield",
                                       "decltype",
                                       "default",
                                       "delete",
                                       "do",
                                       "double",
                                       "dynamic_cast",
                                       "else",
                                       "enum",
                                       "errno",
                                       "explicit",
                                       "export",
                                       "extern",
                                       "false",
                                       "float",
                                       "for",
                                       "friend",
                                       "goto",
                                       "if",
                                       "inline",
                                       "int",
                                       "linux",
                                       "long",
                                       "mutable",
                                       "namespace",
                                       "new",
                                       "noexcept",
                                       "not",
                                       "not_eq",
                                       "nullptr",
                                       "operator",
                                       "or",
                                       "or_eq",
                                       "private",
                                       "protected",
                                       "public",
                                       "register",
                                       "reinterpret_cast",
                                       "requires",
                                       "restrict",
                                       "return",
                                       "short",
                                       "signed",
                                       "sizeof",
                                       "static",
                                       "static_assert",
                                       "static_cast",
                                       "stderr",
                                       "stdin",
                                       "stdout",
                                       "struct",
                                       "switch",
                                       "template",
                                       "this",
                                       "thread_local",
                                       "throw",
                                       "true",
                                       "try",
                                       "typedef",
                                       "typeid",
                                       "typename",
                                       "typeof",
                                       "union",
                                       "unix",
                                       "unsigned",
                                       "using",
                                       "virtual",
                                       "void",
                                       "volatile",
                                       "wchar_t",
                                       "while",
                                       "xor",
                                       "xor_eq",
                                       "memcpy",
                                       "malloc",
                                       "free",
                                       "NULL",
                                       "EOF",
                                       "size_t",
                                       "uintptr_t",
                                       "int8_t",
                                       "int16_t",
                                       "int32_t",
                                       "int64_t",
                                       "uint8_t",
                                       "uint16_t",
                                       "uint32_t",
                                       "uint64_t",
                                       "UINT32_MAX",
                                       "UINT64_MAX"};

const char* CType(Type type) {
  constexpr const char* kNames[isa::kNumTypes] = {"int8_t",   "int16_t",  "int32_t",  "int64_t",
                                                  "uint8_t",  "uint16_t", "uint32_t", "uint64_t",
                                                  "uint16_t", "uint16_t", "float",    "double"};
  return kNames[static_cast<size_t>(type)];
}

// `A.shape[0]`, which nobody declares, is A_shape_0 in C.
std::string Plain(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || c == '_') {
      plain += c;
    } else if (!plain.empty() && plain.back() != '_') {
      plain += '_';
    }
  }
  while (!plain.empty() && plain.back() == '_' && name.back() != '_') plain.pop_back();
  return plain;
}

// What a parameter is called in C; arrays have a second name for their length.
struct CName {
  std::string value;
  std::string count;
};

std::vector<CName> NamesOf(const isa::Program& program) {
  std::vector<std::string> used;
  // Those of the kernel, which call each other.
  const auto is_function = [&](const std::string& name) {
    constexpr const char* kSuffixes[] = {"_supported", "_line", "_launch_grid", "_launch"};
    return std::any_of(std::begin(kSuffixes), std::end(kSuffixes),
                       [&](const char* suffix) { return name == program.name + suffix; });
  };
  const auto unique = [&](std::string name) {
    const auto taken = [&] {
      return is_function(name) || std::find(used.begin(), used.end(), name) != used.end() ||
             std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken);
    };
    if (name.starts_with('_') || name.starts_with("hologram_") || name.starts_with("HOLOGRAM_")) {
      name = "argument_" + name;
    }
    if (!IsIdentifier(name)) name = Plain(name);
    if (!IsIdentifier(name)) name = "argument_" + std::to_string(used.size());
    while (taken()) name += '_';
    used.push_back(name);
    return name;
  };
  // First all parameters, so that only the names that are ours give way.
  std::vector<CName> names;
  for (const Parameter& parameter : program.parameters)
    names.push_back({unique(parameter.name), ""});
  for (size_t k = 0; k < names.size(); ++k) {
    if (program.parameters[k].is_buffer) names[k].count = unique(names[k].value + "_count");
  }
  return names;
}

// The functions of one kernel.
class KernelWriter {
 public:
  KernelWriter(const verify::VerifiedProgram& verified, Target target)
      : program_(verified.program()),
        name_(program_.name),
        target_(InfoOf(target)),
        names_(NamesOf(program_)),
        facts_(verified) {}

  std::string Write() {
    out_ = "#ifndef HOLOGRAM_KERNEL_" + name_ + "\n#define HOLOGRAM_KERNEL_" + name_ + "\n\n";
    Describe();
    out_ += "extern const hologram_kernel_info " + InfoSymbol(program_) + ";\n\n";
    Supported();
    Lines();
    LaunchGrid();
    if (HasLaunch()) Launch();
    out_ += "#endif /* HOLOGRAM_KERNEL_" + name_ + " */\n";
    return std::move(out_);
  }

 private:
  // Every launch without a grid is decided by comparing scalars with lanes.
  bool HasLaunch() const { return facts_.lanes_follow(); }

  // Of several dimensions, for who says the launch.
  std::string Block() const {
    const auto [x, y, z] = program_.DefaultBlock();
    return " Its blocks have " + std::to_string(x) + " x " + std::to_string(y) + " x " +
           std::to_string(z) + " lanes.";
  }

  void Describe() {
    out_ += "/* Kernel " + name_;
    if (!program_.source_file.empty() && IsPlain(program_.source_file) &&
        program_.source_file.find("*/") == std::string::npos) {
      out_ += " of " + program_.source_file;
    }
    out_ += std::string(", compiled for ") + target_.name + ".\n *\n";
    for (size_t k = 0; k < names_.size(); ++k) {
      const Parameter& parameter = program_.parameters[k];
      out_ += " *   " + names_[k].value + ": " + std::string(NameOf(parameter.type));
      if (parameter.is_buffer) {
        constexpr const char* kHow[] = {", read", ", written", ", read and written"};
        out_ += std::string("[") + names_[k].count + "]" +
                kHow[static_cast<size_t>(parameter.direction)];
      }
      if (parameter.source == isa::Source::kExtent || parameter.source == isa::Source::kStride) {
        out_ += ", elements of " + names_[parameter.array].value +
                (parameter.source == isa::Source::kExtent
                     ? " in dimension "
                     : " from one index to the next in dimension ") +
                std::to_string(parameter.dimension);
      }
      out_ += "\n";
    }
    if (!HasLaunch()) {
      out_ += " *\n * It has no " + name_ +
              "_launch: the grid does not follow from its arguments. Call " + name_ +
              "_launch_grid." + (program_.HasFlatBlock() ? "" : Block()) + "\n";
    }
    out_ += " */\n";
  }

  void Supported() {
    out_ +=
        "/* Nonzero if this processor has what the code needs; ask once before the first launch. "
        "*/\nstatic inline int " +
        name_ + "_supported(void) {\n  return ";
    const char* join = "";
    if (*target_.supports == '\0') out_ += "1";
    for (const std::string_view feature : WordsOf(target_.supports)) {
      out_ += join + ("__builtin_cpu_supports(\"" + std::string(feature) + "\")");
      join = " &&\n         ";
    }
    out_ += ";\n}\n\n";
  }

  // For messages: which line of the source an instruction is from.
  void Lines() {
    out_ +=
        "/* The line of the kernel's source for a `fault_pc`; 0: not known. */\n"
        "static inline uint32_t " +
        name_ +
        "_line(uint32_t fault_pc) {\n"
        "  static const uint32_t lines[] = {";
    for (size_t pc = 0; pc < program_.code.size(); ++pc) {
      out_ += (pc == 0        ? ""
               : pc % 16 == 0 ? ",\n    "
                              : ", ") +
              std::to_string(program_.LocationOf(static_cast<uint32_t>(pc)).line);
    }
    out_ += "};\n  return fault_pc < sizeof lines / sizeof *lines ? lines[fault_pc] : 0;\n}\n\n";
  }

  std::string Declarations() const {
    std::string text;
    for (size_t k = 0; k < names_.size(); ++k) {
      const Parameter& parameter = program_.parameters[k];
      const std::string type = CType(parameter.type);
      text += "\n    ";
      if (parameter.is_buffer) {
        const bool read_only = parameter.direction == isa::Direction::kIn;
        text += (read_only ? "const " : "") + type + "* " + names_[k].value + ", size_t " +
                names_[k].count + ",";
      } else {
        text += type + " " + names_[k].value + ",";
      }
    }
    return text + "\n    ";
  }

  std::string Values() const {
    std::string text;
    for (const CName& name : names_) {
      text += name.value + ", " + (name.count.empty() ? "" : name.count + ", ");
    }
    return text;
  }

  // Local arrays that lanes have while they wait for others may be too large for a stack; how large
  // they are, only the compiled kernel knows.
  bool MayNeedScratch() const {
    return program_.LocalBytes() != 0 &&
           std::any_of(program_.code.begin(), program_.code.end(),
                       [](const isa::Instruction& in) { return isa::IsBarrier(in.op); });
  }

  void TakeScratch() {
    const std::string info = InfoSymbol(program_);
    const std::string most = std::to_string(isa::kMaxLanesPerBlock);
    out_ +=
        "  for (size_t hologram_k = 0; hologram_k < 3; ++hologram_k) {\n"
        "    if (hologram_shape->block[hologram_k] > " +
        most +
        ") return HOLOGRAM_LAUNCH_UNPROVED;\n"
        "    hologram_lanes *= hologram_shape->block[hologram_k];\n"
        "  }\n"
        "  if (hologram_lanes > " +
        most +
        ") return HOLOGRAM_LAUNCH_UNPROVED;\n"
        "  if (" +
        info +
        ".scratch_bytes != 0) {\n"
        "    hologram_lanes = (hologram_lanes + HOLOGRAM_SCRATCH_LANES - 1) / "
        "HOLOGRAM_SCRATCH_LANES *\n                     HOLOGRAM_SCRATCH_LANES;\n"
        "    hologram_scratch = malloc((size_t)(hologram_lanes * " +
        info +
        ".scratch_bytes +\n                              HOLOGRAM_SCRATCH_ALIGNMENT));\n"
        "    if (hologram_scratch == NULL) return HOLOGRAM_LAUNCH_UNPROVED;\n"
        "    hologram_state->scratch = (void*)(((uintptr_t)hologram_scratch + "
        "HOLOGRAM_SCRATCH_ALIGNMENT - 1) /\n"
        "                                      HOLOGRAM_SCRATCH_ALIGNMENT * "
        "HOLOGRAM_SCRATCH_ALIGNMENT);\n"
        "  }\n";
  }

  void LaunchGrid() {
    out_ +=
        "/* Runs the kernel on the lanes of `hologram_shape`. See the top of this file. */\n"
        "static inline int32_t " +
        name_ + "_launch_grid(" + Declarations() +
        "const hologram_launch_shape* hologram_shape,\n    "
        "hologram_launch_state* hologram_state) {\n"
        "  hologram_launch_state hologram_own;\n"
        "  int32_t hologram_outcome;\n";
    const bool scratch = MayNeedScratch();
    if (scratch) out_ += "  uint64_t hologram_lanes = 1;\n  void* hologram_scratch = NULL;\n";
    size_t buffers = 0;
    size_t scalars = 0;
    std::string fill;
    for (size_t k = 0; k < names_.size(); ++k) {
      const Parameter& parameter = program_.parameters[k];
      const std::string& name = names_[k].value;
      if (parameter.is_buffer) {
        const std::string at = "hologram_buffers[" + std::to_string(buffers++) + "]";
        fill += "  " + at + ".data = (void*)(uintptr_t)" + name + ";\n  " + at +
                ".bytes = (uint64_t)" + names_[k].count + " * sizeof *" + name + ";\n";
        continue;
      }
      const std::string at = "hologram_scalars[" + std::to_string(scalars++) + "]";
      if (isa::IsFloat(parameter.type) && !isa::IsHalf(parameter.type)) {
        fill += "  " + at + " = 0;\n  memcpy(&" + at + ", &" + name + ", sizeof " + name + ");\n";
      } else {
        fill += "  " + at + " = (uint64_t)" + name + ";\n";
      }
    }
    // C has no arrays of nothing.
    out_ += "  hologram_buffer_ref hologram_buffers[" +
            std::to_string(std::max<size_t>(buffers, 1)) + "];\n  uint64_t hologram_scalars[" +
            std::to_string(std::max<size_t>(scalars, 1)) + "];\n";
    if (buffers == 0)
      out_ += "  hologram_buffers[0].data = NULL;\n  hologram_buffers[0].bytes = 0;\n";
    if (scalars == 0) out_ += "  hologram_scalars[0] = 0;\n";
    out_ += fill;
    out_ +=
        "  if (hologram_state == NULL) hologram_state = &hologram_own;\n"
        "  hologram_state->budget = HOLOGRAM_DEFAULT_BUDGET;\n"
        "  hologram_state->fault_lane = UINT64_MAX;\n"
        "  hologram_state->fault_index = 0;\n"
        "  hologram_state->fault_pc = 0;\n"
        "  hologram_state->fault_code = HOLOGRAM_FAULT_NONE;\n"
        "  hologram_state->class_base = 0;\n"
        "  hologram_state->scratch = NULL;\n";
    if (scratch) TakeScratch();
    out_ += "  hologram_outcome = " + InfoSymbol(program_) +
            ".entry(hologram_buffers, hologram_scalars, hologram_shape, hologram_state);\n";
    if (scratch) out_ += "  free(hologram_scratch);\n  hologram_state->scratch = NULL;\n";
    out_ +=
        "  if (hologram_outcome != HOLOGRAM_LAUNCH_DONE) return hologram_outcome;\n"
        "  return hologram_state->fault_code == HOLOGRAM_FAULT_NONE ? HOLOGRAM_LAUNCH_DONE\n"
        "                                                           : "
        "HOLOGRAM_LAUNCH_FAULTED;\n}\n\n";
  }

  void Launch() {
    const std::string block = std::to_string(program_.default_block);
    out_ += "/* The same over the largest array that is written, in whole blocks of " + block +
            " lanes. */\nstatic inline int32_t " + name_ + "_launch(" + Declarations() +
            "hologram_launch_state* hologram_state) {\n"
            "  hologram_launch_shape hologram_shape;\n"
            "  uint64_t hologram_lanes = 0;\n";
    std::vector<std::string> scalars;
    std::vector<Type> types;
    for (size_t k = 0; k < names_.size(); ++k) {
      const Parameter& parameter = program_.parameters[k];
      if (!parameter.is_buffer) {
        scalars.push_back(names_[k].value);
        types.push_back(parameter.type);
      } else if (parameter.direction != isa::Direction::kIn) {
        out_ += "  if (" + names_[k].count +
                " > hologram_lanes) hologram_lanes = " + names_[k].count + ";\n";
      }
    }
    out_ +=
        "  if (hologram_lanes > UINT32_MAX) return HOLOGRAM_LAUNCH_UNPROVED;\n"
        "  hologram_lanes = (hologram_lanes + (" +
        block + " - 1)) / " + block + " * " + block + ";\n";
    for (const auto& bound : *facts_.bounds) {
      const std::string& name = scalars[bound.scalar];
      const bool is_signed = isa::IsSignedInteger(types[bound.scalar]);
      out_ += "  if (" + (is_signed ? name + " >= 0 && " : "") + "(uint64_t)" + name +
              (bound.inclusive ? " >= " : " > ") +
              "hologram_lanes) return HOLOGRAM_LAUNCH_UNPROVED; /* lanes are missing */\n";
    }
    out_ +=
        "  if (hologram_lanes == 0) return HOLOGRAM_LAUNCH_DONE;\n"
        "  hologram_shape.grid[0] = (uint32_t)(hologram_lanes / " +
        block +
        ");\n"
        "  hologram_shape.block[0] = " +
        block +
        ";\n"
        "  hologram_shape.grid[1] = hologram_shape.grid[2] = 1;\n"
        "  hologram_shape.block[1] = hologram_shape.block[2] = 1;\n"
        "  return " +
        name_ + "_launch_grid(" + Values() +
        "&hologram_shape, hologram_state);\n"
        "}\n\n";
  }

  const isa::Program& program_;
  const std::string& name_;
  const TargetInfo& target_;
  std::vector<CName> names_;
  launch::KernelFacts facts_;
  std::string out_;
};

constexpr const char* kPreamble =
    R"(, a header for C99 and C++: kernels that are linked as an object
 * or a shared library, without libhologram.
 *
 * NAME_launch_grid checks the arguments, runs the kernel on the calling thread and returns one of
 * the values below. So does NAME_launch, without a grid, of kernels whose comments do not say that
 * they have none.
 *   HOLOGRAM_LAUNCH_DONE      all lanes ran;
 *   HOLOGRAM_LAUNCH_UNPROVED  nothing ran: the proof that the kernel stays in its arrays does not
 *                             cover these arguments (an array is too short, shares memory with one
 *                             that is written, or is updated atomically and not aligned), the launch has
 *                             too few lanes, or there is no memory for the kernel's local arrays;
 *   HOLOGRAM_LAUNCH_FAULTED   the kernel stopped: fault_code, fault_lane, fault_index and fault_pc
 *                             of *hologram_state (HOLOGRAM_FAULT_ in native_abi.h) say why; what it
 *                             wrote until then stays. NAME_line(fault_pc) is the line.
 * Every array is followed by its number of elements. Extents and strides are in elements. f16 and
 * bf16 are their bits. hologram_state may be NULL. Launches on different memory may run at the same
 * time. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hologram/native_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#if HOLOGRAM_NATIVE_ABI_VERSION != )";

Status CheckKernel(const verify::VerifiedProgram& verified) {
  const isa::Program& program = verified.program();
  const auto refuse = [&](const std::string& why) {
    return Error(ErrorCode::kUnsupported, "kernel " + Shown(program.name) + " " + why);
  };
  if (!IsIdentifier(program.name)) return refuse("has no name that C can have; rename it");
  const char* instead = "; write a bundle (-o FILE.holo) and launch it by hologram.h";
  if (verified.uses_stream()) {
    return refuse(std::string("uses phase, resonance, pools or class memory, which an object alone "
                              "has not") +
                  instead);
  }
  if (verified.uses_print()) {
    return refuse(std::string("prints, for which an object alone has no place") + instead);
  }
  for (const isa::Parameter& parameter : program.parameters) {
    if (!parameter.unique) continue;
    return refuse("declares unique(" + parameter.name + "), which an object alone does not check" +
                  instead);
  }
  if (!verified.launch_sums().empty()) {
    return refuse(std::string("adds floats of all lanes to one element, which an object alone has "
                              "no place to collect") +
                  instead);
  }
  if (!verified.races().empty()) {
    Diagnostic error = refuse(
        "may write one element from several lanes, and a launch from C is "
        "deterministic: " +
        verified.races()[0].message + instead);
    error.where = program.LocationOf(verified.races()[0].pc);
    return error;
  }
  return Success{};
}

}  // namespace

std::string InfoSymbol(const isa::Program& program) {
  return "hologram_info_" + program.name;
}

bool IsOurHeader(const std::string& text) {
  return text.starts_with(kFirstLine);
}

Result<std::string> MakeCHeader(const std::vector<verify::VerifiedProgram>& programs,
                                Target target) {
  const std::string version = std::to_string(HOLOGRAM_NATIVE_ABI_VERSION) + "u";
  std::string text =
      std::string(kFirstLine) + kPreamble + version +
      "\n#error \"compile the kernels again: this is another version of native_abi.h\"\n"
      "#endif\n\n";
  for (const verify::VerifiedProgram& program : programs) {
    HOLOGRAM_RETURN_IF_ERROR(CheckKernel(program));
    text += KernelWriter(program, target).Write() + "\n";
  }
  return text + "#ifdef __cplusplus\n}\n#endif\n";
}

}  // namespace hologram::driver
