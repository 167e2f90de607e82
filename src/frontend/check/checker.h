// Types a kernel: resolves names, gives every expression its type, writes conversions into the
// tree, folds what is known at compile time. Tested by tests/frontend.
//
// Rules that the design leaves open, decided here:
// - A condition is a bool or an integer, which is true where it is not 0. A float is an error.
// - Literals and what is computed from literals alone stay soft: exact integers or f64, rounded
//   once where a type is given to them, as NumPy does with Python scalars.
// - What nothing but literals and integers made an f32 is computed in f64 where that is wanted;
//   of locals, which have one type, CheckWidenings refuses it.
// - An integer literal beside a float must be exact in that float.
// - Shifts follow the promotion of the other operators; a count is taken modulo the bits.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "frontend/ast.h"
#include "frontend/builtins.h"
#include "frontend/reporter.h"
#include "frontend/symbols.h"
#include "isa/program.h"

namespace hologram::frontend {

// Facts of the checker about a kernel besides the annotated tree.
struct CheckedKernel {
  Symbols symbols;
  std::vector<isa::SharedArray> shared;
  std::vector<isa::LocalArray> locals;
  std::vector<isa::Parameter> shape_parameters;  // they follow those of the kernel
};

// `a / b` of two integers, which is a float, where an integer is wanted.
bool QuotientOfIntegers(const Expr& expr);

class Checker {
 public:
  Checker(const Document& document, Kernel& kernel, Names names, Reporter& reporter)
      : document_(document),
        kernel_(kernel),
        reporter_(reporter),
        checked_{Symbols(document.constants, std::move(names)), {}, {}, {}} {}

  // Errors go to the reporter; the result is of use only if there are none.
  CheckedKernel Run();

 private:
  // check_statement.cc
  void CheckParameters();
  void CheckBody(std::vector<Stmt>& body);
  void CheckStatement(Stmt& stmt);
  void CheckAssign(Stmt& stmt);
  void CheckAssignLocal(Stmt& stmt);
  void CheckAugAssign(Stmt& stmt);
  void CheckFor(Stmt& stmt);
  void CheckRangeTypes(Stmt& stmt, int symbol);
  void CheckCallStatement(Stmt& stmt);
  void CheckUnique(Expr& call);
  void CheckUniqueIsRead();
  void CheckCondition(ExprPtr& expr);
  // A bool, or an integer that becomes `x != 0`. `what` is "a condition is".
  void CheckTruth(ExprPtr& expr, const std::string& what);
  // REQUIRES: a number or a literal, checked.
  void CompareWithZero(ExprPtr& expr, Position at);
  // The local of this name, declared with the type if it is new; -1 if it cannot be assigned.
  int AssignableLocal(const std::string& name, Position at, ValueType type);

  // check_ranges.cc
  void CheckDirection(Stmt& stmt);
  void TakeFromEnd(Stmt& stmt);
  void CountBelowZero(Stmt& stmt);
  void CountOneMore(Stmt& stmt, ExprPtr from, ExprPtr last, isa::Type type);
  struct KnownCounter {
    int symbol = -1;
    __int128 least = 0;
    __int128 most = 0;
  };
  void EnterCounter(const Stmt& stmt);
  bool OnlyCounts(const std::string& name) const;
  std::optional<KnownCounter> KnownValues(const Expr& expr) const;
  bool MeetsU64(const Expr& a, const Expr& b) const;

  // check_expression.cc
  void Check(ExprPtr& expr);
  void CheckVar(ExprPtr& expr);
  void ReadBool(ExprPtr& expr);
  void CheckIndex(Expr& expr, bool read, bool write);
  void CheckBinary(ExprPtr& expr);
  void CheckOperands(ExprPtr& expr);
  bool CheckBoolOperands(ExprPtr& expr);
  void CountBool(Expr& expr);
  void CastTo(ExprPtr& operand, std::string_view type);
  void CheckComparisons(Expr& expr);
  void CheckPair(BinaryOp op, ExprPtr& left, ExprPtr& right, Position at);
  // `and`, `or`: of integers only where they are a condition.
  void CheckLogic(ExprPtr& expr, bool is_condition);
  void CheckUnary(ExprPtr& expr);
  void CheckNot(ExprPtr& expr);
  void CheckIfExpr(Expr& expr);
  void CheckShiftCount(Expr& expr);
  // shift.cc
  void ConvertCount(ExprPtr& count, isa::Type type);
  // Whether a shift has the type of its left operand, which the table of operators does not give.
  bool KeepsLeftType(const Expr& shift) const;
  // Whether the operator, whose operands have been checked, makes a value that takes the type of
  // others.
  bool FollowsOthers(const Expr& expr) const;
  // Gives such a value the integer type that it meets.
  void Follow(ExprPtr& expr, ValueType type);
  void Retype(Expr& expr, isa::Type type);
  // True if the power was dealt with: an integer exponent that is known.
  bool CheckKnownPower(ExprPtr& expr);
  // Gives both the common type. False after an error.
  bool Unify(ExprPtr& a, ExprPtr& b, Position at, const std::string& what, isa::Type& type);
  // Gives a soft expression the type it has alone.
  void CheckShown(Stmt& stmt);
  void Harden(ExprPtr& expr);
  // Converts a number to the type by the rules of operators; literals must fit.
  void Convert(ExprPtr& expr, isa::Type type);
  // Makes f64 of an f32 that is so by default.
  void Widen(ExprPtr& expr);
  // Notes that an f32 is so by default, if its operands from `first` on are.
  static void NoteDefault(Expr& expr, size_t first = 0);
  // Converts by the rules of assignment. `action` is "store", `place` "in c, an array of f32".
  void ConvertSilently(ExprPtr& expr, ValueType type, const std::string& action,
                       const std::string& place, const std::string& other_way = "");
  // False after an error, which casts a bool to the type of the other operand.
  bool RequireNumber(ExprPtr& expr, const std::string& what, ValueType other = {});
  void Replace(ExprPtr& expr, Constant constant);

  // check_shape.cc
  void CheckShape(ExprPtr& expr);
  std::vector<ExprPtr> ShapeParts(const Expr& shape);
  void CheckLen(ExprPtr& expr);
  // The extent or stride of an array: a parameter that the launch takes from its shape, or a
  // number.
  ExprPtr ShapeValue(int array, isa::Source source, uint32_t dimension, Position at);
  // Makes one index of one for each dimension, all checked.
  void FlattenIndex(Expr& expr, int array);
  ExprPtr Combine(BinaryOp op, ExprPtr left, ExprPtr right);
  bool CheckOneIndex(const Expr& index);
  void CheckArray(Stmt& stmt, bool shared);
  void DeclareArray(Stmt& stmt, bool shared);
  void CheckLibraryArray(Stmt& stmt);

  // guards.cc
  struct Least {
    int symbol = -1;
    __int128 value = 0;
  };
  void Learn(const Expr& condition, bool holds);
  void LearnPair(BinaryOp op, const Expr& left, const Expr& right);
  void LearnCounter(const Stmt& loop);
  void Forget(int symbol);
  void ForgetAssigned(const std::vector<Stmt>& body);
  bool IsAtLeast(const Expr& expr, __int128 value) const;
  void CheckIf(Stmt& stmt);
  void CheckBodyOfHelper(std::vector<Stmt>& body);
  void CheckUnder(const Expr& condition, bool holds, std::vector<Stmt>& body);

  // wrapping.cc
  bool SeesWrapping() const;
  bool RefuseWrappedRemainder(const Expr& whole);
  bool RefuseWrappedBound(const Expr& whole, const Expr& value, const Expr& bound,
                          const std::string& rest);
  bool RefuseWrappedComparison(BinaryOp op, const Expr& left, const Expr& right);
  // The element type and the number of elements, which fit `limit` bytes.
  struct ArraySize {
    ValueType type;
    uint32_t count;
    std::vector<uint32_t> extents;  // of several dimensions
  };
  std::optional<ArraySize> CheckArraySize(Expr& call, uint32_t limit);
  std::optional<std::vector<uint32_t>> CheckExtents(Expr& call);
  void CheckArrayLimits(const Expr& call);

  // check_inline.cc
  // The helper that a call names, or nullptr.
  const Helper* FindHelper(const std::string& name) const;
  // Turns a call of a helper into its checked body. False after an error.
  enum class ArgumentsAre : uint8_t { kAsRead, kChecked };
  bool WriteInPlace(ExprPtr& expr, const Helper& helper, ArgumentsAre arguments);
  void CheckHelperBody(const Helper& helper, Position call, Inlined& inlined);
  void CheckHelperCall(ExprPtr& expr);
  bool CheckHelperFits(const Expr& expr, const Helper& helper);
  // No keywords, and one argument for each parameter; `name` is what the source calls it.
  bool CheckCountOf(const Expr& expr, const Helper& helper, const std::string& name);
  struct Argument {
    int symbol = -1;  // bound as it is
    std::optional<KnownLiteral> literal;
    ExprPtr value;  // assigned to a local of `type`
    ValueType type;
  };
  bool CheckArgument(const Helper& helper, const KernelParameter& parameter, ExprPtr& expr,
                     Names& names, Argument& argument, ArgumentsAre arguments);
  bool CheckArrayArgument(const Helper& helper, const KernelParameter& parameter, const Expr& expr,
                          Names& names, Argument& argument);
  void BindArgument(const KernelParameter& parameter, Argument& argument, Inlined& inlined);
  void AddResult(ValueType type, bool stated);
  void CheckHelperReturn(Stmt& stmt);
  void CheckUnpack(Stmt& stmt);

  // library_call.cc
  // The function of the library with forms that a call names, or empty.
  std::string LibraryName(const std::string& name) const;
  void CheckLibraryCall(ExprPtr& expr, const std::string& function);
  void CheckForm(ExprPtr& expr, const Helper& helper, isa::Type type);
  void CheckRest(ExprPtr& expr, size_t checked, const Helper& helper);
  void AsUnsigned(ExprPtr& operand);
  void CheckBitcast(Expr& expr);
  void CheckPopc(Expr& expr);

  // check_call.cc
  void CheckCall(ExprPtr& expr);
  bool CheckArity(const Expr& expr, const Builtin& builtin);
  void CheckKeywords(Expr& expr, const Builtin& builtin);
  void CheckKnownCall(ExprPtr& expr, const Builtin& builtin);
  void CheckId(Expr& expr, const Builtin& builtin);
  void CheckCast(ExprPtr& expr, const Builtin& builtin);
  void CheckBoolCast(ExprPtr& expr);
  void CheckFloatMath(Expr& expr, const Builtin& builtin);
  void CheckAbs(ExprPtr& expr, const Builtin& builtin);
  void CheckMinMax(Expr& expr, const Builtin& builtin);
  void CheckFloats(Expr& expr, const Builtin& builtin);
  void CheckSelect(Expr& expr, const Builtin& builtin);
  void CheckBlockReduce(Expr& expr, const Builtin& builtin);
  void CheckAtomic(Expr& expr, const Builtin& builtin);
  static std::string ElementsOf(const Builtin& builtin, isa::Type type);
  bool CheckSuffix(const Expr& expr, const Builtin& builtin, isa::Type type);

  void Error(Position at, std::string message);
  Symbols& symbols() { return checked_.symbols; }

  // A call of a helper whose body is being checked.
  struct Call {
    const Helper* helper = nullptr;
    Position at;
    Inlined* inlined = nullptr;
    size_t depth = 0;  // of the bodies of all calls so far, one in the other
  };

  const Document& document_;
  Kernel& kernel_;
  Reporter& reporter_;
  CheckedKernel checked_;
  std::unordered_set<std::string> assigned_names_;  // anywhere in the body
  std::unordered_set<std::string> only_counters_;   // of the kernel's body
  std::unordered_set<std::string> refused_arrays_;  // declared or assigned with an error
  std::vector<Call> calls_;
  size_t inlined_nodes_ = 0;            // written in place so far
  std::vector<int> shape_symbols_;      // of checked_.shape_parameters
  std::vector<KnownCounter> counters_;  // of the loops around
  std::vector<Least> least_;            // what the conditions around say
  uint32_t loops_ = 0;
  uint32_t depth_ = 0;  // of statements with bodies
};

// Reports every read of a local that some path reaches without an assignment.
void CheckAssigned(const Kernel& kernel, const Symbols& symbols, Reporter& reporter);

// Reports what was rounded to a float type for want of another and is widened later.
void CheckWidenings(const Kernel& kernel, const Symbols& symbols, Reporter& reporter);

// Sums and products of elements that are computed in their own integer type, where they may wrap,
// and then become a wider type. Each once, with the cast to write.
Diagnostics NarrowResults(const Kernel& kernel, const Symbols& symbols, const std::string& file);

// The names that a body assigns, also as counters and in tuples.
void CollectAssigned(const std::vector<Stmt>& body, std::unordered_set<std::string>& names);

// The names that a body, which was not checked yet, uses only in loops that count in them, none of
// these in another: what such a loop leaves in its counter is never read.
std::unordered_set<std::string> OnlyCounters(const std::vector<Stmt>& body);

}  // namespace hologram::frontend
