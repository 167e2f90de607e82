// Constraints and annealing of search.hpp, which includes this file at its end and describes them.
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>

#include "hologram/search.hpp"

namespace hologram::search {

namespace detail {

[[noreturn]] inline void refuse(const std::string& message) {
  throw Error(HOLOGRAM_ERROR_INVALID_ARGUMENT, message);
}

inline void check_rows(const Rows& rows, const std::vector<double>& low,
                       const std::vector<double>& high) {
  const std::size_t count = rows.row_low.size();
  bool good = rows.starts.size() == count + 1 && rows.row_high.size() == count &&
              rows.columns.size() == rows.values.size() && high.size() == low.size() &&
              rows.integral.size() == low.size() && rows.starts[0] == 0 &&
              rows.starts[count] == rows.values.size();
  for (std::size_t k = 0; good && k < count; ++k) good = rows.starts[k] <= rows.starts[k + 1];
  if (!good) refuse("constraint_solve: the sizes do not fit");
  for (const std::uint32_t column : rows.columns) {
    if (column >= low.size()) {
      refuse("constraint_solve: there is no variable " + std::to_string(column));
    }
  }
}

// Least and largest sum of a row.
inline std::pair<double, double> sums_of(const Rows& rows, std::size_t row,
                                         std::span<const double> low,
                                         std::span<const double> high) {
  std::pair<double, double> ends{0, 0};
  for (std::size_t e = rows.starts[row]; e < rows.starts[row + 1]; ++e) {
    const double a = rows.values[e] * low[rows.columns[e]];
    const double b = rows.values[e] * high[rows.columns[e]];
    ends.first += std::min(a, b);
    ends.second += std::max(a, b);
  }
  return ends;
}

// Integers whose sums of products are exact, in bounds that are rounded inwards.
inline void check_integers(const Rows& rows, std::vector<double>& low, std::vector<double>& high) {
  constexpr std::size_t variables = 512;  // of kernels/search/propagate_boxes.py
  constexpr double exact = 9007199254740992;
  if (low.empty() || low.size() > variables) {
    refuse("parallel_solve: expected 1 to 512 variables, found " + std::to_string(low.size()));
  }
  double size = 0;
  for (std::size_t j = 0; j < low.size(); ++j) {
    if (!std::isfinite(low[j]) || !std::isfinite(high[j])) {
      refuse("parallel_solve: the bounds of all variables must be finite");
    }
    low[j] = std::ceil(low[j]);
    high[j] = std::floor(high[j]);
    size = std::max({size, std::abs(low[j]), std::abs(high[j])});
  }
  double sum = size;
  for (std::size_t e = 0; e < rows.values.size(); ++e) {
    const double value = rows.values[e];
    if (!(std::rint(value) == value)) refuse("parallel_solve: coefficients must be integers");
    const std::uint32_t j = rows.columns[e];
    sum += std::abs(value) * std::max(std::abs(low[j]), std::abs(high[j]));
  }
  if (!(sum < exact)) {
    refuse("parallel_solve: sums of products reach 2^53, where they are not exact");
  }
}

// Boxes, a row of variables each, that wait to be narrowed.
struct Boxes {
  std::vector<double> low;
  std::vector<double> high;
  void push(std::span<const double> from, std::span<const double> to) {
    low.insert(low.end(), from.begin(), from.end());
    high.insert(high.end(), to.begin(), to.end());
  }
};

// Takes up to 256 boxes from the end and narrows them: `failed` is not 0 for those without one.
inline Boxes take_narrowed(const Kernel& narrow, const Rows& rows,
                           std::span<const std::uint8_t> integral, Boxes& waiting,
                           std::vector<std::uint32_t>& failed) {
  constexpr std::size_t together = 256;
  constexpr std::uint32_t rounds = 20;
  const std::size_t variables = integral.size();
  const std::size_t count = std::min(together, waiting.low.size() / variables);
  const auto first = static_cast<std::ptrdiff_t>(waiting.low.size() - count * variables);
  Boxes batch{{waiting.low.begin() + first, waiting.low.end()},
              {waiting.high.begin() + first, waiting.high.end()}};
  waiting.low.resize(static_cast<std::size_t>(first));
  waiting.high.resize(static_cast<std::size_t>(first));
  failed.assign(count, 0);
  std::vector<std::uint32_t> done(count);
  LaunchConfig config = one_lane();
  config.block = {static_cast<std::uint32_t>(std::min<std::size_t>(count, 16))};
  config.grid = {static_cast<std::uint32_t>((count + 15) / 16)};
  narrow.launch(config, rows.starts, rows.columns, rows.values, rows.row_low, rows.row_high,
                integral, batch.low, batch.high, failed, done,
                static_cast<std::uint32_t>(variables), static_cast<std::uint32_t>(count), rounds);
  return batch;
}

inline bool satisfies(const Rows& rows, std::span<const double> x) {
  for (std::size_t row = 0; row < rows.row_low.size(); ++row) {
    const double sum = sums_of(rows, row, x, x).first;
    if (!(rows.row_low[row] <= sum && sum <= rows.row_high[row])) return false;
  }
  return true;
}

// Puts the halves of a box back.
inline void halve(Boxes& waiting, std::span<double> low, std::span<double> high,
                  std::size_t widest) {
  const double middle = std::floor((low[widest] + high[widest]) / 2);
  const double end = high[widest];
  const double begin = low[widest];
  low[widest] = middle + 1;
  waiting.push(low, high);
  low[widest] = begin;
  high[widest] = middle;
  waiting.push(low, high);
  high[widest] = end;
}

}  // namespace detail

inline Narrowed constraint_solve(Executor& exec, const Rows& rows, std::vector<double> low,
                                 std::vector<double> high, std::uint32_t most) {
  detail::check_rows(rows, low, high);
  Narrowed made{std::move(low), std::move(high)};
  std::vector<std::uint32_t> failed(1), done(1);
  exec.kernel("propagate_intervals")
      .launch(detail::one_lane(), rows.starts, rows.columns, rows.values, rows.row_low,
              rows.row_high, rows.integral, made.low, made.high, failed, done, most);
  made.infeasible = std::int64_t{failed[0]} - 1;
  made.rounds = done[0];
  if (failed[0] != 0) {
    std::tie(made.least, made.largest) = detail::sums_of(rows, failed[0] - 1, made.low, made.high);
  }
  return made;
}

inline Solution parallel_solve(Executor& exec, const Rows& rows, std::vector<double> low,
                               std::vector<double> high, std::uint64_t most) {
  detail::check_rows(rows, low, high);
  detail::check_integers(rows, low, high);
  const std::size_t variables = low.size();
  const std::vector<std::uint8_t> integral(variables, 1);
  const Kernel narrow = exec.kernel("propagate_boxes");
  Solution made;
  for (std::size_t j = 0; j < variables; ++j) {
    if (low[j] > high[j]) return made;
  }
  detail::Boxes waiting{std::move(low), std::move(high)};
  std::vector<std::uint32_t> failed;
  while (!waiting.low.empty()) {
    detail::Boxes batch = detail::take_narrowed(narrow, rows, integral, waiting, failed);
    made.boxes += failed.size();
    for (std::size_t k = failed.size(); k-- > 0;) {
      if (failed[k] != 0) continue;
      const std::span from = std::span(batch.low).subspan(k * variables, variables);
      const std::span to = std::span(batch.high).subspan(k * variables, variables);
      std::size_t widest = 0;
      for (std::size_t j = 1; j < variables; ++j) {
        if (to[j] - from[j] > to[widest] - from[widest]) widest = j;
      }
      if (to[widest] > from[widest]) {
        detail::halve(waiting, from, to, widest);
      } else if (detail::satisfies(rows, from)) {
        for (const double x : from) made.x.push_back(static_cast<std::int64_t>(x));
        return made;
      }
    }
    if (made.boxes >= most && !waiting.low.empty()) {
      made.proved = false;
      return made;
    }
  }
  return made;
}

inline Minimum minimize_energy(Executor& exec, const Kernel& energy, std::span<const double> start,
                               std::span<const double> data, const Annealing& how) {
  const bool finite =
      std::all_of(start.begin(), start.end(), [](double x) { return std::isfinite(x); });
  constexpr std::uint32_t most = 1u << 30;
  if (start.empty() || start.size() > 4096 || !finite) {
    detail::refuse("minimize_energy: start: expected 1 to 4096 finite numbers");
  }
  if (how.steps == 0 || how.chains == 0 || how.marks == 0 || how.steps > most || how.marks > most ||
      how.chains > most / start.size() || !(how.temperature > 0) || !(how.width > 0) ||
      !std::isfinite(how.temperature) || !std::isfinite(how.width)) {
    detail::refuse("minimize_energy: steps, chains, marks, temperature and width must be above 0");
  }
  const auto dimensions = static_cast<std::uint32_t>(start.size());
  const std::uint32_t each = std::max(how.steps / how.marks, 1u);
  const std::uint32_t steps = each * how.marks;
  const std::vector<double> given(data.empty() ? std::vector<double>{0}
                                               : std::vector<double>(data.begin(), data.end()));
  const std::size_t size = std::size_t{how.chains} * dimensions;
  std::vector<double> x(size), best(size);
  std::vector<double> level(how.chains), other(how.chains), least(how.chains), old(how.chains);
  const Kernel anneal = exec.kernel("anneal_step");
  LaunchConfig config;
  config.block = {std::min(how.chains, 16u)};
  config.grid = {(how.chains + config.block[0] - 1) / config.block[0]};
  config.budget = std::uint64_t{1} << 62;
  Minimum made;
  for (std::uint32_t step = 0; step <= steps + 1; ++step) {
    anneal.launch(config, start, x, best, level, other, least, old, how.temperature, how.width,
                  step, steps, how.seed, dimensions, how.chains);
    if (step > 0 && (step - 1) % each == 0) {
      made.history.push_back(*std::min_element(least.begin(), least.end()));
    }
    if (step == 1 && std::isnan(least[0])) {
      detail::refuse("minimize_energy: the energy is NaN at the start");
    }
    if (step <= steps) energy.launch(config, x, given, other, dimensions, how.chains);
  }
  const auto chain = std::min_element(least.begin(), least.end()) - least.begin();
  made.energy = least[static_cast<std::size_t>(chain)];
  made.x.assign(best.begin() + chain * dimensions, best.begin() + (chain + 1) * dimensions);
  return made;
}

}  // namespace hologram::search
