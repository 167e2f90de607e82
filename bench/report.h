// The lines that `make bench` prints, one per case: what, how large, ours, the peer's, the ratio
// and whether the bar holds.
#pragma once

#include <cstdio>
#include <string>

#include "measure.h"

namespace hologram::bench {

struct Case {
  std::string work;
  std::string size;
  std::string peer;
  double factor = 1.0;  // the bar: ours <= factor * peer + extra_ns
  double extra_ns = 0.0;
};

// Counts what was measured and what missed its bar.
class Report {
 public:
  // Ours against one peer, interleaved; judged by the median of the ratios of neighbouring batches.
  template <class Ours, class Peer>
  void AgainstPeer(const Case& c, Ours ours, Peer peer) {
    const Comparison result = Compare(ours, peer);
    const double allowed = c.factor + c.extra_ns / result.peer.median_ns;
    Line(c.work, c.size, result.ours.median_ns, c.peer, result.peer.median_ns, result.ratio,
         allowed);
  }

  // A figure with an upper bound of its own.
  void AtMost(const std::string& work, const std::string& size, double value, double bound,
              const char* unit) {
    Judge(value <= bound);
    std::printf("%-34s %-14s %12.3f %-6s bar <= %-8.6g %s\n", work.c_str(), size.c_str(), value,
                unit, bound, value <= bound ? "holds" : "MISSED");
    std::fflush(stdout);
  }

  void AtLeast(const std::string& work, const std::string& size, double value, double bound,
               const char* unit) {
    Judge(value >= bound);
    std::printf("%-34s %-14s %12.3f %-6s bar >= %-8.6g %s\n", work.c_str(), size.c_str(), value,
                unit, bound, value >= bound ? "holds" : "MISSED");
    std::fflush(stdout);
  }

  int measured() const { return measured_; }
  int missed() const { return missed_; }

 private:
  void Judge(bool holds) {
    ++measured_;
    missed_ += holds ? 0 : 1;
  }

  void Line(const std::string& work, const std::string& size, double mine, const std::string& peer,
            double theirs, double ratio, double allowed) {
    Judge(ratio <= allowed);
    std::printf("%-34s %-14s %12.1f ns   %-26s %12.1f ns   ratio %5.3f  bar <= %5.3f  %s\n",
                work.c_str(), size.c_str(), mine, peer.c_str(), theirs, ratio, allowed,
                ratio <= allowed ? "holds" : "MISSED");
    std::fflush(stdout);
  }

  int measured_ = 0;
  int missed_ = 0;
};

}  // namespace hologram::bench
