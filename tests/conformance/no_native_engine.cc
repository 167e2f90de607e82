// A build without the compiler has no native engines.
#include "native_engine.h"

namespace hologram::tests {

std::vector<Engine> NativeEngines() {
  return {};
}

}  // namespace hologram::tests
