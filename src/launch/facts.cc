#include "launch/facts.h"

#include <algorithm>

namespace hologram::launch {
namespace {

bool HasFloatAtomics(const isa::Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const isa::Instruction& in) {
    return isa::IsAtomic(in.op) && isa::IsFloat(in.type);
  });
}

}  // namespace

KernelFacts::KernelFacts(const VerifiedProgram& verified)
    : program(verified),
      order_free(verified.races().empty()),
      needs_session(verified.needs_session()),
      // The order of float atomics decides how sums are rounded.
      may_split(order_free && !needs_session && !HasFloatAtomics(verified.program())),
      one_dimensional(true),
      shape_parameters(verified.program().NumArguments() != verified.program().parameters.size()),
      has_loops(!verified.loops().empty()),
      counts_rounds(!verified.launch_check().rounds.empty()),
      bounds(DecidingBounds(verified)),
      work(verified) {
  for (const isa::Parameter& parameter : verified.program().parameters) {
    ++(parameter.is_buffer ? num_buffers : num_scalars);
    has_rank |= parameter.rank != 0;
    declares_unique |= parameter.unique;
    writes_array |= parameter.is_buffer && parameter.direction != isa::Direction::kIn;
  }
  const verify::IdsUsed& ids = verified.ids();
  one_dimensional = program.program().HasFlatBlock();
  for (int d = 1; d < 3; ++d) one_dimensional &= !ids.global[d] && !ids.lane[d] && !ids.block[d];
}

}  // namespace hologram::launch
