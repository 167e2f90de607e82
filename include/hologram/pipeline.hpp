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

#include "detail/pipeline_argument.hpp"
#include "hologram.hpp"
#include "pipeline.h"

namespace hologram {

// Recorded launches, ready to run. It moves and is not copied; one that was moved from is only
// destroyed or assigned. Kernels and constants are its own: executors, operations and arrays of the
// capture may go before it.
//
//   const auto digits = hologram::Pipeline::load(exec, "digits.holo", trust_hash);
//   for (std::size_t k = 0; k < digits.num_arrays(); ++k) {
//     std::cout << digits.array(k).name << '\n';  // inputs, then outputs
//   }
//   digits.run(images, scores);
//
// Threads: several may run one pipeline, one run after the other, because its temporaries are in
// one memory; load a file twice for runs side by side. Memory of a run is the caller's, and is used
// until the call returns.
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
  // is not aligned, or is an output that overlaps another argument, and what launches throw, after
  // which outputs may hold anything. A vector or span counts by its elements.
  //
  //   digits.run(images, scores);  // Tensor<float>, std::vector<float>, std::span, Buffer
  //
  // It allocates nothing, but for launches that are spread over threads or that no proof covers.
  template <class... Arrays>
  void run(Arrays&&... arrays) const {
    const std::array<hologram_argument, sizeof...(Arrays)> arguments = {argument_of(arrays)...};
    detail::check(hologram_pipeline_run(pipeline_.get(), arguments.data(), arguments.size()));
  }

  // A file of it: its kernels, each once, its constants and its launches, for Bundle::save or to
  // send. `levels` are the processors that it has native code for, "v3,v4", or "none"; native code
  // needs the compiler plugin, else UNSUPPORTED is thrown. Equal pipelines give equal files.
  Bundle bundle(const std::string& levels = "v3,v4") const {
    hologram_bundle* made = nullptr;
    detail::check(hologram_pipeline_bundle(pipeline_.get(), levels.c_str(), &made));
    return Bundle(made);
  }

  // As the capture was called.
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
// and of expressions. They run as always, on the arrays that they are given.
//
//   hologram::Capture capture("scores");
//   capture.input("x", x);                      // before it is read
//   const auto y = ops.softmax(ops.matmul(x, w));
//   capture.output("y", y);                     // after it is written
//   const hologram::Pipeline scores = capture.finish();
//
// Arrays that launches read and none of them has written are constants of the pipeline, copied as
// they are: here w. Only launches may change inputs, outputs and results before finish(), and those
// that are read later stay where they are. A launch that cannot be recorded throws
// INVALID_ARGUMENT, does not run, and makes finish() throw the same; pipeline.h lists which.
//
// It is used by the thread that made it, which has one at a time; it moves and is not copied.
// Without finish() nothing comes of it.
class Capture {
 public:
  // Whether launches become parts of others at the end, with the same bits: kMerged, where the
  // compiler plugin is there. kSeparate: each stays one of the pipeline.
  enum class Launches { kMerged, kSeparate };

  // Throws INVALID_ARGUMENT if this thread has a capture, or for a name with control characters.
  explicit Capture(const std::string& name, Launches launches = Launches::kMerged) {
    hologram_capture* begun = nullptr;
    const std::uint32_t flags =
        launches == Launches::kSeparate ? std::uint32_t{HOLOGRAM_CAPTURE_SEPARATE} : 0;
    detail::check(hologram_capture_begin(name.c_str(), flags, &begun));
    capture_.reset(begun);
  }

  // An array that each run gets anew, with this shape and type: anything contiguous, or a tensor
  // without gaps and of up to four dimensions. Before a launch has read it. Throws
  // INVALID_ARGUMENT if the name is taken, or for memory that overlaps another input.
  template <class T>
  void input(const std::string& name, const T& array) {
    add(name, array, HOLOGRAM_IN);
  }
  // A result of each run: an array of which launches of the capture have written all. Throws
  // INVALID_ARGUMENT if they have not, if the name is taken, for a part of an array, and for one
  // that something else than a launch has changed.
  template <class T>
  void output(const std::string& name, const T& array) {
    add(name, array, HOLOGRAM_OUT);
  }

  // The pipeline, verified as a whole and run once on the arrays of the capture, which must give
  // its outputs. Throws if a launch was not recorded, if there was none, or no output. Once: then
  // the capture has ended.
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
