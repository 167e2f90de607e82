// Behaviour of the substitute driver: variables of the environment, read at each use.
#pragma once

#include <cstdint>
#include <string>

#include "machine.h"

namespace fakecuda {

// FAKECUDA_DEVICES (1), FAKECUDA_VERSION (12040), FAKECUDA_CAPABILITY (90).
int NumberOf(const char* variable, int otherwise);
std::string TextOf(const char* variable);
// FAKECUDA_ORDER: "first", "last", or a number, which is the seed of a random one.
Order OrderNow();
// FAKECUDA_FAIL: "cuMemAlloc_v2:3:2", the third call of it fails with 2. 0: this call does not.
int FailureOf(const char* function);

}  // namespace fakecuda
