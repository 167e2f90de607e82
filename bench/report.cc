#include "report.h"

namespace hologram::bench {

void Report::Heading() {
  if (heading_due_) std::printf("\n-- %s\n", group_.c_str());
  heading_due_ = false;
}

void Report::Note(const std::string& text) {
  Heading();
  std::printf("%s\n", text.c_str());
}

void Report::Figure(const std::string& work, const std::string& size, double value, double bound,
                    const char* unit, const char* relation, bool holds) {
  Heading();
  ++measured_;
  missed_ += holds ? 0 : 1;
  std::printf("%-34s %-14s %12.3f %-6s bar %s %-8.6g %s\n", work.c_str(), size.c_str(), value, unit,
              relation, bound, holds ? "holds" : "MISSED");
  std::fflush(stdout);
}

void Report::Line(const Case& c, const Comparison& result, double allowed) {
  Heading();
  const bool holds = result.ratio <= allowed;
  ++measured_;
  missed_ += holds ? 0 : 1;
  std::printf("%-34s %-14s %12.1f ns   %-26s %12.1f ns   ratio %5.3f  bar <= %5.3f  %s\n",
              c.work.c_str(), c.size.c_str(), result.ours.median_ns, c.peer.c_str(),
              result.peer.median_ns, result.ratio, allowed, holds ? "holds" : "MISSED");
  std::fflush(stdout);
}

}  // namespace hologram::bench
