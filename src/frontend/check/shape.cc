// Arrays of several dimensions: a[i, j] is a[i * stride + j], row by row. Extents and strides of
// parameters are parameters themselves, which a launch takes from the arrays; those of shared and
// local arrays are numbers.
#include <algorithm>

#include "base/quote.h"
#include "frontend/check/checker.h"
#include "frontend/fold.h"

namespace hologram::frontend {

using isa::Type;

namespace {

constexpr const char* kIndexNames[] = {"i", "i, j", "i, j, k", "i, j, k, l"};

std::string Dimensions(uint32_t rank) {
  return Counted(rank, "dimension");
}

bool IsConstant(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral && !expr.type.is_number();
}

}  // namespace

ExprPtr Checker::ShapeValue(int array, isa::Source source, uint32_t dimension, Position at) {
  const Symbol& symbol = symbols().at(array);
  if (symbol.kind != Symbol::Kind::kArray) {
    __int128 value = 1;
    if (source == isa::Source::kStride) {
      for (uint32_t d = dimension + 1; d < symbol.rank; ++d) value *= symbol.extents[d];
    } else if (symbol.rank > 1) {
      value = symbol.extents[dimension];
    } else {
      const bool shared = symbol.kind == Symbol::Kind::kShared;
      value = (shared ? checked_.shared : checked_.locals)[symbol.number].count;
    }
    ExprPtr number = MakeLiteral(Constant::Int(value), at);
    number->type = ValueType::SoftInt();
    return number;
  }
  isa::Parameter parameter;
  parameter.name = isa::ShapeParameterName(symbol.name, source, dimension);
  parameter.type = isa::Type::kU32;
  parameter.source = source;
  parameter.array = static_cast<uint8_t>(symbol.number);
  parameter.dimension = static_cast<uint8_t>(dimension);
  auto& parameters = checked_.shape_parameters;
  size_t k = 0;
  while (k < parameters.size() && parameters[k] != parameter) ++k;
  if (k == parameters.size()) {
    Symbol value;
    value.name = parameter.name;
    value.kind = Symbol::Kind::kScalar;
    value.type = ValueType::Number(parameter.type);
    value.number = static_cast<uint32_t>(kernel_.parameters.size() + k);
    value.from_shape = true;
    shape_symbols_.push_back(symbols().Add(std::move(value)));
    parameters.push_back(std::move(parameter));
  }
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kVar;
  expr->at = at;
  expr->symbol = shape_symbols_[k];
  expr->name = symbols().at(expr->symbol).name;
  expr->type = symbols().at(expr->symbol).type;
  return expr;
}

// a.shape[k]
void Checker::CheckShape(ExprPtr& expr) {
  const int found = symbols().Find(expr->name);
  if (found < 0 || !symbols().at(found).is_array()) {
    if (refused_arrays_.contains(expr->name)) return;
    return Error(expr->at, found < 0 ? "undefined name '" + expr->name + "'" +
                                           symbols().Suggestion(expr->name)
                                     : "'" + expr->name + "' is a scalar and has no shape");
  }
  if (expr->operands.empty()) {
    return Error(expr->at, "a shape is no value; write one extent, " + expr->name + ".shape[0]");
  }
  ExprPtr& dimension = expr->operands[0];
  Check(dimension);
  if (dimension->type.is_error()) return;
  const uint32_t rank = symbols().at(found).rank;
  if (dimension->kind == ExprKind::kLiteral && dimension->constant.is_int() &&
      dimension->constant.integer < 0) {
    dimension->constant.integer += rank;  // from the last one, as in NumPy
  }
  if (dimension->kind != ExprKind::kLiteral || !dimension->constant.is_int() ||
      dimension->constant.integer < 0 || dimension->constant.integer >= rank) {
    return Error(dimension->at, "'" + expr->name + "' has " + Dimensions(rank) +
                                    "; in shape[k] k is 0 to " + std::to_string(rank - 1) +
                                    ", known at compile time");
  }
  const auto number = static_cast<uint32_t>(dimension->constant.integer);
  expr = ShapeValue(found, isa::Source::kExtent, number, expr->at);
}

// The extents of `a.shape`, not checked yet.
std::vector<ExprPtr> Checker::ShapeParts(const Expr& shape) {
  const int found = symbols().Find(shape.name);
  const bool is_array = found >= 0 && symbols().at(found).is_array();
  const uint32_t rank = is_array ? symbols().at(found).rank : 1;  // the check of the part says so
  std::vector<ExprPtr> parts;
  for (uint32_t d = 0; d < rank; ++d) {
    auto part = std::make_unique<Expr>();
    part->kind = ExprKind::kShape;
    part->at = shape.at;
    part->name = shape.name;
    part->operands.push_back(MakeLiteral(Constant::Int(d), shape.at));
    parts.push_back(std::move(part));
  }
  return parts;
}

// len(a) is a.shape[0].
void Checker::CheckLen(ExprPtr& expr) {
  const Expr& array = *expr->operands[0];
  const int found = array.kind == ExprKind::kVar ? symbols().Find(array.name) : -1;
  if (found < 0 || !symbols().at(found).is_array()) {
    if (refused_arrays_.contains(array.name)) return;
    return Error(array.at, "len takes the name of an array");
  }
  expr = ShapeValue(found, isa::Source::kExtent, 0, expr->at);
}

bool Checker::CheckOneIndex(const Expr& index) {
  if (index.type.is_error()) return false;
  if (!index.type.is_integer()) {
    Error(index.at, "an index is an integer, not " + NameOf(index.type) +
                        (QuotientOfIntegers(index) ? "; write // for the quotient of integers"
                                                   : "; write u32(...)"));
    return false;
  }
  if (index.kind != ExprKind::kLiteral || index.constant.integer >= 0) return true;
  Error(index.at,
        "index " + ToString(index.constant) +
            " is negative; an index counts from the start, and the last one is len(a) - 1");
  return false;
}

// The operands are checked, so the whole must not be checked again.
ExprPtr Checker::Combine(BinaryOp op, ExprPtr left, ExprPtr right) {
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kBinary;
  expr->binary = op;
  expr->at = left->at;
  if (IsConstant(*left) && IsConstant(*right)) {
    std::string error;
    if (const auto value = FoldBinary(op, left->constant, right->constant, error)) {
      Replace(expr, *value);
      return expr;
    }
  }
  expr->operands.push_back(std::move(left));
  expr->operands.push_back(std::move(right));
  CheckOperands(expr);
  return expr;
}

void Checker::FlattenIndex(Expr& expr, int array) {
  const uint32_t rank = symbols().at(array).rank;
  if (expr.operands.size() != rank) {
    const std::string& name = expr.name;
    expr.type = ValueType();
    const bool flat = rank == 1;
    const bool parameter = symbols().at(array).kind == Symbol::Kind::kArray;
    const std::string declare = parameter ? ", or declare it DeviceArray[" +
                                                NameOf(symbols().at(array).type) + ", " +
                                                std::to_string(expr.operands.size()) + "]"
                                          : "";
    return Error(expr.at, "'" + name + "' has " + Dimensions(rank) + "; write " + name + "[" +
                              kIndexNames[rank - 1] + "]" + (flat ? declare : ""));
  }
  if (rank == 1) return;
  ExprPtr sum;
  for (uint32_t d = 0; d < rank; ++d) {
    ExprPtr term = std::move(expr.operands[d]);
    const bool is_literal = IsConstant(*term);
    if (d + 1 < rank) {
      if (is_literal && term->constant.integer == 0) continue;  // the first row
      ExprPtr stride = ShapeValue(array, isa::Source::kStride, d, term->at);
      const bool one = is_literal && term->constant.integer == 1;
      term = one ? std::move(stride) : Combine(BinaryOp::kMul, std::move(term), std::move(stride));
    } else if (sum != nullptr && is_literal && term->constant.integer == 0) {
      continue;
    }
    if (term->type.is_error()) {
      expr.type = ValueType();
      expr.operands.resize(1);
      expr.operands[0] = std::move(term);
      return;
    }
    sum =
        sum == nullptr ? std::move(term) : Combine(BinaryOp::kAdd, std::move(sum), std::move(term));
  }
  expr.operands.clear();
  expr.operands.push_back(std::move(sum));
}

// ---- Shared and local arrays

// name = shared(f32, 256) or name = local(f32, 16)
void Checker::CheckArray(Stmt& stmt, bool shared) {
  const size_t errors = reporter_.count();
  DeclareArray(stmt, shared);
  if (reporter_.count() != errors) refused_arrays_.insert(stmt.target->name);
}

void Checker::DeclareArray(Stmt& stmt, bool shared) {
  Expr& call = *stmt.value;
  stmt.declares = true;
  const std::string& name = stmt.target->name;
  const std::string kind = call.name;
  if (!calls_.empty() && calls_.back().helper->in_library) return CheckLibraryArray(stmt);
  if (!calls_.empty()) {
    return Error(call.at,
                 "a " + kind + " array belongs to the kernel; declare it there and pass it");
  }
  if (depth_ != 1) {
    return Error(call.at, (shared ? "a shared array belongs to the whole block"
                                  : std::string("a local array belongs to the whole kernel")) +
                              "; declare it at the top level of the kernel");
  }
  if (symbols().Find(name) >= 0) {
    return Error(stmt.at,
                 "'" + name + "' has a meaning already; give the " + kind + " array its own name");
  }
  if (!stmt.declared.empty() || !call.keywords.empty()) {
    return Error(stmt.at, "a " + kind + " array has its type in the call; write " + name + " = " +
                              kind + "(f32, 256)");
  }
  const auto size = CheckArraySize(call, shared ? isa::kMaxSharedBytes : isa::kMaxLocalBytes);
  if (!size) return;
  std::vector<isa::SharedArray>& arrays = shared ? checked_.shared : checked_.locals;
  Symbol symbol;
  symbol.name = name;
  symbol.kind = shared ? Symbol::Kind::kShared : Symbol::Kind::kLocalArray;
  symbol.type = size->type;
  symbol.number = static_cast<uint32_t>(arrays.size());
  symbol.rank = static_cast<uint32_t>(std::max<size_t>(size->extents.size(), 1));
  symbol.extents = size->extents;
  symbol.line = stmt.at.line;
  stmt.symbol = symbols().Add(std::move(symbol));
  arrays.push_back({name, size->type.register_type(), size->count});
  CheckArrayLimits(call);
}

// All shared arrays of the library of one type and size are one: it is zero between their uses.
void Checker::CheckLibraryArray(Stmt& stmt) {
  const auto size = CheckArraySize(*stmt.value, isa::kMaxSharedBytes);
  if (!size) return;
  const isa::SharedArray wanted{std::string(isa::kLibraryArray) + NameOf(size->type),
                                size->type.register_type(), size->count};
  std::vector<isa::SharedArray>& arrays = checked_.shared;
  const auto found = std::find(arrays.begin(), arrays.end(), wanted);
  Symbol symbol;
  symbol.name = stmt.target->name;
  symbol.kind = Symbol::Kind::kShared;
  symbol.type = size->type;
  symbol.number = static_cast<uint32_t>(found - arrays.begin());
  symbol.read = symbol.written = true;
  stmt.symbol = symbols().Add(std::move(symbol));
  if (found != arrays.end()) return;
  arrays.push_back(wanted);
  CheckArrayLimits(*stmt.value);
}

std::optional<Checker::ArraySize> Checker::CheckArraySize(Expr& call, uint32_t limit) {
  const auto fail = [this](Position at, const std::string& message) {
    Error(at, message);
    return std::nullopt;
  };
  if (call.operands.size() != 2) {
    return fail(call.at, call.name + " takes 2 arguments, not " +
                             std::to_string(call.operands.size()) + "; write " + call.name +
                             "(f32, 256)");
  }
  const bool is_name = call.operands[0]->kind == ExprKind::kVar;
  const bool is_bool = is_name && call.operands[0]->name == "bool";
  const std::optional<Type> type = is_bool   ? Type::kU8
                                   : is_name ? symbols().FindType(call.operands[0]->name)
                                             : std::nullopt;
  if (!type) {
    return fail(call.operands[0]->at, "the first argument of " + call.name +
                                          " is an element type, as in " + call.name + "(f32, 256)");
  }
  const std::optional<std::vector<uint32_t>> extents = CheckExtents(call);
  if (!extents) return std::nullopt;
  // Each extent fits 32 bits, and there are at most kMaxRank of them.
  __int128 count = 1;
  for (const uint32_t extent : *extents) count *= extent;
  if (count == 0 || count * isa::SizeOf(*type) > limit) {
    return fail(call.operands[1]->at, "a " + call.name + " array has 1 to " +
                                          std::to_string(limit / isa::SizeOf(*type)) +
                                          " elements of " + std::string(isa::NameOf(*type)) +
                                          ", not " + ToString(Constant::Int(count)));
  }
  const ValueType element = is_bool ? ValueType::Bool() : ValueType::Number(*type);
  ArraySize size{element, static_cast<uint32_t>(count), {}};
  if (extents->size() > 1) size.extents = *extents;
  return size;
}

// 256 or (16, 16)
std::optional<std::vector<uint32_t>> Checker::CheckExtents(Expr& call) {
  ExprPtr& shape = call.operands[1];
  std::vector<ExprPtr*> parts;
  if (shape->kind == ExprKind::kTuple) {
    for (ExprPtr& part : shape->operands) parts.push_back(&part);
  } else {
    parts.push_back(&shape);
  }
  if (parts.size() > isa::kMaxRank) {
    Error(shape->at, "an array has at most " + std::to_string(isa::kMaxRank) + " dimensions, not " +
                         std::to_string(parts.size()));
    return std::nullopt;
  }
  std::vector<uint32_t> extents;
  for (ExprPtr* part : parts) {
    Check(*part);
    const Expr& extent = **part;
    if (extent.type.is_error()) return std::nullopt;
    if (extent.kind != ExprKind::kLiteral || !extent.constant.is_int()) {
      Error(extent.at, "the size of a " + call.name +
                           " array is an integer known at compile time; write " + call.name +
                           "(f32, n, most=256) for one that comes with the launch");
      return std::nullopt;
    }
    if (extent.constant.integer < 1 || extent.constant.integer > INT32_MAX) {
      Error(extent.at,
            "a " + call.name + " array has a size of at least 1, not " + ToString(extent.constant));
      return std::nullopt;
    }
    extents.push_back(static_cast<uint32_t>(extent.constant.integer));
  }
  return extents;
}

void Checker::CheckArrayLimits(const Expr& call) {
  isa::Program program;
  program.shared = checked_.shared;
  program.locals = checked_.locals;
  const std::string most = std::to_string(isa::kMaxSharedArrays);
  if (program.shared.size() > isa::kMaxSharedArrays) {
    Error(call.at, "kernel has more than " + most + " shared arrays");
  } else if (program.locals.size() > isa::kMaxLocalArrays) {
    Error(call.at,
          "kernel has more than " + std::to_string(isa::kMaxLocalArrays) + " local arrays");
  } else if (program.SharedBytes() > isa::kMaxSharedBytes) {
    Error(call.at, "kernel uses " + std::to_string(program.SharedBytes()) +
                       " bytes of shared memory, the limit is " +
                       std::to_string(isa::kMaxSharedBytes));
  } else if (program.LocalBytes() > isa::kMaxLocalBytes) {
    Error(call.at, "kernel uses " + std::to_string(program.LocalBytes()) +
                       " bytes of local memory in each lane, the limit is " +
                       std::to_string(isa::kMaxLocalBytes));
  }
}

}  // namespace hologram::frontend
