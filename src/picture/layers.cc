#include "picture/layers.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace hologram::picture {
namespace {

constexpr double kBetween = 28;  // boxes of one layer
constexpr double kBelow = 36;    // layers
constexpr double kLane = 16;     // arrows that lead up, beside the boxes
constexpr double kThread = 10;   // where a long arrow passes a layer
constexpr int kSweeps = 8;

// A box, or a place where an arrow passes a layer.
struct Place {
  size_t layer = 0;
  double width = kThread;
  double x = 0;  // its middle
  std::vector<size_t> above;
  std::vector<size_t> below;
};

// Marks the edges that close cycles. Boxes are visited in their order, without recursion.
void FindBackEdges(Graph& graph) {
  enum class State : uint8_t { kNew, kOpen, kDone };
  std::vector<std::vector<size_t>> out(graph.nodes.size());
  for (size_t e = 0; e < graph.edges.size(); ++e) out[graph.edges[e].from].push_back(e);
  std::vector<State> states(graph.nodes.size(), State::kNew);
  std::vector<std::pair<size_t, size_t>> stack;  // a box, and how many of its edges were followed
  for (size_t root = 0; root < graph.nodes.size(); ++root) {
    if (states[root] != State::kNew) continue;
    states[root] = State::kOpen;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      const size_t node = stack.back().first;
      if (stack.back().second == out[node].size()) {
        states[node] = State::kDone;
        stack.pop_back();
        continue;
      }
      Edge& edge = graph.edges[out[node][stack.back().second++]];
      edge.back = states[edge.to] == State::kOpen;
      if (states[edge.to] != State::kNew) continue;
      states[edge.to] = State::kOpen;
      stack.emplace_back(edge.to, 0);
    }
  }
}

class Layers {
 public:
  explicit Layers(Graph& graph) : graph_(graph) {}

  void Run() {
    FindBackEdges(graph_);
    MakePlaces();
    MakeThreads();
    Order();
    for (int sweep = 0; sweep < kSweeps; ++sweep) Straighten(sweep % 2 == 0);
    Write();
  }

 private:
  // The layer of a box is behind those of all boxes that lead to it.
  void MakePlaces() {
    places_.resize(graph_.nodes.size());
    std::vector<size_t> waits(graph_.nodes.size(), 0);
    for (const Edge& edge : graph_.edges) waits[edge.to] += edge.back ? 0 : 1;
    std::vector<size_t> ready;
    for (size_t k = 0; k < waits.size(); ++k) {
      if (waits[k] == 0) ready.push_back(k);
    }
    for (size_t done = 0; done < ready.size(); ++done) {
      for (const Edge& edge : graph_.edges) {
        if (edge.back || edge.from != ready[done]) continue;
        places_[edge.to].layer = std::max(places_[edge.to].layer, places_[edge.from].layer + 1);
        if (--waits[edge.to] == 0) ready.push_back(edge.to);
      }
    }
    LowerSources();
    size_t layers = 0;
    for (size_t k = 0; k < places_.size(); ++k) {
      places_[k].width = graph_.nodes[k].width;
      layers = std::max(layers, places_[k].layer + 1);
    }
    layers_.resize(layers);
    for (const size_t k : ready) layers_[places_[k].layer].push_back(k);
  }

  // A box that nothing leads to is directly above the first that it leads to.
  void LowerSources() {
    std::vector<bool> is_source(places_.size(), true);
    std::vector<size_t> first(places_.size(), SIZE_MAX);
    for (const Edge& edge : graph_.edges) {
      if (edge.back) continue;
      is_source[edge.to] = false;
      first[edge.from] = std::min(first[edge.from], places_[edge.to].layer);
    }
    for (size_t k = 0; k < places_.size(); ++k) {
      if (is_source[k] && first[k] != SIZE_MAX) places_[k].layer = first[k] - 1;
    }
  }

  // What an edge passes on its way down.
  void MakeThreads() {
    threads_.resize(graph_.edges.size());
    for (size_t e = 0; e < graph_.edges.size(); ++e) {
      const Edge& edge = graph_.edges[e];
      if (edge.back) continue;
      size_t last = edge.from;
      for (size_t layer = places_[edge.from].layer + 1; layer < places_[edge.to].layer; ++layer) {
        const size_t thread = places_.size();
        places_.emplace_back().layer = layer;
        layers_[layer].push_back(thread);
        threads_[e].push_back(thread);
        Join(last, thread);
        last = thread;
      }
      Join(last, edge.to);
    }
  }

  void Join(size_t from, size_t to) {
    places_[from].below.push_back(to);
    places_[to].above.push_back(from);
  }

  // Each layer in the order of the middles of what it is joined to; the layers down and up.
  void Order() {
    Number();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (size_t k = 0; k < layers_.size(); ++k) {
        std::vector<size_t>& layer = layers_[down ? k : layers_.size() - 1 - k];
        std::vector<std::pair<double, size_t>> keys;
        for (const size_t place : layer) {
          keys.emplace_back(MiddleOf(place, down).value_or(places_[place].x), place);
        }
        std::stable_sort(keys.begin(), keys.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (size_t j = 0; j < layer.size(); ++j) {
          layer[j] = keys[j].second;
          places_[layer[j]].x = static_cast<double>(j);
        }
      }
    }
    for (const std::vector<size_t>& layer : layers_) {
      double x = 0;
      for (const size_t place : layer) {
        places_[place].x = x + places_[place].width / 2;
        x += places_[place].width + kBetween;
      }
    }
  }

  void Number() {
    for (const std::vector<size_t>& layer : layers_) {
      for (size_t j = 0; j < layer.size(); ++j) places_[layer[j]].x = static_cast<double>(j);
    }
  }

  std::optional<double> MiddleOf(size_t place, bool from_above) const {
    const std::vector<size_t>& joined = from_above ? places_[place].above : places_[place].below;
    if (joined.empty()) return std::nullopt;
    double sum = 0;
    for (const size_t other : joined) sum += places_[other].x;
    return sum / static_cast<double>(joined.size());
  }

  // Moves each place to the middle of those above it, or below it, as far as its neighbours in the
  // layer allow: the mean of packing them from the left and from the right.
  void Straighten(bool down) {
    for (size_t k = 0; k < layers_.size(); ++k) {
      const std::vector<size_t>& layer = layers_[down ? k : layers_.size() - 1 - k];
      std::vector<double> left(layer.size());
      std::vector<double> right(layer.size());
      for (size_t j = 0; j < layer.size(); ++j) {
        const double wanted = MiddleOf(layer[j], down).value_or(places_[layer[j]].x);
        left[j] = j == 0 ? wanted : std::max(wanted, left[j - 1] + Apart(layer[j - 1], layer[j]));
      }
      for (size_t j = layer.size(); j-- > 0;) {
        const double wanted = MiddleOf(layer[j], down).value_or(places_[layer[j]].x);
        right[j] = j + 1 == layer.size()
                       ? wanted
                       : std::min(wanted, right[j + 1] - Apart(layer[j], layer[j + 1]));
      }
      for (size_t j = 0; j < layer.size(); ++j) places_[layer[j]].x = (left[j] + right[j]) / 2;
    }
  }

  double Apart(size_t left, size_t right) const {
    const bool threads = left >= graph_.nodes.size() && right >= graph_.nodes.size();
    return (places_[left].width + places_[right].width) / 2 + (threads ? kThread / 2 : kBetween);
  }

  void Write() {
    double least = places_.empty() ? 0 : places_[0].x;
    double most = least;
    for (const Place& place : places_) {
      least = std::min(least, place.x - place.width / 2);
      most = std::max(most, place.x + place.width / 2);
    }
    std::vector<double> tops;
    double y = 0;
    for (const std::vector<size_t>& layer : layers_) {
      double height = 0;
      for (const size_t place : layer) {
        if (place < graph_.nodes.size()) height = std::max(height, graph_.nodes[place].height);
      }
      tops.push_back(y);
      bottoms_.push_back(y + height);
      y += height + kBelow;
    }
    for (Place& place : places_) place.x -= least;
    for (size_t k = 0; k < graph_.nodes.size(); ++k) {
      Node& node = graph_.nodes[k];
      node.corner = {places_[k].x - node.width / 2, tops[places_[k].layer]};
    }
    graph_.width = most - least;
    graph_.height = layers_.empty() ? 0 : bottoms_.back();
    WriteEdges();
  }

  // Where edge `e` touches box `node`: the ends of all edges there have places of their own.
  double PortOf(size_t e, size_t node, bool out) const {
    std::vector<std::pair<double, size_t>> ends;
    for (size_t other = 0; other < graph_.edges.size(); ++other) {
      const Edge& edge = graph_.edges[other];
      if ((out ? edge.from : edge.to) != node) continue;
      double toward = places_[out ? edge.to : edge.from].x;
      if (!threads_[other].empty()) {
        toward = places_[out ? threads_[other].front() : threads_[other].back()].x;
      }
      ends.emplace_back(edge.back ? graph_.width * 2 : toward, other);
    }
    std::sort(ends.begin(), ends.end());
    size_t at = 0;
    while (ends[at].second != e) ++at;
    const Node& box = graph_.nodes[node];
    return box.corner.x +
           box.width * static_cast<double>(at + 1) / static_cast<double>(ends.size() + 1);
  }

  void WriteEdges() {
    double lane = graph_.width;
    for (size_t e = 0; e < graph_.edges.size(); ++e) {
      Edge& edge = graph_.edges[e];
      const Node& from = graph_.nodes[edge.from];
      const Node& to = graph_.nodes[edge.to];
      const Point begin = {PortOf(e, edge.from, true), from.corner.y + from.height};
      const Point end = {PortOf(e, edge.to, false), to.corner.y};
      edge.points = {begin};
      if (edge.back) {
        lane += kLane;
        const double below = bottoms_[places_[edge.from].layer] + kBelow / 3;
        edge.points.push_back({begin.x, below});
        edge.points.push_back({lane, below});
        edge.points.push_back({lane, end.y - kBelow / 3});
        edge.points.push_back({end.x, end.y - kBelow / 3});
      } else {
        edge.points.push_back({begin.x, bottoms_[places_[edge.from].layer] + kBelow / 4});
        for (const size_t thread : threads_[e]) {
          const size_t layer = places_[thread].layer;
          edge.points.push_back({places_[thread].x, bottoms_[layer - 1] + kBelow * 3 / 4});
          edge.points.push_back({places_[thread].x, bottoms_[layer] + kBelow / 4});
        }
        edge.points.push_back({end.x, end.y - kBelow / 4});
      }
      edge.points.push_back(end);
    }
    graph_.width = std::max(graph_.width, lane);
    // Room above boxes that arrows lead up to.
    const bool up = std::any_of(graph_.edges.begin(), graph_.edges.end(), [&](const Edge& edge) {
      return edge.back && places_[edge.to].layer == 0;
    });
    if (!up) return;
    for (Node& node : graph_.nodes) node.corner.y += kBelow / 2;
    for (Edge& edge : graph_.edges) {
      for (Point& point : edge.points) point.y += kBelow / 2;
    }
    graph_.height += kBelow / 2;
  }

  Graph& graph_;
  std::vector<Place> places_;  // the boxes, then the threads
  std::vector<std::vector<size_t>> layers_;
  std::vector<std::vector<size_t>> threads_;  // of each edge, from above
  std::vector<double> bottoms_;               // of each layer
};

}  // namespace

void Arrange(Graph& graph) {
  Layers(graph).Run();
}

}  // namespace hologram::picture
