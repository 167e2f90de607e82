// Searching and optimising with kernels of the standard library: docs/search.md, from C++.
//
//   hologram::Executor exec;
//   const auto found = hologram::search::quantum_search(exec, std::span(data), 3.0f);
//   hologram::search::Graph graph{starts, ends, weights};
//   const auto path = hologram::search::optimal_path(exec, graph, 0, 7);
//
// The names are those of older documents; nothing here is a quantum algorithm. Kernels are found by
// exec.kernel(), which needs the standard library beside libhologram, and may be found by any
// executor. Memory is the caller's and is only read, results are new vectors.
//
// Errors are thrown as hologram::Error: NOT_FOUND without the standard library, INVALID_ARGUMENT
// where a function says so. Functions may be called by several threads at once, as far as the
// executor may. Tested by tests/capi/search_test.cc.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "hologram.hpp"

namespace hologram::search {

// No vertex.
inline constexpr std::uint32_t none = 0xffffffffu;

// The edges of vertex u lead to ends[starts[u]] up to ends[starts[u + 1] - 1]. `starts` has one
// element more than there are vertices; `weights` is empty for weights of 1. Borrowed memory.
struct Graph {
  std::span<const std::uint32_t> starts;
  std::span<const std::uint32_t> ends;
  std::span<const double> weights = {};

  // The number of vertices.
  std::uint32_t size() const { return static_cast<std::uint32_t>(starts.size() - 1); }
};

// Levels and parents of breadth-first search, `none` where no path leads; the start has no parent.
// `order` has the vertices that were reached, level by level.
struct Traversal {
  std::vector<std::uint32_t> levels;
  std::vector<std::uint32_t> parents;
  std::vector<std::uint32_t> order;
};

// Shortest paths from one vertex. If `negative_cycle` has vertices, each with an edge to the next
// and the last to the first, their weights sum to less than 0 and there are no shortest paths.
struct Paths {
  std::vector<double> distances;       // +inf where no path leads
  std::vector<std::uint32_t> parents;  // the vertex before, or none
  std::vector<std::uint32_t> negative_cycle;

  // The vertices from the start to this one; empty where no path leads.
  std::vector<std::uint32_t> path_to(std::uint32_t vertex) const {
    std::vector<std::uint32_t> path;
    if (std::isinf(distances[vertex])) return path;
    for (std::uint32_t v = vertex; v != none; v = parents[v]) path.insert(path.begin(), v);
    return path;
  }
};

// Linear constraints row_low <= sum of values * x <= row_high in compressed rows, each variable at
// most once in a row, no value 0. `integral`: not 0 for variables that are integers.
struct Rows {
  std::span<const std::uint32_t> starts;
  std::span<const std::uint32_t> columns;
  std::span<const double> values;
  std::span<const double> row_low;
  std::span<const double> row_high;
  std::span<const std::uint8_t> integral;
};

// Bounds of the variables that hold for every solution. infeasible: a constraint that no point
// within them satisfies, or -1.
struct Narrowed {
  std::vector<double> low;
  std::vector<double> high;
  std::int64_t infeasible = -1;
  std::uint32_t rounds = 0;
};

namespace detail {

// Lanes of one block, whose loops end by their data.
inline LaunchConfig one_lane() {
  LaunchConfig config;
  config.grid = {1};
  config.block = {1};
  config.budget = std::uint64_t{1} << 62;
  return config;
}

inline void check_graph(const Graph& graph, std::uint32_t vertex) {
  const std::size_t edges = graph.ends.size();
  bool good = !graph.starts.empty() && graph.starts[0] == 0 && graph.starts.back() == edges &&
              (graph.weights.empty() || graph.weights.size() == edges);
  for (std::size_t u = 0; good && u + 1 < graph.starts.size(); ++u) {
    good = graph.starts[u] <= graph.starts[u + 1];
  }
  for (std::size_t e = 0; good && e < edges; ++e) good = graph.ends[e] < graph.size();
  for (std::size_t e = 0; good && e < graph.weights.size(); ++e) {
    good = graph.weights[e] > -std::numeric_limits<double>::infinity();
  }
  if (!good || vertex >= graph.size()) {
    throw Error(HOLOGRAM_ERROR_INVALID_ARGUMENT,
                good ? "the graph has no vertex " + std::to_string(vertex)
                     : std::string("the graph is not in compressed rows"));
  }
}

}  // namespace detail

// The indices of all elements that equal `target`, rising. O(n): one read on all cores, and the few
// chunks with matches again. NaN equals nothing. Throws INVALID_ARGUMENT for 2^32 - 8193 elements
// and more.
inline std::vector<std::uint32_t> quantum_search(Executor& exec, std::span<const float> data,
                                                 float target) {
  constexpr std::uint32_t chunk = 8192;
  if (data.size() >= none - chunk) {
    throw Error(HOLOGRAM_ERROR_INVALID_ARGUMENT, "quantum_search: too many elements");
  }
  const auto n = static_cast<std::uint32_t>(data.size());
  if (n == 0) return {};
  std::vector<std::uint32_t> counts((n + chunk - 1) / chunk);
  LaunchConfig config;
  config.grid = {static_cast<std::uint32_t>(counts.size())};
  config.block = {64};
  exec.kernel("search_count_f32").launch(config, data, target, counts, n, chunk);
  std::vector<std::uint32_t> chunks;
  std::size_t matches = 0;
  for (std::uint32_t c = 0; c < counts.size(); ++c) {
    if (counts[c] != 0) chunks.push_back(c);
    matches += counts[c];
  }
  std::vector<std::uint32_t> found(matches);
  if (matches != 0) {
    exec.kernel("search_collect_f32")
        .launch(detail::one_lane(), data, target, chunks, found,
                static_cast<std::uint32_t>(chunks.size()), n, chunk);
  }
  return found;
}

// Breadth-first search, O(n + edges), on one core. Throws INVALID_ARGUMENT for a graph that is none
// and a vertex that it does not have; checking that is as long again.
inline Traversal graph_traverse_optimal(Executor& exec, const Graph& graph, std::uint32_t start) {
  detail::check_graph(graph, start);
  const std::size_t n = graph.size();
  Traversal made{std::vector(n, none), std::vector(n, none), std::vector<std::uint32_t>(n)};
  std::vector<std::uint32_t> state = {0, 1, 0};
  made.levels[start] = 0;
  made.order[0] = start;
  exec.kernel("bfs_push").launch(detail::one_lane(), graph.starts, graph.ends, made.levels,
                                 made.parents, made.order, state, graph.size());
  made.order.resize(state[1]);
  return made;
}

// Shortest paths from `start`: without negative weights Dijkstra's algorithm with a heap, O((n +
// edges) log edges), which ends early at `target` if there is one; with them that of Bellman and
// Ford, O(n * edges) at worst. Throws INVALID_ARGUMENT as graph_traverse_optimal.
inline Paths shortest_paths(Executor& exec, const Graph& graph, std::uint32_t start,
                            std::uint32_t target = none) {
  detail::check_graph(graph, start);
  const std::size_t n = graph.size();
  const std::size_t edges = graph.ends.size();
  const std::vector<double> ones(graph.weights.empty() ? edges : 0, 1.0);
  const std::span<const double> weights = graph.weights.empty() ? ones : graph.weights;
  Paths made{std::vector(n, std::numeric_limits<double>::infinity()), std::vector(n, none), {}};
  made.distances[start] = 0;
  std::vector<std::uint32_t> state(2);
  bool negative = false;
  for (const double weight : weights) negative = negative || weight < 0;
  if (!negative) {
    std::vector<double> keys(edges + 1);
    std::vector<std::uint32_t> vertices(edges + 1);
    exec.kernel("dijkstra").launch(detail::one_lane(), graph.starts, graph.ends, weights,
                                   made.distances, made.parents, keys, vertices, state, start,
                                   target);
    return made;
  }
  std::vector<std::uint32_t> queue(n), next(n), queued(n), mark(n);
  exec.kernel("bellman_ford")
      .launch(detail::one_lane(), graph.starts, graph.ends, weights, made.distances, made.parents,
              queue, next, queued, mark, state, start, graph.size());
  if (state[0] != 0) {
    std::uint32_t v = state[1];
    do {
      made.negative_cycle.insert(made.negative_cycle.begin(), v);
      v = made.parents[v];
    } while (v != state[1]);
  }
  return made;
}

// The vertices of a shortest path from `start` to `target`; empty where no path leads. Throws
// INVALID_ARGUMENT as shortest_paths, and where a cycle of negative weight can be reached.
inline std::vector<std::uint32_t> optimal_path(Executor& exec, const Graph& graph,
                                               std::uint32_t start, std::uint32_t target) {
  detail::check_graph(graph, target);
  const Paths paths = shortest_paths(exec, graph, start, target);
  if (!paths.negative_cycle.empty()) {
    throw Error(HOLOGRAM_ERROR_INVALID_ARGUMENT, "the graph has a cycle of negative weight");
  }
  return paths.path_to(target);
}

// Narrows bounds to what the constraints leave of them, at most `most` rounds of O(values) each.
// Rounding loses no solution. What is left may hold none: each constraint is looked at by itself.
// Throws INVALID_ARGUMENT for arrays whose sizes do not fit; FAULT for columns beyond the bounds.
inline Narrowed constraint_solve(Executor& exec, const Rows& rows, std::vector<double> low,
                                 std::vector<double> high, std::uint32_t most = 100) {
  const std::size_t count = rows.row_low.size();
  if (rows.starts.size() != count + 1 || rows.row_high.size() != count ||
      rows.columns.size() != rows.values.size() || high.size() != low.size() ||
      rows.integral.size() != low.size()) {
    throw Error(HOLOGRAM_ERROR_INVALID_ARGUMENT, "constraint_solve: the sizes do not fit");
  }
  Narrowed made{std::move(low), std::move(high)};
  std::vector<std::uint32_t> failed(1), done(1);
  exec.kernel("propagate_intervals")
      .launch(detail::one_lane(), rows.starts, rows.columns, rows.values, rows.row_low,
              rows.row_high, rows.integral, made.low, made.high, failed, done, most);
  made.infeasible = std::int64_t{failed[0]} - 1;
  made.rounds = done[0];
  return made;
}

}  // namespace hologram::search
