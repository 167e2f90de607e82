// program.hpp: programs that C++ code writes, against loops; errors name line and column.
#include "hologram/program.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace {

hologram::Executor Private() {
  return hologram::Executor::make_private();
}

TEST(Program, IsThatOfTheComment) {
  hologram::Program p("negate");
  const auto x = p.input<float>("x");
  const auto y = p.output<float>("y");
  const auto n = p.scalar<std::uint32_t>("n");
  const auto i = p.global_id();
  const auto done = p.label();
  p.branch_if(p.compare("ge", i, n), done);
  p.store(y, i, p.operation("neg", p.load(x, i)));
  p.place(done);
  EXPECT_EQ(p.text(),
            ".kernel \"negate\"\n"
            ".param \"x\" f32[] in\n"
            ".param \"y\" f32[] out\n"
            ".param \"n\" u32\n"
            "  sreg.u32 r4, global.x\n"
            "  setge.u32 p0, r4, r3\n"
            "  bra.p0 @L1\n"
            "  ldg.f32 r5, [r1 + r4*4]\n"
            "  neg.f32 r6, r5\n"
            "  stg.f32 [r2 + r4*4], r6\n"
            "L1:\n"
            "  exit\n");
  hologram::Executor exec = Private();
  exec.load(p.bundle().data());
  std::vector<float> from(1000);
  std::vector<float> to(1000, 7);
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = 0.5f * static_cast<float>(k);
  exec.kernel("negate")(from, to, 1000u);
  for (std::size_t k = 0; k < from.size(); ++k) EXPECT_EQ(to[k], -from[k]);
  EXPECT_THROW(exec.kernel("negate")(from, to, 1001u), hologram::Error);
}

// A loop whose register changes, constants of several types, conversions, a choice, a line by hand.
TEST(Program, LoopsConvertsAndChooses) {
  hologram::Program p("steps", 64);
  const auto out = p.in_and_out<double>("out");
  const auto hits = p.in_and_out<std::uint32_t>("hits");
  const auto n = p.scalar<std::uint32_t>("n");
  const auto lane = p.special("global.x");
  const auto done = p.label();
  p.branch_if(p.compare("ge", lane, n), done);
  const auto one = p.constant(std::uint32_t{1});
  const auto sum = p.constant(-0.25);
  const auto round = p.constant(std::uint32_t{0});
  const auto again = p.label();
  p.place(again);
  const auto third = p.operation("mul", p.convert<double>(round), p.constant(1.0 / 3.0));
  p.assign(sum, p.operation("fma", third, third, sum));
  p.assign(round, p.operation("add", round, one));
  p.branch_if(p.compare("lt", round, lane), again);
  const auto limit = p.constant(2.0);
  const auto is_small = p.compare("lt", sum, limit);
  p.store(out, lane, p.select(is_small, sum, limit));
  const auto zero = p.constant(std::uint32_t{0});
  const auto before = p.new_value<std::uint32_t>();
  p.instruction("atg.add.u32 r" + std::to_string(before.number) + ", [r" +
                std::to_string(hits.number) + " + r" + std::to_string(zero.number) + "*4], r" +
                std::to_string(one.number));
  p.place(done);
  p.exit();
  hologram::Executor exec = Private();
  exec.load(p.bundle().data());
  std::vector<double> found(100, 9);
  std::vector<std::uint32_t> count{5};
  exec.kernel("steps")(found, count, 100u);
  EXPECT_EQ(count[0], 105u);
  for (std::uint32_t k = 0; k < found.size(); ++k) {
    double expected = -0.25;
    std::uint32_t r = 0;
    do {
      const double t = r * (1.0 / 3.0);
      expected = std::fma(t, t, expected);
    } while (++r < k);
    EXPECT_EQ(found[k], expected < 2.0 ? expected : 2.0) << k;
  }
}

TEST(Program, KeepsTheBitsOfConstants) {
  hologram::Program p("numbers");
  const auto f = p.output<float>("f");
  const auto b = p.output<std::int8_t>("b");
  const auto w = p.output<std::int64_t>("w");
  const auto i = p.constant(std::uint32_t{0});
  const auto first = p.compare("eq", p.global_id(), i);
  const auto go = p.label();
  p.branch_if(first, go);
  p.exit();
  p.place(go);
  p.store(f, i, p.constant(-0.0f));
  p.store(b, i, p.constant(std::int8_t{-3}));
  p.store(w, i, p.constant(std::numeric_limits<std::int64_t>::min()));
  hologram::Executor exec = Private();
  exec.load(p.bundle().data());
  std::vector<float> number(1, 1);
  std::vector<std::int8_t> small(1);
  std::vector<std::int64_t> wide(1);
  hologram::LaunchConfig config;
  config.grid = {1, 1, 1};
  exec.kernel("numbers").launch(config, number, small, wide);
  EXPECT_TRUE(number[0] == 0 && std::signbit(number[0]));
  EXPECT_EQ(small[0], -3);
  EXPECT_EQ(wide[0], std::numeric_limits<std::int64_t>::min());
}

// The first example of the backends that the project grew out of, statement by statement: a
// backend, a program of one instruction, a launch. Registers that nothing has written are refused
// here, so the program has them as parameters.
TEST(Program, TheFirstExampleOfTheBackends) {
  hologram::Executor backend = Private();
  hologram::Program program("program");
  program.scalar<float>("a");
  program.scalar<float>("b");
  program.instruction("add.f32 r0, r1, r2");
  backend.load(program.bundle().data());
  hologram::LaunchConfig config;
  config.grid = {1, 1, 1};
  backend.kernel("program").launch(config, 1.0f, 2.0f);
}

hologram::Program Elementwise(const std::string& operation) {
  hologram::Program p(operation);
  const auto a = p.input<float>("a");
  const auto b = p.input<float>("b");
  const auto c = p.output<float>("c");
  const auto n = p.scalar<std::uint32_t>("n");
  const auto i = p.global_id();
  const auto done = p.label();
  p.branch_if(p.compare("ge", i, n), done);
  p.store(c, i, p.operation(operation, p.load(a, i), p.load(b, i)));
  p.place(done);
  return p;
}

TEST(ProgramCache, MakesEachKernelOnce) {
  hologram::ProgramCache cache;
  std::atomic<int> made{0};
  const auto work = [&] {
    const std::vector<float> a{1, 2, 3};
    const std::vector<float> b{4, 5, 6};
    std::vector<float> c(3);
    for (int round = 0; round < 50; ++round) {
      for (const char* operation : {"add", "mul", "sub"}) {
        const hologram::Kernel& kernel = cache.find_or_build(operation, [&] {
          ++made;
          return Elementwise(operation);
        });
        kernel(a, b, c, 3u);
        EXPECT_EQ(c[2], *operation == 'a' ? 9 : *operation == 'm' ? 18 : -3);
      }
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 3);
  EXPECT_EQ(cache.size(), 3u);
  EXPECT_THROW(cache.find_or_build("odd", [] { return Elementwise("odd"); }), hologram::Error);
  EXPECT_EQ(cache.size(), 3u);
  EXPECT_EQ(cache.find_or_build("odd", [] { return Elementwise("min"); }).name(), "min");
}

std::string ErrorOf(const hologram::Program& program) {
  try {
    program.bundle();
  } catch (const hologram::Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Program, ErrorsHaveAPlace) {
  hologram::Program unknown("k");
  unknown.instruction("frobnicate r1");
  EXPECT_NE(ErrorOf(unknown).find("k.hasm:2:3: error: "), std::string::npos) << ErrorOf(unknown);

  hologram::Program mixed("k");
  const auto a = mixed.scalar<float>("a");
  const auto b = mixed.scalar<double>("b");
  mixed.operation("add", a, b);
  EXPECT_NE(ErrorOf(mixed).find("r2"), std::string::npos) << ErrorOf(mixed);

  hologram::Program nowhere("k");
  nowhere.branch(nowhere.label());
  EXPECT_NE(ErrorOf(nowhere).find("L1"), std::string::npos) << ErrorOf(nowhere);

  hologram::Program late("k");
  late.global_id();
  EXPECT_THROW(late.scalar<float>("a"), hologram::Error);

  hologram::Program greedy("k");
  for (int k = 0; k < 300; ++k) greedy.constant(1.0f);
  EXPECT_NE(ErrorOf(greedy), "none");
}

// Names are data of the caller: quoted, and refused where they have control characters.
TEST(Program, QuotesNames) {
  hologram::Program odd("two words; \"x\"\\");
  odd.scalar<float>("a b");
  EXPECT_EQ(ErrorOf(odd), "none");
  hologram::Program control("a\nb");
  EXPECT_NE(ErrorOf(control), "none");
}

}  // namespace
