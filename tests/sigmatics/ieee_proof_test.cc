// The rules of floats with two or more operands at the full width of every type, where Z3 does not
// finish with floats made of bits. They are proved from what IEEE 754 says an operation is: a case
// for NaNs, infinities and zeros, and else the exact real result, rounded. Of rounding nothing is
// used but that it is a function of the real number, symmetric in its sign, which gives no NaN and
// leaves a number of the format as it is; of the real number that bits stand for, nothing but that
// it is some number, not below 0 without the sign. Both are uninterpreted functions, so the proofs
// are as wide as the format and hold for every rounding like that.
//
// That the definition is the operation is checked against Z3's own floats, for all operands of
// small formats, with the real functions in place of the uninterpreted ones.
#include <gtest/gtest.h>
#include <z3++.h>

#include <cmath>
#include <cstring>
#include <functional>

namespace {

using z3::expr;

struct Format {
  const char* name;
  unsigned exponent;
  unsigned significand;  // with the hidden bit
};
constexpr Format kF32 = {"f32", 8, 24};

class Ieee {
 public:
  using Function = std::function<expr(const expr&)>;

  // `real`: what the bits without the sign stand for; `rounded`: the bits that a number above 0
  // is rounded to.
  Ieee(z3::context& context, const Format& format, Function real, Function rounded)
      : context_(context),
        width_(format.exponent + format.significand),
        significand_(format.significand),
        real_(std::move(real)),
        rounded_(std::move(rounded)) {}

  expr Sign(const expr& x) { return x.extract(width_ - 1, width_ - 1) == context_.bv_val(1, 1); }
  expr Magnitude(const expr& x) { return x.extract(width_ - 2, 0); }
  expr Infinity() {
    const expr ones = context_.bv_val(-1, width_ - 1);
    return z3::shl(ones, context_.bv_val(significand_ - 1, width_ - 1));
  }
  expr IsNan(const expr& x) { return z3::ugt(Magnitude(x), Infinity()); }
  expr IsInfinite(const expr& x) { return Magnitude(x) == Infinity(); }
  expr IsZero(const expr& x) { return Magnitude(x) == context_.bv_val(0, width_ - 1); }
  expr IsFinite(const expr& x) { return z3::ult(Magnitude(x), Infinity()); }
  expr Signed(const expr& negative, const expr& magnitude) {
    return z3::concat(z3::ite(negative, context_.bv_val(1, 1), context_.bv_val(0, 1)), magnitude);
  }
  expr CanonicalNan() {
    const expr quiet =
        z3::shl(context_.bv_val(1, width_ - 1), context_.bv_val(significand_ - 2, width_ - 1));
    return Signed(context_.bool_val(false), Infinity() | quiet);
  }
  expr Zero(const expr& negative) { return Signed(negative, context_.bv_val(0, width_ - 1)); }
  expr RealOf(const expr& x) {
    const expr magnitude = real_(Magnitude(x));
    return z3::ite(Sign(x), -magnitude, magnitude);
  }
  expr Rounded(const expr& exact) {
    const expr negative = exact < 0;
    return z3::ite(negative, Signed(negative, rounded_(-exact)), Signed(negative, rounded_(exact)));
  }

  // The value with the NaN that is computed, if it is one.
  expr Canon(const expr& x) { return z3::ite(IsNan(x), CanonicalNan(), x); }
  expr Abs(const expr& x) { return Signed(x != x, Magnitude(x)); }
  expr Neg(const expr& x) { return Signed(!Sign(x), Magnitude(x)); }
  expr Add(const expr& x, const expr& y) { return SumOf(x, y, Sign(y), RealOf(x) + RealOf(y)); }
  expr Sub(const expr& x, const expr& y) { return SumOf(x, y, !Sign(y), RealOf(x) - RealOf(y)); }
  expr Mul(const expr& x, const expr& y) {
    const expr negative = Sign(x) != Sign(y);
    const expr invalid = (IsInfinite(x) && IsZero(y)) || (IsZero(x) && IsInfinite(y));
    const expr exact = real_(Magnitude(x)) * real_(Magnitude(y));
    return z3::ite(IsNan(x) || IsNan(y) || invalid, CanonicalNan(),
                   z3::ite(IsInfinite(x) || IsInfinite(y), Signed(negative, Infinity()),
                           z3::ite(IsZero(x) || IsZero(y), Zero(negative),
                                   Signed(negative, rounded_(exact)))));
  }
  expr Div(const expr& x, const expr& y) {
    const expr negative = Sign(x) != Sign(y);
    const expr invalid = (IsInfinite(x) && IsInfinite(y)) || (IsZero(x) && IsZero(y));
    const expr exact = real_(Magnitude(x)) / real_(Magnitude(y));
    return z3::ite(IsNan(x) || IsNan(y) || invalid, CanonicalNan(),
                   z3::ite(IsInfinite(x) || IsZero(y), Signed(negative, Infinity()),
                           z3::ite(IsZero(x) || IsInfinite(y), Zero(negative),
                                   Signed(negative, rounded_(exact)))));
  }
  expr Fma(const expr& x, const expr& y, const expr& z) {
    const expr negative = Sign(x) != Sign(y);
    const expr infinite = IsInfinite(x) || IsInfinite(y);
    const expr invalid = (IsInfinite(x) && IsZero(y)) || (IsZero(x) && IsInfinite(y)) ||
                         (infinite && IsInfinite(z) && negative != Sign(z));
    const expr product = real_(Magnitude(x)) * real_(Magnitude(y));
    const expr exact = z3::ite(negative, -product, product) + RealOf(z);
    const expr zeros = (IsZero(x) || IsZero(y)) && IsZero(z);
    return z3::ite(
        IsNan(x) || IsNan(y) || IsNan(z) || invalid, CanonicalNan(),
        z3::ite(infinite, Signed(negative, Infinity()),
                z3::ite(IsInfinite(z), z,
                        z3::ite(exact == 0, Zero(zeros && negative && Sign(z)), Rounded(exact)))));
  }
  expr Mad(const expr& x, const expr& y, const expr& z) { return Add(Mul(x, y), z); }

 private:
  // x and y as if its sign were `negative`.
  expr SumOf(const expr& x, const expr& y, const expr& negative, const expr& exact) {
    const expr invalid = IsInfinite(x) && IsInfinite(y) && Sign(x) != negative;
    const expr zeros = IsZero(x) && IsZero(y);
    return z3::ite(
        IsNan(x) || IsNan(y) || invalid, CanonicalNan(),
        z3::ite(IsInfinite(x), x,
                z3::ite(IsInfinite(y), Signed(negative, Magnitude(y)),
                        z3::ite(exact == 0, Zero(zeros && Sign(x) && negative), Rounded(exact)))));
  }

  z3::context& context_;
  unsigned width_;
  unsigned significand_;
  Function real_;
  Function rounded_;
};

// A format with uninterpreted functions, and what is known of them.
struct Floats {
  explicit Floats(const Format& of = kF32) : format(of) {}

  Format format;
  unsigned width = format.exponent + format.significand;
  z3::context context;
  z3::func_decl real = context.function("real", context.bv_sort(width - 1), context.real_sort());
  z3::func_decl rounded =
      context.function("rounded", context.real_sort(), context.bv_sort(width - 1));
  Ieee ieee = Ieee(
      context, format, [this](const expr& bits) { return real(bits); },
      [this](const expr& value) {
        const expr bits = rounded(value);  // of some function that gives no NaN
        return z3::ite(z3::ugt(bits, ieee.Infinity()), ieee.Infinity(), bits);
      });
  expr x = context.bv_const("x", width);
  expr y = context.bv_const("y", width);
  expr z = context.bv_const("z", width);

  // Of the bits of an operand.
  void Know(z3::solver& solver, const expr& bits) {
    const expr magnitude = ieee.Magnitude(bits);
    solver.add(z3::implies(ieee.IsZero(bits), real(magnitude) == 0));
    solver.add(z3::implies(!ieee.IsZero(bits), real(magnitude) > 0));
    solver.add(z3::implies(ieee.IsFinite(bits) && !ieee.IsZero(bits),
                           rounded(real(magnitude)) == magnitude));
  }
  // Zero or a power of two. REQUIRES: f32.
  expr Constant(z3::solver& solver, double value) {
    const auto number = static_cast<float>(value);
    uint32_t bits = 0;
    static_assert(sizeof bits == sizeof number);
    std::memcpy(&bits, &number, sizeof bits);
    const expr constant = context.bv_val(bits, 32);
    int exponent = 0;
    const double part = std::frexp(std::fabs(value), &exponent);  // a power of two: 0.5
    const int power = exponent - 1;
    expr real_value = context.real_val(0);
    if (part != 0) {
      EXPECT_EQ(part, 0.5);
      const std::string large = PowerOfTwo(std::abs(power));
      real_value = context.real_val((power < 0 ? "1/" + large : large).c_str());
    }
    solver.add(real(ieee.Magnitude(constant)) == real_value);
    return constant;
  }
  static std::string PowerOfTwo(int exponent) {
    std::string digits = "1";
    for (int k = 0; k < exponent; ++k) {
      int carry = 0;
      for (size_t i = digits.size(); i-- > 0;) {
        const int digit = 2 * (digits[i] - '0') + carry;
        digits[i] = static_cast<char>('0' + digit % 10);
        carry = digit / 10;
      }
      if (carry != 0) digits.insert(digits.begin(), '1');
    }
    return digits;
  }
  expr CanonicalIfNan(const expr& bits) { return !ieee.IsNan(bits) || bits == ieee.CanonicalNan(); }
  z3::check_result Differ(z3::solver& solver, const expr& left, const expr& right) {
    for (const expr& operand : {x, y, z}) Know(solver, operand);
    solver.add(left != right);
    return solver.check();
  }
};

struct Sides {
  const char* text;
  expr left;
  expr right;
};

void ProveRules(const Format& format) {
  Floats f(format);
  Ieee& m = f.ieee;
  const expr x = f.x;
  const expr y = f.y;
  const expr z = f.z;
  const std::vector<Sides> rules = {
      {"x + y = y + x", m.Add(x, y), m.Add(y, x)},
      {"x * y = y * x", m.Mul(x, y), m.Mul(y, x)},
      {"x + neg y = x - y", m.Add(x, m.Neg(y)), m.Sub(x, y)},
      {"x - neg y = x + y", m.Sub(x, m.Neg(y)), m.Add(x, y)},
      {"neg x - y = neg y - x", m.Sub(m.Neg(x), y), m.Sub(m.Neg(y), x)},
      {"x + neg y * z = x - y * z", m.Add(x, m.Mul(m.Neg(y), z)), m.Sub(x, m.Mul(y, z))},
      {"x - neg y * z = x + y * z", m.Sub(x, m.Mul(m.Neg(y), z)), m.Add(x, m.Mul(y, z))},
      {"x + y / neg z = x - y / z", m.Add(x, m.Div(y, m.Neg(z))), m.Sub(x, m.Div(y, z))},
      {"x - y / neg z = x + y / z", m.Sub(x, m.Div(y, m.Neg(z))), m.Add(x, m.Div(y, z))},
      {"neg x * neg y = x * y", m.Mul(m.Neg(x), m.Neg(y)), m.Mul(x, y)},
      {"x * neg y = neg x * y", m.Mul(x, m.Neg(y)), m.Mul(m.Neg(x), y)},
      {"neg x / neg y = x / y", m.Div(m.Neg(x), m.Neg(y)), m.Div(x, y)},
      {"x / neg y = neg x / y", m.Div(x, m.Neg(y)), m.Div(m.Neg(x), y)},
      {"fma(x, y, z) = fma(y, x, z)", m.Fma(x, y, z), m.Fma(y, x, z)},
      {"fma(neg x, neg y, z) = fma(x, y, z)", m.Fma(m.Neg(x), m.Neg(y), z), m.Fma(x, y, z)},
      {"fma(x, neg y, z) = fma(neg x, y, z)", m.Fma(x, m.Neg(y), z), m.Fma(m.Neg(x), y, z)},
      {"mad(x, y, z) = mad(y, x, z)", m.Mad(x, y, z), m.Mad(y, x, z)},
      {"mad(neg x, neg y, z) = mad(x, y, z)", m.Mad(m.Neg(x), m.Neg(y), z), m.Mad(x, y, z)},
      {"mad(x, neg y, z) = mad(neg x, y, z)", m.Mad(x, m.Neg(y), z), m.Mad(m.Neg(x), y, z)},
      {"neg x * y is neg (x * y) but for NaN", m.Mul(m.Neg(x), y), m.Canon(m.Neg(m.Mul(x, y)))},
      {"neg x / y is neg (x / y) but for NaN", m.Div(m.Neg(x), y), m.Canon(m.Neg(m.Div(x, y)))},
      {"neg x - x is neg (x + x) but for NaN", m.Sub(m.Neg(x), x), m.Canon(m.Neg(m.Add(x, x)))},
      {"abs (neg x * y) = abs (x * y)", m.Abs(m.Mul(m.Neg(x), y)), m.Abs(m.Mul(x, y))},
      {"abs (neg x / y) = abs (x / y)", m.Abs(m.Div(m.Neg(x), y)), m.Abs(m.Div(x, y))},
      {"abs (neg x - x) = abs (x + x)", m.Abs(m.Sub(m.Neg(x), x)), m.Abs(m.Add(x, x))},
      {"abs (x - y) = abs (y - x)", m.Abs(m.Sub(x, y)), m.Abs(m.Sub(y, x))},
      {"abs (neg x - y) = abs (x + y)", m.Abs(m.Sub(m.Neg(x), y)), m.Abs(m.Add(x, y))},
      {"(x - y) * (x - y) = (y - x) * (y - x)", m.Mul(m.Sub(x, y), m.Sub(x, y)),
       m.Mul(m.Sub(y, x), m.Sub(y, x))},
      {"(neg x - y) * (neg x - y) = (x + y) * (x + y)",
       m.Mul(m.Sub(m.Neg(x), y), m.Sub(m.Neg(x), y)), m.Mul(m.Add(x, y), m.Add(x, y))},
      {"fma(x - y, x - y, z) = fma(y - x, y - x, z)", m.Fma(m.Sub(x, y), m.Sub(x, y), z),
       m.Fma(m.Sub(y, x), m.Sub(y, x), z)},
      {"abs x * abs x = x * x", m.Mul(m.Abs(x), m.Abs(x)), m.Mul(x, x)},
      {"NaN in +", m.Add(m.Canon(x), m.Canon(y)), m.Add(x, y)},
      {"NaN in -", m.Sub(m.Canon(x), m.Canon(y)), m.Sub(x, y)},
      {"NaN in *", m.Mul(m.Canon(x), m.Canon(y)), m.Mul(x, y)},
      {"NaN in /", m.Div(m.Canon(x), m.Canon(y)), m.Div(x, y)},
      {"NaN in fma", m.Fma(m.Canon(x), m.Canon(y), m.Canon(z)), m.Fma(x, y, z)},
      {"NaN in mad", m.Mad(m.Canon(x), m.Canon(y), m.Canon(z)), m.Mad(x, y, z)},
  };
  for (const Sides& rule : rules) {
    z3::solver solver(f.context);
    EXPECT_EQ(f.Differ(solver, rule.left, rule.right), z3::unsat)
        << rule.text << " in " << format.name;
  }
}

TEST(IeeeProof, RulesAtFullWidth) {
  for (const Format& format :
       {Format{"f16", 5, 11}, Format{"bf16", 8, 8}, kF32, Format{"f64", 11, 53}}) {
    ProveRules(format);
  }
}

// A conditional step of a sum or a product folds -0 or 1 where the condition does not hold.
TEST(IeeeProof, WhatChangesNothing) {
  Floats f;
  for (const bool product : {false, true}) {
    z3::solver solver(f.context);
    const expr nothing = f.Constant(solver, product ? 1.0 : -0.0);
    solver.add(f.CanonicalIfNan(f.x));
    const expr result = product ? f.ieee.Mul(f.x, nothing) : f.ieee.Add(f.x, nothing);
    EXPECT_EQ(f.Differ(solver, result, f.x), z3::unsat) << product;
  }
}

// Factors of 1 and -1, and -0 added.
TEST(IeeeProof, Units) {
  Floats f;
  Ieee& m = f.ieee;
  z3::solver solver(f.context);
  const expr x = f.x;
  const expr y = f.y;
  const expr one = f.Constant(solver, 1.0);
  const expr zero = f.Constant(solver, 0.0);
  const expr minus_one = m.Neg(one);
  const expr minus_zero = m.Neg(zero);
  const std::vector<Sides> rules = {
      {"x * 1 is x but for NaN", m.Mul(x, one), m.Canon(x)},
      {"x / 1 is x but for NaN", m.Div(x, one), m.Canon(x)},
      {"x + -0 is x but for NaN", m.Add(x, minus_zero), m.Canon(x)},
      {"x - 0 is x but for NaN", m.Sub(x, zero), m.Canon(x)},
      {"x * -1 is neg x but for NaN", m.Mul(x, minus_one), m.Canon(m.Neg(x))},
      {"fma(x, 1, y) = x + y", m.Fma(x, one, y), m.Add(x, y)},
      {"mad(x, 1, y) = x + y", m.Mad(x, one, y), m.Add(x, y)},
      {"fma(x, y, -0) = x * y", m.Fma(x, y, minus_zero), m.Mul(x, y)},
      {"mad(x, y, -0) = x * y", m.Mad(x, y, minus_zero), m.Mul(x, y)},
  };
  f.Know(solver, m.Mul(x, y));
  f.Know(solver, m.Mul(x, one));
  for (const Sides& rule : rules) {
    solver.push();
    EXPECT_EQ(f.Differ(solver, rule.left, rule.right), z3::unsat) << rule.text;
    solver.pop();
  }
  // That is no rule.
  EXPECT_NE(f.Differ(solver, m.Fma(x, y, zero), m.Mul(x, y)), z3::unsat);
}

TEST(IeeeProof, QuotientsByPowersOfTwo) {
  for (int k = -126; k <= 126; ++k) {
    Floats f;
    z3::solver solver(f.context);
    const expr power = f.Constant(solver, std::ldexp(1, k));
    const expr inverse = f.Constant(solver, std::ldexp(1, -k));
    EXPECT_EQ(f.Differ(solver, f.ieee.Div(f.x, power), f.ieee.Mul(f.x, inverse)), z3::unsat) << k;
  }
  Floats f;
  z3::solver solver(f.context);
  const expr one = f.Constant(solver, 1);
  solver.add(f.CanonicalIfNan(f.x));
  EXPECT_EQ(f.Differ(solver, f.ieee.Div(f.x, one), f.x), z3::unsat);
}

TEST(IeeeProof, WhatIsNoRuleIsNotProved) {
  Floats f;
  Ieee& m = f.ieee;
  z3::solver any(f.context);
  const expr zero = f.Constant(any, 0.0);
  const std::vector<Sides> wrong = {
      {"x + 0 = x", m.Add(f.x, zero), f.x},
      {"0 - x = neg x", m.Sub(zero, f.x), m.Neg(f.x)},
      {"x - x = 0", m.Sub(f.x, f.x), zero},
      {"neg (neg x * y) = x * y", m.Neg(m.Mul(m.Neg(f.x), f.y)), m.Mul(f.x, f.y)},
      {"x - y = y - x", m.Sub(f.x, f.y), m.Sub(f.y, f.x)},
      {"x / y = y / x", m.Div(f.x, f.y), m.Div(f.y, f.x)},
  };
  for (const Sides& rule : wrong) {
    z3::solver solver(f.context);
    solver.add(f.real(m.Magnitude(zero)) == 0);
    EXPECT_NE(f.Differ(solver, rule.left, rule.right), z3::unsat) << rule.text;
  }
}

// What the bits of a format stand for; exact.
double NumberOf(int bits, const Format& format) {
  const int fraction_bits = static_cast<int>(format.significand) - 1;
  const int magnitude = bits & ((1 << (format.exponent + format.significand - 1)) - 1);
  const bool negative = magnitude != bits;
  const int exponent = magnitude >> fraction_bits;
  const int fraction = magnitude & ((1 << fraction_bits) - 1);
  const int bias = (1 << (format.exponent - 1)) - 1;
  double number = 0;
  if (exponent == (1 << format.exponent) - 1) {
    number = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    number = std::ldexp(fraction, 1 - bias - fraction_bits);
  } else {
    number = std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  }
  return negative ? -number : number;
}

// The definition against Z3's floats: all operands of a format of 6 bits. For fma, which Z3 4.8
// evaluates wrongly where a factor is subnormal, against the machine's: in binary64 the result is
// exact, and is then rounded once.
TEST(IeeeProof, TheDefinitionIsTheOperation) {
  constexpr Format kF6 = {"f6", 3, 3};
  z3::context context;
  const expr rounding(context, Z3_mk_fpa_rne(context));
  const z3::sort sort(context, Z3_mk_fpa_sort(context, kF6.exponent, kF6.significand));
  const auto value = [&](const expr& bits) {
    return expr(context, Z3_mk_fpa_to_fp_bv(context, bits, sort));
  };
  Ieee m(
      context, kF6,
      [&](const expr& magnitude) {
        const expr bits = z3::concat(context.bv_val(0, 1), magnitude);
        return expr(context, Z3_mk_fpa_to_real(context, value(bits)));
      },
      [&](const expr& real) {
        const expr number(context, Z3_mk_fpa_to_fp_real(context, rounding, real, sort));
        return expr(context, Z3_mk_fpa_to_ieee_bv(context, number)).extract(4, 0);
      });
  const auto computed = [&](Z3_ast ast) {
    const expr number(context, ast);
    const expr nan(context, Z3_mk_fpa_is_nan(context, number));
    return z3::ite(nan, m.CanonicalNan(), expr(context, Z3_mk_fpa_to_ieee_bv(context, number)));
  };
  int compared = 0;
  const auto same = [&](const expr& defined, const expr& wanted, const char* what, int a, int b) {
    ++compared;
    const expr equal = (defined == wanted).simplify();
    ASSERT_TRUE(equal.is_true()) << what << " of " << a << " and " << b;
  };
  for (int a = 0; a < 64; ++a) {
    for (int b = 0; b < 64; ++b) {
      const expr x = context.bv_val(a, 6);
      const expr y = context.bv_val(b, 6);
      const expr u = value(x);
      const expr v = value(y);
      same(m.Add(x, y), computed(Z3_mk_fpa_add(context, rounding, u, v)), "+", a, b);
      same(m.Sub(x, y), computed(Z3_mk_fpa_sub(context, rounding, u, v)), "-", a, b);
      same(m.Mul(x, y), computed(Z3_mk_fpa_mul(context, rounding, u, v)), "*", a, b);
      same(m.Div(x, y), computed(Z3_mk_fpa_div(context, rounding, u, v)), "/", a, b);
      // Zeros, a small and a large number, an infinity and NaN, of both signs.
      for (const int c : {0, 32, 1, 45, 23, 28, 60, 31}) {
        const expr z = context.bv_val(c, 6);
        const double exact = std::fma(NumberOf(a, kF6), NumberOf(b, kF6), NumberOf(c, kF6));
        const expr wide(context,
                        Z3_mk_fpa_numeral_double(context, exact, Z3_mk_fpa_sort_double(context)));
        same(m.Fma(x, y, z), computed(Z3_mk_fpa_to_fp_float(context, rounding, wide, sort)), "fma",
             a, b);
      }
    }
  }
  EXPECT_EQ(compared, 64 * 64 * 12);
}

}  // namespace
