// The generated launch check. It decides what launch::CheckLaunch decides for a deterministic
// launch with the right number of arguments, but only accepts or declines: a
// launch that it declines goes to the table-driven check, which finds the message. So every test
// may err on the side of declining.
//
// Three functions: `entry` takes a shape, `default_entry` derives one from the largest output, and
// both go on in `row`, which has the check of the arguments, if the kernel asks for no size but
// that of its row; else `entry` has that check and `default_entry` calls it.
#pragma once

#include "codegen/emit/function.h"

namespace hologram::codegen {

struct Entries {
  llvm::Function* entry;
  llvm::Function* default_entry;  // null: launches without a grid are resolved by the runtime
};

// `lanes`: what runs the units of a launch that passes. `scratch_bytes`: that the caller has to
// bring for each lane of a block.
Entries MakeEntries(const Kernel& kernel, llvm::Function* lanes, uint32_t scratch_bytes);

}  // namespace hologram::codegen
