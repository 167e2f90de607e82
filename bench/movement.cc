// Gathers, histograms, transposes, stencils and running sums against the loops that a C programmer
// writes.
#include <algorithm>

#include "peers.h"
#include "workbench.h"

namespace hologram::bench {
namespace {

constexpr double kBar = 1.1;
constexpr const char* kPeer = "C loop";

LaunchConfig Shape(std::array<uint32_t, 3> extents, std::array<uint32_t, 3> block) {
  LaunchConfig config;
  config.block = block;
  for (size_t d = 0; d < 3; ++d) config.grid[d] = (extents[d] + block[d] - 1) / block[d];
  return config;
}

void Gather(Executor& executor, Report& report) {
  auto gather = NativeOf<Floats, Buffer<uint32_t>, Floats, uint32_t>(executor, "gather");
  for (const uint32_t n : {4096u, 65536u, 1u << 20}) {
    Floats table = Filled(n, -1, 1);
    Floats out(n);
    Buffer<uint32_t> index(n);
    Fill(index, 0, n);
    report.AgainstPeer(
        {"gather", SizeName(n), kPeer, kBar, 10.0},
        [&] { gather(table, index, out, n), Clobber(out.data()); },
        [&] { GatherLoop(table.data(), index.data(), out.data(), n), Clobber(out.data()); });
  }
}

void Histogram(Executor& executor, Report& report) {
  const Kernel atomic = Native(executor, "histogram");
  const Kernel shared = Native(executor, "histogram_shared");
  const uint32_t n = 1u << 20;
  Buffer<uint8_t> data = Filled<uint8_t>(n, 0, 256);
  Buffer<uint32_t> counts(256);
  Buffer<uint32_t> expected(256);
  const auto loop = [&] { HistogramLoop(data.data(), expected.data(), n), Clobber(&expected[0]); };
  const auto lanes = Shape({n, 1, 1}, {256, 1, 1});
  const auto chunks = Shape({n / 16384 * 256, 1, 1}, {256, 1, 1});
  const auto run = [&](const Kernel& kernel, const LaunchConfig& config) {
    kernel.launch(config, data, counts, n), Clobber(counts.data());
  };
  report.AgainstPeer(
      {"histogram, one table", SizeName(n), kPeer, kBar}, [&] { run(atomic, lanes); }, loop);
  report.AgainstPeer(
      {"histogram, shared memory", SizeName(n), kPeer, kBar}, [&] { run(shared, chunks); }, loop);
}

void Transpose(Executor& executor, Report& report) {
  const Kernel plain = Native(executor, "transpose");
  const Kernel tiled = Native(executor, "transpose_shared");
  for (const uint32_t side : {256u, 1024u, 1000u}) {
    Floats from = Filled(size_t{side} * side, -1, 1);
    Floats to(size_t{side} * side);
    const std::string size = std::to_string(side) + " x " + std::to_string(side);
    const auto loop = [&] {
      TransposeLoop(from.data(), to.data(), side, side), Clobber(to.data());
    };
    const auto run = [&](const Kernel& kernel, const LaunchConfig& config) {
      kernel.launch(config, from, to, side, side), Clobber(to.data());
    };
    const auto rows = Shape({side, side, 1}, {256, 1, 1});
    const auto tiles = Shape({side, side, 1}, {16, 16, 1});
    report.AgainstPeer({"transpose", size, kPeer, kBar}, [&] { run(plain, rows); }, loop);
    report.AgainstPeer({"transpose, tiles", size, kPeer, kBar}, [&] { run(tiled, tiles); }, loop);
  }
}

void Stencil(Executor& executor, Report& report) {
  const Kernel five = Native(executor, "stencil5");
  const Kernel seven = Native(executor, "stencil7");
  for (const uint32_t side : {128u, 1024u}) {
    Floats from = Filled(size_t{side} * side, -1, 1);
    Floats to(size_t{side} * side);
    const auto config = Shape({side, side, 1}, {128, 1, 1});
    report.AgainstPeer(
        {"stencil5", std::to_string(side) + " x " + std::to_string(side), kPeer, kBar},
        [&] { five.launch(config, from, to, side, side), Clobber(to.data()); },
        [&] { Stencil5Loop(from.data(), to.data(), side, side), Clobber(to.data()); });
  }
  const uint32_t side = 64;
  Floats from = Filled(size_t{side} * side * side, -1, 1);
  Floats to(size_t{side} * side * side);
  const auto config = Shape({side, side, side}, {64, 1, 1});
  report.AgainstPeer(
      {"stencil7", "64 x 64 x 64", kPeer, kBar},
      [&] { seven.launch(config, from, to, 0.1f, side, side, side), Clobber(to.data()); },
      [&] { Stencil7Loop(from.data(), to.data(), 0.1f, side, side, side), Clobber(to.data()); });
}

void Scan(Executor& executor, Report& report) {
  const Kernel blocks = Native(executor, "cumsum_blocks");
  const Kernel add = Native(executor, "cumsum_add");
  const uint32_t n = 1u << 20;
  constexpr uint32_t kBlock = 1024;
  Floats x = Filled(n, 0, 1);
  Floats out(n);
  Floats totals(n / kBlock);
  const auto config = Shape({n, 1, 1}, {kBlock, 1, 1});
  report.AgainstPeer(
      {"running sum", SizeName(n), kPeer, kBar},
      [&] {
        blocks.launch(config, x, out, totals, n);
        add.launch(config, totals, out, n);
        Clobber(out.data());
      },
      [&] { ScanLoop(x.data(), out.data(), n), Clobber(out.data()); });
}

}  // namespace

void Movement(Executor& executor, Report& report) {
  Gather(executor, report);
  Checks(report);
  Histogram(executor, report);
  Transpose(executor, report);
  Stencil(executor, report);
  Scan(executor, report);
}

}  // namespace hologram::bench
