/* The binary interface between compiled kernels and the runtime. Plain C, no dependencies.
 *
 * A compiled kernel is a position-independent ELF object without undefined symbols. It defines, for
 * each kernel, the data symbol `hologram_info` and the functions named in it. Everything that a
 * function may touch comes in through its arguments.
 *
 * A caller that has the info runs a launch so:
 *
 *   hologram_launch_state state = {.budget = HOLOGRAM_DEFAULT_BUDGET, .fault_lane = UINT64_MAX};
 *   switch (info->entry(buffers, scalars, &shape, &state)) {
 *     case HOLOGRAM_LAUNCH_DONE:      // look at state.fault_code
 *     case HOLOGRAM_LAUNCH_UNPROVED:  // nothing ran: the interpreter checks every access
 *     case HOLOGRAM_LAUNCH_FAULTED:   // cancelled
 *   } */
#ifndef HOLOGRAM_NATIVE_ABI_H_
#define HOLOGRAM_NATIVE_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of everything below. Native code of another version is not used: the program beside it is
 * compiled again, or interpreted. */
#define HOLOGRAM_NATIVE_ABI_VERSION 10u

/* One buffer argument: the memory of the caller at `data`, of `bytes` bytes, for the time of the
 * call. `data` is null only if `bytes` is 0. */
typedef struct hologram_buffer_ref {
  void* data;
  uint64_t bytes;
} hologram_buffer_ref;

/* Blocks per grid and lanes per block, in x, y, z; each at least 1. Lanes are counted linearly, x
 * first, then y and z: in a block, and blocks in the grid. */
typedef struct hologram_launch_shape {
  uint32_t grid[3];
  uint32_t block[3];
} hologram_launch_shape;

enum {
  /* Why a lane stopped, and the meaning of fault_index. */
  HOLOGRAM_FAULT_NONE = 0,
  HOLOGRAM_FAULT_OUT_OF_BOUNDS = 1,    /* index: the element */
  HOLOGRAM_FAULT_DIVISION_BY_ZERO = 2, /* index: what was divided */
  HOLOGRAM_FAULT_BUDGET = 3,
  HOLOGRAM_FAULT_CALL_DEPTH = 4,          /* more than 256 nested calls */
  HOLOGRAM_FAULT_INVALID_CLASS = 5,       /* index: the class, 96 or more */
  HOLOGRAM_FAULT_INVALID_COORDINATES = 6, /* index: the page, 48 or more */
  HOLOGRAM_FAULT_RESONANCE_OVERFLOW = 7,  /* index: the class */
  HOLOGRAM_FAULT_INVALID_POOL = 8,        /* index: the handle */
  HOLOGRAM_FAULT_POOL_OUT_OF_BOUNDS = 9,  /* index: the byte */
  HOLOGRAM_FAULT_POOL_MEMORY = 10,        /* index: the bytes asked for */
  HOLOGRAM_FAULT_ASSERTION = 11,          /* TRAP */
  HOLOGRAM_FAULT_CANCELLED = 12           /* of the launch, not of a lane; fault_lane is 0 */
};

/* Of the memory for local arrays that do not fit a stack: its alignment in bytes, and the number
 * that its count of lanes is a multiple of. */
#define HOLOGRAM_SCRATCH_ALIGNMENT 64u
#define HOLOGRAM_SCRATCH_LANES 64u

/* Inputs of a call, and where it leaves a fault. In: budget, class_base, scratch
 * and, of a body, alone. Out: the fault of the lowest linear lane, if any. The caller sets
 * fault_code to HOLOGRAM_FAULT_NONE and fault_lane to UINT64_MAX before the call. One state is for
 * one call at a time. */
typedef struct hologram_launch_state {
  uint64_t budget;     /* rounds of loops whose end is not proved, per lane */
  uint64_t fault_lane; /* linear lane: block_linear * lanes_per_block + lane_linear */
  int64_t fault_index; /* the meaning depends on the code; sign- or zero-extended by its type */
  /* The instruction, by its number in the program, and HOLOGRAM_FAULT_*. */
  uint32_t fault_pc;
  uint32_t fault_code;
  uint32_t class_base; /* below 96; CLS.GET gives (class_base + block.x) mod 96 */
  uint32_t alone;      /* not 0: no other thread runs a part of this launch, so that atomic updates
                        * of its buffers need no atomic instruction; an entry sets it */
  void* scratch; /* of a kernel with scratch_bytes: memory that this call alone uses, aligned to
                  * HOLOGRAM_SCRATCH_ALIGNMENT, of scratch_bytes for each lane of a block, their
                  * number rounded up to a multiple of HOLOGRAM_SCRATCH_LANES */
} hologram_launch_state;

/* The target of `state` for a program that uses its stream (phase, resonance, pools, class
 * memory): `launch` is the first member. */
typedef struct hologram_stream_state {
  hologram_launch_state launch;
  uint32_t phase;         /* of the stream, below 768 */
  uint32_t phase_advance; /* out: by how much lane 0 advanced its own, below 768; 0 before */
  /* Runs instruction `pc` of the verified program in one lane. `operands` are the bits of the
   * registers that it reads, in its order. Returns 0 and sets *result to the bits of what it
   * writes, or records the fault of the lane and returns 1. */
  int32_t (*service)(hologram_launch_state* state, uint32_t pc, uint64_t lane,
                     const uint64_t* operands, uint64_t* result);
  /* A sum of the launch: for each bit k of `lanes`, lane first + k gives values[k] to the element
   * of the buffer of instruction `pc`, which is in bounds. `values` has the type of the
   * instruction. */
  void (*add)(hologram_launch_state* state, uint32_t pc, uint64_t first, uint64_t lanes,
              uint64_t element, const void* values);
  void* session; /* of the service */
} hologram_stream_state;

enum {
  /* Results of an entry. */
  HOLOGRAM_LAUNCH_DONE = 0,     /* all lanes ran, or faulted; look at fault_code */
  HOLOGRAM_LAUNCH_UNPROVED = 1, /* the launch check failed, or scratch is missing: nothing ran; take
                                 * the cold path */
  HOLOGRAM_LAUNCH_FAULTED = 2   /* `state` has the fault: of an entry only that the launch was
                                 * cancelled, of a default entry any */
};

/* The budget of a launch for which none is given. */
#define HOLOGRAM_DEFAULT_BUDGET (UINT64_C(1) << 24)

/* Checks the launch and, if the check holds, runs all of it on the calling thread; else nothing was
 * run or written. `buffers` and `scalars` are in parameter order, each kind counted by itself; a
 * scalar is the low bits of its word. Nothing is kept after the call. Any thread may call it,
 * several at once, on memory that they do not share and with a state of each one's own. */
typedef int32_t (*hologram_kernel_entry)(const hologram_buffer_ref* buffers,
                                         const uint64_t* scalars,
                                         const hologram_launch_shape* shape,
                                         hologram_launch_state* state);

/* The same for a launch without a grid, with the default budget: whole default blocks over the
 * largest output, which must have every lane that a guard of the kernel admits. The caller need not
 * initialise `state`. Also UNPROVED if the sizes of all buffers, joined with OR, are not below
 * `bytes_limit` (at most 2^31): so the caller bounds every size, and leaves longer launches to code
 * that looks at them first. A kernel with scratch_bytes, and one that uses its stream, has none. */
typedef int32_t (*hologram_kernel_default_entry)(const hologram_buffer_ref* buffers,
                                                 const uint64_t* scalars, uint64_t bytes_limit,
                                                 hologram_launch_state* state);

/* Runs units [first, last) without any check. `unit` in the info defines a unit. REQUIRES: the
 * check of the entry holds for the whole launch, `last` is not beyond its units. Threads may run
 * parts of one launch at once, each with a state of its own; the fault of the launch is then that
 * of the lowest lane among theirs. */
typedef void (*hologram_kernel_body)(const hologram_buffer_ref* buffers, const uint64_t* scalars,
                                     const hologram_launch_shape* shape,
                                     hologram_launch_state* state, uint64_t first, uint64_t last);

enum {
  /* Counters of a body. */
  HOLOGRAM_UNIT_LANE = 0, /* global x lane of a one-dimensional launch */
  HOLOGRAM_UNIT_ROW = 1,  /* row of global lanes: global.y + height * global.z */
  HOLOGRAM_UNIT_BLOCK = 2 /* linear block */
};

/* The symbol `hologram_info` of a kernel: constants in the object, which live as long as it is
 * loaded. Functions in it are those of the kernel that this is about. */
typedef struct hologram_kernel_info {
  /* HOLOGRAM_NATIVE_ABI_VERSION of the code; it is read before anything behind it. */
  uint32_t abi_version;
  /* HOLOGRAM_UNIT_* */
  uint32_t unit;
  /* Neither is null. */
  hologram_kernel_entry entry;
  hologram_kernel_body body;

  /* The same as body, with stores that go past the caches, for outputs too large for them; null
   * when the kernel has none. */
  hologram_kernel_body streaming_body;
  hologram_kernel_default_entry default_entry; /* null when the kernel has none */
  uint32_t scratch_bytes;                      /* for each lane of a block; mostly 0 */
  uint32_t reserved;                           /* 0 */
  /* Where the code has the address of a 32-bit word that it reads every now and then: once the word
   * is not 0, launches stop with HOLOGRAM_FAULT_CANCELLED. At first that is a word that stays 0; a
   * loader may put the address of another one there, before the first launch. Null: the kernel has
   * no long loops, and reads none. */
  const volatile uint32_t** cancel;
} hologram_kernel_info;

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_NATIVE_ABI_H_ */
