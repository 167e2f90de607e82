// batch.h for any machine: 16-byte vectors, and fused multiply-add from the C library where the
// machine lacks it.
#include "math/batch_kernels.h"

namespace hologram::math {

extern const BatchTable kGenericBatch;
const BatchTable kGenericBatch = MakeBatchTable("generic");

}  // namespace hologram::math
