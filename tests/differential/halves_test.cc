// f16 and bf16 on every engine against the scalar reference: one instruction a program. Unary
// instructions and conversions from the two types get all 65,536 values; the others get each value
// with scattered partners, and conversions to them get ties, neighbours of ties and random values.
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "builder.h"
#include "engine.h"
#include "isa/half.h"
#include "math/functions.h"
#include "random_program.h"
#include "scalar_value.h"
#include "verify/verified_program.h"

namespace hologram::tests {
namespace {

using isa::Opcode;
using isa::Type;

constexpr uint32_t kCount = 65536;
constexpr uint32_t kBlock = 256;
constexpr uint8_t kIndex = 100;
constexpr uint8_t kOperand = 101;
constexpr uint8_t kResult = 110;

using Column = std::vector<uint64_t>;

int failures = 0;
int runs = 0;

void Fail(const std::string& what) {
  ++failures;
  std::printf("FAILED: %s\n", what.c_str());
}

std::vector<uint8_t> BytesOf(const Column& column, Type type) {
  const uint32_t size = isa::SizeOf(type);
  std::vector<uint8_t> bytes(column.size() * size);
  for (size_t i = 0; i < column.size(); ++i) std::memcpy(&bytes[i * size], &column[i], size);
  return bytes;
}

// One instruction, what it reads and what it must give.
struct Test {
  isa::Instruction instruction;  // registers are filled in
  std::vector<Type> types;
  std::vector<Column> operands;
  Type result = Type::kF16;
  Column expected;
  std::string name;
};

isa::Program ProgramOf(const Test& test) {
  Builder builder;
  std::vector<uint8_t> slots;
  for (size_t k = 0; k < test.types.size(); ++k) {
    slots.push_back(builder.Buffer(std::string(1, static_cast<char>('a' + k)), test.types[k],
                                   isa::Direction::kIn));
  }
  const uint8_t out = builder.Buffer("out", test.result, isa::Direction::kOut);
  builder.Sreg(isa::Sreg::kGlobalX, kIndex);
  const auto reg = [](size_t k) { return static_cast<uint8_t>(kOperand + k); };
  for (size_t k = 0; k < slots.size(); ++k) {
    builder.Access(Opcode::kLdg, test.types[k], slots[k], kIndex, reg(k), 0);
  }
  const isa::Instruction& in = test.instruction;
  const bool compares = in.op == Opcode::kSet;
  const size_t arity = test.types.size();
  builder.Op(in.op, in.type, compares ? uint8_t{0} : kResult, reg(0),
             arity > 1 ? reg(1) : uint8_t{0}, arity > 2 ? reg(2) : uint8_t{0}, in.mod);
  if (compares) {
    builder.Immediate(Type::kU8, reg(3), 1);
    builder.Immediate(Type::kU8, reg(4), 0);
    builder.Op(Opcode::kSel, Type::kU8, kResult, 0, reg(3), reg(4));
  }
  builder.Access(Opcode::kStg, test.result, out, kIndex, 0, kResult);
  builder.Exit();
  return builder.Finish("halves");
}

void RunOn(const Engine& engine, const Test& test, const verify::VerifiedProgram& program) {
  std::vector<std::vector<uint8_t>> buffers;
  for (size_t k = 0; k < test.types.size(); ++k) {
    buffers.push_back(BytesOf(test.operands[k], test.types[k]));
  }
  buffers.emplace_back(size_t{kCount} * isa::SizeOf(test.result));
  std::vector<hologram_buffer_ref> refs;
  for (auto& buffer : buffers) refs.push_back({buffer.data(), buffer.size()});
  launch::Launch launch;
  launch.buffers = refs;
  launch.shape = {{kCount / kBlock, 1, 1}, {kBlock, 1, 1}};
  const std::string name = test.name + " on " + engine.name;
  const auto run = engine.prepare(program);
  if (!run.ok()) return Fail(name + ": " + ToString(run.errors()[0]));
  const auto tier = CheckLaunch(program, launch);
  if (!tier.ok()) return Fail(name + ": " + ToString(tier.errors()[0]));
  const auto fault = run.value()(launch);
  if (!fault.ok() || fault.value()) return Fail(name + ": it faults");
  ++runs;
  const std::vector<uint8_t> expected = BytesOf(test.expected, test.result);
  const uint32_t size = isa::SizeOf(test.result);
  for (size_t i = 0; i < kCount; ++i) {
    if (std::memcmp(&buffers.back()[i * size], &expected[i * size], size) == 0) continue;
    uint64_t found = 0;
    std::memcpy(&found, &buffers.back()[i * size], size);
    char text[200];
    std::snprintf(text, sizeof text, "%s: of %llx, %llx: expected %llx, found %llx", name.c_str(),
                  static_cast<unsigned long long>(test.operands[0][i]),
                  static_cast<unsigned long long>(test.operands.back()[i]),
                  static_cast<unsigned long long>(test.expected[i]),
                  static_cast<unsigned long long>(found));
    return Fail(text);
  }
}

void Run(const Test& test) {
  const auto verified = verify::Verify(ProgramOf(test));
  if (!verified.ok()) return Fail(test.name + ": " + ToString(verified.errors()[0]));
  for (const Engine& engine : Engines()) RunOn(engine, test, verified.value());
}

// `reference` gives the value for element i.
template <class Reference>
void Check(Opcode op, Type type, uint8_t mod, Type result, std::vector<Type> types,
           std::vector<Column> operands, Reference reference) {
  Test test;
  test.instruction.op = op;
  test.instruction.type = type;
  test.instruction.mod = mod;
  test.result = result;
  test.types = std::move(types);
  test.operands = std::move(operands);
  for (size_t i = 0; i < kCount; ++i) test.expected.push_back(reference(i).bits);
  test.name = std::string(isa::InfoOf(op).mnemonic) + "." + std::string(NameOf(type)) + " " +
              std::to_string(mod);
  Run(test);
}

Column All() {
  Column column(kCount);
  for (uint64_t i = 0; i < kCount; ++i) column[i] = i;
  return column;
}

// Every value once, in an order that looks random.
Column Scattered(uint64_t step) {
  Column column(kCount);
  for (uint64_t i = 0; i < kCount; ++i) column[i] = ((i ^ (i >> 7)) * step + 12345) % kCount;
  return column;
}

void CheckUnary(Type type) {
  const Column all = All();
  for (const Opcode op : {Opcode::kMov, Opcode::kAbs, Opcode::kNeg, Opcode::kSqrt, Opcode::kFloor,
                          Opcode::kCeil, Opcode::kTrunc, Opcode::kRound}) {
    Check(op, type, 0, type, {type}, {all}, [&](size_t i) {
      return op == Opcode::kMov ? Value{type, all[i]} : Unary(op, {type, all[i]});
    });
  }
}

void CheckFunctions(Type type) {
  const std::vector<Column> columns = {All(), Scattered(40503)};
  for (const math::FunctionInfo& info : math::kFunctions) {
    if (!Contains(isa::InfoOf(info.op).types, type)) {
      Fail(std::string(isa::InfoOf(info.op).mnemonic) + " has no form for 16-bit floats");
      continue;
    }
    const auto arity = static_cast<size_t>(info.num_operands);
    for (const bool fast : {false, true}) {
      if (fast && !info.has_fast) continue;
      Check(info.op, type, fast ? 1 : 0, type, std::vector<Type>(arity, type),
            {columns.begin(), columns.begin() + info.num_operands}, [&](size_t i) {
              return Mathematical(info.op, {type, columns[0][i]}, {type, columns[1][i]}, fast);
            });
    }
  }
}

void CheckArithmetic(Type type) {
  const Column a = All();
  const Column b = Scattered(40503);
  const Column c = Scattered(25717);
  const auto value = [&](const Column& column, size_t i) { return Value{type, column[i]}; };
  for (const Opcode op :
       {Opcode::kAdd, Opcode::kSub, Opcode::kMul, Opcode::kDiv, Opcode::kMin, Opcode::kMax}) {
    Check(op, type, 0, type, {type, type}, {a, b},
          [&](size_t i) { return Binary(op, value(a, i), value(b, i)); });
  }
  for (const Opcode op : {Opcode::kMad, Opcode::kFma}) {
    Check(op, type, 0, type, {type, type, type}, {a, b, c},
          [&](size_t i) { return Ternary(op, value(a, i), value(b, i), value(c, i)); });
  }
  for (uint8_t condition = 0; condition < isa::kNumConditions; ++condition) {
    Check(Opcode::kSet, type, condition, Type::kU8, {type, type}, {a, b}, [&](size_t i) {
      const bool holds = Compare(static_cast<isa::Condition>(condition), value(a, i), value(b, i));
      return Value{Type::kU8, holds ? 1U : 0U};
    });
  }
}

// Ties of `half`, what lies beside them, and random values.
Column SourcesOf(Type from, Type half) {
  Random random(3);
  Column column(kCount);
  const uint64_t mask = ~uint64_t{0} >> (64 - isa::BitsOf(from));
  for (uint64_t i = 0; i < kCount; ++i) {
    if (isa::IsHalf(from)) {
      column[i] = i;
    } else if (i % 4 == 0 || (isa::IsInteger(from) && isa::BitsOf(from) == 8)) {
      column[i] = random.ValueOf(from);
    } else if (isa::IsInteger(from)) {
      column[i] = (random.Bits() >> random.Below(64)) & mask;
    } else {
      const double low = isa::FloatValue(i, half);
      const double tie = (low + isa::FloatValue(i + 1, half)) / 2;
      const double near = std::isfinite(tie) ? tie : low;
      const double aside = i % 4 == 1 ? near : std::nextafter(near, i % 4 == 2 ? 0.0 : HUGE_VAL);
      const bool single = from == Type::kF32;
      const float narrow = static_cast<float>(near);
      const float beside =
          i % 4 == 1 ? narrow : std::nextafter(narrow, i % 4 == 2 ? 0.0F : HUGE_VALF);
      column[i] = single ? std::bit_cast<uint32_t>(beside) : std::bit_cast<uint64_t>(aside);
    }
  }
  return column;
}

void CheckConversions(Type type) {
  for (int k = 0; k < isa::kNumTypes; ++k) {
    const auto other = static_cast<Type>(k);
    const Column all = All();
    Check(Opcode::kCvt, other, static_cast<uint8_t>(type), other, {type}, {all},
          [&](size_t i) { return Convert(other, {type, all[i]}); });
    if (other == type) continue;
    const Column sources = SourcesOf(other, type);
    Check(Opcode::kCvt, type, static_cast<uint8_t>(other), type, {other}, {sources},
          [&](size_t i) { return Convert(type, {other, sources[i]}); });
  }
}

int Main() {
  for (const Type type : {Type::kF16, Type::kBF16}) {
    CheckUnary(type);
    CheckFunctions(type);
    CheckArithmetic(type);
    CheckConversions(type);
  }
  std::printf("%d runs of 65536 values, %d failures\n", runs, failures);
  return failures == 0 && runs != 0 ? 0 : 1;
}

}  // namespace
}  // namespace hologram::tests

int main() {
  return hologram::tests::Main();
}
