// The arguments of `hologram run`: --in, --out and --set matched with the parameters of a kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "commands/options.h"
#include "formats/array.h"
#include "hologram/native_abi.h"
#include "isa/program.h"
#include "verify/verified_program.h"

namespace hologram::tool {

struct PlacedArray {
  ArrayPlace place;  // without a path: it is not written
  const Array* array = nullptr;
};
// Writes files; all of them appear, or none. Throws Failure.
void WriteArrays(const std::vector<PlacedArray>& arrays);

class Bindings {
 public:
  // Reads the inputs, makes the outputs, parses the scalars. `file` is what messages call the
  // kernel file. Throws UsageError or Failure; a Failure names every parameter that is wrong.
  Bindings(const verify::VerifiedProgram& program, const std::string& file, const Options& options);

  const std::vector<hologram_buffer_ref>& buffers() const { return buffers_; }
  const std::vector<uint64_t>& scalars() const { return scalars_; }
  // Of buffer `k`.
  const Array& array(size_t k) const { return arrays_[k].array; }
  // Buffer `k` as it was before the launch, if the kernel reads what it then writes there
  // and KeepInitial was asked for; else null.
  const Bytes* InitialOf(size_t k) const {
    return arrays_[k].initial ? &*arrays_[k].initial : nullptr;
  }
  // Copies the arrays that a launch reads and writes. Throws Failure without memory.
  void KeepInitial(const isa::Program& program);
  // Writes the output files; all of them appear, or none.
  void WriteOutputs() const;

 private:
  struct Bound {
    Array array;
    ArrayPlace output;  // without a path: not written
    std::optional<Bytes> initial;
  };
  std::vector<Bound> arrays_;
  std::vector<hologram_buffer_ref> buffers_;
  std::vector<uint64_t> scalars_;
};

}  // namespace hologram::tool
