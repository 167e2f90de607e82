// Functions of the language that are helpers written in it: python/hologram/lang_library. Each is
// read when it is first called, so that the others cost nothing. Tested by tests/frontend and
// tests/kernels.
//
// A function has one helper of its name, `philox`, or forms for the types of its arguments:
// `asin__f32` and `asin__f64`. The end of such a name is a type or a kind of types. Only the
// library itself calls forms by name, and helpers with a name such as `_log_pair`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/ast.h"

namespace hologram::frontend {

// The helper of this name, or nullptr. Safe to call from several threads.
const Helper* FindLibraryHelper(std::string_view name);

// True for names such as `asin__f32` and `_log_pair`.
bool IsForLibraryOnly(std::string_view name);

// The ends of the names of the forms: f32, f64. Empty if the library has no such function.
std::vector<std::string_view> FormsOf(std::string_view function);

// What kernels may call, each name once.
const std::vector<std::string>& LibraryFunctions();

}  // namespace hologram::frontend
