#include "capi/arguments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include "engines/devices/resident.h"
#include "isa/half.h"
#include "launch/array_shape.h"

namespace hologram::capi {
namespace {

using isa::Parameter;
using isa::Type;

constexpr uint32_t kTypeMask = 0xf;

std::string Named(const isa::Program& program) {
  return "kernel '" + program.name + "'";
}

Status CheckCount(const isa::Program& program, size_t count) {
  if (count == program.NumArguments()) return Success{};
  std::string names;
  for (size_t k = 0; k < program.NumArguments(); ++k) {
    names += (names.empty() ? "" : ", ") + program.parameters[k].name;
  }
  return Error(ErrorCode::kInvalidArgument,
               Named(program) + " expects " + std::to_string(program.NumArguments()) +
                   " arguments (" + names + "), found " + std::to_string(count));
}

// "buffer of f32" or "scalar u32"
std::string Describe(bool is_buffer, uint32_t type) {
  const std::string name =
      type < isa::kNumTypes ? std::string(NameOf(static_cast<Type>(type))) : "an unknown type";
  return is_buffer ? "a buffer of " + name : name;
}

Diagnostic Mismatch(const isa::Program& program, const Parameter& parameter, uint32_t code) {
  return Error(ErrorCode::kInvalidArgument,
               Named(program) + ": '" + parameter.name + "' expects " +
                   Describe(parameter.is_buffer, static_cast<uint32_t>(parameter.type)) +
                   ", found " + Describe((code & HOLOGRAM_ARGUMENT_BUFFER) != 0, code & kTypeMask));
}

bool Writes(const Parameter& parameter) {
  return parameter.is_buffer && parameter.direction != isa::Direction::kIn;
}

constexpr uint32_t kKnownBits = kTypeMask | HOLOGRAM_ARGUMENT_BUFFER | HOLOGRAM_ARGUMENT_WRITABLE;

std::optional<Diagnostic> CheckCode(const isa::Program& program, const Parameter& parameter,
                                    uint32_t code, Memory memory = Memory::kHost) {
  if (parameter.is_buffer && (code & HOLOGRAM_ARGUMENT_DEVICE) != 0) {
    if (memory == Memory::kHost) {
      return Error(ErrorCode::kInvalidArgument,
                   Named(program) + ": '" + parameter.name +
                       "' is on a device, and expected in the memory of the host");
    }
    code &= ~uint32_t{HOLOGRAM_ARGUMENT_DEVICE};
  }
  if ((code & ~kKnownBits) != 0) {
    return Error(ErrorCode::kInvalidArgument, Named(program) + ": '" + parameter.name +
                                                  "' has the code " + std::to_string(code) +
                                                  ", of which this library does not know all bits");
  }
  const bool is_buffer = (code & HOLOGRAM_ARGUMENT_BUFFER) != 0;
  if (is_buffer != parameter.is_buffer ||
      (is_buffer && (code & kTypeMask) != static_cast<uint32_t>(parameter.type))) {
    return Mismatch(program, parameter, code);
  }
  if (Writes(parameter) && (code & HOLOGRAM_ARGUMENT_WRITABLE) == 0) {
    return Error(ErrorCode::kInvalidArgument, Named(program) + ": '" + parameter.name +
                                                  "' is written, found a read-only buffer");
  }
  return std::nullopt;
}

std::optional<Diagnostic> CheckMemory(const isa::Program& program, const Parameter& parameter,
                                      const hologram_argument& argument) {
  const bool on_device = (argument.code & HOLOGRAM_ARGUMENT_DEVICE) != 0;
  if (parameter.is_buffer && argument.buffer.bytes != 0 &&
      on_device != engines::devices::IsResident(argument.buffer.data)) {
    return Error(ErrorCode::kInvalidArgument,
                 Named(program) + ": '" + parameter.name +
                     (on_device ? "' is marked as memory on a device, which it is not"
                                : "' is on a device, and not marked as such"));
  }
  if (!parameter.is_buffer || argument.buffer.data != nullptr || argument.buffer.bytes == 0) {
    return std::nullopt;
  }
  return Error(ErrorCode::kInvalidArgument, Named(program) + ": '" + parameter.name + "' has " +
                                                std::to_string(argument.buffer.bytes) +
                                                " bytes at NULL");
}

// The value of a scalar as what it is, to see whether another type keeps it.
struct Value {
  bool is_float = false;
  __int128 integer = 0;
  double real = 0;
};

Value ValueOf(Type type, uint64_t bits) {
  Value value;
  if (isa::IsFloat(type)) {
    value.is_float = true;
    value.real = isa::FloatValue(bits, type);
  } else {
    const uint32_t unused = 64 - isa::BitsOf(type);
    const uint64_t top = bits << unused;
    value.integer = isa::IsSignedInteger(type)
                        ? static_cast<__int128>(static_cast<int64_t>(top) >> unused)
                        : static_cast<__int128>(top >> unused);
  }
  return value;
}

std::string ToText(const Value& value) {
  if (value.is_float) return std::to_string(value.real);
  if (value.integer < 0) return std::to_string(static_cast<int64_t>(value.integer));
  return std::to_string(static_cast<uint64_t>(value.integer));
}

// The bits of `value` in `type`, or nothing if it does not keep the value. A float is rounded to a
// narrower one, which must hold a number of that size.
std::optional<uint64_t> Convert(const Value& value, Type type) {
  if (isa::IsInteger(type)) {
    if (value.is_float || value.integer < isa::MinOf(type) || value.integer > isa::MaxOf(type)) {
      return std::nullopt;
    }
    const uint32_t unused = 64 - isa::BitsOf(type);
    return static_cast<uint64_t>(value.integer) << unused >> unused;
  }
  const double real = value.is_float ? value.real : static_cast<double>(value.integer);
  if (!value.is_float && static_cast<__int128>(real) != value.integer) return std::nullopt;
  const uint64_t bits = isa::FloatBits(real, type);
  const double kept = isa::FloatValue(bits, type);
  if (value.is_float && std::isinf(kept) && !std::isinf(real)) return std::nullopt;
  if (!value.is_float && kept != real) return std::nullopt;
  return bits;
}

Result<uint64_t> BindScalar(const isa::Program& program, const Parameter& parameter,
                            const hologram_argument& argument) {
  const uint32_t type = argument.code & kTypeMask;
  if (type >= isa::kNumTypes) return Mismatch(program, parameter, argument.code);
  const auto bits = ConvertScalar(static_cast<Type>(type), argument.scalar, parameter.type);
  if (bits) return *bits;
  const Value value = ValueOf(static_cast<Type>(type), argument.scalar);
  return Error(ErrorCode::kInvalidArgument, Named(program) + ": '" + parameter.name + "' expects " +
                                                std::string(NameOf(parameter.type)) + ", found " +
                                                ToText(value) + " of type " +
                                                std::string(NameOf(static_cast<Type>(type))));
}

// A buffer without a shape has one dimension. Strides that are all 0 stand for those without gaps.
launch::ArrayShape ShapeOf(uint32_t rank, uint64_t elements, const hologram_array_shape* given) {
  if (given == nullptr || rank == 0) return launch::ArrayShape::Contiguous(std::array{elements});
  launch::ArrayShape shape;
  shape.rank = given->rank;
  if (given->rank > isa::kMaxRank) return shape;
  const std::span extents(given->extents, given->rank);
  const std::span strides(given->strides, given->rank);
  if (std::all_of(strides.begin(), strides.end(), [](uint64_t stride) { return stride == 0; })) {
    return launch::ArrayShape::Contiguous(extents);
  }
  std::copy(extents.begin(), extents.end(), shape.extents.begin());
  std::copy(strides.begin(), strides.end(), shape.strides.begin());
  return shape;
}

}  // namespace

bool TakesShapes(const isa::Program& program) {
  return program.NumArguments() != program.parameters.size() ||
         std::any_of(program.parameters.begin(), program.parameters.end(),
                     [](const Parameter& parameter) { return parameter.rank != 0; });
}

bool BindUsual(const hologram_launch_plan& plan, std::span<const hologram_argument> arguments,
               BoundArguments& bound) {
  if (arguments.size() != plan.num_parameters) return false;
  for (size_t k = 0; k < arguments.size(); ++k) {
    const hologram_argument& argument = arguments[k];
    const uint32_t wanted = plan.codes[k];
    if ((wanted & HOLOGRAM_ARGUMENT_BUFFER) == 0) {
      if (argument.code != wanted) return false;
      bound.Add(argument.scalar);
      continue;
    }
    // WRITABLE in the plan is a demand, in the argument a permission.
    if (argument.code != wanted && argument.code != (wanted | HOLOGRAM_ARGUMENT_WRITABLE)) {
      return false;
    }
    if (argument.buffer.data == nullptr && argument.buffer.bytes != 0) return false;
    bound.Add(argument.buffer);
  }
  return true;
}

Status BindArguments(const isa::Program& program, std::span<const hologram_argument> arguments,
                     const hologram_array_shape* const* given, BoundArguments& bound,
                     Memory memory) {
  HOLOGRAM_RETURN_IF_ERROR(CheckCount(program, arguments.size()));
  const bool takes_shapes = TakesShapes(program);
  std::vector<launch::ArrayShape> shapes;
  if (takes_shapes) shapes.reserve(arguments.size());
  Diagnostics errors;
  for (size_t k = 0; k < arguments.size(); ++k) {
    const Parameter& parameter = program.parameters[k];
    if (auto error = CheckCode(program, parameter, arguments[k].code, memory)) {
      errors.push_back(*error);
    } else if (auto unreadable = CheckMemory(program, parameter, arguments[k])) {
      errors.push_back(*unreadable);
    } else if (parameter.is_buffer) {
      bound.Add(arguments[k].buffer);
      if ((arguments[k].code & HOLOGRAM_ARGUMENT_DEVICE) != 0) bound.SetOnDevice();
      if (!takes_shapes) continue;
      const uint64_t elements = arguments[k].buffer.bytes / isa::SizeOf(parameter.type);
      shapes.push_back(ShapeOf(parameter.rank, elements, given == nullptr ? nullptr : given[k]));
    } else {
      const Result<uint64_t> bits = BindScalar(program, parameter, arguments[k]);
      if (bits.ok()) {
        bound.Add(bits.value());
      } else {
        errors.push_back(bits.errors()[0]);
      }
    }
  }
  if (!errors.empty()) return errors;
  if (!takes_shapes) return Success{};
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint64_t> values,
                            launch::ShapeScalars(program, shapes));
  for (const uint64_t value : values) bound.Add(value);
  return Success{};
}

bool BoundArguments::Fill(const ShapeTable& table, const hologram_array_shape* const* shapes) {
  if (!table.Fill(buffers_.data(), shapes, scalars_.data())) return false;
  num_scalars_ += table.num_taken();
  return true;
}

ShapeTable::ShapeTable(const isa::Program& program) {
  const std::vector<Parameter>& parameters = program.parameters;
  for (size_t k = 0; k < program.NumArguments(); ++k) {
    const Parameter& parameter = parameters[k];
    if (!parameter.is_buffer) {
      ++num_given_;
      continue;
    }
    for (size_t j = program.NumArguments(); j < parameters.size(); ++j) {
      if (parameters[j].array != k) continue;
      sources_.push_back({static_cast<uint32_t>(j - program.NumArguments()),
                          parameters[j].dimension, parameters[j].source == isa::Source::kExtent});
    }
    arrays_.push_back({static_cast<uint32_t>(k), parameter.rank, isa::SizeOf(parameter.type),
                       static_cast<uint32_t>(sources_.size())});
  }
}

HOLOGRAM_LAUNCH_PATH
bool ShapeTable::Fill(const hologram_buffer_ref* buffers, const hologram_array_shape* const* shapes,
                      uint64_t* scalars) const {
  size_t next = 0;
  for (size_t j = 0; j < arrays_.size(); ++j) {
    const Array& array = arrays_[j];
    if (next == array.end && array.rank == 0) continue;
    const hologram_array_shape* given = shapes == nullptr ? nullptr : shapes[array.argument];
    const launch::ArrayShape shape = ShapeOf(array.rank, buffers[j].bytes / array.size, given);
    if (array.rank != 0 && launch::FaultOf(array.rank, shape) != launch::ShapeFault::kNone) {
      return false;
    }
    for (; next < array.end; ++next) {
      const Source& source = sources_[next];
      const uint64_t value = (source.is_extent ? shape.extents : shape.strides)[source.dimension];
      if (value > UINT32_MAX) return false;
      scalars[num_given_ + source.place] = value;
    }
  }
  return true;
}

std::optional<uint64_t> ConvertScalar(Type from, uint64_t bits, Type to) {
  // The same type takes the same bits, NaN payloads included.
  if (from == to) return bits;
  return Convert(ValueOf(from, bits), to);
}

Status CheckCodes(const isa::Program& program, std::span<const uint32_t> codes) {
  HOLOGRAM_RETURN_IF_ERROR(CheckCount(program, codes.size()));
  Diagnostics errors;
  for (size_t k = 0; k < codes.size(); ++k) {
    const Parameter& parameter = program.parameters[k];
    if (auto error = CheckCode(program, parameter, codes[k])) {
      errors.push_back(*error);
    } else if (!parameter.is_buffer &&
               (codes[k] & kTypeMask) != static_cast<uint32_t>(parameter.type)) {
      errors.push_back(Mismatch(program, parameter, codes[k]));
    }
  }
  if (!errors.empty()) return errors;
  return Success{};
}

}  // namespace hologram::capi
