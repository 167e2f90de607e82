// Pipelines: several launches as one unit with named inputs and outputs (docs/pipelines.md). The C
// interface is pipeline.h.
//
//   hologram::Tensor<float> x({64, 64}), scores;
//   hologram::Capture capture("digits");
//   capture.input("x", x);
//   scores = ops.add(ops.matmul(ops.relu(ops.matmul(x, w1)), w2), b2);   // runs, and is recorded
//   capture.output("scores", scores);
//   const hologram::Pipeline digits = capture.finish();
//
//   digits.run(images, scores);                       // one call, no allocation
//   digits.bundle().save("digits.holo");
//   const auto again = hologram::Pipeline::load(exec, "digits.holo", trust_hash);
//
// Tested by tests/pipeline/cpp_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "hologram.hpp"
#include "pipeline.h"

namespace hologram {

namespace detail {

// Tensor<T>, without its header.
template <class T>
concept shaped = requires(const T& value) {
  value.shape().size();
  value.is_contiguous();
  value.flat();
};

// An array of a pipeline as C has it: its elements, which must be side by side, and its shape.
template <class T>
struct pipeline_argument {
  // Throws INVALID_ARGUMENT for a tensor with gaps or with more than four dimensions.
  explicit pipeline_argument(T& value) {
    if constexpr (shaped<T>) {
      const auto flat = value.flat();
      take(flat);
      array.rank = static_cast<std::uint32_t>(value.shape().size());
      if (value.shape().size() > HOLOGRAM_MAX_RANK) {
        refuse("a tensor of a pipeline has up to 4 dimensions");
      }
      for (std::uint32_t d = 0; d < array.rank; ++d) array.extents[d] = value.shape()[d];
    } else {
      take(value);
      array.rank = 1;
      array.extents[0] = std::size(value);
    }
  }
  template <class C>
  void take(C& elements) {
    argument.code = detail::argument<C&>::code();
    argument.buffer = buffer_ref(elements);
    array.type = argument.code & 0xfU;
  }

  hologram_argument argument{};
  hologram_pipeline_array array{};
};

}  // namespace detail

// Recorded launches, ready to run. It moves and is not copied; several threads may run one, one
// after the other. Memory of a run is the caller's, and is used until the call returns.
class Pipeline {
 public:
  // Takes over `pipeline`. REQUIRES: pipeline != nullptr.
  explicit Pipeline(hologram_pipeline* pipeline) : pipeline_(pipeline) {}

  // The pipeline of a file, verified as a whole. `exec` compiles and cancels its kernels, and may
  // go before it. With `expect`, the trust hash, native code of the file is used. Throws NOT_FOUND
  // for a file without a pipeline, INVALID_BUNDLE for one that is damaged, or whose launches break
  // a rule.
  static Pipeline load(const Executor& exec, const std::string& path,
                       const std::string& expect = {}) {
    hologram_pipeline* loaded = nullptr;
    detail::check(hologram_pipeline_load_file(exec.get(), path.c_str(),
                                              expect.empty() ? nullptr : expect.c_str(), &loaded));
    return Pipeline(loaded);
  }
  // The same, from memory, which is copied.
  static Pipeline load(const Executor& exec, std::span<const std::byte> bytes,
                       const std::string& expect = {}) {
    hologram_pipeline* loaded = nullptr;
    detail::check(hologram_pipeline_load_memory(exec.get(), bytes.data(), bytes.size(),
                                                expect.empty() ? nullptr : expect.c_str(),
                                                &loaded));
    return Pipeline(loaded);
  }

  // Runs all launches on the inputs and outputs, in their order: anything contiguous, or tensors
  // without gaps. Throws INVALID_ARGUMENT with the name of an array that has another type or size,
  // is not aligned, or is an output that overlaps another one, and what launches throw. A vector or
  // span counts by its elements: only tensors have a shape to compare.
  template <class... Arrays>
  void run(Arrays&&... arrays) const {
    const std::array<hologram_argument, sizeof...(Arrays)> arguments = {argument_of(arrays)...};
    detail::check(hologram_pipeline_run(pipeline_.get(), arguments.data(), arguments.size()));
  }

  // A file of it, with its kernels and constants (Bundle::save).
  Bundle bundle(const std::string& levels = "v3,v4") const {
    hologram_bundle* made = nullptr;
    detail::check(hologram_pipeline_bundle(pipeline_.get(), levels.c_str(), &made));
    return Bundle(made);
  }

  std::string name() const { return hologram_pipeline_name(pipeline_.get()); }
  // Inputs and outputs: name, type, direction and shape. They live as long as the pipeline.
  std::size_t num_arrays() const { return hologram_pipeline_num_arrays(pipeline_.get()); }
  // REQUIRES: k < num_arrays()
  const hologram_pipeline_array& array(std::size_t k) const {
    return *hologram_pipeline_array_at(pipeline_.get(), k);
  }
  // Its arrays and launches in lines, as `hologram inspect` prints them.
  std::string text() const { return hologram_pipeline_text(pipeline_.get()); }

 private:
  template <class T>
  static hologram_argument argument_of(T& value) {
    if constexpr (detail::shaped<T>) {
      return detail::pipeline_argument<T>(value).argument;
    } else {
      return {detail::argument<T&>::code(), detail::buffer_ref(value), 0};
    }
  }

  struct destroy {
    void operator()(hologram_pipeline* pipeline) const { hologram_pipeline_destroy(pipeline); }
  };
  std::unique_ptr<hologram_pipeline, destroy> pipeline_;
};

// Records the launches that this thread makes while it lives, up to finish(): of kernels, of Ops
// and of expressions. They run as always. What they read and none of them has written is a constant
// of the pipeline, copied as it is; arrays of the capture stay where they are, and only launches
// change them, until finish(). A launch that cannot be recorded throws, and so does the rest
// (pipeline.h describes which). One capture a thread.
class Capture {
 public:
  // Throws INVALID_ARGUMENT if this thread has a capture, or for a name with control characters.
  explicit Capture(const std::string& name) {
    hologram_capture* begun = nullptr;
    detail::check(hologram_capture_begin(name.c_str(), 0, &begun));
    capture_.reset(begun);
  }

  // Arrays that each run gets anew: anything contiguous, or a tensor without gaps. An input before
  // a launch has read it, an output after launches have written all of it.
  template <class T>
  void input(const std::string& name, const T& array) {
    add(name, array, HOLOGRAM_IN);
  }
  template <class T>
  void output(const std::string& name, const T& array) {
    add(name, array, HOLOGRAM_OUT);
  }

  // What was recorded, verified as a whole. Throws if a launch was not recorded, if there was none,
  // or no output. Once.
  Pipeline finish() {
    hologram_pipeline* made = nullptr;
    detail::check(hologram_capture_end(capture_.get(), &made));
    return Pipeline(made);
  }

 private:
  template <class T>
  void add(const std::string& name, const T& value, std::uint32_t direction) {
    detail::pipeline_argument<const T> given(value);
    given.array.name = name.c_str();
    given.array.direction = direction;
    detail::check(hologram_capture_array(capture_.get(), &given.array, given.argument.buffer.data));
  }

  struct destroy {
    void operator()(hologram_capture* capture) const { hologram_capture_destroy(capture); }
  };
  std::unique_ptr<hologram_capture, destroy> capture_;
};

}  // namespace hologram
