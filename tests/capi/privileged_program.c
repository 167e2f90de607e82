/* A program that is run with and without more rights than its user; it prints what it finds, one
 * line for each thing that an environment variable decides. usage: PROGRAM BUNDLE TRUST */
#include <hologram/hologram.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

static void Print(const char* what, hologram_error* error) {
  printf("%s %s\n", what, error == NULL ? "ok" : hologram_error_message(error));
  hologram_error_destroy(error);
}

int main(int argc, char** argv) {
  hologram_executor* executor = NULL;
  hologram_kernel* kernel = NULL;
  if (argc != 3) return 2;
  printf("secure %d euid %d\n", getauxval(AT_SECURE) != 0, (int)geteuid());
  printf("compiler %d\n", (int)hologram_has_feature("compiler"));
  for (size_t k = 0; k < hologram_device_count(); ++k) {
    const hologram_device* device = hologram_device_at(k);
    printf("%s %s, %s\n", device->engine, device->name, device->why_not);
  }
  Print("create", hologram_executor_create(&executor));
  Print("user", hologram_executor_kernel(executor, "vector_add", &kernel));
  hologram_kernel_destroy(kernel);
  kernel = NULL;
  Print("library", hologram_executor_kernel(executor, "mixed", &kernel));
  hologram_kernel_destroy(kernel);
  hologram_executor_destroy(executor);
  Print("create", hologram_executor_create_private(&executor));
  Print("standard", hologram_executor_load_standard(executor, NULL));
  Print("load", hologram_executor_load_file(executor, argv[1], argv[2]));
  kernel = NULL;
  Print("kernel", hologram_executor_kernel(executor, "vector_add", &kernel));
  if (kernel != NULL) printf("threads %u\n", hologram_kernel_threads(kernel));
  hologram_kernel_destroy(kernel);
  kernel = NULL;
  hologram_executor_set_tiered(executor, 1);
  Print("compiled", hologram_executor_kernel(executor, "row_sums", &kernel));
  hologram_kernel_destroy(kernel);
  hologram_executor_destroy(executor);
  return 0;
}
