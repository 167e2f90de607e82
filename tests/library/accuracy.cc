// The errors of the functions that are written in the language, as native code computes them: f32
// against the C library in f64, f64 and functions of two operands against its 80-bit format, whose
// errors are 2^-29 and 2^-11 of a unit. All inputs of f32, or every STEP-th; POINTS random ones of
// f64, half of them bit patterns, the others spread over where the function is interesting. Prints
// the table of docs/math.md; fails if an error is above its bound.
//
//   library_accuracy KERNELS.holo [<function>|all [<step> [<points>]]]
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "hologram/hologram.hpp"
#include "math/reference.h"

namespace {

using hologram::math::UlpError;

struct Function {
  const char* name;
  double (*f64)(double);
  long double (*f80)(long double);
  double low, high;  // where random points of f64 lie
};

constexpr Function kOne[] = {
    {"asin", [](double x) { return std::asin(x); }, [](long double x) { return std::asin(x); }, -1,
     1},
    {"acos", [](double x) { return std::acos(x); }, [](long double x) { return std::acos(x); }, -1,
     1},
    {"atan", [](double x) { return std::atan(x); }, [](long double x) { return std::atan(x); }, -9,
     9},
    {"sinh", [](double x) { return std::sinh(x); }, [](long double x) { return std::sinh(x); }, -40,
     40},
    {"cosh", [](double x) { return std::cosh(x); }, [](long double x) { return std::cosh(x); }, -40,
     40},
    {"asinh", [](double x) { return std::asinh(x); }, [](long double x) { return std::asinh(x); },
     -5, 5},
    {"acosh", [](double x) { return std::acosh(x); }, [](long double x) { return std::acosh(x); },
     1, 5},
    {"atanh", [](double x) { return std::atanh(x); }, [](long double x) { return std::atanh(x); },
     -1, 1},
    {"cbrt", [](double x) { return std::cbrt(x); }, [](long double x) { return std::cbrt(x); }, -9,
     9},
    {"erfc", [](double x) { return std::erfc(x); }, [](long double x) { return std::erfc(x); }, -6,
     28},
    {"lgamma", [](double x) { return std::lgamma(x); },
     [](long double x) { return std::lgamma(x); }, -9, 40},
};

struct Pair {
  const char* name;
  long double (*f80)(long double, long double);
};

constexpr Pair kTwo[] = {
    {"hypot", [](long double x, long double y) { return std::hypot(x, y); }},
    {"fmod", [](long double x, long double y) { return std::fmod(x, y); }},
};

constexpr double kMaxUlp32 = 1.0;
constexpr double kMaxUlp64 = 1.5;
// Of lgamma in f64 below 0, where it has roots between the integers.
constexpr double kMaxAbsolute = 0x1p-48;
constexpr uint32_t kChunk = 1 << 16;

// What was found so far; the worst error is the one above its bound by most.
struct Worst {
  uint64_t points = 0;
  double ulp = 0;
  double x = 0, z = 0, y = 0;
  double absolute = 0;  // of lgamma beside its roots
  uint64_t not_nearest = 0;

  void Add(double error, double at, double other, double result) {
    ++points;
    not_nearest += error > 0.5;
    if (error <= ulp) return;
    ulp = error;
    x = at;
    z = other;
    y = result;
  }
  void Add(const Worst& other) {
    points += other.points;
    not_nearest += other.not_nearest;
    absolute = std::max(absolute, other.absolute);
    if (other.ulp <= ulp) return;
    ulp = other.ulp;
    x = other.x;
    z = other.z;
    y = other.y;
  }
};

template <class T, class Exact>
void Judge(const std::string& name, T x, T y, Exact exact, Worst& worst) {
  double error = UlpError(y, exact);
  if (sizeof(T) == 8 && name == "lgamma" && x < 0 && error > 1 && std::isfinite(exact)) {
    const double absolute = static_cast<double>(std::fabs(static_cast<Exact>(y) - exact));
    if (absolute <= kMaxAbsolute) {
      worst.absolute = std::max(worst.absolute, absolute);
      error = 0.5;
    }
  }
  worst.Add(error, x, 0, y);
}

// All inputs of f32 from `first` on, `step` apart.
Worst Sweep(hologram::Executor& exec, const Function& function, uint64_t first, uint64_t end,
            uint64_t step) {
  const hologram::Kernel kernel = exec.kernel(std::string(function.name) + "_of_f32");
  Worst worst;
  std::vector<float> x(kChunk), y(kChunk);
  for (uint64_t bits = first; bits < end;) {
    uint32_t n = 0;
    for (; n < kChunk && bits < end; ++n, bits += step) {
      x[n] = std::bit_cast<float>(static_cast<uint32_t>(bits));
    }
    kernel.launch({.threads = 1}, x, y, n);
    for (uint32_t i = 0; i < n; ++i) {
      Judge(function.name, x[i], y[i], function.f64(static_cast<double>(x[i])), worst);
    }
  }
  return worst;
}

template <class T>
T Pattern(std::mt19937_64& random) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<T>(static_cast<uint32_t>(random()));
  return static_cast<T>(std::bit_cast<double>(random()));
}

Worst Sample(hologram::Executor& exec, const Function& function, uint64_t points, uint64_t seed) {
  const hologram::Kernel kernel = exec.kernel(std::string(function.name) + "_of_f64");
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> inside(function.low, function.high);
  std::uniform_real_distribution<double> size(-12, 0);
  Worst worst;
  std::vector<double> x(kChunk), y(kChunk);
  for (uint64_t done = 0; done < points; done += kChunk) {
    for (uint32_t i = 0; i < kChunk; i += 4) {
      x[i] = Pattern<double>(random);
      x[i + 1] = x[i + 2] = inside(random);
      x[i + 2] *= std::pow(10, size(random));
      x[i + 3] =
          (random() % 2 == 0 ? 1.0 : 2.0) + (inside(random) - 1) * std::pow(10, size(random));
    }
    kernel.launch({.threads = 1}, x, y, kChunk);
    for (uint32_t i = 0; i < kChunk; ++i) {
      Judge(function.name, x[i], y[i], function.f80(static_cast<long double>(x[i])), worst);
    }
  }
  return worst;
}

// Half of the pairs are patterns, half have neighbouring exponents.
template <class T>
Worst SamplePairs(hologram::Executor& exec, const Pair& function, uint64_t points, uint64_t seed) {
  const std::string type = sizeof(T) == 4 ? "_of_f32" : "_of_f64";
  const hologram::Kernel kernel = exec.kernel(function.name + type);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> near;
  Worst worst;
  std::vector<T> x(kChunk), z(kChunk), y(kChunk);
  for (uint64_t done = 0; done < points; done += kChunk) {
    for (uint32_t i = 0; i < kChunk; i += 2) {
      x[i] = Pattern<T>(random);
      z[i] = Pattern<T>(random);
      x[i + 1] = static_cast<T>(near(random));
      z[i + 1] = static_cast<T>(near(random));
    }
    kernel.launch({.threads = 1}, x, z, y, kChunk);
    for (uint32_t i = 0; i < kChunk; ++i) {
      const long double exact =
          function.f80(static_cast<long double>(x[i]), static_cast<long double>(z[i]));
      double error = 0;
      if constexpr (sizeof(T) == 4) {
        error = UlpError(y[i], static_cast<double>(exact));
      } else {
        error = UlpError(y[i], exact);
      }
      worst.Add(error, x[i], z[i], y[i]);
    }
  }
  return worst;
}

// The work in as many parts as there are processors, each with kernels of its own.
template <class Work>
Worst OnAll(const char* bundle, Work work) {
  const unsigned count = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Worst> found(count);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      hologram::Executor exec = hologram::Executor::make_private();
      exec.load(bundle);
      found[i] = work(exec, i, count);
    });
  }
  for (std::thread& thread : threads) thread.join();
  Worst all;
  for (const Worst& worst : found) all.Add(worst);
  return all;
}

bool Print(const std::string& name, const Worst& worst, double bound) {
  std::printf("| %s | %llu | %.4f | %a", name.c_str(),
              static_cast<unsigned long long>(worst.points), worst.ulp, worst.x);
  if (worst.z != 0) std::printf(", %a", worst.z);
  std::printf(" | %a | %.4f %% |", worst.y,
              100.0 * static_cast<double>(worst.not_nearest) / static_cast<double>(worst.points));
  if (worst.absolute != 0) std::printf(" beside roots 2^%.1f", std::log2(worst.absolute));
  const bool good = worst.ulp <= bound;
  std::printf("%s\n", good ? "" : " FAILED");
  std::fflush(stdout);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 2 ? argv[2] : "all";
  const uint64_t step = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  const uint64_t points = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1 << 24;
  if (argc < 2 || step == 0) return 2;
  bool good = true;
  for (const Function& function : kOne) {
    if (wanted != "all" && wanted != function.name) continue;
    const Worst all = OnAll(argv[1], [&](hologram::Executor& exec, unsigned part, unsigned parts) {
      return Sweep(exec, function, part * step, uint64_t{1} << 32, step * parts);
    });
    good &= Print(function.name, all, kMaxUlp32);
    const Worst some = OnAll(argv[1], [&](hologram::Executor& exec, unsigned part, unsigned parts) {
      return Sample(exec, function, points / parts, part + 1);
    });
    good &= Print(std::string(function.name) + " f64", some, kMaxUlp64);
  }
  for (const Pair& function : kTwo) {
    if (wanted != "all" && wanted != function.name) continue;
    const Worst single =
        OnAll(argv[1], [&](hologram::Executor& exec, unsigned part, unsigned parts) {
          return SamplePairs<float>(exec, function, points / parts, part + 1);
        });
    good &= Print(function.name, single, kMaxUlp32);
    const Worst wide = OnAll(argv[1], [&](hologram::Executor& exec, unsigned part, unsigned parts) {
      return SamplePairs<double>(exec, function, points / parts, part + 1);
    });
    good &= Print(std::string(function.name) + " f64", wide, kMaxUlp64);
  }
  return good ? 0 : 1;
}
