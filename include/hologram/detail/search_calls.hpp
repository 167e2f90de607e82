// Searches of search.hpp, which includes this file at its end and describes them.
#pragma once

#include <algorithm>

#include "hologram/search.hpp"

namespace hologram::search {

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

// `suffix` is that of the kernels for T.
template <class T>
std::vector<std::uint32_t> places(Executor& exec, std::span<const T> data, T target,
                                  const std::string& suffix) {
  constexpr std::uint32_t chunk = 8192;
  constexpr std::uint32_t block = 4 * chunk;
  if (data.size() >= none - block) {
    throw Error(HOLOGRAM_ERROR_INVALID_ARGUMENT, "quantum_search: too many elements");
  }
  const auto n = static_cast<std::uint32_t>(data.size());
  if (n == 0) return {};
  std::vector<std::uint32_t> counts((n + chunk - 1) / chunk);
  LaunchConfig config;
  config.grid = {(n + block - 1) / block};
  config.block = {64};
  exec.kernel("search_count_" + suffix).launch(config, data, target, counts, n, chunk);
  std::vector<std::uint32_t> chunks;
  std::size_t matches = 0;
  for (std::uint32_t c = 0; c < counts.size(); ++c) {
    if (counts[c] != 0) chunks.push_back(c);
    matches += counts[c];
  }
  std::vector<std::uint32_t> found(matches);
  if (matches != 0) {
    exec.kernel("search_collect_" + suffix)
        .launch(one_lane(), data, target, chunks, found, static_cast<std::uint32_t>(chunks.size()),
                n, chunk);
  }
  return found;
}

inline std::pair<double, double> range_of(std::span<const double> weights) {
  if (weights.empty()) return {0, 0};
  const auto [least, largest] = std::minmax_element(weights.begin(), weights.end());
  return {*least, *largest};
}

// Shortest paths by buckets of distances, as hologram.search of Python has them. False where that
// does not suit the weights; `made` is as it was then.
inline bool by_buckets(Executor& exec, const Graph& graph, std::span<const double> weights,
                       std::pair<double, double> range, std::uint32_t start, std::uint32_t target,
                       Paths& made) {
  constexpr double most = 128;
  const double width = std::max(range.first, range.second / most);
  if (!(width > 1e-290 && range.second <= most * width) || std::isinf(width)) return false;
  std::uint32_t buckets = 4;
  while (buckets - 2 < range.second / width) buckets *= 2;
  const std::size_t room = weights.size() + 2;
  std::vector<std::uint32_t> done(graph.size()), first(buckets, none), vertex(room), next(room);
  first[0] = 0;
  vertex[0] = start;
  next[0] = none;
  std::vector<std::uint32_t> state(2);
  exec.kernel("bucket_paths")
      .launch(one_lane(), graph.starts, graph.ends, weights, made.distances, made.parents, done,
              first, vertex, next, state, target, 1 / width, std::uint64_t{4} * weights.size());
  if (state[0] == 0) return true;
  std::fill(made.distances.begin(), made.distances.end(), std::numeric_limits<double>::infinity());
  std::fill(made.parents.begin(), made.parents.end(), none);
  made.distances[start] = 0;
  return false;
}

}  // namespace detail

inline std::vector<std::uint32_t> quantum_search(Executor& exec, std::span<const float> data,
                                                 float target) {
  return detail::places(exec, data, target, "f32");
}
inline std::vector<std::uint32_t> quantum_search(Executor& exec, std::span<const double> data,
                                                 double target) {
  return detail::places(exec, data, target, "f64");
}
inline std::vector<std::uint32_t> quantum_search(Executor& exec, std::span<const std::int32_t> data,
                                                 std::int32_t target) {
  return detail::places(exec, data, target, "i32");
}
inline std::vector<std::uint32_t> quantum_search(Executor& exec, std::span<const std::int64_t> data,
                                                 std::int64_t target) {
  return detail::places(exec, data, target, "i64");
}

inline Traversal graph_traverse_optimal(Executor& exec, const Graph& graph, std::uint32_t start) {
  detail::check_graph(graph, start);
  const std::size_t n = graph.size();
  Traversal made{std::vector(n, none), std::vector(n, none), std::vector<std::uint32_t>(n)};
  std::vector<std::uint32_t> state = {0, 1, 0};  // head and tail of the order, level between
  made.levels[start] = 0;
  made.order[0] = start;
  const Kernel push = exec.kernel("bfs_push");
  // As hologram.search of Python: levels beyond these are worth all cores.
  const std::uint32_t most = std::max(graph.size() / 24, 64u);
  while (true) {
    push.launch(detail::one_lane(), graph.starts, graph.ends, made.levels, made.parents, made.order,
                state, most);
    if (state[0] == state[1]) break;
    LaunchConfig config;
    config.grid = {(state[1] - state[0] + 63) / 64};
    config.block = {64};
    exec.kernel("bfs_claim")
        .launch(config, graph.starts, graph.ends, made.levels, made.parents, made.order, state[0],
                state[1]);
    exec.kernel("bfs_settle")
        .launch(detail::one_lane(), made.levels, made.parents, made.order, state, graph.size());
  }
  made.order.resize(state[1]);
  return made;
}

inline Paths shortest_paths(Executor& exec, const Graph& graph, std::uint32_t start,
                            std::uint32_t target) {
  detail::check_graph(graph, start);
  const std::size_t n = graph.size();
  const std::size_t edges = graph.ends.size();
  const std::vector<double> ones(graph.weights.empty() ? edges : 0, 1.0);
  const std::span<const double> weights = graph.weights.empty() ? ones : graph.weights;
  Paths made{std::vector(n, std::numeric_limits<double>::infinity()), std::vector(n, none), {}};
  made.distances[start] = 0;
  std::vector<std::uint32_t> state(2);
  const auto [least, largest] = detail::range_of(weights);
  if (least >= 0) {
    if (detail::by_buckets(exec, graph, weights, {least, largest}, start, target, made))
      return made;
    std::vector<double> keys(edges + 1);
    std::vector<std::uint32_t> vertices(edges + 1);
    exec.kernel("dijkstra")
        .launch(detail::one_lane(), graph.starts, graph.ends, weights, made.distances, made.parents,
                keys, vertices, state, start, target);
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

inline std::vector<std::uint32_t> optimal_path(Executor& exec, const Graph& graph,
                                               std::uint32_t start, std::uint32_t target) {
  detail::check_graph(graph, target);
  const Paths paths = shortest_paths(exec, graph, start, target);
  if (!paths.negative_cycle.empty()) {
    throw Error(HOLOGRAM_ERROR_INVALID_ARGUMENT, "the graph has a cycle of negative weight");
  }
  return paths.path_to(target);
}

}  // namespace hologram::search
