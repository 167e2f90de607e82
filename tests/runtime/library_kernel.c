/* Kernel libraries of the tests: one good one, and one for each thing that can be wrong. */
#include "hologram/kernel_library.h"

#ifdef LIBRARY_VERSION
uint32_t atlas_kernel_abi_version(void) {
  return LIBRARY_VERSION;
}
#else
uint32_t atlas_kernel_abi_version(void) {
  return ATLAS_KERNEL_ABI_VERSION;
}
#endif

#ifdef LIBRARY_NAME
const char* atlas_kernel_name(void) {
  return LIBRARY_NAME;
}
#else
const char* atlas_kernel_name(void) {
  return "mixed";
}
#endif

#ifndef LIBRARY_WITHOUT_PARAMETERS
const char* atlas_kernel_parameters(void) {
#ifdef LIBRARY_PARAMETERS
  return LIBRARY_PARAMETERS;
#else
  return "a: u16, b: u32, c: u64, d: f32, e: f64, x: in i16[2*b+1], out: out f64[b], s: i8";
#endif
}
#endif

#ifndef LIBRARY_ADDS
#define LIBRARY_ADDS 0
#endif

/* out[k] = x[2k] + e + d + a + s, with what the block says. s < 0 fails, c != 7 is invalid. */
uint32_t atlas_kernel_execute(const atlas_launch_config* config, const uint8_t* params, size_t size,
                              const char** error) {
  atlas_params p = {params, size, 0, 0};
  const uint16_t a = atlas_take_u16(&p);
  const uint32_t b = atlas_take_u32(&p);
  const uint64_t c = atlas_take_u64(&p);
  const float d = atlas_take_f32(&p);
  const double e = atlas_take_f64(&p);
  const int16_t* x = (const int16_t*)atlas_take_pointer(&p);
  double* out = (double*)atlas_take_pointer(&p);
  const int8_t s = atlas_take_i8(&p);
  if (p.failed || p.offset != size || c != 7) return ATLAS_KERNEL_INVALID_PARAMS;
  if (s == -2) return 42;
  if (s < 0) {
    *error = "s is below\n0";
    return ATLAS_KERNEL_EXECUTION_FAILED;
  }
  for (uint32_t k = 0; k < b; ++k) out[k] = x[2 * k] + e + d + a + s + LIBRARY_ADDS;
  if (b != 0) out[0] += 1000.0 * config->grid[0] + config->block[0];
  return ATLAS_KERNEL_SUCCESS;
}
