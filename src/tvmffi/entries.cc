#include "tvmffi/entries.h"

#include <elf.h>

#include <algorithm>
#include <array>

namespace hologram::tvmffi {
namespace {

// One function, filled with what traps.
class Entry {
 public:
  explicit Entry(uint32_t trap) {
    for (size_t at = 0; at < kEntryBytes; at += sizeof trap) Put(trap, sizeof trap);
    size_ = 0;
  }
  void Put(uint64_t value, size_t bytes) {
    for (size_t k = 0; k < bytes; ++k) bytes_[size_++] = static_cast<uint8_t>(value >> (8 * k));
  }
  size_t size() const { return size_; }
  const std::array<uint8_t, kEntryBytes>& bytes() const { return bytes_; }

 private:
  std::array<uint8_t, kEntryBytes> bytes_{};
  size_t size_ = 0;
};

// Whether `value` is a signed number of that many bits.
bool Fits(int64_t value, int bits) {
  const int64_t limit = int64_t{1} << (bits - 1);
  return value >= -limit && value < limit;
}

int64_t Distance(uint64_t from, uint64_t to) {
  return static_cast<int64_t>(to - from);
}

// False: a distance is too large.
bool WriteX86(uint64_t place, uint64_t programs, uint64_t target, uint32_t number, Entry& entry) {
  entry.Put(0xfa1e0ff3, 4);  // endbr64
  entry.Put(0x058d4c, 3);    // lea programs(%rip), %r8
  const int64_t to_programs = Distance(place + entry.size() + 4, programs);
  entry.Put(static_cast<uint64_t>(to_programs), 4);
  entry.Put(0xb941, 2);  // mov $number, %r9d
  entry.Put(number, 4);
  entry.Put(0xe9, 1);  // jmp target
  const int64_t to_target = Distance(place + entry.size() + 4, target);
  entry.Put(static_cast<uint64_t>(to_target), 4);
  return Fits(to_programs, 32) && Fits(to_target, 32);
}

bool WriteArm(uint64_t place, uint64_t programs, uint64_t target, uint32_t number, Entry& entry) {
  constexpr uint64_t kPage = 4096;
  constexpr uint64_t kX4 = 4;
  constexpr uint64_t kW5 = 5;
  entry.Put(0xd503245f, 4);  // bti c
  const int64_t pages = Distance((place + entry.size()) / kPage * kPage, programs / kPage * kPage) /
                        static_cast<int64_t>(kPage);
  const auto low = static_cast<uint64_t>(pages);
  entry.Put(0x90000000 | (low & 3) << 29 | (low >> 2 & 0x7ffff) << 5 | kX4, 4);  // adrp x4
  entry.Put(0x91000000 | (programs % kPage) << 10 | kX4 << 5 | kX4, 4);          // add x4, x4
  entry.Put(0x52800000 | uint64_t{number & 0xffff} << 5 | kW5, 4);               // movz w5
  entry.Put(0x72a00000 | uint64_t{number >> 16} << 5 | kW5, 4);                  // movk w5
  const int64_t words = Distance(place + entry.size(), target) / 4;
  entry.Put(0x14000000 | (static_cast<uint64_t>(words) & 0x3ffffff), 4);  // b target
  return Fits(pages, 21) && Fits(words, 26);
}

}  // namespace

Result<std::vector<uint8_t>> WriteEntries(uint16_t machine, uint64_t place, uint64_t programs,
                                          uint64_t target, uint32_t count) {
  if (machine != EM_X86_64 && machine != EM_AARCH64) {
    return Error(ErrorCode::kInternal,
                 "there is no code for calls on machine " + std::to_string(machine) + " of ELF");
  }
  const bool is_x86 = machine == EM_X86_64;
  std::vector<uint8_t> all;
  for (uint32_t k = 0; k < count; ++k) {
    Entry entry(is_x86 ? 0xcccccccc /* int3 */ : 0xd4200000 /* brk */);
    const uint64_t at = place + all.size();
    if (!(is_x86 ? WriteX86 : WriteArm)(at, programs, target, k, entry)) {
      return Error(ErrorCode::kResourceLimit, "the library is too large for its jumps");
    }
    all.insert(all.end(), entry.bytes().begin(), entry.bytes().end());
  }
  return all;
}

}  // namespace hologram::tvmffi
