/* A kernel written by hand: y = a x + y. It is one shared library in a folder of kernels. */
#include "hologram/kernel_library.h"

uint32_t atlas_kernel_abi_version(void) {
  return ATLAS_KERNEL_ABI_VERSION;
}

const char* atlas_kernel_name(void) {
  return "hand_saxpy";
}

const char* atlas_kernel_parameters(void) {
  return "a: f32, x: in f32[n], y: inout f32[n], n: u32";
}

uint32_t atlas_kernel_execute(const atlas_launch_config* config, const uint8_t* params, size_t size,
                              const char** error) {
  atlas_params p = {params, size, 0, 0};
  const float a = atlas_take_f32(&p);
  const float* x = (const float*)atlas_take_pointer(&p);
  float* y = (float*)atlas_take_pointer(&p);
  const uint32_t n = atlas_take_u32(&p);
  (void)config; /* n says it all */
  if (p.failed) {
    return ATLAS_KERNEL_INVALID_PARAMS;
  }
  if (a != a) {
    if (error != NULL) {
      *error = "a is not a number";
    }
    return ATLAS_KERNEL_EXECUTION_FAILED;
  }
  for (uint32_t i = 0; i < n; ++i) {
    y[i] = a * x[i] + y[i];
  }
  return ATLAS_KERNEL_SUCCESS;
}
