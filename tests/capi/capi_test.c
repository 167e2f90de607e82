/* hologram.h as a C99 program sees it: every function is called once, errors come back as values.
 * usage: capi_test BUNDLE HASH KERNEL_PATH BUNDLE_BESIDE; run by run_capi_tests.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hologram/hologram.h"

static int failures = 0;

static void expect(int condition, const char* what) {
  if (!condition) {
    printf("FAIL %s\n", what);
    ++failures;
  }
}

static void expect_text(const char* found, const char* expected, const char* what) {
  if (strcmp(found, expected) != 0) {
    printf("FAIL %s\n  expected %s\n  found    %s\n", what, expected, found);
    ++failures;
  }
}

static void expect_error(hologram_error* error, int32_t code, const char* text, const char* what) {
  expect(error != NULL, what);
  if (error == NULL) {
    return;
  }
  expect(hologram_error_code(error) == code, what);
  expect_text(hologram_error_text(error), text, what);
  hologram_error_destroy(error);
}

static void expect_success(hologram_error* error, const char* what) {
  if (error != NULL) {
    printf("FAIL %s: %s\n", what, hologram_error_text(error));
    ++failures;
    hologram_error_destroy(error);
  }
}

enum { kSize = 300 };

static float a[kSize];
static float b[kSize];
static float c[kSize];

static void fill(hologram_argument* arguments, uint64_t n) {
  memset(arguments, 0, 4 * sizeof *arguments);
  arguments[0].code = HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER;
  arguments[0].buffer.data = a;
  arguments[0].buffer.bytes = sizeof a;
  arguments[1] = arguments[0];
  arguments[1].buffer.data = b;
  arguments[2] = arguments[0];
  arguments[2].buffer.data = c;
  arguments[2].code |= HOLOGRAM_ARGUMENT_WRITABLE;
  arguments[3].code = HOLOGRAM_I32;
  arguments[3].scalar = n;
}

static void test_kernel(const hologram_kernel* kernel, const char* path) {
  expect_text(hologram_kernel_name(kernel), "vector_add", "name");
  expect_text(hologram_kernel_path(kernel), path, "path");
  expect(strlen(hologram_kernel_id(kernel)) == 64, "id");
  expect(hologram_kernel_num_parameters(kernel) == 4, "number of parameters");
  expect(hologram_kernel_parameter(kernel, 4) == NULL, "no fifth parameter");
  const hologram_parameter* out = hologram_kernel_parameter(kernel, 2);
  expect_text(out->name, "c", "name of a parameter");
  expect(out->is_buffer == 1 && out->type == HOLOGRAM_F32 && out->direction == HOLOGRAM_OUT,
         "kind of a parameter");
  const uint32_t codes[] = {
      HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER, HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER,
      HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER | HOLOGRAM_ARGUMENT_WRITABLE, HOLOGRAM_U32};
  expect_success(hologram_kernel_check(kernel, codes, 4), "codes that fit");
  const uint32_t wrong[] = {HOLOGRAM_F64 | HOLOGRAM_ARGUMENT_BUFFER, codes[1], codes[0],
                            HOLOGRAM_I32};
  expect_error(hologram_kernel_check(kernel, wrong, 4), HOLOGRAM_ERROR_INVALID_ARGUMENT,
               "hologram: error: kernel 'vector_add': 'a' expects a buffer of f32, found a buffer "
               "of f64\n"
               "hologram: error: kernel 'vector_add': 'c' is written, found a read-only buffer\n"
               "hologram: error: kernel 'vector_add': 'n' expects u32, found i32",
               "codes that do not fit");
}

static void test_launch(const hologram_kernel* kernel) {
  hologram_argument arguments[4];
  for (int i = 0; i < kSize; ++i) {
    a[i] = (float)i;
    b[i] = 1.0f;
  }
  fill(arguments, kSize);
  expect_success(hologram_kernel_launch(kernel, arguments, 4, NULL), "launch");
  expect(c[0] == 1.0f && c[kSize - 1] == (float)kSize, "result of the launch");

  hologram_launch_config config;
  memset(&config, 0, sizeof config);
  config.grid[0] = 1;
  config.grid[1] = 1;
  config.grid[2] = 1;
  config.backend = HOLOGRAM_BACKEND_INTERPRETER;
  memset(c, 0, sizeof c);
  expect_success(hologram_kernel_launch(kernel, arguments, 4, &config), "launch of one block");
  expect(c[255] == 256.0f && c[256] == 0.0f, "result of one block");

  config.backend = HOLOGRAM_BACKEND_CUDA;
  expect_error(hologram_kernel_launch(kernel, arguments, 4, &config), HOLOGRAM_ERROR_UNSUPPORTED,
               "hologram: error: no CUDA driver: /none.so: cannot open shared object file: No such "
               "file or directory",
               "cuda");
  expect_error(hologram_kernel_launch(kernel, arguments, 3, NULL), HOLOGRAM_ERROR_INVALID_ARGUMENT,
               "hologram: error: kernel 'vector_add' expects 4 arguments (a, b, c, n), found 3",
               "too few arguments");
  config.backend = HOLOGRAM_BACKEND_AUTO;
  config.caller = 2;
  expect_error(hologram_kernel_launch(kernel, arguments, 4, &config),
               HOLOGRAM_ERROR_INVALID_ARGUMENT, "hologram: error: caller: expected 0 or 1, found 2",
               "an unknown caller");
  config.caller = HOLOGRAM_CALLER_LIBRARY;
  config.class_base = 96;
  expect_error(hologram_kernel_launch(kernel, arguments, 4, &config),
               HOLOGRAM_ERROR_INVALID_ARGUMENT,
               "hologram: error: class_base: expected 0 to 95, found 96", "no class base");
  config.class_base = 0;
  config.reserved[2] = 7;
  expect_error(hologram_kernel_launch(kernel, arguments, 4, &config),
               HOLOGRAM_ERROR_INVALID_ARGUMENT,
               "hologram: error: reserved words of a launch config: expected 0, found 7; this "
               "library is older than what was asked of it",
               "a config of a later version");
  expect(hologram_kernel_threads(kernel) >= 1, "threads");
  char* text = NULL;
  expect(hologram_kernel_emit(kernel, "asm", NULL, &text) == NULL, "emit");
  expect(strstr(text, ".kernel vector_add\n") != NULL, "the program as text");
  hologram_text_destroy(text);
  text = NULL;
  expect_error(hologram_kernel_emit(kernel, "c", NULL, &text), HOLOGRAM_ERROR_INVALID_ARGUMENT,
               "hologram: error: form: expected asm, explain, llvm, machine or ptx, found 'c'",
               "an unknown form");
  arguments[3].scalar = (uint32_t)-1;
  expect_error(hologram_kernel_launch(kernel, arguments, 4, NULL), HOLOGRAM_ERROR_INVALID_ARGUMENT,
               "hologram: error: kernel 'vector_add': 'n' expects u32, found -1 of type i32",
               "a scalar out of range");
  const hologram_launch_counts counts = hologram_kernel_counts(kernel);
  expect(counts.native + counts.interpreted == 2, "counts");
}

static void test_fault(const hologram_kernel* kernel) {
  hologram_argument arguments[4];
  fill(arguments, kSize);
  arguments[0].buffer.bytes = 290 * sizeof(float);
  hologram_error* error = hologram_kernel_launch(kernel, arguments, 4, NULL);
  expect(error != NULL, "fault");
  expect(hologram_error_code(error) == HOLOGRAM_ERROR_FAULT, "code of the fault");
  expect_text(hologram_error_file(error), "add.py", "file of the fault");
  expect(hologram_error_line(error) == 6 && hologram_error_column(error) == 16,
         "place of the fault");
  expect_text(hologram_error_message(error), "a[i] reads element 290 of 290 (i = 290)",
              "message of the fault");
  const hologram_fault* fault = hologram_error_fault(error);
  expect(fault != NULL && fault->code == HOLOGRAM_FAULT_OUT_OF_BOUNDS && fault->lane == 290 &&
             fault->block[0] == 1 && fault->lane_in_block[0] == 34 && fault->index == 290 &&
             fault->extent == 290 && fault->num_operands == 1,
         "fault as data");
  if (fault != NULL && fault->num_operands == 1) {
    const hologram_fault_operand* index = &fault->operands[0];
    expect(index->bits == 290 && index->reg != 0, "operand of the fault");
    expect_text(index->name, "i", "name of the operand");
    expect_text(index->type, "u32", "type of the operand");
    expect_text(index->value, "290", "value of the operand");
  }
  hologram_error_destroy(error);
  error = hologram_kernel_launch(kernel, arguments, 3, NULL);
  expect(error != NULL && hologram_error_fault(error) == NULL, "no fault");
  hologram_error_destroy(error);

  /* The same as the inline path of hologram.hpp reports it. */
  const hologram_buffer_ref buffers[] = {{a, sizeof a}, {b, sizeof b}, {c, sizeof c}};
  const uint64_t n = kSize;
  const hologram_launch_shape shape = {{2, 1, 1}, {256, 1, 1}};
  hologram_launch_state state = {1, 5, 5, 3, HOLOGRAM_FAULT_OUT_OF_BOUNDS, 0, 0, NULL};
  expect_error(hologram_kernel_fault(kernel, buffers, &n, &shape, &state), HOLOGRAM_ERROR_FAULT,
               "add.py:6:16: error: a[i] reads element 5 of 300", "fault of the inline path");
  expect_error(hologram_kernel_fault(kernel, buffers, &n, NULL, &state), HOLOGRAM_ERROR_FAULT,
               "add.py:6:16: error: a[i] reads element 5 of 300", "fault of a default launch");
  const hologram_launch_plan* plan = hologram_kernel_plan(kernel);
  expect(plan->entry != NULL && plan->written == 4 && plan->num_parameters == 4, "plan");

  /* The short way with a shape: as the long one, or nothing at all. */
  c[0] = c[kSize - 1] = -1;
  if (strncmp(hologram_kernel_path(kernel), "native", 6) == 0) {
    expect(hologram_kernel_enter(kernel, buffers, &n, &shape, &state) == HOLOGRAM_LAUNCH_DONE &&
               c[0] == a[0] + b[0] && c[kSize - 1] == a[kSize - 1] + b[kSize - 1],
           "enter");
    c[0] = -1;
    const hologram_buffer_ref too_small[] = {{a, sizeof a}, {b, sizeof b}, {c, sizeof *c}};
    expect(
        hologram_kernel_enter(kernel, too_small, &n, &shape, &state) == HOLOGRAM_LAUNCH_UNPROVED &&
            c[0] == -1,
        "enter with a buffer that is too small");
    const hologram_launch_shape none = {{2, 1, 1}, {0, 1, 1}};
    expect(hologram_kernel_enter(kernel, buffers, &n, &none, &state) == HOLOGRAM_LAUNCH_UNPROVED,
           "enter without lanes");
  } else {
    expect(hologram_kernel_enter(kernel, buffers, &n, &shape, &state) == HOLOGRAM_LAUNCH_UNPROVED &&
               c[0] == -1,
           "enter in the interpreter");
  }
}

/* The short way of a kernel that takes the shape of an array. */
static void test_shapes(hologram_executor* executor) {
  hologram_kernel* kernel = NULL;
  expect_success(hologram_executor_kernel(executor, "row_sums", &kernel), "row_sums");
  if (kernel == NULL) return;
  expect(hologram_kernel_takes_shapes(kernel) == 1, "it takes shapes");
  float rows[12];
  float sums[3] = {0, 0, 0};
  for (int i = 0; i < 12; ++i) rows[i] = (float)i;
  const hologram_buffer_ref buffers[] = {{rows, sizeof rows}, {sums, sizeof sums}};
  const int is_native = strncmp(hologram_kernel_path(kernel), "native", 6) == 0;
  uint64_t scalars[HOLOGRAM_MAX_PARAMETERS];
  hologram_launch_state state;
  for (uint64_t width = 4; width < 6; ++width) { /* the second is beyond the memory */
    const hologram_array_shape shape = {2, {3, width, 0, 0}, {width, 1, 0, 0}};
    const hologram_array_shape* shapes[] = {&shape, NULL};
    memset(scalars, 0xff, sizeof scalars);
    expect(hologram_kernel_shape_scalars(kernel, buffers, shapes, scalars) == 1 &&
               scalars[0] == 3 && scalars[1] == width && scalars[2] == width &&
               scalars[3] == UINT64_MAX,
           "scalars of a shape");
    sums[0] = sums[2] = -1;
    const int32_t outcome = hologram_kernel_enter_shaped(kernel, buffers, scalars, NULL, &state);
    const int runs = is_native && width == 4;
    expect((outcome == HOLOGRAM_LAUNCH_DONE) == runs && (sums[2] == 38) == runs, "enter_shaped");
  }
  const hologram_array_shape wrong[] = {
      {1, {12, 0, 0, 0}, {1, 0, 0, 0}},
      {2, {3, 4, 0, 0}, {1, 3, 0, 0}},
      {2, {1 << 20, 1 << 20, 0, 0}, {1 << 20, 1, 0, 0}},
      {2, {0, (uint64_t)1 << 33, 0, 0}, {(uint64_t)1 << 33, 1, 0, 0}},
      {99, {3, 4, 0, 0}, {4, 1, 0, 0}},
      {0, {0, 0, 0, 0}, {0, 0, 0, 0}},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    const hologram_array_shape* shapes[] = {&wrong[k], NULL};
    expect(hologram_kernel_shape_scalars(kernel, buffers, shapes, scalars) == 0, "a wrong shape");
  }
  expect(hologram_kernel_shape_scalars(kernel, buffers, NULL, scalars) == 0, "no shape");
  hologram_kernel_destroy(kernel);
}

static void test_loading(const char* bundle, const char* hash) {
  hologram_executor* executor = NULL;
  hologram_kernel* kernel = NULL;
  expect_success(hologram_executor_create(&executor), "create");
  expect_error(hologram_executor_load_file(executor, "missing.holo", NULL),
               HOLOGRAM_ERROR_NOT_FOUND, "hologram: error: missing.holo: no such file",
               "a missing file");
  expect_error(hologram_executor_load_memory(executor, "x", 1, hash), HOLOGRAM_ERROR_INVALID_BUNDLE,
               "hologram: error: bundle has 1 bytes, its header alone has 64", "no bundle");
  hologram_error* error = hologram_executor_load_file(executor, bundle, "abc");
  expect_text(error == NULL ? "" : hologram_error_message(error),
              "expected a trust hash of 64 hexadecimal digits, found 'abc'", "no hash");
  hologram_error_destroy(error);
  expect_error(hologram_executor_kernel(executor, "unknown", &kernel), HOLOGRAM_ERROR_NOT_FOUND,
               "hologram: error: no kernel 'unknown': nothing is loaded", "nothing loaded");
  expect(kernel == NULL, "no kernel after an error");
  hologram_executor_destroy(executor);
  hologram_executor_destroy(NULL);
  hologram_kernel_destroy(NULL);
  hologram_error_destroy(NULL);
}

static void test_registry(const char* bundle, const char* hash) {
  hologram_executor* executor = NULL;
  hologram_listing* listing = NULL;
  expect_success(hologram_executor_create_private(&executor), "create");
  expect_success(hologram_executor_load_file(executor, bundle, hash), "load");
  expect_error(hologram_executor_add_directory(executor, "/dev/null"),
               HOLOGRAM_ERROR_INVALID_ARGUMENT,
               "hologram: error: kernel folder /dev/null: not a folder", "a file is no folder");
  expect_error(hologram_executor_trust(executor, "abc"), HOLOGRAM_ERROR_INVALID_ARGUMENT,
               "hologram: error: expected a trust hash of 64 hexadecimal digits, found 'abc'",
               "no hash");
  expect_success(hologram_executor_trust(executor, hash), "trust");
  expect_success(hologram_executor_list(executor, &listing), "list");
  expect(hologram_listing_num_kernels(listing) == 3, "number of kernels");
  const hologram_listed_kernel* listed = hologram_listing_kernel(listing, 2);
  expect_text(listed->name, "vector_add", "name of a listed kernel");
  expect_text(listed->file, bundle, "file of a listed kernel");
  expect(strlen(listed->id) == 64 && listed->shadowed_by == NULL &&
             listed->origin == HOLOGRAM_ORIGIN_BUNDLED,
         "a listed kernel");
  expect(hologram_listing_kernel(listing, 3) == NULL, "no fourth kernel");
  expect(hologram_listing_num_errors(listing) == 0 && hologram_listing_error(listing, 0) == NULL,
         "nothing is wrong");
  hologram_listing_destroy(listing);
  hologram_listing_destroy(NULL);
  hologram_executor_destroy(executor);
}

static void test_math(void) {
  const uint64_t one[] = {0x3f800000, 0x40000000};
  uint64_t result = 7;
  expect_success(hologram_math("exp", HOLOGRAM_F32, 0, one, 1, &result), "exp");
  expect(result == 0x402df854, "exp(1) in f32");
  expect_success(hologram_math("pow", HOLOGRAM_F32, 1, one + 0, 2, &result), "pow");
  expect(result == 0x3f800000, "1 to the power of 2");
  const uint64_t zero = 0;
  expect_success(hologram_math("cos", HOLOGRAM_F64, 0, &zero, 1, &result), "cos");
  expect(result == 0x3ff0000000000000u, "cos(0) in f64");
  expect_success(hologram_math("exp", HOLOGRAM_F16, 0, &zero, 1, &result), "exp in f16");
  expect(result == 0x3c00, "exp(0) in f16");
  expect_success(hologram_math("sigmoid", HOLOGRAM_BF16, 0, &zero, 1, &result), "in bf16");
  expect(result == 0x3f00, "sigmoid(0) in bf16");
  expect_error(hologram_math("sqrt", HOLOGRAM_F32, 0, one, 1, &result),
               HOLOGRAM_ERROR_INVALID_ARGUMENT,
               "hologram: error: 'sqrt' is no mathematical function of the instruction set",
               "an unknown function");
  expect_error(hologram_math("exp", HOLOGRAM_I32, 0, one, 1, &result),
               HOLOGRAM_ERROR_INVALID_ARGUMENT, "hologram: error: exp takes a float type, not 2",
               "a type that is no float");
  expect_error(hologram_math("pow", HOLOGRAM_F32, 0, one, 1, &result),
               HOLOGRAM_ERROR_INVALID_ARGUMENT, "hologram: error: pow takes 2 operands, not 1",
               "too few operands");
  expect_error(hologram_math("exp", HOLOGRAM_F16, 0, one, 1, &result),
               HOLOGRAM_ERROR_INVALID_ARGUMENT,
               "hologram: error: operand 0 of exp does not fit in 16 bits", "too many bits");
  expect(result == 0x3f00, "no result after an error");
}

static void test_classes(hologram_executor* executor) {
  hologram_boundary* boundary = NULL;
  hologram_boundary* other = NULL;
  hologram_launch_config config;
  uint32_t page = 0;
  uint32_t byte = 0;
  uint32_t offset = 0;
  uint8_t bytes[4] = {1, 2, 255, 0};
  uint8_t read = 0;
  expect_success(
      hologram_executor_allocate_boundary(executor, HOLOGRAM_ANY_CLASS, 48, 256, &boundary),
      "a class");
  expect(hologram_boundary_class(boundary) == 0, "the lowest class");
  expect(hologram_boundary_size(boundary) == HOLOGRAM_BYTES_PER_CLASS, "all of the class");
  expect(hologram_executor_num_free_classes(executor) == HOLOGRAM_NUM_CLASSES - 1, "95 are free");
  expect_error(hologram_executor_allocate_boundary(executor, 0, 48, 256, &other),
               HOLOGRAM_ERROR_INVALID_ARGUMENT,
               "hologram: error: class_index: class 0 has a buffer already", "a class twice");
  expect_error(hologram_executor_allocate_boundary(executor, 96, 48, 256, &other),
               HOLOGRAM_ERROR_INVALID_ARGUMENT,
               "hologram: error: class_index: expected 0 to 95, found 96", "no class");
  expect(other == NULL, "no buffer after an error");
  memcpy(hologram_boundary_data(boundary), bytes, sizeof bytes);
  expect_success(hologram_executor_read_class_memory(executor, 2, &read, 1), "a byte");
  expect(read == 255, "the memory of the class");
  hologram_boundary_destroy(boundary);
  hologram_boundary_destroy(NULL);
  expect(hologram_executor_num_free_classes(executor) == HOLOGRAM_NUM_CLASSES, "all are free");

  expect_success(hologram_class_offset_to_phi(95, 12287, &page, &byte), "an offset");
  expect(page == 47 && byte == 255, "its page and byte");
  expect_success(hologram_class_phi_to_offset(95, 4, 1, &offset), "a page and a byte");
  expect(offset == 1025, "their offset");
  expect_error(hologram_class_offset_to_phi(0, 12288, &page, &byte),
               HOLOGRAM_ERROR_INVALID_ARGUMENT,
               "hologram: error: offset: expected 0 to 12287, found 12288", "no byte of a class");

  expect(hologram_is_canonical(bytes, sizeof bytes) == 0, "odd bytes");
  hologram_canonicalize(bytes, sizeof bytes);
  expect(hologram_is_canonical(bytes, sizeof bytes) == 1, "even bytes");
  expect(bytes[0] == 0 && bytes[1] == 2 && bytes[2] == 254, "canonical bytes");

  expect_success(hologram_default_launch_config(1000, &config), "a launch config");
  expect(config.grid[0] == 4 && config.block[0] == 256 && config.grid[2] == 1, "blocks of 256");
  expect_error(hologram_default_launch_config(0, &config), HOLOGRAM_ERROR_INVALID_ARGUMENT,
               "hologram: error: elements: expected 1 to 1099511627520, found 0", "no elements");
}

int main(int argc, char** argv) {
  if (argc != 5) {
    return 2;
  }
  const char* bundle = argv[1];
  const char* hash = argv[2];
  hologram_executor* executor = NULL;
  hologram_kernel* kernel = NULL;
  expect(strlen(hologram_version()) >= 5, "version");
  expect(hologram_has_feature("cuda") == 0, "no GPU yet");
  expect(hologram_has_feature("compiler") >= 0, "a known feature");
  expect(hologram_has_feature("teleport") == -1, "an unknown feature");
  test_math();
  test_loading(bundle, hash);
  test_registry(bundle, hash);
  expect_success(hologram_executor_create(&executor), "create");
  expect_success(hologram_executor_load_beside(executor, argv[4], hash), "load");
  expect_success(hologram_executor_kernel(executor, "vector_add", &kernel), "kernel");
  test_classes(executor);
  test_shapes(executor);
  hologram_executor_destroy(executor);
  if (kernel != NULL) {
    test_kernel(kernel, argv[3]);
    test_launch(kernel);
    test_fault(kernel);
  }
  hologram_kernel_destroy(kernel);
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
