// Recorder: makes a plan of launches as they happen. They run as always, on the caller's arrays;
// the recorder looks at their memory before and after (pipeline/memory.h). One thread uses it.
// Tested by tests/pipeline.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "pipeline/memory.h"
#include "pipeline/pipeline.h"
#include "plan/plan.h"
#include "runtime/launchable.h"

namespace hologram::pipeline {

// An array of the caller that a run gets anew.
struct NamedArray {
  std::string name;
  isa::Type type = isa::Type::kI8;
  std::vector<uint64_t> extents;
  const void* data = nullptr;
};

class Recorder {
 public:
  // At first true: memory that launches write is kept by its owners until the end. False: only that
  // of Keep().
  void set_results_stay(bool stay) { memory_.set_results_stay(stay); }
  // At first true: launches become parts of others at the end (pipeline/merging.h).
  void set_merges(bool merges) { merges_ = merges; }

  // The first error is that of all that follows. Errors: a name that is taken, no shape, memory
  // that overlaps other arrays; of an output, that no launch has written all of it, or something
  // else has.
  Status AddInput(const NamedArray& array);
  Status AddOutput(const NamedArray& array);
  // Memory that the caller keeps until the end, which launches write: a change of it by others is
  // then an error.
  Status Keep(const void* data, uint64_t bytes);
  // Its owner keeps it no longer: what comes there is another array.
  void GiveBack(const void* data, uint64_t bytes) { memory_.GiveBack(RangeOf(data, bytes)); }

  // Around a launch that runs in between; After() only if it did. Errors name the parameter, and
  // then the launch is not to run.
  Status Before(std::shared_ptr<const runtime::Launchable> kernel,
                std::span<const hologram_buffer_ref> buffers, std::span<const uint64_t> scalars,
                const runtime::LaunchConfig& config);
  void After();

  // The pipeline that was recorded. Errors: no launch was, or there is no output; it does not
  // repeat what was recorded; as Pipeline::Make.
  Result<std::unique_ptr<const Pipeline>> Finish(std::string name);

 private:
  struct RecordedOperand {
    Region* region = nullptr;  // null: no bytes
    Range range;
  };
  struct RecordedStep {
    uint32_t kernel = 0;
    std::vector<RecordedOperand> operands;
    std::vector<uint64_t> scalars;
    hologram_launch_shape shape{};
    std::vector<Range> written;
  };
  struct Named {
    NamedArray array;
    Region* region = nullptr;
    Range range;
  };

  Status Fail(Diagnostic error);
  Status CheckName(const NamedArray& array, uint64_t& bytes) const;
  Result<std::optional<RecordedStep>> Record(
      const std::shared_ptr<const runtime::Launchable>& kernel,
      std::span<const hologram_buffer_ref> buffers, std::span<const uint64_t> scalars,
      const runtime::LaunchConfig& config);
  Status RecordOperands(const isa::Program& program, std::span<const hologram_buffer_ref> buffers,
                        RecordedStep& step);
  uint32_t NumberOf(const std::shared_ptr<const runtime::Launchable>& launchable);
  bool IsRestart(const RecordedStep& before, const RecordedStep& now) const;
  Status Repeat(const Plan& plan, const Pipeline::Kernels& kernels) const;
  Result<std::unique_ptr<const Pipeline>> Checked(Plan plan, Pipeline::Kernels kernels) const;
  Status AddArrays(Plan& plan, std::map<const Region*, uint32_t>& numbers) const;

  Memory memory_;
  std::vector<Named> inputs_;
  std::vector<Named> outputs_;
  std::vector<RecordedStep> steps_;
  std::optional<RecordedStep> open_;  // between Before() and After()
  Pipeline::Kernels kernels_;
  Diagnostics failed_;
  bool merges_ = true;
};

}  // namespace hologram::pipeline
