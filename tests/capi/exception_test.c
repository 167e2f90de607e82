/* Exceptions of every kind that reach the C API become errors, and the next call works. The
 * compiler plugin that HOLOGRAM_JIT names throws them (throwing_plugin.cc).
 * usage: exception_test BUNDLE */
#include <hologram/hologram.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void Expect(hologram_error* error, int32_t code, const char* part) {
  const char* const message = error == NULL ? "success" : hologram_error_message(error);
  if (hologram_error_code(error) != code || strstr(message, part) == NULL) {
    printf("expected code %d and '%s', found code %d and '%s'\n", (int)code, part,
           (int)hologram_error_code(error), message);
    ++failures;
  }
  hologram_error_destroy(error);
}

int main(int argc, char** argv) {
  static const struct {
    const char* thrown;
    int32_t code;
    const char* message;
  } kCases[] = {
      {"bad_alloc", HOLOGRAM_ERROR_RESOURCE_LIMIT, "out of memory"},
      {"length_error", HOLOGRAM_ERROR_RESOURCE_LIMIT, "out of memory"},
      {"system_error", HOLOGRAM_ERROR_RESOURCE_LIMIT, "temporarily unavailable"},
      {"out_of_range", HOLOGRAM_ERROR_INTERNAL, "a mistake of this library: map::at"},
      {"a number", HOLOGRAM_ERROR_INTERNAL, "an exception of an unknown type"},
  };
  hologram_executor* executor = NULL;
  hologram_kernel* kernel = NULL;
  int round;
  if (argc != 2) return 2;
  Expect(hologram_executor_create_private(&executor), 0, "success");
  Expect(hologram_executor_load_file(executor, argv[1], NULL), 0, "success");
  for (round = 0; round < 3; ++round) {
    for (size_t k = 0; k < sizeof kCases / sizeof *kCases; ++k) {
      Expect(hologram_executor_load_circuit(executor, kCases[k].thrown, "x"), kCases[k].code,
             kCases[k].message);
    }
    /* Inside the lock of the kernel, which the next round takes again. */
    Expect(hologram_executor_kernel(executor, "vector_add", &kernel), HOLOGRAM_ERROR_INTERNAL,
           "while compiling");
    if (kernel != NULL) ++failures;
  }
  hologram_executor_destroy(executor);
  printf("exceptions at the C API: %d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
