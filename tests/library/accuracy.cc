// The errors of the functions that are written in the language, as native code computes them: f32
// against the C library in f64, f64 and functions of two operands against its 80-bit format, whose
// errors are 2^-29 and 2^-11 of a unit. All inputs of f32, or every STEP-th; POINTS random pairs of
// f32 and a sixteenth as many points of f64, half of them bit patterns, the others spread over
// where the function is interesting. Prints the table of docs/math.md; fails if an error is above
// its bound. Rows are appended to RESULTS as they are found, and what is in it already is not
// measured again: a long run may be stopped (scripts/sweep_functions.sh).
//
//   library_accuracy KERNELS.holo [<function>|all [<step> [<points> [RESULTS]]]]
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
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
  double (*f64)(double, double);
  long double (*f80)(long double, long double);
};

constexpr Pair kTwo[] = {
    {"hypot", [](double x, double y) { return std::hypot(x, y); },
     [](long double x, long double y) { return std::hypot(x, y); }},
    {"fmod", [](double x, double y) { return std::fmod(x, y); },
     [](long double x, long double y) { return std::fmod(x, y); }},
    {"copysign", [](double x, double y) { return std::copysign(x, y); },
     [](long double x, long double y) { return std::copysign(x, y); }},
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
    not_nearest += error > 0.5 ? 1 : 0;
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

// The error of a result in f32, which is that of UlpError: asked only where it may be the worst,
// because most results are close to a normal number, and there the unit is one of its exponent
// bits.
void Judge(float x, float z, float y, double exact, Worst& worst) {
  constexpr uint64_t kExponent = 0x7ff0000000000000;
  constexpr double kSmallest = 0x1p-126;
  constexpr double kLargest = 0x1p+127;
  const double size = std::fabs(exact);
  if (size >= kSmallest && size < kLargest) {
    const double power = std::bit_cast<double>(std::bit_cast<uint64_t>(exact) & kExponent);
    const double error = std::fabs(static_cast<double>(y) - exact) / (power * 0x1p-23);
    if (error <= worst.ulp) {
      ++worst.points;
      worst.not_nearest += error > 0.5 ? 1 : 0;
      return;
    }
  }
  worst.Add(UlpError(y, exact), x, z, y);
}

void Judge(const std::string& name, double x, double y, long double exact, Worst& worst) {
  double error = UlpError(y, exact);
  if (name == "lgamma" && x < 0 && error > 1 && std::isfinite(exact)) {
    const auto absolute = static_cast<double>(std::fabs(static_cast<long double>(y) - exact));
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
      Judge(x[i], 0, y[i], function.f64(static_cast<double>(x[i])), worst);
    }
  }
  return worst;
}

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

template <class T>
T Pattern(std::mt19937_64& random) {
  return std::bit_cast<T>(static_cast<BitsOf<T>>(random()));
}

// Between 1/8 and 2, of either sign.
template <class T>
T Near(std::mt19937_64& random) {
  constexpr int kMantissa = std::numeric_limits<T>::digits - 1;
  constexpr uint64_t kBias = std::numeric_limits<T>::max_exponent - 1;
  const uint64_t bits = random();
  const auto mantissa = static_cast<BitsOf<T>>(bits) & ((BitsOf<T>{1} << kMantissa) - 1);
  const auto head = static_cast<BitsOf<T>>(kBias - (bits >> 61 & 3));
  const T size = std::bit_cast<T>(static_cast<BitsOf<T>>(head << kMantissa | mantissa));
  return bits >> 63 == 0 ? size : -size;
}

Worst Sample(hologram::Executor& exec, const Function& function, uint64_t points, uint64_t seed) {
  const hologram::Kernel kernel = exec.kernel(std::string(function.name) + "_of_f64");
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> inside(function.low, function.high);
  std::uniform_real_distribution<double> size(-12, 0);
  Worst worst;
  std::vector<double> x(kChunk), y(kChunk);
  for (uint64_t done = 0; done < points; done += kChunk) {
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(kChunk, points - done));
    for (uint32_t i = 0; i < kChunk; i += 4) {
      x[i] = Pattern<double>(random);
      x[i + 1] = x[i + 2] = inside(random);
      x[i + 2] *= std::pow(10, size(random));
      x[i + 3] =
          (random() % 2 == 0 ? 1.0 : 2.0) + (inside(random) - 1) * std::pow(10, size(random));
    }
    kernel.launch({.threads = 1}, x, y, count);
    for (uint32_t i = 0; i < count; ++i) {
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
  Worst worst;
  std::vector<T> x(kChunk), z(kChunk), y(kChunk);
  for (uint64_t done = 0; done < points; done += kChunk) {
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(kChunk, points - done));
    for (uint32_t i = 0; i < kChunk; i += 2) {
      x[i] = Pattern<T>(random);
      z[i] = Pattern<T>(random);
      x[i + 1] = Near<T>(random);
      z[i + 1] = Near<T>(random);
    }
    kernel.launch({.threads = 1}, x, z, y, count);
    for (uint32_t i = 0; i < count; ++i) {
      if constexpr (sizeof(T) == 4) {
        Judge(x[i], z[i], y[i], function.f64(x[i], z[i]), worst);
      } else {
        const long double exact = function.f80(x[i], z[i]);
        worst.Add(UlpError(y[i], exact), x[i], z[i], y[i]);
      }
    }
  }
  return worst;
}

uint64_t PartOf(uint64_t points, unsigned part, unsigned parts) {
  return points / parts + (part < points % parts ? 1 : 0);
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

// Rows that were found, in a file that outlives a run, and on standard output.
class Results {
 public:
  explicit Results(const char* path) : path_(path) {
    std::ifstream file(path_);
    for (std::string row; std::getline(file, row);) rows_.push_back(row);
  }

  // Measures with `measure` and gives whether the error is within the bound, unless the file says.
  template <class Measure>
  bool Add(const std::string& name, uint64_t points, double bound, Measure measure) {
    const std::string head = "| " + name + " | " + std::to_string(points) + " |";
    for (const std::string& row : rows_) {
      if (row.starts_with(head)) return row.find("FAILED") == std::string::npos;
    }
    const Worst worst = measure();
    const std::string row = head + Tail(worst, bound);
    std::printf("%s\n", row.c_str());
    std::fflush(stdout);
    if (!path_.empty()) std::ofstream(path_, std::ios::app) << row << "\n" << std::flush;
    return worst.points == points && worst.ulp <= bound;
  }

 private:
  static std::string Tail(const Worst& worst, double bound) {
    char text[200];
    int size = std::snprintf(text, sizeof text, " %.4f | %a", worst.ulp, worst.x);
    std::string tail(text, static_cast<size_t>(size));
    size = worst.z == 0 ? 0 : std::snprintf(text, sizeof text, ", %a", worst.z);
    tail.append(text, static_cast<size_t>(size));
    size = std::snprintf(
        text, sizeof text, " | %a | %.4f %% |", worst.y,
        100.0 * static_cast<double>(worst.not_nearest) / static_cast<double>(worst.points));
    tail.append(text, static_cast<size_t>(size));
    size = worst.absolute == 0 ? 0
                               : std::snprintf(text, sizeof text, " beside roots 2^%.1f",
                                               std::log2(worst.absolute));
    tail.append(text, static_cast<size_t>(size));
    return tail + (worst.ulp <= bound ? "" : " FAILED");
  }

  std::string path_;
  std::vector<std::string> rows_;
};

// What a run measures.
struct Run {
  const char* bundle;
  uint64_t step;
  uint64_t points;
  uint64_t points64() const { return (points + 15) / 16; }
};

bool Measure(const Run& run, const Function& function, Results& results) {
  const uint64_t inputs = ((uint64_t{1} << 32) + run.step - 1) / run.step;
  bool good = results.Add(function.name, inputs, kMaxUlp32, [&] {
    return OnAll(run.bundle, [&](hologram::Executor& exec, unsigned part, unsigned parts) {
      return Sweep(exec, function, part * run.step, uint64_t{1} << 32, run.step * parts);
    });
  });
  good &= results.Add(std::string(function.name) + " f64", run.points64(), kMaxUlp64, [&] {
    return OnAll(run.bundle, [&](hologram::Executor& exec, unsigned part, unsigned parts) {
      return Sample(exec, function, PartOf(run.points64(), part, parts), part + 1);
    });
  });
  return good;
}

bool Measure(const Run& run, const Pair& function, Results& results) {
  bool good = results.Add(function.name, run.points, kMaxUlp32, [&] {
    return OnAll(run.bundle, [&](hologram::Executor& exec, unsigned part, unsigned parts) {
      return SamplePairs<float>(exec, function, PartOf(run.points, part, parts), part + 1);
    });
  });
  good &= results.Add(std::string(function.name) + " f64", run.points64(), kMaxUlp64, [&] {
    return OnAll(run.bundle, [&](hologram::Executor& exec, unsigned part, unsigned parts) {
      return SamplePairs<double>(exec, function, PartOf(run.points64(), part, parts), part + 1);
    });
  });
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 2 ? argv[2] : "all";
  const uint64_t step = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  const uint64_t points = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1 << 28;
  if (argc < 2 || step == 0 || points == 0) return 2;
  const Run run{argv[1], step, points};
  Results results(argc > 5 ? argv[5] : "");
  bool good = true;
  for (const Function& function : kOne) {
    if (wanted == "all" || wanted == function.name) good &= Measure(run, function, results);
  }
  for (const Pair& function : kTwo) {
    if (wanted == "all" || wanted == function.name) good &= Measure(run, function, results);
  }
  return good ? 0 : 1;
}
