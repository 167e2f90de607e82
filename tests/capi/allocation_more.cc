// Scenarios of allocation_test: pipelines, pools and streams, windows, traces, metrics, forms of a
// kernel, the report about the machine, and devices, of which there is none: drivers allocate by
// themselves, and tests/fakecuda makes each of their calls fail.
#include <hologram/device.h>
#include <hologram/engine.h>
#include <hologram/observe.h>
#include <hologram/pipeline.h>
#include <hologram/stream.h>

#include "allocation_calls.h"

namespace hologram::test {
namespace {

constexpr size_t kElements = 300;
constexpr uint64_t kBytes = kElements * sizeof(float);

struct Addition {
  std::vector<float> a = std::vector<float>(kElements, 1);
  std::vector<float> b = std::vector<float>(kElements, 2);
  std::vector<float> c = std::vector<float>(kElements);
  std::array<hologram_argument, 4> arguments = {Array(a), Array(b), Array(c), Scalar(kElements)};

  // Whether the sums are there.
  void Expect(const Calls& calls) {
    if (c.front() != 3 || c.back() != 3) Fail("%s: succeeded with another result", calls.name());
    std::fill(c.begin(), c.end(), 0.0f);
  }
};

// Made before anything fails.
Addition& TheAddition() {
  static Addition addition;
  return addition;
}

hologram_pipeline* Record(Calls& calls, const hologram_kernel* kernel, Addition& sum) {
  hologram_capture* capture = nullptr;
  if (!calls.Ok(hologram_capture_begin("sum", HOLOGRAM_CAPTURE_KEPT, &capture))) return nullptr;
  const hologram_pipeline_array x = {"x", HOLOGRAM_F32, HOLOGRAM_IN, 1, {kElements}};
  const hologram_pipeline_array y = {"y", HOLOGRAM_F32, HOLOGRAM_OUT, 1, {kElements}};
  hologram_pipeline* pipeline = nullptr;
  hologram_capture_scratch(sum.c.data(), kBytes, 0);
  if (calls.Ok(hologram_capture_array(capture, &x, sum.a.data())) &&
      calls.Ok(hologram_capture_keep(capture, sum.c.data(), kBytes)) &&
      calls.Ok(hologram_kernel_launch(kernel, sum.arguments.data(), 4, nullptr)) &&
      calls.Ok(hologram_capture_array(capture, &y, sum.c.data()))) {
    calls.Ok(hologram_capture_end(capture, &pipeline));
  }
  hologram_capture_destroy(capture);
  return pipeline;
}

void RunPipeline(Calls& calls, const hologram_pipeline* pipeline, Addition& sum) {
  const std::array<hologram_argument, 2> arguments = {sum.arguments[0], sum.arguments[2]};
  std::fill(sum.c.begin(), sum.c.end(), 0.0f);
  if (calls.Ok(hologram_pipeline_run(pipeline, arguments.data(), 2))) sum.Expect(calls);
}

void Pipelines(Calls& calls, hologram_executor* executor) {
  Addition& sum = TheAddition();
  With(calls, executor, "vector_add", [&](const hologram_kernel* kernel) {
    hologram_pipeline* const pipeline = Record(calls, kernel, sum);
    hologram_pipeline* again = nullptr;
    hologram_bundle* bundle = nullptr;
    if (pipeline == nullptr) return;
    RunPipeline(calls, pipeline, sum);
    calls.Refused(hologram_pipeline_run(pipeline, sum.arguments.data(), 1),
                  HOLOGRAM_ERROR_INVALID_ARGUMENT);
    if (calls.Ok(hologram_pipeline_bundle(pipeline, "none", &bundle)) &&
        calls.Ok(hologram_pipeline_load_memory(executor, hologram_bundle_data(bundle),
                                               hologram_bundle_size(bundle), nullptr, &again))) {
      RunPipeline(calls, again, sum);
    }
    hologram_pipeline_destroy(again);
    hologram_bundle_destroy(bundle);
    hologram_pipeline_destroy(pipeline);
  });
  hologram_pipeline* none = nullptr;
  calls.Refused(hologram_pipeline_load_file(executor, "/nonexistent/p.holo", nullptr, &none),
                HOLOGRAM_ERROR_NOT_FOUND);
}

int32_t Double(void* /*context*/, void* const* windows, uint64_t elements) {
  for (uint64_t i = 0; i < elements; ++i) static_cast<float*>(windows[0])[i] *= 2;
  return 0;
}

void Streams(Calls& calls, hologram_executor* executor) {
  Addition& sum = TheAddition();
  hologram_pool* pool = nullptr;
  if (!calls.Ok(hologram_pool_create(uint64_t{1} << 16, &pool))) return;
  calls.Ok(hologram_pool_copy_to(pool, 0, sum.a.data(), kBytes));
  calls.Ok(hologram_pool_copy_from(pool, 0, sum.a.data(), kBytes));
  calls.Refused(hologram_pool_copy_to(pool, uint64_t{1} << 16, sum.a.data(), 1),
                HOLOGRAM_ERROR_INVALID_ARGUMENT);
  std::array<hologram_place, 3> places{};
  places[0].memory = sum.a.data();
  places[1].memory = sum.b.data();
  places[2].memory = sum.c.data();
  const std::array<hologram_flow, 3> flows = {{{places.data(), nullptr, kElements},
                                               {&places[1], nullptr, kElements},
                                               {nullptr, &places[2], kElements}}};
  hologram_stream_config config{};
  config.window = 512;
  config.pool = pool;
  hologram_streamed streamed{};
  With(calls, executor, "vector_add", [&](const hologram_kernel* kernel) {
    std::fill(sum.c.begin(), sum.c.end(), 0.0f);
    if (calls.Ok(hologram_stream_run(kernel, sum.arguments.data(), nullptr, 4, nullptr,
                                     flows.data(), &config, &streamed))) {
      sum.Expect(calls);
    }
  });
  static std::vector<float> doubled(kElements, 1);
  hologram_place place{};
  place.memory = doubled.data();
  const hologram_flow flow = {&place, &place, kElements};
  constexpr uint32_t type = HOLOGRAM_F32;
  const char* const name = "x";
  calls.Ok(hologram_stream_apply(Double, nullptr, &type, &name, &flow, 1, 1, &config, &streamed));
  hologram_pool_destroy(pool);
}

void Windows(Calls& calls, hologram_executor* executor) {
  Addition& sum = TheAddition();
  With(calls, executor, "vector_add", [&](const hologram_kernel* kernel) {
    const std::array<uint64_t, 3> base{};
    const std::array<uint64_t, 3> extent = {kElements, kElements, kElements};
    std::array<hologram_reach, 3> reach{};
    uint32_t length = 0;
    if (calls.Ok(hologram_kernel_pointwise_length(kernel, &length)) && length != 3) {
      Fail("%s: vector_add has parameter %u as its length", calls.name(), length);
    }
    uint32_t unit = 0;
    uint64_t units = 0;
    if (!calls.Ok(hologram_kernel_units(kernel, sum.arguments.data(), nullptr, 4, nullptr,
                                        extent.data(), &unit, &units))) {
      return;
    }
    const hologram_window window = {0, units, base.data(), extent.data()};
    calls.Ok(hologram_kernel_reach(kernel, sum.arguments.data(), nullptr, 4, nullptr, &window,
                                   reach.data()));
    std::fill(sum.c.begin(), sum.c.end(), 0.0f);
    if (calls.Ok(hologram_kernel_launch_window(kernel, sum.arguments.data(), nullptr, 4, nullptr,
                                               &window))) {
      sum.Expect(calls);
    }
    hologram_argument shorter[4] = {sum.arguments[0], sum.arguments[1], sum.arguments[2],
                                    sum.arguments[3]};
    shorter[0].buffer.bytes -= sizeof(float);
    calls.Refused(hologram_kernel_launch_window(kernel, shorter, nullptr, 4, nullptr, &window),
                  HOLOGRAM_ERROR_INVALID_ARGUMENT);
  });
}

void Traced(Calls& calls, hologram_executor* executor) {
  const uint64_t begun = hologram_span_begin();
  const hologram_span_argument argument = {"n", nullptr, 3};
  hologram_trace_caller("a.py", 7);
  With(calls, executor, "vector_add", [&](const hologram_kernel* kernel) {
    calls.Ok(hologram_kernel_launch(kernel, TheAddition().arguments.data(), 4, nullptr));
  });
  hologram_span_end(begun, "mine", &argument, 1);
}

void Traces(Calls& calls, hologram_executor* executor) {
  hologram_trace_summary summary{};
  const auto take = [](void* /*context*/, const hologram_span* span) {
    if (span->name == nullptr) Fail("a span without a name");
  };
  if (calls.Ok(hologram_trace_start_callback(take, nullptr))) {
    Traced(calls, executor);
    calls.Ok(hologram_trace_flush());
    calls.Ok(hologram_trace_stop(&summary));
  }
  if (calls.Ok(hologram_trace_start("/dev/null"))) {
    Traced(calls, executor);
    calls.Ok(hologram_trace_stop(nullptr));
  }
  if (hologram_trace_is_on() != 0) Fail("%s: a trace runs that was stopped", calls.name());
}

void Forms(Calls& calls, hologram_executor* executor) {
  With(calls, executor, "row_sums", [&](const hologram_kernel* kernel) {
    for (const char* form : {"asm", "explain"}) {
      char* text = nullptr;
      if (calls.Ok(hologram_kernel_emit(kernel, form, nullptr, &text)) && *text == '\0') {
        Fail("%s: no text", calls.name());
      }
      hologram_text_destroy(text);
    }
    char* none = nullptr;
    calls.Refused(hologram_kernel_emit(kernel, "poem", nullptr, &none),
                  HOLOGRAM_ERROR_INVALID_ARGUMENT);
  });
}

void Profile(Calls& calls, hologram_executor* executor) {
  With(calls, executor, "talk", [&](const hologram_kernel* kernel) {
    static std::vector<float> x(4, 1);
    const hologram_argument arguments[] = {Array(x), Scalar(4)};
    char* text = nullptr;
    char* picture = nullptr;
    calls.Ok(
        hologram_kernel_profile(kernel, arguments, nullptr, 2, nullptr, nullptr, &text, &picture));
    hologram_text_destroy(text);
    hologram_text_destroy(picture);
  });
}

void Machine(Calls& calls, hologram_executor* /*executor*/) {
  char* text = nullptr;
  int32_t is_well = 0;
  if (calls.Ok(hologram_doctor(0, &text, &is_well)) && *text == '\0') Fail("doctor: no text");
  hologram_text_destroy(text);
}

void Numbers(Calls& calls, hologram_executor* executor) {
  hologram_metrics* metrics = nullptr;
  if (calls.Ok(hologram_metrics_read(&metrics)) && hologram_metrics_size(metrics) == 0) {
    Fail("%s: none", calls.name());
  }
  hologram_metrics_destroy(metrics);
  hologram_metrics_join();
  uint32_t threads = 0;
  calls.Ok(hologram_set_threads(2));
  calls.Ok(hologram_get_threads(&threads));
  calls.Ok(hologram_set_threads(0));
  calls.Refused(hologram_set_threads(1025), HOLOGRAM_ERROR_INVALID_ARGUMENT);
  (void)hologram_executor_phase(executor);
  (void)hologram_has_feature("compiler");
  With(calls, executor, "vector_add", [&](const hologram_kernel* kernel) {
    const uint64_t n = kElements;
    hologram_last_launch last{};
    (void)hologram_kernel_is_short(kernel, &n, n);
    (void)hologram_kernel_threads(kernel);
    calls.Ok(hologram_kernel_launch(kernel, TheAddition().arguments.data(), 4, nullptr));
    calls.Ok(hologram_kernel_last_launch(kernel, &last));
  });
}

void Devices(Calls& calls, hologram_executor* /*executor*/) {
  for (size_t k = 0; k < hologram_device_count(); ++k) {
    if (hologram_device_at(k) == nullptr) Fail("device %zu: none", k);
  }
  const hologram_engine engine{};
  calls.Refused(hologram_register_engine(&engine, nullptr), HOLOGRAM_ERROR_INVALID_ARGUMENT);
  hologram_device_memory* memory = nullptr;
  float value = 0;
  for (const char* device : {"cuda", "opencl", "cuda:0"}) {
    calls.Refused(hologram_device_allocate(device, kBytes, &memory), HOLOGRAM_ERROR_UNSUPPORTED);
    calls.Refused(hologram_device_borrow(device, 4096, kBytes, &memory),
                  HOLOGRAM_ERROR_UNSUPPORTED);
  }
  calls.Refused(hologram_device_allocate("gpu", kBytes, &memory), HOLOGRAM_ERROR_INVALID_ARGUMENT);
  calls.Refused(hologram_device_write(memory, 0, &value, 4), HOLOGRAM_ERROR_INVALID_ARGUMENT);
  calls.Refused(hologram_device_read(memory, 0, &value, 4), HOLOGRAM_ERROR_INVALID_ARGUMENT);
  calls.Refused(hologram_device_wait(memory), HOLOGRAM_ERROR_INVALID_ARGUMENT);
  hologram_device_destroy(memory);
}

}  // namespace

std::vector<Scenario> MoreScenarios(const Inputs& inputs) {
  TheAddition();
  const auto loaded = [&inputs](Calls& calls, hologram_executor* executor) {
    Load(calls, executor, inputs, false);
  };
  const auto trusted = [&inputs](Calls& calls, hologram_executor* executor) {
    Load(calls, executor, inputs, true);
  };
  // Profiles and reports measure for a while, and allocate for their texts.
  constexpr int64_t kSome = 5;
  return {{"pipelines", trusted, Pipelines},
          {"pools and streams", trusted, Streams},
          {"windows", trusted, Windows},
          {"traces", trusted, Traces},
          {"forms of a kernel", loaded, Forms},
          {"profiles", loaded, Profile, kSome},
          {"the machine", {}, Machine, kSome},
          {"metrics and threads", trusted, Numbers},
          {"devices", {}, Devices}};
}

}  // namespace hologram::test
