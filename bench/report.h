// The lines that `make bench` prints, one per case: what, how large, ours, the peer's, the ratio
// and whether the bar holds.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "measure.h"

namespace hologram::bench {

struct Case {
  std::string work;
  std::string size;
  std::string peer;
  double factor = 1.0;  // the bar: ours <= factor * peer + extra_ns
  double extra_ns = 0.0;
};

// Counts what was measured and what missed its bar. With filters only those lines are measured
// whose group, or whose work, size and peer, contain one of them.
class Report {
 public:
  explicit Report(std::vector<std::string> filters) : filters_(std::move(filters)) {}

  // Names the group of the lines that follow. Its heading is printed with the first of them.
  void Enter(const std::string& group) {
    group_ = group;
    heading_due_ = true;
  }

  bool WantsGroup() const { return Contains(group_); }
  bool Wants(const std::string& line) const { return WantsGroup() || Contains(line); }

  // Ours against one peer, interleaved; judged by the median of the ratios of neighbouring batches.
  template <class Ours, class Peer>
  void AgainstPeer(const Case& c, Ours ours, Peer peer) {
    if (!Wants(c.work + " " + c.size + " " + c.peer)) return;
    const Comparison result = Compare(ours, peer);
    Line(c, result, c.factor + c.extra_ns / result.peer.median_ns);
  }

  // A figure with an upper bound of its own.
  void AtMost(const std::string& work, const std::string& size, double value, double bound,
              const char* unit) {
    Figure(work, size, value, bound, unit, "<=", value <= bound);
  }

  void AtLeast(const std::string& work, const std::string& size, double value, double bound,
               const char* unit) {
    Figure(work, size, value, bound, unit, ">=", value >= bound);
  }

  // A line without a bar: why something was not measured, or what a figure is made of.
  void Note(const std::string& text);

  int measured() const { return measured_; }
  int missed() const { return missed_; }

 private:
  bool Contains(const std::string& text) const {
    return filters_.empty() ||
           std::any_of(filters_.begin(), filters_.end(),
                       [&](const auto& filter) { return text.find(filter) != std::string::npos; });
  }
  void Heading();
  void Figure(const std::string& work, const std::string& size, double value, double bound,
              const char* unit, const char* relation, bool holds);
  void Line(const Case& c, const Comparison& result, double allowed);

  std::vector<std::string> filters_;
  std::string group_;
  bool heading_due_ = false;
  int measured_ = 0;
  int missed_ = 0;
};

}  // namespace hologram::bench
