// Queries of the code generator about accesses and faults.
#pragma once

#include "codegen/plan/plan.h"

namespace hologram::codegen {

// ---- Operands of an access
OperandId IndexOf(const Plan& plan, uint32_t pc);
OperandId StoredOperand(const Plan& plan, uint32_t pc);
OperandId DesiredOperand(const Plan& plan, uint32_t pc);  // of compare-and-swap

// The length of a buffer is compared with indices.
bool NeedsExtent(const Plan& plan, size_t parameter);
// The reason against a form with streaming stores; null if the kernel has that form.
const char* StreamingObstacle(const Plan& plan);
// The instruction that gives `id` its value at `pc`, if it is in the same block and everything that
// it reads still has the values that it had there.
std::optional<uint32_t> MadeBy(const Plan& plan, OperandId id, uint32_t pc);
// Whether the result of an instruction is read at all.
bool IsRead(const Plan& plan, uint32_t pc);

// Chunks with a fault are run again under masks (codegen/emit/faults.h).
bool CanRunAgain(const Plan& plan);
// A block of lanes with a fault is run again from its start, which zeroes its shared arrays.
bool CanRunBlockAgain(const Plan& plan);
// The same of a chunk that has filled its log of updates.
bool MayRunAgainFromLog(const Plan& plan);

// By arithmetic alone, from ids, parameters and constants: nothing that was loaded is in it.
bool IsComputed(const Plan& plan, OperandId id);
// The number of a lane, plus and times numbers that all lanes share, which may have been loaded.
bool FollowsLanes(const Plan& plan, OperandId id);

}  // namespace hologram::codegen
