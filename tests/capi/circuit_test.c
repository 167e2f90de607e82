/* Circuits through hologram.h, in strict C99: with the compiler plugin and without.
 * usage: circuit_test plugin|none */
#include <stdio.h>
#include <string.h>

#include "hologram/hologram.h"

static int failures = 0;

static void expect(int condition, const char* what) {
  if (!condition) {
    printf("FAIL %s\n", what);
    ++failures;
  }
}

static void expect_error(hologram_error* error, int32_t code, const char* text) {
  expect(error != NULL && hologram_error_code(error) == code, text);
  if (error != NULL && strcmp(hologram_error_text(error), text) != 0) {
    printf("FAIL expected %s\n     found    %s\n", text, hologram_error_text(error));
    ++failures;
  }
  hologram_error_destroy(error);
}

static const char* const kCircuit = "(f32 c00, f32 $a) -> (f32 c01) over n merge:mul@c00[$a,c01]";

static void test_launch(hologram_executor* executor) {
  hologram_kernel* kernel = NULL;
  hologram_argument arguments[4];
  float x[3] = {1, 2, 3};
  float y[3] = {0, 0, 0};
  const float a = 2.5F;
  uint32_t bits = 0;
  memset(arguments, 0, sizeof arguments);
  memcpy(&bits, &a, sizeof bits);
  expect(hologram_executor_load_circuit(executor, kCircuit, "scale") == NULL, "load");
  expect(hologram_executor_kernel(executor, "scale", &kernel) == NULL, "kernel");
  if (kernel == NULL) {
    return;
  }
  expect(strncmp(hologram_kernel_path(kernel), "native", 6) == 0, "native code");
  expect(hologram_kernel_num_parameters(kernel) == 4, "parameters");
  expect(strcmp(hologram_kernel_parameter(kernel, 1)->name, "a") == 0, "the name of the scalar");
  arguments[0].code = HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER;
  arguments[0].buffer.data = x;
  arguments[0].buffer.bytes = sizeof x;
  arguments[1].code = HOLOGRAM_F32;
  arguments[1].scalar = bits;
  arguments[2].code = HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER | HOLOGRAM_ARGUMENT_WRITABLE;
  arguments[2].buffer.data = y;
  arguments[2].buffer.bytes = sizeof y;
  arguments[3].code = HOLOGRAM_U32;
  arguments[3].scalar = 3;
  expect(hologram_kernel_launch(kernel, arguments, 4, NULL) == NULL, "launch");
  expect(y[0] == 2.5F && y[2] == 7.5F, "results");
  hologram_kernel_destroy(kernel);
}

/* A kernel that is given before it is compiled: equal results on the way, and then its entry. */
static void test_tiered(hologram_executor* executor) {
  hologram_kernel* kernel = NULL;
  float x[3] = {1, 2, 3};
  float y[3] = {0, 0, 0};
  const float a = 3.0F;
  uint32_t bits = 0;
  memcpy(&bits, &a, sizeof bits);
  const hologram_buffer_ref buffers[] = {{x, sizeof x}, {y, sizeof y}};
  const uint64_t scalars[] = {bits, 3};
  hologram_argument arguments[4];
  memset(arguments, 0, sizeof arguments);
  arguments[0].code = HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER;
  arguments[0].buffer = buffers[0];
  arguments[1].code = HOLOGRAM_F32;
  arguments[1].scalar = scalars[0];
  arguments[2].code = HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER | HOLOGRAM_ARGUMENT_WRITABLE;
  arguments[2].buffer = buffers[1];
  arguments[3].code = HOLOGRAM_U32;
  arguments[3].scalar = 3;
  hologram_executor_set_tiered(executor, 1);
  expect(hologram_executor_load_circuit(
             executor,
             "(f32 c00, f32 $a) -> (f32 c01) over n merge:mul@c00[$a,c02] . merge@c02[$a,c01]",
             "tiered") == NULL,
         "load");
  expect(hologram_executor_kernel(executor, "tiered", &kernel) == NULL, "kernel");
  if (kernel == NULL) {
    return;
  }
  expect(hologram_kernel_launch(kernel, arguments, 4, NULL) == NULL, "launch");
  expect(y[0] == 6 && y[1] == 9 && y[2] == 12, "results of the first launch");
  hologram_kernel_wait(kernel);
  expect(strncmp(hologram_kernel_path(kernel), "native", 6) == 0, "native code by now");
  memset(y, 0, sizeof y);
  const hologram_launch_plan* plan = hologram_kernel_plan(kernel);
  hologram_launch_state state;
  /* A launch in the interpreter leaves a record: the next passes the library once more. */
  expect(hologram_kernel_launch(kernel, arguments, 4, NULL) == NULL, "native launch");
  memset(y, 0, sizeof y);
  expect(plan->entry(buffers, scalars, plan->bytes_limit, &state) == HOLOGRAM_LAUNCH_DONE, "entry");
  expect(y[0] == 6 && y[1] == 9 && y[2] == 12, "results of the entry");
  hologram_kernel_destroy(kernel);
  hologram_executor_set_tiered(executor, 0);
}

int main(int argc, char** argv) {
  hologram_executor* executor = NULL;
  if (argc != 2 || hologram_executor_create(&executor) != NULL) {
    return 2;
  }
  if (strcmp(argv[1], "none") == 0) {
    expect_error(hologram_executor_load_circuit(executor, kCircuit, "scale"),
                 HOLOGRAM_ERROR_UNSUPPORTED,
                 "hologram: error: circuits are compiled by the compiler plugin: looked for "
                 "/nonexistent");
  } else {
    test_launch(executor);
    test_tiered(executor);
    expect_error(hologram_executor_load_circuit(executor, "(f32 c00) ->\n (f32 c99) over n", "k"),
                 HOLOGRAM_ERROR_INVALID_TEXT, "circuit:2:7: error: class 'c99' is above c95");
    expect_error(hologram_executor_load_circuit(executor, "copy@c00->c01", "k"),
                 HOLOGRAM_ERROR_INVALID_TEXT,
                 "circuit:1:1: error: a kernel's circuit begins with its parameters, as in (f32 "
                 "c00) -> (f32 c01) over n ...");
  }
  hologram_executor_destroy(executor);
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
