// HOLOGRAM_LAUNCH_PATH: for the functions behind hologram_kernel_enter, each of whose instructions
// counts in the time of a small launch. They have no canary, as they hold no array and nothing on
// their stacks is written by a length that comes from outside: structures of fixed size, field by
// field. They have no mark for indirect calls either, as their address is never taken.
// Declarations and definitions have it. tests/codegen/launch_path_test.py reads both in the
// library.
#pragma once

#if defined(__CET__)
#define HOLOGRAM_LAUNCH_PATH [[gnu::no_stack_protector, gnu::nocf_check]]
#else
#define HOLOGRAM_LAUNCH_PATH [[gnu::no_stack_protector]]
#endif
