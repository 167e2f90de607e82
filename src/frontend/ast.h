// The syntax tree of kernels, as the JSON reader builds it. The checker fills in what is marked
// "checked": types, symbols, conversions. The lowering reads it and changes nothing.
#pragma once

#include <cstdint>
#include <memory>
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

// In the order of the names in kBinaryOpNames.
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
  kIndex,         // name of the array; operand 0 is the index
  kCall,          // name of the function; operands, keywords
  kConvert,       // made by the checker: operand 0 promoted or cast to `type`
  kOldElement,    // made by the checker: the element that `a[i] += e` reads
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

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
};

struct Stmt {
  StmtKind kind = StmtKind::kCall;
  Position at;
  std::string path;  // where in the JSON, if there is no position
  BinaryOp op = BinaryOp::kAdd;
  std::string name;
  std::string declared;  // the annotation of a typed local
  ExprPtr target;
  ExprPtr value;
  ExprPtr condition;
  ExprPtr start;
  ExprPtr stop;
  ExprPtr step;
  std::vector<Stmt> body;
  std::vector<Stmt> else_body;

  // Checked.
  int symbol = -1;        // the local that is assigned or counts
  bool declares = false;  // declares a shared array: no code
};

struct KernelParameter {
  std::string name;
  bool is_array = false;
  std::string type;
  Position at;
};

struct NamedConstant {
  std::string name;
  Constant value;
};

struct Kernel {
  std::string name;
  Position at;
  int64_t block = 0;  // 0: not said
  bool contract = false;
  std::vector<KernelParameter> parameters;
  std::vector<Stmt> body;
};

struct Document {
  std::string file;
  std::vector<NamedConstant> constants;
  std::vector<Kernel> kernels;
};

inline ExprPtr MakeLiteral(Constant constant, Position at) {
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kLiteral;
  expr->constant = constant;
  expr->at = at;
  return expr;
}

// The expression as Python source, for messages about expressions that carry no text of their own.
std::string ToSource(const Expr& expr);
std::string SymbolOf(BinaryOp op);  // "+"

}  // namespace hologram::frontend
