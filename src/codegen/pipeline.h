// From lowered LLVM IR to an object: optimisation and machine code.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "codegen/llvm_headers.h"
#include "codegen/target.h"

namespace hologram::codegen {

// `has_short_loops`: some have so few rounds that they are to be written out.
void Optimize(llvm::Module& module, llvm::TargetMachine& machine, const Target& target,
              bool has_short_loops);

// An ELF object, or with `text` assembly (PTX for its levels).
Result<std::vector<uint8_t>> Emit(llvm::Module& module, llvm::TargetMachine& machine, bool text);

}  // namespace hologram::codegen
