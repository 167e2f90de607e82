// The memory of the devices: one arena, of which no byte may be touched by the host except while a
// copy or a launch runs. Allocations have room between them, and start with bytes that were
// not written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace fakecuda {

struct Allocation {
  uint64_t bytes = 0;
  int device = 0;
  bool is_table = false;  // of a module: nothing is stored there
};

class DeviceMemory {
 public:
  // False: there is no memory.
  bool Open();
  // 0: no memory.
  uint64_t Allocate(uint64_t bytes, int device, bool is_table);
  // False: there is none of this address.
  bool Free(uint64_t address);
  // Empty, or why it is not inside one live allocation of the device.
  std::string WhyNot(uint64_t address, uint64_t bytes, int device, bool writes);
  size_t live() const { return live_.size(); }

  // While one of them lives, the memory can be touched.
  class Access {
   public:
    explicit Access(DeviceMemory& memory) : memory_(memory) { memory_.Protect(true); }
    ~Access() { memory_.Protect(false); }
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

   private:
    DeviceMemory& memory_;
  };

 private:
  void Protect(bool open);

  uint64_t arena_ = 0;
  uint64_t used_ = 0;
  int open_ = 0;
  std::map<uint64_t, Allocation> live_;
  std::pair<uint64_t, Allocation> hit_;  // the last one that was found
};

}  // namespace fakecuda
