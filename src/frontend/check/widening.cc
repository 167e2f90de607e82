// f64 is never silently f32: reports what was rounded to f32 for want of a type, kept in a local,
// and then becomes f64. Within one expression the checker computes in f64 instead (Checker::Widen).
//
// Each float has a set of what it may be made of. A local's is that of all values it is assigned,
// wherever they stand, so the walk is repeated until nothing is added.
#include <cmath>
#include <set>

#include "frontend/check/checker.h"
#include "isa/half.h"

namespace hologram::frontend {
namespace {

using Origin = uint8_t;
constexpr Origin kStated = 1;   // of a type that the kernel gave it: nothing is lost by widening
constexpr Origin kExact = 2;    // of literals and integers, which the type holds
constexpr Origin kRounded = 4;  // of literals and integers, and rounded
constexpr Origin kInteger = 8;  // an integer that the float type need not hold
constexpr Origin kMixed = 16;   // of a stated type, with such an integer: a cast may widen it

class WideningWalk {
 public:
  WideningWalk(const Symbols& symbols, Reporter& reporter)
      : symbols_(symbols),
        reporter_(reporter),
        origins_(symbols.size(), 0),
        first_(symbols.size(), nullptr),
        argument_(symbols.size(), false) {}

  void Run(const std::vector<Stmt>& body) {
    do {
      changed_ = false;
      Body(body);
    } while (changed_);
    if (!widens_) return;
    reports_ = true;
    Body(body);
  }

 private:
  void Body(const std::vector<Stmt>& body) {
    for (const Stmt& stmt : body) {
      if (reports_) reporter_.set_path(stmt.path);
      Statement(stmt);
    }
  }

  void Statement(const Stmt& stmt) {
    for (const ExprPtr* part : {&stmt.condition, &stmt.start, &stmt.stop, &stmt.step}) {
      if (*part != nullptr) Of(**part);
    }
    if (stmt.target != nullptr) {
      for (const ExprPtr& index : stmt.target->operands) Of(*index);
    }
    if (stmt.kind == StmtKind::kReturn) {
      Return(stmt);
    } else if (stmt.value != nullptr && !stmt.declares) {
      const Origin origin = Of(*stmt.value);
      if (stmt.kind == StmtKind::kAssign && stmt.symbol >= 0) {
        Assign(stmt.symbol, origin, *stmt.value);
      }
    }
    Body(stmt.body);
    Body(stmt.else_body);
  }

  void Return(const Stmt& stmt) {
    if (stmt.value == nullptr || calls_.empty()) return;
    const std::vector<int>& results = calls_.back()->results;
    const bool several = stmt.value->kind == ExprKind::kTuple;
    for (size_t i = 0; i < results.size(); ++i) {
      const Expr& value = several ? *stmt.value->operands[i] : *stmt.value;
      Assign(results[i], Of(value), value);
    }
  }

  void Assign(int symbol, Origin origin, const Expr& value) {
    const auto index = static_cast<size_t>(symbol);
    if (first_[index] == nullptr) first_[index] = &value;
    if (symbols_.at(symbol).stated) origin = kStated;
    if ((origin & kInteger) != 0) origin = static_cast<Origin>((origin & ~kInteger) | kRounded);
    if ((origins_[index] | origin) == origins_[index]) return;
    origins_[index] |= origin;
    changed_ = true;
  }

  // What the value of the expression may be made of, if it is a float.
  Origin Of(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kLiteral:
        if (!expr.by_default) return kStated;
        return isa::FloatValue(BitsOf(expr.constant, expr.type.number), expr.type.number) ==
                           expr.constant.AsDouble() ||
                       std::isnan(expr.constant.AsDouble())
                   ? kExact
                   : kRounded;
      case ExprKind::kVar:
        return OfVariable(expr.symbol);
      case ExprKind::kConvert:
        return OfConversion(expr);
      case ExprKind::kInline:
        return OfCall(*expr.inlined);
      default:
        break;
    }
    std::vector<Origin> parts;
    for (const ExprPtr& operand : expr.operands) parts.push_back(Of(*operand));
    if (expr.stated || !expr.type.is_float()) return kStated;
    return Combined(expr, parts);
  }

  Origin Combined(const Expr& expr, const std::vector<Origin>& parts) const {
    const BuiltinKind kind = expr.builtin == nullptr ? BuiltinKind::kCast : expr.builtin->kind;
    switch (expr.kind) {
      case ExprKind::kIfExpr:
        return Together(parts[1], parts[2], true);
      case ExprKind::kUnary:
        return parts[0];
      case ExprKind::kBinary:
        if (expr.operands[1]->type.is_soft()) return Computed({parts[0]});  // a known power
        return Computed(parts);
      case ExprKind::kCall:
        if (kind == BuiltinKind::kSelect) return Together(parts[1], parts[2], true);
        if (kind == BuiltinKind::kMinMax) return Together(parts[0], parts[1], true);
        if (kind == BuiltinKind::kAbs) return parts[0];
        if (kind == BuiltinKind::kFloatMath || kind == BuiltinKind::kFma ||
            kind == BuiltinKind::kBlockReduce) {
          return Computed(parts);
        }
        return kStated;
      default:
        return kStated;  // an element
    }
  }

  // A literal takes the type beside it; an integer that is rounded spoils what it meets.
  static Origin Computed(const std::vector<Origin>& parts) {
    Origin result = kStated;  // of no operands so far, which are all literals
    bool none = true;
    for (const Origin part : parts) {
      result = none ? part : Together(result, part, false);
      none = false;
    }
    if (parts.size() != 1) return result;
    const bool lossy = (result & ~(kStated | kMixed)) != 0;
    return static_cast<Origin>((result & (kStated | kMixed)) | (lossy ? kRounded : 0));
  }

  // Of an operation on two values, or one of the two where it chooses.
  static Origin Together(Origin a, Origin b, bool chooses) {
    Origin result = 0;
    for (Origin x = kStated; x <= kMixed; x = static_cast<Origin>(x << 1)) {
      for (Origin y = kStated; y <= kMixed; y = static_cast<Origin>(y << 1)) {
        if ((a & x) == 0 || (b & y) == 0) continue;
        const bool stated = x == kStated || y == kStated;
        const bool integer = x == kInteger || y == kInteger;
        const bool mixed = x == kMixed || y == kMixed || (stated && integer);
        const bool exact = chooses && x == kExact && y == kExact;
        result |= mixed ? kMixed : stated ? kStated : exact ? kExact : kRounded;
      }
    }
    return result;
  }

  Origin OfVariable(int symbol) const {
    if (symbol < 0 || symbols_.at(symbol).kind != Symbol::Kind::kLocal) return kStated;
    return origins_[static_cast<size_t>(symbol)];
  }

  Origin OfConversion(const Expr& expr) {
    const Expr& operand = *expr.operands[0];
    const Origin origin = Of(operand);
    if (!expr.type.is_float() || expr.stated) return kStated;
    const isa::Type type = expr.type.number;
    if (!operand.type.is_float()) {
      if (expr.saturates) return kStated;
      if (operand.type.is_bool()) return kExact;
      return RuleOf(operand.type, expr.type).rounds ? kInteger : kExact;
    }
    const bool wider = ConvertsSilently(operand.type.number, type);
    if (!wider) return kStated;  // a cast
    if ((origin & (expr.saturates ? kRounded : kRounded | kMixed)) != 0) {
      widens_ = true;
      if (reports_) Report(operand, expr);
    }
    return expr.saturates ? kStated : origin;
  }

  Origin OfCall(const Inlined& call) {
    for (const Stmt& argument : call.arguments) {
      if (argument.symbol >= 0) argument_[static_cast<size_t>(argument.symbol)] = true;
    }
    Body(call.arguments);
    calls_.push_back(&call);
    Body(call.body);
    calls_.pop_back();
    if (call.computes) return OfArguments(call);
    return call.results.size() == 1 ? OfVariable(call.results[0]) : kStated;
  }

  // Of a function that computes a float of floats, whatever casts it has inside.
  Origin OfArguments(const Inlined& call) {
    std::vector<Origin> parts;
    for (const bool by_default : call.literals) parts.push_back(by_default ? kRounded : kStated);
    for (const Stmt& argument : call.arguments) {
      const bool passes = argument.symbol >= 0 && argument.value != nullptr;
      if (passes && argument.value->type.is_float()) parts.push_back(Of(*argument.value));
    }
    return Computed(parts);
  }

  // ---- Messages

  void Report(const Expr& operand, const Expr& widened) {
    const std::string from = NameOf(operand.type);
    const std::string to = NameOf(widened.type);
    const bool call = operand.kind == ExprKind::kInline;
    const std::string text_of = call ? operand.inlined->name + "(...)" : ToSource(operand);
    const std::string head = "cannot widen " + text_of + " to " + to + ": ";
    const int found = Culprit(operand, kRounded | kMixed);
    if (found < 0) {
      const Expr* integer = RoundedInteger(operand);
      const std::string text = integer == nullptr ? ToSource(operand) : ToSource(*integer);
      return reporter_.Error(operand.at, head + text + " is rounded to " + from + " in it; write " +
                                             to + "(" + text + "), or " + from + "(" + text +
                                             ") to mean " + from);
    }
    const int root = RootOf(found);
    if (!said_.insert(root).second) return;
    const Symbol& symbol = symbols_.at(root);
    const Expr* first = first_[static_cast<size_t>(root)];
    const std::string text = first == nullptr ? "..." : ToSource(*first);
    const std::string type = NameOf(symbol.type);
    if (symbol.name.find('(') != std::string::npos) {  // what a helper returns
      const std::string name = symbol.name.substr(0, symbol.name.find('('));
      if (const size_t end = name.find("__"); end != std::string::npos) {  // one of the library
        const std::string function = name.substr(0, end) + "(...)";
        return reporter_.Error(operand.at, head + "the literals in " + function +
                                               " are rounded to " + type + "; write " + to +
                                               "(...) around one, or " + type + "(" + function +
                                               ") to mean that");
      }
      return reporter_.Error(operand.at, head + "`" + name + "` returns " + type +
                                             ", as nothing in it has another type; write -> " + to +
                                             ", or -> " + type + " to mean that");
    }
    if (const std::string whole = ComplexOf(symbol); !whole.empty()) {
      return reporter_.Error(
          operand.at, "cannot widen " + whole + " to complex128: literals in it are rounded " +
                          "to " + type + " since line " + std::to_string(symbol.line) + "; write " +
                          whole + " = complex128(...) there, or complex64(...) " + "to mean that");
    }
    const bool passed = argument_[static_cast<size_t>(root)];
    const std::string where =
        passed ? "; pass " + to + "(" + text + "), or " + type + "(" + text + ")"
               : " since line " + std::to_string(symbol.line) + "; write " + symbol.name + " = " +
                     to + "(" + text + ") there, or " + type + "(" + text + ")";
    reporter_.Error(operand.at, head + "literals in " + symbol.name + " are rounded to " + type +
                                    ", its type" + where + " to mean " + type);
  }

  // The complex number that a local is the real or imaginary part of, or "".
  std::string ComplexOf(const Symbol& part) const {
    const auto is_local = [this](const std::string& name) {
      for (size_t i = 0; i < symbols_.size(); ++i) {
        if (symbols_.at(static_cast<int>(i)).name == name) return true;
      }
      return false;
    };
    for (const std::string_view suffix : {"_real", "_imag"}) {
      if (!part.name.ends_with(suffix)) continue;
      const std::string whole = part.name.substr(0, part.name.size() - suffix.size());
      if (is_local(whole + "_real") && is_local(whole + "_imag")) return whole;
    }
    return "";
  }

  // A local in the expression that may be of this origin, or -1.
  int Culprit(const Expr& expr, Origin origin) const {
    const auto has = [&](int symbol) {
      return symbol >= 0 && symbols_.at(symbol).type.is_float() &&
             symbols_.at(symbol).kind == Symbol::Kind::kLocal &&
             (origins_[static_cast<size_t>(symbol)] & origin) != 0;
    };
    if (expr.stated || expr.saturates || expr.kind == ExprKind::kIndex) return -1;
    if (expr.kind == ExprKind::kVar) return has(expr.symbol) ? expr.symbol : -1;
    if (expr.kind == ExprKind::kInline) {
      const std::vector<int>& results = expr.inlined->results;
      return results.size() == 1 && has(results[0]) ? results[0] : -1;
    }
    for (const ExprPtr& operand : expr.operands) {
      if (!operand->type.is_float()) continue;
      if (const int found = Culprit(*operand, origin); found >= 0) return found;
    }
    return -1;
  }

  // The local that the type of a local came from, by first assignments.
  int RootOf(int symbol) const {
    std::set<int> seen;
    while (seen.insert(symbol).second) {
      const Expr* first = first_[static_cast<size_t>(symbol)];
      if (first == nullptr) return symbol;
      int from = Culprit(*first, kRounded);
      if (from < 0) from = Culprit(*first, kExact);
      if (from < 0) return symbol;
      symbol = from;
    }
    return symbol;
  }

  static const Expr* RoundedInteger(const Expr& expr) {
    if (expr.kind == ExprKind::kConvert && !expr.saturates && expr.type.is_float() &&
        !expr.operands[0]->type.is_float()) {
      return RuleOf(expr.operands[0]->type, expr.type).rounds ? expr.operands[0].get() : nullptr;
    }
    for (const ExprPtr& operand : expr.operands) {
      if (const Expr* found = RoundedInteger(*operand)) return found;
    }
    return nullptr;
  }

  const Symbols& symbols_;
  Reporter& reporter_;
  std::vector<Origin> origins_;     // of locals
  std::vector<const Expr*> first_;  // the first value that a local is assigned
  std::vector<bool> argument_;      // locals that are parameters of helpers
  std::vector<const Inlined*> calls_;
  std::set<int> said_;
  bool changed_ = false;
  bool widens_ = false;
  bool reports_ = false;
};

}  // namespace

void CheckWidenings(const Kernel& kernel, const Symbols& symbols, Reporter& reporter) {
  WideningWalk(symbols, reporter).Run(kernel.body);
}

}  // namespace hologram::frontend
