/* The C interface of libhologram_jit.so: the code generator for programs that arrive at run time.
 * The library is self-contained (LLVM is inside and hidden); only these symbols and those of
 * plugin/kernels.h and plugin/library.h are visible. */
#ifndef HOLOGRAM_PLUGIN_CODE_H_
#define HOLOGRAM_PLUGIN_CODE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of hologram that the library was built with, a static string. A runtime takes the
 * plugin of its own version only: what they exchange (targets, encodings, native_abi.h) has none.
 */
const char* hologram_jit_version(void);
typedef const char* (*hologram_jit_version_function)(void);

/* level: the number of a target, which is that of its row in base/targets.def. */
enum { /* output: codegen::Output. For sm_80 and sm_90 an object is PTX text. */
       HOLOGRAM_JIT_OBJECT = 0,
       HOLOGRAM_JIT_ASSEMBLY = 1,
       HOLOGRAM_JIT_LLVM = 2,
       /* How accesses, loops and the lanes of the kernel were vectorised, for people. A line for
        * each place, in program order: what it is about (kernel, limit, region, loop, access or
        * reduction), the number of an instruction of verify::VerifiedProgram::program(), and words,
        * with tabs between them. */
       HOLOGRAM_JIT_REMARKS = 3,
       /* An object of the checked form of the kernel (verify/checked_form.h), or no bytes if that
        * leaves nothing to the code. It is no flag: a plugin that does not know it must refuse it,
        * not give the code of the kernel itself. */
       HOLOGRAM_JIT_CHECKED_OBJECT = 4,
       /* An object that counts (hologram_jit_counts). It is for one launch at a time, on one
        * thread. */
       HOLOGRAM_JIT_INSTRUMENTED_OBJECT = 5
};

/* The variable hologram_counts of an instrumented object. A loader writes `counters`, and
 * refuses the object if it has no room for them: two for each basic block of
 * verify::VerifiedProgram::blocks(), the lanes that ran it, and the vectors with such a lane. */
#define HOLOGRAM_JIT_COUNTS_SYMBOL "hologram_counts"
typedef struct hologram_jit_counts {
  uint64_t* counters;
  uint64_t blocks;
  uint64_t width; /* lanes of a vector */
} hologram_jit_counts;

enum { /* flags */ HOLOGRAM_JIT_NO_DEBUG_LINES = 1, HOLOGRAM_JIT_UNCHECKED = 2 };

/* The bytes live until the call returns. */
typedef void (*hologram_jit_sink)(void* user, const uint8_t* bytes, size_t size);

/* Decodes and verifies one encoded program (isa::EncodeCode, isa::EncodeDebug) and compiles it for
 * each of the levels. Returns 0 after it has called `result` with each output, in the order of the
 * levels, or returns 1 and calls `error` once, with a message, and `result` not at all.
 * Thread-safe.
 */
int hologram_jit_compile(const uint8_t* code, size_t code_size, const uint8_t* debug,
                         size_t debug_size, const uint32_t* levels, size_t num_levels,
                         uint32_t flags, uint32_t output, hologram_jit_sink result,
                         hologram_jit_sink error, void* user);
typedef int (*hologram_jit_compile_function)(const uint8_t*, size_t, const uint8_t*, size_t,
                                             const uint32_t*, size_t, uint32_t, uint32_t,
                                             hologram_jit_sink, hologram_jit_sink, void*);

/* How many programs the plugin has verified so far. */
uint64_t hologram_jit_verifications(void);
typedef uint64_t (*hologram_jit_verifications_function)(void);

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_PLUGIN_CODE_H_ */
