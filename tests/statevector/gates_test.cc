// Matrices of the named gates: exact where they can be, related as the textbooks say, and the table
// of identities that hold exactly, up to a phase, or not.
#include "statevector/gates.h"

#include <gtest/gtest.h>

#include <numbers>
#include <sstream>

#include "dense.h"

namespace hologram::statevector {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr Amplitude kI{0, 1};

Matrix Named(std::string_view name, const std::vector<double>& parameters = {}) {
  return MatrixOf(*FindGate(name), parameters).value();
}

Matrix Product(const Matrix& a, const Matrix& b) {
  return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
          a[2] * b[1] + a[3] * b[3]};
}

Matrix Scaled(const Matrix& m, Amplitude factor) {
  return {m[0] * factor, m[1] * factor, m[2] * factor, m[3] * factor};
}

// The product of the gates as it is written: "s x sdg" applies sdg first.
Matrix Written(const std::string& text) {
  Matrix product{1, 0, 0, 1};
  std::istringstream words(text);
  for (std::string word; words >> word;) product = Product(product, Named(word));
  return product;
}

struct Identity {
  std::string left;
  std::string right;
  std::string holds;  // exact, phase or no
  Amplitude phase = 1;
};

const double kHalfRoot = std::sqrt(0.5);

// left = phase right.
const Identity kIdentities[] = {
    {"h h", "id", "exact"},
    {"x x", "id", "exact"},
    {"y y", "id", "exact"},
    {"z z", "id", "exact"},
    {"s s", "z", "exact"},
    {"t t", "s", "exact"},
    {"t t t t", "z", "exact"},
    {"t t t t t t t t", "id", "exact"},
    {"s s s s", "id", "exact"},
    {"h x h", "z", "exact"},
    {"h z h", "x", "exact"},
    {"h h h h", "id", "exact"},
    {"s x sdg", "y", "exact"},
    {"sx sx", "x", "exact"},
    {"s sdg", "id", "exact"},
    {"t tdg", "id", "exact"},
    {"sx sxdg", "id", "exact"},
    {"h y h", "y", "phase", -1},
    {"x z", "z x", "phase", -1},
    {"x y", "z", "phase", kI},
    {"z x", "y", "phase", kI},
    {"h s h s h s", "id", "phase", {kHalfRoot, kHalfRoot}},
    // What the 768-cycle has and quantum mechanics has not.
    {"h", "s", "no"},
    {"x", "y", "no"},
    {"x", "z", "no"},
    {"h h", "x", "no"},
    {"h x h", "id", "no"},
    {"h t", "t h", "no"},
    {"s x", "x s", "no"},
};

TEST(Gates, Identities) {
  for (const Identity& identity : kIdentities) {
    SCOPED_TRACE(identity.left + " = " + identity.right);
    const Matrix left = Written(identity.left);
    const Matrix right = Written(identity.right);
    const bool is_exact = dense::Distance(left, right) < 1e-15 * 4;
    const bool has_phase = dense::Distance(left, Scaled(right, identity.phase)) < 1e-15 * 4;
    EXPECT_EQ(is_exact, identity.holds == "exact");
    if (identity.holds == "no") {
      // With no phase at all: |trace of left^-1 right| is 2 if and only if there is one.
      const Amplitude trace = std::conj(left[0]) * right[0] + std::conj(left[2]) * right[2] +
                              std::conj(left[1]) * right[1] + std::conj(left[3]) * right[3];
      EXPECT_LT(std::abs(trace), 1.9);
    } else {
      EXPECT_TRUE(has_phase);
    }
    if (identity.holds == "phase") {
      EXPECT_GT(dense::Distance(left, right), 0.5);
    }
  }
}

// A phase that nobody sees alone is seen under a control.
TEST(Gates, PhasesMatterUnderControls) {
  const auto controlled = [](std::initializer_list<const char*> gates) {
    StateVector state = StateVector::Create(2).value();
    EXPECT_TRUE(ApplyGate(state, "h", {}, std::array{0U}).ok());
    for (const char* gate : gates) {
      EXPECT_TRUE(state.Apply(Named(gate), 1, std::array{0U}).ok());
    }
    EXPECT_TRUE(ApplyGate(state, "h", {}, std::array{0U}).ok());
    return state.ProbabilityOfOne(0).value();
  };
  EXPECT_NEAR(controlled({"h", "z", "h", "x"}), 0, 1e-15);  // HZH = X: X X = 1
  EXPECT_NEAR(controlled({"h", "y", "h", "y"}), 1, 1e-15);  // HYH = -Y
}

// Exactly equal, zeros and signs included: multiples of pi/4 leave no rounding errors.
TEST(Gates, MultiplesOfAnEighthTurnAreExact) {
  EXPECT_EQ(Named("rx", {kPi}), (Matrix{0, -kI, -kI, 0}));
  EXPECT_EQ(Named("ry", {kPi}), (Matrix{0, -1, 1, 0}));
  EXPECT_EQ(Named("rz", {kPi}), (Matrix{-kI, 0, 0, kI}));
  EXPECT_EQ(Named("rz", {2 * kPi}), (Matrix{-1, 0, 0, -1}));
  EXPECT_EQ(Named("rx", {-3 * kPi}), (Matrix{0, -kI, -kI, 0}));
  EXPECT_EQ(Named("u1", {kPi / 4}), Named("t"));
  EXPECT_EQ(Named("u1", {-kPi / 4}), Named("tdg"));
  EXPECT_EQ(Named("u1", {9 * kPi / 4}), Named("t"));
  EXPECT_EQ(Named("p", {kPi / 2}), Named("s"));
  EXPECT_EQ(Named("p", {-kPi / 2}), Named("sdg"));
  EXPECT_EQ(Named("u1", {kPi}), Named("z"));
  EXPECT_EQ(Named("u2", {0, kPi}), Named("h"));
  EXPECT_EQ(Named("u3", {kPi, 0, kPi}), Named("x"));
  EXPECT_EQ(Named("u3", {kPi, kPi / 2, kPi / 2}), Named("y"));
  EXPECT_EQ(Named("U", {0, 0, 1000 * kPi / 4}), (Matrix{1, 0, 0, 1}));
  EXPECT_EQ(Turn(3 * kPi / 4), Amplitude(-std::numbers::sqrt2 / 2, std::numbers::sqrt2 / 2));
}

TEST(Gates, OtherAngles) {
  for (double angle = -9; angle < 9; angle += 0.0625) {
    EXPECT_LT(std::abs(Turn(angle) - std::polar(1.0, angle)), 1e-15) << angle;
    const Amplitude half = std::polar(1.0, angle / 2);
    const Matrix u3 = Named("u3", {angle, 0.3, -1.1});
    const Matrix expected = {half.real(), -half.imag() * std::polar(1.0, -1.1),
                             half.imag() * std::polar(1.0, 0.3),
                             half.real() * std::polar(1.0, 0.3 - 1.1)};
    EXPECT_LT(dense::Distance(u3, expected), 1e-15);
    EXPECT_LT(dense::Distance(Named("cu", {angle, 0.3, -1.1, 0.7}),
                              Scaled(expected, std::polar(1.0, 0.7))),
              2e-15);
    EXPECT_LT(dense::Distance(Named("rz", {angle}), Scaled(Named("u1", {angle}), std::conj(half))),
              1e-15);
  }
}

}  // namespace
}  // namespace hologram::statevector
