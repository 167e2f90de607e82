// Helpers and unpacking. A helper's locals have their registers only while its body runs.
#include <algorithm>

#include "frontend/lower/lowerer.h"

namespace hologram::frontend {

using isa::Opcode;

Lowerer::Value Lowerer::LowerInline(const Expr& expr, std::optional<uint8_t> dest) {
  const Inlined& call = *expr.inlined;
  const bool plain =
      call.returns == 1 && !call.body.empty() && call.body.back().kind == StmtKind::kReturn;
  if (!plain) {
    const Value result = Dest(dest);
    LowerInlineBody(call, {result.reg});
    EndInline(call);
    return result;
  }
  // The only return is the last statement: its value is the value of the call.
  for (const Stmt& argument : call.arguments) LowerStatement(argument);
  for (size_t i = 0; i + 1 < call.body.size() && !terminated_; ++i) LowerStatement(call.body[i]);
  const Stmt& last = call.body.back();
  Value result = LowerTo(*last.value, dest);
  terminated_ = false;
  const auto is_result = [&](int local) {
    const auto known = locals_.find(local);
    return local >= call.first_symbol && local < call.end_symbol && known != locals_.end() &&
           known->second == result.reg;
  };
  const auto local = std::find_if(own_registers_.begin(), own_registers_.end(), is_result);
  if (!dest && local != own_registers_.end()) {  // the reader of the value frees it
    own_registers_.erase(local);
    result.owned = true;
  }
  EndInline(call);
  return result;
}

void Lowerer::LowerInlineStatement(const Expr& expr) {
  const Inlined& call = *expr.inlined;
  std::vector<uint8_t> results;
  for (const int result : call.results) results.push_back(RegisterOf(result));
  LowerInlineBody(call, std::move(results));
  EndInline(call);
}

void Lowerer::LowerInlineBody(const Inlined& call, std::vector<uint8_t> results) {
  for (const Stmt& argument : call.arguments) LowerStatement(argument);
  const Stmt* last = call.body.empty() ? nullptr : &call.body.back();
  inline_calls_.push_back({emitter_.NewLabel(), std::move(results), last});
  LowerBody(call.body);
  emitter_.Bind(inline_calls_.back().end);
  inline_calls_.pop_back();
  terminated_ = false;
}

void Lowerer::LowerHelperReturn(const Stmt& stmt) {
  const InlineCall call = inline_calls_.back();
  if (stmt.value != nullptr && stmt.value->kind == ExprKind::kTuple) {
    for (size_t i = 0; i < call.results.size(); ++i) {
      LowerInto(*stmt.value->operands[i], call.results[i]);
    }
  } else if (stmt.value != nullptr) {
    LowerInto(*stmt.value, call.results[0]);
  }
  if (&stmt != call.last) emitter_.Branch(call.end, stmt.at);
  terminated_ = true;
}

void Lowerer::EndInline(const Inlined& call) {
  for (int local = call.first_symbol; local < call.end_symbol; ++local) {
    if (own_registers_.erase(local) != 0) emitter_.Free(locals_[local]);
    locals_.erase(local);
  }
}

void Lowerer::LowerUnpack(const Stmt& stmt) {
  if (stmt.value != nullptr) {
    std::vector<uint8_t> results;
    for (const int result : stmt.value->inlined->results) results.push_back(RegisterOf(result));
    LowerInlineBody(*stmt.value->inlined, std::move(results));
  }
  const auto is_id = [](const Expr& value) {
    return value.kind == ExprKind::kCall && value.builtin->kind == BuiltinKind::kId;
  };
  std::vector<Value> values;
  std::vector<uint8_t> assigned;
  for (const Stmt& part : stmt.body) {
    if (part.declares) {
      values.push_back({});
      continue;
    }
    Value value = Lower(*part.value);
    const bool overwritten =
        !value.owned && std::find(assigned.begin(), assigned.end(), value.reg) != assigned.end();
    if (overwritten) {
      value =
          Apply(Opcode::kMov, part.value->type.register_type(), value, *part.value, std::nullopt);
    }
    values.push_back(value);
    const auto known = locals_.find(part.symbol);
    if (known != locals_.end()) assigned.push_back(known->second);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const Stmt& part = stmt.body[i];
    if (part.declares) continue;
    if (part.target->kind == ExprKind::kIndex) {
      Store(*part.target, values[i]);
    } else if (is_id(*part.value) && symbol(part.symbol).assignments == 1) {
      locals_[part.symbol] = values[i].reg;
    } else {
      const uint8_t reg = RegisterOf(part.symbol);
      if (reg != values[i].reg) {
        Apply(Opcode::kMov, part.value->type.register_type(), values[i], *part.value, reg);
      } else {
        Free(values[i]);
      }
    }
  }
  if (stmt.value != nullptr) EndInline(*stmt.value->inlined);
}

}  // namespace hologram::frontend
