#include <algorithm>
#include <utility>

#include "base/quote.h"
#include "frontend/lower/lowerer.h"
#include "frontend/lower/rules.h"

namespace hologram::frontend {

using isa::Instruction;
using isa::Opcode;
using isa::Type;

namespace {

// Finds the locals that are only loop counters and are read only in the bodies of their loops:
// nobody sees that the register already holds the next value, or the end value after the loop.
class CounterScan {
 public:
  explicit CounterScan(const Symbols& symbols)
      : inside_(symbols.size(), false), direct_(symbols.size(), true) {}

  void Body(const std::vector<Stmt>& body) {
    for (const Stmt& stmt : body) Statement(stmt);
  }
  std::vector<bool> Take() { return std::move(direct_); }

 private:
  void Statement(const Stmt& stmt) {
    for (const ExprPtr* expr :
         {&stmt.target, &stmt.value, &stmt.condition, &stmt.start, &stmt.stop, &stmt.step}) {
      if (*expr != nullptr) Read(**expr);
    }
    if (stmt.symbol < 0 || stmt.kind != StmtKind::kFor) {
      if (stmt.symbol >= 0) direct_[static_cast<size_t>(stmt.symbol)] = false;
      Body(stmt.body);
      return Body(stmt.else_body);
    }
    const auto counter = static_cast<size_t>(stmt.symbol);
    if (inside_[counter]) direct_[counter] = false;
    const bool before = inside_[counter];
    inside_[counter] = true;
    Body(stmt.body);
    inside_[counter] = before;
  }

  void Read(const Expr& expr) {
    if (expr.kind == ExprKind::kVar && expr.symbol >= 0 &&
        !inside_[static_cast<size_t>(expr.symbol)]) {
      direct_[static_cast<size_t>(expr.symbol)] = false;
    }
    for (const ExprPtr& operand : expr.operands) Read(*operand);
    if (expr.kind != ExprKind::kInline) return;
    Body(expr.inlined->arguments);
    Body(expr.inlined->body);
  }

  std::vector<bool> inside_;
  std::vector<bool> direct_;
};

isa::Direction DirectionOf(const Symbol& symbol) {
  if (!symbol.is_array() || !symbol.written) return isa::Direction::kIn;
  return symbol.read ? isa::Direction::kInOut : isa::Direction::kOut;
}

bool Meets(const Stmt& stmt);

bool AnyMeets(const std::vector<Stmt>& body) {
  return std::any_of(body.begin(), body.end(), Meets);
}

bool Meets(const Expr& expr) {
  const BuiltinKind kind = expr.builtin == nullptr ? BuiltinKind::kCast : expr.builtin->kind;
  return kind == BuiltinKind::kBarrier || kind == BuiltinKind::kBlockReduce ||
         (expr.kind == ExprKind::kInline && AnyMeets(expr.inlined->body)) ||
         std::any_of(expr.operands.begin(), expr.operands.end(),
                     [](const ExprPtr& operand) { return Meets(*operand); });
}

// barrier() or a reduction of the block, here or in a body.
bool Meets(const Stmt& stmt) {
  const auto meets = [](const ExprPtr& expr) { return expr != nullptr && Meets(*expr); };
  return meets(stmt.value) || meets(stmt.condition) || AnyMeets(stmt.body) ||
         AnyMeets(stmt.else_body);
}

}  // namespace

std::vector<isa::Parameter> ParametersOf(const Kernel& kernel, const CheckedKernel& checked) {
  std::vector<isa::Parameter> parameters;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Symbol& parameter = checked.symbols.at(static_cast<int>(i));
    isa::Parameter argument;
    argument.name = parameter.name;
    argument.is_buffer = parameter.is_array();
    argument.type = parameter.type.number;
    argument.direction = DirectionOf(parameter);
    argument.unique = parameter.unique;
    if (argument.is_buffer && parameter.rank > 1) {
      argument.rank = static_cast<uint8_t>(parameter.rank);
    }
    parameters.push_back(std::move(argument));
  }
  parameters.insert(parameters.end(), checked.shape_parameters.begin(),
                    checked.shape_parameters.end());
  return parameters;
}

isa::Program Lowerer::Run(const std::string& file) {
  isa::Program program;
  program.name = kernel_.name;
  program.source_file = EscapeLine(file);
  if (kernel_.block[0] > 0) {
    const auto [x, y, z] = kernel_.block;
    program.default_block = static_cast<uint32_t>(x);
    program.default_block_yz = {static_cast<uint32_t>(y), static_cast<uint32_t>(z)};
  }
  program.parameters = ParametersOf(kernel_, checked_);
  program.shared = checked_.shared;
  program.locals = checked_.locals;
  CounterScan scan(checked_.symbols);
  scan.Body(kernel_.body);
  is_direct_ = scan.Take();
  exit_ = emitter_.NewLabel();
  LowerBody(kernel_.body);
  // Where lanes that skipped a barrier would come to the end, the end is a place of its own: a jump
  // to a mere EXIT counts as a return, and lanes that have returned need not arrive.
  const auto chooses = [](const Stmt& last) { return !last.body.empty() && Meets(last); };
  if (!terminated_ && !kernel_.body.empty() && chooses(kernel_.body.back())) {
    emitter_.Emit({.op = Opcode::kMemFence}, At(kernel_.at));
  }
  emitter_.Bind(exit_);
  emitter_.Emit({.op = Opcode::kExit}, At(kernel_.at));
  if (emitter_.overflowed()) {
    reporter_.set_path("");
    reporter_.Error(kernel_.at,
                    "kernel has too many live values; locals, constants and "
                    "parameters share " +
                        std::to_string(emitter_.num_registers()) + " registers");
  } else if (emitter_.size() > isa::kMaxInstructions) {
    reporter_.set_path("");
    reporter_.Error(kernel_.at, "kernel has " + std::to_string(emitter_.size()) +
                                    " instructions, the limit is " +
                                    std::to_string(isa::kMaxInstructions));
  }
  emitter_.Finish(program);
  return program;
}

void Lowerer::LowerBody(const std::vector<Stmt>& body) {
  for (const Stmt& stmt : body) {
    if (terminated_) return;
    LowerStatement(stmt);
  }
}

void Lowerer::LowerStatement(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::kAssign:
      return LowerAssign(stmt);
    case StmtKind::kAugAssign:
      return LowerAugAssign(stmt);
    case StmtKind::kIf:
      return LowerIf(stmt);
    case StmtKind::kFor:
      return LowerFor(stmt);
    case StmtKind::kWhile:
      return LowerWhile(stmt);
    case StmtKind::kBreak:
    case StmtKind::kContinue:
      emitter_.Branch(
          stmt.kind == StmtKind::kBreak ? loops_.back().on_break : loops_.back().on_continue,
          stmt.at);
      terminated_ = true;
      return;
    case StmtKind::kReturn:
      if (!inline_calls_.empty()) return LowerHelperReturn(stmt);
      emitter_.Emit({.op = Opcode::kExit}, At(stmt.at));
      terminated_ = true;
      return;
    case StmtKind::kUnpack:
      return LowerUnpack(stmt);
    case StmtKind::kAssert:
      return LowerAssert(stmt);
    case StmtKind::kPrint:
      return LowerPrint(stmt);
    case StmtKind::kCall:
      if (stmt.value->kind == ExprKind::kInline) {
        LowerInlineStatement(*stmt.value);
      } else if (stmt.value->builtin->kind == BuiltinKind::kBarrier) {
        emitter_.Emit({.op = Opcode::kBarSync}, At(stmt.at));
      } else if (stmt.value->builtin->kind == BuiltinKind::kUnique) {
        return;  // a fact of the parameter
      } else {
        Free(Lower(*stmt.value));
      }
      return;
  }
}

// Lanes for which the condition does not hold stop here.
void Lowerer::LowerAssert(const Stmt& stmt) {
  if (stmt.value != nullptr) return LowerAssertWithValues(stmt);
  const uint8_t predicate = LowerPredicate(*stmt.condition);
  emitter_.Emit({.op = Opcode::kPnot, .d = predicate, .a = predicate}, At(stmt.at));
  isa::DebugLine debug{stmt.at.line, stmt.at.column, stmt.text, {}};
  CollectVariables(*stmt.condition, debug.variables);
  emitter_.Emit({.op = Opcode::kTrap, .mod = 1, .a = predicate}, std::move(debug));
  emitter_.FreePredicate(predicate);
}

// What the message shows is computed only in lanes that stop, and nothing but the text of the fault
// reads it (DebugLine::variables).
void Lowerer::LowerAssertWithValues(const Stmt& stmt) {
  const Label holds = emitter_.NewLabel();
  LowerCondition(*stmt.condition, holds, true);
  isa::DebugLine debug{stmt.at.line, stmt.at.column, stmt.text, {}};
  CollectVariables(*stmt.condition, debug.variables);
  std::vector<Value> shown;
  for (const ExprPtr& value : stmt.value->operands) {
    shown.push_back(Lower(*value));
    debug.variables.push_back({stmt.texts[shown.size() - 1], shown.back().reg});
  }
  emitter_.Emit({.op = Opcode::kTrap}, std::move(debug));
  emitter_.Emit({.op = Opcode::kExit}, At(stmt.at));  // so that the condition holds behind it
  for (const Value value : shown) Free(value);
  emitter_.Bind(holds);
}

// ---- Assignments

uint8_t Lowerer::RegisterOf(int index) {
  const Symbol& local = symbol(index);
  if (local.kind != Symbol::Kind::kLocal) {
    return isa::Program::RegisterOfParameter(local.number);
  }
  const auto known = locals_.find(index);
  if (known != locals_.end()) return known->second;
  const uint8_t reg = emitter_.Allocate();
  locals_[index] = reg;
  own_registers_.insert(index);
  return reg;
}

void Lowerer::LowerAssign(const Stmt& stmt) {
  if (stmt.declares) return;
  const Expr& value = *stmt.value;
  if (stmt.target->kind == ExprKind::kVar) {
    const bool is_id = value.kind == ExprKind::kCall && value.builtin->kind == BuiltinKind::kId;
    if (is_id && symbol(stmt.symbol).assignments == 1) {
      locals_[stmt.symbol] = Lower(value).reg;
      return;
    }
    return LowerInto(value, RegisterOf(stmt.symbol));
  }
  Store(*stmt.target, Lower(value));
}

void Lowerer::Store(const Expr& target, Value stored) {
  const Value index = Lower(*target.operands[0]);
  Instruction store =
      Access(symbol(target.symbol), {Opcode::kStg, Opcode::kSts, Opcode::kStl}, index);
  store.c = stored.reg;
  emitter_.Emit(store, AccessDebug(target, *target.operands[0]));
  Free(stored);
  Free(index);
}

void Lowerer::LowerAugAssign(const Stmt& stmt) {
  const Expr& target = *stmt.target;
  const Value index = Lower(*target.operands[0]);
  const Value old = Dest(std::nullopt);
  Instruction load =
      Access(symbol(target.symbol), {Opcode::kLdg, Opcode::kLds, Opcode::kLdl}, index);
  load.d = old.reg;
  emitter_.Emit(load, AccessDebug(target, *target.operands[0]));
  const Value outer = std::exchange(old_element_, {old.reg, false});
  const Value stored = Lower(*stmt.value);  // a helper in it may have such a statement too
  old_element_ = outer;
  Instruction store =
      Access(symbol(target.symbol), {Opcode::kStg, Opcode::kSts, Opcode::kStl}, index);
  store.c = stored.reg;
  emitter_.Emit(store, AccessDebug(target, *target.operands[0]));
  Free(stored);
  Free(old);
  Free(index);
}

// ---- Branches

// The label that a body jumps to if it does nothing else.
std::optional<Lowerer::Label> Lowerer::JumpOnly(const std::vector<Stmt>& body) {
  if (body.empty()) return std::nullopt;
  switch (body[0].kind) {
    case StmtKind::kBreak:
      return loops_.back().on_break;
    case StmtKind::kContinue:
      return loops_.back().on_continue;
    case StmtKind::kReturn:
      if (inline_calls_.empty()) return exit_;
      if (body[0].value != nullptr) return std::nullopt;
      return inline_calls_.back().end;
    default:
      return std::nullopt;
  }
}

void Lowerer::LowerIf(const Stmt& stmt) {
  if (stmt.condition->kind == ExprKind::kLiteral) {  // known: the other body is no code
    return LowerBody(stmt.condition->constant.integer != 0 ? stmt.body : stmt.else_body);
  }
  if (const std::optional<Label> jump = JumpOnly(stmt.body)) {
    LowerCondition(*stmt.condition, *jump, true);
    return LowerBody(stmt.else_body);
  }
  const Label otherwise = emitter_.NewLabel();
  LowerCondition(*stmt.condition, otherwise, false);
  LowerBody(stmt.body);
  if (stmt.else_body.empty()) {
    emitter_.Bind(otherwise);
    terminated_ = false;
    return;
  }
  const bool then_terminated = terminated_;
  const Label end = emitter_.NewLabel();
  if (!then_terminated) emitter_.Branch(end, stmt.at);
  emitter_.Bind(otherwise);
  terminated_ = false;
  LowerBody(stmt.else_body);
  emitter_.Bind(end);
  terminated_ = terminated_ && then_terminated;
}

// ---- Loops

void Lowerer::LowerLoopBody(const std::vector<Stmt>& body, LoopLabels labels) {
  loops_.push_back(labels);
  LowerBody(body);
  loops_.pop_back();
}

void Lowerer::LowerWhile(const Stmt& stmt) {
  const Label head = emitter_.NewLabel();
  const Label end = emitter_.NewLabel();
  emitter_.Bind(head);
  loops_.push_back({end, head});  // constants of the condition belong to the loop
  LowerCondition(*stmt.condition, end, false);
  loops_.pop_back();
  LowerLoopBody(stmt.body, {end, head});
  if (!terminated_) emitter_.Branch(head, stmt.at);
  emitter_.Bind(end);
  terminated_ = false;
}

// The end and the step of a range are evaluated once; a local that the loop may change is copied.
Lowerer::Value Lowerer::LowerOnce(const Expr& expr) {
  const bool changes = expr.kind == ExprKind::kVar &&
                       symbol(expr.symbol).kind == Symbol::Kind::kLocal &&
                       symbol(expr.symbol).assignments > 1;
  if (!changes) return Lower(expr);
  const Value copy = Dest(std::nullopt);
  LowerInto(expr, copy.reg);
  return copy;
}

// Sizes of a launch and products of them.
bool Lowerer::IsNeverZero(const Expr& expr) {
  if (expr.kind == ExprKind::kLiteral) return expr.constant.integer != 0;
  if (expr.kind == ExprKind::kCall) {
    return expr.builtin->kind == BuiltinKind::kId && (expr.builtin->sreg == isa::Sreg::kBlockDimX ||
                                                      expr.builtin->sreg == isa::Sreg::kGridDimX);
  }
  const bool product = expr.kind == ExprKind::kBinary && expr.binary == BinaryOp::kMul;
  return (product || (expr.kind == ExprKind::kConvert && !expr.saturates)) &&
         std::all_of(expr.operands.begin(), expr.operands.end(),
                     [](const ExprPtr& operand) { return IsNeverZero(*operand); });
}

// As a failed assertion, where Python raises an error.
void Lowerer::StopAtStepZero(const Expr& step, uint8_t reg, isa::Type type) {
  if (IsNeverZero(step)) return;
  const Value zero = LowerConstant(type, Constant::Int(0), step.at);
  const uint8_t predicate = emitter_.AllocatePredicate();
  emitter_.Emit({.op = Opcode::kSet,
                 .type = type,
                 .mod = static_cast<uint8_t>(isa::Condition::kEq),
                 .d = predicate,
                 .a = reg,
                 .b = zero.reg},
                At(step.at));
  Free(zero);
  isa::DebugLine debug{step.at.line, step.at.column, "the step of range is not 0", {}};
  CollectVariables(step, debug.variables);
  emitter_.Emit({.op = Opcode::kTrap, .mod = 1, .a = predicate}, std::move(debug));
  emitter_.FreePredicate(predicate);
}

void Lowerer::LowerFor(const Stmt& stmt) {
  const Type type = symbol(stmt.symbol).type.number;
  const bool direct = is_direct_[static_cast<size_t>(stmt.symbol)];
  const Value counter = direct ? Value{RegisterOf(stmt.symbol), false} : Dest(std::nullopt);
  LowerInto(*stmt.start, counter.reg);
  const Label head = emitter_.NewLabel();
  const Label next = emitter_.NewLabel();
  const Label end = emitter_.NewLabel();
  loops_.push_back({end, next});
  const Value stop = LowerOnce(*stmt.stop);
  const bool varies = stmt.step->kind != ExprKind::kLiteral;
  Value step{};
  if (varies) {
    step = LowerOnce(*stmt.step);
    StopAtStepZero(*stmt.step, step.reg, type);
  }
  loops_.pop_back();
  const bool up = varies || stmt.step->constant.integer > 0;
  emitter_.Bind(head);
  JumpOnComparison(up ? BinaryOp::kGe : BinaryOp::kLe, type, {counter.reg, false},
                   {stop.reg, false}, stmt.at, end, true);
  if (!direct) {
    const Instruction move{
        .op = Opcode::kMov, .type = type, .d = RegisterOf(stmt.symbol), .a = counter.reg};
    emitter_.Emit(move, At(stmt.at));
  }
  LowerLoopBody(stmt.body, {end, next});
  emitter_.Bind(next);
  loops_.push_back({end, next});
  if (varies) {
    Advance(stmt, counter.reg, Opcode::kAdd, step, true, end);
  } else {
    LowerStep(stmt, counter.reg, end);
  }
  loops_.pop_back();
  emitter_.Branch(head, stmt.at);
  emitter_.Bind(end);
  terminated_ = false;
  if (varies) Free(step);
  Free(stop);
  Free(counter);
}

// counter += step. Where the sum could leave the type before it passes the end of the range, the
// loop ends when it does.
void Lowerer::LowerStep(const Stmt& stmt, uint8_t counter, Label end) {
  const Type type = symbol(stmt.symbol).type.number;
  const __int128 step = stmt.step->constant.integer;
  const bool subtract = step < 0 && isa::IsUnsigned(type);
  const Position at = stmt.at;
  const Value amount = LowerConstant(type, Constant::Int(subtract ? -step : step), at);
  const Opcode op = subtract ? Opcode::kSub : Opcode::kAdd;
  bool may_wrap = step != 1 && step != -1;
  if (may_wrap && stmt.stop->kind == ExprKind::kLiteral) {
    const __int128 last = stmt.stop->constant.integer + step;  // beyond any counter value
    may_wrap = last < isa::MinOf(type) || last > isa::MaxOf(type);
  }
  if (!may_wrap) {
    emitter_.Emit({.op = op, .type = type, .d = counter, .a = counter, .b = amount.reg}, At(at));
    return Free(amount);
  }
  Advance(stmt, counter, op, amount, step > 0, end);
  Free(amount);
}

void Lowerer::Advance(const Stmt& stmt, uint8_t counter, Opcode op, Value amount, bool up,
                      Label end) {
  const Type type = symbol(stmt.symbol).type.number;
  const Value sum = Dest(std::nullopt);
  emitter_.Emit({.op = op, .type = type, .d = sum.reg, .a = counter, .b = amount.reg}, At(stmt.at));
  JumpOnComparison(up ? BinaryOp::kLt : BinaryOp::kGt, type, {sum.reg, false}, {counter, false},
                   stmt.at, end, true);
  emitter_.Emit({.op = Opcode::kMov, .type = type, .d = counter, .a = sum.reg}, At(stmt.at));
  Free(sum);
}

}  // namespace hologram::frontend
