// The groups of figures. Without the C++ API, for the one that looks behind it.
#pragma once

#include "report.h"

namespace hologram {
class Executor;
}

namespace hologram::bench {

// The groups, one file each. Every figure is of one thread, unless its line names threads.
void Elementwise(Executor& executor, Report& report);
void Calls(Executor& executor, Report& report);
void Streaming(Executor& executor, Report& report);
void Functions(Executor& executor, Report& report);
void Reductions(Executor& executor, Report& report);
void Rows(Executor& executor, Report& report);
void Movement(Executor& executor, Report& report);
void Checks(Report& report);
void Simulation(Executor& executor, Report& report);
void Threads(Executor& executor, Report& report);
void Spans(Executor& executor, Report& report);
void Start(Executor& executor, Report& report);
void CompileTimes(Executor& executor, Report& report);

}  // namespace hologram::bench
