// Pools and streams. Tested by tests/stream/cpp_test.cc.
#include "hologram/stream.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "capi/error.h"
#include "capi/guard.h"
#include "capi/kernel_handle.h"
#include "capi/watch.h"
#include "capi/whole_launch.h"
#include "stream/run.h"
#include "stream/system_error.h"
#include "verify/pointwise.h"

using hologram::Diagnostic;
using hologram::Error;
using hologram::ErrorCode;
using hologram::Result;
using hologram::Status;
using hologram::capi::FromException;
using hologram::capi::MakeError;

namespace stream = hologram::stream;

struct hologram_pool {
  std::unique_ptr<stream::Pool> pool;
};

hologram_error* hologram_pool_create(uint64_t bytes, hologram_pool** pool) try {
  HOLOGRAM_NOT_NULL(pool);
  Result<std::unique_ptr<stream::Pool>> made = stream::Pool::Make(bytes);
  if (!made.ok()) return MakeError(made.errors());
  *pool = new hologram_pool{std::move(made).value()};
  return nullptr;
} catch (...) {
  return FromException();
}

void hologram_pool_destroy(hologram_pool* pool) {
  delete pool;
}

void* hologram_pool_data(const hologram_pool* pool) {
  return pool == nullptr ? nullptr : pool->pool->data();
}

uint64_t hologram_pool_size(const hologram_pool* pool) {
  return pool == nullptr ? 0 : pool->pool->size();
}

hologram_error* hologram_pool_copy_to(hologram_pool* pool, uint64_t offset, const void* data,
                                      uint64_t bytes) try {
  HOLOGRAM_NOT_NULL(pool);
  if (bytes != 0) HOLOGRAM_NOT_NULL(data);
  const Status status = pool->pool->CopyTo(offset, data, bytes);
  return status.ok() ? nullptr : MakeError(status.errors());
} catch (...) {
  return FromException();
}

hologram_error* hologram_pool_copy_from(const hologram_pool* pool, uint64_t offset, void* data,
                                        uint64_t bytes) try {
  HOLOGRAM_NOT_NULL(pool);
  if (bytes != 0) HOLOGRAM_NOT_NULL(data);
  const Status status = pool->pool->CopyFrom(offset, data, bytes);
  return status.ok() ? nullptr : MakeError(status.errors());
} catch (...) {
  return FromException();
}

namespace {

// Functions of the caller.
class FromCaller final : public stream::Source {
 public:
  FromCaller(const hologram_place& place, std::string name)
      : place_(place), name_(std::move(name)) {}

  Result<uint64_t> Read(void* to, uint64_t bytes, const std::atomic<bool>& stop) override {
    auto* const data = static_cast<char*>(to);
    uint64_t done = 0;
    while (done < bytes) {
      if (stop.load(std::memory_order_relaxed)) {
        return Error(ErrorCode::kCancelled, "the stream was stopped");
      }
      const int64_t got = place_.read(place_.context, data + done, bytes - done);
      if (got < 0) {
        return stream::SystemError(name_, position_ + done, static_cast<int>(-got));
      }
      if (got == 0) break;
      if (static_cast<uint64_t>(got) > bytes - done) {
        return Error(ErrorCode::kInvalidArgument, name_ + ": read gave " + std::to_string(got) +
                                                      " bytes, asked for " +
                                                      std::to_string(bytes - done));
      }
      done += static_cast<uint64_t>(got);
    }
    position_ += done;
    return done;
  }

 private:
  hologram_place place_;
  std::string name_;
  uint64_t position_ = 0;
};

class ToCaller final : public stream::Sink {
 public:
  ToCaller(const hologram_place& place, std::string name) : place_(place), name_(std::move(name)) {}

  Status Write(const void* from, uint64_t bytes, const std::atomic<bool>& stop) override {
    if (stop.load(std::memory_order_relaxed)) {
      return Error(ErrorCode::kCancelled, "the stream was stopped");
    }
    const int32_t failed = bytes == 0 ? 0 : place_.write(place_.context, from, bytes);
    if (failed != 0) return stream::SystemError(name_, position_, -failed);
    position_ += bytes;
    return hologram::Success{};
  }

 private:
  hologram_place place_;
  std::string name_;
  uint64_t position_ = 0;
};

std::optional<uint64_t> OffsetOf(const hologram_place& place) {
  if (place.sequential != 0 || !stream::CanSeek(place.descriptor)) return std::nullopt;
  return place.offset;
}

Result<std::unique_ptr<stream::Source>> SourceOf(const hologram_place& place,
                                                 const std::string& name, uint64_t bytes) {
  if (place.path != nullptr) return stream::FileSource(place.path, place.offset);
  if (place.read != nullptr) {
    return std::unique_ptr<stream::Source>(std::make_unique<FromCaller>(place, name));
  }
  if (place.memory != nullptr) return stream::MemorySource(place.memory, bytes);
  return stream::DescriptorSource(place.descriptor, OffsetOf(place), name);
}

Result<std::unique_ptr<stream::Sink>> SinkOf(const hologram_place& place, const std::string& name,
                                             uint64_t bytes) {
  if (place.path != nullptr) {
    const auto* const header = static_cast<const char*>(place.header);
    return stream::FileSink(
        place.path, header == nullptr ? std::string() : std::string(header, place.header_bytes));
  }
  if (place.write != nullptr) {
    return std::unique_ptr<stream::Sink>(std::make_unique<ToCaller>(place, name));
  }
  if (place.memory != nullptr) return stream::MemorySink(place.memory, bytes, name);
  return stream::DescriptorSink(place.descriptor, OffsetOf(place), name);
}

// The buffers of the kernel, with open places.
Status FillFlows(const hologram::isa::Program& program, const hologram_flow* flows,
                 const hologram::capi::WholeLaunch& whole, stream::Request& request) {
  size_t b = 0;
  for (const hologram::isa::Parameter& parameter : program.parameters) {
    if (!parameter.is_buffer) continue;
    const hologram_flow& given = flows[b];
    const std::string name = "'" + parameter.name + "'";
    const uint64_t size = hologram::isa::SizeOf(parameter.type);
    const uint64_t bytes = given.extent == HOLOGRAM_UNTIL_END ? 0 : given.extent * size;
    stream::Flow flow;
    flow.extent = given.extent;
    flow.memory = whole.memory[b++];
    const bool writes = parameter.direction != hologram::isa::Direction::kIn;
    if ((given.sink != nullptr) && !writes) {
      return Error(ErrorCode::kInvalidArgument, name + " is not written, and goes nowhere");
    }
    if (given.sink != nullptr && given.source == nullptr &&
        parameter.direction == hologram::isa::Direction::kInOut) {
      return Error(ErrorCode::kInvalidArgument, name + " is read as well, and comes from nowhere");
    }
    if (given.sink == nullptr && given.source != nullptr && writes) {
      return Error(ErrorCode::kInvalidArgument, name + " is written, and goes nowhere");
    }
    if (given.source != nullptr) {
      HOLOGRAM_ASSIGN_OR_RETURN(flow.source, SourceOf(*given.source, name, bytes));
    }
    if (given.sink != nullptr) {
      HOLOGRAM_ASSIGN_OR_RETURN(flow.sink, SinkOf(*given.sink, name, bytes));
    }
    if (given.source == nullptr && given.sink == nullptr) {
      flow.extent = flow.memory.bytes / size;
      HOLOGRAM_RETURN_IF_ERROR(hologram::capi::CheckMemory(parameter, program, flow.memory));
    }
    request.flows.push_back(std::move(flow));
  }
  return hologram::Success{};
}

hologram_streamed Converted(const stream::Streamed& from) {
  return {from.elements, from.windows, from.bytes_read, from.bytes_written, from.pool_bytes,
          from.seconds,  from.reading, from.computing,  from.writing};
}

Diagnostic Stopped() {
  return Error(ErrorCode::kCancelled, "the stream was stopped");
}

// `config` may be null, and outlives the request.
Status ReadStreamConfig(const hologram_stream_config* config, stream::Request& request) {
  if (config == nullptr) return hologram::Success{};
  for (const uint64_t word : config->reserved) {
    if (word == 0) continue;
    return Error(ErrorCode::kInvalidArgument,
                 "reserved words of a stream config: expected 0, found " + std::to_string(word));
  }
  request.window_bytes = config->window;
  request.depth = config->depth;
  request.pool = config->pool == nullptr ? nullptr : config->pool->pool.get();
  if (config->progress == nullptr) return hologram::Success{};
  request.progress = [config](const stream::Streamed& now) -> Status {
    const hologram_streamed converted = Converted(now);
    if (config->progress(config->context, &converted) != 0) return Stopped();
    return hologram::Success{};
  };
  return hologram::Success{};
}

// An array of a function.
Status AddFlow(const hologram_flow& given, const std::string& name, uint64_t size,
               stream::Request& request) {
  stream::Flow flow;
  flow.extent = given.extent;
  const uint64_t bytes = given.extent == HOLOGRAM_UNTIL_END ? 0 : given.extent * size;
  if (given.source == nullptr && given.sink == nullptr) {
    return Error(ErrorCode::kInvalidArgument, name + " comes from nowhere, and goes nowhere");
  }
  if (given.source != nullptr) {
    HOLOGRAM_ASSIGN_OR_RETURN(flow.source, SourceOf(*given.source, name, bytes));
  }
  if (given.sink != nullptr) {
    HOLOGRAM_ASSIGN_OR_RETURN(flow.sink, SinkOf(*given.sink, name, bytes));
  }
  request.flows.push_back(std::move(flow));
  return hologram::Success{};
}

}  // namespace

hologram_error* hologram_stream_run(const hologram_kernel* kernel,
                                    const hologram_argument* arguments,
                                    const hologram_array_shape* const* shapes, size_t count,
                                    const hologram_launch_config* launch,
                                    const hologram_flow* flows,
                                    const hologram_stream_config* config,
                                    hologram_streamed* streamed) try {
  HOLOGRAM_NOT_NULL(kernel);
  if (count != 0) HOLOGRAM_NOT_NULL(arguments);
  if (count != 0) HOLOGRAM_NOT_NULL(flows);
  if (hologram::capi::CurrentCapture() != nullptr) {
    return MakeError(ErrorCode::kUnsupported, "a capture does not record streams");
  }
  std::vector<uint64_t> extents;
  for (size_t k = 0, b = 0; k < count; ++k) {
    if ((arguments[k].code & HOLOGRAM_ARGUMENT_BUFFER) == 0) continue;
    const hologram_flow& flow = flows[b++];
    const uint64_t size = hologram::capi::SizeOfElement(arguments[k].code);
    const bool stays = flow.source == nullptr && flow.sink == nullptr;
    // A length that is not known yet is none that anybody looks at.
    extents.push_back(stays                               ? arguments[k].buffer.bytes / size
                      : flow.extent == HOLOGRAM_UNTIL_END ? 0
                                                          : flow.extent);
  }
  hologram::capi::WholeLaunch whole;
  Status status =
      hologram::capi::BindWhole(*kernel, arguments, shapes, count, launch, extents.data(), whole);
  if (!status.ok()) return MakeError(status.errors());
  stream::Request request;
  request.kernel = whole.program;
  request.scalars.assign(whole.bound.scalars().begin(), whole.bound.scalars().end());
  request.config = whole.config;
  status = ReadStreamConfig(config, request);
  if (!status.ok()) return MakeError(status.errors());
  status = FillFlows(kernel->found->signature(), flows, whole, request);
  if (!status.ok()) return MakeError(status.errors());
  const Result<stream::Streamed> done = stream::Run(std::move(request));
  if (!done.ok()) return MakeError(done.errors());
  if (streamed != nullptr) *streamed = Converted(done.value());
  return nullptr;
} catch (...) {
  return FromException();
}

hologram_error* hologram_stream_apply(hologram_stream_step step, void* context,
                                      const uint32_t* types, const char* const* names,
                                      const hologram_flow* flows, size_t count, uint64_t row,
                                      const hologram_stream_config* config,
                                      hologram_streamed* streamed) try {
  HOLOGRAM_NOT_NULL(step);
  if (count != 0) HOLOGRAM_NOT_NULL(types);
  if (count != 0) HOLOGRAM_NOT_NULL(names);
  if (count != 0) HOLOGRAM_NOT_NULL(flows);
  if (row == 0) return MakeError(ErrorCode::kInvalidArgument, "row: expected 1 or more, found 0");
  stream::Request request;
  request.row = row;
  if (const Status read = ReadStreamConfig(config, request); !read.ok()) {
    return MakeError(read.errors());
  }
  for (size_t k = 0; k < count; ++k) {
    if (types[k] >= hologram::isa::kNumTypes) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "types[" + std::to_string(k) + "] is no element type");
    }
    HOLOGRAM_NOT_NULL(names[k]);
    if (names[k] == nullptr) return hologram::capi::NullArgument(__func__, "names[k]");
    const uint64_t size = hologram::capi::SizeOfElement(types[k]);
    const Status added = AddFlow(flows[k], "'" + std::string(names[k]) + "'", size, request);
    if (!added.ok()) return MakeError(added.errors());
    request.arrays.push_back({names[k], static_cast<uint32_t>(size)});
  }
  request.step = [step, context](std::span<std::byte* const> windows, uint64_t elements) -> Status {
    std::vector<void*> memory(windows.begin(), windows.end());
    if (step(context, memory.data(), elements) != 0) return Stopped();
    return hologram::Success{};
  };
  const Result<stream::Streamed> done = stream::Run(std::move(request));
  if (!done.ok()) return MakeError(done.errors());
  if (streamed != nullptr) *streamed = Converted(done.value());
  return nullptr;
} catch (...) {
  return FromException();
}

hologram_error* hologram_kernel_pointwise_length(const hologram_kernel* kernel,
                                                 uint32_t* length) try {
  HOLOGRAM_NOT_NULL(kernel);
  HOLOGRAM_NOT_NULL(length);
  const hologram::runtime::Kernel* const program = kernel->program();
  std::optional<uint32_t> scalar;
  if (program != nullptr) scalar = hologram::verify::LengthOfPointwise(program->verified());
  if (!scalar) {
    return MakeError(ErrorCode::kUnsupported,
                     "kernel '" + kernel->found->signature().name +
                         "' is not computed element by element: it has to index with its id "
                         "alone, and compare that with its length alone");
  }
  uint32_t parameter = 0;
  for (uint32_t left = *scalar; kernel->parameters[parameter].is_buffer != 0 || left-- != 0;) {
    ++parameter;
  }
  *length = parameter;
  return nullptr;
} catch (...) {
  return FromException();
}
