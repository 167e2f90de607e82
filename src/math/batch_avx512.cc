// batch.h for AVX-512 (F, DQ). CMake gives this file its flags on x86-64; elsewhere it is empty.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include "math/batch_kernels.h"

namespace hologram::math {

extern const BatchTable kAvx512Batch;
const BatchTable kAvx512Batch = MakeBatchTable("avx512");

}  // namespace hologram::math
#endif
