// Every rule of src/sigmatics/values/value_rules.cc, proved by Z3 for all operands. Values are bit
// vectors; an arithmetic result that is NaN is the canonical NaN, neg and abs change the sign bit
// alone, min and max take a number over NaN and combine the bits of equal numbers, as in the
// instruction set. Rules of signs and sums are proved for f32, those with products and quotients
// for the format that their row names. What is not a rule must be refuted, so that the model itself
// is tested.
#include <gtest/gtest.h>
#include <z3++.h>

#include <cmath>
#include <functional>

namespace {

using z3::expr;

struct Format {
  const char* name;
  unsigned exponent;
  unsigned significand;  // with the hidden bit
};
constexpr Format kF32 = {"f32", 8, 24};
constexpr Format kF16 = {"f16", 5, 11};
constexpr Format kF8 = {"f8", 4, 4};
constexpr Format kF6 = {"f6", 3, 3};

class Model {
 public:
  Model(z3::context& context, const Format& format)
      : context_(context),
        width_(format.exponent + format.significand),
        format_(format),
        rounding_(context, Z3_mk_fpa_rne(context)) {}

  expr Variable(const char* name) { return context_.bv_const(name, width_); }
  expr Sign() { return z3::shl(context_.bv_val(1, width_), context_.bv_val(width_ - 1, width_)); }
  expr Value(const expr& bits) { return {context_, Z3_mk_fpa_to_fp_bv(context_, bits, Sort())}; }
  expr IsNan(const expr& bits) { return {context_, Z3_mk_fpa_is_nan(context_, Value(bits))}; }
  expr CanonicalNan() {
    // The exponent all ones and the highest bit of the fraction.
    const expr ones = context_.bv_val(-1, width_);
    const expr magnitude = z3::lshr(ones, context_.bv_val(1, width_));
    const expr below = z3::lshr(magnitude, context_.bv_val(format_.exponent + 1, width_));
    return magnitude & ~below;
  }
  expr Computed(const expr& value) {
    const expr nan(context_, Z3_mk_fpa_is_nan(context_, value));
    return z3::ite(nan, CanonicalNan(), expr(context_, Z3_mk_fpa_to_ieee_bv(context_, value)));
  }
  // Of a number that the format has.
  expr Constant(double value) {
    return {context_, Z3_mk_fpa_to_ieee_bv(context_, expr(context_, Z3_mk_fpa_numeral_double(
                                                                        context_, value, Sort())))};
  }

  expr Neg(const expr& x) { return x ^ Sign(); }
  expr Abs(const expr& x) { return x & ~Sign(); }
  expr Add(const expr& x, const expr& y) {
    return Computed({context_, Z3_mk_fpa_add(context_, rounding_, Value(x), Value(y))});
  }
  expr Sub(const expr& x, const expr& y) {
    return Computed({context_, Z3_mk_fpa_sub(context_, rounding_, Value(x), Value(y))});
  }
  expr Mul(const expr& x, const expr& y) {
    return Computed({context_, Z3_mk_fpa_mul(context_, rounding_, Value(x), Value(y))});
  }
  expr Div(const expr& x, const expr& y) {
    return Computed({context_, Z3_mk_fpa_div(context_, rounding_, Value(x), Value(y))});
  }
  expr Fma(const expr& x, const expr& y, const expr& z) {
    return Computed({context_, Z3_mk_fpa_fma(context_, rounding_, Value(x), Value(y), Value(z))});
  }
  expr Mad(const expr& x, const expr& y, const expr& z) { return Add(Mul(x, y), z); }
  expr Min(const expr& x, const expr& y) { return Chosen(x, y, x | y, Less(x, y)); }
  expr Max(const expr& x, const expr& y) { return Chosen(x, y, x & y, Less(y, x)); }
  // Comparisons and what they choose; a condition is not equal to zero, so NaN is one.
  expr Lt(const expr& x, const expr& y) { return Less(x, y); }
  expr Le(const expr& x, const expr& y) {
    return {context_, Z3_mk_fpa_leq(context_, Value(x), Value(y))};
  }
  expr Gt(const expr& x, const expr& y) {
    return {context_, Z3_mk_fpa_gt(context_, Value(x), Value(y))};
  }
  expr Ge(const expr& x, const expr& y) {
    return {context_, Z3_mk_fpa_geq(context_, Value(x), Value(y))};
  }
  expr Eq(const expr& x, const expr& y) {
    return {context_, Z3_mk_fpa_eq(context_, Value(x), Value(y))};
  }
  expr Ne(const expr& x, const expr& y) { return !Eq(x, y); }
  // The value with the NaN that is computed, if it is one.
  expr Canon(const expr& x) { return z3::ite(IsNan(x), CanonicalNan(), x); }
  // The assumption of rules for values that were computed.
  expr HasCanonicalNan(const expr& x) { return !IsNan(x) || x == CanonicalNan(); }
  expr Yes() { return context_.bool_val(true); }

 private:
  z3::sort Sort() {
    return {context_, Z3_mk_fpa_sort(context_, format_.exponent, format_.significand)};
  }
  expr Less(const expr& x, const expr& y) {
    return {context_, Z3_mk_fpa_lt(context_, Value(x), Value(y))};
  }
  expr Chosen(const expr& x, const expr& y, const expr& merged, const expr& first) {
    const expr equal(context_, Z3_mk_fpa_eq(context_, Value(x), Value(y)));
    const expr numbers = z3::ite(equal, merged, z3::ite(first, x, y));
    return z3::ite(IsNan(x), z3::ite(IsNan(y), CanonicalNan(), y), z3::ite(IsNan(y), x, numbers));
  }

  z3::context& context_;
  unsigned width_;
  Format format_;
  expr rounding_;
};

// True if the two sides differ for no operands that satisfy the assumption.
bool Holds(z3::context& context, const expr& assumption, const expr& left, const expr& right) {
  z3::solver solver(context);
  solver.add(assumption);
  solver.add(left != right);
  const z3::check_result result = solver.check();
  EXPECT_NE(result, z3::unknown);
  return result == z3::unsat;
}

struct Sides {
  expr assumption;
  expr left;
  expr right;
};

struct Rule {
  const char* text;
  Format format;
  std::function<Sides(Model&, const expr&, const expr&, const expr&)> sides;
};

#define RULE(text, format, assumption, left, right)                                              \
  {text, format,                                                                                 \
   []([[maybe_unused]] Model& m, [[maybe_unused]] const expr& x, [[maybe_unused]] const expr& y, \
      [[maybe_unused]] const expr& z) -> Sides { return {assumption, left, right}; }}

TEST(RulesProof, Floats) {
  const std::vector<Rule> rules = {
      RULE("neg neg x = x", kF32, m.Yes(), m.Neg(m.Neg(x)), x),
      RULE("abs neg x = abs x", kF32, m.Yes(), m.Abs(m.Neg(x)), m.Abs(x)),
      RULE("abs abs x = abs x", kF32, m.Yes(), m.Abs(m.Abs(x)), m.Abs(x)),
      RULE("x + y = y + x", kF8, m.Yes(), m.Add(x, y), m.Add(y, x)),
      RULE("x + neg y = x - y", kF8, m.Yes(), m.Add(x, m.Neg(y)), m.Sub(x, y)),
      RULE("x - neg y = x + y", kF8, m.Yes(), m.Sub(x, m.Neg(y)), m.Add(x, y)),
      RULE("neg x - y = neg y - x", kF8, m.Yes(), m.Sub(m.Neg(x), y), m.Sub(m.Neg(y), x)),
      RULE("min(x, y) = min(y, x)", kF32, m.Yes(), m.Min(x, y), m.Min(y, x)),
      RULE("max(x, y) = max(y, x)", kF32, m.Yes(), m.Max(x, y), m.Max(y, x)),
      RULE("min(x, x) = x, x computed", kF32, m.HasCanonicalNan(x), m.Min(x, x), x),
      RULE("max(x, x) = x, x computed", kF32, m.HasCanonicalNan(x), m.Max(x, x), x),
      RULE("x + -0 = x, x computed", kF32, m.HasCanonicalNan(x), m.Add(x, m.Constant(-0.0)), x),
      RULE("x - +0 = x, x computed", kF32, m.HasCanonicalNan(x), m.Sub(x, m.Constant(0.0)), x),
      RULE("x * 1 = x, x computed", kF32, m.HasCanonicalNan(x), m.Mul(x, m.Constant(1)), x),
      RULE("x / 1 = x, x computed", kF16, m.HasCanonicalNan(x), m.Div(x, m.Constant(1)), x),
      RULE("x * 2 = x + x", kF32, m.Yes(), m.Mul(x, m.Constant(2)), m.Add(x, x)),
      RULE("x + neg y * z = x - y * z", kF6, m.Yes(), m.Add(x, m.Mul(m.Neg(y), z)),
           m.Sub(x, m.Mul(y, z))),
      RULE("x - neg y * z = x + y * z", kF6, m.Yes(), m.Sub(x, m.Mul(m.Neg(y), z)),
           m.Add(x, m.Mul(y, z))),
      RULE("x + y / neg z = x - y / z", kF6, m.Yes(), m.Add(x, m.Div(y, m.Neg(z))),
           m.Sub(x, m.Div(y, z))),
      RULE("x - y / neg z = x + y / z", kF6, m.Yes(), m.Sub(x, m.Div(y, m.Neg(z))),
           m.Add(x, m.Div(y, z))),
      RULE("min(min(x, y), y) = min(x, y)", kF32, m.Yes(), m.Min(m.Min(x, y), y), m.Min(x, y)),
      RULE("max(max(x, y), y) = max(x, y)", kF32, m.Yes(), m.Max(m.Max(x, y), y), m.Max(x, y)),
      RULE("x * y = y * x", kF8, m.Yes(), m.Mul(x, y), m.Mul(y, x)),
      RULE("x + neg (y * z) = x + neg y * z", kF6, m.Yes(), m.Add(x, m.Neg(m.Mul(y, z))),
           m.Add(x, m.Mul(m.Neg(y), z))),
      RULE("x - neg (neg y * z) = x - y * z", kF6, m.Yes(), m.Sub(x, m.Neg(m.Mul(m.Neg(y), z))),
           m.Sub(x, m.Mul(y, z))),
      RULE("neg x * y - z = neg z - x * y", kF6, m.Yes(), m.Sub(m.Mul(m.Neg(x), y), z),
           m.Sub(m.Neg(z), m.Mul(x, y))),
      RULE("x * -2 = neg x - x", kF32, m.Yes(), m.Mul(x, m.Constant(-2)), m.Sub(m.Neg(x), x)),
      RULE("x + (neg y - y) = x - (y + y)", kF8, m.Yes(), m.Add(x, m.Sub(m.Neg(y), y)),
           m.Sub(x, m.Add(y, y))),
      RULE("neg x * neg y = x * y", kF8, m.Yes(), m.Mul(m.Neg(x), m.Neg(y)), m.Mul(x, y)),
      RULE("x * neg y = neg x * y", kF8, m.Yes(), m.Mul(x, m.Neg(y)), m.Mul(m.Neg(x), y)),
      RULE("neg x / neg y = x / y", kF8, m.Yes(), m.Div(m.Neg(x), m.Neg(y)), m.Div(x, y)),
      RULE("x / neg y = neg x / y", kF8, m.Yes(), m.Div(x, m.Neg(y)), m.Div(m.Neg(x), y)),
      RULE("fma(x, y, z) = fma(y, x, z)", kF6, m.Yes(), m.Fma(x, y, z), m.Fma(y, x, z)),
      RULE("fma(neg x, neg y, z) = fma(x, y, z)", kF6, m.Yes(), m.Fma(m.Neg(x), m.Neg(y), z),
           m.Fma(x, y, z)),
      RULE("fma(x, neg y, z) = fma(neg x, y, z)", kF6, m.Yes(), m.Fma(x, m.Neg(y), z),
           m.Fma(m.Neg(x), y, z)),
      RULE("mad(x, y, z) = mad(y, x, z)", kF6, m.Yes(), m.Mad(x, y, z), m.Mad(y, x, z)),
      RULE("mad(neg x, neg y, z) = mad(x, y, z)", kF6, m.Yes(), m.Mad(m.Neg(x), m.Neg(y), z),
           m.Mad(x, y, z)),
      RULE("mad(x, neg y, z) = mad(neg x, y, z)", kF6, m.Yes(), m.Mad(x, m.Neg(y), z),
           m.Mad(m.Neg(x), y, z)),
      // What is no computed value yet becomes one; x is any.
      RULE("x * 1 is x but for NaN", kF32, m.Yes(), m.Mul(x, m.Constant(1)), m.Canon(x)),
      RULE("x / 1 is x but for NaN", kF16, m.Yes(), m.Div(x, m.Constant(1)), m.Canon(x)),
      RULE("x + -0 is x but for NaN", kF32, m.Yes(), m.Add(x, m.Constant(-0.0)), m.Canon(x)),
      RULE("x - 0 is x but for NaN", kF32, m.Yes(), m.Sub(x, m.Constant(0.0)), m.Canon(x)),
      RULE("min(x, x) is x but for NaN", kF32, m.Yes(), m.Min(x, x), m.Canon(x)),
      RULE("max(x, x) is x but for NaN", kF32, m.Yes(), m.Max(x, x), m.Canon(x)),
      RULE("x * -1 is neg x but for NaN", kF32, m.Yes(), m.Mul(x, m.Constant(-1)),
           m.Canon(m.Neg(x))),
      RULE("neg x * y is neg (x * y) but for NaN", kF8, m.Yes(), m.Mul(m.Neg(x), y),
           m.Canon(m.Neg(m.Mul(x, y)))),
      RULE("neg x / y is neg (x / y) but for NaN", kF8, m.Yes(), m.Div(m.Neg(x), y),
           m.Canon(m.Neg(m.Div(x, y)))),
      RULE("neg x - x is neg (x + x) but for NaN", kF32, m.Yes(), m.Sub(m.Neg(x), x),
           m.Canon(m.Neg(m.Add(x, x)))),
      // The bits of a NaN are nothing to an instruction.
      RULE("NaN in +", kF8, m.Yes(), m.Add(m.Canon(x), m.Canon(y)), m.Add(x, y)),
      RULE("NaN in -", kF8, m.Yes(), m.Sub(m.Canon(x), m.Canon(y)), m.Sub(x, y)),
      RULE("NaN in *", kF8, m.Yes(), m.Mul(m.Canon(x), m.Canon(y)), m.Mul(x, y)),
      RULE("NaN in /", kF8, m.Yes(), m.Div(m.Canon(x), m.Canon(y)), m.Div(x, y)),
      RULE("NaN in fma", kF6, m.Yes(), m.Fma(m.Canon(x), m.Canon(y), m.Canon(z)), m.Fma(x, y, z)),
      RULE("NaN in mad", kF6, m.Yes(), m.Mad(m.Canon(x), m.Canon(y), m.Canon(z)), m.Mad(x, y, z)),
      RULE("NaN in min", kF32, m.Yes(), m.Min(m.Canon(x), m.Canon(y)), m.Min(x, y)),
      RULE("NaN in max", kF32, m.Yes(), m.Max(m.Canon(x), m.Canon(y)), m.Max(x, y)),
      RULE("abs (neg x * y) = abs (x * y)", kF8, m.Yes(), m.Abs(m.Mul(m.Neg(x), y)),
           m.Abs(m.Mul(x, y))),
      RULE("abs (neg x / y) = abs (x / y)", kF8, m.Yes(), m.Abs(m.Div(m.Neg(x), y)),
           m.Abs(m.Div(x, y))),
      RULE("abs (neg x - x) = abs (x + x)", kF32, m.Yes(), m.Abs(m.Sub(m.Neg(x), x)),
           m.Abs(m.Add(x, x))),
      RULE("abs (x * -1) = abs x, x computed", kF32, m.HasCanonicalNan(x),
           m.Abs(m.Mul(x, m.Constant(-1))), m.Abs(x)),
      RULE("abs (x - y) = abs (y - x)", kF8, m.Yes(), m.Abs(m.Sub(x, y)), m.Abs(m.Sub(y, x))),
      RULE("abs (neg x - y) = abs (x + y)", kF8, m.Yes(), m.Abs(m.Sub(m.Neg(x), y)),
           m.Abs(m.Add(x, y))),
      RULE("(x - y) * (x - y) = (y - x) * (y - x)", kF6, m.Yes(), m.Mul(m.Sub(x, y), m.Sub(x, y)),
           m.Mul(m.Sub(y, x), m.Sub(y, x))),
      RULE("(neg x - y) * (neg x - y) = (x + y) * (x + y)", kF6, m.Yes(),
           m.Mul(m.Sub(m.Neg(x), y), m.Sub(m.Neg(x), y)), m.Mul(m.Add(x, y), m.Add(x, y))),
      RULE("abs x * abs x = x * x", kF32, m.Yes(), m.Mul(m.Abs(x), m.Abs(x)), m.Mul(x, x)),
      RULE("fma(x, 1, y) = x + y", kF6, m.Yes(), m.Fma(x, m.Constant(1), y), m.Add(x, y)),
      RULE("mad(x, 1, y) = x + y", kF8, m.Yes(), m.Mad(x, m.Constant(1), y), m.Add(x, y)),
      RULE("fma(x, y, -0) = x * y", kF6, m.Yes(), m.Fma(x, y, m.Constant(-0.0)), m.Mul(x, y)),
      RULE("mad(x, y, -0) = x * y", kF8, m.Yes(), m.Mad(x, y, m.Constant(-0.0)), m.Mul(x, y)),
  };
  const std::vector<Rule> comparisons = {
      RULE("x > y = y < x", kF32, m.Yes(), m.Gt(x, y), m.Lt(y, x)),
      RULE("x >= y = y <= x", kF32, m.Yes(), m.Ge(x, y), m.Le(y, x)),
      RULE("x == y = y == x", kF32, m.Yes(), m.Eq(x, y), m.Eq(y, x)),
      RULE("x != y = y != x", kF32, m.Yes(), m.Ne(x, y), m.Ne(y, x)),
      RULE("not x == y = x != y", kF32, m.Yes(), !m.Eq(x, y), m.Ne(x, y)),
      RULE("neg x < neg y = y < x", kF32, m.Yes(), m.Lt(m.Neg(x), m.Neg(y)), m.Lt(y, x)),
      RULE("neg x <= neg y = y <= x", kF32, m.Yes(), m.Le(m.Neg(x), m.Neg(y)), m.Le(y, x)),
      RULE("x < neg y = y < neg x", kF32, m.Yes(), m.Lt(x, m.Neg(y)), m.Lt(y, m.Neg(x))),
      RULE("x <= neg y = y <= neg x", kF32, m.Yes(), m.Le(x, m.Neg(y)), m.Le(y, m.Neg(x))),
      RULE("neg x < y = neg y < x", kF32, m.Yes(), m.Lt(m.Neg(x), y), m.Lt(m.Neg(y), x)),
      RULE("neg x <= y = neg y <= x", kF32, m.Yes(), m.Le(m.Neg(x), y), m.Le(m.Neg(y), x)),
      RULE("neg x == neg y = x == y", kF32, m.Yes(), m.Eq(m.Neg(x), m.Neg(y)), m.Eq(x, y)),
      RULE("x == neg y = neg x == y", kF32, m.Yes(), m.Eq(x, m.Neg(y)), m.Eq(m.Neg(x), y)),
      RULE("x < -0 = x < +0", kF32, m.Yes(), m.Lt(x, m.Constant(-0.0)), m.Lt(x, m.Constant(0))),
      RULE("-0 < x = +0 < x", kF32, m.Yes(), m.Lt(m.Constant(-0.0), x), m.Lt(m.Constant(0), x)),
      RULE("x <= -0 = x <= +0", kF32, m.Yes(), m.Le(x, m.Constant(-0.0)), m.Le(x, m.Constant(0))),
      RULE("-0 <= x = +0 <= x", kF32, m.Yes(), m.Le(m.Constant(-0.0), x), m.Le(m.Constant(0), x)),
      RULE("NaN in <", kF32, m.Yes(), m.Lt(m.Canon(x), m.Canon(y)), m.Lt(x, y)),
      RULE("NaN in <=", kF32, m.Yes(), m.Le(m.Canon(x), m.Canon(y)), m.Le(x, y)),
      RULE("NaN in ==", kF32, m.Yes(), m.Eq(m.Canon(x), m.Canon(y)), m.Eq(x, y)),
      RULE("select(neg c, x, y) = select(c, x, y)", kF32, m.Yes(),
           z3::ite(m.Ne(m.Neg(z), m.Constant(0)), x, y), z3::ite(m.Ne(z, m.Constant(0)), x, y)),
      RULE("x != -0 = x != +0", kF32, m.Yes(), m.Ne(x, m.Constant(-0.0)), m.Ne(x, m.Constant(0))),
      RULE("select(c != 0, x, y) = select(c, x, y)", kF32, m.Yes(),
           z3::ite(m.Ne(z, m.Constant(0)), x, y), z3::ite(!m.Eq(z, m.Constant(0)), x, y)),
      RULE("select(a == b, x, y) = select(a != b, y, x)", kF32, m.Yes(), z3::ite(m.Eq(x, z), x, y),
           z3::ite(m.Ne(x, z), y, x)),
      RULE("select(x < y, x, y) = select(not x < y, y, x)", kF32, m.Yes(),
           z3::ite(m.Lt(x, y), x, y), z3::ite(!m.Lt(x, y), y, x)),
  };
  std::vector<Rule> all = rules;
  all.insert(all.end(), comparisons.begin(), comparisons.end());
  for (const Rule& rule : all) {
    z3::context context;
    Model model(context, rule.format);
    const Sides sides =
        rule.sides(model, model.Variable("x"), model.Variable("y"), model.Variable("z"));
    EXPECT_TRUE(Holds(context, sides.assumption, sides.left, sides.right))
        << rule.text << " in " << rule.format.name;
  }
}

// x / 2^k = x * 2^-k for every k of the rule, in f16.
TEST(RulesProof, QuotientsByPowersOfTwo) {
  for (int k = -14; k <= 14; ++k) {
    z3::context context;
    Model m(context, kF16);
    const expr x = m.Variable("x");
    EXPECT_TRUE(Holds(context, m.Yes(), m.Div(x, m.Constant(std::ldexp(1, k))),
                      m.Mul(x, m.Constant(std::ldexp(1, -k)))))
        << k;
  }
}

TEST(RulesProof, WhatIsNoRuleIsRefuted) {
  const std::vector<Rule> wrong = {
      RULE("x * 1 = x", kF32, m.Yes(), m.Mul(x, m.Constant(1)), x),
      RULE("x + 0 = x", kF32, m.HasCanonicalNan(x), m.Add(x, m.Constant(0.0)), x),
      RULE("x - -0 = x", kF32, m.HasCanonicalNan(x), m.Sub(x, m.Constant(-0.0)), x),
      RULE("x * -1 = neg x", kF32, m.HasCanonicalNan(x), m.Mul(x, m.Constant(-1)), m.Neg(x)),
      RULE("0 - x = neg x", kF32, m.Yes(), m.Sub(m.Constant(0.0), x), m.Neg(x)),
      RULE("x - x = 0", kF32, m.Yes(), m.Sub(x, x), m.Constant(0.0)),
      RULE("neg (x + x) = neg x - x", kF32, m.Yes(), m.Neg(m.Add(x, x)), m.Sub(m.Neg(x), x)),
      RULE("x + +0 is x but for NaN", kF32, m.Yes(), m.Add(x, m.Constant(0.0)), m.Canon(x)),
      RULE("fma(x, y, +0) = x * y", kF6, m.Yes(), m.Fma(x, y, m.Constant(0.0)), m.Mul(x, y)),
      RULE("fma(x, 2, y) = (x + x) + y", kF8, m.Yes(), m.Fma(x, m.Constant(2), y),
           m.Add(m.Add(x, x), y)),
      RULE("neg (x + y) is neg x - y but for NaN", kF8, m.Yes(), m.Canon(m.Neg(m.Add(x, y))),
           m.Sub(m.Neg(x), y)),
      RULE("abs x is abs (x * -1)", kF32, m.Yes(), m.Abs(m.Mul(x, m.Constant(-1))), m.Abs(x)),
      RULE("neg (neg x * y) = x * y", kF8, m.Yes(), m.Neg(m.Mul(m.Neg(x), y)), m.Mul(x, y)),
      RULE("neg (x + y) = neg x - y", kF16, m.Yes(), m.Neg(m.Add(x, y)), m.Sub(m.Neg(x), y)),
      RULE("(x + y) + z = x + (y + z)", kF8, m.Yes(), m.Add(m.Add(x, y), z), m.Add(x, m.Add(y, z))),
      RULE("fma = mad", kF8, m.Yes(), m.Fma(x, y, z), m.Mad(x, y, z)),
      RULE("not x < y = y <= x", kF32, m.Yes(), !m.Lt(x, y), m.Le(y, x)),
      RULE("min(x, x) = x", kF32, m.Yes(), m.Min(x, x), x),
      RULE("x / 3 = x * (1 / 3)", kF16, m.Yes(), m.Div(x, m.Constant(3)),
           m.Mul(x, m.Div(m.Constant(1), m.Constant(3)))),
  };
  for (const Rule& rule : wrong) {
    z3::context context;
    Model model(context, rule.format);
    const Sides sides =
        rule.sides(model, model.Variable("x"), model.Variable("y"), model.Variable("z"));
    EXPECT_FALSE(Holds(context, sides.assumption, sides.left, sides.right)) << rule.text;
  }
}

TEST(RulesProof, Integers) {
  for (unsigned width : {8U, 16U, 32U, 64U}) {
    z3::context context;
    const expr x = context.bv_const("x", width);
    const expr y = context.bv_const("y", width);
    const expr a = context.bv_const("a", width);
    const expr zero = context.bv_val(0, width);
    const expr one = context.bv_val(1, width);
    const expr ones = context.bv_val(-1, width);
    const expr smallest = z3::shl(one, context.bv_val(width - 1, width));
    const auto smaller = [](const expr& v, const expr& w) { return z3::ite(v < w, v, w); };
    const auto larger = [](const expr& v, const expr& w) { return z3::ite(v > w, v, w); };
    const auto below = [](const expr& v, const expr& w) { return z3::ite(z3::ult(v, w), v, w); };
    const auto above = [](const expr& v, const expr& w) { return z3::ite(z3::ugt(v, w), v, w); };
    const auto absolute = [&](const expr& v) { return z3::ite(v < 0, -v, v); };
    const std::vector<std::pair<expr, expr>> rules = {
        {-(-x), x},
        {~~x, x},
        {absolute(absolute(x)), absolute(x)},
        {x + zero, x},
        {x + y, y + x},
        {x + -y, x - y},
        {-x + y, y - x},
        {x - zero, x},
        {x - x, zero},
        {x - -y, x + y},
        {zero - x, -x},
        {-x - y, -y - x},
        {x * one, x},
        {x * zero, zero},
        {x / one, x},
        {z3::udiv(x, one), x},
        {z3::ite(x < x, x, x), x},
        {x & y, y & x},
        {x & x, x},
        {x & ones, x},
        {x & zero, zero},
        {x | y, y | x},
        {x | x, x},
        {x | zero, x},
        {x | ones, ones},
        {x ^ y, y ^ x},
        {x ^ zero, x},
        {x ^ x, zero},
        {(x ^ a) ^ y, x ^ (a ^ y)},
        {(x & a) & y, x & (a & y)},
        {(x | a) | y, x | (a | y)},
        {(x + a) + y, x + (a + y)},
        {(x + a) - y, x + (a - y)},
        {(x - a) + y, x + (y - a)},
        {(x - a) - y, x + (-a - y)},
        {(a - x) + y, (a + y) - x},
        {(a - x) - y, (a - y) - x},
        {x + -a, x - a},
        {z3::shl(x, zero), x},
        {z3::ashr(x, zero), x},
        {z3::lshr(x, zero), x},
        {z3::ite(z3::ult(x, y), x, y), z3::ite(z3::ult(y, x), y, x)},
        {z3::ite(x < y, x, y), z3::ite(y < x, y, x)},
        {z3::ite(x > y, x, y), z3::ite(y > x, y, x)},
        {smaller(smaller(x, y), y), smaller(x, y)},
        {larger(larger(x, y), y), larger(x, y)},
        {below(below(x, y), y), below(x, y)},
        {above(above(x, y), y), above(x, y)},
        {x > y, y < x},
        {x >= y, y <= x},
        {!(x < y), y <= x},
        {!(x <= y), y < x},
        {z3::ugt(x, y), z3::ult(y, x)},
        {z3::uge(x, y), z3::ule(y, x)},
        {!z3::ult(x, y), z3::ule(y, x)},
        {!z3::ule(x, y), z3::ult(y, x)},
        {!(x == y), x != y},
    };
    for (const auto& [left, right] : rules) {
      EXPECT_TRUE(Holds(context, context.bool_val(true), left, right)) << left << " = " << right;
    }
    // Products are hard for wide words; that this holds modulo 2^n is algebra.
    if (width == 8) {
      EXPECT_TRUE(Holds(context, context.bool_val(true), (x * a) * y, x * (a * y)));
    }
    EXPECT_FALSE(Holds(context, context.bool_val(true), absolute(-x), x));
    EXPECT_TRUE(Holds(context, context.bool_val(true), -smallest, smallest));
  }
}

}  // namespace
