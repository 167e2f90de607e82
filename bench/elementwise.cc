// Arithmetic on arrays that fit into the caches, and the launch itself.
#include "peers.h"
#include "workbench.h"

namespace hologram::bench {
namespace {

void Launch(Executor& executor, Report& report) {
  if (!report.Wants("checked launch, 3 buffers")) return;
  auto add = NativeOf<Floats, Floats, Floats, uint32_t>(executor, "vector_add");
  Floats a = Filled(1, -1, 1);
  Floats b = Filled(1, -1, 1);
  Floats c(1);
  const Timing time = Measure([&] {
    add(a, b, c, 1u);
    Clobber(c.data());
  });
  report.AtMost("checked launch, 3 buffers", "n=1", time.median_ns, 8.0, "ns");
  LaunchConfig config;
  config.grid = {1, 1, 1};
  config.block = {256, 1, 1};
  const Timing shaped = Measure([&] {
    add.launch(config, a, b, c, 1u);
    Clobber(c.data());
  });
  report.AtMost("checked launch with a grid", "n=1", shaped.median_ns, 80.0, "ns");
}

void Interpreter(Executor& executor, Report& report) {
  if (!report.Wants("interpreter, f32 add")) return;
  const Kernel add = Native(executor, "vector_add");
  const uint32_t n = 1u << 20;
  Floats a = Filled(n, -1, 1);
  Floats b = Filled(n, -1, 1);
  Floats c(n);
  LaunchConfig config;
  config.backend = Backend::interpreter;
  const Timing time = Measure([&] { add.launch(config, a, b, c, n); }, 31);
  report.AtLeast("interpreter, f32 add", "n=1M", n / time.median_ns * 1e3, 150.0, "M el/s");
}

}  // namespace

void Elementwise(Executor& executor, Report& report) {
  Launch(executor, report);
  auto add = NativeOf<Floats, Floats, Floats, uint32_t>(executor, "vector_add");
  auto mul = NativeOf<Floats, Floats, Floats, uint32_t>(executor, "vector_mul");
  auto saxpy = NativeOf<float, Floats, Floats, Floats, uint32_t>(executor, "saxpy");
  auto relu = NativeOf<Floats, Floats, uint32_t>(executor, "relu");
  auto clamp = NativeOf<Floats, Floats, float, float, uint32_t>(executor, "clamp");
  for (const uint32_t n : {1000u, 8192u, 65536u}) {
    Operands operands(n);
    auto& [memory, a, b, c] = operands;
    const std::string size = SizeName(n);
    const auto against = [&](const char* work, auto ours, auto loop) {
      report.AgainstPeer(
          {work, size, "C loop", 1.05, 10.0}, [&] { ours(), Clobber(c.data()); },
          [&] { loop(), Clobber(c.data()); });
    };
    against("f32 add", [&] { add(a, b, c, n); }, [&] { AddLoop(a.data(), b.data(), c.data(), n); });
    against("f32 mul", [&] { mul(a, b, c, n); }, [&] { MulLoop(a.data(), b.data(), c.data(), n); });
    against(
        "f32 saxpy", [&] { saxpy(1.5f, a, b, c, n); },
        [&] { SaxpyLoop(1.5f, a.data(), b.data(), c.data(), n); });
    against("f32 relu", [&] { relu(a, c, n); }, [&] { ReluLoop(a.data(), c.data(), n); });
    against(
        "f32 clamp", [&] { clamp(a, c, -0.5f, 0.5f, n); },
        [&] { ClampLoop(a.data(), c.data(), -0.5f, 0.5f, n); });
  }
  Interpreter(executor, report);
}

}  // namespace hologram::bench
