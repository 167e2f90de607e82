// hologram/search.hpp against plain loops.
#include "hologram/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

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
  Search() { exec.load_standard(stdlib_hash); }
  Executor exec;
};

TEST_F(Search, AllPlaces) {
  for (const std::size_t n : {0U, 1U, 8191U, 8193U, 50'000U}) {
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
  const OwnGraph own = random_graph(500, 2, 0, 1);
  const Traversal found = graph_traverse_optimal(exec, own.view(), 0);
  const std::vector<double> expected = rounds_of(own.view(), false);
  for (std::uint32_t v = 0; v < 500; ++v) {
    EXPECT_EQ(found.levels[v] == none, std::isinf(expected[v]));
    if (found.levels[v] != none) {
      EXPECT_EQ(found.levels[v], static_cast<std::uint32_t>(expected[v]));
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
  EXPECT_GE(constraint_solve(exec, rows, {0, 0}, {10, 10}).infeasible, 0);
  EXPECT_THROW(constraint_solve(exec, rows, {0}, {10, 10}), Error);
}

}  // namespace
}  // namespace hologram::search
