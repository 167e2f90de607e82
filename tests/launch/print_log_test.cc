#include "launch/print_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace hologram::launch {
namespace {

using isa::Type;

std::vector<std::string> TextsOf(const PrintLog::Printed& printed) {
  std::vector<std::string> texts;
  for (const PrintRecord& record : printed.records) {
    texts.push_back(std::to_string(record.lane) + ":" + record.text);
  }
  return texts;
}

TEST(PrintLog, OrdersByLaneThenByStep) {
  PrintLog log;
  log.Text(2, 0, "a");
  log.End(2, 1);
  log.Text(1, 0, "b");
  log.Value(1, 0, {.op = Opcode::kPrint, .type = Type::kI32}, 0xfffffffe);
  log.End(2, 1);
  log.End(1, 1);
  log.Text(1, 2, "open");
  EXPECT_EQ(TextsOf(log.Take(UINT64_MAX)),
            (std::vector<std::string>{"1:b-2", "1:open", "2:a", "2:"}));
  EXPECT_TRUE(log.Take(UINT64_MAX).records.empty());
}

TEST(PrintLog, EndsWithTheLaneOfTheFault) {
  PrintLog log(2);
  for (uint64_t lane = 0; lane < 10; ++lane) log.End(lane, 0);
  PrintLog::Printed printed = log.Take(1);
  EXPECT_EQ(TextsOf(printed), (std::vector<std::string>{"0:", "1:"}));
  EXPECT_TRUE(printed.complete);
  for (uint64_t lane = 0; lane < 10; ++lane) log.End(lane, 0);
  printed = log.Take(2);
  EXPECT_EQ(printed.records.size(), 2U);
  EXPECT_FALSE(printed.complete);
  EXPECT_EQ(printed.dropped, 0U);
}

// In whatever order lanes come, the first records stay and the others are counted.
TEST(PrintLog, KeepsTheFirstInAnyOrder) {
  constexpr size_t kLimit = 20;
  constexpr uint64_t kLanes = 60;
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> steps;  // which lane does its next step
    for (uint64_t lane = 0; lane < kLanes; ++lane) {
      steps.insert(steps.end(), 2 * (random() % 5), lane);
    }
    std::shuffle(steps.begin(), steps.end(), random);
    PrintLog log(kLimit);
    std::vector<size_t> done(kLanes, 0);
    std::vector<std::vector<std::string>> expected(kLanes);
    for (const uint64_t lane : steps) {
      const size_t step = done[lane]++;
      if (step % 2 == 0) {
        log.Text(lane, 0, std::to_string(step));
        expected[lane].push_back(std::to_string(lane) + ":" + std::to_string(step));
      } else {
        log.End(lane, 0);
      }
    }
    std::vector<std::string> all;
    for (const auto& lane : expected) all.insert(all.end(), lane.begin(), lane.end());
    const PrintLog::Printed printed = log.Take(UINT64_MAX);
    const size_t kept = std::min(all.size(), kLimit);
    EXPECT_EQ(printed.dropped, all.size() - kept);
    EXPECT_EQ(printed.complete, all.size() == kept);
    all.resize(kept);
    EXPECT_EQ(TextsOf(printed), all);
  }
}

TEST(PrintLog, CutsBetweenCharacters) {
  PrintLog log;
  log.Text(0, 0, std::string(kMaxPrintBytes - 1, 'x'));
  log.Text(0, 0, "\xc3\xbc and more");
  log.Text(0, 0, "later");
  log.End(0, 0);
  const PrintLog::Printed printed = log.Take(UINT64_MAX);
  EXPECT_EQ(printed.records[0].text, std::string(kMaxPrintBytes - 1, 'x') + "...\n");
}

// A lane each that never comes to an end must not fill the memory.
TEST(PrintLog, ForgetsOpenRecordsBeyondTheLimit) {
  PrintLog log(4);
  for (uint64_t lane = 100000; lane-- > 0;) log.Text(lane, 0, "x");
  const PrintLog::Printed printed = log.Take(UINT64_MAX);
  EXPECT_EQ(TextsOf(printed), (std::vector<std::string>{"0:x", "1:x", "2:x", "3:x"}));
}

TEST(PrintLog, ShowsWhatATerminalWouldObey) {
  PrintLog log;
  log.Text(0, 0, "a\tb\n\x1b[2J\xff\r");
  EXPECT_EQ(log.Take(UINT64_MAX).records[0].text, "a\tb\n\\x1b[2J\\xff\\x0d");
}

}  // namespace
}  // namespace hologram::launch
