// Where an instruction came from, as a comment that carries it without loss:
//
//   ; k.py:12:5 src[i + 2] {i=r5, n=r4}
//
// i.e. file:line:column, the source text if any, the variables if any. A comment is read as debug
// information if one of its parts between ';' begins with exactly the file of `.source` and two
// numbers; every other comment is skipped. The file and the source text are quoted when they are
// not plain. Tested by tests/text.
#pragma once

#include <optional>
#include <string>

#include "isa/program.h"
#include "text/cursor.h"

namespace hologram::text {

// "k.py:12:5 src[i + 2] {i=r5}"
std::string PrintDebugComment(const isa::DebugLine& line, const std::string& source_file);

// At the end of a statement: reads the comment of the line, if there is one. Sets *found; false
// after an error.
bool ParseDebugComment(Cursor& in, const std::string& source_file, isa::DebugLine* line,
                       bool* found);

}  // namespace hologram::text
