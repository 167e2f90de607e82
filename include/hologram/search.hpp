// Searching and optimising with kernels of the standard library: docs/search.md, from C++.
//
//   hologram::Executor exec;
//   const auto found = hologram::search::quantum_search(exec, std::span(data), 3.0f);
//   hologram::search::Graph graph{starts, ends, weights};
//   const auto path = hologram::search::optimal_path(exec, graph, 0, 7);
//   const auto low = hologram::search::minimize_energy(exec, exec.kernel("waves"), start);
//
// The names are those of older documents; nothing here is a quantum algorithm. Kernels are found by
// exec.kernel(), which needs the standard library beside libhologram, and may be found by any
// executor. Memory is the caller's and is only read, results are new vectors.
//
// Errors are thrown as hologram::Error: NOT_FOUND without the standard library, INVALID_ARGUMENT
// as a function states. Functions may be called by several threads at once, as far as the
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
// within them satisfies, or -1; then `least` and `largest` are what they let its sum be.
struct Narrowed {
  std::vector<double> low;
  std::vector<double> high;
  std::int64_t infeasible = -1;
  double least = 0;
  double largest = 0;
  std::uint32_t rounds = 0;
};

// x: a point that satisfies all constraints, empty for none. proved: whether that means that there
// is none. boxes: how many were looked at.
struct Solution {
  std::vector<std::int64_t> x;
  bool proved = true;
  std::uint64_t boxes = 0;
};

// How minimize_energy anneals: the temperature and the width of steps at first, both fall to 0;
// steps of each chain; marks: parts of the run after which `history` has an entry.
struct Annealing {
  double temperature = 1;
  double width = 1;
  std::uint32_t steps = 10'000;
  std::uint32_t chains = 32;
  std::uint32_t marks = 10;
  std::uint32_t seed = 0;
};

// The best point of all chains, its energy, and the least energy known at the start and after each
// mark. It never rises.
struct Minimum {
  std::vector<double> x;
  double energy = 0;
  std::vector<double> history;
};

// The indices of all elements that equal `target`, rising. O(n): one read on all cores, and the few
// chunks with matches again. NaN equals nothing. Throws INVALID_ARGUMENT for 2^32 - 32769 elements
// and more.
inline std::vector<std::uint32_t> quantum_search(Executor& exec, std::span<const float> data,
                                                 float target);
inline std::vector<std::uint32_t> quantum_search(Executor& exec, std::span<const double> data,
                                                 double target);
inline std::vector<std::uint32_t> quantum_search(Executor& exec, std::span<const std::int32_t> data,
                                                 std::int32_t target);
inline std::vector<std::uint32_t> quantum_search(Executor& exec, std::span<const std::int64_t> data,
                                                 std::int64_t target);

// Breadth-first search, O(n + edges): narrow levels on one core, wide ones on all, where the
// smallest vertex before becomes the parent. The result does not depend on the number of cores.
// Throws INVALID_ARGUMENT for a graph that is none and a vertex that it does not have; checking
// that is as long again.
inline Traversal graph_traverse_optimal(Executor& exec, const Graph& graph, std::uint32_t start);

// Shortest paths from `start`: without negative weights by buckets of distances, O(n + edges) where
// the largest weight is at most 128 times the smallest one, else often; or where these do not suit
// the weights Dijkstra's algorithm with a heap, O((n + edges) log edges). Both end early at
// `target` if there is one. With negative weights that of Bellman and Ford, O(n * edges) at worst.
// Throws INVALID_ARGUMENT as graph_traverse_optimal.
inline Paths shortest_paths(Executor& exec, const Graph& graph, std::uint32_t start,
                            std::uint32_t target = none);

// The vertices of a shortest path from `start` to `target`; empty where no path leads. Throws
// INVALID_ARGUMENT as shortest_paths, and where a cycle of negative weight can be reached.
inline std::vector<std::uint32_t> optimal_path(Executor& exec, const Graph& graph,
                                               std::uint32_t start, std::uint32_t target);

// Narrows bounds to what the constraints leave of them, at most `most` rounds of O(values) each.
// Rounding loses no solution. The rest may hold none: each constraint is looked at by itself.
// Throws INVALID_ARGUMENT for arrays whose sizes do not fit and columns beyond the bounds.
inline Narrowed constraint_solve(Executor& exec, const Rows& rows, std::vector<double> low,
                                 std::vector<double> high, std::uint32_t most = 100);

// An integer point within the bounds that satisfies all constraints, or a proof of none: boxes are
// narrowed, 256 side by side on all cores, and cut in half until one is a point. O(values) for a
// box and a round; the number of boxes can be exponential in the variables, so `most` limits it.
// All variables are integers; rows.integral is not read.
//
// Throws INVALID_ARGUMENT as constraint_solve, for bounds that are not finite, coefficients that
// are not integers, sums of products that reach 2^53, and 0 or more than 512 variables.
inline Solution parallel_solve(Executor& exec, const Rows& rows, std::vector<double> low,
                               std::vector<double> high, std::uint64_t most = 1'000'000);

// A low value of an energy of the caller's, by simulated annealing: chains * steps evaluations, two
// launches for a step of all chains. The result is never above the energy of the start; that it is
// the least of all is not promised. One seed gives one result.
//
// `energy` is a kernel of any file with the parameters (x f64[], data f64[], level f64[],
// dimensions u32, chains u32), launched with one lane for each chain or more: it sets level[c] to
// the energy of x[c * dimensions] up to x[(c + 1) * dimensions - 1]. `data` is handed through.
//
// Throws INVALID_ARGUMENT for a start that is empty or not finite, numbers in `how` that are not
// above 0, and an energy that is NaN at the start.
inline Minimum minimize_energy(Executor& exec, const Kernel& energy, std::span<const double> start,
                               std::span<const double> data = {}, const Annealing& how = {});

}  // namespace hologram::search

#include "hologram/detail/search_calls.hpp"
#include "hologram/detail/search_solvers.hpp"
