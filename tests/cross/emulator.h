// Runs linked kernels in a process of qemu-aarch64 that stays (driver.cc), and links what the code
// generator emits so that it can run there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/launch.h"
#include "protocol.h"

namespace hologram::tests::cross {

// A kernel at its fixed address.
struct Image {
  uint64_t info = 0;  // address of hologram_info
  std::vector<uint8_t> bytes;
};

// An object of the code generator, linked by lld.
Result<Image> Link(const std::vector<uint8_t>& object);

class Emulator {
 public:
  ~Emulator() { Stop(); }

  Result<Reply> Load(const Image& image);

  // Runs the kernel that was loaded, that of `program`; the buffers of `launch` are changed. `kind`
  // is not kLoad. `stream` serves its calls and gets its phase; null for one that has no stream.
  Result<Reply> Run(Kind kind, const isa::Program& program, const launch::Launch& launch,
                    hologram_stream_state* stream);

 private:
  bool Serve(const isa::Program& program, const Reply& call, hologram_stream_state* stream) const;
  bool Collect(const isa::Program& program, const Reply& call, hologram_stream_state* stream) const;
  Status Start();
  void Stop();
  Diagnostic Broken(const char* during);
  bool Send(const void* data, size_t bytes) const;
  bool Receive(void* data, size_t bytes) const;

  int socket_ = -1;
  int process_ = -1;
};

}  // namespace hologram::tests::cross
