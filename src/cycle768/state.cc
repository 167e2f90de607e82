#include "cycle768/state.h"

#include <algorithm>

#include "cycle768/position.h"

namespace hologram::cycle768 {

Checked<State> State::Create(std::span<const int64_t> positions) {
  std::vector<uint32_t> checked;
  for (const int64_t position : positions) {
    if (position < 0 || position >= int64_t{kPositions}) return PositionError(position);
    checked.push_back(static_cast<uint32_t>(position));
  }
  return State(std::move(checked));
}

Outcome State::CheckIndices(std::span<const uint64_t> indices) const {
  for (size_t k = 0; k < indices.size(); ++k) {
    if (indices[k] >= size()) return IndexError(indices[k], size());
    if (std::find(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(k), indices[k]) !=
        indices.begin() + static_cast<std::ptrdiff_t>(k)) {
      return RepeatedError(indices[k]);
    }
  }
  return Done{};
}

Checked<uint32_t> State::Position(uint64_t index) const {
  if (index >= size()) return IndexError(index, size());
  return positions_[index];
}

uint32_t State::SumOf(const Constraint& constraint) const {
  uint32_t sum = 0;
  for (size_t k = 0; k < constraint.indices.size(); ++k) {
    const int64_t factor = Reduce(constraint.coefficients[k]);
    sum = Reduce(sum + factor * positions_[constraint.indices[k]]);
  }
  return sum;
}

Checked<Constraint> State::Checking(std::span<const uint64_t> indices,
                                    std::span<const int64_t> coefficients, int64_t sum) const {
  if (sum < 0 || sum >= int64_t{kPositions}) return SumError(sum);
  if (indices.empty()) return TooFewError("a constraint", 0, 1);
  if (indices.size() != coefficients.size()) {
    return Error{ErrorKind::kCoefficientCount, static_cast<int64_t>(coefficients.size()),
                 static_cast<int64_t>(indices.size()),
                 std::to_string(coefficients.size()) + " coefficients for " +
                     std::to_string(indices.size()) + " elements"};
  }
  if (const Outcome checked = CheckIndices(indices); !checked.ok()) return checked.error();
  return Constraint{{indices.begin(), indices.end()},
                    {coefficients.begin(), coefficients.end()},
                    static_cast<uint32_t>(sum)};
}

Outcome State::Constrain(std::span<const uint64_t> indices, std::span<const int64_t> coefficients,
                         int64_t sum) {
  Checked<Constraint> made = Checking(indices, coefficients, sum);
  if (!made.ok()) return made.error();
  if (const uint32_t actual = SumOf(made.value()); actual != made.value().sum) {
    return ViolatedError(actual, made.value().sum);
  }
  constraints_.push_back(std::move(made).value());
  return Done{};
}

System State::SystemOf() const {
  System system;
  system.rows = static_cast<uint32_t>(constraints_.size());
  system.columns = size();
  system.matrix.assign(size_t{system.rows} * system.columns, 0);
  for (size_t r = 0; r < constraints_.size(); ++r) {
    const Constraint& constraint = constraints_[r];
    for (size_t k = 0; k < constraint.indices.size(); ++k) {
      system.matrix[r * size() + constraint.indices[k]] = Reduce(constraint.coefficients[k]);
    }
    system.right.push_back(constraint.sum);
  }
  return system;
}

Solutions State::Admitted() const {
  Solved solved = Solve(SystemOf());
  HOLOGRAM_CHECK(solved.solutions.has_value());  // the positions are one
  return *std::move(solved.solutions);
}

namespace {

Error NoSolution() {
  return {ErrorKind::kNoSolution, 0, 0, "no positions satisfy all constraints then"};
}

// Solves for the moves that make the system hold. `fixed` elements do not move.
std::optional<std::vector<uint32_t>> Moves(System system, std::span<const uint32_t> positions,
                                           const std::vector<bool>& fixed) {
  for (uint32_t r = 0; r < system.rows; ++r) {
    for (uint32_t j = 0; j < system.columns; ++j) {
      uint32_t& entry = system.matrix[size_t{r} * system.columns + j];
      system.right[r] = Reduce(system.right[r] - int64_t{entry} * positions[j]);
      if (fixed[j]) entry = 0;
    }
  }
  Solved solved = Solve(system);
  if (!solved.solutions) return std::nullopt;
  std::vector<uint32_t> moves = std::move(solved.solutions->particular);
  for (uint32_t j = 0; j < system.columns; ++j) {
    if (fixed[j]) moves[j] = 0;
  }
  return moves;
}

}  // namespace

// One other element follows if one can, the lowest; else any may.
Outcome State::MoveTo(uint64_t index, uint32_t position) {
  std::vector<uint32_t> moved = positions_;
  moved[index] = position;
  const System system = SystemOf();
  const auto accept = [&](const std::vector<bool>& fixed) {
    const auto moves = Moves(system, moved, fixed);
    if (!moves) return false;
    for (uint32_t j = 0; j < size(); ++j) positions_[j] = Reduce(int64_t{moved[j]} + (*moves)[j]);
    return true;
  };
  std::vector<bool> fixed(size(), true);
  if (accept(fixed)) return Done{};
  for (uint32_t j = 0; j < size(); ++j) {
    if (j == index) continue;
    fixed[j] = false;
    if (accept(fixed)) return Done{};
    fixed[j] = true;
  }
  fixed.assign(size(), false);
  fixed[index] = true;
  if (accept(fixed)) return Done{};
  return NoSolution();
}

Outcome State::Impose(std::span<const uint64_t> indices, std::span<const int64_t> coefficients,
                      int64_t sum) {
  Checked<Constraint> made = Checking(indices, coefficients, sum);
  if (!made.ok()) return made.error();
  constraints_.push_back(std::move(made).value());
  const auto moves = Moves(SystemOf(), positions_, std::vector<bool>(size(), false));
  if (!moves) {
    constraints_.pop_back();
    return NoSolution();
  }
  for (uint32_t j = 0; j < size(); ++j)
    positions_[j] = Reduce(int64_t{positions_[j]} + (*moves)[j]);
  return Done{};
}

Outcome State::Free(std::span<const uint64_t> indices) {
  if (const Outcome checked = CheckIndices(indices); !checked.ok()) return checked.error();
  std::erase_if(constraints_, [&](const Constraint& constraint) {
    return std::any_of(indices.begin(), indices.end(), [&](uint64_t index) {
      return std::find(constraint.indices.begin(), constraint.indices.end(), index) !=
             constraint.indices.end();
    });
  });
  return Done{};
}

Outcome State::Set(uint64_t index, int64_t position) {
  if (index >= size()) return IndexError(index, size());
  if (position < 0 || position >= int64_t{kPositions}) return PositionError(position);
  return MoveTo(index, static_cast<uint32_t>(position));
}

Outcome State::Advance(uint64_t index, int64_t by) {
  if (index >= size()) return IndexError(index, size());
  return MoveTo(index, Reduce(int64_t{positions_[index]} + Reduce(by)));
}

Outcome State::Gate(char gate, uint64_t index) {
  const Checked<uint32_t> by = AdvanceOf(gate);
  if (!by.ok()) return by.error();
  return Advance(index, by.value());
}

bool State::AllRead1(std::span<const uint64_t> controls) const {
  return std::all_of(controls.begin(), controls.end(),
                     [&](uint64_t index) { return ValueOf(positions_[index]) == 1; });
}

// The sums of constraints change by what the elements have moved.
void State::Follow(std::span<const uint32_t> before) {
  for (Constraint& constraint : constraints_) {
    for (size_t k = 0; k < constraint.indices.size(); ++k) {
      const uint32_t index = constraint.indices[k];
      const int64_t moved = int64_t{positions_[index]} - before[index];
      constraint.sum = Reduce(constraint.sum + Reduce(constraint.coefficients[k]) * moved);
    }
  }
}

Outcome State::Not(std::span<const uint64_t> controls, uint64_t target) {
  std::vector<uint64_t> operands(controls.begin(), controls.end());
  operands.push_back(target);
  if (const Outcome checked = CheckIndices(operands); !checked.ok()) return checked.error();
  if (!AllRead1(controls)) return Done{};
  const std::vector<uint32_t> before = positions_;
  positions_[target] = Reduce(int64_t{positions_[target]} + kHalf);
  Follow(before);
  return Done{};
}

Outcome State::Swap(std::span<const uint64_t> controls, uint64_t a, uint64_t b) {
  std::vector<uint64_t> operands(controls.begin(), controls.end());
  operands.insert(operands.end(), {a, b});
  if (const Outcome checked = CheckIndices(operands); !checked.ok()) return checked.error();
  if (!AllRead1(controls)) return Done{};
  const std::vector<uint32_t> before = positions_;
  std::swap(positions_[a], positions_[b]);
  Follow(before);
  return Done{};
}

Checked<std::vector<uint32_t>> State::Measure(std::span<const uint64_t> indices) {
  if (indices.empty()) return TooFewError("a measurement", 0, 1);
  if (const Outcome checked = CheckIndices(indices); !checked.ok()) return checked.error();
  std::vector<uint32_t> found;
  for (const uint64_t index : indices) found.push_back(positions_[index]);
  // Where each element goes; size() for those that are measured.
  std::vector<uint32_t> place(size(), size());
  std::vector<uint32_t> kept;
  for (uint32_t j = 0; j < size(); ++j) {
    if (std::find(indices.begin(), indices.end(), j) != indices.end()) continue;
    place[j] = static_cast<uint32_t>(kept.size());
    kept.push_back(positions_[j]);
  }
  for (Constraint& constraint : constraints_) {
    Constraint left;
    left.sum = constraint.sum;
    for (size_t k = 0; k < constraint.indices.size(); ++k) {
      const uint32_t index = constraint.indices[k];
      const int64_t factor = constraint.coefficients[k];
      if (place[index] == size()) {
        left.sum = Reduce(left.sum - int64_t{Reduce(factor)} * positions_[index]);
      } else {
        left.indices.push_back(place[index]);
        left.coefficients.push_back(factor);
      }
    }
    constraint = std::move(left);
  }
  std::erase_if(constraints_, [](const Constraint& left) { return left.indices.empty(); });
  positions_ = std::move(kept);
  return found;
}

namespace {

State Made(std::span<const int64_t> positions, std::span<const int64_t> coefficients, int64_t sum) {
  Checked<State> state = State::Create(positions);
  std::vector<uint64_t> all(positions.size());
  for (size_t k = 0; k < all.size(); ++k) all[k] = k;
  HOLOGRAM_CHECK(state.value().Constrain(all, coefficients, sum).ok());
  return std::move(state).value();
}

}  // namespace

State BellPair(Bell which) {
  const bool plus = which == Bell::kPhiPlus || which == Bell::kPsiPlus;
  const bool phi = which == Bell::kPhiPlus || which == Bell::kPhiMinus;
  const int64_t first = plus ? 192 : 576;
  const int64_t second = plus == phi ? 0 : 384;
  return Made(std::vector<int64_t>{first, second}, std::vector<int64_t>{1, 1}, phi ? 192 : 576);
}

Checked<State> GhzChain(uint64_t size) {
  if (size < 2) return TooFewError("a GHZ configuration", size, 2);
  std::vector<int64_t> positions(size, 0);
  positions[0] = 192;
  return Made(positions, std::vector<int64_t>(size, 1), 192);
}

State WTriple() {
  return Made(std::vector<int64_t>{384, 0, 0}, std::vector<int64_t>{1, 5, 7}, 384);
}

}  // namespace hologram::cycle768
