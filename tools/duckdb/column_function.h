// A kernel as a function of columns: the arrays that it reads are arguments, and so are its scalars
// but the last one, the length. Tested by tests/scale/duckdb_extension_test.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api.h"
#include "hologram/hologram.h"

namespace hologram::duckdb {

using Kernel = std::unique_ptr<hologram_kernel, decltype(&hologram_kernel_destroy)>;
using Error = std::unique_ptr<hologram_error, decltype(&hologram_error_destroy)>;

// The names of hologram.arrow.call.
enum class Nulls : uint8_t {
  kThrough,  // a null of an argument is one of the result, and what is under it is ignored
  kRefuse,   // it is an error
  kPass,     // the kernel has an array NAME_valid for it, and decides
};

// The meaning of a parameter of the kernel.
enum class Role : uint8_t { kColumn, kScalar, kOutput, kMask, kOutputMask, kLength };

class ColumnFunction {
 public:
  // Null, with the reason in `why_not`, for a kernel that is not a function of columns.
  static std::unique_ptr<ColumnFunction> Make(Kernel kernel, Nulls nulls, std::string& why_not);

  const char* name() const { return hologram_kernel_name(kernel_.get()); }
  const char* engine() const { return hologram_kernel_path(kernel_.get()); }
  const char* note() const { return hologram_kernel_note(kernel_.get()); }
  Nulls nulls() const { return nulls_; }
  // Of arguments and of the result: numbers of Type.
  const std::vector<uint32_t>& arguments() const { return arguments_; }
  uint32_t result() const { return result_; }
  // "revenue(FLOAT, FLOAT) -> FLOAT"
  std::string Text() const;

  // A call for `rows` rows. `columns` and `valid` are of arguments: their values, and their bits of
  // validity, null if all are valid. The result has its own; `made_valid` is its bits, empty if
  // there are no nulls. An error is null or why the query fails. Any thread.
  Error Run(std::span<const std::byte* const> columns, std::span<const uint64_t* const> valid,
            uint64_t rows, std::byte* result, std::vector<uint64_t>& made_valid) const;

 private:
  struct Part {
    Role role;
    uint32_t size;      // of an element
    uint32_t argument;  // of a column, a scalar and a mask: its number in SQL
  };
  using Memory = std::vector<std::byte*>;  // by parameter

  ColumnFunction(Kernel kernel, Nulls nulls);
  bool ReadParameters(std::string& why_not);
  bool ReadMask(uint32_t k, std::string& why_not);

  Error Launch(const Memory& memory, uint64_t first, uint64_t rows) const;
  Error LaunchRuns(const Memory& memory, uint64_t rows) const;
  Error RunValid(const Memory& memory, const std::vector<uint64_t>& valid, uint64_t rows) const;
  Error RunPassing(Memory memory, std::span<const uint64_t* const> valid, uint64_t rows,
                   std::vector<uint64_t>& made_valid) const;

  Kernel kernel_;
  const hologram_launch_plan* plan_;
  Nulls nulls_;
  std::vector<Part> parts_;  // by parameter
  std::vector<uint32_t> arguments_;
  uint32_t result_ = 0;
  bool has_scalars_ = false;
};

}  // namespace hologram::duckdb
