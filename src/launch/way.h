// The way of a launch: which engine runs it, in which form, or why nothing does. This is the one
// place where that is decided. Engines (src/engines) follow its decision; of the launches that take
// the entry of compiled code, the check that was generated with the kernel decides whether it runs,
// and what it declines comes back here. That check accepts only what this proves:
// tests/codegen/entry_test.cc compares the two over random launches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/launch_path.h"
#include "base/result.h"
#include "hologram/native_abi.h"
#include "launch/cut.h"
#include "launch/engine_names.h"
#include "launch/facts.h"
#include "launch/launch.h"

namespace hologram::launch {

// Result of the compiling engine for a kernel.
struct CodeFacts {
  bool exists = false;
  bool streams = false;        // has a form for launches that are larger than the caches
  uint32_t scratch_bytes = 0;  // that each lane of a block needs
  uint32_t unit = HOLOGRAM_UNIT_LANE;
};

// Limits of the caller, the code and the machine.
struct Limits {
  Engine wanted = Engine::kAuto;
  CodeFacts code;
  std::string_view why_no_code;           // where there is none
  uint64_t streaming_bytes = UINT64_MAX;  // from this size of all buffers on it streams
  Parallelism parallelism;
  bool declined = false;  // the generated check does not accept this launch
  bool checked = false;   // there may be code of the checked form
};

enum class Form : uint8_t {
  kNothing,      // no lane
  kEntry,        // one call of the code, which checks the launch; it may decline
  kParts,        // checked by the table; on this thread, with a look at what stops it between parts
  kSplit,        // checked by the table; on several threads
  kInterpreted,  // checked by the table
  kGuarded,      // interpreted on copies with every access checked: no proof covers the arguments
  kChecked,      // native, in the checked form of the kernel, which may decline; none covers them
  kCall,         // of a function that was written by hand
  kDevice,       // checked by the table; on copies of the arrays on a device
};

struct Way {
  Engine engine = Engine::kCpu;
  Form form = Form::kEntry;
  bool streaming = false;
  uint32_t threads = 1;         // upper bound
  Cut cut;                      // kSplit
  uint64_t first_unit = 0;      // kParts
  uint64_t last_unit = 0;       // kParts; one past it
  uint64_t units_per_part = 0;  // kParts
  // Why it was not compiled code (kInterpreted, kGuarded), or another one than usual (kChecked), or
  // only on one thread (kParts); mostly empty.
  std::string reason;
  std::optional<Unproved> unproved;  // what that rests on, if it is known

  bool native() const { return engine == Engine::kCpu; }
  bool guarded() const { return form == Form::kGuarded; }
  // No proof covered the arguments.
  bool checked() const { return form == Form::kGuarded || form == Form::kChecked; }
};

// The engine follows the memory: what runs a launch for which `wanted` was asked, on arrays whose
// memory is that of an engine, at `place` ("cuda:0"); kAuto: of this process. Errors: they differ.
Result<Engine> EngineFor(const isa::Program& program, Engine wanted, Engine memory,
                         std::string_view place);

// Errors name the parameter or the line, as CheckLaunch, or the engine that is not there. A launch
// with a window has passed CheckWindow.
Result<Way> WayOf(const KernelFacts& facts, const Launch& launch, const Limits& limits);

// Whether WayOf gives kEntry; without an error to make, and without a walk of the table.
HOLOGRAM_LAUNCH_PATH
bool TakesEntry(const KernelFacts& facts, const Launch& launch, const Limits& limits);

// Whether launches with a shape may call the entry before anybody asks WayOf: it knows everything
// that decides them.
bool MayEnterFirst(const KernelFacts& facts, const CodeFacts& code);

// Whether a launch that WayOf gave kEntry may be repeated by calls of the entry alone.
bool MayRepeatEntry(const KernelFacts& facts, const CodeFacts& code);

// A launch without a grid may call the default entry of the code, past all of this, if each of its
// buffers has fewer bytes than the result: it is neither worth threads nor streaming stores, nor so
// long that something has to look at what stops it. 0: none may.
uint64_t InlineBytes(const KernelFacts& facts, const Limits& limits);

}  // namespace hologram::launch
