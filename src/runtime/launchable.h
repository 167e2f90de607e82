// An entry of the registry: a kernel with a program, or one that was written by hand.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "hologram/native_abi.h"
#include "isa/program.h"
#include "launch/default_shape.h"
#include "launch/way.h"

namespace hologram::runtime {

// Everything a caller may say about one launch.
struct LaunchConfig {
  launch::RequestedShape shape;
  uint64_t budget = launch::kDefaultBudget;
  uint32_t class_base = 0;  // 0 to 95; CLS.GET gives (class_base + block.x) mod 96
  bool deterministic = true;
  launch::Engine engine = launch::Engine::kAuto;  // kAuto: native code if there is any
  uint32_t threads = 0;                           // upper bound; 0: Launchable::threads()
  bool shows_prints = true;                       // false: what the kernel prints goes nowhere

  // Nothing but a shape is asked for. Prints do not count: the full way makes their log.
  bool asks_for_shape_alone() const {
    return budget == launch::kDefaultBudget && class_base == 0 && deterministic &&
           engine == launch::Engine::kAuto && threads == 0;
  }
};

struct LaunchCounts {
  uint64_t native = 0;
  uint64_t interpreted = 0;
  uint64_t guarded = 0;  // of both: with accesses checked, as no proof covered the arguments
};

class Kernel;

class Launchable {
 public:
  virtual ~Launchable() = default;

  // Null: it was written by hand.
  virtual const Kernel* program_kernel() const = 0;
  // Its name and parameters.
  virtual const isa::Program& signature() const = 0;
  virtual const std::string& id() const = 0;    // in hex
  virtual const std::string& path() const = 0;  // "native (bundle, v4)", "interpreter", "library"
  virtual const std::string& note() const = 0;  // what its user should hear; empty: nothing
  virtual uint32_t threads() const = 0;         // that a launch may use
  virtual LaunchCounts counts() const = 0;
  // Checks and runs one launch; arguments in parameter order, each kind by itself. `way`, which is
  // new, becomes what was done, also of a launch that faulted. Errors name the parameter or the
  // line. Thread-safe for launches on disjoint memory.
  virtual Status Launch(std::span<const hologram_buffer_ref> buffers,
                        std::span<const uint64_t> scalars, const LaunchConfig& config,
                        launch::Way& way) const = 0;
};

}  // namespace hologram::runtime
