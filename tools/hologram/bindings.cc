#include "bindings.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>

#include "base/quote.h"
#include "isa/array_shape.h"
#include "isa/half.h"
#include "report.h"

namespace hologram::tool {
namespace {

using isa::Parameter;
using isa::Type;

constexpr std::string_view kOutShape = "NAME=FILE:TYPE:COUNT, as in c=c.npy:f32:1000";

Diagnostic Wrong(std::string message) {
  return Error(ErrorCode::kInvalidArgument, std::move(message));
}

template <class T>
bool ParseWhole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// What --out says about one parameter. Without type and shape they are those of --in.
struct Output {
  std::string path;
  std::string type;
  std::vector<uint64_t> shape;
  bool complete = false;
};

Output ParseOutput(const std::string& name, const std::string& text) {
  Output output;
  const size_t last = text.rfind(':');
  if (last == std::string::npos) {
    output.path = text;
    return output;
  }
  const size_t middle = last == 0 ? std::string::npos : text.rfind(':', last - 1);
  bool ok = middle != std::string::npos && middle != 0;
  if (ok) {
    output.path = text.substr(0, middle);
    output.type = text.substr(middle + 1, last - middle - 1);
  }
  std::string_view rest = std::string_view(text).substr(last + 1);
  while (ok) {
    const size_t end = rest.find('x');
    uint64_t extent = 0;
    ok = ParseWhole(rest.substr(0, end), extent) && output.shape.size() < kMaxRank;
    output.shape.push_back(extent);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  if (!ok) {
    throw UsageError{"option --out: expected " + std::string(kOutShape) + ", found '" + name + "=" +
                     text + "'"};
  }
  output.complete = true;
  return output;
}

// All options by the name of their parameter. Throws UsageError for text without a shape.
struct Given {
  std::map<std::string, std::string> inputs;
  std::map<std::string, Output> outputs;
  std::map<std::string, std::string> scalars;
  Diagnostics errors;
};

Given Collect(const Options& options) {
  Given given;
  const auto twice = [&](const char* option, const std::string& name) {
    given.errors.push_back(Wrong(std::string(option) + " " + name + " is given twice"));
  };
  for (const std::string& text : options.all("--in")) {
    const NameAndValue in = SplitAssignment("--in", text, "NAME=FILE");
    if (!given.inputs.emplace(in.name, in.value).second) twice("--in", in.name);
  }
  for (const std::string& text : options.all("--out")) {
    const NameAndValue out = SplitAssignment("--out", text, kOutShape);
    if (!given.outputs.emplace(out.name, ParseOutput(out.name, out.value)).second) {
      twice("--out", out.name);
    }
  }
  for (const std::string& text : options.all("--set")) {
    const NameAndValue set = SplitAssignment("--set", text, "NAME=VALUE");
    if (!given.scalars.emplace(set.name, set.value).second) twice("--set", set.name);
  }
  return given;
}

std::string TypeName(Type type) {
  return std::string(NameOf(type));
}

// Names that are no parameter of the kernel, or one of the other kind.
void CheckNames(const isa::Program& program, Given& given) {
  std::string known;
  const std::span arguments(program.parameters.data(), program.NumArguments());
  for (const Parameter& parameter : arguments) {
    known += (known.empty() ? "" : ", ") + parameter.name;
  }
  const auto check = [&](const char* option, const std::string& name, bool wants_buffer) {
    const auto found = std::find_if(arguments.begin(), arguments.end(),
                                    [&](const Parameter& p) { return p.name == name; });
    if (found == arguments.end()) {
      given.errors.push_back(Wrong(std::string(option) + " " + Escape(name, false) + ": kernel '" +
                                   program.name + "' has no such parameter; it has: " + known));
    } else if (found->is_buffer && !wants_buffer) {
      given.errors.push_back(Wrong("--set " + name + ": it is an array of " +
                                   TypeName(found->type) + "; use --in " + name + "=FILE"));
    } else if (!found->is_buffer && wants_buffer) {
      given.errors.push_back(Wrong(std::string(option) + " " + name +
                                   ": it is a scalar; use --set " + name + "=VALUE"));
    }
  };
  for (const auto& [name, value] : given.inputs) check("--in", name, true);
  for (const auto& [name, value] : given.outputs) check("--out", name, true);
  for (const auto& [name, value] : given.scalars) check("--set", name, false);
}

std::string OutToWrite(const Parameter& parameter) {
  return "--out " + parameter.name + "=FILE:" + TypeName(parameter.type) + ":COUNT";
}

// True if an instruction touches the array of this parameter.
bool IsUsed(const verify::VerifiedProgram& program, const Parameter& parameter) {
  const auto number = static_cast<uint32_t>(&parameter - program.program().parameters.data());
  return std::any_of(
      program.accesses().begin(), program.accesses().end(),
      [&](const verify::AccessFact& access) { return !access.shared && access.slot == number; });
}

Status CheckOutput(const verify::VerifiedProgram& program, const Parameter& parameter,
                   const std::string& file, const Output& output, bool has_input) {
  if (parameter.direction == isa::Direction::kIn) {
    if (!IsUsed(program, parameter)) {
      return Wrong("--out " + parameter.name +
                   ": the kernel does not use it, so there is nothing "
                   "to write; take the parameter out, or use --in " +
                   parameter.name + "=FILE");
    }
    return Wrong("--out " + parameter.name + ": the kernel only reads it; use --in " +
                 parameter.name + "=FILE");
  }
  if (!output.complete) {
    if (has_input) return Success{};
    throw UsageError{"option --out: expected " + std::string(kOutShape) + ", found '" +
                     parameter.name + "=" + output.path + "'"};
  }
  if (!isa::ParseType(output.type)) {
    return Wrong("--out " + parameter.name + ": unknown type " + Shown(output.type) + "; " + file +
                 " expects " + TypeName(parameter.type));
  }
  if (output.type != NameOf(parameter.type)) {
    return Wrong("--out " + parameter.name + ": " + file + " expects " + TypeName(parameter.type) +
                 ", the option says " + output.type);
  }
  if (!output.path.ends_with(".npy") && !output.path.ends_with(".png")) {
    return Wrong("--out " + parameter.name + ": " + output.path + ": expected a .npy or .png file");
  }
  return Success{};
}

// FILE, or FILE:bf16 for the bits of bf16 in a file of u16.
Result<Array> ReadInput(const Parameter& parameter, const std::string& file,
                        const std::string& value) {
  const std::string suffix = ":" + TypeName(Type::kBF16);
  const bool bits = value.ends_with(suffix);
  const std::string path = bits ? value.substr(0, value.size() - suffix.size()) : value;
  HOLOGRAM_ASSIGN_OR_RETURN(Array array, ReadArray(path));
  if (bits && array.type == FileType(Type::kBF16)) array.type = Type::kBF16;
  if (array.type == parameter.type) return array;
  std::string message = "--in " + parameter.name + ": " + file + " expects " +
                        TypeName(parameter.type) + ", " + path + " has " + TypeName(array.type);
  if (!bits && parameter.type == Type::kBF16 && array.type == FileType(Type::kBF16)) {
    message += "; if they are the bits of bf16, write --in " + parameter.name + "=" + path + suffix;
  }
  return Wrong(std::move(message));
}

// The array of one buffer parameter.
Result<Array> BindArray(const verify::VerifiedProgram& program, const Parameter& parameter,
                        const std::string& file, const Given& given) {
  const auto input = given.inputs.find(parameter.name);
  const auto output = given.outputs.find(parameter.name);
  const bool has_input = input != given.inputs.end();
  const bool has_output = output != given.outputs.end();
  if (!has_input && !has_output) {
    return Wrong("array '" + parameter.name + "' is missing; add " +
                 (parameter.direction == isa::Direction::kIn ? "--in " + parameter.name + "=FILE"
                                                             : OutToWrite(parameter)));
  }
  if (parameter.direction != isa::Direction::kIn && !has_output) {
    return Wrong("--in " + parameter.name + ": the kernel writes it; add --out " + parameter.name +
                 "=FILE");
  }
  if (has_output) {
    HOLOGRAM_RETURN_IF_ERROR(CheckOutput(program, parameter, file, output->second, has_input));
  }
  if (!has_input) return MakeArray(parameter.type, output->second.shape);
  HOLOGRAM_ASSIGN_OR_RETURN(Array array, ReadInput(parameter, file, input->second));
  if (has_output && output->second.complete) {
    uint64_t count = 1;
    for (uint64_t extent : output->second.shape) {
      if (__builtin_mul_overflow(count, extent, &count)) count = UINT64_MAX;
    }
    const uint64_t found = array.bytes.size() / isa::SizeOf(array.type);
    if (count != found) {
      return Wrong("--out " + parameter.name + ": the option says " + std::to_string(count) +
                   " elements, " + input->second + " has " + std::to_string(found));
    }
    array.shape = output->second.shape;
  }
  return array;
}

// A parameter without rank takes the elements of any shape, one after the other.
isa::ArrayShape ShapeOf(const Parameter& parameter, const Array& array) {
  if (parameter.rank != 0) return isa::ArrayShape::Contiguous(array.shape);
  return isa::ArrayShape::Contiguous(std::array{array.bytes.size() / isa::SizeOf(parameter.type)});
}

Result<uint64_t> BindScalar(const Parameter& parameter, const Given& given) {
  const auto set = given.scalars.find(parameter.name);
  if (set == given.scalars.end()) {
    return Wrong("scalar '" + parameter.name + "' is missing; add --set " + parameter.name +
                 "=VALUE");
  }
  Result<uint64_t> bits = ParseScalar(parameter.type, set->second);
  if (bits.ok()) return bits;
  Diagnostic error = bits.errors()[0];
  error.message = "--set " + parameter.name + ": " + error.message;
  return error;
}

Result<uint64_t> ParseInteger(Type type, const std::string& text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = std::string_view(text).substr(negative ? 1 : 0);
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
    base = 16;
  }
  uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (digits.empty() || end != digits.data() + digits.size() ||
      error == std::errc::invalid_argument) {
    return Wrong("expected " + TypeName(type) + ", found " + Shown(text));
  }
  const __int128 value = negative ? -static_cast<__int128>(magnitude) : magnitude;
  if (error == std::errc::result_out_of_range || value < isa::MinOf(type) ||
      value > isa::MaxOf(type)) {
    const std::string low =
        isa::IsSignedInteger(type) ? std::to_string(static_cast<int64_t>(isa::MinOf(type))) : "0";
    return Wrong(Escape(text, false) + " does not fit " + TypeName(type) + " (" + low + " to " +
                 std::to_string(static_cast<uint64_t>(isa::MaxOf(type))) + ")");
  }
  const uint32_t unused = 64 - isa::BitsOf(type);
  return static_cast<uint64_t>(value) << unused >> unused;
}

// As a literal in a kernel: read as f64, rounded to the type; what is too small becomes 0, what is
// too large is an error.
template <class T>
Result<T> ParseFloat(Type type, const std::string& text) {
  double wide = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wide);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
    return Wrong("expected " + TypeName(type) + ", found " + Shown(text));
  }
  const bool out_of_range = error == std::errc::result_out_of_range;
  if (out_of_range) wide = std::strtod(text.c_str(), nullptr);  // 0 or infinity; which, it knows
  const T value = static_cast<T>(wide);
  const bool meant_infinity = std::isinf(wide) && !out_of_range;
  if (std::isinf(value) && !meant_infinity) {
    return Wrong("literal " + Escape(text, false) + " does not fit " + TypeName(type));
  }
  return value;
}

}  // namespace

Result<uint64_t> ParseScalar(Type type, const std::string& text) {
  if (isa::IsInteger(type)) return ParseInteger(type, text);
  if (type == Type::kF32) {
    HOLOGRAM_ASSIGN_OR_RETURN(const float value, ParseFloat<float>(type, text));
    return uint64_t{std::bit_cast<uint32_t>(value)};
  }
  if (type == Type::kF64) {
    HOLOGRAM_ASSIGN_OR_RETURN(const double value, ParseFloat<double>(type, text));
    return std::bit_cast<uint64_t>(value);
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const double value, ParseFloat<double>(type, text));
  const uint64_t bits = isa::FloatBits(value, type);
  if (std::isinf(isa::FloatValue(bits, type)) && !std::isinf(value)) {
    return Wrong("literal " + Escape(text, false) + " does not fit " + TypeName(type));
  }
  return bits;
}

Bindings::Bindings(const verify::VerifiedProgram& verified, const std::string& file,
                   const Options& options) {
  const isa::Program& program = verified.program();
  Given given = Collect(options);
  CheckNames(program, given);
  Diagnostics errors = std::move(given.errors);
  std::vector<isa::ArrayShape> shapes;
  for (size_t k = 0; k < program.NumArguments(); ++k) {
    const Parameter& parameter = program.parameters[k];
    if (parameter.is_buffer) {
      Result<Array> array = BindArray(verified, parameter, file, given);
      if (!array.ok()) {
        errors.push_back(array.errors()[0]);
        continue;
      }
      const auto output = given.outputs.find(parameter.name);
      arrays_.push_back({std::move(array).value(),
                         output == given.outputs.end() ? std::string() : output->second.path});
      const Bytes& bytes = arrays_.back().array.bytes;
      buffers_.push_back({bytes.data(), bytes.size()});
      shapes.push_back(ShapeOf(parameter, arrays_.back().array));
    } else {
      const Result<uint64_t> bits = BindScalar(parameter, given);
      if (bits.ok()) {
        scalars_.push_back(bits.value());
      } else {
        errors.push_back(bits.errors()[0]);
      }
    }
  }
  if (!errors.empty()) throw Failure{errors};
  const std::vector<uint64_t> values = OrFail(isa::ShapeScalars(program, shapes));
  scalars_.insert(scalars_.end(), values.begin(), values.end());
}

void Bindings::WriteOutputs() const {
  OutputFiles files;
  for (const Bound& bound : arrays_) {
    if (bound.output.empty()) continue;
    OrFail(files.Add(bound.output, OrFail(EncodeArray(bound.array, bound.output))));
  }
  OrFail(files.Commit());
}

}  // namespace hologram::tool
