// A program on a device: built by its driver, launched on what is there (resident.h) and on copies
// of other arrays. Tested by tests/device.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engines/devices/device.h"
#include "engines/devices/queue_trace.h"

namespace hologram::engines::devices {

class ResidentMemory;

class Kernel {
 public:
  // Errors name what there is no device code for, or what the device does not have.
  static Result<std::unique_ptr<Kernel>> Make(Device& device,
                                              const verify::VerifiedProgram& program);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Runs a launch whose check holds, with all proofs; one that cannot fault, of arrays that are all
  // on the device and not shared, may still be in its queue when this returns. False: a
  // lane has faulted, and nothing has changed. Errors, after which nothing has changed: the device
  // has no place for the launch.
  Result<bool> Run(const launch::Launch& launch);

  // ---- The same in its steps, with a Hold.
  Status Upload(const launch::Launch& launch);
  Status Start(const launch::Launch& launch);  // with what was uploaded last
  Result<bool> Wait();                         // false: a lane has faulted
  Status Download(const launch::Launch& launch);
  Result<bool> RunHeld(const launch::Launch& launch);  // all of them

 private:
  struct Memory {
    Address address = 0;
    uint64_t bytes = 0;
  };

  Kernel(Device& device, const verify::VerifiedProgram& program, std::unique_ptr<Code> code);
  Status Build();
  bool Release();
  Status Resize(Memory& memory, uint64_t bytes);
  static size_t PlaceOf(const launch::Launch& launch, size_t buffer);
  bool IsWritten(const launch::Launch& launch, size_t place) const;
  Status KeepResident(const launch::Launch& launch, const ResidentMemory& resident, size_t place);
  Status TakeBack(const launch::Launch& launch);
  uint32_t BlocksTogether(const hologram_launch_shape& shape) const;
  Status SetArgument(uint32_t number, const launch::Launch& launch);
  Result<bool> RunSteps(const launch::Launch& launch);
  bool MayStayQueued(const launch::Launch& launch) const;
  // The first parameter with that buffer.
  std::string_view NameOf(size_t buffer) const;

  Device& device_;
  const verify::VerifiedProgram& program_;
  std::unique_ptr<Code> code_;
  std::vector<size_t> number_;    // by parameter: among the buffers, or the scalars
  std::vector<Memory> memories_;  // by buffer
  Memory fault_;
  QueueTrace trace_;
};

}  // namespace hologram::engines::devices
