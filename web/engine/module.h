// A kernel of the page, and the kernels of one document or bundle.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bundle/bundle.h"
#include "frontend/raise/circuit.h"
#include "launch/default_shape.h"
#include "launch/facts.h"
#include "launch/launch.h"
#include "launch/units.h"
#include "launch/way.h"
#include "verify/reach.h"
#include "verify/verified_program.h"

namespace hologram::web {

// Kernel JSON, and its name in messages.
struct Document {
  std::string json;
  std::string file;
};

class Kernel {
 public:
  // `document`: of a kernel of a kernel JSON document; null: it came from a bundle.
  Kernel(verify::VerifiedProgram program, std::shared_ptr<const Document> document);

  const isa::Program& signature() const { return program_.program(); }
  bool uses_stream() const { return program_.uses_stream(); }

  struct Request {
    launch::RequestedShape shape;
    bool deterministic = true;
    uint64_t budget = launch::kDefaultBudget;
  };
  // Buffers and scalars as for runtime::Kernel::Launch. `way`, `shape` and `prints` are what was
  // done, also of a launch that faulted.
  struct Launched {
    launch::Way way;
    hologram_launch_shape shape{};
    std::string prints;
  };
  // For compiled code: the shape of a launch, whose first grid is 0 where the largest output is
  // empty, and whether the proofs cover it. Addresses of buffers are compared, not read.
  struct Decision {
    hologram_launch_shape shape{};
    bool proved = false;
  };
  Result<Decision> Decide(std::span<const hologram_buffer_ref> buffers,
                          std::span<const uint64_t> scalars, const Request& request) const;
  Status Launch(std::span<const hologram_buffer_ref> buffers, std::span<const uint64_t> scalars,
                const Request& request, Launched& launched) const;

  // ---- Parts of launches (window.cc), as those of runtime::Kernel. REQUIRES: the counts of
  // scalars, extents and buffers are those of the kernel.
  Result<launch::Units> UnitsOf(std::span<const uint64_t> scalars, const Request& request,
                                std::span<const uint64_t> extents) const;
  Result<std::vector<launch::BufferReach>> ReachOf(std::span<const uint64_t> scalars,
                                                   const Request& request,
                                                   std::span<const uint64_t> extents,
                                                   uint64_t first, uint64_t last) const;
  Status LaunchWindow(std::span<const hologram_buffer_ref> buffers,
                      std::span<const uint64_t> scalars, const Request& request,
                      launch::Window window, Launched& launched) const;

  // The kernel in another form: "asm", "explain", as `hologram compile --emit asm` and `hologram
  // verify --explain --level none` print them, "circuit", "calls" and "operations", what the
  // canonical form of the circuit saves; "written": the calls of the circuit before that, with
  // every operation as it is written.
  Result<std::string> View(std::string_view form) const;

 private:
  Result<hologram_launch_shape> Shape(std::span<const hologram_buffer_ref> buffers,
                                      std::span<const uint64_t> scalars,
                                      const Request& request) const;
  launch::Launch NewLaunch(std::span<const hologram_buffer_ref> buffers,
                           std::span<const uint64_t> scalars, const Request& request) const;
  Status Run(launch::Launch& launch, Launched& launched) const;
  const verify::Reach& reach() const;
  // Made when it is asked for.
  Result<frontend::KernelCircuit> Circuit(frontend::Circuits circuits) const;

  const verify::VerifiedProgram program_;
  const std::shared_ptr<const Document> document_;
  const launch::KernelFacts facts_;
  const launch::DefaultShape default_launch_;
  mutable std::optional<verify::Reach> reach_;
};

using Module = std::vector<std::unique_ptr<Kernel>>;

// All kernels of a kernel JSON document. `file` is its name in messages.
Result<Module> CompileJson(std::string_view json, const std::string& file);
// All programs of a bundle; one of them.
Result<Module> LoadBundle(std::span<const uint8_t> bytes);
Result<Module> LoadProgram(const bundle::BundleReader& reader, size_t program);
// The canonical form of a circuit in mode "memory", "gate" or "none", and its calls: `canon` and
// `compile` of the command `hologram circuit`.
Result<std::string> CanonicalCircuit(std::string_view text, std::string_view mode);

}  // namespace hologram::web
