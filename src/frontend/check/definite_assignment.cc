// Which locals are assigned on every path. One walk is enough: a loop's body starts from what was
// assigned before the loop, and a back edge can only add to that.
#include <set>

#include "frontend/check/checker.h"

namespace hologram::frontend {
namespace {

class Walk {
 public:
  Walk(const Symbols& symbols, Reporter& reporter) : symbols_(symbols), reporter_(reporter) {
    state_.assigned.assign(symbols.size(), false);
    reported_.assign(symbols.size(), false);
  }

  void Body(const std::vector<Stmt>& body) {
    for (const Stmt& stmt : body) {
      reporter_.set_path(stmt.path);
      Statement(stmt);
    }
  }

 private:
  struct State {
    std::vector<bool> assigned;
    bool reachable = true;
  };

  void Statement(const Stmt& stmt) {
    switch (stmt.kind) {
      case StmtKind::kAssign:
      case StmtKind::kAugAssign:
        if (stmt.declares) return;
        Read(*stmt.value);
        if (stmt.target->kind == ExprKind::kIndex) Read(*stmt.target);
        return Assign(stmt.symbol);
      case StmtKind::kUnpack:
        return Unpack(stmt);
      case StmtKind::kCall:
      case StmtKind::kPrint:
        return Read(*stmt.value);
      case StmtKind::kAssert:
        Read(*stmt.condition);
        if (stmt.value != nullptr) Read(*stmt.value);
        return;
      case StmtKind::kIf:
        return If(stmt);
      case StmtKind::kFor:
        Read(*stmt.start);
        Read(*stmt.stop);
        Read(*stmt.step);
        return Loop(stmt, /*endless=*/false);
      case StmtKind::kWhile: {
        const Expr& condition = *stmt.condition;
        const bool endless =
            condition.kind == ExprKind::kLiteral && condition.constant.integer != 0;
        Read(condition);
        return Loop(stmt, endless);
      }
      case StmtKind::kBreak:
        if (!breaks_.empty()) Join(breaks_.back(), state_);
        state_.reachable = false;
        return;
      case StmtKind::kReturn:
        if (stmt.value != nullptr) Read(*stmt.value);
        if (!returns_.empty()) Join(returns_.back(), state_);
        state_.reachable = false;
        return;
      case StmtKind::kContinue:
        state_.reachable = false;
        return;
    }
  }

  void Unpack(const Stmt& stmt) {
    if (stmt.value != nullptr) Read(*stmt.value);
    for (const Stmt& part : stmt.body) {
      if (!part.declares) Read(*part.value);
    }
    for (const Stmt& part : stmt.body) {
      if (part.target->kind == ExprKind::kIndex) Read(*part.target);
      Assign(part.symbol);
    }
  }

  void Inline(const Inlined& call) {
    for (const Stmt& argument : call.arguments) Statement(argument);
    State after = state_;
    after.reachable = false;
    returns_.push_back(std::move(after));
    Body(call.body);
    if (state_.reachable && !call.results.empty()) {
      if (said_.insert(call.name).second) {
        reporter_.Error(call.at, "helper `" + call.name +
                                     "` may end without a `return`; return a value on every path");
      }
      state_.reachable = false;
    }
    Join(returns_.back(), state_);
    state_ = std::move(returns_.back());
    returns_.pop_back();
    for (const int result : call.results) Assign(result);
  }

  void If(const Stmt& stmt) {
    if (stmt.condition->kind == ExprKind::kLiteral) {
      return Body(stmt.condition->constant.integer != 0 ? stmt.body : stmt.else_body);
    }
    Read(*stmt.condition);
    const State before = state_;
    Body(stmt.body);
    State after_then = std::move(state_);
    state_ = before;
    Body(stmt.else_body);
    Join(after_then, state_);
    state_ = std::move(after_then);
  }

  void Loop(const Stmt& stmt, bool endless) {
    State after = state_;
    if (endless) after.reachable = false;
    breaks_.push_back(std::move(after));
    Assign(stmt.symbol);
    Body(stmt.body);
    state_ = std::move(breaks_.back());
    breaks_.pop_back();
  }

  // `into` becomes what holds on both paths; an unreachable path holds everything.
  static void Join(State& into, const State& other) {
    if (!other.reachable) return;
    if (!into.reachable) {
      into = other;
      return;
    }
    for (size_t i = 0; i < into.assigned.size(); ++i) {
      into.assigned[i] = into.assigned[i] && other.assigned[i];
    }
  }

  void Assign(int symbol) {
    if (symbol >= 0) state_.assigned[static_cast<size_t>(symbol)] = true;
  }

  void Read(const Expr& expr) {
    if (expr.kind == ExprKind::kInline) return Inline(*expr.inlined);
    if (expr.kind == ExprKind::kVar && expr.symbol >= 0) ReadSymbol(expr);
    for (const ExprPtr& operand : expr.operands) Read(*operand);
  }

  void ReadSymbol(const Expr& expr) {
    const auto index = static_cast<size_t>(expr.symbol);
    if (symbols_.at(expr.symbol).kind != Symbol::Kind::kLocal) return;
    if (!state_.reachable || state_.assigned[index] || reported_[index]) return;
    reported_[index] = true;
    reporter_.Error(expr.at, "local '" + expr.name +
                                 "' may be read before it is assigned; assign it on every path");
  }

  const Symbols& symbols_;
  Reporter& reporter_;
  State state_;
  std::vector<bool> reported_;
  std::vector<State> breaks_;   // what holds after each enclosing loop
  std::vector<State> returns_;  // and after each enclosing call of a helper
  std::set<std::string> said_;  // helpers
};

}  // namespace

void CheckAssigned(const Kernel& kernel, const Symbols& symbols, Reporter& reporter) {
  Walk(symbols, reporter).Body(kernel.body);
}

}  // namespace hologram::frontend
