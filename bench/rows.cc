// Softmax and layer normalisation of rows, against C in three passes over each row with libmvec.
#include "peers.h"
#include "workbench.h"

namespace hologram::bench {

void Rows(Executor& executor, Report& report) {
  const Kernel softmax = Native(executor, "softmax");
  const Kernel softmax_fast = Native(executor, "softmax_fast");
  const Kernel layer_norm = Native(executor, "layer_norm");
  constexpr uint32_t kElements = 65536;
  for (const uint32_t columns : {128u, 512u, 1024u, 4096u}) {
    const uint32_t rows = kElements / columns;
    Floats x = Filled(kElements, -4, 4);
    Floats y(kElements);
    Floats gamma = Filled(columns, 0.5, 2);
    Floats beta = Filled(columns, -1, 1);
    LaunchConfig config;
    config.grid = {rows, 1, 1};
    config.block = {64, 1, 1};
    const std::string size = std::to_string(rows) + " x " + std::to_string(columns);
    const auto softmax_loop = [&] {
      SoftmaxLoop(x.data(), y.data(), rows, columns), Clobber(y.data());
    };
    report.AgainstPeer(
        {"softmax precise", size, "three passes, libmvec", 0.8},
        [&] { softmax.launch(config, x, y, columns), Clobber(y.data()); }, softmax_loop);
    report.AgainstPeer(
        {"softmax fast", size, "three passes, libmvec", 0.7},
        [&] { softmax_fast.launch(config, x, y, columns), Clobber(y.data()); }, softmax_loop);
    report.AgainstPeer(
        {"layer_norm", size, "three passes, C", 0.8},
        [&] { layer_norm.launch(config, x, gamma, beta, y, columns, 1e-5f), Clobber(y.data()); },
        [&] {
          LayerNormLoop(x.data(), gamma.data(), beta.data(), y.data(), rows, columns, 1e-5f);
          Clobber(y.data());
        });
  }
}

}  // namespace hologram::bench
