// The generated check of rounds against the one from the table: random nests of loops with random
// scalars, most of which would run for years. Loops that start find their launch cancelled.
#include <gtest/gtest.h>

#include <atomic>
#include <random>

#include "codegen/codegen.h"
#include "launch/launch.h"
#include "runtime/native/elf_loader.h"
#include "text/text.h"

namespace hologram::codegen {
namespace {

using Random = std::mt19937;

constexpr const char* kTypes[] = {"u32", "u64", "i32", "i64", "u8"};

unsigned Below(Random& random, unsigned count) {
  return static_cast<unsigned>(random() % count);
}

struct Nest {
  std::string text;
  size_t num_scalars = 0;
};

// Loops from 0, a constant or a counter around them to a scalar or a constant, by 1 or 3.
std::string Loops(Random& random, const std::vector<std::string>& types, unsigned depth,
                  unsigned level) {
  const std::string r = std::to_string(30 + level);
  if (level == depth) return "  mul.u32 r21, r21, r22\n  xor.u32 r21, r21, r20\n";
  const size_t scalar = Below(random, static_cast<unsigned>(types.size()));
  const std::string& type = types[scalar];
  const bool constant = Below(random, 4) == 0;
  const std::string bound =
      constant ? "r" + std::to_string(40 + level) : "r" + std::to_string(2 + scalar);
  constexpr unsigned kSizes[] = {1, 3, 200, 255};
  std::string text;
  if (constant) {
    text += "  mov_imm." + type + " " + bound + ", " +
            std::to_string(type == "u8" ? 100 : 65535 * kSizes[Below(random, 3)]) + "\n";
  }
  const std::string l = std::to_string(level) + "_" + std::to_string(random());
  text += "  mov_imm." + type + " r" + r + ", " + std::to_string(Below(random, 3)) + "\n";
  text += "  mov_imm." + type + " r5" + std::to_string(level) + ", 1\n";
  text += "head" + l + ":\n  setge." + type + " p0, r" + r + ", " + bound + "\n  bra.p0 @after" +
          l + "\n";
  text += Loops(random, types, depth, level + 1);
  if (Below(random, 4) == 0 && level + 1 < depth) text += Loops(random, types, depth, level + 1);
  text += "  add." + type + " r" + r + ", r" + r + ", r5" + std::to_string(level) +
          "\n  bra @head" + l + "\nafter" + l + ":\n";
  return text;
}

Nest MakeNest(Random& random) {
  std::vector<std::string> types;
  Nest nest;
  nest.text = ".kernel k\n.param out u32[] inout\n";
  nest.num_scalars = 1 + Below(random, 3);
  for (size_t k = 0; k < nest.num_scalars; ++k) {
    types.emplace_back(kTypes[Below(random, std::size(kTypes))]);
    nest.text += ".param s" + std::to_string(k) + " " + types.back() + "\n";
  }
  nest.text += "  sreg.u32 r20, global.x\n  mov_imm.u32 r22, 1664525\n";
  nest.text += "  ldg.u32 r21, [r1 + r20*4]\n";
  nest.text += Loops(random, types, 1 + Below(random, 4), 0);
  nest.text += "  stg.u32 [r1 + r20*4], r21\n  exit\n";
  return nest;
}

uint64_t AnyScalar(Random& random) {
  constexpr uint64_t kValues[] = {
      0,           1,           2,          3,          100,   255,      256,      1000,
      1625,        1626,        65535,      65536,      65537, 1u << 24, 1u << 31, 0xffffffff,
      0x100000000, 0x100000001, 1ull << 62, 1ull << 63, ~0ull, ~0ull - 5};
  return kValues[Below(random, std::size(kValues))];
}

TEST(Rounds, TheGeneratedCheckDecidesWhatTheTableDecides) {
  constexpr size_t kLanes = 256;  // a default block
  Random random(1);
  const std::atomic<uint32_t> cancelled{1};
  size_t refused = 0;
  size_t started = 0;
  for (int program = 0; program < 60; ++program) {
    const Nest nest = MakeNest(random);
    const auto assembled = text::Assemble(nest.text, "nest.hasm");
    ASSERT_TRUE(assembled.ok()) << ToString(assembled.errors()[0]) << nest.text;
    const auto verified = verify::Verify(assembled.value()[0]);
    ASSERT_TRUE(verified.ok()) << ToString(verified.errors()[0]) << nest.text;
    Options options;
    options.level = Level::kX86V2;
    const auto object = Compile(verified.value(), options, Output::kObject);
    ASSERT_TRUE(object.ok());
    const auto code = runtime::NativeCode::Load(object.value(), &cancelled);
    ASSERT_TRUE(code.ok());
    const hologram_kernel_info& info = *code.value().info();
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<uint32_t> memory(kLanes, 1);
      const hologram_buffer_ref buffer{memory.data(), kLanes * sizeof(uint32_t)};
      std::vector<uint64_t> scalars;
      for (size_t k = 0; k < nest.num_scalars; ++k) scalars.push_back(AnyScalar(random));
      launch::Launch launch;
      launch.buffers = {&buffer, 1};
      launch.scalars = scalars;
      launch.shape = {{1, 1, 1}, {kLanes, 1, 1}};
      const auto tier = launch::CheckLaunch(verified.value(), launch);
      const bool proved = tier.ok() && tier.value() == launch::LaunchTier::kProved;
      for (const bool by_default : {false, true}) {
        if (by_default && info.default_entry == nullptr) continue;
        hologram_launch_state state = launch::InitialState(launch);
        const int32_t outcome = by_default
                                    ? info.default_entry(&buffer, scalars.data(), 1 << 20, &state)
                                    : info.entry(&buffer, scalars.data(), &launch.shape, &state);
        std::string given;
        for (const uint64_t scalar : scalars) given += " " + std::to_string(scalar);
        ASSERT_EQ(outcome != HOLOGRAM_LAUNCH_UNPROVED, proved)
            << nest.text << given << (tier.ok() ? "" : "\n" + ToString(tier.errors()[0]));
        if (outcome == HOLOGRAM_LAUNCH_FAULTED) {
          ASSERT_EQ(state.fault_code, uint32_t{HOLOGRAM_FAULT_CANCELLED});
          ASSERT_EQ(state.fault_lane, 0u);
        }
      }
      ++(proved ? started : refused);
    }
  }
  EXPECT_GT(started, 1000u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace hologram::codegen
