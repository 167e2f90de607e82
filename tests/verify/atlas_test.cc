// Which instructions are known to meet only classes, what use of class memory may race, and
// addresses in class memory that are refused.
#include <gtest/gtest.h>

#include "text/text.h"
#include "verify/verified_program.h"

namespace hologram::verify {
namespace {

Result<VerifiedProgram> Checked(const std::string& body) {
  auto programs = text::Assemble(
      ".kernel k\n.param a u8[] in\n.param d u8[] out\n.param n u8\n" + body + "  exit\n",
      "k.hasm");
  if (!programs.ok()) return programs.errors();
  return Verify(std::move(programs).value()[0]);
}

// The instructions that never fault, in words.
std::string Proved(const std::string& body) {
  const Result<VerifiedProgram> program = Checked(body);
  if (!program.ok()) return ToString(program.errors()[0]);
  std::string text;
  const auto& code = program.value().program().code;
  for (uint32_t pc = 0; pc < code.size(); ++pc) {
    if (!isa::TakesClass(code[pc].op)) continue;
    text += (text.empty() ? "" : " ") + std::string(isa::InfoOf(code[pc].op).mnemonic) +
            (program.value().NeverFaults(pc) ? " never" : " may");
  }
  return text;
}

std::string RaceOf(const std::string& body) {
  const Result<VerifiedProgram> program = Checked(body);
  if (!program.ok()) return ToString(program.errors()[0]);
  return program.value().races().empty() ? "" : program.value().races()[0].message;
}

TEST(AtlasFacts, ResultsAreClasses) {
  EXPECT_EQ(Proved("  cls.get.u8 r10\n  mirror.u8 r11, r10\n  nbr.count.u32 r12, r11\n"),
            "mirror never nbr.count never");
  EXPECT_EQ(Proved("  cls.get.u8 r10\n  nbr.get.u8 r11, r10, 4\n  mirror.u8 r12, r11\n"),
            "nbr.get never mirror never");
  EXPECT_EQ(Proved("  cls.get.u8 r10\n  nbr.get.u8 r11, r10, 5\n  mirror.u8 r12, r11\n"),
            "nbr.get never mirror may");
}

TEST(AtlasFacts, DataAreNotUnlessSomethingSaysSo) {
  const std::string load = "  sreg.u32 r10, global.x\n  ldg.u8 r11, [r1 + r10*1]\n";
  EXPECT_EQ(Proved(load + "  mirror.u8 r12, r11\n"), "mirror may");
  EXPECT_EQ(Proved("  mirror.u8 r12, r3\n"), "mirror may");
  EXPECT_EQ(Proved(load + "  mov_imm.u8 r13, 96\n  rem.u8 r14, r11, r13\n  mirror.u8 r12, r14\n"),
            "mirror never");
  EXPECT_EQ(Proved(load + "  mov_imm.u8 r13, 96\n  setge.u8 p0, r11, r13\n  bra.p0 @end\n"
                          "  mirror.u8 r12, r11\n  end:\n"),
            "mirror never");
  EXPECT_EQ(Proved(load + "  mov_imm.u8 r13, 97\n  setge.u8 p0, r11, r13\n  bra.p0 @end\n"
                          "  mirror.u8 r12, r11\n  end:\n"),
            "mirror may");
}

TEST(AtlasFacts, PagesCountToo) {
  const std::string pages = "  cls.get.u8 r10\n  mov_imm.u8 r11, ";
  EXPECT_EQ(Proved(pages + "47\n  bound.map.u64 r12, r10, r11, r3\n"), "bound.map never");
  EXPECT_EQ(Proved(pages + "48\n  bound.map.u64 r12, r10, r11, r3\n"), "bound.map may");
}

TEST(AtlasFacts, OnlyClassMemoryIsShared) {
  EXPECT_EQ(RaceOf("  pool.alloc.u64 r10, 8\n  mov_imm.u64 r11, 0\n  pool.store.u8 r10, r11, r3\n"),
            "");
  EXPECT_EQ(RaceOf("  mov_imm.u64 r11, 0\n  pool.load.u8 r10, r11, r11\n"), "");
  const std::string race =
      " may write class memory that another lane uses, so the result may depend on order; a launch "
      "with deterministic=False allows it";
  EXPECT_EQ(RaceOf("  mov_imm.u64 r11, 0\n  pool.store.u8 r11, r11, r3\n"), "instruction 1" + race);
  EXPECT_EQ(RaceOf("  mov_imm.u64 r11, 0xffffffffffffffff\n  pool.store.u8 r11, r11, r3\n"),
            "instruction 1" + race);
  EXPECT_EQ(RaceOf("  stg.u8 [phi(0, 0, 0)], r3\n"), "instruction 0" + race);
}

TEST(AtlasFacts, AccessesInTwoClassesAreRefused) {
  const auto error = [](const std::string& body) {
    const Result<VerifiedProgram> program = Checked(body);
    return program.ok() ? "" : program.errors()[0].message;
  };
  EXPECT_EQ(error("  ldg.u32 r10, [phi(4, 47, 252)]\n"), "");
  EXPECT_EQ(
      error("  ldg.u32 r10, [phi(4, 47, 253)]\n"),
      "instruction 0: u32 at byte 12285 of a class of 12288 bytes reaches into the next class");
  EXPECT_EQ(error("  ldg.u32 r10, [phi(96, 0, 0)]\n"), "expected a class (0 to 95), found '96'");
  EXPECT_EQ(error("  ldg.u32 r10, [phi(0, 48, 0)]\n"), "expected a page (0 to 47), found '48'");
  EXPECT_EQ(error("  nbr.get.u8 r10, r3, 6\n"),
            "expected the number of a neighbour (0 to 5), found '6'");
  EXPECT_EQ(error("  unity.test.f64 p0, -1.0\n"),
            "instruction 0: expected a bound of 0 or more, found a negative one or nan");
  EXPECT_EQ(error("  unity.test.f64 p0, nan\n"),
            "instruction 0: expected a bound of 0 or more, found a negative one or nan");
}

}  // namespace
}  // namespace hologram::verify
