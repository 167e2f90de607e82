// Critical pairs of the rules of values, joined mechanically: both sides of every rule, applied to
// values that other rules apply to, have one form. A value is brought into its form from the inside
// outwards, so where two rules overlap the inner one always has gone first; the outer rule must not
// notice, which is what is tested.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "sigmatics/values/value_graph.h"

namespace hologram::sigmatics {
namespace {

using isa::Condition;
using isa::Opcode;
using isa::Type;

class Pairs {
 public:
  explicit Pairs(Type type) : type_(type) {
    const NodeId a = graph_.Input(0, type);
    const NodeId b = graph_.Input(1, type);
    values_ = {a, b, graph_.Scalar(0, type)};
    for (const double number : {0.0, -0.0, 1.0, 2.0, 3.0}) {
      if (isa::IsFloat(type)) values_.push_back(Number(number));
      if (!isa::IsFloat(type) && !std::signbit(number)) values_.push_back(Number(number));
    }
    if (isa::IsFloat(type)) {
      values_.push_back(Number(-1.0));
      values_.push_back(Number(-2.0));
      values_.push_back(Number(-3.0));
      values_.push_back(Number(0.25));
    }
    const std::vector<NodeId> plain = {a, b, Number(2.0)};
    std::vector<NodeId> deeper;
    const bool is_float = isa::IsFloat(type);
    const bool has_sign = is_float || isa::IsSignedInteger(type);
    for (const NodeId x : plain) {
      if (has_sign) deeper.push_back(Do(Opcode::kNeg, {x}));
      if (has_sign) deeper.push_back(Do(Opcode::kAbs, {x}));
      if (is_float) deeper.push_back(Do(Opcode::kExp, {x}));
      if (!is_float) deeper.push_back(Do(Opcode::kNot, {x}));
    }
    for (const Opcode op : {Opcode::kAdd, Opcode::kSub, Opcode::kMul, Opcode::kMin}) {
      deeper.push_back(Do(op, {a, b}));
      deeper.push_back(Do(op, {b, a}));
      if (has_sign) deeper.push_back(Do(op, {Neg(a), b}));
    }
    if (is_float) deeper.push_back(Do(Opcode::kDiv, {Neg(a), b}));
    if (!is_float) deeper.push_back(Do(Opcode::kXor, {a, Number(3.0)}));
    if (has_sign) deeper.push_back(Neg(Do(Opcode::kMul, {a, b})));
    if (is_float) {
      // Products inside products, units and doubled values, whose signs may stand in several
      // places.
      const NodeId product = Do(Opcode::kMul, {a, b});
      deeper.push_back(Do(Opcode::kMul, {Neg(product), a}));
      deeper.push_back(Do(Opcode::kDiv, {product, Number(-3.0)}));
      deeper.push_back(Do(Opcode::kMul, {a, Number(-1.0)}));
      deeper.push_back(Do(Opcode::kMul, {a, Number(-2.0)}));
      deeper.push_back(Do(Opcode::kMul, {a, Number(-0.0)}));
      deeper.push_back(Do(Opcode::kAdd, {product, product}));
      deeper.push_back(Do(Opcode::kSub, {a, Number(0.0)}));
      deeper.push_back(Do(Opcode::kFma, {Neg(a), b, Number(-1.0)}));
    }
    values_.insert(values_.end(), deeper.begin(), deeper.end());
  }

  using Side = std::function<NodeId(NodeId, NodeId, NodeId)>;

  // Both sides have one form for all values.
  void Rule(const std::string& name, int variables, const Side& left, const Side& right) {
    ++rules;
    int differ = 0;
    const auto count = [&](int k) { return variables > k ? values_.size() : 1; };
    // Floats have many values; of three, the first takes every third, which saves time.
    const size_t step = variables == 3 && isa::IsFloat(type_) ? 3 : 1;
    for (size_t x = 0; x < count(0); x += step) {
      for (size_t y = 0; y < count(1); ++y) {
        for (size_t z = 0; z < count(2); ++z) {
          ++pairs;
          if (left(values_[x], values_[y], values_[z]) == right(values_[x], values_[y], values_[z]))
            continue;
          if (++differ == 1) {
            ADD_FAILURE() << isa::NameOf(type_) << ": " << name << " of values " << x << ", " << y
                          << ", " << z << ": " << Text(left(values_[x], values_[y], values_[z]))
                          << " and " << Text(right(values_[x], values_[y], values_[z]));
          }
        }
      }
    }
    if (differ > 1) ADD_FAILURE() << name << ": " << differ << " pairs differ";
  }

  NodeId Do(Opcode op, std::vector<NodeId> sources) {
    return graph_.Apply(VariantOf(op), type_, std::move(sources));
  }
  NodeId Neg(NodeId x) { return Do(Opcode::kNeg, {x}); }
  NodeId Number(double value) {
    Literal literal = Literal::OfDouble(value);
    if (!isa::IsFloat(type_)) {
      literal = {};
      literal.magnitude = static_cast<uint64_t>(value);
    }
    return *graph_.Constant(literal, type_);
  }
  NodeId Is(Condition condition, NodeId x, NodeId y) {
    return graph_.Apply(VariantOf(condition), type_, {x, y});
  }
  NodeId Not(NodeId bit) {
    return graph_.Apply(VariantOf(Opcode::kXor), Type::kU8, {bit, graph_.Bits(1, Type::kU8)});
  }
  NodeId Select(NodeId bit, NodeId x, NodeId y) {
    return graph_.Apply(SelectVariant(), type_, {bit, x, y});
  }

  int rules = 0;
  int64_t pairs = 0;

 private:
  std::string Text(NodeId id) const {
    const Node& node = graph_.node(id);
    switch (node.kind) {
      case NodeKind::kInput:
        return "ab"[node.number] + std::string();
      case NodeKind::kScalar:
        return "s";
      case NodeKind::kLiteral:
        return "#" + std::to_string(node.number);
      default:
        break;
    }
    std::string text = TextOf(node.variant) + "(";
    for (NodeId source : node.sources) text += Text(source) + " ";
    return text + ")";
  }

  const Type type_;
  ValueGraph graph_;
  std::vector<NodeId> values_;
};

void RulesOfBoth(Pairs& p) {
  for (const Opcode op : {Opcode::kAdd, Opcode::kMul, Opcode::kMin, Opcode::kMax}) {
    p.Rule(
        "commutes", 2, [&](NodeId x, NodeId y, NodeId) { return p.Do(op, {x, y}); },
        [&](NodeId x, NodeId y, NodeId) { return p.Do(op, {y, x}); });
  }
  for (const Opcode op : {Opcode::kMin, Opcode::kMax}) {
    p.Rule(
        "absorbs", 2, [&](NodeId x, NodeId y, NodeId) { return p.Do(op, {p.Do(op, {x, y}), y}); },
        [&](NodeId x, NodeId y, NodeId) { return p.Do(op, {x, y}); });
  }
  p.Rule(
      "x > y = y < x", 2, [&](NodeId x, NodeId y, NodeId) { return p.Is(Condition::kGt, x, y); },
      [&](NodeId x, NodeId y, NodeId) { return p.Is(Condition::kLt, y, x); });
  p.Rule(
      "x == y = y == x", 2, [&](NodeId x, NodeId y, NodeId) { return p.Is(Condition::kEq, x, y); },
      [&](NodeId x, NodeId y, NodeId) { return p.Is(Condition::kEq, y, x); });
  p.Rule(
      "not == is !=", 2,
      [&](NodeId x, NodeId y, NodeId) { return p.Not(p.Is(Condition::kEq, x, y)); },
      [&](NodeId x, NodeId y, NodeId) { return p.Is(Condition::kNe, x, y); });
  for (const Condition c : {Condition::kEq, Condition::kLt, Condition::kLe}) {
    p.Rule(
        "select of not", 3,
        [&](NodeId x, NodeId y, NodeId z) { return p.Select(p.Not(p.Is(c, x, y)), x, z); },
        [&](NodeId x, NodeId y, NodeId z) { return p.Select(p.Is(c, x, y), z, x); });
    p.Rule(
        "not not", 2, [&](NodeId x, NodeId y, NodeId) { return p.Not(p.Not(p.Is(c, x, y))); },
        [&](NodeId x, NodeId y, NodeId) { return p.Is(c, x, y); });
  }
  p.Rule(
      "select of !=", 3,
      [&](NodeId x, NodeId y, NodeId z) { return p.Select(p.Is(Condition::kNe, x, y), z, y); },
      [&](NodeId x, NodeId y, NodeId z) { return p.Select(p.Is(Condition::kEq, x, y), y, z); });
}

void RulesOfSigns(Pairs& p) {
  p.Rule(
      "neg neg", 1, [&](NodeId x, NodeId, NodeId) { return p.Neg(p.Neg(x)); },
      [&](NodeId x, NodeId, NodeId) { return x; });
  p.Rule(
      "abs abs", 1,
      [&](NodeId x, NodeId, NodeId) { return p.Do(Opcode::kAbs, {p.Do(Opcode::kAbs, {x})}); },
      [&](NodeId x, NodeId, NodeId) { return p.Do(Opcode::kAbs, {x}); });
  p.Rule(
      "x + neg y", 2, [&](NodeId x, NodeId y, NodeId) { return p.Do(Opcode::kAdd, {x, p.Neg(y)}); },
      [&](NodeId x, NodeId y, NodeId) { return p.Do(Opcode::kSub, {x, y}); });
  p.Rule(
      "x - neg y", 2, [&](NodeId x, NodeId y, NodeId) { return p.Do(Opcode::kSub, {x, p.Neg(y)}); },
      [&](NodeId x, NodeId y, NodeId) { return p.Do(Opcode::kAdd, {x, y}); });
}

TEST(RulePairs, OfFloats) {
  for (const Type type : {Type::kF32, Type::kF64, Type::kF16}) {
    Pairs p(type);
    RulesOfBoth(p);
    RulesOfSigns(p);
    p.Rule(
        "abs neg", 1, [&](NodeId x, NodeId, NodeId) { return p.Do(Opcode::kAbs, {p.Neg(x)}); },
        [&](NodeId x, NodeId, NodeId) { return p.Do(Opcode::kAbs, {x}); });
    p.Rule(
        "neg x - y", 2,
        [&](NodeId x, NodeId y, NodeId) { return p.Do(Opcode::kSub, {p.Neg(x), y}); },
        [&](NodeId x, NodeId y, NodeId) { return p.Do(Opcode::kSub, {p.Neg(y), x}); });
    for (const Opcode op : {Opcode::kMul, Opcode::kDiv}) {
      p.Rule(
          "neg x * neg y", 2,
          [&](NodeId x, NodeId y, NodeId) { return p.Do(op, {p.Neg(x), p.Neg(y)}); },
          [&](NodeId x, NodeId y, NodeId) { return p.Do(op, {x, y}); });
      p.Rule(
          "x * neg y", 2, [&](NodeId x, NodeId y, NodeId) { return p.Do(op, {x, p.Neg(y)}); },
          [&](NodeId x, NodeId y, NodeId) { return p.Do(op, {p.Neg(x), y}); });
      p.Rule(
          "x + neg y * z", 3,
          [&](NodeId x, NodeId y, NodeId z) {
            return p.Do(Opcode::kAdd, {x, p.Do(op, {p.Neg(y), z})});
          },
          [&](NodeId x, NodeId y, NodeId z) { return p.Do(Opcode::kSub, {x, p.Do(op, {y, z})}); });
      p.Rule(
          "x - neg y * z", 3,
          [&](NodeId x, NodeId y, NodeId z) {
            return p.Do(Opcode::kSub, {x, p.Do(op, {p.Neg(y), z})});
          },
          [&](NodeId x, NodeId y, NodeId z) { return p.Do(Opcode::kAdd, {x, p.Do(op, {y, z})}); });
    }
    for (const Opcode op : {Opcode::kMul, Opcode::kDiv}) {
      const auto product = [&](NodeId x, NodeId y) { return p.Do(op, {x, y}); };
      const auto opposite = [&](NodeId x, NodeId y) { return p.Do(op, {p.Neg(x), y}); };
      p.Rule(
          "x + neg (y * z)", 3,
          [&](NodeId x, NodeId y, NodeId z) {
            return p.Do(Opcode::kAdd, {x, p.Neg(product(y, z))});
          },
          [&](NodeId x, NodeId y, NodeId z) { return p.Do(Opcode::kSub, {x, product(y, z)}); });
      p.Rule(
          "neg x * y - z", 3,
          [&](NodeId x, NodeId y, NodeId z) { return p.Do(Opcode::kSub, {opposite(y, z), x}); },
          [&](NodeId x, NodeId y, NodeId z) {
            return p.Do(Opcode::kSub, {p.Neg(x), product(y, z)});
          });
      p.Rule(
          "function of neg x * y", 2,
          [&](NodeId x, NodeId y, NodeId) { return p.Do(Opcode::kExp, {p.Neg(product(x, y))}); },
          [&](NodeId x, NodeId y, NodeId) { return p.Do(Opcode::kExp, {opposite(x, y)}); });
      p.Rule(
          "abs of neg x * y", 2,
          [&](NodeId x, NodeId y, NodeId) { return p.Do(Opcode::kAbs, {opposite(x, y)}); },
          [&](NodeId x, NodeId y, NodeId) { return p.Do(Opcode::kAbs, {product(x, y)}); });
      p.Rule(
          "max of neg x * y", 3,
          [&](NodeId x, NodeId y, NodeId z) {
            return p.Do(Opcode::kMax, {x, p.Neg(product(y, z))});
          },
          [&](NodeId x, NodeId y, NodeId z) { return p.Do(Opcode::kMax, {opposite(y, z), x}); });
    }
    for (const Condition c : {Condition::kEq, Condition::kLt, Condition::kLe}) {
      p.Rule(
          "neg x < neg y", 2,
          [&](NodeId x, NodeId y, NodeId) { return p.Is(c, p.Neg(x), p.Neg(y)); },
          [&](NodeId x, NodeId y, NodeId) { return p.Is(c, y, x); });
      p.Rule(
          "neg x < y", 2, [&](NodeId x, NodeId y, NodeId) { return p.Is(c, p.Neg(x), y); },
          [&](NodeId x, NodeId y, NodeId) { return p.Is(c, p.Neg(y), x); });
    }
    p.Rule(
        "select(neg c, x, y)", 3,
        [&](NodeId x, NodeId y, NodeId z) { return p.Select(p.Neg(x), y, z); },
        [&](NodeId x, NodeId y, NodeId z) { return p.Select(x, y, z); });
    // What makes a NaN the canonical one and does nothing else is one operation.
    const auto made = [&](NodeId x) { return p.Do(Opcode::kMul, {x, p.Number(1.0)}); };
    for (const Opcode op :
         {Opcode::kAdd, Opcode::kSub, Opcode::kDiv, Opcode::kMin, Opcode::kMax, Opcode::kMul}) {
      const double unit = op == Opcode::kAdd ? -0.0 : op == Opcode::kSub ? 0.0 : 1.0;
      const bool is_choice = op == Opcode::kMin || op == Opcode::kMax;
      p.Rule(
          "x * 1 of any value", 1,
          [&](NodeId x, NodeId, NodeId) { return p.Do(op, {x, is_choice ? x : p.Number(unit)}); },
          [&](NodeId x, NodeId, NodeId) { return made(x); });
    }
    p.Rule(
        "abs(x - y)", 2,
        [&](NodeId x, NodeId y, NodeId) {
          return p.Do(Opcode::kAbs, {p.Do(Opcode::kSub, {x, y})});
        },
        [&](NodeId x, NodeId y, NodeId) {
          return p.Do(Opcode::kAbs, {p.Do(Opcode::kSub, {y, x})});
        });
    const auto square = [&](NodeId x) { return p.Do(Opcode::kMul, {x, x}); };
    p.Rule(
        "square of x - y", 2,
        [&](NodeId x, NodeId y, NodeId) { return square(p.Do(Opcode::kSub, {x, y})); },
        [&](NodeId x, NodeId y, NodeId) { return square(p.Do(Opcode::kSub, {y, x})); });
    p.Rule(
        "square of neg x - y", 2,
        [&](NodeId x, NodeId y, NodeId) { return square(p.Do(Opcode::kSub, {p.Neg(x), y})); },
        [&](NodeId x, NodeId y, NodeId) { return square(p.Do(Opcode::kAdd, {y, x})); });
    p.Rule(
        "square of abs x", 1,
        [&](NodeId x, NodeId, NodeId) { return square(p.Do(Opcode::kAbs, {x})); },
        [&](NodeId x, NodeId, NodeId) { return square(x); });
    p.Rule(
        "x * -1", 1,
        [&](NodeId x, NodeId, NodeId) { return p.Do(Opcode::kMul, {x, p.Number(-1.0)}); },
        [&](NodeId x, NodeId, NodeId) { return made(p.Neg(x)); });
    p.Rule(
        "x * -2", 1,
        [&](NodeId x, NodeId, NodeId) { return p.Do(Opcode::kMul, {x, p.Number(-2.0)}); },
        [&](NodeId x, NodeId, NodeId) { return p.Do(Opcode::kSub, {p.Neg(x), x}); });
    for (const Opcode op : {Opcode::kFma, Opcode::kMad}) {
      p.Rule(
          "fma of 1", 2,
          [&](NodeId x, NodeId y, NodeId) { return p.Do(op, {p.Number(1.0), x, y}); },
          [&](NodeId x, NodeId y, NodeId) { return p.Do(Opcode::kAdd, {x, y}); });
      p.Rule(
          "fma and -0", 2,
          [&](NodeId x, NodeId y, NodeId) { return p.Do(op, {x, y, p.Number(-0.0)}); },
          [&](NodeId x, NodeId y, NodeId) { return p.Do(Opcode::kMul, {x, y}); });
    }
    for (const Opcode op : {Opcode::kFma, Opcode::kMad}) {
      p.Rule(
          "signs of fma", 3,
          [&](NodeId x, NodeId y, NodeId z) { return p.Do(op, {p.Neg(x), y, z}); },
          [&](NodeId x, NodeId y, NodeId z) { return p.Do(op, {p.Neg(y), x, z}); });
      p.Rule(
          "factors of fma", 3, [&](NodeId x, NodeId y, NodeId z) { return p.Do(op, {x, y, z}); },
          [&](NodeId x, NodeId y, NodeId z) { return p.Do(op, {y, x, z}); });
    }
    p.Rule(
        "x * 2", 1,
        [&](NodeId x, NodeId, NodeId) { return p.Do(Opcode::kMul, {x, p.Number(2.0)}); },
        [&](NodeId x, NodeId, NodeId) { return p.Do(Opcode::kAdd, {x, x}); });
    p.Rule(
        "x / 4", 1,
        [&](NodeId x, NodeId, NodeId) { return p.Do(Opcode::kDiv, {x, p.Number(4.0)}); },
        [&](NodeId x, NodeId, NodeId) { return p.Do(Opcode::kMul, {x, p.Number(0.25)}); });
    for (const Opcode op : {Opcode::kAdd, Opcode::kSub, Opcode::kMul, Opcode::kDiv}) {
      const double unit = op == Opcode::kAdd ? -0.0 : op == Opcode::kSub ? 0.0 : 1.0;
      const auto computed = [&](NodeId x, NodeId y) { return p.Do(Opcode::kSub, {x, y}); };
      p.Rule(
          "units of what was computed", 2,
          [&](NodeId x, NodeId y, NodeId) { return p.Do(op, {computed(x, y), p.Number(unit)}); },
          [&](NodeId x, NodeId y, NodeId) { return computed(x, y); });
    }
    EXPECT_GE(p.rules, 30);
    EXPECT_GE(p.pairs, 200'000);
  }
}

TEST(RulePairs, OfIntegers) {
  for (const Type type : {Type::kI32, Type::kU32, Type::kU8, Type::kI64}) {
    Pairs p(type);
    RulesOfBoth(p);
    if (isa::IsSignedInteger(type)) RulesOfSigns(p);
    for (const Opcode op : {Opcode::kAnd, Opcode::kOr, Opcode::kXor}) {
      p.Rule(
          "commutes", 2, [&](NodeId x, NodeId y, NodeId) { return p.Do(op, {x, y}); },
          [&](NodeId x, NodeId y, NodeId) { return p.Do(op, {y, x}); });
    }
    p.Rule(
        "not not", 1,
        [&](NodeId x, NodeId, NodeId) { return p.Do(Opcode::kNot, {p.Do(Opcode::kNot, {x})}); },
        [&](NodeId x, NodeId, NodeId) { return x; });
    for (const Opcode op : {Opcode::kAdd, Opcode::kSub, Opcode::kMul, Opcode::kAnd, Opcode::kOr}) {
      const Opcode both = op == Opcode::kSub ? Opcode::kAdd : op;
      p.Rule(
          "x op a op b", 1,
          [&](NodeId x, NodeId, NodeId) {
            return p.Do(op, {p.Do(op, {x, p.Number(5.0)}), p.Number(6.0)});
          },
          [&](NodeId x, NodeId, NodeId) {
            return p.Do(op, {x, p.Do(both, {p.Number(5.0), p.Number(6.0)})});
          });
    }
    p.Rule(
        "x + a - a", 1,
        [&](NodeId x, NodeId, NodeId) {
          return p.Do(Opcode::kSub, {p.Do(Opcode::kAdd, {x, p.Number(5.0)}), p.Number(5.0)});
        },
        [&](NodeId x, NodeId, NodeId) { return x; });
    p.Rule(
        "x ^ a ^ b", 1,
        [&](NodeId x, NodeId, NodeId) {
          return p.Do(Opcode::kXor, {p.Do(Opcode::kXor, {x, p.Number(5.0)}), p.Number(6.0)});
        },
        [&](NodeId x, NodeId, NodeId) { return p.Do(Opcode::kXor, {x, p.Number(3.0)}); });
    p.Rule(
        "not < is >=", 2,
        [&](NodeId x, NodeId y, NodeId) { return p.Not(p.Is(Condition::kLt, x, y)); },
        [&](NodeId x, NodeId y, NodeId) { return p.Is(Condition::kGe, x, y); });
    p.Rule(
        "select of <=", 3,
        [&](NodeId x, NodeId y, NodeId z) { return p.Select(p.Is(Condition::kLe, x, y), x, z); },
        [&](NodeId x, NodeId y, NodeId z) { return p.Select(p.Is(Condition::kLt, y, x), z, x); });
    for (const Opcode op : {Opcode::kSub, Opcode::kXor}) {
      p.Rule(
          "x - x", 1, [&](NodeId x, NodeId, NodeId) { return p.Do(op, {x, x}); },
          [&](NodeId, NodeId, NodeId) { return p.Number(0.0); });
    }
    for (const Opcode op : {Opcode::kMin, Opcode::kMax, Opcode::kAnd, Opcode::kOr}) {
      p.Rule(
          "op x x", 1, [&](NodeId x, NodeId, NodeId) { return p.Do(op, {x, x}); },
          [&](NodeId x, NodeId, NodeId) { return x; });
    }
    EXPECT_GE(p.rules, 22);
    EXPECT_GE(p.pairs, 40'000);
  }
}

}  // namespace
}  // namespace hologram::sigmatics
