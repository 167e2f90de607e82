/* Unloads the library after a launch on several threads: its workers must be gone before its code
 * is. usage: unload_test LIBRARY BUNDLE HASH */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hologram/hologram.h"

enum { kElements = 3000000 };

static int failures = 0;

static void expect(int condition, const char* what) {
  if (condition) return;
  printf("FAIL %s\n", what);
  ++failures;
}

/* A function of the library; POSIX says that its address fits. */
static void find(void* library, const char* name, void* function) {
  void* const symbol = dlsym(library, name);
  expect(symbol != NULL, name);
  memcpy(function, &symbol, sizeof symbol);
}

static void launch(void* library, const char* bundle, const char* hash) {
  hologram_error* (*create)(hologram_executor**);
  hologram_error* (*load)(hologram_executor*, const char*, const char*);
  hologram_error* (*get)(hologram_executor*, const char*, hologram_kernel**);
  hologram_error* (*run)(const hologram_kernel*, const hologram_argument*, size_t,
                         const hologram_launch_config*);
  void (*destroy_kernel)(hologram_kernel*);
  void (*destroy)(hologram_executor*);
  hologram_executor* executor = NULL;
  hologram_kernel* kernel = NULL;
  hologram_argument arguments[4];
  hologram_launch_config config;
  float* memory[3];
  int k;
  find(library, "hologram_executor_create", &create);
  find(library, "hologram_executor_load_file", &load);
  find(library, "hologram_executor_kernel", &get);
  find(library, "hologram_kernel_launch", &run);
  find(library, "hologram_kernel_destroy", &destroy_kernel);
  find(library, "hologram_executor_destroy", &destroy);
  if (failures != 0) return;
  memset(arguments, 0, sizeof arguments);
  memset(&config, 0, sizeof config);
  for (k = 0; k < 3; ++k) {
    memory[k] = calloc(kElements, sizeof(float));
    if (memory[k] == NULL) exit(1);
    arguments[k].code = HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER | HOLOGRAM_ARGUMENT_WRITABLE;
    arguments[k].buffer.data = memory[k];
    arguments[k].buffer.bytes = kElements * sizeof(float);
  }
  memory[0][kElements - 1] = 1;
  memory[1][kElements - 1] = 2;
  arguments[3].code = HOLOGRAM_U32;
  arguments[3].scalar = kElements;
  config.threads = 4;
  expect(create(&executor) == NULL, "create");
  expect(load(executor, bundle, hash) == NULL, "load");
  expect(get(executor, "vector_add", &kernel) == NULL, "kernel");
  expect(run(kernel, arguments, 4, &config) == NULL, "launch");
  expect(memory[2][kElements - 1] == 3, "the result");
  destroy_kernel(kernel);
  destroy(executor);
  for (k = 0; k < 3; ++k) free(memory[k]);
}

int main(int argc, char** argv) {
  int round;
  if (argc != 4) return 2;
  for (round = 0; round < 5 && failures == 0; ++round) {
    void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      printf("FAIL %s\n", dlerror());
      return 1;
    }
    launch(library, argv[2], argv[3]);
    expect(dlclose(library) == 0, "dlclose");
    expect(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == NULL, "the library is gone");
    usleep(20000); /* a worker that is still there would run now, in what is no code any more */
  }
  printf("unload: %d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
