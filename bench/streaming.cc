// Arithmetic on arrays beyond the caches, against probes that do nothing but move the same bytes:
// aligned vectors, the faster kind of stores for each. All share the arrays.
#include "peers.h"
#include "workbench.h"

namespace hologram::bench {

void Streaming(Executor& executor, Report& report) {
  auto add = NativeOf<Floats, Floats, Floats, uint32_t>(executor, "vector_add");
  auto mul = NativeOf<Floats, Floats, Floats, uint32_t>(executor, "vector_mul");
  auto fill = NativeOf<Floats, float, uint32_t>(executor, "fill");
  auto copy = NativeOf<Floats, Floats, uint32_t>(executor, "copy");
  auto axpy = NativeOf<float, Floats, Floats, uint32_t>(executor, "axpy");
  constexpr double kBar = 1 / 0.95;
  for (const uint32_t n : {16u << 20, 64u << 20}) {
    if (!report.Wants("streaming " + SizeName(n))) continue;
    Floats a = Filled(n, -1, 1);
    Floats b = Filled(n, -1, 1);
    Floats c(n);
    const std::string size = SizeName(n);
    const auto against = [&](const char* work, const char* peer, double bar, auto ours,
                             auto probe) {
      report.AgainstPeer(
          {work, size, peer, bar}, [&] { ours(), Clobber(c.data()); },
          [&] { probe(), Clobber(c.data()); });
    };
    against(
        "f32 add", "C loop", 0.75, [&] { add(a, b, c, n); },
        [&] { AddLoop(a.data(), b.data(), c.data(), n); });
    const auto add_probe = [&] { StreamAdd(a.data(), b.data(), c.data(), n); };
    against("f32 add", "streaming-store probe", kBar, [&] { add(a, b, c, n); }, add_probe);
    against("f32 mul", "streaming-store probe", kBar, [&] { mul(a, b, c, n); }, add_probe);
    against(
        "f32 fill", "streaming-store probe", kBar, [&] { fill(c, 1.5f, n); },
        [&] { StreamFill(c.data(), 1.5f, n); });
    against(
        "f32 copy", "streaming-store probe", kBar, [&] { copy(a, c, n); },
        [&] { StreamCopy(a.data(), c.data(), n); });
    against(
        "f32 axpy", "read-modify-write probe", kBar, [&] { axpy(1e-3f, a, c, n); },
        [&] { ReadModifyWrite(1e-3f, a.data(), c.data(), n); });
  }
}

}  // namespace hologram::bench
