#include "profile/probes.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace hologram::profile {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kBandwidthSeconds = 0.125;
constexpr double kArithmeticSeconds = 0.03;

// Vectors as wide as the machine has, so that small sizes are bound by the caches as kernels are.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("default", "avx2", "avx512f")))
#endif
void Add(const float* __restrict a, const float* __restrict b, float* __restrict c, size_t n) {
  for (size_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Chains that do not wait for each other: more than a unit has stages, times the units.
constexpr int kChains = 12;
constexpr int kRounds = 2000;

// A call gives its operations; the sum of all chains is kept, so that none is left out.
using Burst = double (*)(double& kept);

// With vectors of so many bytes. A product and its sum are one instruction where the target of the
// caller has it: this file is compiled with -ffp-contract=fast.
template <class T, int kBytes>
[[gnu::always_inline]] inline double Run(double& kept) {
  typedef T Vector __attribute__((vector_size(kBytes)));
  Vector chains[kChains];
  const Vector factor = Vector{} + static_cast<T>(0.999);
  for (Vector& chain : chains) chain = Vector{} + static_cast<T>(1);
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) chains[k] = chains[k] * factor + factor;
  }
  for (const Vector& chain : chains) kept += static_cast<double>(chain[0]);
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  return 2.0 * kChains * kRounds * kLanes;
}

#if defined(__x86_64__)
template <class T>
__attribute__((target("avx512f"))) double Wide(double& kept) {
  return Run<T, 64>(kept);
}

template <class T>
__attribute__((target("avx2,fma"))) double Middle(double& kept) {
  return Run<T, 32>(kept);
}
#endif

template <class T>
double Narrow(double& kept) {
  return Run<T, 16>(kept);
}

template <class T>
Burst BurstOf() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) return Wide<T>;
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return Middle<T>;
#endif
  return Narrow<T>;
}

}  // namespace

double ProbeBandwidth(uint64_t bytes) {
  constexpr uint64_t kMaxBytes = uint64_t{192} << 20;
  constexpr uint64_t kMinBytes = 3 * 64 * sizeof(float);
  const uint64_t used = std::clamp(bytes, kMinBytes, kMaxBytes);
  const size_t n = used / 3 / sizeof(float);
  const std::unique_ptr<float[]> arrays[3] = {
      std::unique_ptr<float[]>(new (std::nothrow) float[n]()),
      std::unique_ptr<float[]>(new (std::nothrow) float[n]()),
      std::unique_ptr<float[]>(new (std::nothrow) float[n]())};
  for (const auto& array : arrays) {
    if (array == nullptr) return 0;
  }
  // Short runs are repeated inside of one measurement: a clock is not finer than tens of ns.
  const size_t rounds = std::max<size_t>(1, (size_t{1} << 18) / n);
  std::vector<double> seconds;
  const auto begin = Clock::now();
  Add(arrays[0].get(), arrays[1].get(), arrays[2].get(), n);
  do {
    const auto start = Clock::now();
    for (size_t r = 0; r < rounds; ++r) {
      Add(arrays[0].get(), arrays[1].get(), arrays[2].get(), n);
      asm volatile("" ::: "memory");  // each round is done
    }
    seconds.push_back(SecondsSince(start) / static_cast<double>(rounds));
  } while (SecondsSince(begin) < kBandwidthSeconds || seconds.size() < 3);
  std::sort(seconds.begin(), seconds.end());
  const size_t middle = seconds.size() / 2;
  const double median =
      seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
  return static_cast<double>(n) * 3 * sizeof(float) / median;
}

double ProbeArithmetic(uint32_t bits) {
  const Burst burst = bits == 64 ? BurstOf<double>() : BurstOf<float>();
  double kept = 0;
  double best = 0;
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    const double operations = burst(kept);
    best = std::max(best, operations / SecondsSince(start));
  } while (SecondsSince(begin) < kArithmeticSeconds);
  asm volatile("" ::"g"(&kept) : "memory");  // the chains were needed
  return best;
}

}  // namespace hologram::profile
