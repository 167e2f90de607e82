// The arguments of the functions of an object: of those that run lanes, in registers, and how they
// are made from those of the public functions (native_abi.h).
#pragma once

#include <array>
#include <vector>

#include "codegen/emit/function.h"

namespace hologram::codegen {

// Of a function that runs lanes. Bound at its start, and read from then on.
struct Arguments {
  std::vector<llvm::Value*> data;       // by parameter
  std::vector<llvm::Value*> extent;     // by parameter, elements; null where no access needs it
  std::vector<llvm::Value*> scalar;     // by parameter
  std::array<llvm::Value*, 6> shape{};  // grid, then block
  llvm::Value* first = nullptr;         // unit of the launch, and behind the last
  llvm::Value* last = nullptr;
  llvm::Value* state = nullptr;
  llvm::Value* budget = nullptr;
  llvm::Value* most_rounds = nullptr;  // of loops that end and are counted all the same
  llvm::Value* alone = nullptr;        // no other thread runs a part of the launch; of atomics
};

llvm::FunctionType* LanesType(const Kernel& kernel);
// Of `f`, which has this type.
Arguments BindLanes(FunctionState& f);
// Arguments with which `f`, of a public function's signature, calls such a function.
struct LaunchRange {
  llvm::Value* shape;
  llvm::Value* state;
  llvm::Value* first;
  llvm::Value* last;
};
std::vector<llvm::Value*> LanesArguments(FunctionState& f, llvm::Value* buffers,
                                         llvm::Value* scalars, const LaunchRange& range);
// Limits of back edges, if the kernel has such.
void LoadBudget(FunctionState& f, Arguments& arguments);

}  // namespace hologram::codegen
