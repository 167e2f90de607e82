#include "runtime/native/relocations.h"

#include <cstring>
#include <string>

#include "runtime/native/elf_file.h"

namespace hologram::runtime {
namespace {

Diagnostic NotSupported(uint32_t type) {
  return MalformedObject("relocation type " + std::to_string(type) + " is not supported");
}

bool FitsSigned(uint64_t value, uint32_t bits) {
  const uint64_t half = uint64_t{1} << (bits - 1);
  return value + half < 2 * half;
}

// Writes the low bytes of a value; with 4, all of it must be in them.
Status Write(const Relocation& relocation, uint64_t value, uint32_t bytes) {
  if (relocation.room < bytes) return MalformedObject("a relocation outside its section");
  if (bytes == 4 && !FitsSigned(value, 32)) {
    return MalformedObject("a relocation that does not fit 32 bits");
  }
  std::memcpy(relocation.place, &value, bytes);
  return Success{};
}

// System V ABI, AMD64 supplement, table 4.9.
Status ApplyX86(const Relocation& relocation) {
  switch (relocation.type) {
    case R_X86_64_64:
      return Write(relocation, relocation.value, 8);
    case R_X86_64_PC64:
      return Write(relocation, relocation.value - relocation.address, 8);
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      return Write(relocation, relocation.value - relocation.address, 4);
    default:
      return NotSupported(relocation.type);
  }
}

// Bits of an instruction that take a part of a value.
struct Field {
  uint32_t first;  // of the value
  uint32_t width;
  uint32_t at;  // in the instruction
};

// What an instruction takes of a value.
struct Immediate {
  uint32_t bits;   // that the value may have, with its sign; 0: any, the rest is elsewhere
  uint32_t scale;  // low bits that are 0
  Field fields[2];
};

Status Patch(const Relocation& relocation, uint64_t value, const Immediate& immediate) {
  if (relocation.room < 4) return MalformedObject("a relocation outside its section");
  if (immediate.bits != 0 && !FitsSigned(value, immediate.bits)) {
    return MalformedObject("a relocation that does not fit its instruction");
  }
  if ((value & ((uint64_t{1} << immediate.scale) - 1)) != 0) {
    return MalformedObject("a relocation to an address that is not aligned");
  }
  uint32_t instruction = 0;
  std::memcpy(&instruction, relocation.place, sizeof instruction);
  for (const Field& field : immediate.fields) {
    const uint32_t ones = (uint32_t{1} << field.width) - 1;
    instruction &= ~(ones << field.at);
    instruction |= (static_cast<uint32_t>(value >> field.first) & ones) << field.at;
  }
  std::memcpy(relocation.place, &instruction, sizeof instruction);
  return Success{};
}

// The 12 bits of an access or addition within a page of 4096 bytes; of accesses in their units, so
// that the upper bits are 0.
Status PatchInPage(const Relocation& relocation, uint32_t scale) {
  return Patch(relocation, relocation.value & 0xfff, {0, scale, {{scale, 12, 10}, {}}});
}

// ELF for the Arm 64-bit Architecture, section 5.7.
Status ApplyAArch64(const Relocation& relocation) {
  constexpr uint64_t kPage = ~uint64_t{0xfff};
  const uint64_t relative = relocation.value - relocation.address;
  const uint64_t pages = (relocation.value & kPage) - (relocation.address & kPage);
  switch (relocation.type) {
    case R_AARCH64_ABS64:
      return Write(relocation, relocation.value, 8);
    case R_AARCH64_PREL64:
      return Write(relocation, relative, 8);
    case R_AARCH64_PREL32:
      return Write(relocation, relative, 4);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      return Patch(relocation, relative, {28, 2, {{2, 26, 0}, {}}});
    case R_AARCH64_CONDBR19:
    case R_AARCH64_LD_PREL_LO19:
      return Patch(relocation, relative, {21, 2, {{2, 19, 5}, {}}});
    case R_AARCH64_TSTBR14:
      return Patch(relocation, relative, {16, 2, {{2, 14, 5}, {}}});
    case R_AARCH64_ADR_PREL_LO21:
      return Patch(relocation, relative, {21, 0, {{0, 2, 29}, {2, 19, 5}}});
    case R_AARCH64_ADR_PREL_PG_HI21:
      return Patch(relocation, pages, {33, 12, {{12, 2, 29}, {14, 19, 5}}});
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
      return PatchInPage(relocation, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return PatchInPage(relocation, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return PatchInPage(relocation, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
      return PatchInPage(relocation, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return PatchInPage(relocation, 4);
    default:
      return NotSupported(relocation.type);
  }
}

}  // namespace

Status ApplyRelocation(uint16_t machine, const Relocation& relocation) {
  switch (machine) {
    case EM_X86_64:
      return ApplyX86(relocation);
    case EM_AARCH64:
      return ApplyAArch64(relocation);
    default:
      return MalformedObject("code of machine " + std::to_string(machine) + " is not supported");
  }
}

}  // namespace hologram::runtime
