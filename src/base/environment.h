// Every environment variable that this project reads: its name, what it names and what it means.
// Nothing else reads the environment (scripts/check_layers.py). Tested by tests/base, tests/capi.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace hologram {

enum class Variable : uint8_t {
  kJit,
  kStdlib,
  kKernelPath,
  kNativeKernelPath,
  kCacheDir,
  kXdgCacheHome,
  kHome,
  kProfile,
  kProfileDir,
  kLibrary,
  kPython,
  kCc,
  kTmpdir,
  kTiered,
  kCpuLevel,
  kNumThreads,
  kOmpNumThreads,
  kProgress,
  kOpenCl,
  kCuda,
  kTrace,
};

// The most that setting the variable can do.
enum class VariableKind : uint8_t {
  kCode,    // names code that is executed
  kFiles,   // names files or folders that are read or written
  kChoice,  // chooses between ways to the same result
};

enum class VariableReader : uint8_t { kLibrary, kCommand, kPython };

struct VariableInfo {
  Variable variable;
  const char* name;
  VariableKind kind;
  VariableReader reader;
  const char* meaning;  // Markdown
};

// In the order of Variable.
std::span<const VariableInfo> Variables();
const VariableInfo& InfoOf(Variable variable);

// Whether this process has more rights than the user who started it (AT_SECURE: set-user-ID and
// set-group-ID programs, programs with file capabilities).
bool HasMoreRightsThanItsUser();

// The value; null if it is not set. Always null in a program with more rights than its user, whose
// environment is untrusted input. The environment owns the value, which lives until that changes.
const char* ReadVariable(Variable variable);
// The same; null also if it is empty.
const char* ReadNonEmpty(Variable variable);

// The table of docs/environment.md.
std::string VariablesMarkdown();

}  // namespace hologram
