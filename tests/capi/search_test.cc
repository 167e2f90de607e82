// hologram/search.hpp against plain loops.
#include "hologram/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "capi_search_test_kernels.h"
#include "hologram/stdlib.hpp"

namespace hologram::search {
namespace {

struct OwnGraph {
  std::vector<std::uint32_t> starts{0};
  std::vector<std::uint32_t> ends;
  std::vector<double> weights;
  Graph view() const { return {starts, ends, weights}; }
};

// `lift` makes weights negative, but no cycle.
OwnGraph random_graph(std::uint32_t n, unsigned edges, double lift, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() % 1000 + 1) / 1000; };
  std::vector<double> up(n);
  for (double& u : up) u = lift * uniform();
  OwnGraph made;
  for (std::uint32_t u = 0; u < n; ++u) {
    for (unsigned k = 0; k < edges; ++k) {
      const auto v = static_cast<std::uint32_t>(random() % n);
      made.ends.push_back(v);
      made.weights.push_back(uniform() + up[u] - up[v]);
    }
    made.starts.push_back(static_cast<std::uint32_t>(made.ends.size()));
  }
  return made;
}

std::vector<double> rounds_of(const Graph& graph, bool weighted) {
  std::vector<double> far(graph.size(), std::numeric_limits<double>::infinity());
  far[0] = 0;
  for (std::uint32_t round = 0; round < graph.size(); ++round) {
    for (std::uint32_t u = 0; u < graph.size(); ++u) {
      for (std::uint32_t e = graph.starts[u]; e < graph.starts[u + 1]; ++e) {
        far[graph.ends[e]] =
            std::min(far[graph.ends[e]], far[u] + (weighted ? graph.weights[e] : 1.0));
      }
    }
  }
  return far;
}

class Search : public testing::Test {
 protected:
  Search() {
    exec.load_standard(stdlib_hash);
    exec.load_static(capi_search_test_kernels::bundle, capi_search_test_kernels::hash);
  }
  Executor exec;
};

TEST_F(Search, AllPlaces) {
  for (const std::size_t n : {0U, 1U, 8191U, 8193U, 32'768U, 32'769U, 50'000U}) {
    std::vector<float> data(n);
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < n; ++i) {
      data[i] = static_cast<float>(i % 97);
      if (i % 97 == 5) expected.push_back(static_cast<std::uint32_t>(i));
    }
    EXPECT_EQ(quantum_search(exec, data, 5.0F), expected);
    EXPECT_TRUE(quantum_search(exec, data, std::nanf("")).empty());
  }
  EXPECT_EQ(exec.kernel("search_count_f32").path().substr(0, 6), "native");
}

TEST_F(Search, AllTypes) {
  const std::vector<double> doubles = {0.1, 2, 0.1, -0.0, 0};
  EXPECT_EQ(quantum_search(exec, doubles, 0.1), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(quantum_search(exec, doubles, 0.0), (std::vector<std::uint32_t>{3, 4}));
  const std::vector<std::int32_t> ints = {INT32_MIN, 7, 7};
  EXPECT_EQ(quantum_search(exec, ints, INT32_MIN), (std::vector<std::uint32_t>{0}));
  const std::vector<std::int64_t> longs = {1, std::int64_t{1} << 40, 1};
  EXPECT_EQ(quantum_search(exec, longs, std::int64_t{1} << 40), (std::vector<std::uint32_t>{1}));
}

TEST_F(Search, Paths) {
  for (const double lift : {0.0, 4.0}) {
    for (const std::uint32_t n : {1U, 20U, 300U}) {
      const OwnGraph own = random_graph(n, 3, lift, n);
      const std::vector<double> expected = rounds_of(own.view(), true);
      const Paths paths = shortest_paths(exec, own.view(), 0);
      ASSERT_TRUE(paths.negative_cycle.empty());
      for (std::uint32_t v = 0; v < n; ++v) {
        if (std::isinf(expected[v])) {
          EXPECT_TRUE(paths.path_to(v).empty());
          continue;
        }
        EXPECT_NEAR(paths.distances[v], expected[v], 1e-9);
        const std::vector<std::uint32_t> path = paths.path_to(v);
        EXPECT_EQ(path.front(), 0U);
        EXPECT_EQ(path.back(), v);
        EXPECT_EQ(optimal_path(exec, own.view(), 0, v).empty(), false);
      }
    }
  }
}

TEST_F(Search, BreadthFirst) {
  // The last has levels that all cores visit.
  for (const std::uint32_t n : {1U, 60U, 500U, 3000U}) {
    const OwnGraph own = random_graph(n, n < 1000 ? 2 : 5, 0, n);
    const Traversal found = graph_traverse_optimal(exec, own.view(), 0);
    const std::vector<double> expected = rounds_of(own.view(), false);
    std::size_t reached = 0;
    for (std::uint32_t v = 0; v < n; ++v) {
      ASSERT_EQ(found.levels[v] == none, std::isinf(expected[v]));
      if (found.levels[v] == none) continue;
      ++reached;
      ASSERT_EQ(found.levels[v], static_cast<std::uint32_t>(expected[v]));
      const std::uint32_t before = found.parents[v];
      ASSERT_EQ(before == none, v == 0);
      if (v == 0) continue;
      ASSERT_EQ(found.levels[before] + 1, found.levels[v]);
      const auto first = own.ends.begin() + own.starts[before];
      const auto last = own.ends.begin() + own.starts[before + 1];
      ASSERT_NE(std::find(first, last, v), last);
    }
    ASSERT_EQ(found.order.size(), reached);
    for (std::size_t k = 1; k < reached; ++k) {
      ASSERT_LE(found.levels[found.order[k - 1]], found.levels[found.order[k]]);
    }
  }
}

TEST_F(Search, NegativeCyclesAndGraphsThatAreNone) {
  const OwnGraph ring{{0, 1, 2, 3}, {1, 2, 0}, {1, 1, -3}};
  std::vector<std::uint32_t> cycle = shortest_paths(exec, ring.view(), 0).negative_cycle;
  std::sort(cycle.begin(), cycle.end());
  EXPECT_EQ(cycle, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_THROW(optimal_path(exec, ring.view(), 0, 1), Error);
  EXPECT_THROW(shortest_paths(exec, ring.view(), 3), Error);
  const OwnGraph wrong{{0, 2, 1}, {0}, {1}};
  EXPECT_THROW(graph_traverse_optimal(exec, wrong.view(), 0), Error);
  const OwnGraph beyond{{0, 1}, {1}, {1}};
  EXPECT_THROW(graph_traverse_optimal(exec, beyond.view(), 0), Error);
}

TEST_F(Search, Constraints) {
  // x + y <= 4, x - y >= 2, from 0 to 10.
  const std::vector<std::uint32_t> starts = {0, 2, 4}, columns = {0, 1, 0, 1};
  const std::vector<double> values = {1, 1, 1, -1};
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> low = {-inf, 2};
  const std::vector<std::uint8_t> integral = {0, 0};
  std::vector<double> high = {4, inf};
  const Rows rows{starts, columns, values, low, high, integral};
  const Narrowed found = constraint_solve(exec, rows, {0, 0}, {10, 10});
  EXPECT_EQ(found.infeasible, -1);
  EXPECT_NEAR(found.low[0], 2, 1e-9);
  EXPECT_NEAR(found.high[0], 4, 1e-9);
  EXPECT_NEAR(found.high[1], 2, 1e-9);
  high[0] = 1;
  const Narrowed none_left = constraint_solve(exec, rows, {0, 0}, {10, 10});
  ASSERT_EQ(none_left.infeasible, 1);
  EXPECT_LT(none_left.largest, 2);
  EXPECT_THROW(constraint_solve(exec, rows, {0}, {10, 10}), Error);
  const std::vector<std::uint32_t> beyond = {0, 1, 0, 2};
  EXPECT_THROW(
      constraint_solve(exec, {starts, beyond, values, low, high, integral}, {0, 0}, {1, 1}), Error);
}

TEST_F(Search, IntegerPointsAgainstAllPoints) {
  std::mt19937 random(3);
  unsigned solvable = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<std::uint32_t> starts = {0}, columns;
    std::vector<double> values, low, high;
    const std::size_t lines = 1 + random() % 3;
    for (std::size_t k = 0; k < lines; ++k) {
      for (std::uint32_t j = 0; j < 3; ++j) {
        const int value = static_cast<int>(random() % 9) - 4;
        if (value == 0) continue;
        columns.push_back(j);
        values.push_back(value);
      }
      starts.push_back(static_cast<std::uint32_t>(columns.size()));
      low.push_back(static_cast<double>(random() % 16) - 8);
      high.push_back(low.back() + static_cast<double>(random() % 3));
    }
    const std::vector<std::uint8_t> integral(3);
    const Rows rows{starts, columns, values, low, high, integral};
    bool there = false;
    for (int p = 0; p < 343 && !there; ++p) {
      const std::vector<double> x = {p % 7 - 3.0, p / 7 % 7 - 3.0, p / 49 - 3.0};
      there = detail::satisfies(rows, x);
    }
    const Solution found = parallel_solve(exec, rows, {-3, -3, -3}, {3, 3, 3});
    ASSERT_TRUE(found.proved);
    ASSERT_EQ(found.x.empty(), !there);
    solvable += there;
    if (!there) continue;
    const std::vector<double> x(found.x.begin(), found.x.end());
    EXPECT_TRUE(detail::satisfies(rows, x));
  }
  EXPECT_GT(solvable, 5U);
  EXPECT_LT(solvable, 55U);
}

TEST_F(Search, IntegersThatAreRefusedOrCutOff) {
  // Twice an integer is not 1, which bounds show only where a box is nearly a point.
  const std::vector<std::uint32_t> starts = {0, 4}, columns = {0, 1, 2, 3};
  std::vector<double> values = {2, 2, -2, -2};
  const std::vector<double> one = {1};
  const std::vector<std::uint8_t> integral(4);
  const Rows rows{starts, columns, values, one, one, integral};
  const Solution none_there = parallel_solve(exec, rows, {0, 0, 0, 0}, {5, 5, 5, 5});
  EXPECT_TRUE(none_there.x.empty() && none_there.proved && none_there.boxes > 100);
  const std::vector<double> zeros(4);
  EXPECT_FALSE(parallel_solve(exec, rows, zeros, std::vector<double>(4, 1000), 50).proved);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(parallel_solve(exec, rows, zeros, std::vector<double>(4, inf)), Error);
  EXPECT_THROW(parallel_solve(exec, rows, zeros, std::vector<double>(4, 1e16)), Error);
  values[0] = 0.5;
  EXPECT_THROW(parallel_solve(exec, rows, zeros, zeros), Error);
}

TEST_F(Search, AnnealingOfAnEnergyOfTheCaller) {
  const Kernel energy = exec.kernel("waves");
  const std::vector<double> start = {3, -3}, data = {1, 2};
  for (std::uint32_t seed = 1; seed < 4; ++seed) {
    const Annealing how{.steps = 3000, .chains = 7, .marks = 30, .seed = seed};
    const Minimum found = minimize_energy(exec, energy, start, data, how);
    ASSERT_EQ(found.history.size(), 31U);
    EXPECT_TRUE(std::is_sorted(found.history.rbegin(), found.history.rend()));
    EXPECT_EQ(found.history.back(), found.energy);
    double expected = 0, at_start = 0;
    for (int k = 0; k < 2; ++k) {
      const double v = found.x[k] - data[k], w = start[k] - data[k];
      expected += v * v - std::cos(6 * v);
      at_start += w * w - std::cos(6 * w);
    }
    EXPECT_NEAR(found.energy, expected, 1e-12);
    EXPECT_NEAR(found.history[0], at_start, 1e-12);
    EXPECT_NEAR(found.energy, -2, 0.05);
    const Minimum again = minimize_energy(exec, energy, start, data, how);
    EXPECT_EQ(again.x, found.x);
  }
  EXPECT_THROW(minimize_energy(exec, energy, {}, data), Error);
  EXPECT_THROW(minimize_energy(exec, energy, start, data, {.steps = 0}), Error);
  EXPECT_THROW(minimize_energy(exec, energy, start, data, {.width = std::nan("")}), Error);
  EXPECT_THROW(minimize_energy(exec, exec.kernel("broken"), start, data), Error);
}

}  // namespace
}  // namespace hologram::search
