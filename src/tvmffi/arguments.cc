#include "tvmffi/arguments.h"

#include <algorithm>
#include <string_view>

#include "capi/arguments.h"
#include "isa/dlpack.h"
#include "isa/type.h"

namespace hologram::tvmffi {
namespace {

using isa::DlTensor;

constexpr int32_t kMostDimensions = 64;      // what NumPy's arrays have at most
constexpr uint64_t kMostBytes = 1ULL << 56;  // more than any memory has

std::string NameOfType(int32_t index) {
  switch (index) {
    case kNone:
      return "None";
    case kInt:
    case kBigInt:
      return "int";
    case kBool:
      return "bool";
    case kFloat:
      return "float";
    case kPointer:
      return "a pointer";
    case kDataType:
      return "a dtype";
    case kDevice:
      return "a device";
    case kTensorView:
    case kTensor:
      return "a tensor";
    case kRawText:
    case kSmallText:
    case kText:
      return "str";
    case kByteArray:
    case kSmallBytes:
    case kBytes:
      return "bytes";
    case kFunction:
      return "a function";
    case kShape:
      return "a shape";
    case kArray:
    case kList:
      return "a list";
    case kMap:
    case kDict:
      return "a dict";
    case kModule:
      return "a module";
    case kPythonObject:
      return "an object of Python";
    default:
      return "an object of type " + std::to_string(index) + " of tvm-ffi";
  }
}

// "cuda:0"; the numbers are those of DLPack.
std::string NameOfDevice(isa::DlDevice device) {
  constexpr std::string_view kNames[] = {"",       "cpu",       "cuda",    "cuda_host",    "opencl",
                                         "",       "",          "vulkan",  "metal",        "vpi",
                                         "rocm",   "rocm_host", "ext_dev", "cuda_managed", "oneapi",
                                         "webgpu", "hexagon",   "maia",    "trn"};
  const auto number = static_cast<size_t>(std::max(device.type, 0));
  const bool is_known = number < std::size(kNames) && !kNames[number].empty();
  return (is_known ? std::string(kNames[number]) : "device type " + std::to_string(device.type)) +
         ":" + std::to_string(device.id);
}

std::string NameOfElements(isa::DlType type) {
  if (const auto known = isa::TypeOfDlpack(type)) return std::string(isa::NameOf(*known));
  return "DLPack type " + std::to_string(type.code) + " of " + std::to_string(type.bits) +
         " bits and " + std::to_string(type.lanes) + " lanes";
}

// Reads one array; `about` is "kernel 'scale': 'x' ".
class TensorReader {
 public:
  TensorReader(const hologram_parameter& parameter, const DlTensor& tensor)
      : parameter_(parameter),
        tensor_(tensor),
        extents_(tensor.shape, static_cast<size_t>(std::max(tensor.rank, 0))) {}

  // Null: it was read.
  const char* Read(hologram_argument& argument, hologram_array_shape& shape) {
    if (const char* wrong = CountElements()) return wrong;
    if (parameter_.rank > 1) {
      if (const char* wrong = ReadShape(shape)) return wrong;
    } else if (elements_ != 0 && !IsDense()) {
      return "is not C-contiguous";
    }
    const uint64_t bytes = elements_ * (tensor_.type.bits / 8U);
    auto address = reinterpret_cast<uintptr_t>(tensor_.data);
    if (bytes != 0 && address == 0) return "has no memory";
    uintptr_t end = 0;
    if (bytes != 0 && (__builtin_add_overflow(address, tensor_.byte_offset, &address) ||
                       __builtin_add_overflow(address, bytes, &end))) {
      return "is at an address that no memory has";
    }
    argument.code = parameter_.type | HOLOGRAM_ARGUMENT_BUFFER;
    // tvm-ffi takes no array that says it is read-only.
    if (parameter_.direction != HOLOGRAM_IN) argument.code |= HOLOGRAM_ARGUMENT_WRITABLE;
    argument.buffer = {bytes == 0 ? nullptr : reinterpret_cast<void*>(address), bytes};
    return nullptr;
  }

 private:
  const char* CountElements() {
    if (tensor_.rank < 0 || tensor_.rank > kMostDimensions) {
      return "has a number of dimensions that no array has";
    }
    if (tensor_.rank > 0 && tensor_.shape == nullptr) return "has no shape";
    elements_ = 1;
    for (const int64_t extent : extents_) {
      if (extent < 0) return "has a dimension below zero";
      empty_ |= extent == 0;
      const auto least = static_cast<uint64_t>(std::max<int64_t>(extent, 1));
      if (__builtin_mul_overflow(elements_, least, &elements_) || elements_ > kMostBytes / 8) {
        return "has a size that no memory has";
      }
    }
    if (empty_) elements_ = 0;
    return nullptr;
  }

  bool IsDense() const {
    int64_t dense = 1;
    for (size_t d = extents_.size(); d-- > 0;) {
      if (tensor_.strides != nullptr && extents_[d] > 1 && tensor_.strides[d] != dense) {
        return false;
      }
      dense *= extents_[d];
    }
    return true;
  }

  // Rows may be apart; `elements_` then counts what is between them too.
  const char* ReadShape(hologram_array_shape& shape) {
    shape = {};
    // The launch says how many it expects.
    shape.rank = static_cast<uint32_t>(extents_.size());
    if (shape.rank > HOLOGRAM_MAX_RANK) return "has more than 4 dimensions";
    for (size_t d = 0; d < extents_.size(); ++d) {
      shape.extents[d] = static_cast<uint64_t>(extents_[d]);
    }
    if (empty_ || IsDense()) return nullptr;
    uint64_t last = 0;
    uint64_t dense = 1;
    for (size_t d = extents_.size(); d-- > 0;) {
      shape.strides[d] = dense;
      if (extents_[d] > 1) {
        if (tensor_.strides[d] < 1) return "has strides that do not lead forward";
        shape.strides[d] = static_cast<uint64_t>(tensor_.strides[d]);
        uint64_t step = 0;
        if (__builtin_mul_overflow(shape.extents[d] - 1, shape.strides[d], &step) ||
            __builtin_add_overflow(last, step, &last) || last >= kMostBytes / 8) {
          return "has a size that no memory has";
        }
      }
      dense *= shape.extents[d];
    }
    elements_ = last + 1;
    return nullptr;
  }

  const hologram_parameter& parameter_;
  const DlTensor& tensor_;
  const std::span<const int64_t> extents_;
  bool empty_ = false;
  uint64_t elements_ = 0;
};

const DlTensor* TensorOf(const Any& any) {
  if (any.value.pointer == nullptr) return nullptr;
  if (any.type_index == kTensorView) return static_cast<const DlTensor*>(any.value.pointer);
  if (any.type_index != kTensor) return nullptr;
  return &static_cast<const TensorObject*>(any.value.pointer)->tensor;
}

bool ReadNumber(const Any& any, hologram_argument& argument) {
  switch (any.type_index) {
    case kInt:
    case kBool:
      argument.code = HOLOGRAM_I64;
      argument.scalar = static_cast<uint64_t>(any.value.integer);
      return true;
    case kFloat:
      argument.code = HOLOGRAM_F64;
      argument.scalar = __builtin_bit_cast(uint64_t, any.value.real);
      return true;
    case kBigInt: {
      const auto* big = static_cast<const BigIntObject*>(any.value.pointer);
      // u64 has what two words hold of which the higher one is zero.
      if (big == nullptr || big->size != 2 || big->words[1] != 0) return false;
      argument.code = HOLOGRAM_U64;
      argument.scalar = big->words[0];
      return true;
    }
    default:
      return false;
  }
}

// The message of an argument that the parameter does not take.
std::string Expects(const hologram_parameter& parameter, const std::string& found) {
  const std::string type(isa::NameOf(static_cast<isa::Type>(parameter.type)));
  return "expects " + (parameter.is_buffer != 0 ? "an array of " + type : type) + ", found " +
         found;
}

std::optional<Refusal> ReadOne(const hologram_parameter& parameter, const Any& any,
                               hologram_argument& argument, hologram_array_shape& shape) {
  argument = {};
  if (parameter.is_buffer == 0) {
    if (ReadNumber(any, argument)) return std::nullopt;
    if (any.type_index == kBigInt) {
      return Refusal{"ValueError", Expects(parameter, "an int beyond 64 bits")};
    }
    return Refusal{"TypeError", Expects(parameter, NameOfType(any.type_index))};
  }
  const DlTensor* const tensor = TensorOf(any);
  if (tensor == nullptr) {
    const bool is_null = any.type_index == kTensorView || any.type_index == kTensor;
    return Refusal{"TypeError",
                   Expects(parameter, is_null ? "a tensor at NULL" : NameOfType(any.type_index))};
  }
  if (!isa::IsHost(*tensor)) {
    return Refusal{"ValueError", "is on " + NameOfDevice(tensor->device) +
                                     ", and expected in the memory of the CPU"};
  }
  const std::optional<isa::Type> type = isa::TypeOfDlpack(tensor->type);
  if (!type || static_cast<uint32_t>(*type) != parameter.type) {
    return Refusal{"TypeError", Expects(parameter, "an array of " + NameOfElements(tensor->type))};
  }
  if (const char* wrong = TensorReader(parameter, *tensor).Read(argument, shape)) {
    return Refusal{"ValueError", wrong};
  }
  return std::nullopt;
}

std::string About(const hologram_kernel* kernel) {
  return "kernel '" + std::string(hologram_kernel_name(kernel)) + "'";
}

Refusal WrongCount(const hologram_kernel* kernel, size_t found) {
  const size_t expected = hologram_kernel_num_parameters(kernel);
  std::string names;
  for (size_t k = 0; k < expected; ++k) {
    names += std::string(k == 0 ? "" : ", ") + hologram_kernel_parameter(kernel, k)->name;
  }
  return {"TypeError", About(kernel) + " expects " + std::to_string(expected) + " arguments (" +
                           names + "), found " + std::to_string(found)};
}

}  // namespace

std::optional<Refusal> ReadArguments(const hologram_kernel* kernel, std::span<const Any> given,
                                     Arguments& read) {
  if (given.size() != hologram_kernel_num_parameters(kernel)) {
    return WrongCount(kernel, given.size());
  }
  size_t num_buffers = 0;
  size_t num_scalars = 0;
  for (size_t k = 0; k < given.size(); ++k) {
    const hologram_parameter& parameter = *hologram_kernel_parameter(kernel, k);
    hologram_argument& value = read.values[k];
    if (auto refused = ReadOne(parameter, given[k], value, read.shapes[k])) {
      refused->message.insert(0, About(kernel) + ": '" + parameter.name + "' ");
      return refused;
    }
    read.shape_of[k] = parameter.rank > 1 ? &read.shapes[k] : nullptr;
    if (parameter.is_buffer != 0) {
      read.is_plain &= parameter.rank == 1;
      read.buffers[num_buffers++] = value.buffer;
      continue;
    }
    // One that is not kept stays as it is: the launch says so.
    const auto type = static_cast<isa::Type>(parameter.type);
    if (const auto bits =
            capi::ConvertScalar(static_cast<isa::Type>(value.code), value.scalar, type)) {
      value.code = parameter.type;
      value.scalar = *bits;
    }
    read.is_plain &= value.code == parameter.type;
    read.scalars[num_scalars++] = value.scalar;
  }
  return std::nullopt;
}

}  // namespace hologram::tvmffi
