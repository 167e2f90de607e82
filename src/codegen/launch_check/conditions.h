// The conditions of a launch (verify/launch_check.h), compiled. Expressions are computed in 64
// bits; where their ranges do not exclude an overflow, an overflow rejects.
#pragma once

#include <array>

#include "codegen/launch_check/rejects.h"

namespace hologram::codegen {

// Inputs of the launch check.
struct CheckedArguments {
  std::vector<llvm::Value*> data;       // by parameter, i64
  std::vector<llvm::Value*> bytes;      // by parameter
  std::vector<llvm::Value*> scalar;     // by parameter
  std::array<llvm::Value*, 6> shape{};  // grid, then block
};

class Conditions {
 public:
  // `row_lanes`: of a launch of one row, how many lanes it has; else null.
  Conditions(FunctionState& f, Rejects& rejects, const CheckedArguments& arguments,
             llvm::Value* row_lanes);

  void Check();
  // The lanes of the row were all that was asked about its shape.
  bool RowSufficed() const { return row_known_; }

 private:
  struct Ranged {
    llvm::Value* value = nullptr;  // i64
    __int128 low = 0;
    __int128 high = 0;
  };
  Ranged Node(uint32_t index);
  Ranged RowDim(size_t dimension);
  Ranged Combine(const verify::CheckNode& node, const Ranged& a, const Ranged& b, bool compared);
  Ranged Clamped(Ranged result, llvm::Intrinsic::ID checked, const Ranged& a, const Ranged& b,
                 bool compared);
  Ranged FloorDivide(const Ranged& a, const Ranged& b);
  bool IsRowSize(const verify::CheckNode& node) const;
  void CheckRounds();

  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Rejects& rejects_;
  const CheckedArguments& args_;
  llvm::Value* row_lanes_;
  bool row_known_ = true;
  std::vector<Ranged> nodes_;
  std::vector<bool> compared_;  // by node: nothing is computed from it
};

inline constexpr uint64_t kMaxBytes = uint64_t{1} << 62;  // of a buffer

}  // namespace hologram::codegen
