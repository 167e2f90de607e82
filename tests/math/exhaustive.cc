// Tries every f32 input of the canonical functions of one operand: the largest error and its input,
// NaN, and that all instruction sets of this machine agree (without fused multiply-add hardware: on
// every 64th input). Errors are counted against the C library in f64; where one exceeds 0.9 of what
// is promised, MPFR decides if the build found it (arbiter.h). Prints the table of docs/math.md;
// exit code 1 where a promise is broken. Ten minutes on two cores.
//   math_exhaustive [<function>|all [<step>]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "math/arbiter.h"
#include "math/reference.h"

namespace hologram::math {
namespace {

constexpr std::uint64_t kInputs = std::uint64_t{1} << 32;
constexpr std::size_t kChunk = std::size_t{1} << 14;
constexpr double kDoubtful = 0.9;  // of the bound

struct Findings {
  double worst = 0;
  std::uint32_t worst_input = 0;
  std::uint64_t not_nearest = 0;
  std::uint64_t wrong_nan = 0;
  std::uint64_t levels_differ = 0;
  std::uint64_t decreases = 0;  // between neighbouring inputs
  std::uint64_t arbitrated = 0;

  void Add(const Findings& other) {
    if (other.worst > worst) {
      worst = other.worst;
      worst_input = other.worst_input;
    }
    not_nearest += other.not_nearest;
    wrong_nan += other.wrong_nan;
    levels_differ += other.levels_differ;
    decreases += other.decreases;
    arbitrated += other.arbitrated;
  }
};

// glibc's f64 functions err by less than one unit of f64, 2^-29 of f32.
void Inspect(const Form& form, float x, float y, Findings* findings) {
  if (std::isnan(x)) {
    if (std::bit_cast<std::uint32_t>(y) != 0x7fc00000) ++findings->wrong_nan;
    return;
  }
  const double exact = form.reference.f64(static_cast<double>(x), 0);
  if (std::isnan(exact)) {
    if (std::bit_cast<std::uint32_t>(y) != 0x7fc00000) ++findings->wrong_nan;
    return;
  }
  if (y != static_cast<float>(exact)) ++findings->not_nearest;
  double error = UlpError(y, exact);
  if (kHasArbiter && error > kDoubtful * form.max_ulp_f32()) {
    error = ArbitratedUlpError(form.function(), x, y);
    ++findings->arbitrated;
  }
  if (error > findings->worst) {
    findings->worst = error;
    findings->worst_input = std::bit_cast<std::uint32_t>(x);
  }
}

void RunOn(const BatchTable& table, const Form& form, const float* x, float* y, std::size_t n) {
  table.Find32(form.function(), form.fast)(x, x, y, n);
}

void InspectChunk(const Form& form, const std::vector<float>& x, std::uint64_t index,
                  Findings* findings) {
  static const std::vector<const BatchTable*> tables = AvailableBatchTables();
  std::vector<float> y(x.size());
  std::vector<float> other(x.size());
  RunOn(*tables.back(), form, x.data(), y.data(), x.size());
  for (const BatchTable* table : tables) {
    const bool slow = table == tables.front();
    if (table == tables.back() || (slow && index % 64 != 0)) continue;
    RunOn(*table, form, x.data(), other.data(), x.size());
    if (std::memcmp(y.data(), other.data(), y.size() * sizeof(float)) != 0) {
      ++findings->levels_differ;
    }
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    Inspect(form, x[i], y[i], findings);
    if (i == 0 || std::isnan(x[i]) || !form.reference.increasing) continue;
    const bool down = x[i] < 0;  // negative patterns count downwards
    if (down ? y[i] > y[i - 1] : y[i] < y[i - 1]) ++findings->decreases;
  }
}

Findings InspectAll(const Form& form, std::uint64_t step) {
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t chunk_inputs = kChunk * step;
  std::vector<Findings> parts(threads);
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      std::vector<float> x(kChunk);
      for (std::uint64_t c = t; c * chunk_inputs < kInputs; c += threads) {
        for (std::size_t i = 0; i < kChunk; ++i) {
          const std::uint64_t pattern = c * chunk_inputs + i * step + c % step;
          x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
        }
        InspectChunk(form, x, c, &parts[t]);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  Findings all;
  for (const Findings& part : parts) all.Add(part);
  return all;
}

// One row of the table. True if every promise is kept.
bool Report(const Form& form, std::uint64_t step) {
  const Findings found = InspectAll(form, step);
  const float x = std::bit_cast<float>(found.worst_input);
  float y = 0;
  RunOn(BestBatch(), form, &x, &y, 1);
  const double inputs = static_cast<double>(kInputs / step);
  const auto text = [](std::uint64_t count) { return std::to_string(count); };
  std::printf("| %s | %.4f | 0x%08x = %a | %a | %.3f %% | %s | %s | %s | %s |\n",
              form.name().c_str(), found.worst, found.worst_input, static_cast<double>(x),
              static_cast<double>(y), 100.0 * static_cast<double>(found.not_nearest) / inputs,
              kHasArbiter ? text(found.arbitrated).c_str() : "no MPFR",
              form.reference.increasing ? text(found.decreases).c_str() : "-",
              text(found.wrong_nan).c_str(), text(found.levels_differ).c_str());
  std::fflush(stdout);
  return found.worst <= form.max_ulp_f32() && found.wrong_nan == 0 && found.levels_differ == 0;
}

}  // namespace
}  // namespace hologram::math

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "all";
  const std::uint64_t step = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  if (step == 0 || step > 65536) {
    std::fprintf(stderr, "error: expected a step from 1 to 65536, found %s\n", argv[2]);
    return 1;
  }
  bool known = false;
  bool kept = true;
  std::printf(
      "| function | max ulp | worst input | result | not nearest | by MPFR | decreases | wrong NaN "
      "| "
      "differing levels |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  for (const hologram::math::Form& form : hologram::math::AllForms()) {
    if (form.num_operands() != 1) continue;
    if (std::strcmp(name, "all") != 0 && name != form.name()) continue;
    known = true;
    kept = hologram::math::Report(form, step) && kept;
  }
  if (!known)
    std::fprintf(stderr, "error: expected a function of the table or all, found %s\n", name);
  return known && kept ? 0 : 1;
}
