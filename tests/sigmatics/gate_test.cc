// Gate mode: the ring against complex numbers, the table of 192, and normal forms of every short
// word, with the reference's mistakes as counterexamples.
#include "sigmatics/algebra/gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "base/quote.h"
#include "sigmatics/canonical.h"

namespace hologram::sigmatics {
namespace {

using Complex = std::complex<double>;
using Dense = std::array<Complex, 4>;

Dense DenseOf(const Unitary& matrix) {
  Dense dense;
  for (size_t i = 0; i < 4; ++i) {
    for (int power = 0; power < 4; ++power) {
      dense[i] += std::polar(1.0, power * std::acos(-1.0) / 4) *
                  static_cast<double>(matrix.entries[i][static_cast<size_t>(power)]);
    }
    dense[i] /= std::pow(std::sqrt(2.0), matrix.k);
  }
  return dense;
}

bool Near(const Dense& a, const Dense& b) {
  double distance = 0;
  for (size_t i = 0; i < 4; ++i) distance = std::max(distance, std::abs(a[i] - b[i]));
  return distance < 1e-9;
}

Dense TimesDense(const Dense& a, const Dense& b) {
  return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
          a[2] * b[1] + a[3] * b[3]};
}

// The gates as written in any textbook, independent of the ring.
Dense Textbook(Gate gate) {
  const double r = std::sqrt(0.5);
  const Complex i(0, 1);
  switch (gate) {
    case Gate::kH:
      return {r, r, r, -r};
    case Gate::kS:
      return {1, 0, 0, i};
    case Gate::kX:
      return {0, 1, 1, 0};
    case Gate::kZ:
      return {1, 0, 0, -1};
    case Gate::kT:
      return {1, 0, 0, std::polar(1.0, std::acos(-1.0) / 4)};
    case Gate::kY:
      return {0, -i, i, 0};
    case Gate::kI:
      break;
  }
  return {1, 0, 0, 1};
}

template <class F>
void ForEachWord(const std::vector<Gate>& alphabet, size_t length, F f) {
  std::vector<size_t> digits(length, 0);
  GateWord word(length, alphabet[0]);
  while (true) {
    f(word);
    size_t i = 0;
    while (i < length && ++digits[i] == alphabet.size()) digits[i++] = 0;
    if (i == length) return;
    for (size_t k = 0; k <= i; ++k) word[k] = alphabet[digits[k]];
  }
}

const std::vector<Gate> kClifford = {Gate::kH, Gate::kS, Gate::kX, Gate::kZ};

TEST(Ring, MatricesAreTheTextbooks) {
  for (int i = 0; i < kNumGates; ++i) {
    EXPECT_TRUE(Near(DenseOf(MatrixOf(static_cast<Gate>(i))), Textbook(static_cast<Gate>(i))));
  }
  std::mt19937_64 random(1);
  for (int n = 0; n < 500; ++n) {
    GateWord word(random() % 40);
    Dense dense = {1, 0, 0, 1};
    for (Gate& gate : word) {
      gate = static_cast<Gate>(random() % kNumGates);
      dense = TimesDense(Textbook(gate), dense);
    }
    EXPECT_TRUE(Near(DenseOf(MatrixOf(word)), dense));
  }
}

TEST(Cliffords, Table) {
  std::set<Unitary> elements;
  std::map<size_t, int> lengths;
  for (size_t i = 0; i < kNumCliffords; ++i) {
    elements.insert(MatrixOf(CliffordWord(i)));
    ++lengths[CliffordWord(i).size()];
  }
  EXPECT_EQ(elements.size(), 192U);
  EXPECT_EQ(lengths.rbegin()->first, 10U);
  EXPECT_TRUE(CliffordWord(0).empty());
  // Up to phase: 24.
  std::set<std::vector<std::pair<long, long>>> up_to_phase;
  for (const Unitary& element : elements) {
    const Dense dense = DenseOf(element);
    const Complex phase =
        std::abs(dense[0]) > 0.1 ? dense[0] / std::abs(dense[0]) : dense[1] / std::abs(dense[1]);
    std::vector<std::pair<long, long>> key;
    for (const Complex& entry : dense) {
      const Complex turned = entry / phase;
      key.emplace_back(std::lround(turned.real() * 1000), std::lround(turned.imag() * 1000));
    }
    up_to_phase.insert(key);
  }
  EXPECT_EQ(up_to_phase.size(), 24U);
}

// All words up to length 6 over {H, X, Z, S, I}: same matrix, one form for each matrix, no shorter
// word and none of the same length that comes first, idempotent.
TEST(NormalForm, OfAllShortCliffordWords) {
  std::map<Unitary, GateWord> forms;
  std::map<Unitary, GateWord> best;  // found by listing words in order
  best[IdentityMatrix()] = {};
  for (size_t length = 1; length <= 6; ++length) {
    ForEachWord(kClifford, length, [&](const GateWord& word) {
      const auto [at, is_new] = best.emplace(MatrixOf(word), word);
      if (!is_new && at->second.size() == word.size() && word < at->second) at->second = word;
    });
  }
  size_t words = 0;
  for (size_t length = 1; length <= 6; ++length) {
    ForEachWord({Gate::kH, Gate::kX, Gate::kZ, Gate::kS, Gate::kI}, length,
                [&](const GateWord& word) {
                  ++words;
                  const GateWord normal = NormalForm(word);
                  const Unitary matrix = MatrixOf(word);
                  ASSERT_EQ(MatrixOf(normal), matrix);
                  ASSERT_EQ(NormalForm(normal), normal);
                  ASSERT_EQ(forms.emplace(matrix, normal).first->second, normal);
                  ASSERT_EQ(normal, best.at(matrix));
                });
  }
  EXPECT_EQ(words, 19530U);
  EXPECT_EQ(forms.size(), 137U);
}

TEST(NormalForm, OfAllShortWordsWithT) {
  std::map<Unitary, GateWord> forms;
  for (size_t length = 1; length <= 7; ++length) {
    ForEachWord({Gate::kH, Gate::kS, Gate::kT, Gate::kX}, length, [&](const GateWord& word) {
      const GateWord normal = NormalForm(word);
      const Unitary matrix = MatrixOf(word);
      ASSERT_EQ(MatrixOf(normal), matrix);
      ASSERT_EQ(NormalForm(normal), normal);
      ASSERT_EQ(forms.emplace(matrix, normal).first->second, normal);
    });
  }
  // Different matrices have different forms.
  std::set<GateWord> distinct;
  for (const auto& [matrix, form] : forms) distinct.insert(form);
  EXPECT_EQ(distinct.size(), forms.size());
  EXPECT_GT(forms.size(), 1000U);
}

TEST(NormalForm, OfLongRandomWords) {
  std::mt19937_64 random(5);
  const auto random_word = [&](size_t length, int gates) {
    GateWord word(length);
    for (Gate& gate : word) gate = static_cast<Gate>(random() % static_cast<uint64_t>(gates));
    return word;
  };
  for (int n = 0; n < 300; ++n) {
    GateWord word = random_word(60, kNumGates);
    const GateWord normal = NormalForm(word);
    ASSERT_EQ(MatrixOf(normal), MatrixOf(word));
    // A word with the inverse of another inserted has the same form.
    const GateWord detour = random_word(20, 4);
    GateWord longer(word.begin(), word.begin() + 30);
    for (int k = 0; k < 8; ++k) longer.insert(longer.end(), 8, Gate::kT);
    for (int k = 0; k < 2; ++k) longer.insert(longer.end(), detour.begin(), detour.end());
    GateWord shorter(word.begin(), word.begin() + 30);
    for (int k = 0; k < 2; ++k) shorter.insert(shorter.end(), detour.begin(), detour.end());
    ASSERT_EQ(NormalForm(longer), NormalForm(shorter));
  }
  // Linear in time, whatever the numbers would grow to.
  const GateWord huge = random_word(200'000, kNumGates);
  EXPECT_EQ(NormalForm(NormalForm(huge)), NormalForm(huge));
}

TEST(NormalForm, IdentitiesAndWhatHoldsUpToPhaseOnly) {
  const Gate h = Gate::kH;
  const Gate s = Gate::kS;
  const Gate t = Gate::kT;
  const Gate x = Gate::kX;
  const Gate y = Gate::kY;
  const Gate z = Gate::kZ;
  const GateWord none;
  const std::vector<GateWord> identities = {{h, h},
                                            {x, x},
                                            {y, y},
                                            {z, z},
                                            {Gate::kI, Gate::kI},
                                            {s, s, s, s},
                                            {h, h, h, h},
                                            {x, x, x, x},
                                            {t, t, t, t, t, t, t, t}};
  for (const GateWord& word : identities) EXPECT_EQ(NormalForm(word), none);
  EXPECT_EQ(NormalForm({s, s}), GateWord{z});
  EXPECT_EQ(NormalForm({t, t}), GateWord{s});
  EXPECT_EQ(NormalForm({t, t, t, t}), GateWord{z});
  EXPECT_EQ(NormalForm({h, x, h}), GateWord{z});
  EXPECT_EQ(NormalForm({h, z, h}), GateWord{x});
  // Exact forms keep the phase: HYH = -Y and XZ = -ZX are different.
  EXPECT_NE(NormalForm({h, y, h}), NormalForm({y}));
  EXPECT_EQ(NormalForm({h, y, h, s, s, x, s, s, x}), NormalForm({y}));
  EXPECT_NE(NormalForm({x, z}), NormalForm({z, x}));
}

std::string GateCanon(const std::string& text) {
  const Checked<Circuit> circuit = Parse(text);
  if (!circuit.ok()) return circuit.error().message;
  const Checked<Canonical> form = CanonicalForm(circuit.value(), Mode::kGate);
  return form.ok() ? Print(form.value().circuit)
                   : std::to_string(form.error().column) + ": " +
                         form.error().message.substr(0, form.error().message.find(';'));
}

const std::string kH = "copy@c05->c06 . mark@c21";

TEST(GateForm, DocumentedResults) {
  const std::string x = "mark@c21";
  EXPECT_EQ(GateCanon(kH + "." + kH), "mark@c00");
  EXPECT_EQ(GateCanon(x + "." + x), "mark@c00");
  EXPECT_EQ(GateCanon("mark@c07 . mark@c07"), "mark@c42");
  EXPECT_EQ(GateCanon(kH + "." + x + "." + kH), "mark@c42");
  EXPECT_EQ(GateCanon(kH + ". mark@c42 . " + kH), x);
  EXPECT_EQ(GateCanon("(" + kH + "." + x + ") . ((" + kH + "))"), "mark@c42");
  EXPECT_EQ(GateCanon(kH + "." + kH + "||" + x), "mark@c00 || mark@c21");
  EXPECT_EQ(GateCanon("mark@c00 . mark@c21"), x);
  EXPECT_EQ(GateCanon("R+0@(mark@c03 . mark@c03)"), "mark@c07");
  EXPECT_EQ(GateCanon("R+1@(R+3@(mark@c21 . mark@c21 || mark@c07))"), "mark@c00 || mark@c07");
  EXPECT_EQ(GateCanon("mark@c22^-1 . mark@c21"), "mark@c00");  // class 21 after the transform
}

// What the old matcher rewrote without looking at gates or classes. The first lost a gate.
TEST(GateForm, OldMistakesAreCaught) {
  EXPECT_EQ(GateCanon(kH + ". mark@c21"), "copy@c05->c06 . mark@c21 . mark@c21");
  EXPECT_EQ(GateCanon("copy@c05->c09 . mark@c21 . copy@c05->c33 . mark@c21"),
            "1: gate mode: copy@c05->c09 is no gate");
  EXPECT_EQ(GateCanon("mark@c21^+1 . mark@c21~"), "1: gate mode: mark@c22 is no gate");
  EXPECT_EQ(GateCanon("R+1@ (mark@c21 . mark@c21)"), "7: gate mode: mark@c45 is no gate");
  EXPECT_EQ(GateCanon("copy@c05->c06 . mark@c42 . copy@c05->c06 . mark@c21"),
            "1: gate mode: copy@c05->c06 is no gate");
  EXPECT_EQ(GateCanon("mark@c21@3"), "1: gate mode: mark@c21@3 is no gate");
  EXPECT_EQ(GateCanon("mark@c21 . (mark@c21 || mark@c42)"),
            "12: gate mode: || separates wires, so it stands at the top only");
  EXPECT_EQ(GateCanon("(f32 c00) -> (f32 c00) over n mark@c00"),
            "1: gate mode: a circuit of gates has no header");
}

// The rules as they were first used: on marks and copies instead of gates, so that X X = I takes
// the second half of an H with it. The checks of this file would not let it pass.
std::vector<int> RewrittenWithoutDecoding(std::vector<int> word) {
  struct OldRule {
    std::vector<int> left;
    int right;
  };
  const std::vector<OldRule> rules = {{{5, 21, 21, 5, 21}, 42},
                                      {{5, 21, 5, 21}, 0},
                                      {{21, 21}, 0},
                                      {{42, 42}, 0},
                                      {{7, 7}, 42},
                                      {{0, 0}, 0}};
  for (bool changed = true; changed;) {
    changed = false;
    for (const OldRule& rule : rules) {
      const auto at = std::search(word.begin(), word.end(), rule.left.begin(), rule.left.end());
      if (at == word.end()) continue;
      *at = rule.right;
      word.erase(at + 1, at + static_cast<ptrdiff_t>(rule.left.size()));
      changed = true;
      break;
    }
  }
  return word;
}

TEST(GateForm, RewritingWithoutDecodingDestroysGates) {
  const std::map<Gate, std::vector<int>> codes = {
      {Gate::kH, {5, 21}}, {Gate::kX, {21}}, {Gate::kZ, {42}}, {Gate::kS, {7}}, {Gate::kI, {0}}};
  size_t destroyed = 0;
  for (size_t length = 1; length <= 6; ++length) {
    ForEachWord({Gate::kH, Gate::kX, Gate::kZ, Gate::kS, Gate::kI}, length,
                [&](const GateWord& word) {
                  std::vector<int> code;
                  for (Gate gate : word) {
                    code.insert(code.end(), codes.at(gate).begin(), codes.at(gate).end());
                  }
                  // A copy (5) that no mark 21 follows is no gate.
                  const std::vector<int> result = RewrittenWithoutDecoding(code);
                  bool is_word = true;
                  for (size_t i = 0; i < result.size(); ++i) {
                    if (result[i] != 5) continue;
                    is_word &= i + 1 < result.size() && result[i + 1] == 21;
                  }
                  destroyed += is_word ? 0 : 1;
                });
  }
  EXPECT_EQ(destroyed, 2574U);  // of 19,530
}

// gate_examples.txt: where the reference kept the meaning, the form means the same as its result;
// where it did not, the form means the same as the word, or the word is refused.
TEST(GateForm, Examples) {
  std::ifstream file(std::string(HOLOGRAM_TEST_DIR) + "/gate_examples.txt");
  int cases = 0;
  int compared = 0;
  int documented = 0;
  std::string text;
  std::string reference;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    if (line.starts_with("expr ")) {
      size_t position = 0;
      std::string error;
      ASSERT_TRUE(Unquote(line.substr(5), &position, &text, &error));
      ++cases;
      continue;
    }
    if (line.starts_with("reference ")) {
      reference = line.substr(10);
      continue;
    }
    SCOPED_TRACE(text);
    const Checked<Canonical> form = CanonicalForm(Parse(text).value(), Mode::kGate);
    if (!form.ok()) continue;
    const Canonical& canonical = form.value();
    if (reference == "1 Mark:0" || reference == "1 Mark:42" || reference == "1 Mark:0 Mark:0") {
      ++compared;
      std::string found = "1";
      for (const Call& call : canonical.calls) {
        found += " Mark:" + std::to_string(call.destination.sigil.base.index());
      }
      EXPECT_EQ(found, reference);
      const std::string counts = "operations " + std::to_string(canonical.original_operations) +
                                 " " + std::to_string(canonical.canonical_operations);
      documented += counts == line ? 1 : 0;
    }
    EXPECT_EQ(GateCanon(Print(canonical.circuit)), Print(canonical.circuit));
  }
  EXPECT_EQ(cases, 22);
  EXPECT_EQ(compared, 12);
  EXPECT_GE(documented, 11);  // the other counts a group as one
}

// Through text: the form of every word over {H, X, Z, S, I} up to length 4 decodes to the same
// matrix.
TEST(GateForm, TextOfAllShortWords) {
  const std::map<Gate, std::string> texts = {{Gate::kH, kH},
                                             {Gate::kX, "mark@c21"},
                                             {Gate::kZ, "mark@c42"},
                                             {Gate::kS, "mark@c07"},
                                             {Gate::kI, "mark@c00"}};
  std::map<Unitary, std::string> forms;
  for (size_t length = 1; length <= 4; ++length) {
    ForEachWord({Gate::kH, Gate::kX, Gate::kZ, Gate::kS, Gate::kI}, length,
                [&](const GateWord& word) {
                  std::string text;
                  for (Gate gate : word) text += (text.empty() ? "" : " . ") + texts.at(gate);
                  const std::string form = GateCanon(text);
                  ASSERT_EQ(forms.emplace(MatrixOf(word), form).first->second, form) << text;
                  ASSERT_EQ(GateCanon(form), form);
                });
  }
  std::set<std::string> distinct;
  for (const auto& [matrix, form] : forms) distinct.insert(form);
  EXPECT_EQ(distinct.size(), forms.size());
}

}  // namespace
}  // namespace hologram::sigmatics
