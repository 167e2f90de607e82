#include "column_function.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "hologram/detail/launch.h"
#include "hologram/stream.h"

namespace hologram::duckdb {
namespace {

struct SqlType {
  uint32_t type;
  uint32_t size;
  const char* name;
};

// Null: SQL has no such type.
const SqlType* SqlTypeOf(uint32_t element) {
  static constexpr SqlType kTypes[] = {
      {kTinyint, 1, "TINYINT"},
      {kSmallint, 2, "SMALLINT"},
      {kInteger, 4, "INTEGER"},
      {kBigint, 8, "BIGINT"},
      {kUtinyint, 1, "UTINYINT"},
      {kUsmallint, 2, "USMALLINT"},
      {kUinteger, 4, "UINTEGER"},
      {kUbigint, 8, "UBIGINT"},
      {0, 0, ""},
      {0, 0, ""},
      {kFloat, 4, "FLOAT"},
      {kDouble, 8, "DOUBLE"},
  };
  static_assert(HOLOGRAM_I8 == 0 && HOLOGRAM_U64 == 7 && HOLOGRAM_F32 == 10 && HOLOGRAM_F64 == 11);
  if (element >= std::size(kTypes) || kTypes[element].size == 0) return nullptr;
  return &kTypes[element];
}

const char* SqlName(uint32_t type) {
  for (uint32_t element = HOLOGRAM_I8; element <= HOLOGRAM_F64; ++element) {
    const SqlType* found = SqlTypeOf(element);
    if (found != nullptr && found->type == type) return found->name;
  }
  return "";
}

constexpr std::string_view kMaskSuffix = "_valid";

bool IsMask(const hologram_parameter& parameter) {
  return parameter.is_buffer != 0 && parameter.type == HOLOGRAM_U8 &&
         std::string_view(parameter.name).ends_with(kMaskSuffix);
}

Error None() {
  return {nullptr, hologram_error_destroy};
}

bool IsValid(const uint64_t* bits, uint64_t row) {
  return (bits[row / 64] >> (row % 64) & 1) != 0;
}

// The AND of all; empty if all rows are valid.
std::vector<uint64_t> Joined(std::span<const uint64_t* const> valid, uint64_t rows) {
  std::vector<uint64_t> joined;
  for (const uint64_t* bits : valid) {
    if (bits == nullptr) continue;
    if (joined.empty()) joined.assign((rows + 63) / 64, ~uint64_t{0});
    for (size_t k = 0; k < joined.size(); ++k) joined[k] &= bits[k];
  }
  // Bits behind the rows mean nothing.
  if (!joined.empty() && rows % 64 != 0) joined.back() |= ~uint64_t{0} << (rows % 64);
  const bool all = std::all_of(joined.begin(), joined.end(), [](uint64_t w) { return ~w == 0; });
  if (all) joined.clear();
  return joined;
}

}  // namespace

ColumnFunction::ColumnFunction(Kernel kernel, Nulls nulls)
    : kernel_(std::move(kernel)), plan_(hologram_kernel_plan(kernel_.get())), nulls_(nulls) {}

std::unique_ptr<ColumnFunction> ColumnFunction::Make(Kernel kernel, Nulls nulls,
                                                     std::string& why_not) {
  std::unique_ptr<ColumnFunction> made(new ColumnFunction(std::move(kernel), nulls));
  if (!made->ReadParameters(why_not)) return nullptr;
  uint32_t length = 0;
  const Error error(hologram_kernel_pointwise_length(made->kernel_.get(), &length),
                    hologram_error_destroy);
  if (error != nullptr) {
    why_not = hologram_error_message(error.get());
    return nullptr;
  }
  if (length + 1 != made->parts_.size()) {
    why_not = "its length is not its last parameter";
    return nullptr;
  }
  return made;
}

bool ColumnFunction::ReadParameters(std::string& why_not) {
  const size_t count = hologram_kernel_num_parameters(kernel_.get());
  uint32_t outputs = 0;
  uint32_t columns = 0;
  for (uint32_t k = 0; k < count; ++k) {
    const hologram_parameter& parameter = *hologram_kernel_parameter(kernel_.get(), k);
    const bool is_last = k + 1 == count;
    if (is_last && parameter.is_buffer == 0 && parameter.type == HOLOGRAM_U32) {
      parts_.push_back({Role::kLength, 0, 0});
      continue;
    }
    if (nulls_ == Nulls::kPass && IsMask(parameter)) {
      parts_.push_back({Role::kMask, 1, 0});
      continue;
    }
    const SqlType* type = SqlTypeOf(parameter.type);
    if (type == nullptr) {
      why_not = std::string("'") + parameter.name + "' is of a type that SQL does not have";
      return false;
    }
    if (parameter.is_buffer == 0) {
      parts_.push_back({Role::kScalar, type->size, static_cast<uint32_t>(arguments_.size())});
      arguments_.push_back(type->type);
      has_scalars_ = true;
    } else if (parameter.direction == HOLOGRAM_IN && parameter.rank == 1) {
      parts_.push_back({Role::kColumn, type->size, static_cast<uint32_t>(arguments_.size())});
      arguments_.push_back(type->type);
      ++columns;
    } else if (parameter.direction == HOLOGRAM_OUT && parameter.rank == 1) {
      parts_.push_back({Role::kOutput, type->size, 0});
      result_ = type->type;
      ++outputs;
    } else {
      outputs = 0;
      break;
    }
  }
  if (outputs != 1 || columns == 0 || parts_.size() != count ||
      parts_.back().role != Role::kLength) {
    why_not = "it is not of columns to read, one to write and their length as u32";
    return false;
  }
  bool masks = false;
  for (uint32_t k = 0; k < count; ++k) {
    if (parts_[k].role != Role::kMask) continue;
    masks = true;
    if (!ReadMask(k, why_not)) return false;
  }
  if (nulls_ == Nulls::kPass && !masks) {
    why_not = "it has no 'NAME_valid' of u8, and nulls := 'pass' was given";
    return false;
  }
  return true;
}

// Of which column a mask is.
bool ColumnFunction::ReadMask(uint32_t k, std::string& why_not) {
  const hologram_parameter& mask = *hologram_kernel_parameter(kernel_.get(), k);
  std::string_view of = mask.name;
  of.remove_suffix(kMaskSuffix.size());
  for (uint32_t j = 0; j < parts_.size(); ++j) {
    if (of != hologram_kernel_parameter(kernel_.get(), j)->name) continue;
    if (parts_[j].role == Role::kColumn && mask.direction == HOLOGRAM_IN && mask.rank == 1) {
      parts_[k].argument = parts_[j].argument;
      return true;
    }
    if (parts_[j].role == Role::kOutput && mask.direction == HOLOGRAM_OUT && mask.rank == 1) {
      parts_[k].role = Role::kOutputMask;
      return true;
    }
  }
  why_not =
      std::string("'") + mask.name + "' is not the validity of a column that it reads or writes";
  return false;
}

std::string ColumnFunction::Text() const {
  std::string text = name();
  for (size_t k = 0; k < arguments_.size(); ++k) {
    text += k == 0 ? "(" : ", ";
    text += SqlName(arguments_[k]);
  }
  return text + ") -> " + SqlName(result_);
}

// ---- Calls

Error ColumnFunction::Launch(const Memory& memory, uint64_t first, uint64_t rows) const {
  hologram_buffer_ref buffers[HOLOGRAM_MAX_PARAMETERS];
  uint64_t scalars[HOLOGRAM_MAX_PARAMETERS];
  size_t num_buffers = 0;
  size_t num_scalars = 0;
  for (size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    if (part.role == Role::kLength) {
      scalars[num_scalars++] = rows;
    } else if (part.role == Role::kScalar) {
      uint64_t& word = scalars[num_scalars++] = 0;
      std::memcpy(&word, memory[k] + first * part.size, part.size);
    } else {
      buffers[num_buffers++] = {memory[k] + first * part.size, rows * part.size};
    }
  }
  const auto full = [&] {
    hologram_argument arguments[HOLOGRAM_MAX_PARAMETERS];
    size_t buffer = 0;
    size_t scalar = 0;
    for (size_t k = 0; k < parts_.size(); ++k) {
      const bool is_scalar = parts_[k].role == Role::kScalar || parts_[k].role == Role::kLength;
      arguments[k] = {plan_->codes[k], {nullptr, 0}, 0};
      if (is_scalar) {
        arguments[k].scalar = scalars[scalar++];
      } else {
        arguments[k].buffer = buffers[buffer++];
      }
    }
    return hologram_kernel_launch(kernel_.get(), arguments, parts_.size(), nullptr);
  };
  return {detail::launch(
              [&](hologram_launch_state* state) {
                return detail::enter(*plan_, buffers, scalars, state);
              },
              [&](const hologram_launch_state& state) {
                return hologram_kernel_fault(kernel_.get(), buffers, scalars, nullptr, &state);
              },
              full),
          hologram_error_destroy};
}

// Scalars have one value in a launch: one launch for each run of rows with equal scalars, which is
// one for constants. No lane sees where in the column it is.
Error ColumnFunction::LaunchRuns(const Memory& memory, uint64_t rows) const {
  if (!has_scalars_) return Launch(memory, 0, rows);
  const auto is_same = [&](uint64_t row, uint64_t other) {
    for (size_t k = 0; k < parts_.size(); ++k) {
      const uint32_t size = parts_[k].size;
      if (parts_[k].role == Role::kScalar &&
          std::memcmp(memory[k] + row * size, memory[k] + other * size, size) != 0) {
        return false;
      }
    }
    return true;
  };
  for (uint64_t first = 0; first < rows;) {
    uint64_t last = first + 1;
    while (last < rows && is_same(first, last)) ++last;
    if (Error error = Launch(memory, first, last - first); error != nullptr) return error;
    first = last;
  }
  return None();
}

// Of valid rows alone: values under nulls made the launch fail.
Error ColumnFunction::RunValid(const Memory& memory, const std::vector<uint64_t>& valid,
                               uint64_t rows) const {
  uint64_t kept = 0;
  for (uint64_t row = 0; row < rows; ++row) kept += IsValid(valid.data(), row) ? 1 : 0;
  std::vector<std::vector<std::byte>> parts(parts_.size());
  Memory gathered(parts_.size(), nullptr);
  std::byte* result = nullptr;
  for (size_t k = 0; k < parts_.size(); ++k) {
    const uint32_t size = parts_[k].size;
    parts[k].resize(kept * size);
    gathered[k] = parts[k].data();
    if (parts_[k].role == Role::kOutput) result = memory[k];
    if (parts_[k].role != Role::kColumn && parts_[k].role != Role::kScalar) continue;
    std::byte* to = gathered[k];
    for (uint64_t row = 0; row < rows; ++row) {
      if (!IsValid(valid.data(), row)) continue;
      std::memcpy(to, memory[k] + row * size, size);
      to += size;
    }
  }
  if (kept != 0) {
    if (Error error = LaunchRuns(gathered, kept); error != nullptr) return error;
  }
  for (size_t k = 0; k < parts_.size(); ++k) {
    if (parts_[k].role != Role::kOutput) continue;
    const uint32_t size = parts_[k].size;
    std::memset(result, 0, rows * size);
    const std::byte* from = gathered[k];
    for (uint64_t row = 0; row < rows; ++row) {
      if (!IsValid(valid.data(), row)) continue;
      std::memcpy(result + row * size, from, size);
      from += size;
    }
  }
  return None();
}

// With a byte for each row and mask.
Error ColumnFunction::RunPassing(Memory memory, std::span<const uint64_t* const> valid,
                                 uint64_t rows, std::vector<uint64_t>& made_valid) const {
  std::vector<std::vector<std::byte>> masks(parts_.size());
  const std::byte* made = nullptr;
  for (size_t k = 0; k < parts_.size(); ++k) {
    const Role role = parts_[k].role;
    if (role != Role::kMask && role != Role::kOutputMask) continue;
    masks[k].resize(rows);
    memory[k] = masks[k].data();
    if (role == Role::kOutputMask) made = masks[k].data();
    if (role != Role::kMask) continue;
    const uint64_t* bits = valid[parts_[k].argument];
    for (uint64_t row = 0; row < rows; ++row) {
      masks[k][row] = std::byte{bits == nullptr || IsValid(bits, row)};
    }
  }
  if (Error error = LaunchRuns(memory, rows); error != nullptr) return error;
  if (made == nullptr) return None();
  made_valid.assign((rows + 63) / 64, 0);
  for (uint64_t row = 0; row < rows; ++row) {
    made_valid[row / 64] |= uint64_t{made[row] != std::byte{0}} << (row % 64);
  }
  return None();
}

Error ColumnFunction::Run(std::span<const std::byte* const> columns,
                          std::span<const uint64_t* const> valid, uint64_t rows, std::byte* result,
                          std::vector<uint64_t>& made_valid) const {
  made_valid.clear();
  Memory memory(parts_.size(), nullptr);
  for (size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    if (part.role == Role::kColumn || part.role == Role::kScalar) {
      memory[k] = const_cast<std::byte*>(columns[part.argument]);  // it is read
    } else if (part.role == Role::kOutput) {
      memory[k] = result;
      std::memset(result, 0, rows * part.size);  // elements that no lane writes
    }
  }
  if (nulls_ == Nulls::kPass) return RunPassing(std::move(memory), valid, rows, made_valid);
  made_valid = Joined(valid, rows);
  Error error = LaunchRuns(memory, rows);
  if (error != nullptr && !made_valid.empty() &&
      hologram_error_code(error.get()) == HOLOGRAM_ERROR_FAULT) {
    return RunValid(memory, made_valid, rows);
  }
  return error;
}

}  // namespace hologram::duckdb
