// batch.h for AVX2 with FMA. CMake gives this file its flags on x86-64; elsewhere it is empty.
#if defined(__AVX2__) && defined(__FMA__)
#include "math/batch_kernels.h"

namespace hologram::math {

extern const BatchTable kAvx2Batch;
const BatchTable kAvx2Batch = MakeBatchTable("avx2");

}  // namespace hologram::math
#endif
