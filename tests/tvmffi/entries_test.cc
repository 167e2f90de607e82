// The machine code of exported functions, and the table by which they are found: as GNU's tools
// write and read them.
#include "tvmffi/entries.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tvmffi/symbol_hashes.h"

namespace hologram::tvmffi {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(Entries, OfX86) {
  const auto code = WriteEntries(EM_X86_64, 0x2000, 0x3000, 0x1000, 2);
  ASSERT_TRUE(code.ok());
  ASSERT_EQ(code.value().size(), 64U);
  const Bytes second(code.value().begin() + 32, code.value().end());
  EXPECT_EQ(second, (Bytes{0xf3, 0x0f, 0x1e, 0xfa,                    // endbr64
                           0x4c, 0x8d, 0x05, 0xd5, 0x0f, 0x00, 0x00,  // lea 0xfd5(%rip), %r8
                           0x41, 0xb9, 0x01, 0x00, 0x00, 0x00,        // mov $1, %r9d
                           0xe9, 0xca, 0xef, 0xff, 0xff,              // jmp 0x1000
                           0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc}));
}

TEST(Entries, OfArm) {
  const auto code = WriteEntries(EM_AARCH64, 0x20000, 0x45678, 0x1000, 0x10003);
  ASSERT_TRUE(code.ok());
  const Bytes last(code.value().end() - 32, code.value().end());
  // Assembled by LLVM for the address of the last one, 0x220040.
  EXPECT_EQ(last, (Bytes{0x5f, 0x24, 0x03, 0xd5,  // bti c
                         0x24, 0xf1, 0xff, 0xb0,  // adrp x4, 0x45000
                         0x84, 0xe0, 0x19, 0x91,  // add x4, x4, #0x678
                         0x45, 0x00, 0x80, 0x52,  // mov w5, #2
                         0x25, 0x00, 0xa0, 0x72,  // movk w5, #1, lsl #16
                         0xeb, 0x83, 0xf7, 0x17,  // b 0x1000
                         0x00, 0x00, 0x20, 0xd4,  // brk #0
                         0x00, 0x00, 0x20, 0xd4}));
}

TEST(Entries, AreRefusedBeyondTheirReach) {
  EXPECT_TRUE(WriteEntries(EM_X86_64, 0, uint64_t{1} << 30, 0, 1).ok());
  EXPECT_FALSE(WriteEntries(EM_X86_64, 0, uint64_t{1} << 32, 0, 1).ok());
  EXPECT_TRUE(WriteEntries(EM_AARCH64, uint64_t{1} << 26, 0, 0, 1).ok());
  EXPECT_FALSE(WriteEntries(EM_AARCH64, uint64_t{1} << 28, 0, 0, 1).ok());
  EXPECT_FALSE(WriteEntries(EM_RISCV, 0, 0, 0, 1).ok());
}

TEST(SymbolHashes, AreThoseOfGnu) {
  EXPECT_EQ(HashOfSymbol(""), 0x1505U);
  EXPECT_EQ(HashOfSymbol("printf"), 0x156b2bb8U);
  EXPECT_EQ(HashOfSymbol("syscall"), 0xbac212a0U);
}

}  // namespace
}  // namespace hologram::tvmffi
