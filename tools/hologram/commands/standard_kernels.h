// The standard kernels by groups, one line for those of a file:
// python/hologram/standard_kernels.txt, which scripts/kernel_documents.py writes from the
// docstrings of kernels/.
#pragma once

#include <set>
#include <string>

namespace hologram::tool {

// The groups with what they have of `names`; names that the file does not know come last.
std::string GroupedText(std::set<std::string> names);

}  // namespace hologram::tool
