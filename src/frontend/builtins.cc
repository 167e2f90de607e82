#include "frontend/builtins.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/spelling.h"
#include "math/functions.h"

namespace hologram::frontend {
namespace {

using isa::AtomicOp;
using isa::Opcode;
using isa::Sreg;
using isa::Type;

class Table {
 public:
  Table() {
    AddLaunch();
    AddMath();
    AddAtomics();
    for (int i = 0; i < isa::kNumTypes; ++i) {
      const Type type = static_cast<Type>(i);
      Builtin cast{.name = std::string(isa::NameOf(type)), .kind = BuiltinKind::kCast};
      cast.min_arguments = cast.max_arguments = 1;
      cast.type = type;
      rows_.push_back(cast);
    }
    rows_.push_back(
        {.name = "bool", .kind = BuiltinKind::kBoolCast, .min_arguments = 1, .max_arguments = 1});
    rows_.push_back(
        {.name = "len", .kind = BuiltinKind::kLen, .min_arguments = 1, .max_arguments = 1});
    rows_.push_back({.name = "bitcast",
                     .kind = BuiltinKind::kBitcast,
                     .min_arguments = 2,
                     .max_arguments = 2,
                     .op = Opcode::kBitcast});
    rows_.push_back({.name = "popc",
                     .kind = BuiltinKind::kPopc,
                     .min_arguments = 1,
                     .max_arguments = 1,
                     .op = Opcode::kPopc});
    std::sort(rows_.begin(), rows_.end(),
              [](const Builtin& a, const Builtin& b) { return a.name < b.name; });
  }

  const std::vector<Builtin>& rows() const { return rows_; }

 private:
  void AddId(const char* name, Sreg first) {
    rows_.push_back({.name = name, .kind = BuiltinKind::kId, .max_arguments = 1, .sreg = first});
  }

  void AddLaunch() {
    AddId("get_global_id", Sreg::kGlobalX);
    AddId("get_local_id", Sreg::kLaneX);
    AddId("get_block_id", Sreg::kBlockX);
    AddId("get_block_dim", Sreg::kBlockDimX);
    AddId("get_grid_dim", Sreg::kGridDimX);
    rows_.push_back({.name = "barrier", .kind = BuiltinKind::kBarrier});
    rows_.push_back(
        {.name = "unique", .kind = BuiltinKind::kUnique, .min_arguments = 1, .max_arguments = 1});
    rows_.push_back(
        {.name = "shared", .kind = BuiltinKind::kShared, .min_arguments = 2, .max_arguments = 2});
    rows_.push_back(
        {.name = "local", .kind = BuiltinKind::kLocal, .min_arguments = 2, .max_arguments = 2});
    for (int i = 0; i < isa::kNumBlockForms; ++i) {
      const auto op = static_cast<isa::BlockOp>(i % isa::kNumBlockOps);
      const bool of_warp = i >= isa::kNumBlockOps;
      const std::string prefix = of_warp ? "warp_" : "block_";
      Builtin row{.name = prefix + "reduce_" + std::string(isa::NameOf(op)),
                  .kind = BuiltinKind::kBlockReduce,
                  .min_arguments = 1,
                  .max_arguments = 1,
                  .op = Opcode::kBlkRed,
                  .block_op = op,
                  .of_warp = of_warp};
      rows_.push_back(row);
      row.name = prefix + "scan_" + std::string(isa::NameOf(op));
      row.op = Opcode::kBlkScan;
      rows_.push_back(std::move(row));
    }
  }

  // The function and its twin with suffix f, which takes f32 only.
  void AddWithSuffix(Builtin row) {
    rows_.push_back(row);
    row.name += "f";
    if (row.kind != BuiltinKind::kUnsupported) row.type = Type::kF32;
    rows_.push_back(std::move(row));
  }

  void AddMathRow(std::string name, BuiltinKind kind, uint8_t arguments, Opcode op,
                  bool has_fast = false) {
    AddWithSuffix({.name = std::move(name),
                   .kind = kind,
                   .min_arguments = arguments,
                   .max_arguments = arguments,
                   .op = op,
                   .has_fast = has_fast});
  }

  void AddMath() {
    AddMathRow("sqrt", BuiltinKind::kFloatMath, 1, Opcode::kSqrt);
    for (const math::FunctionInfo& function : math::kFunctions) {
      AddMathRow(std::string(isa::InfoOf(function.op).mnemonic), BuiltinKind::kFloatMath,
                 static_cast<uint8_t>(function.num_operands), function.op, function.has_fast);
    }
    AddMathRow("floor", BuiltinKind::kFloatMath, 1, Opcode::kFloor);
    AddMathRow("ceil", BuiltinKind::kFloatMath, 1, Opcode::kCeil);
    AddMathRow("trunc", BuiltinKind::kFloatMath, 1, Opcode::kTrunc);
    AddMathRow("round", BuiltinKind::kFloatMath, 1, Opcode::kRound);
    AddMathRow("abs", BuiltinKind::kAbs, 1, Opcode::kAbs);
    AddMathRow("min", BuiltinKind::kMinMax, 2, Opcode::kMin);
    AddMathRow("max", BuiltinKind::kMinMax, 2, Opcode::kMax);
    AddMathRow("fma", BuiltinKind::kFma, 3, Opcode::kFma);
    AddMathRow("select", BuiltinKind::kSelect, 3, Opcode::kSel);
  }

  void AddAtomics() {
    constexpr const char* kNames[] = {"atomic_add", "atomic_min", "atomic_max",     "atomic_and",
                                      "atomic_or",  "atomic_xor", "atomic_exchange"};
    for (uint8_t i = 0; i < std::size(kNames); ++i) {
      rows_.push_back({.name = kNames[i],
                       .kind = BuiltinKind::kAtomic,
                       .min_arguments = 3,
                       .max_arguments = 3,
                       .op = Opcode::kAtg,
                       .atomic = static_cast<AtomicOp>(i)});
    }
    for (const Type type : {Type::kU32, Type::kI32, Type::kF32}) {
      rows_.push_back({.name = "atomic_add_" + std::string(isa::NameOf(type)),
                       .kind = BuiltinKind::kAtomicFirst,
                       .min_arguments = 2,
                       .max_arguments = 2,
                       .op = Opcode::kAtg,
                       .atomic = AtomicOp::kAdd,
                       .type = type});
    }
    rows_.push_back({.name = "atomic_cas",
                     .kind = BuiltinKind::kAtomicSwap,
                     .min_arguments = 4,
                     .max_arguments = 4,
                     .op = Opcode::kAtgCas});
  }

  std::vector<Builtin> rows_;
};

const std::vector<Builtin>& Rows() {
  static const Table table;
  return table.rows();
}

}  // namespace

const Builtin* FindBuiltin(std::string_view name) {
  const auto& rows = Rows();
  const auto it =
      std::lower_bound(rows.begin(), rows.end(), name,
                       [](const Builtin& row, std::string_view key) { return row.name < key; });
  return it != rows.end() && it->name == name ? &*it : nullptr;
}

std::string NearestBuiltin(std::string_view name) {
  for (const Builtin& row : Rows()) {
    if (row.kind != BuiltinKind::kUnsupported && IsNear(name, row.name)) return row.name;
  }
  return "";
}

}  // namespace hologram::frontend
