// The reserve of the compiler plugin, with an allocator that fails when it is told to.
#include "codegen/reserve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

// Of the calling thread: malloc and its relatives find no memory (failing_malloc.cc).
extern thread_local bool is_empty;

namespace hologram::codegen {
namespace {

template <class F>
bool RunEmpty(Reserve& reserve, const F& work) {
  const bool is_done = reserve.Run(
      [](void* data) {
        is_empty = true;
        (*static_cast<const F*>(data))();
        is_empty = false;
      },
      const_cast<F*>(&work));
  is_empty = false;
  return is_done;
}

struct Block {
  uint8_t* bytes;
  size_t size;
  uint8_t mark;

  bool Holds() const {
    for (size_t k = 0; k < size; ++k) {
      if (bytes[k] != mark) return false;
    }
    return true;
  }
};

constexpr size_t kMostBlocks = 300;

// Takes, grows and gives back blocks at random; leaves some. Without memory of its own.
size_t Churn(uint64_t seed, int steps, Block* blocks) {
  std::minstd_rand random(static_cast<uint32_t>(seed));
  size_t count = 0;
  size_t wrong = 0;
  for (int k = 0; k < steps; ++k) {
    const size_t size = 1 + random() % (random() % 50 == 0 ? 200000 : 600);
    const auto mark = static_cast<uint8_t>(random());
    const uint32_t what = random() % 8;
    if (count != 0 && (what < 3 || count == kMostBlocks)) {
      const size_t at = random() % count;
      wrong += blocks[at].Holds() ? 0 : 1;
      free(blocks[at].bytes);
      blocks[at] = blocks[--count];
      continue;
    }
    if (count != 0 && what == 3) {
      Block& block = blocks[random() % count];
      auto* const moved = static_cast<uint8_t*>(realloc(block.bytes, size));
      const Block same = {moved, std::min(block.size, size), block.mark};
      wrong += moved != nullptr && same.Holds() ? 0 : 1;
      block = {moved, size, mark};
      std::memset(moved, mark, size);
      continue;
    }
    void* made = nullptr;
    if (what == 4) {
      made = calloc(size, 1);
      wrong += Block{static_cast<uint8_t*>(made), size, 0}.Holds() ? 0 : 1;
    } else if (what == 5) {
      const size_t alignment = size_t{8} << random() % 10;
      wrong += posix_memalign(&made, alignment, size) == 0 ? 0 : 1;
      wrong += reinterpret_cast<uintptr_t>(made) % alignment == 0 ? 0 : 1;
    } else {
      made = malloc(size);
    }
    wrong += reinterpret_cast<uintptr_t>(made) % 8 == 0 ? 0 : 1;
    blocks[count] = {static_cast<uint8_t*>(made), size, mark};
    std::memset(made, mark, size);
    ++count;
  }
  for (size_t k = 0; k < count; ++k) wrong += blocks[k].Holds() ? 0 : 1;
  return wrong == 0 ? count : SIZE_MAX;
}

TEST(Reserve, ServesWhatFails) {
  static Block blocks[kMostBlocks];
  size_t count = 0;
  {
    Reserve reserve(1);
    ASSERT_TRUE(reserve.is_ready());
    EXPECT_FALSE(reserve.was_used());
    EXPECT_TRUE(RunEmpty(reserve, [&] { count = Churn(1, 20000, blocks); }));
    EXPECT_TRUE(reserve.was_used());
  }
  ASSERT_LT(count, kMostBlocks + 1);
  ASSERT_GT(count, 0u);
  // They live on, and any thread may give them back.
  std::thread other([&] {
    for (size_t k = 0; k < count; ++k) {
      EXPECT_TRUE(blocks[k].Holds());
      free(blocks[k].bytes);
    }
  });
  other.join();
}

TEST(Reserve, BlocksOfBothKindsMeet) {
  Reserve reserve(1);
  void* usual = malloc(100);
  std::memset(usual, 7, 100);
  void* served = nullptr;
  EXPECT_TRUE(RunEmpty(reserve, [&] {
    usual = realloc(usual, 100000);
    served = malloc(50);
    std::memset(served, 8, 50);
  }));
  EXPECT_TRUE((Block{static_cast<uint8_t*>(usual), 100, 7}.Holds()));
  served = realloc(served, 100000);
  EXPECT_TRUE((Block{static_cast<uint8_t*>(served), 50, 8}.Holds()));
  free(usual);
  free(served);
}

TEST(Reserve, IsLeftWhereItRunsOut) {
  for (int round = 0; round < 3; ++round) {
    Reserve reserve(2);
    size_t taken = 0;
    EXPECT_FALSE(RunEmpty(reserve, [&] {
      for (;;) {
        std::memset(malloc(1 << 20), 1, 1 << 20);
        taken += 1 << 20;
      }
    }));
    EXPECT_STREQ(reserve.why(), "out of memory");
    EXPECT_GT(taken, Reserve::kRegionBytes);
  }
  Reserve reserve(1);
  EXPECT_FALSE(RunEmpty(reserve, [] { std::memset(malloc(SIZE_MAX / 2), 1, 1); }));
  Reserve next(1);
  EXPECT_TRUE(RunEmpty(next, [] { free(malloc(10)); }));
}

TEST(Reserve, IsLeftForAReason) {
  Reserve reserve(1);
  EXPECT_FALSE(RunEmpty(reserve, [] { Reserve::Leave("a broken promise"); }));
  EXPECT_STREQ(reserve.why(), "a broken promise");
  Reserve thrown(1);
  EXPECT_FALSE(RunEmpty(thrown, [] { (void)std::vector<int>(1000).at(7000); }));
  EXPECT_STRNE(thrown.why(), "");
}

TEST(Reserve, IsThereInARunAlone) {
  Reserve reserve(1);
  is_empty = true;
  void* const block = malloc(10);
  is_empty = false;
  EXPECT_EQ(block, nullptr);
  free(block);
  Reserve::Leave("nobody is inside");
}

TEST(Reserve, OfSeveralThreads) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&wrong, t] {
      std::vector<Block> blocks(kMostBlocks);
      for (uint64_t round = 0; round < 20; ++round) {
        Reserve reserve(1);
        size_t count = 0;
        const bool is_done =
            RunEmpty(reserve, [&] { count = Churn(100 * t + round, 1000, blocks.data()); });
        if (!is_done || count > kMostBlocks) ++wrong;
        for (size_t k = 0; k < count && count <= kMostBlocks; ++k) free(blocks[k].bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace hologram::codegen
