#include "runtime/native/relocations.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace hologram::runtime {
namespace {

// The word at `address` after a relocation to `value`, or the error.
std::string Patched(uint16_t machine, uint32_t type, uint32_t word, uint64_t address,
                    uint64_t value) {
  std::byte place[8];
  std::memcpy(place, &word, sizeof word);
  const Status status =
      ApplyRelocation(machine, {type, place, /*room=*/sizeof word, address, value});
  if (!status.ok()) return status.errors()[0].message;
  std::memcpy(&word, place, sizeof word);
  char text[16];
  std::snprintf(text, sizeof text, "%08x", word);
  return text;
}

std::string Arm(uint32_t type, uint32_t word, uint64_t address, uint64_t value) {
  return Patched(EM_AARCH64, type, word, address, value);
}

// The words are those that `llvm-mc --triple=aarch64 --show-encoding` gives for the instructions.
TEST(Relocations, BranchesOfAArch64) {
  EXPECT_EQ(Arm(R_AARCH64_CALL26, 0x94000000, 0x1000, 0x1004), "94000001");    // bl #4
  EXPECT_EQ(Arm(R_AARCH64_CALL26, 0x94000000, 0x1004, 0x1000), "97ffffff");    // bl #-4
  EXPECT_EQ(Arm(R_AARCH64_JUMP26, 0x14000000, 0, 0x7fffffc), "15ffffff");      // b #134217724
  EXPECT_EQ(Arm(R_AARCH64_CONDBR19, 0x54000000, 0x1000, 0x1008), "54000040");  // b.eq #8
  EXPECT_EQ(Arm(R_AARCH64_TSTBR14, 0x36000000, 0x1008, 0x1000), "3607ffc0");   // tbz w0, #0, #-8
  EXPECT_EQ(Arm(R_AARCH64_LD_PREL_LO19, 0x18000000, 0, 0x10), "18000080");     // ldr w0, #16
}

TEST(Relocations, BranchesReachSoFar) {
  const char* const too_far = "native object: a relocation that does not fit its instruction";
  EXPECT_EQ(Arm(R_AARCH64_CALL26, 0x94000000, 0, 0x8000000), too_far);
  EXPECT_EQ(Arm(R_AARCH64_CALL26, 0x94000000, 0x8000000, 0), "96000000");
  EXPECT_EQ(Arm(R_AARCH64_CALL26, 0x94000000, 0x8000004, 0), too_far);
  EXPECT_EQ(Arm(R_AARCH64_CONDBR19, 0x54000000, 0, 0x100000), too_far);
  EXPECT_EQ(Arm(R_AARCH64_TSTBR14, 0x36000000, 0, 0x8000), too_far);
  EXPECT_EQ(Arm(R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0, uint64_t{1} << 32), too_far);
  EXPECT_EQ(Arm(R_AARCH64_CALL26, 0x94000000, 0, 2),
            "native object: a relocation to an address that is not aligned");
}

TEST(Relocations, AddressesOfAArch64) {
  EXPECT_EQ(Arm(R_AARCH64_ADR_PREL_LO21, 0x10000000, 0x1000, 0x1003), "70000000");  // adr x0, #3
  EXPECT_EQ(Arm(R_AARCH64_ADR_PREL_LO21, 0x10000000, 0x1000, 0xfff), "70ffffe0");   // adr x0, #-1
  // The page, wherever in their pages both are; adrp x0, #4096 and #-8192
  EXPECT_EQ(Arm(R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0x1ffc, 0x2000), "b0000000");
  EXPECT_EQ(Arm(R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0x3000, 0x1fff), "d0ffffe0");
  EXPECT_EQ(Arm(R_AARCH64_ADD_ABS_LO12_NC, 0x91000000, 0, 0x12345fff), "913ffc00");  // add, #4095
}

TEST(Relocations, AccessesOfAArch64CountInTheirUnits) {
  EXPECT_EQ(Arm(R_AARCH64_LDST8_ABS_LO12_NC, 0x39400000, 0, 0x1fff), "397ffc00");    // ldrb, #4095
  EXPECT_EQ(Arm(R_AARCH64_LDST16_ABS_LO12_NC, 0x79400000, 0, 0x1ffe), "795ffc00");   // ldrh, #4094
  EXPECT_EQ(Arm(R_AARCH64_LDST32_ABS_LO12_NC, 0xb9400000, 0, 0x1ffc), "b94ffc00");   // ldr w, #4092
  EXPECT_EQ(Arm(R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400000, 0, 0x1ff8), "f947fc00");   // ldr x, #4088
  EXPECT_EQ(Arm(R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00000, 0, 0x1ff0), "3dc3fc00");  // ldr q, #4080
  EXPECT_EQ(Arm(R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400000, 0, 0x1004),
            "native object: a relocation to an address that is not aligned");
}

// Nothing but the immediate changes, and what was in it does not stay.
TEST(Relocations, ReplaceTheImmediateAlone) {
  EXPECT_EQ(Arm(R_AARCH64_ADD_ABS_LO12_NC, 0x913fffff, 0, 0x1000), "910003ff");
  EXPECT_EQ(Arm(R_AARCH64_ADR_PREL_PG_HI21, 0xf0ffffff, 0x1000, 0x1000), "9000001f");
  EXPECT_EQ(Arm(R_AARCH64_TSTBR14, 0xb7ffffff, 0, 4), "b7f8003f");
}

TEST(Relocations, WordsOfBothProcessors) {
  EXPECT_EQ(Arm(R_AARCH64_PREL32, 0, 0x2000, 0x1000), "fffff000");
  EXPECT_EQ(Patched(EM_X86_64, R_X86_64_PC32, 0, 0x2000, 0x1000), "fffff000");
  EXPECT_EQ(Patched(EM_X86_64, R_X86_64_PLT32, 0, 0, 0x80000000),
            "native object: a relocation that does not fit 32 bits");
  for (const auto& [machine, type] :
       {std::pair(EM_X86_64, R_X86_64_64), std::pair(EM_AARCH64, R_AARCH64_ABS64)}) {
    std::byte place[8] = {};
    const auto apply = [&](uint64_t room) {
      return ApplyRelocation(static_cast<uint16_t>(machine),
                             {static_cast<uint32_t>(type), place, room, 0x10, 0x1122334455667788});
    };
    EXPECT_EQ(apply(7).errors()[0].message, "native object: a relocation outside its section");
    ASSERT_TRUE(apply(8).ok());
    uint64_t word = 0;
    std::memcpy(&word, place, sizeof word);
    EXPECT_EQ(word, 0x1122334455667788u);
  }
}

TEST(Relocations, OthersAreNamed) {
  EXPECT_EQ(Arm(R_AARCH64_TLSDESC_CALL, 0, 0, 0),
            "native object: relocation type 569 is not supported");
  EXPECT_EQ(Patched(EM_X86_64, R_X86_64_GOTPCREL, 0, 0, 0),
            "native object: relocation type 9 is not supported");
  EXPECT_EQ(Patched(EM_RISCV, 1, 0, 0, 0), "native object: code of machine 243 is not supported");
}

}  // namespace
}  // namespace hologram::runtime
