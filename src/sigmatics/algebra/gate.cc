#include "sigmatics/algebra/gate.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace hologram::sigmatics {
namespace {

RingNumber Sum(const RingNumber& a, const RingNumber& b) {
  RingNumber sum{};
  for (size_t i = 0; i < 4; ++i) sum[i] = a[i] + b[i];
  return sum;
}

// w^4 = -1.
RingNumber Times(const RingNumber& a, const RingNumber& b) {
  RingNumber product{};
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 4; ++j) {
      const int64_t term = a[i] * b[j];
      product[(i + j) % 4] += i + j < 4 ? term : -term;
    }
  }
  return product;
}

// a sqrt(2), with sqrt(2) = w - w^3.
RingNumber TimesRoot(const RingNumber& a) {
  return Times(a, {0, 1, 0, -1});
}

// a / sqrt(2) is in the ring if a sqrt(2) / 2 has whole coefficients.
bool IsDivisibleByRoot(const RingNumber& a) {
  const RingNumber doubled = TimesRoot(a);
  return std::all_of(doubled.begin(), doubled.end(), [](int64_t c) { return c % 2 == 0; });
}

void Reduce(Unitary& matrix) {
  while (matrix.k > 0 &&
         std::all_of(matrix.entries.begin(), matrix.entries.end(), IsDivisibleByRoot)) {
    for (RingNumber& entry : matrix.entries) {
      entry = TimesRoot(entry);
      for (int64_t& c : entry) c /= 2;
    }
    --matrix.k;
  }
}

constexpr RingNumber kZero = {0, 0, 0, 0};
constexpr RingNumber kOne = {1, 0, 0, 0};

// Where everything about the 192 is found once: products by a generator on the right, and how an
// element passes a T.
class Cliffords {
 public:
  Cliffords() {
    FindElements();
    FindProducts();
    FindCosets();
  }

  static constexpr Gate kAlphabet[4] = {Gate::kH, Gate::kS, Gate::kX, Gate::kZ};

  const GateWord& word(size_t index) const { return words_[index]; }
  size_t IndexOf(const Unitary& matrix) const {
    const auto found = index_.find(matrix);
    HOLOGRAM_CHECK(found != index_.end());
    return found->second;
  }
  size_t Times(size_t a, size_t b) const { return products_[a][b]; }

  // Element = A D with A one of I, H, S H and D T = T D' for some D' of the 192.
  struct Coset {
    uint8_t head;  // 0: I, 1: H, 2: S H
    size_t after;  // D'
  };
  const Coset& coset(size_t index) const { return cosets_[index]; }
  size_t head(uint8_t which) const { return heads_[which]; }

 private:
  // Breadth first, the alphabet in order: the first word found is the shortest and, among the
  // shortest, the first.
  void FindElements() {
    Add(IdentityMatrix(), {});
    for (size_t i = 0; i < matrices_.size(); ++i) {
      for (Gate gate : kAlphabet) {
        GateWord word = words_[i];
        word.push_back(gate);
        Add(Product(MatrixOf(gate), matrices_[i]), std::move(word));
      }
    }
    HOLOGRAM_CHECK(matrices_.size() == kNumCliffords);
  }

  void Add(const Unitary& matrix, GateWord word) {
    if (!index_.emplace(matrix, matrices_.size()).second) return;
    matrices_.push_back(matrix);
    words_.push_back(std::move(word));
  }

  void FindProducts() {
    for (size_t a = 0; a < kNumCliffords; ++a) {
      for (size_t b = 0; b < kNumCliffords; ++b) {
        products_[a][b] = static_cast<uint8_t>(IndexOf(Product(matrices_[a], matrices_[b])));
      }
    }
  }

  void FindCosets() {
    const Unitary h = MatrixOf(Gate::kH);
    heads_ = {0, IndexOf(h), IndexOf(Product(MatrixOf(Gate::kS), h))};
    const Unitary t = MatrixOf(Gate::kT);
    // T^-1 = T^7.
    Unitary inverse = IdentityMatrix();
    for (int i = 0; i < 7; ++i) inverse = Product(inverse, t);
    std::array<bool, kNumCliffords> done{};
    for (size_t d = 0; d < kNumCliffords; ++d) {
      const auto passed = index_.find(Product(inverse, Product(matrices_[d], t)));
      if (passed == index_.end()) continue;
      for (uint8_t which = 0; which < 3; ++which) {
        const size_t element = products_[heads_[which]][d];
        HOLOGRAM_CHECK(!done[element]);
        done[element] = true;
        cosets_[element] = {which, passed->second};
      }
    }
    HOLOGRAM_CHECK(std::all_of(done.begin(), done.end(), [](bool one) { return one; }));
  }

  std::vector<Unitary> matrices_;
  std::vector<GateWord> words_;
  std::map<Unitary, size_t> index_;
  std::array<std::array<uint8_t, kNumCliffords>, kNumCliffords> products_{};
  std::array<Coset, kNumCliffords> cosets_{};
  std::array<size_t, 3> heads_{};
};

const Cliffords& Table() {
  static const Cliffords table;
  return table;
}

}  // namespace

Unitary IdentityMatrix() {
  return {{kOne, kZero, kZero, kOne}, 0};
}

Unitary MatrixOf(Gate gate) {
  constexpr RingNumber kMinusOne = {-1, 0, 0, 0};
  constexpr RingNumber kW = {0, 1, 0, 0};
  constexpr RingNumber kImaginary = {0, 0, 1, 0};
  constexpr RingNumber kMinusImaginary = {0, 0, -1, 0};
  switch (gate) {
    case Gate::kH:
      return {{kOne, kOne, kOne, kMinusOne}, 1};
    case Gate::kS:
      return {{kOne, kZero, kZero, kImaginary}, 0};
    case Gate::kX:
      return {{kZero, kOne, kOne, kZero}, 0};
    case Gate::kZ:
      return {{kOne, kZero, kZero, kMinusOne}, 0};
    case Gate::kT:
      return {{kOne, kZero, kZero, kW}, 0};
    case Gate::kY:
      return {{kZero, kMinusImaginary, kImaginary, kZero}, 0};
    case Gate::kI:
      break;
  }
  return IdentityMatrix();
}

Unitary Product(const Unitary& a, const Unitary& b) {
  Unitary product;
  product.k = a.k + b.k;
  for (size_t row = 0; row < 2; ++row) {
    for (size_t column = 0; column < 2; ++column) {
      product.entries[2 * row + column] = Sum(Times(a.entries[2 * row], b.entries[column]),
                                              Times(a.entries[2 * row + 1], b.entries[2 + column]));
    }
  }
  Reduce(product);
  return product;
}

Unitary MatrixOf(const GateWord& word) {
  Unitary matrix = IdentityMatrix();
  for (Gate gate : word) matrix = Product(MatrixOf(gate), matrix);
  return matrix;
}

const GateWord& CliffordWord(size_t index) {
  return Table().word(index);
}

GateWord NormalForm(const GateWord& word) {
  const Cliffords& table = Table();
  // Heads of the syllables (A T), from the left of the product; the first may be a T alone.
  std::vector<uint8_t> syllables;
  size_t rest = 0;  // the Clifford element at the right end
  // The gate that acts first stands at the right of the product: append from the last.
  for (size_t i = word.size(); i-- > 0;) {
    if (word[i] != Gate::kT) {
      rest = table.Times(rest, table.IndexOf(MatrixOf(word[i])));
      continue;
    }
    const Cliffords::Coset coset = table.coset(rest);  // rest T = A T D'
    rest = coset.after;
    if (coset.head != 0 || syllables.empty()) {
      syllables.push_back(coset.head);
    } else {
      // ... A' T T D' = ... A' S D'
      const uint8_t before = syllables.back();
      syllables.pop_back();
      rest = table.Times(table.Times(table.head(before), table.IndexOf(MatrixOf(Gate::kS))), rest);
    }
  }
  GateWord normal = table.word(rest);
  for (size_t i = syllables.size(); i-- > 0;) {
    normal.push_back(Gate::kT);
    if (syllables[i] != 0) normal.push_back(Gate::kH);
    if (syllables[i] == 2) normal.push_back(Gate::kS);
  }
  return normal;
}

}  // namespace hologram::sigmatics
