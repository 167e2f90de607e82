// Lowering of operators and signatures, shared by both lowerings: to instructions (lower.h) and
// to circuits (kernel_circuit.h). Tested by tests/frontend.
#pragma once

#include <vector>

#include "frontend/ast.h"
#include "frontend/check/checker.h"
#include "isa/program.h"

namespace hologram::frontend {

// REQUIRES: no comparison. DIV also for the two floor divisions.
isa::Opcode OpcodeOf(BinaryOp op);
// REQUIRES: a comparison.
isa::Condition ConditionOf(BinaryOp op);
// The exponent if the expression is a literal power of two, else -1.
int PowerOfTwo(const Expr& expr);
// True if contract=True fuses it with the sum that it is an operand of.
bool IsProduct(const Expr& expr);
// The program's parameters: the kernel's and those that a launch takes from shapes.
std::vector<isa::Parameter> ParametersOf(const Kernel& kernel, const CheckedKernel& checked);

}  // namespace hologram::frontend
