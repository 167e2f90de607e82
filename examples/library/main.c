/* Runs the kernel of saxpy.c, which lies in the folder that is named on the command line: nobody
 * verifies such code, so the program says that it wants it. */
#include <math.h>
#include <stdio.h>

#include "hologram/hologram.h"

enum { kSize = 5 };

static int failed(hologram_error* error) {
  if (error == NULL) {
    return 0;
  }
  printf("%s\n", hologram_error_text(error));
  hologram_error_destroy(error);
  return 1;
}

static hologram_error* saxpy(const hologram_kernel* kernel, float a, float* x, float* y,
                             uint32_t n) {
  hologram_argument arguments[4] = {
      {HOLOGRAM_F32, {NULL, 0}, 0},
      {HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER, {x, kSize * sizeof *x}, 0},
      {HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER | HOLOGRAM_ARGUMENT_WRITABLE,
       {y, kSize * sizeof *y},
       0},
      {HOLOGRAM_U32, {NULL, 0}, n},
  };
  union {
    float value;
    uint32_t bits;
  } scalar = {a};
  arguments[0].scalar = scalar.bits;
  return hologram_kernel_launch(kernel, arguments, 4, NULL);
}

int main(int argc, char** argv) {
  hologram_executor* executor = NULL;
  hologram_kernel* kernel = NULL;
  float x[kSize] = {1, 2, 3, 4, 5};
  float y[kSize] = {10, 10, 10, 10, 10};
  if (argc != 2) {
    printf("usage: library FOLDER\n");
    return 2;
  }
  if (failed(hologram_executor_create(&executor)) ||
      failed(hologram_executor_add_native_directory(executor, argv[1])) ||
      failed(hologram_executor_kernel(executor, "hand_saxpy", &kernel))) {
    return 1;
  }
  hologram_executor_destroy(executor);
  printf("%s runs as %s\n", hologram_kernel_name(kernel), hologram_kernel_path(kernel));
  if (failed(saxpy(kernel, 2, x, y, kSize))) {
    return 1;
  }
  for (int i = 0; i < kSize; ++i) {
    printf("%g ", y[i]);
  }
  printf("\n");
  /* What the library would read beyond its memory is refused before it is called. */
  if (!failed(saxpy(kernel, 2, x, y, kSize + 1)) || !failed(saxpy(kernel, NAN, x, y, kSize)) ||
      !failed(saxpy(kernel, 2, x, x, kSize))) {
    return 1;
  }
  hologram_kernel_destroy(kernel);
  return 0;
}
