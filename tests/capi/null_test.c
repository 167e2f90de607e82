/* Every function of the C headers with null pointers, one at a time where it takes several: an
 * error that names the argument, or the neutral value that the header says. exports_test.py sees to
 * it that none is missing here. usage: null_test BUNDLE TRUST */
#include <hologram/device.h>
#include <hologram/engine.h>
#include <hologram/hologram.h>
#include <hologram/observe.h>
#include <hologram/pipeline.h>
#include <hologram/stream.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;
static int checks = 0;

static void Check(int holds, const char* what, int line) {
  ++checks;
  if (holds) return;
  ++failures;
  printf("line %d: %s does not hold\n", line, what);
}
#define CHECK(condition) Check(condition, #condition, __LINE__)

static void CheckRefused(hologram_error* error, const char* argument, int line) {
  char expected[64];
  snprintf(expected, sizeof expected, ": %s is NULL", argument);
  ++checks;
  if (error == NULL || hologram_error_code(error) != HOLOGRAM_ERROR_INVALID_ARGUMENT ||
      strstr(hologram_error_message(error), expected) == NULL) {
    ++failures;
    printf("line %d: expected '%s', found '%s'\n", line, expected,
           error == NULL ? "success" : hologram_error_message(error));
  }
  hologram_error_destroy(error);
}
#define REFUSED(call, argument) CheckRefused(call, argument, __LINE__)

static void CheckOk(hologram_error* error, int line) {
  ++checks;
  if (error != NULL) {
    ++failures;
    printf("line %d: %s\n", line, hologram_error_text(error));
  }
  hologram_error_destroy(error);
}
#define OK(call) CheckOk(call, __LINE__)

static int32_t Step(void* context, void* const* windows, uint64_t elements) {
  (void)context;
  (void)windows;
  (void)elements;
  return 0;
}

/* Without a kernel, or with one of four parameters. */
static void Windows(const hologram_kernel* kernel, const hologram_argument* arguments,
                    size_t count) {
  const uint64_t some[4] = {0};
  const hologram_window none = {0, 0, NULL, NULL};
  const hologram_window based = {0, 0, some, NULL};
  const hologram_window whole = {0, 0, some, some};
  hologram_reach reach[4];
  hologram_flow flows[4] = {{NULL, NULL, 0}};
  uint32_t unit = 0;
  uint64_t units = 0;
  if (kernel == NULL) {
    REFUSED(hologram_kernel_units(NULL, NULL, NULL, 0, NULL, some, &unit, &units), "kernel");
    REFUSED(hologram_kernel_launch_window(NULL, NULL, NULL, 0, NULL, &whole), "kernel");
    REFUSED(hologram_kernel_reach(NULL, NULL, NULL, 0, NULL, &whole, reach), "kernel");
    REFUSED(hologram_stream_run(NULL, NULL, NULL, 0, NULL, flows, NULL, NULL), "kernel");
    return;
  }
  REFUSED(hologram_kernel_units(kernel, NULL, NULL, count, NULL, some, &unit, &units), "arguments");
  REFUSED(hologram_kernel_units(kernel, arguments, NULL, count, NULL, NULL, &unit, &units),
          "extent");
  REFUSED(hologram_kernel_units(kernel, arguments, NULL, count, NULL, some, NULL, &units), "unit");
  REFUSED(hologram_kernel_units(kernel, arguments, NULL, count, NULL, some, &unit, NULL), "units");
  REFUSED(hologram_kernel_launch_window(kernel, NULL, NULL, count, NULL, &whole), "arguments");
  REFUSED(hologram_kernel_launch_window(kernel, arguments, NULL, count, NULL, NULL), "window");
  REFUSED(hologram_kernel_launch_window(kernel, arguments, NULL, count, NULL, &none),
          "window->base");
  REFUSED(hologram_kernel_launch_window(kernel, arguments, NULL, count, NULL, &based),
          "window->extent");
  REFUSED(hologram_kernel_reach(kernel, NULL, NULL, count, NULL, &whole, reach), "arguments");
  REFUSED(hologram_kernel_reach(kernel, arguments, NULL, count, NULL, NULL, reach), "window");
  REFUSED(hologram_kernel_reach(kernel, arguments, NULL, count, NULL, &none, reach),
          "window->extent");
  REFUSED(hologram_kernel_reach(kernel, arguments, NULL, count, NULL, &whole, NULL), "of_buffers");
  REFUSED(hologram_kernel_pointwise_length(kernel, NULL), "length");
  REFUSED(hologram_stream_run(kernel, NULL, NULL, count, NULL, flows, NULL, NULL), "arguments");
  REFUSED(hologram_stream_run(kernel, arguments, NULL, count, NULL, NULL, NULL, NULL), "flows");
}

static void Pools(void) {
  hologram_pool* pool = NULL;
  char byte = 0;
  const uint32_t type = HOLOGRAM_F32;
  const char* const name = NULL;
  const hologram_flow flow = {NULL, NULL, 0};
  uint32_t length = 0;
  REFUSED(hologram_pool_create(64, NULL), "pool");
  OK(hologram_pool_create(64, &pool));
  REFUSED(hologram_pool_copy_to(NULL, 0, &byte, 1), "pool");
  REFUSED(hologram_pool_copy_to(pool, 0, NULL, 1), "data");
  REFUSED(hologram_pool_copy_from(NULL, 0, &byte, 1), "pool");
  REFUSED(hologram_pool_copy_from(pool, 0, NULL, 1), "data");
  CHECK(hologram_pool_data(NULL) == NULL);
  CHECK(hologram_pool_size(NULL) == 0);
  CHECK(hologram_pool_size(pool) == 64);
  hologram_pool_destroy(pool);
  hologram_pool_destroy(NULL);
  REFUSED(hologram_kernel_pointwise_length(NULL, &length), "kernel");
  REFUSED(hologram_stream_apply(NULL, NULL, &type, &name, &flow, 1, 1, NULL, NULL), "step");
  REFUSED(hologram_stream_apply(Step, NULL, NULL, &name, &flow, 1, 1, NULL, NULL), "types");
  REFUSED(hologram_stream_apply(Step, NULL, &type, NULL, &flow, 1, 1, NULL, NULL), "names");
  REFUSED(hologram_stream_apply(Step, NULL, &type, &name, NULL, 1, 1, NULL, NULL), "flows");
  REFUSED(hologram_stream_apply(Step, NULL, &type, &name, &flow, 1, 1, NULL, NULL), "names[k]");
}

static void Pipelines(hologram_executor* executor) {
  hologram_capture* capture = NULL;
  hologram_pipeline* pipeline = NULL;
  hologram_pipeline_array array = {"x", HOLOGRAM_F32, HOLOGRAM_IN, 1, {4}};
  float x[4] = {0};

  REFUSED(hologram_capture_begin(NULL, 0, &capture), "name");
  REFUSED(hologram_capture_begin("p", 0, NULL), "capture");
  OK(hologram_capture_begin("p", 0, &capture));
  REFUSED(hologram_capture_array(NULL, &array, x), "capture");
  REFUSED(hologram_capture_array(capture, NULL, x), "array");
  REFUSED(hologram_capture_array(capture, &array, NULL), "data");
  array.name = NULL;
  REFUSED(hologram_capture_array(capture, &array, x), "array->name");
  REFUSED(hologram_capture_keep(NULL, x, sizeof x), "capture");
  REFUSED(hologram_capture_keep(capture, NULL, 1), "data");
  OK(hologram_capture_keep(capture, NULL, 0));
  hologram_capture_scratch(NULL, 1, 1);
  hologram_capture_scratch(NULL, 1, 0);
  REFUSED(hologram_capture_end(NULL, &pipeline), "capture");
  REFUSED(hologram_capture_end(capture, NULL), "pipeline");
  hologram_capture_destroy(capture);
  hologram_capture_destroy(NULL);

  REFUSED(hologram_pipeline_bundle(NULL, NULL, NULL), "pipeline");
  REFUSED(hologram_pipeline_load_file(NULL, "p.holo", NULL, &pipeline), "executor");
  REFUSED(hologram_pipeline_load_file(executor, NULL, NULL, &pipeline), "path");
  REFUSED(hologram_pipeline_load_file(executor, "p.holo", NULL, NULL), "pipeline");
  REFUSED(hologram_pipeline_load_memory(NULL, x, sizeof x, NULL, &pipeline), "executor");
  REFUSED(hologram_pipeline_load_memory(executor, NULL, 1, NULL, &pipeline), "data");
  REFUSED(hologram_pipeline_load_memory(executor, x, sizeof x, NULL, NULL), "pipeline");
  REFUSED(hologram_pipeline_run(NULL, NULL, 0), "pipeline");
  CHECK(*hologram_pipeline_name(NULL) == '\0');
  CHECK(*hologram_pipeline_text(NULL) == '\0');
  CHECK(hologram_pipeline_num_arrays(NULL) == 0);
  CHECK(hologram_pipeline_array_at(NULL, 0) == NULL);
  CHECK(hologram_pipeline_bytes(NULL) == 0);
  CHECK(hologram_pipeline_is_short(NULL) == 0);
  hologram_pipeline_cancel(NULL);
  hologram_pipeline_resume(NULL);
  hologram_pipeline_destroy(NULL);
}

static void WithoutHandles(void) {
  const hologram_ratio one = {1, 1};
  hologram_launch_state state;
  const hologram_launch_shape shape = {{1, 1, 1}, {1, 1, 1}};
  const hologram_launch_counts none = hologram_kernel_counts(NULL);
  uint32_t word = 7;
  hologram_ratio ratio;
  memset(&state, 0, sizeof state);

  CHECK(hologram_version() != NULL);
  CHECK(hologram_has_feature(NULL) == -1);
  CHECK(hologram_device_at(hologram_device_count()) == NULL);
  REFUSED(hologram_register_engine(NULL, &word), "engine");
  CHECK(hologram_find_backend(NULL) == UINT32_MAX);
  CHECK(hologram_backend_name(UINT32_MAX) == NULL);

  hologram_device_memory* memory = NULL;
  REFUSED(hologram_device_allocate(NULL, 1, NULL), "memory");
  REFUSED(hologram_device_borrow(NULL, 1, 1, NULL), "memory");
  REFUSED(hologram_device_write(NULL, 0, &word, 1), "memory");
  REFUSED(hologram_device_read(NULL, 0, &word, 1), "memory");
  REFUSED(hologram_device_wait(NULL), "memory");
  CHECK(hologram_device_address(NULL) == NULL && hologram_device_size(NULL) == 0);
  CHECK(hologram_device_pointer(NULL) == 0 && *hologram_device_place(NULL) == 0);
  hologram_device_destroy(NULL);
  {
    hologram_error* text = hologram_device_allocate("gpu", 1, &memory);
    CHECK(hologram_error_code(text) == HOLOGRAM_ERROR_INVALID_ARGUMENT && memory == NULL);
    hologram_error_destroy(text);
  }

  REFUSED(hologram_metrics_read(NULL), "metrics");
  REFUSED(hologram_doctor(0, NULL, NULL), "text");
  CHECK(hologram_metrics_size(NULL) == 0);
  CHECK(hologram_metrics_at(NULL, 0) == NULL);
  hologram_metrics_destroy(NULL);
  hologram_metrics_join();
  REFUSED(hologram_trace_start(NULL), "path");
  REFUSED(hologram_trace_start_callback(NULL, NULL), "take");
  for (int k = 0; k < 2; ++k) {
    hologram_error* none_runs = k == 0 ? hologram_trace_flush() : hologram_trace_stop(NULL);
    CHECK(strcmp(hologram_error_message(none_runs), "no trace runs") == 0);
    hologram_error_destroy(none_runs);
  }
  CHECK(hologram_trace_is_on() == 0);
  CHECK(hologram_span_begin() == 0);
  hologram_span_end(0, NULL, NULL, 0);
  hologram_trace_caller(NULL, 1);

  CHECK(hologram_error_code(NULL) == 0);
  CHECK(*hologram_error_message(NULL) == '\0');
  CHECK(*hologram_error_text(NULL) == '\0');
  CHECK(*hologram_error_file(NULL) == '\0');
  CHECK(hologram_error_line(NULL) == 0);
  CHECK(hologram_error_column(NULL) == 0);
  CHECK(hologram_error_fault(NULL) == NULL);
  hologram_error_destroy(NULL);

  REFUSED(hologram_executor_create(NULL), "executor");
  REFUSED(hologram_executor_create_private(NULL), "executor");
  hologram_executor_destroy(NULL);
  REFUSED(hologram_executor_load_file(NULL, "a", NULL), "executor");
  REFUSED(hologram_executor_load_beside(NULL, "a", NULL), "executor");
  REFUSED(hologram_executor_load_standard(NULL, NULL), "executor");
  REFUSED(hologram_executor_load_memory(NULL, "a", 1, NULL), "executor");
  REFUSED(hologram_executor_load_static(NULL, "a", 1, NULL), "executor");
  REFUSED(hologram_executor_load_circuit(NULL, "a", "b"), "executor");
  REFUSED(hologram_bundle_compile(NULL, 1, NULL, NULL), "data");
  REFUSED(hologram_bundle_compile("a", 1, NULL, NULL), "bundle");
  REFUSED(hologram_bundle_compile_json(NULL, 1, "a", NULL, NULL), "json");
  REFUSED(hologram_bundle_compile_json("a", 1, NULL, NULL, NULL), "file");
  REFUSED(hologram_bundle_compile_json("a", 1, "a", NULL, NULL), "bundle");
  REFUSED(hologram_bundle_compile_assembly(NULL, 1, "a", NULL, NULL), "text");
  REFUSED(hologram_bundle_compile_assembly("a", 1, NULL, NULL, NULL), "file");
  REFUSED(hologram_bundle_compile_assembly("a", 1, "a", NULL, NULL), "bundle");
  REFUSED(hologram_bundle_compile_circuit(NULL, "a", NULL, NULL), "circuit");
  REFUSED(hologram_bundle_compile_circuit("a", NULL, NULL, NULL), "name");
  REFUSED(hologram_bundle_compile_circuit("a", "b", NULL, NULL), "bundle");
  CHECK(hologram_bundle_data(NULL) == NULL);
  CHECK(hologram_bundle_size(NULL) == 0);
  CHECK(*hologram_bundle_trust_hash(NULL) == '\0');
  REFUSED(hologram_bundle_save(NULL, "a"), "bundle");
  hologram_bundle_destroy(NULL);
  REFUSED(hologram_executor_add_directory(NULL, "/"), "executor");
  REFUSED(hologram_executor_add_native_directory(NULL, "/"), "executor");
  REFUSED(hologram_executor_trust(NULL, "a"), "executor");
  REFUSED(hologram_executor_list(NULL, NULL), "executor");
  REFUSED(hologram_executor_kernel(NULL, "a", NULL), "executor");
  REFUSED(hologram_executor_set_threads(NULL, 1), "executor");
  REFUSED(hologram_get_threads(NULL), "threads");
  uint32_t count = 0;
  CHECK(hologram_set_threads(3) == NULL);
  CHECK(hologram_set_thread_limit(2) == 0);
  CHECK(hologram_get_threads(&count) == NULL && count == 2);
  CHECK(hologram_set_thread_limit(0) == 2);
  CHECK(hologram_get_threads(&count) == NULL && count == 3);
  CHECK(hologram_set_threads(0) == NULL);
  {
    hologram_error* error = hologram_set_threads(1025);
    CHECK(strcmp(hologram_error_message(error), "threads: expected 0 to 1024, found 1025") == 0);
    hologram_error_destroy(error);
  }
  hologram_executor_set_tiered(NULL, 1);
  hologram_cancel(NULL);
  hologram_resume(NULL);
  hologram_executor_set_print(NULL, NULL, NULL);
  CHECK(hologram_executor_phase(NULL) == 0);
  hologram_executor_advance_phase(NULL, 1);
  REFUSED(hologram_executor_resonance(NULL, 0, &ratio), "executor");
  REFUSED(hologram_executor_set_resonance(NULL, 0, one), "executor");
  REFUSED(hologram_executor_add_resonance(NULL, 0, one), "executor");
  hologram_executor_reset_resonance(NULL);
  REFUSED(hologram_executor_read_class_memory(NULL, 0, &word, 4), "executor");
  REFUSED(hologram_executor_write_class_memory(NULL, 0, &word, 4), "executor");
  REFUSED(hologram_executor_allocate_boundary(NULL, 0, 1, 1, NULL), "executor");
  CHECK(hologram_executor_num_free_classes(NULL) == 0);

  CHECK(hologram_listing_num_kernels(NULL) == 0);
  CHECK(hologram_listing_kernel(NULL, 0) == NULL);
  CHECK(hologram_listing_num_errors(NULL) == 0);
  CHECK(hologram_listing_error(NULL, 0) == NULL);
  hologram_listing_destroy(NULL);

  hologram_boundary_destroy(NULL);
  CHECK(hologram_boundary_class(NULL) == HOLOGRAM_ANY_CLASS);
  CHECK(hologram_boundary_data(NULL) == NULL);
  CHECK(hologram_boundary_size(NULL) == 0);

  REFUSED(hologram_class_offset_to_phi(0, 0, NULL, &word), "page");
  REFUSED(hologram_class_offset_to_phi(0, 0, &word, NULL), "byte");
  REFUSED(hologram_class_phi_to_offset(0, 0, 0, NULL), "offset");
  hologram_canonicalize(NULL, 8);
  CHECK(hologram_is_canonical(NULL, 0) == 1);
  CHECK(hologram_is_canonical(NULL, 8) == 0);
  REFUSED(hologram_class_mirror(0, NULL), "mirror");
  REFUSED(hologram_class_neighbours(0, NULL, &word), "neighbours");
  {
    uint32_t six[6];
    REFUSED(hologram_class_neighbours(0, six, NULL), "count");
  }

  hologram_kernel_destroy(NULL);
  CHECK(*hologram_kernel_name(NULL) == '\0');
  CHECK(*hologram_kernel_id(NULL) == '\0');
  CHECK(*hologram_kernel_arguments(NULL) == '\0');
  CHECK(*hologram_kernel_path(NULL) == '\0');
  CHECK(*hologram_kernel_note(NULL) == '\0');
  REFUSED(hologram_kernel_emit(NULL, "asm", NULL, NULL), "kernel");
  REFUSED(hologram_kernel_profile(NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL), "kernel");
  hologram_text_destroy(NULL);
  CHECK(hologram_kernel_num_parameters(NULL) == 0);
  CHECK(hologram_kernel_parameter(NULL, 0) == NULL);
  CHECK(hologram_kernel_threads(NULL) == 0);
  CHECK(none.native == 0 && none.interpreted == 0 && none.guarded == 0);
  Pools();
  REFUSED(hologram_default_launch_config(1, NULL), "config");
  REFUSED(hologram_kernel_launch(NULL, NULL, 0, NULL), "kernel");
  REFUSED(hologram_kernel_launch_shaped(NULL, NULL, NULL, 0, NULL), "kernel");
  REFUSED(hologram_kernel_check(NULL, NULL, 0), "kernel");
  Windows(NULL, NULL, 0);
  hologram_kernel_wait(NULL);
  hologram_kernel_cancel(NULL);
  hologram_kernel_resume(NULL);
  CHECK(hologram_kernel_is_short(NULL, NULL, 1) == 0);
  CHECK(hologram_kernel_plan(NULL) == NULL);
  CHECK(hologram_kernel_enter(NULL, NULL, NULL, &shape, &state) == HOLOGRAM_LAUNCH_UNPROVED);
  CHECK(hologram_kernel_takes_shapes(NULL) == 0);
  CHECK(hologram_kernel_shape_scalars(NULL, NULL, NULL, NULL) == 0);
  CHECK(hologram_kernel_enter_shaped(NULL, NULL, NULL, &shape, &state) == HOLOGRAM_LAUNCH_UNPROVED);
  REFUSED(hologram_kernel_fault(NULL, NULL, NULL, NULL, &state), "kernel");

  {
    const uint64_t operand = 0;
    uint64_t result;
    REFUSED(hologram_math(NULL, HOLOGRAM_F32, 0, &operand, 1, &result), "name");
    REFUSED(hologram_math("exp", HOLOGRAM_F32, 0, NULL, 1, &result), "operands");
    REFUSED(hologram_math("exp", HOLOGRAM_F32, 0, &operand, 1, NULL), "result");
  }
}

static void WithHandles(const char* bundle, const char* trust) {
  hologram_executor* executor = NULL;
  hologram_kernel* kernel = NULL;
  hologram_listing* listing = NULL;
  hologram_launch_state state;
  const hologram_launch_shape shape = {{1, 1, 1}, {1, 1, 1}};
  float a[4] = {1, 2, 3, 4};
  float b[4] = {1, 2, 3, 4};
  float c[4] = {0, 0, 0, 0};
  const uint64_t n = 4;
  hologram_argument arguments[4];
  hologram_error* error;
  hologram_buffer_ref buffers[3];
  memset(&state, 0, sizeof state);
  memset(arguments, 0, sizeof arguments);

  OK(hologram_executor_create_private(&executor));
  Pipelines(executor);
  REFUSED(hologram_executor_load_file(executor, NULL, NULL), "path");
  REFUSED(hologram_executor_load_beside(executor, NULL, NULL), "file");
  REFUSED(hologram_executor_load_memory(executor, NULL, 8, NULL), "data");
  REFUSED(hologram_executor_load_static(executor, NULL, 8, NULL), "data");
  REFUSED(hologram_executor_load_circuit(executor, NULL, "a"), "circuit");
  REFUSED(hologram_executor_load_circuit(executor, "a", NULL), "name");
  REFUSED(hologram_executor_add_directory(executor, NULL), "path");
  REFUSED(hologram_executor_add_native_directory(executor, NULL), "path");
  REFUSED(hologram_executor_trust(executor, NULL), "hash");
  REFUSED(hologram_executor_list(executor, NULL), "listing");
  REFUSED(hologram_executor_kernel(executor, NULL, &kernel), "name");
  REFUSED(hologram_executor_kernel(executor, "vector_add", NULL), "kernel");
  REFUSED(hologram_executor_resonance(executor, 0, NULL), "ratio");
  REFUSED(hologram_executor_read_class_memory(executor, 0, NULL, 4), "data");
  REFUSED(hologram_executor_write_class_memory(executor, 0, NULL, 4), "data");
  REFUSED(hologram_executor_allocate_boundary(executor, 0, 1, 1, NULL), "boundary");
  CHECK(hologram_executor_num_free_classes(executor) == HOLOGRAM_NUM_CLASSES);
  error = hologram_executor_load_memory(executor, NULL, 0, NULL);
  CHECK(hologram_error_code(error) == HOLOGRAM_ERROR_INVALID_BUNDLE);
  hologram_error_destroy(error);
  /* A size that no memory has. */
  error = hologram_executor_load_memory(executor, bundle, SIZE_MAX / 2 + 1, NULL);
  CHECK(hologram_error_code(error) == HOLOGRAM_ERROR_RESOURCE_LIMIT);
  CHECK(strcmp(hologram_error_text(error), "hologram: error: out of memory") == 0);
  CHECK(strcmp(hologram_error_message(error), "out of memory") == 0);
  CHECK(*hologram_error_file(error) == '\0' && hologram_error_fault(error) == NULL);
  hologram_error_destroy(error);
  hologram_error_destroy(error); /* it exists always */

  OK(hologram_executor_load_file(executor, bundle, trust));
  OK(hologram_executor_kernel(executor, "vector_add", &kernel));
  OK(hologram_executor_list(executor, &listing));
  hologram_listing_destroy(listing);

  buffers[0].data = a;
  buffers[1].data = b;
  buffers[2].data = c;
  for (int k = 0; k < 3; ++k) {
    buffers[k].bytes = sizeof a;
    arguments[k].code = HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER | HOLOGRAM_ARGUMENT_WRITABLE;
    arguments[k].buffer = buffers[k];
  }
  arguments[3].code = HOLOGRAM_U32;
  arguments[3].scalar = n;
  REFUSED(hologram_kernel_launch(kernel, NULL, 4, NULL), "arguments");
  REFUSED(hologram_kernel_launch_shaped(kernel, NULL, NULL, 4, NULL), "arguments");
  REFUSED(hologram_kernel_check(kernel, NULL, 4), "codes");
  Windows(kernel, arguments, 4);
  {
    char* text = NULL;
    REFUSED(hologram_kernel_emit(kernel, NULL, NULL, &text), "form");
    REFUSED(hologram_kernel_emit(kernel, "asm", NULL, NULL), "text");
    REFUSED(hologram_kernel_profile(kernel, NULL, NULL, 1, NULL, NULL, &text, NULL), "arguments");
    REFUSED(hologram_kernel_profile(kernel, NULL, NULL, 0, NULL, NULL, NULL, NULL), "text");
  }
  for (int k = 0; k < 3; ++k) {
    arguments[k].buffer.data = NULL;
    error = hologram_kernel_launch(kernel, arguments, 4, NULL);
    CHECK(hologram_error_code(error) == HOLOGRAM_ERROR_INVALID_ARGUMENT);
    CHECK(strstr(hologram_error_message(error), "has 16 bytes at NULL") != NULL);
    hologram_error_destroy(error);
    arguments[k].buffer = buffers[k];
  }
  /* Bits that this version does not know. */
  for (int k = 0; k < 4; ++k) {
    for (uint32_t bit = 0x40; bit != 0; bit <<= 1) {
      uint32_t codes[4];
      arguments[k].code |= bit;
      error = hologram_kernel_launch(kernel, arguments, 4, NULL);
      CHECK(hologram_error_code(error) == HOLOGRAM_ERROR_INVALID_ARGUMENT);
      hologram_error_destroy(error);
      for (int i = 0; i < 4; ++i) codes[i] = arguments[i].code;
      error = hologram_kernel_check(kernel, codes, 4);
      CHECK(hologram_error_code(error) == HOLOGRAM_ERROR_INVALID_ARGUMENT);
      hologram_error_destroy(error);
      arguments[k].code ^= bit;
    }
  }
  CHECK(hologram_kernel_enter(kernel, NULL, &n, &shape, &state) == HOLOGRAM_LAUNCH_UNPROVED);
  CHECK(hologram_kernel_enter(kernel, buffers, NULL, &shape, &state) == HOLOGRAM_LAUNCH_UNPROVED);
  CHECK(hologram_kernel_enter(kernel, buffers, &n, NULL, &state) == HOLOGRAM_LAUNCH_UNPROVED);
  CHECK(hologram_kernel_enter(kernel, buffers, &n, &shape, NULL) == HOLOGRAM_LAUNCH_UNPROVED);
  /* It takes no shapes. */
  CHECK(hologram_kernel_takes_shapes(kernel) == 0);
  uint64_t scalars[HOLOGRAM_MAX_PARAMETERS] = {4};
  CHECK(hologram_kernel_shape_scalars(kernel, buffers, NULL, scalars) == 0 && scalars[1] == 0);
  CHECK(hologram_kernel_enter_shaped(kernel, buffers, &n, &shape, &state) ==
        HOLOGRAM_LAUNCH_UNPROVED);
  hologram_last_launch last;
  REFUSED(hologram_kernel_last_launch(NULL, &last), "kernel");
  REFUSED(hologram_kernel_last_launch(kernel, NULL), "last");
  REFUSED(hologram_kernel_fault(kernel, NULL, &n, &shape, &state), "buffers");
  REFUSED(hologram_kernel_fault(kernel, buffers, NULL, &shape, &state), "scalars");
  REFUSED(hologram_kernel_fault(kernel, buffers, &n, &shape, NULL), "state");
  CHECK(c[0] == 0 && c[3] == 0);
  OK(hologram_kernel_launch(kernel, arguments, 4, NULL));
  CHECK(c[0] == 2 && c[3] == 8);
  hologram_kernel_destroy(kernel);
  hologram_executor_destroy(executor);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  WithoutHandles();
  WithHandles(argv[1], argv[2]);
  printf("%d checks with null pointers, %d failures\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
