// Runs the blocks of a launch, 32 lanes side by side: those of a warp that are at the same piece of
// code, in an order that the caller chooses. The results of a kernel must not depend on it.
#pragma once

#include <memory>
#include <random>
#include <string>

#include "code.h"
#include "memory.h"

namespace fakecuda {

struct Fault {
  int code = 0;  // 700: an illegal address, and so on
  std::string text;
};

struct Order {
  enum class Pick : uint8_t { kFirst, kLast, kRandom } pick = Pick::kFirst;
  uint64_t seed = 0;
  // FIRST: the earliest piece first, lane and block 0 first; LAST: the other way round. RANDOM:
  // three blocks at a time, any lanes of those that could run, and stores that others see later,
  // in any order, at the latest at a barrier, a fence or the end.
};

struct Grid {
  uint32_t grid[3];
  uint32_t block[3];
};

class Machine {
 public:
  Machine(const Program& program, DeviceMemory& memory, int device, const Order& order);
  ~Machine();
  // `parameters`: of the kernel, 64 bits each. Throws Fault.
  void Run(const Grid& grid, const std::vector<uint64_t>& parameters);

 private:
  struct Pending {
    uint64_t address = 0;
    uint64_t value = 0;
    Where where = Where::kGlobal;
    uint8_t size = 0;
    bool Meets(Where in, uint64_t at, uint64_t bytes) const {
      return where == in && at < address + size && address < at + bytes;
    }
  };
  // Lanes that run one function.
  struct Front {
    const Code* code = nullptr;
    std::byte* frame = nullptr;
    uint32_t at[kLanes];  // a piece; kDone
    bool waits[kLanes] = {};
  };
  struct Block;
  struct Warp {
    Front front;
    std::unique_ptr<std::byte[]> frame;
    std::unique_ptr<uint8_t[]> local;
    std::vector<Pending> pending[kLanes];
    Block* block = nullptr;
    uint32_t first_lane = 0;
  };
  struct Block {
    uint64_t number = 0;
    std::vector<std::unique_ptr<Warp>> warps;
    std::vector<uint8_t> shared;
    size_t next = 0;  // the warp that runs
  };
  static constexpr uint32_t kDone = UINT32_MAX;

  uint32_t Random(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  bool is_random() const { return order_.pick == Order::Pick::kRandom; }
  [[noreturn]] void Fail(int code, const std::string& text) const;
  std::unique_ptr<Block> MakeBlock(uint64_t number);
  std::unique_ptr<Warp> MakeWarp(Block& block, uint32_t first, uint32_t lanes);
  void SetIds(Warp& warp);
  bool Advance(Block& block);
  bool Release(Block& block);
  bool Pick(const Front& front, Mask& mask, uint32_t& piece);
  void RunPiece(Front& front, uint32_t piece, const Mask& mask);
  void Branch(Front& front, const Inst& in, uint32_t piece, const Mask& mask);
  void Call(Front& front, const Inst& in, const Mask& mask);
  template <class Body>
  void EachLane(const Mask& mask, const Body& body);
  uint64_t AddressOf(const Front& front, const Inst& in, uint32_t lane, bool writes);
  uint8_t* HostOf(Where where, uint64_t address, uint32_t lane);
  void Load(Front& front, const Inst& in, const Mask& mask);
  void Store(Front& front, const Inst& in, const Mask& mask);
  void Atomic(Front& front, const Inst& in, const Mask& mask);
  template <class T, class Signed>
  uint64_t Changed(const Inst& in, uint64_t old, uint64_t value, uint64_t desired);
  void Drain(uint32_t lane, size_t k);
  void DrainWhere(uint32_t lane, Where where, uint64_t address, uint64_t bytes);
  void DrainAll(uint32_t lane);
  void DrainSome(Warp& warp);

  const Program& program_;
  DeviceMemory& memory_;
  const int device_;
  const Order order_;
  std::mt19937_64 random_;
  Grid grid_{};
  std::vector<uint64_t> parameters_;
  std::vector<std::unique_ptr<std::byte[]>> frames_;  // by function: none is entered twice at once
  Warp* warp_ = nullptr;                              // that runs
  uint64_t pieces_left_ = uint64_t{1} << 34;
};

}  // namespace fakecuda
