// Checked kernel -> Program. Computes as written: no reordering, no elimination; only literals are
// folded (by the checker). Tested by tests/frontend.
//
// - A local has one register for the whole kernel; a temporary is freed when its one reader has
//   read it. Parameters are never written.
// - A local that is assigned once, to an id of the launch, is that id's register.
// - Conditions become branches: the operands of `and`, `or` and comparison chains are evaluated
//   only as far as needed. A float comparison is never inverted, because of NaN.
// - A conditional expression evaluates its taken side by branches, or both sides and SEL where both
//   are cheap and cannot fault.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/ast.h"
#include "frontend/check/checker.h"
#include "frontend/lower/emitter.h"
#include "frontend/reporter.h"

namespace hologram::frontend {

class Lowerer {
 public:
  Lowerer(const Kernel& kernel, const CheckedKernel& checked, Reporter& reporter)
      : kernel_(kernel),
        checked_(checked),
        reporter_(reporter),
        emitter_(kernel.parameters.size() + checked.shape_parameters.size()) {}

  // Reports kernels that are too large for the machine.
  isa::Program Run(const std::string& file);

 private:
  using Label = Emitter::Label;

  // A register to read; `owned` ones are temporaries of the reader.
  struct Value {
    uint8_t reg = 0;
    bool owned = false;
  };
  // A helper's body that is being lowered.
  struct InlineCall {
    Label end;
    std::vector<uint8_t> results;
    const Stmt* last;  // of its body; a return there needs no jump
  };
  struct LoopLabels {
    Label on_break;
    Label on_continue;
  };

  // lower_statement.cc
  void LowerBody(const std::vector<Stmt>& body);
  void LowerStatement(const Stmt& stmt);
  void LowerAssert(const Stmt& stmt);
  void LowerAssertWithValues(const Stmt& stmt);
  void LowerAssign(const Stmt& stmt);
  void LowerAugAssign(const Stmt& stmt);
  void LowerIf(const Stmt& stmt);
  std::optional<Label> JumpOnly(const std::vector<Stmt>& body);
  void LowerWhile(const Stmt& stmt);
  void LowerFor(const Stmt& stmt);
  Value LowerOnce(const Expr& expr);
  static bool IsNeverZero(const Expr& expr);
  void StopAtStepZero(const Expr& step, uint8_t reg, isa::Type type);
  void LowerStep(const Stmt& stmt, uint8_t counter, Label end);
  void Advance(const Stmt& stmt, uint8_t counter, isa::Opcode op, Value amount, bool up, Label end);
  void LowerLoopBody(const std::vector<Stmt>& body, LoopLabels labels);

  // lower_print.cc
  void LowerPrint(const Stmt& stmt);
  void EmitText(const std::string& text, Position at);
  void EmitBool(uint8_t reg, Position at);

  // lower_inline.cc
  Value LowerInline(const Expr& expr, std::optional<uint8_t> dest);
  void LowerInlineStatement(const Expr& expr);
  // The body, which leaves its results in `results`.
  void LowerInlineBody(const Inlined& call, std::vector<uint8_t> results);
  void LowerHelperReturn(const Stmt& stmt);
  // Frees the registers of the call's locals.
  void EndInline(const Inlined& call);
  void LowerUnpack(const Stmt& stmt);
  void Store(const Expr& target, Value stored);

  // lower_expression.cc
  // The value in any register.
  Value Lower(const Expr& expr) { return LowerTo(expr, std::nullopt); }
  // The value in this register. Writes it last: `dest` may be a local that the expression reads.
  void LowerInto(const Expr& expr, uint8_t dest);
  Value LowerTo(const Expr& expr, std::optional<uint8_t> dest);
  Value LowerLiteral(const Expr& expr, std::optional<uint8_t> dest);
  Value LowerConstant(isa::Type type, Constant constant, Position at,
                      std::optional<uint8_t> dest = std::nullopt);
  Value LowerBinary(const Expr& expr, std::optional<uint8_t> dest);
  std::optional<Value> LowerContracted(const Expr& expr, std::optional<uint8_t> dest);
  Value LowerPower(const Expr& expr, std::optional<uint8_t> dest);  // lower_power.cc
  Value LowerUnary(const Expr& expr, std::optional<uint8_t> dest);
  Value LowerIfExpr(const Expr& expr, std::optional<uint8_t> dest);
  Value LowerConvert(const Expr& expr, std::optional<uint8_t> dest);
  Value LowerIntegerCast(const Expr& expr, std::optional<uint8_t> dest);
  Value LowerLoad(const Expr& expr, std::optional<uint8_t> dest);
  Value LowerBool(const Expr& expr, std::optional<uint8_t> dest);
  // dest = op(a, b); frees a and b first.
  Value Apply(isa::Opcode op, isa::Type type, Value a, Value b, const Expr& expr,
              std::optional<uint8_t> dest);
  Value Apply(isa::Opcode op, isa::Type type, Value a, const Expr& expr,
              std::optional<uint8_t> dest);
  isa::DebugLine AccessDebug(const Expr& expr, const Expr& index);
  void CollectVariables(const Expr& expr, std::vector<isa::DebugVariable>& variables);
  // An address of the array: LDG or LDS and so on, with operands a and b filled in.
  struct AccessOpcodes {
    isa::Opcode global;
    isa::Opcode shared;
    isa::Opcode local;
  };
  isa::Instruction Access(const Symbol& array, const AccessOpcodes& opcodes, Value index);

  // lower_divide.cc: `//` and `%`, which floor
  Value LowerFloorDivide(const Expr& expr, std::optional<uint8_t> dest);
  Value LowerFloatDivide(const Expr& expr, std::optional<uint8_t> dest);
  Value LowerSignedDivide(const Expr& expr, std::optional<uint8_t> dest);
  Value LowerDivideByPower(const Expr& expr, uint32_t shift, std::optional<uint8_t> dest);
  isa::DebugLine FaultDebug(const Expr& expr);

  // lower_call.cc
  Value LowerCall(const Expr& expr, std::optional<uint8_t> dest);
  Value LowerFloatMath(const Expr& expr, std::optional<uint8_t> dest);
  Value LowerOfOne(const Expr& expr, uint8_t mod, std::optional<uint8_t> dest);
  Value LowerOfThree(const Expr& expr, std::optional<uint8_t> dest);
  Value LowerAtomic(const Expr& expr, std::optional<uint8_t> dest);

  // lower_condition.cc
  // Continues at the target if the bool is `when`, else after the code emitted here.
  void LowerCondition(const Expr& expr, Label target, bool when);
  void LowerLogic(const Expr& expr, Label target, bool when);
  void LowerChain(const Expr& expr, Label target, bool when);
  void JumpOnComparison(BinaryOp op, isa::Type type, Value a, Value b, Position at, Label target,
                        bool when);
  // The bool in a predicate that the caller frees.
  uint8_t LowerPredicate(const Expr& expr);
  uint8_t LowerLogicPredicate(const Expr& expr);
  // True if evaluating it in vain costs little and cannot fault.
  static bool IsCheap(const Expr& expr);

  Value Dest(std::optional<uint8_t> dest) {
    if (dest) return {*dest, false};
    return {emitter_.Allocate(), true};
  }
  void Free(Value value) {
    if (value.owned) emitter_.Free(value.reg);
  }
  uint8_t RegisterOf(int symbol);
  static isa::DebugLine At(Position at) { return {at.line, at.column, "", {}}; }
  const Symbol& symbol(int index) const { return checked_.symbols.at(index); }

  const Kernel& kernel_;
  const CheckedKernel& checked_;
  Reporter& reporter_;
  Emitter emitter_;
  std::map<int, uint8_t> locals_;  // registers of locals
  std::vector<bool> is_direct_;    // counters whose register counts the loop itself
  std::vector<LoopLabels> loops_;
  std::vector<InlineCall> inline_calls_;
  std::set<int> own_registers_;  // locals whose register is theirs alone
  Label exit_ = 0;
  bool terminated_ = false;  // no path reaches what comes next in this body
  Value old_element_;        // what kOldElement represents
};

}  // namespace hologram::frontend
