// Messages on standard error: "file:line:col: error: text", the source line and a caret under the
// place, the same layout as the Python front end prints.
#pragma once

#include <stdexcept>
#include <string>

#include "base/result.h"

namespace hologram::tool {

// Thrown by the commands, caught by main: exit code 1.
struct Failure {
  Diagnostics errors;
};

// Unwraps a result or throws its errors as a Failure.
template <class T>
T OrFail(Result<T> result) {
  if (!result.ok()) throw Failure{result.errors()};
  return std::move(result).value();
}

[[noreturn]] inline void Fail(ErrorCode code, std::string message) {
  throw Failure{{Error(code, std::move(message))}};
}

void PrintErrors(const Diagnostics& errors);
// The same with "note" in place of "error".
void PrintNote(const Diagnostic& note);

}  // namespace hologram::tool
