#include "sigmatics/random_circuit.h"

#include "sigmatics/circuit.h"

namespace hologram::sigmatics {

std::string RandomCircuit::Class() {
  return (OneIn(4) ? "c0" : "c") + std::to_string(Below(96));
}

std::string RandomCircuit::Amount() {
  return (OneIn(2) ? "+" : "-") + std::to_string(OneIn(20) ? Below(kMaxAmount) : Below(12));
}

std::string RandomCircuit::Postfix() {
  std::string text;
  constexpr const char* kLetters[] = {"", "R", "D", "T"};
  if (OneIn(4)) text += std::string("^") + kLetters[Below(4)] + Amount();
  if (OneIn(4)) text += "~";
  return text;
}

std::string RandomCircuit::Sigil() {
  return Class() + Postfix() + (OneIn(6) ? "@" + std::to_string(Below(48)) : "");
}

std::string RandomCircuit::Source() {
  if (OneIn(8)) return "$s" + std::to_string(Below(3));
  if (OneIn(8)) {
    constexpr const char* kLiterals[] = {"#0",     "#-0",    "#2",       "#-7",  "#2.5",
                                         "#-0.0",  "#1e-3",  "#-inf",    "#nan", "#0.1",
                                         "#1e300", "#7:u64", "#-0.5:f16"};
    return kLiterals[Below(std::size(kLiterals))];
  }
  return Sigil();
}

std::string RandomCircuit::Range(uint64_t length) {
  const uint64_t first = Below(96 - length);
  return "c[" + std::to_string(first) + ".." + std::to_string(first + length) + "]" + Postfix();
}

std::string RandomCircuit::Operation() {
  switch (Below(10)) {
    case 0:
      return "mark@" + (OneIn(3) ? Range(1 + Below(20)) : Sigil());
    case 1:
      return "copy@" + (OneIn(5) ? Sigil() : Source() + "->" + Sigil());
    case 2:
      return "swap@" + Sigil() + (OneIn(5) ? "" : "<->" + Sigil());
    case 3: {
      const auto& variants = AllVariants();
      return "merge:" + TextOf(variants[Below(variants.size())]) + "@" + Source() + "[" + Source() +
             (OneIn(4) ? "," + Source() : "") + "," + Sigil() + "]";
    }
    case 4:
      return (OneIn(2) ? "split@" : "split:div@") + Source() + "[" + Source() + "," + Sigil() + "]";
    case 5:
      return "quote@" + (OneIn(3) ? Range(1 + Below(9)) : Sigil());
    case 6:
      return "evaluate@" + (OneIn(3) ? Range(1 + Below(9)) : Sigil());
    case 7: {
      constexpr const char* kNames[] = {"reduce_sum", "reduce_min", "reduce_max", "reduce_prod",
                                        "reduce_and", "reduce_or",  "reduce_xor", "softmax"};
      return std::string(kNames[Below(std::size(kNames))]) + "@" + Sigil() + "->" + Sigil() +
             (OneIn(3) ? "#" + std::to_string(1 + Below(3072)) : "");
    }
    case 8:
      return "reduce_fma@" + Sigil() + (OneIn(5) ? "" : "[" + Sigil() + "," + Sigil() + "]");
    default: {
      const uint64_t length = 1 + Below(12);
      return "merge@" + Range(length) +
             (OneIn(2) ? "[" + Range(length) + "," + Range(length) + "]" : "");
    }
  }
}

std::string RandomCircuit::Prefix() {
  std::string text;
  if (OneIn(2)) text += "R" + Amount();
  if (OneIn(3)) text += "D" + Amount();
  if (OneIn(2)) text += " T" + Amount();
  if (text.empty() || OneIn(3)) text += "~";
  return text + "@";
}

std::string RandomCircuit::Group(int depth) {
  std::string text = OneIn(6) ? Prefix() : "";
  for (;;) {
    text += depth > 0 && OneIn(4) ? "(" + Group(depth - 1) + ")" : Operation();
    if (OneIn(3)) return text;
    text += OneIn(3) ? "||" : " . ";
    // A prefix takes the rest of the group.
    if (depth > 0 && OneIn(8)) return text + Prefix() + Group(depth - 1);
  }
}

std::string RandomCircuit::Text() {
  std::string text;
  if (OneIn(4)) text = "(f32 c00, f64 $s0,i8 c7) -> (f32 c02, u16 c03) over n ";
  if (OneIn(8)) text = "(f32 c00, shared f64 c09) -> (f32 c02) over n by 48 ";
  if (OneIn(8)) text = "(shared f32 c00, f64 $s0) -> (f32 c02) over by by 64  cut 4096 ";
  if (OneIn(8)) text = "(column f32 c00, f32 c01) -> (f32 c02) over n by 64 ";
  return text + Group(3);
}

}  // namespace hologram::sigmatics
