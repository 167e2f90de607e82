// Functions of the language that are helpers written in it: random numbers. A kernel's own helper
// of the same name comes first. Tested by tests/frontend and tests/kernels.
#pragma once

#include <string>
#include <vector>

#include "frontend/ast.h"

namespace hologram::frontend {

// All of them. Made at the first call; safe to call from several threads.
const std::vector<Helper>& Library();

// nullptr if there is no such function.
const Helper* FindLibraryHelper(const std::string& name);

}  // namespace hologram::frontend
