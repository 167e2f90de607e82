#include "profile/probes.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

// Operations of one call; the sum of all chains stays, so that none is left out.
using Burst = double (*)(double& kept);

#if defined(__x86_64__)
__attribute__((target("avx512f"))) double Wide32(double& kept) {
  __m512 chains[kChains];
  const __m512 factor = _mm512_set1_ps(0.999F);
  for (__m512& chain : chains) chain = _mm512_set1_ps(1.0F);
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) chains[k] = _mm512_fmadd_ps(chains[k], factor, factor);
  }
  for (const __m512& chain : chains) kept += static_cast<double>(_mm512_cvtss_f32(chain));
  return 2.0 * kChains * kRounds * 16;
}

__attribute__((target("avx512f"))) double Wide64(double& kept) {
  __m512d chains[kChains];
  const __m512d factor = _mm512_set1_pd(0.999);
  for (__m512d& chain : chains) chain = _mm512_set1_pd(1.0);
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) chains[k] = _mm512_fmadd_pd(chains[k], factor, factor);
  }
  for (const __m512d& chain : chains) kept += _mm512_cvtsd_f64(chain);
  return 2.0 * kChains * kRounds * 8;
}

__attribute__((target("avx2,fma"))) double Middle32(double& kept) {
  __m256 chains[kChains];
  const __m256 factor = _mm256_set1_ps(0.999F);
  for (__m256& chain : chains) chain = _mm256_set1_ps(1.0F);
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) chains[k] = _mm256_fmadd_ps(chains[k], factor, factor);
  }
  for (const __m256& chain : chains) kept += static_cast<double>(_mm256_cvtss_f32(chain));
  return 2.0 * kChains * kRounds * 8;
}

__attribute__((target("avx2,fma"))) double Middle64(double& kept) {
  __m256d chains[kChains];
  const __m256d factor = _mm256_set1_pd(0.999);
  for (__m256d& chain : chains) chain = _mm256_set1_pd(1.0);
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) chains[k] = _mm256_fmadd_pd(chains[k], factor, factor);
  }
  for (const __m256d& chain : chains) kept += _mm256_cvtsd_f64(chain);
  return 2.0 * kChains * kRounds * 4;
}
#endif

// Vectors of 16 bytes, which every machine has. On those with fma as part of them (AArch64) a
// product and a sum would be half of what they can.
template <class T>
double Narrow(double& kept) {
  typedef T Vector __attribute__((vector_size(16)));
  constexpr int kLanes = 16 / sizeof(T);
  Vector chains[kChains];
  const Vector factor = Vector{} + static_cast<T>(0.999);
  for (Vector& chain : chains) chain = Vector{} + static_cast<T>(1);
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) {
#if defined(__aarch64__)
      for (int lane = 0; lane < kLanes; ++lane) {
        chains[k][lane] = sizeof(T) == 4
                              ? static_cast<T>(__builtin_fmaf(static_cast<float>(chains[k][lane]),
                                                              static_cast<float>(factor[lane]),
                                                              static_cast<float>(factor[lane])))
                              : static_cast<T>(__builtin_fma(static_cast<double>(chains[k][lane]),
                                                             static_cast<double>(factor[lane]),
                                                             static_cast<double>(factor[lane])));
      }
#else
      chains[k] = chains[k] * factor + factor;
#endif
    }
  }
  for (const Vector& chain : chains) kept += static_cast<double>(chain[0]);
  return 2.0 * kChains * kRounds * kLanes;
}

Burst BurstOf(uint32_t bits) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) return bits == 64 ? Wide64 : Wide32;
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    return bits == 64 ? Middle64 : Middle32;
  }
#endif
  return bits == 64 ? Narrow<double> : Narrow<float>;
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
  const Burst burst = BurstOf(bits);
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
