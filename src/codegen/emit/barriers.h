// The end of a block whose last instruction is a barrier: BAR.SYNC, BLK.RED or BLK.SCAN. How lanes
// wait for each other there is the business of who runs them.
#pragma once

#include <cstdint>

namespace hologram::codegen {

class Barriers {
 public:
  virtual ~Barriers() = default;
  // Writes what happens at the barrier that ends `block`. True: the lanes go on behind it here.
  // False: they are done with this copy of the body.
  virtual bool Emit(uint32_t block) = 0;
};

}  // namespace hologram::codegen
