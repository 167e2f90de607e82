// Memory for compilations in a process that has run out of it. LLVM cannot recover from an
// allocation that fails: its containers are not exception-safe, some of its functions end the
// process when an exception passes, and a jump out of it leaves half-made static objects and locks
// behind. So memory is reserved before LLVM is entered, and allocations that fail are served from
// the reserve: LLVM never notices, and the next compilation works. Only if the reserve runs out as
// well, or LLVM reports a fatal error, is LLVM left by a jump and not entered again in this process
// (codegen/plugin.cc).
//
// The functions of allocation that the plugin calls, LLVM's and the C++ library's inside it too,
// are those of reserve.cc by the linker's --wrap. Memory served from here is given back like any
// other block, on any thread, possibly after the compilation: static objects of LLVM keep theirs.
// Tested by tests/codegen/reserve_test.cc and tests/capi/allocation_test.cc.
#pragma once

#include <csetjmp>
#include <cstddef>

namespace hologram::codegen {

class Reserve {
 public:
  static constexpr size_t kRegionBytes = size_t{32} << 20;
  static constexpr size_t kMostRegions = 16;

  // Address space for `regions` regions, or as many as there is; pages that are not used take no
  // memory.
  explicit Reserve(size_t regions);
  ~Reserve();
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

  // False: there was not one.
  bool is_ready() const { return num_regions_ != 0; }

  // Calls work(data), whose allocations on this thread do not fail. False: it was left in the
  // middle, for why(); nothing that it made is destroyed. REQUIRES: is_ready(), no other Run() on
  // this thread
  bool Run(void (*work)(void* data), void* data);
  const char* why() const { return why_; }
  // Whether anything was taken.
  bool was_used() const { return was_used_; }

  // Leaves the Run() of this thread. Returns only if there is none.
  static void Leave(const char* why);

  // Null if there is no Run() on this thread; else does not return without memory.
  static void* Serve(size_t bytes, size_t alignment);

 private:
  void* Take(size_t bytes, size_t alignment);

  void* regions_[kMostRegions] = {};
  size_t num_regions_ = 0;
  bool was_used_ = false;
  jmp_buf outside_;
  char why_[160] = "";
};

}  // namespace hologram::codegen
