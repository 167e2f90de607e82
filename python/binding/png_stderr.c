/* libpng.a of Debian is compiled for programs, not for libraries: it asks for the address of
 * `stderr` relative to its own code, which only a symbol of the same file has. The linker gives it
 * this one (--wrap=stderr). */
#include <stdio.h>

extern FILE* __real_stderr;
__attribute__((visibility("hidden"))) FILE* __wrap_stderr;

/* Before all initialisers of C++, which may print. */
__attribute__((constructor(101))) static void Copy(void) {
  __wrap_stderr = __real_stderr;
}
