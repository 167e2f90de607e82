#include "sigmatics/execute.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "sigmatics/values/value_graph.h"

namespace hologram::sigmatics {
namespace {

using isa::Opcode;

float F(uint32_t bits) {
  return std::bit_cast<float>(bits);
}

// As the instruction set has it: a computed NaN is the canonical one.
uint32_t Computed(float value) {
  return std::isnan(value) ? 0x7fc00000U : std::bit_cast<uint32_t>(value);
}

uint32_t Smaller(uint32_t a, uint32_t b) {
  if (std::isnan(F(a))) return Computed(F(b));
  if (std::isnan(F(b))) return a;
  if (F(a) == F(b)) return a | b;
  return F(a) < F(b) ? a : b;
}

uint32_t Flipped(uint32_t bits) {
  return bits ^ 0x80000000U;
}

uint32_t Apply(const Variant& variant, const std::vector<uint32_t>& x) {
  if (variant.kind == VariantKind::kSelect) return F(x[0]) != 0 ? x[1] : x[2];
  EXPECT_EQ(variant.kind, VariantKind::kInstruction);
  switch (variant.op) {
    case Opcode::kAdd:
      return Computed(F(x[0]) + F(x[1]));
    case Opcode::kSub:
      return Computed(F(x[0]) - F(x[1]));
    case Opcode::kMul:
      return Computed(F(x[0]) * F(x[1]));
    case Opcode::kDiv:
      return Computed(F(x[0]) / F(x[1]));
    case Opcode::kFma:
      return Computed(std::fma(F(x[0]), F(x[1]), F(x[2])));
    case Opcode::kMad: {
      const float product = F(Computed(F(x[0]) * F(x[1])));
      return Computed(product + F(x[2]));
    }
    case Opcode::kMin:
      return Smaller(x[0], x[1]);
    case Opcode::kMax: {
      if (std::isnan(F(x[0])) || std::isnan(F(x[1]))) return Smaller(x[0], x[1]);
      if (F(x[0]) == F(x[1])) return x[0] & x[1];
      return F(x[0]) > F(x[1]) ? x[0] : x[1];
    }
    case Opcode::kAbs:
      return x[0] & 0x7fffffffU;
    case Opcode::kNeg:
      return Flipped(x[0]);
    case Opcode::kSqrt:
      return Computed(std::sqrt(F(x[0])));
    default:
      ADD_FAILURE() << "the reference has no " << TextOf(variant);
      return 0;
  }
}

uint32_t RandomBits(std::mt19937_64& random) {
  constexpr uint32_t kSpecial[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                   0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x00000001,
                                   0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x40000000};
  if (random() % 3 == 0) return kSpecial[random() % std::size(kSpecial)];
  if (random() % 2 == 0) return static_cast<uint32_t>(random());
  return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int64_t>(random() % 2001) - 1000) /
                                 static_cast<float>(1 + random() % 7));
}

std::vector<uint32_t> RandomVector(std::mt19937_64& random) {
  std::vector<uint32_t> vector(kElements);
  for (uint32_t& bits : vector) bits = RandomBits(random);
  return vector;
}

}  // namespace

Memory RandomMemory(uint64_t seed) {
  std::mt19937_64 random(seed);
  Memory memory;
  for (uint32_t i = 0; i < kNumSigilClasses; ++i) memory.push_back(RandomVector(random));
  return memory;
}

void Execute(const Call& call, Memory& memory, const std::vector<uint32_t>& scalars) {
  const auto read = [&](const Operand& operand) {
    switch (operand.kind) {
      case Operand::Kind::kScalar:
        return std::vector<uint32_t>(kElements, scalars.at(operand.scalar == "a" ? 0 : 1));
      case Operand::Kind::kLiteral:
        return std::vector<uint32_t>(
            kElements,
            static_cast<uint32_t>(BitsOfLiteral(operand.literal, isa::Type::kF32).value()));
      case Operand::Kind::kSigil:
        break;
    }
    return memory[operand.sigil.base.index()];
  };
  std::vector<std::vector<uint32_t>> sources;
  for (const Operand& source : call.sources) sources.push_back(read(source));
  std::vector<uint32_t>& destination = memory[call.destination.sigil.base.index()];
  switch (call.kind) {
    case CallKind::kMark:
      for (uint32_t& bits : destination) bits = Flipped(bits);
      break;
    case CallKind::kCopy:
      destination = sources[0];
      break;
    case CallKind::kSwap:
      std::swap(destination, memory[call.sources[0].sigil.base.index()]);
      break;
    case CallKind::kMerge:
    case CallKind::kSplit:
      for (size_t i = 0; i < kElements; ++i) {
        std::vector<uint32_t> x;
        for (const auto& source : sources) x.push_back(source[i]);
        destination[i] = Apply(call.variant, x);
      }
      break;
    case CallKind::kReduceSum: {
      uint32_t sum = 0;
      for (uint32_t bits : sources[0]) sum = Computed(F(sum) + F(bits));
      destination[0] = sum;
      break;
    }
    case CallKind::kSoftmax:
      // Any function of the whole vector will do here.
      for (size_t i = 0; i < kElements; ++i) {
        destination[i] = sources[0][kElements - 1 - i] ^ sources[0][0];
      }
      break;
    default:
      ADD_FAILURE() << "the reference has no " << NameOf(call.kind);
  }
}

std::string RandomKernel(std::mt19937_64& random) {
  const auto below = [&](uint64_t n) { return random() % n; };
  std::vector<int> readable = {0, 1, 2};
  const auto named = [](int c) { return Print(*SigilClass::FromIndex(static_cast<uint64_t>(c))); };
  const auto source = [&]() -> std::string {
    constexpr const char* kLiterals[] = {"#2.0", "#1.0", "#0.0", "#-0.0", "#0.5", "#4.0", "#-1.5"};
    if (below(10) == 0) return below(2) == 0 ? "$a" : "$b";
    if (below(10) == 0) return kLiterals[below(std::size(kLiterals))];
    return named(readable[below(readable.size())]);
  };
  std::string text =
      "(f32 c00, f32 $a, f32 c01, f32 c02, f32 $b) -> (f32 c02, f32 c03, f32 c04) over n ";
  const auto variant = [&](const char* name, const std::string& rest) {
    return std::string("merge:") + name + "@" + rest;
  };
  const uint64_t length = 3 + below(22);
  for (uint64_t i = 0; i < length + 2; ++i) {
    // The last two calls write the outputs.
    const bool last = i >= length;
    const int c = last ? static_cast<int>(3 + i - length) : static_cast<int>(below(9));
    const bool known = std::find(readable.begin(), readable.end(), c) != readable.end();
    const std::string destination = named(c);
    if (i != 0) text += " . ";
    switch (below(8)) {
      case 0:
        if (known) {
          text += "mark@" + destination;
          continue;
        }
        [[fallthrough]];
      case 1:
        text += "copy@" + source() + "->" + destination;
        break;
      case 2:
        if (known) {
          text += "swap@" + destination + "<->" + named(readable[below(readable.size())]);
          continue;
        }
        [[fallthrough]];
      case 3: {
        const std::string one = source();
        constexpr const char* kUnary[] = {"abs", "neg", "sqrt"};
        text += variant(kUnary[below(3)], one + "[" + one + "," + destination + "]");
        break;
      }
      case 4: {
        constexpr const char* kTernary[] = {"fma", "mad", "select"};
        text += variant(kTernary[below(3)],
                        source() + "[" + source() + "," + source() + "," + destination + "]");
        break;
      }
      default: {
        constexpr const char* kBinary[] = {"add", "sub", "mul", "div", "min", "max"};
        text += variant(kBinary[below(6)], source() + "[" + source() + "," + destination + "]");
        break;
      }
    }
    if (!known) readable.push_back(c);
  }
  return text;
}

Memory ExecuteKernel(const std::string& text, uint64_t seed) {
  const Circuit circuit = Parse(text).value();
  std::mt19937_64 random(seed);
  Memory memory = RandomMemory(seed + 1000);
  std::vector<uint32_t> scalars;
  std::vector<std::string> names;
  for (const HeaderParameter& parameter : circuit.header->inputs) {
    const std::vector<uint32_t> data = RandomVector(random);
    if (parameter.is_scalar) {
      scalars.push_back(data[0]);
    } else {
      memory[parameter.buffer.index()] = data;
    }
  }
  for (const Call& call : Resolve(circuit).value()) Execute(call, memory, scalars);
  Memory outputs;
  for (const HeaderParameter& parameter : circuit.header->outputs) {
    outputs.push_back(memory[parameter.buffer.index()]);
  }
  return outputs;
}

}  // namespace hologram::sigmatics
