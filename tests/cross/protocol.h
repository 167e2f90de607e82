// Messages between the tests and the program that runs kernels on AArch64 (driver.cc) over a
// stream: a Request with its payload, then a Reply with its payload; before it, a Reply and an
// Answer for each call of the kernel. Both ends are little-endian
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
  uint32_t phase;  // of the stream
  uint64_t bytes;
  uint64_t info;  // of kLoad: the address of hologram_info
  uint64_t budget;
  uint32_t class_base;
  uint32_t padding;
  hologram_launch_shape shape;
};

// How many values a call of hologram_stream_state::add passes at most.
inline constexpr uint32_t kMaxSumLanes = 64;

// The most that a call of hologram_stream_state::service passes; code has as many for each lane.
inline constexpr uint32_t kServiceOperands = 3;

struct Reply {
  // 1: the kernel calls the service and waits for an Answer; 2: it calls `add` and waits for the
  // bytes of a value, a u32, to answer with kMaxSumLanes * 8 bytes that hold the values of the
  // lanes of the mask where they belong; 0: all is done
  uint32_t calls;
  int32_t done;  // HOLOGRAM_LAUNCH_*
  uint32_t phase_advance;
  uint32_t pc;  // of the call
  uint64_t lane;
  uint64_t operands[kServiceOperands];  // of `add`: mask of lanes, element
  uint32_t unit;
  uint32_t has_streaming;
  uint32_t overrun;  // 1 + the number of a buffer in front of which something was written
  uint32_t padding;
  hologram_launch_state state;
};  // after a run: contents of the buffers

// Of the service.
struct Answer {
  int32_t failed;
  uint32_t padding;
  uint64_t result;
  hologram_launch_state state;
};

}  // namespace hologram::tests::cross
