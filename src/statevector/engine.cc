#include "statevector/engine.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <new>
#include <vector>

#include "statevector/plan.h"
#include "statevector/team.h"

namespace hologram::statevector {

template <class Real>
RunTile<Real> TilesV2();
template <class Real>
RunTile<Real> TilesV3();
template <class Real>
RunTile<Real> TilesV4();

template <class Real>
RunTile<Real> TileRunner([[maybe_unused]] int most) {
#if defined(__x86_64__)
  if (most >= 4 && __builtin_cpu_supports("x86-64-v4")) return TilesV4<Real>();
  if (most >= 3 && __builtin_cpu_supports("x86-64-v3")) return TilesV3<Real>();
#endif
  return TilesV2<Real>();
}
template RunTile<float> TileRunner<float>(int);
template RunTile<double> TileRunner<double>(int);

namespace {

constexpr size_t kLine = 64;
constexpr size_t kPad = 16;  // elements, for states smaller than a vector
// Less work than this takes no longer than to start a thread.
constexpr uint64_t kWorthThreads = uint64_t{1} << 18;

// The buffers of one thread.
template <class Real>
class Planes {
 public:
  explicit Planes(uint32_t bits) : size_(std::max(size_t{1} << bits, kPad)) {
    memory_.reset(
        static_cast<Real*>(::operator new[](2 * size_ * sizeof(Real), std::align_val_t{kLine})));
  }
  Real* re() { return memory_.get(); }
  Real* im() { return memory_.get() + size_; }

 private:
  struct Release {
    void operator()(Real* memory) const { ::operator delete[](memory, std::align_val_t{kLine}); }
  };
  size_t size_;
  std::unique_ptr<Real, Release> memory_;
};

// Number `tile` spread over the qubits outside of the tile.
size_t BaseOf(size_t tile, size_t outside) {
  size_t base = 0;
  for (; outside != 0 && tile != 0; outside &= outside - 1, tile >>= 1) {
    if ((tile & 1) != 0) base |= outside & -outside;
  }
  return base;
}

template <class Real>
void RunPass(const Pass& pass, RunTile<Real> run, Real* state, uint32_t qubits,
             std::atomic<size_t>& next, Planes<Real>& planes) {
  const auto bits = static_cast<uint32_t>(std::popcount(pass.qubits));
  const size_t outside = ((size_t{1} << qubits) - 1) & ~size_t{pass.qubits};
  const size_t tiles = size_t{1} << (qubits - bits);
  TilePlace place;
  place.bits = bits;
  place.run = std::min(bits, static_cast<uint32_t>(std::countr_one(pass.qubits)));
  place.places = pass.qubits & ~((size_t{1} << place.run) - 1);
  for (size_t tile = next++; tile < tiles; tile = next++) {
    place.base = BaseOf(tile, outside);
    run(state, place, pass.gates.data(), pass.gates.size(), planes.re(), planes.im());
  }
}

}  // namespace

template <class Real>
void ApplyOperations(std::complex<Real>* state, uint32_t qubits,
                     std::span<const Operation> operations, std::span<const Matrix> matrices,
                     const EngineOptions& options) {
  const std::vector<Pass> passes =
      PlanPasses(qubits, operations, matrices, {options.fuse, options.tile_bits});
  if (passes.empty()) return;
  const auto bits = static_cast<uint32_t>(std::popcount(passes[0].qubits));
  uint64_t gates = 0;
  for (const Pass& pass : passes) gates += pass.gates.size();
  const uint64_t tiles = uint64_t{1} << (qubits - bits);
  const uint64_t threads =
      (gates << qubits) < kWorthThreads
          ? 1
          : std::min<uint64_t>(tiles, options.threads == 0 ? Processors() : options.threads);
  const RunTile<Real> run = TileRunner<Real>(options.level);
  auto* numbers = reinterpret_cast<Real*>(state);  // as [complex.numbers] allows
  std::vector<std::atomic<size_t>> next(passes.size());
  Team team(static_cast<uint32_t>(threads));
  team.Run([&](bool is_first) {
    Planes<Real> planes(bits);
    for (size_t k = 0; k < passes.size(); ++k) {
      RunPass(passes[k], run, numbers, qubits, next[k], planes);
      team.Wait();
      const auto until = [&](size_t count) { return operations.size() * count / passes.size(); };
      if (is_first && options.advance != nullptr) options.advance->done += until(k + 1) - until(k);
    }
  });
}

template void ApplyOperations<float>(std::complex<float>*, uint32_t, std::span<const Operation>,
                                     std::span<const Matrix>, const EngineOptions&);
template void ApplyOperations<double>(std::complex<double>*, uint32_t, std::span<const Operation>,
                                      std::span<const Matrix>, const EngineOptions&);

}  // namespace hologram::statevector
