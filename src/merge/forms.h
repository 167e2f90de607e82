// Forms: programs of launches as they are merged, verified, and proved for the arguments of their
// launch. Tested by python/tests/test_merging.py.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "isa/program.h"
#include "merge/element_map.h"
#include "plan/plan.h"
#include "verify/verified_program.h"

namespace hologram::merge {

// A launch that is proved for its arrays, as a host, and as a guest with its scalars as constants.
struct Form {
  std::shared_ptr<const verify::VerifiedProgram> program;
  size_t guarded = 0;                                    // accesses
  std::shared_ptr<const verify::VerifiedProgram> fixed;  // null: it has no map
  std::optional<ElementMap> map;
};

inline bool Reads(const isa::Parameter& parameter) {
  return parameter.direction != isa::Direction::kOut;
}
inline bool Writes(const isa::Parameter& parameter) {
  return parameter.direction != isa::Direction::kIn;
}

// Null: it is refused.
std::shared_ptr<const verify::VerifiedProgram> VerifiedOf(isa::Program program);
// A kernel without calls and without parameters for shapes. Null: it cannot be merged.
std::shared_ptr<const verify::VerifiedProgram> WithoutCalls(const isa::Program& kernel);

// A program for the arguments of a step, if it is proved for these; nothing: it is not.
// `addresses`: where arrays are, apart from each other.
std::optional<Form> FormFor(std::shared_ptr<const verify::VerifiedProgram> program,
                            const pipeline::Step& step, std::span<const uint64_t> addresses);

// Whether stores to a parameter go along rows of lanes, as loads and stores behind them will.
bool StoresInRows(const verify::VerifiedProgram& program, size_t parameter);
// The parameter that has the operand; as many as there are: none.
size_t ParameterOfOperand(const isa::Program& program, const pipeline::Step& step, isa::Type type,
                          const pipeline::Operand& operand);
// Registers behind those of the first parameters go up by `added`. False: there are too few.
bool MakeRoom(isa::Program& program, size_t parameters, size_t added);

}  // namespace hologram::merge
