#include "commands/bindings.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/quote.h"
#include "commands/report.h"
#include "formats/scalar_text.h"
#include "isa/half.h"
#include "launch/array_shape.h"

namespace hologram::tool {
namespace {

using isa::Parameter;
using isa::Type;

constexpr std::string_view kOutShape = "NAME=FILE:TYPE:SHAPE, as in c=c.npy:f32:1000";

Diagnostic Wrong(std::string message) {
  return Error(ErrorCode::kInvalidArgument, std::move(message));
}

// What --out says about one parameter. Without type and shape they are those of --in.
struct Output {
  std::string text;
  ArrayPlace place;
  std::string type;
  std::vector<uint64_t> shape;
  bool complete = false;
};

// "30x40"; false for other text.
bool ParseShape(std::string_view text, std::vector<uint64_t>& shape) {
  for (;;) {
    const size_t end = text.find('x');
    uint64_t extent = 0;
    if (!ParseWhole(text.substr(0, end), extent) || shape.size() == kMaxRank) return false;
    shape.push_back(extent);
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

// FILE or FILE:TYPE:SHAPE; of a .npz, FILE, FILE:KEY, FILE:TYPE:SHAPE or FILE:KEY:TYPE:SHAPE, and
// the key is the name of the parameter where none is said.
Output ParseOutput(const std::string& name, const std::string& text) {
  Output output;
  output.text = text;
  output.place = ParsePlace(text);
  std::string& rest = IsNpz(output.place.path) ? output.place.key : output.place.path;
  const size_t last = rest.rfind(':');
  const size_t middle =
      last == std::string::npos || last == 0 ? std::string::npos : rest.rfind(':', last - 1);
  const bool only_type_and_shape = IsNpz(output.place.path) && middle == std::string::npos;
  if (last != std::string::npos) {
    const size_t type = only_type_and_shape ? 0 : middle + 1;
    output.type = rest.substr(type, last - type);
    output.complete = ParseShape(std::string_view(rest).substr(last + 1), output.shape) &&
                      (only_type_and_shape || (middle != std::string::npos && middle != 0));
    if (!output.complete) {
      throw UsageError{"option --out: expected " + std::string(kOutShape) + ", found '" + name +
                       "=" + text + "'"};
    }
    rest.resize(only_type_and_shape ? 0 : middle);
  }
  if (IsNpz(output.place.path) && output.place.key.empty()) output.place.key = name;
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

// A place, with ":bf16" behind it for the bits of bf16 in an array of u16.
bool ReadsBits(const std::string& value) {
  return value.ends_with(":" + TypeName(Type::kBF16));
}

std::string PlaceOfInput(const std::string& value) {
  const size_t suffix = ReadsBits(value) ? TypeName(Type::kBF16).size() + 1 : 0;
  return value.substr(0, value.size() - suffix);
}

std::string FileOfInput(const std::string& value) {
  return ParsePlace(PlaceOfInput(value)).path;
}

// Inputs are not written over, whatever names of the file say so; of a .npz, which is written as a
// whole, a second array under the same key would be lost too.
void CheckPlaces(Given& given) {
  std::set<std::pair<std::string, std::string>> keys;
  for (const auto& [name, output] : given.outputs) {
    const ArrayPlace& place = output.place;
    if (IsNpz(place.path) && !keys.insert({place.path, place.key}).second) {
      given.errors.push_back(
          Wrong("--out " + name + ": " + place.path + " gets two arrays " + Shown(place.key)));
    }
    for (const auto& [input, text] : given.inputs) {
      if (CheckNotInput(place.path, {FileOfInput(text)}).ok()) continue;
      given.errors.push_back(Wrong("--out " + name + ": " + place.path + " is read for --in " +
                                   input + " and would be replaced; write to another file"));
    }
  }
}

std::string OutToWrite(const Parameter& parameter) {
  return "--out " + parameter.name + "=FILE:" + TypeName(parameter.type) + ":SHAPE";
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
                     parameter.name + "=" + output.text + "'"};
  }
  if (!isa::ParseType(output.type)) {
    return Wrong("--out " + parameter.name + ": unknown type " + Shown(output.type) + "; " + file +
                 " expects " + TypeName(parameter.type));
  }
  if (output.type != NameOf(parameter.type)) {
    return Wrong("--out " + parameter.name + ": " + file + " expects " + TypeName(parameter.type) +
                 ", the option says " + output.type);
  }
  if (const Status status = CheckArrayFile(output.place.path); !status.ok()) {
    return Wrong("--out " + parameter.name + ": " + status.errors()[0].message);
  }
  return Success{};
}

Result<Array> ReadInput(const Parameter& parameter, const std::string& file,
                        const std::string& value) {
  const bool bits = ReadsBits(value);
  const std::string text = PlaceOfInput(value);
  HOLOGRAM_ASSIGN_OR_RETURN(Array array,
                            ReadArray(ParsePlace(text), parameter.name, parameter.type));
  if (bits && array.type == FileType(Type::kBF16)) array.type = Type::kBF16;
  if (array.type == parameter.type) return array;
  std::string message = "--in " + parameter.name + ": " + file + " expects " +
                        TypeName(parameter.type) + ", " + text + " has " + TypeName(array.type);
  if (!bits && parameter.type == Type::kBF16 && array.type == FileType(Type::kBF16)) {
    message += "; if they are the bits of bf16, write --in " + parameter.name + "=" + text + ":" +
               TypeName(Type::kBF16);
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
launch::ArrayShape ShapeOf(const Parameter& parameter, const Array& array) {
  if (parameter.rank != 0) return launch::ArrayShape::Contiguous(array.shape);
  return launch::ArrayShape::Contiguous(
      std::array{array.bytes.size() / isa::SizeOf(parameter.type)});
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

}  // namespace

Bindings::Bindings(const verify::VerifiedProgram& verified, const std::string& file,
                   const Options& options) {
  const isa::Program& program = verified.program();
  Given given = Collect(options);
  CheckNames(program, given);
  CheckPlaces(given);
  Diagnostics errors = std::move(given.errors);
  std::vector<launch::ArrayShape> shapes;
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
                         output == given.outputs.end() ? ArrayPlace{} : output->second.place,
                         std::nullopt});
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
  const std::vector<uint64_t> values = OrFail(launch::ShapeScalars(program, shapes));
  scalars_.insert(scalars_.end(), values.begin(), values.end());
}

void Bindings::KeepInitial(const isa::Program& program) {
  size_t number = 0;
  for (const Parameter& parameter : program.parameters) {
    if (!parameter.is_buffer) continue;
    Bound& bound = arrays_[number++];
    if (parameter.direction != isa::Direction::kInOut) continue;
    Bytes copy(bound.array.bytes.size());
    if (copy.data() == nullptr) Fail(ErrorCode::kResourceLimit, "no memory for --time");
    std::memcpy(copy.data(), bound.array.bytes.data(), copy.size());
    bound.initial = std::move(copy);
  }
}

void Bindings::WriteOutputs() const {
  std::vector<PlacedArray> placed;
  for (const Bound& bound : arrays_) placed.push_back({bound.output, &bound.array});
  WriteArrays(placed);
}

void WriteArrays(const std::vector<PlacedArray>& placed) {
  OutputFiles files;
  std::map<std::string, std::vector<NamedArray>> archives;
  for (const auto& [place, array] : placed) {
    if (place.path.empty()) continue;
    if (IsNpz(place.path)) {
      archives[place.path].push_back({place.key, array});
    } else {
      OrFail(files.Add(place.path, OrFail(EncodeArray(*array, place.path))));
    }
  }
  for (const auto& [path, arrays] : archives) {
    Result<std::vector<uint8_t>> bytes = EncodeNpz(arrays);
    if (!bytes.ok()) Fail(ErrorCode::kResourceLimit, path + ": " + bytes.errors()[0].message);
    OrFail(files.Add(path, bytes.value()));
  }
  OrFail(files.Commit());
}

}  // namespace hologram::tool
