// Sums, dot products and maxima by the deterministic tree, against loops that -ffast-math lets the
// compiler reorder as it likes.
#include <algorithm>
#include <cmath>

#include "peers.h"
#include "workbench.h"

namespace hologram::bench {
namespace {

constexpr uint32_t kChunk = 4096;  // elements that a block of the first kernel takes
constexpr uint32_t kBlock = 256;

// One launch over all elements up to a chunk, else one over all chunks and one over their results:
// the same bits either way.
class Reduction {
 public:
  Reduction(Executor& executor, const std::string& name)
      : partial_(Native(executor, name + "_partial")), final_(Native(executor, name)) {}

  void operator()(Floats& x, uint32_t n) { Run(n, x); }
  void operator()(Floats& x, Floats& y, uint32_t n) { Run(n, x, y); }
  float result() const { return result_[0]; }

 private:
  template <class... Arrays>
  void Run(uint32_t n, Arrays&... arrays) {
    if constexpr (sizeof...(Arrays) == 1) {
      if (n <= kChunk) {
        final_(arrays..., result_, n);
        return Clobber(result_.data());
      }
    }
    const uint32_t blocks = (n + kChunk - 1) / kChunk;
    LaunchConfig config;
    config.grid = {blocks, 1, 1};
    config.block = {kBlock, 1, 1};
    if (blocks == 1) {
      partial_.launch(config, arrays..., result_, n);
      return Clobber(result_.data());
    }
    if (partials_.size() != blocks) partials_ = Floats(blocks);
    partial_.launch(config, arrays..., partials_, n);
    final_(partials_, result_, blocks);
    Clobber(result_.data());
  }

  Kernel partial_;
  Kernel final_;
  Floats partials_{1};
  Floats result_{1};
};

}  // namespace

void Reductions(Executor& executor, Report& report) {
  Reduction sum(executor, "reduce_sum");
  Reduction largest(executor, "reduce_max");
  Reduction dot(executor, "dot");
  for (const uint32_t n : {3072u, 65536u, 1u << 20}) {
    const bool small = n < 65536;
    const double bar = small ? 1.35 : 1.08;
    Floats x = Filled(n, 0, 1);
    Floats y = Filled(n + 16, -1, 1);
    float peer = 0;
    const std::string size = SizeName(n);
    const auto against = [&](const char* work, double factor, auto& ours, auto run, auto loop) {
      report.AgainstPeer({work, size, "C loop, -ffast-math", factor, 10.0}, run,
                         [&] { peer = loop(), Clobber(&peer); });
      run();
      peer = loop();
      if (std::fabs(ours.result() - peer) > 1e-3f * static_cast<float>(n)) {
        report.Note(std::string(work) + ": the results DIFFER");
      }
    };
    against("f32 sum", bar, sum, [&] { sum(x, n); }, [&] { return SumLoop(x.data(), n); });
    against("f32 max", bar, largest, [&] { largest(x, n); }, [&] { return MaxLoop(x.data(), n); });
    against(
        "f32 dot", small ? 1.6 : 1.12, dot, [&] { dot(x, y, n); },
        [&] { return DotLoop(x.data(), y.data(), n); });
  }
}

}  // namespace hologram::bench
