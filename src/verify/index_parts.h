// An index as the digits that its program makes it of: `i` and `j` of `i * width + j`. Tested by
// tests/verify.
#pragma once

#include <vector>

#include "verify/symbolic.h"

namespace hologram::verify {

struct IndexPart {
  PolyId unit = kOne;  // never a negative constant
  Form form;
};

struct IndexSource {
  const isa::Program& program;
  const Ssa& ssa;
  bool constants = false;  // a constant makes digits too: `4 * i + k`
};

// Parts whose sum, each times its unit, is `whole`, which is the value of `index` and `beyond`
// elements more. The units differ; the first is kOne.
std::vector<IndexPart> PartsOf(Symbolic& symbolic, const IndexSource& source, ValueId index,
                               int64_t beyond, const Form& whole);

// Gives all lists the units of all, ascending by what they are likely to be. Constants move
// to the largest unit that divides them: rows of `(y + 1) * width + x` and `y * width + x + width`.
void MatchUnits(Symbolic& symbolic, std::vector<IndexPart>& x, std::vector<IndexPart>& y);

}  // namespace hologram::verify
