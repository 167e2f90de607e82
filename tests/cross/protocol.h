// What the tests and the program that runs kernels on AArch64 (driver.cc) say to each other over a
// stream: a Request with its payload, then a Reply with its payload. Both ends are little-endian
// with the same layout of these structs.
#pragma once

#include <stdint.h>

#include "hologram/native_abi.h"

namespace hologram::tests::cross {

// Where kernels are linked to run; far from everything that the driver or its stack uses.
inline constexpr uint64_t kImageBase = UINT64_C(0x1000000000);

enum class Kind : uint32_t {
  kLoad,          // payload: `bytes` of the image, to be placed at kImageBase
  kRunEntry,      // payload: scalars, sizes of the buffers, contents of the buffers
  kRunStreaming,  // the same, through the streaming body
};

struct Request {
  Kind kind;
  uint32_t num_buffers;
  uint32_t num_scalars;
  uint32_t padding;
  uint64_t bytes;
  uint64_t info;  // of kLoad: the address of hologram_info
  uint64_t budget;
  hologram_launch_shape shape;
};

struct Reply {
  int32_t done;  // HOLOGRAM_LAUNCH_*
  uint32_t unit;
  uint32_t has_streaming;
  uint32_t overrun;  // 1 + the number of a buffer in front of which something was written
  hologram_launch_state state;
};  // after a run: contents of the buffers

}  // namespace hologram::tests::cross
