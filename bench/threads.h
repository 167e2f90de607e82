// Launches on several threads, against one thread and against several processes.
#pragma once

#include "hologram/hologram.hpp"
#include "report.h"

namespace hologram::bench {

// REQUIRES: the kernels mandelbrot and vector_add are loaded.
void Threads(Executor& executor, Report& report);

}  // namespace hologram::bench
