// pipeline.h implemented: handles over plans::Recorder and plans::Pipeline. Launches are
// recorded in launch.cc. Tested by tests/pipeline.
#include "hologram/pipeline.h"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "capi/bundle_handle.h"
#include "capi/error.h"
#include "capi/executor_handle.h"
#include "capi/guard.h"
#include "capi/watch.h"
#include "hologram/detail/launch.h"
#include "pipeline/file.h"
#include "pipeline/pipeline.h"

using hologram::ErrorCode;
using hologram::Result;
using hologram::Status;
using hologram::capi::FromException;
using hologram::capi::MakeError;
using hologram::capi::OpenCapture;

namespace capi = hologram::capi;
namespace isa = hologram::isa;
namespace plans = hologram::pipeline;
namespace runtime = hologram::runtime;

std::atomic<uint32_t> hologram::capi::watchers{0};

struct hologram_capture {
  std::string name;
  std::shared_ptr<OpenCapture> open;  // null: it has ended
};

struct hologram_pipeline {
  explicit hologram_pipeline(std::unique_ptr<const plans::Pipeline> pipeline)
      : made(std::move(pipeline)), text(made->Text()) {
    for (const plans::Array& array : made->arguments()) {
      hologram_pipeline_array& added = arrays.emplace_back();
      added = {array.name.c_str(),
               static_cast<uint32_t>(array.type),
               array.role == plans::Role::kInput ? uint32_t{HOLOGRAM_IN} : uint32_t{HOLOGRAM_OUT},
               static_cast<uint32_t>(array.extents.size()),
               {}};
      std::copy(array.extents.begin(), array.extents.end(), added.extents);
    }
  }

  std::unique_ptr<const plans::Pipeline> made;
  std::string text;
  std::vector<hologram_pipeline_array> arrays;
};

namespace {

// Of this thread; it may have been ended by another one.
thread_local std::shared_ptr<OpenCapture> capture_of_thread;

hologram_error* ErrorOf(const Status& status) {
  return status.ok() ? nullptr : MakeError(status.errors());
}

void End(hologram_capture& capture) {
  if (capture.open == nullptr) return;
  if (capture.open->is_open.exchange(false)) capi::SwitchCapture(false);
  if (capture_of_thread == capture.open) capture_of_thread = nullptr;
  capture.open = nullptr;
}

hologram_error* NotHere(const hologram_capture& capture) {
  if (capture.open != nullptr && capture_of_thread == capture.open) return nullptr;
  return MakeError(ErrorCode::kInvalidArgument, capture.open == nullptr
                                                    ? "the capture has ended"
                                                    : "the capture is of another thread");
}

hologram_error* Give(Result<std::unique_ptr<const plans::Pipeline>> made,
                     hologram_pipeline** pipeline) {
  if (!made.ok()) return MakeError(made.errors());
  *pipeline = new hologram_pipeline(std::move(made).value());
  return nullptr;
}

runtime::LoadOptions LoadOptionsFor(const char* expect) {
  runtime::LoadOptions options;
  if (expect != nullptr) options.expect = expect;
  return options;
}

}  // namespace

OpenCapture* hologram::capi::CaptureOfThread() {
  if (capture_of_thread == nullptr) return nullptr;
  if (!capture_of_thread->is_open.load()) capture_of_thread = nullptr;
  return capture_of_thread.get();
}

hologram_error* hologram_capture_begin(const char* name, uint32_t flags,
                                       hologram_capture** capture) try {
  HOLOGRAM_NOT_NULL(name);
  HOLOGRAM_NOT_NULL(capture);
  if (*name == '\0' || !hologram::IsPlain(name)) {
    return MakeError(
        ErrorCode::kInvalidArgument,
        "capture: expected a name without control characters, found " + hologram::Shown(name));
  }
  if ((flags & ~(uint32_t{HOLOGRAM_CAPTURE_KEPT} | HOLOGRAM_CAPTURE_SEPARATE)) != 0) {
    return MakeError(ErrorCode::kInvalidArgument, "capture: unknown flags");
  }
  if (capi::CaptureOfThread() != nullptr) {
    return MakeError(ErrorCode::kInvalidArgument, "this thread has a capture already");
  }
  auto made = std::make_unique<hologram_capture>();
  made->name = name;
  made->open = std::make_shared<OpenCapture>();
  made->open->recorder.set_results_stay((flags & HOLOGRAM_CAPTURE_KEPT) == 0);
  made->open->recorder.set_merges((flags & HOLOGRAM_CAPTURE_SEPARATE) == 0);
  capture_of_thread = made->open;
  capi::SwitchCapture(true);
  *capture = made.release();
  return nullptr;
} catch (...) {
  return FromException();
}

hologram_error* hologram_capture_array(hologram_capture* capture,
                                       const hologram_pipeline_array* array, const void* data) try {
  HOLOGRAM_NOT_NULL(capture);
  HOLOGRAM_NOT_NULL(array);
  HOLOGRAM_NOT_NULL(array->name);
  HOLOGRAM_NOT_NULL(data);
  if (hologram_error* error = NotHere(*capture)) return error;
  if (array->type >= isa::kNumTypes || array->rank > HOLOGRAM_MAX_RANK ||
      (array->direction != HOLOGRAM_IN && array->direction != HOLOGRAM_OUT)) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "capture: " + hologram::Shown(array->name) +
                         " has a type, a direction or a rank that there is not");
  }
  plans::NamedArray named;
  named.name = array->name;
  named.type = static_cast<isa::Type>(array->type);
  named.extents.assign(array->extents, array->extents + array->rank);
  named.data = data;
  plans::Recorder& recorder = capture->open->recorder;
  return ErrorOf(array->direction == HOLOGRAM_IN ? recorder.AddInput(named)
                                                 : recorder.AddOutput(named));
} catch (...) {
  return FromException();
}

hologram_error* hologram_capture_keep(hologram_capture* capture, const void* data,
                                      size_t size) try {
  HOLOGRAM_NOT_NULL(capture);
  if (size != 0) HOLOGRAM_NOT_NULL(data);
  if (hologram_error* error = NotHere(*capture)) return error;
  return ErrorOf(capture->open->recorder.Keep(data, size));
} catch (...) {
  return FromException();
}

void hologram_capture_scratch(const void* data, size_t size, int begins) try {
  OpenCapture* open = capi::CurrentCapture();
  if (open == nullptr || data == nullptr || size == 0) return;
  if (begins != 0) {
    (void)open->recorder.Keep(data, size);  // an error is that of the next launch, too
  } else {
    open->recorder.GiveBack(data, size);
  }
} catch (...) {
  hologram_error_destroy(FromException());
}

hologram_error* hologram_capture_end(hologram_capture* capture, hologram_pipeline** pipeline) try {
  HOLOGRAM_NOT_NULL(capture);
  HOLOGRAM_NOT_NULL(pipeline);
  if (hologram_error* error = NotHere(*capture)) return error;
  const std::shared_ptr<OpenCapture> open = capture->open;
  End(*capture);
  return Give(open->recorder.Finish(capture->name), pipeline);
} catch (...) {
  return FromException();
}

void hologram_capture_destroy(hologram_capture* capture) try {
  if (capture == nullptr) return;
  const std::unique_ptr<hologram_capture> last(capture);
  End(*capture);
} catch (...) {
  capi::DropException();
}

hologram_error* hologram_pipeline_bundle(const hologram_pipeline* pipeline, const char* levels,
                                         hologram_bundle** bundle) try {
  HOLOGRAM_NOT_NULL(pipeline);
  HOLOGRAM_NOT_NULL(bundle);
  const Result<std::vector<hologram::Target>> targets = capi::TargetsOf(levels);
  if (!targets.ok()) return MakeError(targets.errors());
  return capi::GiveBundle(plans::Save(*pipeline->made, targets.value()), bundle);
} catch (...) {
  return FromException();
}

hologram_error* hologram_pipeline_load_file(hologram_executor* executor, const char* path,
                                            const char* expect, hologram_pipeline** pipeline) try {
  HOLOGRAM_NOT_NULL(executor);
  HOLOGRAM_NOT_NULL(path);
  HOLOGRAM_NOT_NULL(pipeline);
  return Give(plans::LoadFile(path, LoadOptionsFor(expect), executor->executor.settings()),
              pipeline);
} catch (...) {
  return FromException();
}

hologram_error* hologram_pipeline_load_memory(hologram_executor* executor, const void* data,
                                              size_t size, const char* expect,
                                              hologram_pipeline** pipeline) try {
  HOLOGRAM_NOT_NULL(executor);
  if (size != 0) HOLOGRAM_NOT_NULL(data);
  HOLOGRAM_NOT_NULL(pipeline);
  const auto* bytes = static_cast<const uint8_t*>(data);
  return Give(plans::Load(std::vector<uint8_t>(bytes, bytes + size), LoadOptionsFor(expect),
                          executor->executor.settings()),
              pipeline);
} catch (...) {
  return FromException();
}

hologram_error* hologram_pipeline_run(const hologram_pipeline* pipeline,
                                      const hologram_argument* arguments, size_t count) try {
  HOLOGRAM_NOT_NULL(pipeline);
  if (count != 0) HOLOGRAM_NOT_NULL(arguments);
  constexpr size_t kUsual = 16;
  std::array<hologram_buffer_ref, kUsual> usual;
  std::vector<hologram_buffer_ref> many(count > kUsual ? count : 0);
  hologram_buffer_ref* refs = count > kUsual ? many.data() : usual.data();
  for (size_t k = 0; k < count; ++k) {
    refs[k] = arguments[k].buffer;
    if (k >= pipeline->arrays.size()) continue;  // the count is wrong
    const hologram_pipeline_array& array = pipeline->arrays[k];
    const bool writes = array.direction == HOLOGRAM_OUT;
    const uint32_t wanted =
        array.type | HOLOGRAM_ARGUMENT_BUFFER | (writes ? uint32_t{HOLOGRAM_ARGUMENT_WRITABLE} : 0);
    const uint32_t code = arguments[k].code;
    if (code == wanted || code == (wanted | HOLOGRAM_ARGUMENT_WRITABLE)) continue;
    return MakeError(ErrorCode::kInvalidArgument,
                     "pipeline '" + pipeline->made->plan().name + "': '" + array.name +
                         "' expects " + (writes ? "a writable" : "a") + " buffer of " +
                         std::string(isa::NameOf(static_cast<isa::Type>(array.type))));
  }
  if (capi::CurrentCapture() != nullptr) {
    return MakeError(ErrorCode::kUnsupported, "a pipeline is run in a capture");
  }
  const Status status = pipeline->made->Run({refs, count});
  if (!status.ok()) return MakeError(status.errors());
  hologram::detail::count_launches(pipeline->made->num_direct());
  return nullptr;
} catch (...) {
  return FromException();
}

const char* hologram_pipeline_name(const hologram_pipeline* pipeline) {
  return pipeline == nullptr ? "" : pipeline->made->plan().name.c_str();
}

size_t hologram_pipeline_num_arrays(const hologram_pipeline* pipeline) {
  return pipeline == nullptr ? 0 : pipeline->arrays.size();
}

const hologram_pipeline_array* hologram_pipeline_array_at(const hologram_pipeline* pipeline,
                                                          size_t index) {
  if (pipeline == nullptr) return nullptr;
  return index < pipeline->arrays.size() ? &pipeline->arrays[index] : nullptr;
}

uint64_t hologram_pipeline_bytes(const hologram_pipeline* pipeline) {
  return pipeline == nullptr ? 0 : pipeline->made->bytes();
}

int32_t hologram_pipeline_is_short(const hologram_pipeline* pipeline) {
  return pipeline != nullptr && pipeline->made->is_short() ? 1 : 0;
}

const char* hologram_pipeline_text(const hologram_pipeline* pipeline) {
  return pipeline == nullptr ? "" : pipeline->text.c_str();
}

void hologram_pipeline_destroy(hologram_pipeline* pipeline) {
  delete pipeline;
}

void hologram_pipeline_cancel(const hologram_pipeline* pipeline) {
  if (pipeline == nullptr) return;
  for (const auto& kernel : pipeline->made->kernels()) {
    if (kernel->cancel() != nullptr) kernel->cancel()->Set(runtime::CancelWord::kKernel);
  }
}

void hologram_pipeline_resume(const hologram_pipeline* pipeline) {
  if (pipeline == nullptr) return;
  for (const auto& kernel : pipeline->made->kernels()) {
    if (kernel->cancel() != nullptr) kernel->cancel()->Clear(runtime::CancelWord::kKernel);
  }
}
