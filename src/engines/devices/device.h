// A device that runs kernels, and the code of a kernel on it, as the drivers of all APIs give them:
// what differs between OpenCL and CUDA is behind these two classes. One thread at a time uses a
// device, with a Hold. Tested by tests/device.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/write.h"
#include "launch/launch.h"
#include "observe/track.h"

namespace hologram::engines::devices {

// Of memory on a device: what its driver calls it. 0: none.
using Address = uint64_t;

// A kernel in the form that the driver takes, and, after Build(), as the device runs it.
class Code {
 public:
  virtual ~Code() = default;
  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  virtual const device::KernelCode& facts() const = 0;
  // Errors: the driver does not build it, and what it has to say.
  virtual Status Build() = 0;
  // Arguments stay until they are set again.
  virtual Status SetMemory(uint32_t number, Address memory) = 0;
  virtual Status SetNumber(uint32_t number, const void* value, size_t size) = 0;
  // Behind what the device has been asked for before. REQUIRES: it fits (Device::CheckShape).
  virtual Status Start(const hologram_launch_shape& shape) = 0;
};

struct DeviceFacts {
  std::string name;     // "Intel(R) OpenCL, AMD EPYC"
  std::string driver;   // its version
  std::string why_not;  // not empty: it is not used
  bool is_gpu = false;
  bool has_f64 = false;
  bool has_atomics64 = false;
  uint32_t processors = 1;    // which run blocks side by side
  uint64_t max_lanes = 0;     // of a block
  uint64_t shared_bytes = 0;  // of a block
  uint32_t max_block[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  uint32_t max_grid[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
};

// By the clock of traces, observe::Now().
struct Interval {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceFacts& facts() const { return facts_; }
  // Success, or that the device takes no such block or grid.
  Status CheckShape(const hologram_launch_shape& shape) const;

  // ---- With a Hold. Copies and launches run in their order; host memory that is written from or
  // read to stays as it is until Finish().
  virtual Result<Address> Allocate(uint64_t bytes) = 0;
  virtual void Free(Address memory) = 0;
  // `at`: bytes behind the beginning of that memory.
  virtual Status Write(Address to, uint64_t at, const void* from, uint64_t bytes) = 0;
  virtual Status Read(void* to, Address from, uint64_t at, uint64_t bytes) = 0;
  virtual Status Copy(Address to, Address from, uint64_t bytes) = 0;  // on the device
  virtual Status Finish() = 0;
  // Whether a launch may be left in the queue: what comes behind it sees its results, memory that
  // it uses may be freed, and an error of the driver is that of the next Finish().
  virtual bool runs_behind() const { return false; }
  // Waits for what others of this process have asked the device for, whose memory launches use.
  virtual Status FinishOthers() { return Success{}; }

  // From BeginTimes() to TakeTimes(), behind Finish(), the device times each copy and launch; these
  // are its times, in order. Errors: the driver does not give them. Copies and launches are none
  // the worse for it.
  virtual void BeginTimes() = 0;
  virtual Result<std::vector<Interval>> TakeTimes() = 0;
  // The row of its queue in traces.
  observe::Track& track();

  // The program in the form that the driver takes, not built yet. Errors name what there is no
  // device code for.
  virtual Result<std::unique_ptr<Code>> Translate(const verify::VerifiedProgram& program) = 0;

 protected:
  friend class Hold;
  virtual Status Enter() { return Success{}; }  // of a thread
  virtual void Leave() {}

  DeviceFacts facts_;

 private:
  std::mutex mutex_;
  std::optional<observe::Track> track_;
};

// The calling thread uses the device.
class Hold {
 public:
  explicit Hold(Device& device) : device_(device), lock_(device.mutex_), entered_(device.Enter()) {}
  ~Hold() {
    if (entered_.ok()) device_.Leave();
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  const Status& entered() const { return entered_; }

 private:
  Device& device_;
  const std::lock_guard<std::mutex> lock_;
  const Status entered_;
};

using DeviceList = std::vector<std::unique_ptr<Device>>;

// Whether the process is ending, so that a driver may have ended already.
bool IsEnding();

}  // namespace hologram::engines::devices
