/* A kernel as the code generator would make it, written by hand: c[i] = a[i] + b[i] for i < n. With
 * it the loader and the launch path are tested without LLVM. Compiled to an object, never linked.
 */
#include "hologram/native_abi.h"

static void Body(const hologram_buffer_ref* buffers, const uint64_t* scalars,
                 const hologram_launch_shape* shape, hologram_launch_state* state, uint64_t first,
                 uint64_t last) {
  const float* a = (const float*)buffers[0].data;
  const float* b = (const float*)buffers[1].data;
  float* c = (float*)buffers[2].data;
  const uint64_t n = (uint32_t)scalars[0];
  (void)shape;
  (void)state;
  for (uint64_t i = first; i < last && i < n; ++i) {
    c[i] = a[i] + b[i];
  }
}

/* Exactly the same memory is allowed: every access is at the same element. */
static int OverlapInPart(const hologram_buffer_ref* p, const hologram_buffer_ref* q) {
  const uint64_t distance = (uint64_t)((uintptr_t)q->data - (uintptr_t)p->data);
  return distance - 1 < p->bytes - 1 || 0 - distance - 1 < q->bytes - 1;
}

static int32_t Entry(const hologram_buffer_ref* buffers, const uint64_t* scalars,
                     const hologram_launch_shape* shape, hologram_launch_state* state) {
  const uint64_t lanes = (uint64_t)shape->grid[0] * shape->block[0];
  const uint64_t n = (uint32_t)scalars[0];
  const uint64_t used = lanes < n ? lanes : n;
  for (int k = 0; k < 3; ++k) {
    if (used > buffers[k].bytes / 4) {
      return HOLOGRAM_LAUNCH_UNPROVED;
    }
  }
  if (OverlapInPart(&buffers[0], &buffers[2]) || OverlapInPart(&buffers[1], &buffers[2])) {
    return HOLOGRAM_LAUNCH_UNPROVED;
  }
#ifdef NATIVE_ADD_CALLS
  ((void (*)(void))(
      uintptr_t)scalars[1])(); /* the test looks at the process while this code runs */
#endif
#ifdef NATIVE_ADD_FAULTS
  state->fault_code = HOLOGRAM_FAULT_OUT_OF_BOUNDS;
  state->fault_lane = 7;
  state->fault_index = 7;
  state->fault_pc = 3;
#endif
  Body(buffers, scalars, shape, state, 0, lanes);
  return HOLOGRAM_LAUNCH_DONE;
}

#ifdef NATIVE_ADD_UNDEFINED
extern void memory_from_elsewhere(void);
void UseIt(void);
void UseIt(void) {
  memory_from_elsewhere();
}
#endif

#ifdef NATIVE_ADD_WRITABLE
int variable = 3;
#endif

#ifndef NATIVE_ADD_ABI
#define NATIVE_ADD_ABI HOLOGRAM_NATIVE_ABI_VERSION
#endif

extern const hologram_kernel_info hologram_info;
const hologram_kernel_info hologram_info = {
    NATIVE_ADD_ABI, HOLOGRAM_UNIT_LANE, Entry, Body, 0, 0, 0, 0, 0};
