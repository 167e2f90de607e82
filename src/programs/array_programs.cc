// Programs for arrays of any length, built from the type and the operation alone.
#include <algorithm>
#include <string>
#include <vector>

#include "programs/builder.h"

namespace hologram::programs {

using isa::Condition;
using isa::Direction;
using isa::NameOf;
using isa::Opcode;
using isa::OperandKind;
using isa::Program;
using isa::Type;
namespace {

using Buffer = ProgramBuilder::Buffer;
using Value = ProgramBuilder::Value;

std::string Named(std::string_view operation, Type type) {
  return std::string(operation) + "_" + std::string(NameOf(type));
}

size_t NumSources(Opcode op) {
  const auto& operands = InfoOf(op).operands;
  return static_cast<size_t>(std::count_if(operands.begin(), operands.end(), [](const auto& o) {
    return o.kind == OperandKind::kSrc || o.kind == OperandKind::kShift;
  }));
}

// A shift takes its count in u32.
Type TypeOfSource(Opcode op, size_t k, Type type) {
  const bool shifts = op == Opcode::kShl || op == Opcode::kShr;
  return shifts && k == 1 ? Type::kU32 : type;
}

constexpr const char* kNames[] = {"a", "b", "c"};

Value Apply(ProgramBuilder& builder, Opcode op, const std::vector<Value>& values) {
  switch (values.size()) {
    case 1:
      return builder.Operation(op, {values[0]});
    case 2:
      return builder.Operation(op, {values[0], values[1]});
    case 3:
      return builder.Operation(op, {values[0], values[1], values[2]});
    default:
      return builder.Operation(op, {});
  }
}

}  // namespace

Result<Program> ElementwiseProgram(Opcode op, Type type) {
  ProgramBuilder builder(Named(InfoOf(op).mnemonic, type));
  std::vector<Buffer> inputs;
  for (size_t k = 0; k < std::min<size_t>(NumSources(op), 3); ++k) {
    inputs.push_back(builder.AddBuffer(kNames[k], TypeOfSource(op, k, type), Direction::kIn));
  }
  const Buffer out = builder.AddBuffer("out", type, Direction::kOut);
  const Value i = builder.GuardedId(builder.AddScalar("n", Type::kU32));
  std::vector<Value> values;
  for (const Buffer& input : inputs) values.push_back(builder.Load(input, i));
  builder.Store(out, i, Apply(builder, op, values));
  return builder.Finish();
}

Result<Program> ScalarProgram(Opcode op, Type type) {
  ProgramBuilder builder(Named(InfoOf(op).mnemonic, type) + "_scalar");
  const Buffer a = builder.AddBuffer("a", type, Direction::kIn);
  const Value b = builder.AddScalar("b", TypeOfSource(op, 1, type));
  const Buffer out = builder.AddBuffer("out", type, Direction::kOut);
  const Value i = builder.GuardedId(builder.AddScalar("n", Type::kU32));
  builder.Store(out, i, builder.Operation(op, {builder.Load(a, i), b}));
  return builder.Finish();
}

Result<Program> CastProgram(Type from, Type to) {
  ProgramBuilder builder(Named("cast", from) + "_" + std::string(NameOf(to)));
  const Buffer a = builder.AddBuffer("a", from, Direction::kIn);
  const Buffer out = builder.AddBuffer("out", to, Direction::kOut);
  const Value i = builder.GuardedId(builder.AddScalar("n", Type::kU32));
  builder.Store(out, i, builder.Convert(builder.Load(a, i), to));
  return builder.Finish();
}

Result<Program> CopyProgram(Type type) {
  ProgramBuilder builder(Named("copy", type));
  const Buffer a = builder.AddBuffer("a", type, Direction::kIn);
  const Buffer out = builder.AddBuffer("out", type, Direction::kOut);
  const Value i = builder.GuardedId(builder.AddScalar("n", Type::kU32));
  builder.Store(out, i, builder.Load(a, i));
  return builder.Finish();
}

Result<Program> FillProgram(Type type) {
  ProgramBuilder builder(Named("fill", type));
  const Value value = builder.AddScalar("value", type);
  const Buffer out = builder.AddBuffer("out", type, Direction::kOut);
  const Value i = builder.GuardedId(builder.AddScalar("n", Type::kU32));
  builder.Store(out, i, value);
  return builder.Finish();
}

Result<Program> SelectProgram(Condition condition, Type type) {
  ProgramBuilder builder(Named("select_" + std::string(NameOf(condition)), type));
  const Buffer a = builder.AddBuffer("a", type, Direction::kIn);
  const Buffer b = builder.AddBuffer("b", type, Direction::kIn);
  const Buffer x = builder.AddBuffer("x", type, Direction::kIn);
  const Buffer y = builder.AddBuffer("y", type, Direction::kIn);
  const Buffer out = builder.AddBuffer("out", type, Direction::kOut);
  const Value i = builder.GuardedId(builder.AddScalar("n", Type::kU32));
  const auto holds = builder.Compare(condition, builder.Load(a, i), builder.Load(b, i));
  builder.Store(out, i, builder.Select(holds, builder.Load(x, i), builder.Load(y, i)));
  return builder.Finish();
}

Result<Program> GatherProgram(Type type) {
  ProgramBuilder builder(Named("gather", type));
  const Buffer a = builder.AddBuffer("a", type, Direction::kIn);
  const Buffer index = builder.AddBuffer("index", Type::kU32, Direction::kIn);
  const Buffer out = builder.AddBuffer("out", type, Direction::kOut);
  const Value i = builder.GuardedId(builder.AddScalar("n", Type::kU32));
  builder.Store(out, i, builder.Load(a, builder.Load(index, i)));
  return builder.Finish();
}

}  // namespace hologram::programs
