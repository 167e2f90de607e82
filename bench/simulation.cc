// Whole kernels against AVX-512 intrinsics written as an ISPC programmer would have them: 16 work
// items a vector, functions by SLEEF, reciprocal roots by the approximation and a Newton step.
#include <cmath>
#include <cstring>

#include "peers.h"
#include "workbench.h"

namespace hologram::bench {
namespace {

constexpr const char* kPeer = "AVX-512 intrinsics";

void Mandelbrot(Executor& executor, Report& report) {
  const uint32_t size = 1024;
  const uint32_t limit = 256;
  const float step = 2.5f / 1024;
  const Kernel kernel = Native(executor, "mandelbrot");
  Buffer<uint32_t> ours(size_t{size} * size);
  Buffer<uint32_t> theirs(size_t{size} * size);
  LaunchConfig config;
  config.grid = {size / 256, size, 1};
  config.block = {256, 1, 1};
  const auto run_ours = [&] {
    kernel.launch(config, ours, size, size, -2.0f, -1.25f, step, step, limit);
    Clobber(ours.data());
  };
  const auto run_theirs = [&] {
    MandelbrotAvx512(theirs.data(), size, size, -2.0f, -1.25f, step, step, limit);
    Clobber(theirs.data());
  };
  run_ours();
  run_theirs();
  if (std::memcmp(ours.data(), theirs.data(), ours.size() * sizeof(uint32_t)) != 0) {
    report.Note("mandelbrot: the pictures DIFFER from the intrinsics version");
  }
  report.AgainstPeer({"Mandelbrot, 256 rounds", "1024 x 1024", kPeer, 1.0}, run_ours, run_theirs);
}

float LargestDifference(const Floats& a, const Floats& b) {
  float largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::fmax(largest, std::fabs(a[i] - b[i]));
  return largest;
}

void BlackScholes(Executor& executor, Report& report) {
  auto kernel = NativeOf<Floats, Floats, Floats, Floats, Floats, float, float, uint32_t>(
      executor, "black_scholes");
  const uint32_t n = 16384;
  Floats spot = Filled(n, 50, 150);
  Floats strike = Filled(n + 1, 80, 120);
  Floats years = Filled(n + 2, 0.1, 3);
  Floats call(n), put(n), their_call(n), their_put(n);
  const auto ours = [&] {
    kernel(spot, strike, years, call, put, 0.02f, 0.3f, n);
    Clobber(call.data());
  };
  const auto theirs = [&] {
    BlackScholesAvx512(spot.data(), strike.data(), years.data(), their_call.data(),
                       their_put.data(), 0.02f, 0.3f, n);
    Clobber(their_call.data());
  };
  ours();
  theirs();
  if (LargestDifference(call, their_call) > 1e-3f || LargestDifference(put, their_put) > 1e-3f) {
    report.Note("Black-Scholes: the prices DIFFER from the intrinsics version");
  }
  report.AgainstPeer({"Black-Scholes", SizeName(n), kPeer, 1.0}, ours, theirs);
}

struct Bodies {
  explicit Bodies(uint32_t n)
      : x(Filled(n, -1, 1)),
        y(Filled(n + 1, -1, 1)),
        z(Filled(n + 2, -1, 1)),
        mass(Filled(n, 0, 1)),
        vx(n),
        vy(n),
        vz(n) {}
  Floats x, y, z, mass, vx, vy, vz;
};

void NBody(Executor& executor, Report& report) {
  auto kernel =
      NativeOf<Floats, Floats, Floats, Floats, Floats, Floats, Floats, float, float, uint32_t>(
          executor, "nbody_velocity");
  const uint32_t n = 1024;
  Bodies a(n);
  Bodies b(n);
  const auto ours = [&] {
    kernel(a.x, a.y, a.z, a.mass, a.vx, a.vy, a.vz, 1e-6f, 1e-2f, n);
    Clobber(a.vx.data());
  };
  const auto theirs = [&] {
    NBodyVelocityAvx512(b.x.data(), b.y.data(), b.z.data(), b.mass.data(), b.vx.data(), b.vy.data(),
                        b.vz.data(), 1e-6f, 1e-2f, n);
    Clobber(b.vx.data());
  };
  ours();
  theirs();
  if (LargestDifference(a.vx, b.vx) > 1e-4f) {
    report.Note("n-body: the velocities DIFFER from the intrinsics version");
  }
  report.AgainstPeer({"n-body velocities", SizeName(n), kPeer, 1.0}, ours, theirs);
}

}  // namespace

void Simulation(Executor& executor, Report& report) {
  if (!MandelbrotAvx512Available()) {
    return report.Note("SKIPPED: the peers need AVX-512");
  }
  Mandelbrot(executor, report);
  BlackScholes(executor, report);
  NBody(executor, report);
}

}  // namespace hologram::bench
