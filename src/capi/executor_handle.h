// The type behind hologram_executor.
#pragma once

#include "hologram/hologram.h"
#include "runtime/executor.h"

struct hologram_executor {
  hologram::runtime::Executor executor;
};
