// A program for AArch64 Linux that needs no C library: it runs the kernels that come in through its
// standard input (protocol.h) and writes what they gave to its standard output, until the input
// ends. The tests run it under qemu-aarch64; on such a machine it runs as it is.
//
// A buffer ends where a page that nobody may touch begins, or begins where one ends, in turn: a
// kernel that reads or writes outside of it stops the process. Bytes of a known pattern lie in
// front of one that ends at such a page: a kernel that writes there is reported.
#include "protocol.h"

namespace hologram::tests::cross {
namespace {

using Byte = unsigned char;

constexpr uint64_t kPage = 65536;  // the largest of any AArch64 Linux
constexpr uint64_t kFront = 256;
constexpr Byte kPattern = 0xa5;
constexpr uint32_t kMaxArguments = 64;

enum : long { kRead = 63, kWrite = 64, kExit = 93, kMunmap = 215, kMmap = 222, kMprotect = 226 };
constexpr long kProtectRead = 1;
constexpr long kProtectWrite = 2;
constexpr long kProtectExecute = 4;
constexpr long kMapPrivate = 0x02;
constexpr long kMapFixed = 0x10;
constexpr long kMapAnonymous = 0x20;

long Call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc #0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
}

[[noreturn]] void Exit(long code) {
  for (;;) Call(kExit, code);
}

void Require(bool good, long code) {
  if (!good) Exit(code);
}

// False where the input ends before the first byte.
bool ReadAll(void* to, uint64_t bytes) {
  uint64_t have = 0;
  while (have < bytes) {
    const long some = Call(kRead, 0, reinterpret_cast<long>(to) + static_cast<long>(have),
                           static_cast<long>(bytes - have));
    if (some == 0 && have == 0) return false;
    Require(some > 0, 2);
    have += static_cast<uint64_t>(some);
  }
  return true;
}

void WriteAll(const void* from, uint64_t bytes) {
  uint64_t done = 0;
  while (done < bytes) {
    const long some = Call(kWrite, 1, reinterpret_cast<long>(from) + static_cast<long>(done),
                           static_cast<long>(bytes - done));
    Require(some > 0, 3);
    done += static_cast<uint64_t>(some);
  }
}

Byte* Map(uint64_t at, uint64_t bytes, long protection) {
  const long flags = kMapPrivate | kMapAnonymous | (at != 0 ? kMapFixed : 0);
  const long mapped =
      Call(kMmap, static_cast<long>(at), static_cast<long>(bytes), protection, flags, -1, 0);
  Require(mapped > 0 || mapped < -4095, 4);
  return reinterpret_cast<Byte*>(mapped);
}

uint64_t RoundUp(uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

// Instruction caches need not see what was written as data. 16 bytes is the shortest line.
void SynchroniseCode(uint64_t from, uint64_t bytes) {
  for (uint64_t at = from; at < from + bytes; at += 16) {
    asm volatile("dc cvau, %0" ::"r"(at) : "memory");
  }
  asm volatile("dsb ish" ::: "memory");
  for (uint64_t at = from; at < from + bytes; at += 16) {
    asm volatile("ic ivau, %0" ::"r"(at) : "memory");
  }
  asm volatile("dsb ish\n isb" ::: "memory");
}

struct Buffer {
  Byte* mapping;    // begins with an untouchable page
  uint64_t mapped;  // without the page after the end
  bool has_front;   // bytes of the pattern in front
  hologram_buffer_ref ref;
};

Buffer MakeBuffer(uint64_t bytes) {
  static uint64_t buffers = 0;
  Buffer buffer{};
  buffer.has_front = buffers++ % 2 == 0;
  buffer.mapped = kPage + RoundUp(bytes + kFront);
  buffer.mapping = Map(0, buffer.mapped + kPage, kProtectRead | kProtectWrite);
  Byte* end = buffer.mapping + buffer.mapped;
  Require(Call(kMprotect, reinterpret_cast<long>(buffer.mapping), static_cast<long>(kPage)) == 0,
          5);
  Require(Call(kMprotect, reinterpret_cast<long>(end), static_cast<long>(kPage)) == 0, 5);
  buffer.ref = {buffer.has_front ? end - bytes : buffer.mapping + kPage, bytes};
  for (uint64_t i = 1; buffer.has_front && i <= kFront; ++i) *(end - bytes - i) = kPattern;
  return buffer;
}

bool IsFrontIntact(const Buffer& buffer) {
  const Byte* data = static_cast<const Byte*>(buffer.ref.data);
  for (uint64_t i = 1; buffer.has_front && i <= kFront; ++i) {
    if (*(data - i) != kPattern) return false;
  }
  return true;
}

const hologram_kernel_info* info = nullptr;
uint64_t image_bytes = 0;

void Load(const Request& request, Reply* reply) {
  if (image_bytes != 0) {
    Call(kMunmap, static_cast<long>(kImageBase), static_cast<long>(image_bytes));
  }
  image_bytes = RoundUp(request.bytes);
  Byte* image = Map(kImageBase, image_bytes, kProtectRead | kProtectWrite);
  Require(ReadAll(image, request.bytes), 6);
  SynchroniseCode(kImageBase, request.bytes);
  Require(Call(kMprotect, static_cast<long>(kImageBase), static_cast<long>(image_bytes),
               kProtectRead | kProtectExecute) == 0,
          7);
  info = reinterpret_cast<const hologram_kernel_info*>(request.info);
  reply->unit = info->unit;
  reply->has_streaming = info->streaming_body != nullptr ? 1 : 0;
}

// Has the other end serve the call.
int32_t CallService(hologram_launch_state* state, uint32_t pc, uint64_t lane,
                    const uint64_t* operands, uint64_t* result) {
  Reply call{};
  call.calls = 1;
  call.pc = pc;
  call.lane = lane;
  for (uint32_t i = 0; i < kServiceOperands; ++i) call.operands[i] = operands[i];
  call.state = *state;
  WriteAll(&call, sizeof call);
  Answer answer;
  Require(ReadAll(&answer, sizeof answer), 9);
  *state = answer.state;
  if (answer.failed == 0) *result = answer.result;
  return answer.failed;
}

// Has the other end collect the values, of which it knows how large they are.
void CallAdd(hologram_launch_state*, uint32_t pc, uint64_t first, uint64_t lanes, uint64_t element,
             const void* values) {
  Reply call{};
  call.calls = 2;
  call.pc = pc;
  call.lane = first;
  call.operands[0] = lanes;
  call.operands[1] = element;
  WriteAll(&call, sizeof call);
  uint32_t size = 0;
  Require(ReadAll(&size, sizeof size), 10);
  Require(size <= 8, 11);
  const auto* bytes = static_cast<const Byte*>(values);
  uint64_t collected[kMaxSumLanes] = {};
  auto* to = reinterpret_cast<Byte*>(collected);
  for (uint32_t k = 0; k < kMaxSumLanes; ++k) {
    if ((lanes >> k & 1) == 0) continue;
    for (uint32_t i = 0; i < size; ++i) to[k * size + i] = bytes[k * size + i];
  }
  WriteAll(collected, sizeof collected);
}

uint64_t NumUnits(uint32_t unit, const hologram_launch_shape& shape) {
  const uint64_t blocks = uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  if (unit == HOLOGRAM_UNIT_BLOCK) return blocks;
  const uint64_t rows =
      uint64_t{shape.grid[1]} * shape.block[1] * shape.grid[2] * uint64_t{shape.block[2]};
  if (unit == HOLOGRAM_UNIT_ROW) return rows;
  return uint64_t{shape.grid[0]} * shape.block[0];
}

int32_t Execute(const Request& request, const hologram_buffer_ref* refs, const uint64_t* scalars,
                hologram_launch_state* state) {
  const hologram_launch_shape& shape = request.shape;
  if (request.kind == Kind::kRunStreaming) {
    info->streaming_body(refs, scalars, &shape, state, 0, NumUnits(info->unit, shape));
    return HOLOGRAM_LAUNCH_DONE;
  }
  const int32_t done = info->entry(refs, scalars, &shape, state);
  if (done == HOLOGRAM_LAUNCH_DONE || info->unit == HOLOGRAM_UNIT_LANE) return done;
  // The entry also refuses shapes that its form of the lane loop does not cover.
  info->body(refs, scalars, &shape, state, 0, NumUnits(info->unit, shape));
  return HOLOGRAM_LAUNCH_DONE;
}

void Run(const Request& request, Reply* reply) {
  Require(info != nullptr && request.num_buffers <= kMaxArguments &&
              request.num_scalars <= kMaxArguments,
          8);
  uint64_t scalars[kMaxArguments];
  uint64_t sizes[kMaxArguments];
  Buffer buffers[kMaxArguments];
  hologram_buffer_ref refs[kMaxArguments];
  ReadAll(scalars, request.num_scalars * sizeof scalars[0]);
  ReadAll(sizes, request.num_buffers * sizeof sizes[0]);
  for (uint32_t i = 0; i < request.num_buffers; ++i) {
    buffers[i] = MakeBuffer(sizes[i]);
    refs[i] = buffers[i].ref;
    ReadAll(refs[i].data, sizes[i]);
  }
  hologram_stream_state stream{};
  stream.launch.budget = request.budget;
  stream.launch.fault_lane = UINT64_MAX;
  stream.launch.class_base = request.class_base;
  stream.phase = request.phase;
  stream.service = CallService;
  stream.add = CallAdd;
  constexpr uint64_t kMostLanes = 1024;
  const uint64_t scratch_bytes = RoundUp(kMostLanes * info->scratch_bytes);
  if (scratch_bytes != 0)
    stream.launch.scratch = Map(0, scratch_bytes, kProtectRead | kProtectWrite);
  reply->done = Execute(request, refs, scalars, &stream.launch);
  if (scratch_bytes != 0) {
    Call(kMunmap, reinterpret_cast<long>(stream.launch.scratch), static_cast<long>(scratch_bytes));
    stream.launch.scratch = nullptr;
  }
  reply->phase_advance = stream.phase_advance;
  reply->state = stream.launch;
  for (uint32_t i = 0; i < request.num_buffers; ++i) {
    if (!IsFrontIntact(buffers[i])) reply->overrun = i + 1;
  }
  WriteAll(reply, sizeof *reply);
  for (uint32_t i = 0; i < request.num_buffers; ++i) {
    WriteAll(refs[i].data, sizes[i]);
    Call(kMunmap, reinterpret_cast<long>(buffers[i].mapping),
         static_cast<long>(buffers[i].mapped + kPage));
  }
}

}  // namespace

extern "C" [[noreturn]] void DriverMain() {
  Request request;
  while (ReadAll(&request, sizeof request)) {
    Reply reply{};
    if (request.kind == Kind::kLoad) {
      Load(request, &reply);
      WriteAll(&reply, sizeof reply);
    } else {
      Run(request, &reply);
    }
  }
  Exit(0);
}

// The compiler may ask for it.
extern "C" void* memset(void* to, int value, unsigned long bytes) {
  auto* at = static_cast<volatile Byte*>(to);
  for (unsigned long i = 0; i < bytes; ++i) at[i] = static_cast<Byte>(value);
  return to;
}

}  // namespace hologram::tests::cross

asm(".globl _start\n"
    "_start:\n"
    "  mov x29, #0\n"
    "  mov x30, #0\n"
    "  bl DriverMain\n");
