// Runs linked kernels in a process that stays: of qemu-aarch64 (driver.cc), or of node
// (tests/wasm/driver.mjs).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "launch/launch.h"
#include "protocol.h"

namespace hologram::tests::cross {

// A kernel at its fixed address, or a module of WebAssembly.
struct Image {
  uint64_t info = 0;  // address of hologram_info; of a module, its unit and bytes of scratch
  std::vector<uint8_t> bytes;
};

// Starts a program with `input_and_output` as both, unless that is negative; the process or -1.
pid_t Spawn(const std::vector<std::string>& words, int input_and_output);

class Emulator {
 public:
  // A program and its arguments.
  explicit Emulator(std::vector<std::string> command) : command_(std::move(command)) {}
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;
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

  std::vector<std::string> command_;
  int socket_ = -1;
  int process_ = -1;
};

}  // namespace hologram::tests::cross
