// The syntax tree of kernels, as the JSON reader builds it. The checker fills in what is marked
// "checked": types, symbols, conversions. The lowering reads it and changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/types.h"

namespace hologram::frontend {

struct Builtin;

struct Position {
  uint32_t line = 0;  // 1-based; 0: unknown (JSON 1.0)
  uint32_t column = 0;
};

// In the order of their names in ast.cc.
enum class BinaryOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kFloorDiv,
  kMod,
  kPow,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShl,
  kShr,
  kLt,
  kLe,
  kGt,
  kGe,
  kEq,
  kNe,
};
inline bool IsComparison(BinaryOp op) {
  return op >= BinaryOp::kLt;
}

enum class UnaryOp : uint8_t { kNeg, kPos, kNot, kInvert };

enum class ExprKind : uint8_t {
  kLiteral,       // constant
  kVar,           // name
  kBinary,        // binary; operands 0, 1
  kCompareChain,  // operands 0..n, chain[i] between i and i + 1
  kAnd,           // operands
  kOr,            // operands
  kUnary,         // unary; operand 0
  kIfExpr,        // operands: condition, then, else
  kIndex,         // name of the array; one operand for each dimension; checked: operand 0 alone
  kShape,         // name of the array; operand 0 is the dimension; without, all of it, to unpack
  kCall,          // name of the function; operands, keywords
  kTuple,         // operands; only what an unpacking assignment, a helper's return or a print holds
  kInline,        // made by the checker from a call of a helper: `inlined`
  kConvert,       // made by the checker: operand 0 promoted or cast to `type`
  kOldElement,    // made by the checker: the element that `a[i] += e` reads
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;
struct Inlined;

struct Keyword {
  std::string name;
  ExprPtr value;
};

struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  Position at;
  Constant constant;
  std::string name;
  std::string text;  // source of an access
  BinaryOp binary = BinaryOp::kAdd;
  UnaryOp unary = UnaryOp::kNeg;
  std::vector<ExprPtr> operands;
  std::vector<BinaryOp> chain;
  std::vector<Keyword> keywords;

  // Checked.
  ValueType type;
  int symbol = -1;                   // kVar, kIndex, calls of atomics
  const Builtin* builtin = nullptr;  // kCall
  bool fast = false;                 // kCall
  bool saturates = false;            // kConvert: a cast that the kernel wrote
  bool stated = false;               // the kernel wrote its type, f32(...)
  // An f32 because nothing gave it a type but literals and integers: it can be computed in f64.
  bool by_default = false;
  // `1 << k`, an integer of the type of k until it meets another; and what is made of such.
  bool follows = false;
  std::shared_ptr<Inlined> inlined;  // kInline
  ExprPtr wider;  // of a call of the library with `by_default`: the same in f64, not checked yet
};

enum class StmtKind : uint8_t {
  kAssign,     // target, value; `x = e`, `x: t = e`, `a[i] = e`
  kAugAssign,  // target, op, value
  kIf,         // condition, body, else_body
  kFor,        // name, start, stop, step, body
  kWhile,      // condition, body
  kBreak,
  kContinue,
  kReturn,  // value or null
  kCall,    // value
  kUnpack,  // target (a tuple), value; checked: `body` assigns the parts
  kAssert,  // condition, value (a tuple: what the message shows) or null
  kPrint,   // value (a tuple, perhaps empty), texts: one before each part and one behind the last
};

struct Stmt {
  StmtKind kind = StmtKind::kCall;
  Position at;
  std::string path;  // where in the JSON, if there is no position
  BinaryOp op = BinaryOp::kAdd;
  std::string name;
  std::string declared;              // the annotation of a typed local
  std::string text;                  // of an assert: what a failure shows
  std::vector<std::string> texts;    // of a print; of an assert the placeholders in `text`
  std::vector<std::string> formats;  // of a print and an assert, one for each value, or empty
  ExprPtr target;
  ExprPtr value;
  ExprPtr condition;
  ExprPtr start;
  ExprPtr stop;
  ExprPtr step;
  bool reversed = false;  // a range from its end
  std::vector<Stmt> body;
  std::vector<Stmt> else_body;

  // Checked.
  int symbol = -1;        // the local that is assigned or counts
  bool declares = false;  // declares a shared array: no code
};

// A helper written in place of its call: first the assignments of parameters, then the body, whose
// `return` statements end it.
struct Inlined {
  std::string name;
  Position at;  // of the helper
  std::vector<Stmt> arguments;
  std::vector<Stmt> body;
  std::vector<int> results;  // symbols that hold what is returned
  size_t returns = 0;        // return statements in the body
  // Of a form of the library for one type: its result is computed of its arguments, and of each
  // float literal among them whether nothing gave it its type.
  bool computes = false;
  std::vector<bool> literals;
  int first_symbol = 0;  // the symbols of this call: first_symbol to end_symbol - 1
  int end_symbol = 0;
};

struct KernelParameter {
  std::string name;
  bool is_array = false;
  bool is_constexpr = false;  // a number known at compile time; has no type
  std::string type;           // of the scalar or an element; empty: that of the argument (helpers)
  std::optional<Constant> preset;  // of a compile-time parameter
  uint32_t rank = 1;               // dimensions of an array
  Position at;
};

struct NamedConstant {
  std::string name;
  Constant value;
};

struct Kernel {
  std::string name;
  Position at;
  std::array<int64_t, 3> block = {0, 1, 1};  // 0: not said
  bool contract = false;
  std::vector<KernelParameter> parameters;
  std::string arguments;  // CompiledKernel::arguments
  std::vector<Stmt> body;
};

// A function that is written in place where it is called.
struct Helper {
  std::string name;
  std::string file;  // empty: that of the document
  Position at;
  std::vector<KernelParameter> parameters;
  bool has_returns = false;          // `returns` is what the helper declares
  std::vector<std::string> returns;  // types; empty: it returns nothing
  std::vector<Stmt> body;
  bool in_library = false;  // of the language: it sees no other helpers, and has no positions
};

// T = TypeVar("T", f32, f64): a name that represents each of the types in turn.
struct TypeVariable {
  std::string name;
  Position at;
  std::vector<isa::Type> types;

  bool Has(isa::Type type) const;
  std::string Choices() const;  // "f32 or f64"
};

struct Document {
  std::string file;
  // The rules of literals since version 1.2: exact until they meet a type. Before, a literal that
  // none gave a type was f32 for good.
  bool exact_literals = false;
  std::string note;  // to show beside what is made of it; mostly empty
  std::vector<NamedConstant> constants;
  std::vector<TypeVariable> type_variables;
  std::vector<Helper> helpers;
  std::vector<Kernel> kernels;

  // nullptr if there is none.
  const TypeVariable* FindTypeVariable(const std::string& name) const;
};

inline ExprPtr MakeLiteral(Constant constant, Position at) {
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kLiteral;
  expr->constant = constant;
  expr->at = at;
  return expr;
}

// Copies of a tree that was not checked yet.
ExprPtr Clone(const Expr& expr);
std::vector<Stmt> Clone(const std::vector<Stmt>& body);
// Gives all of a body one position, what is written in place in it too.
void Place(std::vector<Stmt>& body, Position at);
// Statements and expressions in a body, and how deep they are nested.
struct TreeSize {
  size_t nodes = 0;
  size_t depth = 0;
};
TreeSize SizeOf(const std::vector<Stmt>& body);

// The expression as Python source, for messages about expressions that carry no text of their own.
std::string ToSource(const Expr& expr);
std::string SymbolOf(BinaryOp op);  // "+"

}  // namespace hologram::frontend
