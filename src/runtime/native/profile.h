// Announces loaded code to profilers and debuggers. The environment variable HOLOGRAM_PROFILE names
// which, separated by commas; nothing is done and nothing is read while it is not set:
//   perf     a line for each function in /tmp/perf-PID.map, where `perf report` looks
//   jitdump  code and lines of source in HOLOGRAM_PROFILE_DIR (else /tmp)/jit-PID.dump, for
//            `perf record -k 1` and `perf inject --jit`; then perf annotates with source
//   gdb      the object with its lines, by the JIT interface of GDB and LLDB
// Instructions are the same bytes whether it is set or not. Tested by tests/cli/profile_test.py.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "runtime/native/elf_file.h"

namespace hologram::runtime {

// Withdraws what was announced when it goes; hold it as long as the code is loaded.
class Announced {
 public:
  struct Entry;  // of the debugger's list
  Announced();
  explicit Announced(std::unique_ptr<Entry> entry);
  Announced(Announced&& other) noexcept;
  Announced& operator=(Announced&& other) noexcept;
  ~Announced();

 private:
  std::unique_ptr<Entry> entry_;
};

// `addresses` gives the place where each section of `object` is, 0 for those that are not loaded.
// Thread-safe. Errors: kInvalidArgument for a word in HOLOGRAM_PROFILE that is none of the above,
// kIo where a file cannot be written.
Result<Announced> Announce(const ElfFile& object, std::span<const uint64_t> addresses);

}  // namespace hologram::runtime
