// Operators on compile-time values: exact integers, f64, as in Python. Tested by tests/frontend.
#pragma once

#include <optional>
#include <string>

#include "frontend/ast.h"

namespace hologram::frontend {

// Empty, with the reason in `error`, where there is no value.
std::optional<Constant> FoldBinary(BinaryOp op, const Constant& a, const Constant& b,
                                   std::string& error);
// REQUIRES: op is not kNot.
std::optional<Constant> FoldUnary(UnaryOp op, const Constant& a, std::string& error);

}  // namespace hologram::frontend
