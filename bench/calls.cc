// What a call of an operation costs in C++: a kernel of vector_add by its typed handle, and an
// operation on tensors, against the loop alone.
#include "hologram/ops.hpp"
#include "peers.h"
#include "workbench.h"

namespace hologram::bench {

void Calls(Executor& executor, Report& report) {
  auto add = NativeOf<Floats, Floats, Floats, uint32_t>(executor, "vector_add");
  Ops ops;
  for (const uint32_t n : {100u, 1000u, 3072u}) {
    Operands operands(n);
    auto& [memory, a, b, c] = operands;
    const auto x = Tensor<float>::borrow(a.data(), {n});
    const auto y = Tensor<float>::borrow(b.data(), {n});
    const auto out = Tensor<float>::borrow(c.data(), {n});
    const auto against = [&](const char* work, auto ours) {
      report.AgainstPeer(
          {work, SizeName(n), "C loop", 1.05, 15.0}, [&] { ours(), Clobber(c.data()); },
          [&] { AddLoop(a.data(), b.data(), c.data(), n), Clobber(c.data()); });
    };
    against("call of f32 add, kernel", [&] { add(a, b, c, n); });
    against("call of f32 add, tensors", [&] { ops.add(x, y, out); });
  }
}

}  // namespace hologram::bench
