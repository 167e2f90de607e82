// Every allocation fails once: for each scenario and each n, the n-th allocation of the calls that
// it makes finds no memory, alone or with all that follow. Each call then gives success or an error
// (never HOLOGRAM_ERROR_INTERNAL), the same calls work right after it, and when all is destroyed no
// block is left over. usage: allocation_test BUNDLE TRUST NATIVE_FOLDER
//   [--plugin [SEED] | --plugin-all [FIRST [STEP]]]
#include <hologram/hologram.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "allocation_calls.h"
#include "allocation_failures.h"

namespace hologram::test {

int failures = 0;
std::array<int64_t, 16> codes{};

void Fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
  std::putchar('\n');
  if (++failures > 20) std::exit(1);
}

void Add(Calls& calls, const hologram_kernel* kernel, uint32_t backend) {
  static std::vector<float> a(300, 1), b(300, 2), c(300);
  hologram_launch_config config{};
  config.backend = backend;
  std::fill(c.begin(), c.end(), 0.0f);
  hologram_argument arguments[] = {Array(a), Array(b), Array(c), Scalar(300)};
  if (calls.Ok(hologram_kernel_launch(kernel, arguments, 4, &config)) && c[299] != 3) {
    Fail("%s: a launch succeeded with another result", calls.name());
  }
  arguments[3] = Scalar(300, HOLOGRAM_U64);
  calls.Ok(hologram_kernel_launch(kernel, arguments, 4, &config));
  config.grid[0] = 3;
  config.block[0] = 100;
  for (const int d : {1, 2}) config.grid[d] = config.block[d] = 1;
  arguments[3] = Scalar(300);
  calls.Ok(hologram_kernel_launch(kernel, arguments, 4, &config));
  arguments[0].buffer.bytes -= 4;
  calls.Refused(hologram_kernel_launch(kernel, arguments, 4, &config), HOLOGRAM_ERROR_FAULT);
  arguments[0].code = kArray ^ uint32_t { HOLOGRAM_F32 } ^ uint32_t { HOLOGRAM_F64 };
  calls.Refused(hologram_kernel_launch(kernel, arguments, 4, &config),
                HOLOGRAM_ERROR_INVALID_ARGUMENT);
}

}  // namespace hologram::test

namespace {

using namespace hologram::test;

// One round: everything is made, run with the n-th allocation failing, run again and destroyed.
// False: fewer than n allocations were made.
bool Round(const Scenario& scenario, int64_t n, bool all, bool is_first = false) {
  Calls calls(scenario.name);
  const int64_t before = num_live_blocks();
  hologram_executor* executor = nullptr;
  calls.Ok(hologram_executor_create_private(&executor));
  if (scenario.prepare) scenario.prepare(calls, executor);
  calls.set_armed(true);
  FailAllocation(n, all);
  scenario.run(calls, executor);
  const bool has_failed = EndFailures() != 0;
  calls.set_armed(false);
  scenario.run(calls, executor);
  hologram_executor_destroy(executor);
  const int64_t left = num_live_blocks() - before;
  if (left != 0 && !is_first) {
    Fail("%s: %lld blocks are left over, n = %lld%s", scenario.name, static_cast<long long>(left),
         static_cast<long long>(n), all ? " and all that follow" : "");
  }
  return has_failed;
}

void Run(const Scenario& scenario) {
  const int64_t step = scenario.step;
  Round(scenario, INT64_MAX, false, true);  // objects with static storage are made
  for (const bool all : {false, true}) {
    int64_t n = 0;
    const int64_t before = failed_allocations;
    while (Round(scenario, n, all)) n += step;
    std::printf("%-28s %s: %lld places, %lld allocations failed\n", scenario.name,
                all ? "n-th and all after" : "n-th allocation   ", static_cast<long long>(n / step),
                static_cast<long long>(failed_allocations - before));
    if (n == 0) Fail("%s: it allocates nothing", scenario.name);
  }
}

// It prints, and its third lane faults.
void Talk(Calls& calls, hologram_executor* executor, uint32_t backend) {
  static std::vector<float> x;
  static volatile size_t printed;
  const auto print = [](void* /*context*/, const hologram_print_record* record) {
    printed = printed + record->size;
  };
  hologram_executor_set_print(executor, print, nullptr);
  With(calls, executor, "talk", [&](const hologram_kernel* kernel) {
    if (!calls.is_armed()) hologram_kernel_wait(kernel);
    hologram_launch_config config{};
    config.backend = backend;
    x = {1, 2, 5, 1};
    const hologram_argument arguments[] = {Array(x), Scalar(4)};
    calls.Refused(hologram_kernel_launch(kernel, arguments, 2, &config), HOLOGRAM_ERROR_FAULT);
    x = {1, 2, 2, 1};
    calls.Ok(hologram_kernel_launch(kernel, arguments, 2, &config));
  });
}

std::vector<Scenario> Scenarios(const Inputs& inputs) {
  std::vector<Scenario> all;
  const auto loaded = [&inputs](Calls& calls, hologram_executor* executor) {
    Load(calls, executor, inputs, false);
  };
  const auto trusted = [&inputs](Calls& calls, hologram_executor* executor) {
    Load(calls, executor, inputs, true);
  };
  all.push_back({"executors", {}, [](Calls& calls, hologram_executor*) {
                   hologram_executor* made = nullptr;
                   if (calls.Ok(hologram_executor_create_private(&made))) {
                     hologram_executor_destroy(made);
                   }
                   if (calls.Ok(hologram_executor_create(&made))) hologram_executor_destroy(made);
                 }});
  all.push_back({"load memory", {}, [&inputs](Calls& calls, hologram_executor* executor) {
                   Load(calls, executor, inputs, false);
                   Load(calls, executor, inputs, true);
                   calls.Refused(hologram_executor_load_memory(executor, "no bundle", 9, nullptr),
                                 HOLOGRAM_ERROR_INVALID_BUNDLE);
                 }});
  all.push_back({"load static", {}, [&inputs](Calls& calls, hologram_executor* executor) {
                   calls.Ok(hologram_executor_load_static(
                       executor, inputs.bytes.data(), inputs.bytes.size(), inputs.trust.c_str()));
                 }});
  all.push_back({"load files", {}, [&inputs](Calls& calls, hologram_executor* executor) {
                   const char* const path = inputs.bundle.c_str();
                   calls.Ok(hologram_executor_load_file(executor, path, nullptr));
                   calls.Ok(hologram_executor_load_file(executor, path, inputs.trust.c_str()));
                   calls.Refused(hologram_executor_load_file(executor, path, "no hash"),
                                 HOLOGRAM_ERROR_INVALID_ARGUMENT);
                   calls.Refused(hologram_executor_load_beside(executor, "none.holo", nullptr),
                                 HOLOGRAM_ERROR_NOT_FOUND);
                   calls.Ok(hologram_executor_load_standard(executor, nullptr));
                 }});
  all.push_back({"native kernel", trusted, [](Calls& calls, hologram_executor* executor) {
                   With(calls, executor, "vector_add", [&](const hologram_kernel* kernel) {
                     (void)hologram_kernel_name(kernel);
                     (void)hologram_kernel_plan(kernel);
                     const uint32_t list[] = {kArray, kArray, kArray | HOLOGRAM_ARGUMENT_WRITABLE,
                                              HOLOGRAM_U32};
                     calls.Ok(hologram_kernel_check(kernel, list, 4));
                     calls.Refused(hologram_kernel_check(kernel, list, 3),
                                   HOLOGRAM_ERROR_INVALID_ARGUMENT);
                   });
                 }});
  all.push_back({"interpreted kernels", loaded, [](Calls& calls, hologram_executor* executor) {
                   for (const char* name : {"vector_add", "row_sums", "talk"}) {
                     With(calls, executor, name, [](const hologram_kernel*) {});
                   }
                   hologram_kernel* none = nullptr;
                   calls.Refused(hologram_executor_kernel(executor, "nobody", &none),
                                 HOLOGRAM_ERROR_NOT_FOUND);
                 }});
  all.push_back({"folders", {}, [&inputs](Calls& calls, hologram_executor* executor) {
                   hologram_listing* listing = nullptr;
                   calls.Ok(hologram_executor_add_directory(executor, inputs.folder.c_str()));
                   calls.Ok(
                       hologram_executor_add_native_directory(executor, inputs.libraries.c_str()));
                   calls.Ok(hologram_executor_trust(executor, inputs.trust.c_str()));
                   if (calls.Ok(hologram_executor_list(executor, &listing))) {
                     hologram_listing_destroy(listing);
                   }
                   calls.Refused(hologram_executor_add_directory(executor, "/nonexistent"),
                                 HOLOGRAM_ERROR_NOT_FOUND);
                   if (calls.is_armed()) return;
                   With(calls, executor, "vector_add", [](const hologram_kernel*) {});
                 }});
  all.push_back({"native launches", trusted, [](Calls& calls, hologram_executor* executor) {
                   With(calls, executor, "vector_add", [&](const hologram_kernel* kernel) {
                     Add(calls, kernel, HOLOGRAM_BACKEND_AUTO);
                   });
                 }});
  all.push_back({"interpreted launches", loaded, [](Calls& calls, hologram_executor* executor) {
                   With(calls, executor, "vector_add", [&](const hologram_kernel* kernel) {
                     Add(calls, kernel, HOLOGRAM_BACKEND_INTERPRETER);
                   });
                   With(calls, executor, "row_sums", [&](const hologram_kernel* kernel) {
                     static std::vector<float> a(12, 1), out(3);
                     const hologram_array_shape shape = {2, {3, 4, 0, 0}, {0, 0, 0, 0}};
                     const hologram_array_shape* const shapes[] = {&shape, nullptr};
                     const hologram_argument arguments[] = {Array(a), Array(out)};
                     calls.Ok(hologram_kernel_launch_shaped(kernel, arguments, shapes, 2, nullptr));
                     const hologram_buffer_ref buffers[] = {{a.data(), 48}, {out.data(), 12}};
                     uint64_t scalars[HOLOGRAM_MAX_PARAMETERS];
                     hologram_launch_state state;
                     if (hologram_kernel_takes_shapes(kernel) == 0 ||
                         hologram_kernel_shape_scalars(kernel, buffers, shapes, scalars) == 0) {
                       Fail("no scalars of shapes");
                     }
                     (void)hologram_kernel_enter_shaped(kernel, buffers, scalars, nullptr, &state);
                   });
                 }});
  all.push_back({"prints and faults", loaded, [](Calls& calls, hologram_executor* executor) {
                   Talk(calls, executor, HOLOGRAM_BACKEND_INTERPRETER);
                 }});
  all.push_back(
      {"fault of an entry", trusted, [](Calls& calls, hologram_executor* executor) {
         With(calls, executor, "vector_add", [&](const hologram_kernel* kernel) {
           static std::vector<float> a(8, 1), b(8, 2), c(8);
           const hologram_buffer_ref buffers[] = {{a.data(), 28}, {b.data(), 32}, {c.data(), 32}};
           const uint64_t n = 8;
           hologram_launch_shape shape = {{1, 1, 1}, {8, 1, 1}};
           hologram_launch_state state{};
           (void)hologram_kernel_enter(kernel, buffers, &n, &shape, &state);
           state.fault_code = HOLOGRAM_FAULT_OUT_OF_BOUNDS;
           state.fault_lane = 7;
           state.fault_pc = 3;
           hologram_error* error = hologram_kernel_fault(kernel, buffers, &n, &shape, &state);
           if (error == nullptr) Fail("no error for a fault");
           hologram_error_destroy(error);
         });
       }});
  all.push_back({"stream and class memory", {}, [](Calls& calls, hologram_executor* executor) {
                   hologram_boundary* boundary = nullptr;
                   hologram_ratio ratio{};
                   uint8_t bytes[16] = {};
                   if (calls.Ok(hologram_executor_allocate_boundary(executor, HOLOGRAM_ANY_CLASS, 2,
                                                                    3, &boundary))) {
                     hologram_boundary_destroy(boundary);
                   }
                   if (hologram_executor_num_free_classes(executor) != HOLOGRAM_NUM_CLASSES) {
                     Fail("a class is lost");
                   }
                   calls.Refused(hologram_executor_allocate_boundary(executor, 96, 2, 3, &boundary),
                                 HOLOGRAM_ERROR_INVALID_ARGUMENT);
                   hologram_executor_advance_phase(executor, 5);
                   hologram_executor_reset_resonance(executor);
                   calls.Ok(hologram_executor_set_resonance(executor, 3, {1, 2}));
                   calls.Ok(hologram_executor_add_resonance(executor, 3, {1, 2}));
                   calls.Ok(hologram_executor_resonance(executor, 3, &ratio));
                   calls.Refused(hologram_executor_set_resonance(executor, 96, {1, 2}),
                                 HOLOGRAM_ERROR_INVALID_ARGUMENT);
                   calls.Ok(hologram_executor_write_class_memory(executor, 0, bytes, 16));
                   calls.Ok(hologram_executor_read_class_memory(executor, 0, bytes, 16));
                 }});
  all.push_back({"settings and functions", {}, [](Calls& calls, hologram_executor* executor) {
                   uint32_t a = 0;
                   uint32_t b = 0;
                   uint32_t six[6];
                   hologram_launch_config config{};
                   const uint64_t operand = 0x3f800000;
                   uint64_t result = 0;
                   calls.Ok(hologram_executor_set_threads(executor, 2));
                   calls.Refused(hologram_executor_set_threads(executor, 5000),
                                 HOLOGRAM_ERROR_INVALID_ARGUMENT);
                   hologram_executor_set_tiered(executor, 0);
                   calls.Ok(hologram_default_launch_config(1000, &config));
                   calls.Refused(hologram_default_launch_config(0, &config),
                                 HOLOGRAM_ERROR_INVALID_ARGUMENT);
                   calls.Ok(hologram_math("exp", HOLOGRAM_F32, 0, &operand, 1, &result));
                   calls.Refused(hologram_math("expo", HOLOGRAM_F32, 0, &operand, 1, &result),
                                 HOLOGRAM_ERROR_INVALID_ARGUMENT);
                   calls.Ok(hologram_class_mirror(5, &a));
                   calls.Ok(hologram_class_neighbours(5, six, &a));
                   calls.Ok(hologram_class_offset_to_phi(5, 300, &a, &b));
                   calls.Ok(hologram_class_phi_to_offset(5, 1, 2, &a));
                   calls.Refused(hologram_class_mirror(96, &a), HOLOGRAM_ERROR_INVALID_ARGUMENT);
                   calls.Refused(hologram_executor_load_file(nullptr, "a", nullptr),
                                 HOLOGRAM_ERROR_INVALID_ARGUMENT);
                 }});
  return all;
}

// With the compiler plugin: circuits, and kernels that it has compiled and that call back.
std::vector<Scenario> PluginScenarios(const Inputs& inputs) {
  std::vector<Scenario> all;
  all.push_back(
      {"circuits", {}, [](Calls& calls, hologram_executor* executor) {
         calls.Ok(hologram_executor_load_circuit(
             executor, "(f32 c00, f32 $a) -> (f32 c01) over n merge:mul@c00[$a,c01]", "scale"));
         calls.Refused(hologram_executor_load_circuit(executor, "(f32", "broken"),
                       HOLOGRAM_ERROR_INVALID_TEXT);
       }});
  all.push_back({"bundles", {}, [](Calls& calls, hologram_executor*) {
                   hologram_bundle* made = nullptr;
                   hologram_bundle* again = nullptr;
                   if (calls.Ok(hologram_bundle_compile_circuit(
                           "(f32 c00, f32 $a) -> (f32 c01) over n merge:mul@c00[$a,c01]", "scale",
                           "none", &made))) {
                     calls.Ok(hologram_bundle_compile(hologram_bundle_data(made),
                                                      hologram_bundle_size(made), "none", &again));
                     calls.Ok(hologram_bundle_save(again == nullptr ? made : again, "/dev/null"));
                   }
                   hologram_bundle_destroy(made);
                   hologram_bundle_destroy(again);
                   calls.Refused(hologram_bundle_compile_json("{}", 2, "k.json", "none", &again),
                                 HOLOGRAM_ERROR_INVALID_TEXT);
                   constexpr char text[] = ".kernel k\n.param x f32[] out\n  exit\n";
                   hologram_bundle* assembled = nullptr;
                   calls.Ok(hologram_bundle_compile_assembly(text, sizeof text - 1, "k.hasm",
                                                             "none", &assembled));
                   hologram_bundle_destroy(assembled);
                 }});
  all.push_back({"compiled launches",
                 [&inputs](Calls& calls, hologram_executor* executor) {
                   Load(calls, executor, inputs, false);
                   With(calls, executor, "talk", [&](const hologram_kernel* kernel) {
                     if (std::strncmp(hologram_kernel_path(kernel), "native", 6) != 0) {
                       Fail("talk runs in the %s", hologram_kernel_path(kernel));
                     }
                   });
                 },
                 [](Calls& calls, hologram_executor* executor) {
                   Talk(calls, executor, HOLOGRAM_BACKEND_CPU);
                 }});
  return all;
}

std::vector<uint8_t> ReadFile(const char* path) {
  std::vector<uint8_t> bytes;
  if (FILE* file = std::fopen(path, "rb")) {
    uint8_t part[4096];
    for (size_t got; (got = std::fread(part, 1, sizeof part, file)) != 0;) {
      bytes.insert(bytes.end(), part, part + got);
    }
    std::fclose(file);
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 4096);
  const Inputs inputs{argv[1], argv[2], argv[3],
                      std::string(argv[1]).substr(0, std::string(argv[1]).rfind('/')),
                      ReadFile(argv[1])};
  setenv("HOLOGRAM_STDLIB", argv[1], 1);
  try {
    throw std::bad_alloc();  // what the C++ library keeps from the first exception on
  } catch (const std::bad_alloc&) {
  }
  // And what the C library loads when an exception first passes its pthread_once().
  std::once_flag once;
  try {
    std::call_once(once, [] { throw std::bad_alloc(); });
  } catch (const std::bad_alloc&) {
  }
  if (argc > 4) {
    const std::vector<Scenario> scenarios = PluginScenarios(inputs);
    Round(scenarios[0], INT64_MAX, false, true);
    Round(scenarios[0], 0, false, true);  // the first exception of the C++ library in the plugin
    for (const Scenario& scenario : scenarios) Run(scenario);
    const int64_t number = argc > 5 ? std::atoll(argv[5]) : 0;
    if (std::strcmp(argv[4], "--plugin-all") == 0) {
      FailWhileCompiling(inputs, number, argc > 6 ? std::atoll(argv[6]) : 1, 0);
    } else {
      const uint64_t seed = argc > 5 ? static_cast<uint64_t>(number) : std::random_device()();
      std::printf("places of seed %llu\n", static_cast<unsigned long long>(seed));
      FailWhileCompiling(inputs, 0, 0, seed);
    }
  } else {
    for (const Scenario& scenario : Scenarios(inputs)) Run(scenario);
    for (const Scenario& scenario : MoreScenarios(inputs)) Run(scenario);
  }
  for (size_t code = 0; code < codes.size(); ++code) {
    if (codes[code] == 0) continue;
    std::printf("errors of code %zu: %lld\n", code, static_cast<long long>(codes[code]));
  }
  std::printf("%lld allocations failed, %d failures\n", static_cast<long long>(failed_allocations),
              failures);
  return failures == 0 ? 0 : 1;
}
