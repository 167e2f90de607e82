// Blurs a step and prints it. The kernel was compiled when this program was built; it lies beside
// the program and is trusted by the hash in the generated header.
#include <cstdio>
#include <string_view>

#include "blur_kernels.h"
#include "hologram/hologram.hpp"

// The kernels of the header are constants of the compiler.
static_assert(std::string_view(blur_kernels::programs[0].name) == "blur");
static_assert(blur_kernels::programs[0].offset + blur_kernels::programs[0].size <=
              sizeof blur_kernels::bundle);

int main() {
  try {
    hologram::Executor exec;
    exec.load_beside(blur_kernels::file, blur_kernels::hash);
    const hologram::Kernel blur = exec.kernel("blur");
    std::printf("engine: %s\n", blur.path().c_str());

    const unsigned n = 10;
    hologram::Buffer<float> src(n);
    hologram::Buffer<float> dst(n);
    for (unsigned i = n / 2; i < n; ++i) src[i] = 1.0F;
    blur(src, dst, n);
    for (const float value : dst) std::printf("%g ", static_cast<double>(value));
    std::printf("\n");

    // The same bundle is in the program too (EMBED): no file, nothing is read before it is needed.
    hologram::Executor embedded;
    embedded.load_static(blur_kernels::bundle, blur_kernels::hash);
    std::printf("embedded: %s\n", embedded.kernel("blur").path().c_str());

    blur(src, dst, n + 1);  // one element too many: refused, nothing is written
  } catch (const hologram::Error& error) {
    std::printf("refused: %s\n", error.what());
  }
}
