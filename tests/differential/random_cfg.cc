// Arbitrary control flow: 3 to 8 pairs of blocks. The first of a pair computes and leaves when the
// lane's step counter is used up; the second branches two ways, on data, to any other pairs. Most
// graphs are irreducible, and lanes part at every branch. The layout of the blocks is shuffled, so
// edges go forwards and backwards alike. Some programs have no step counter: only the budget ends
// them. In some the later pairs are functions, which call any of themselves and return.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "builder.h"
#include "random_program.h"

namespace hologram::tests {
namespace {

using isa::Opcode;
using isa::Type;

constexpr uint8_t kIndex = 10;
constexpr uint8_t kData = 20;  // kData..kData + 3 hold the numbers that are computed with
constexpr uint8_t kStepsLeft = 30;
constexpr uint8_t kStep = 31;
constexpr uint8_t kZero = 32;
constexpr uint8_t kSeven = 33;
constexpr uint8_t kTrace = 40;  // a hash of the way the lane took
constexpr uint8_t kScratch = 45;
constexpr uint8_t kLoopCounter = 50;  // of LOOP instead of a branch on data

class CfgGenerator {
 public:
  explicit CfgGenerator(Random& random)
      : random_(random),
        pairs_(3 + random.Below(6)),
        counted_(random.Chance(80)),
        main_(random.Chance(35) ? 1 + random.Below(pairs_ - 1) : pairs_) {}

  TestProgram Run() {
    in_ = builder_.Buffer("a", Type::kI32, isa::Direction::kIn);
    out_ = builder_.Buffer("d", Type::kI32, isa::Direction::kOut);
    n_ = builder_.Scalar("n", Type::kU32);
    for (uint32_t i = 0; i < pairs_; ++i) {
      first_.push_back(builder_.NewLabel());
      second_.push_back(builder_.NewLabel());
    }
    end_ = builder_.NewLabel();
    store_ = builder_.NewLabel();
    EmitStart();
    EmitBlocks();
    builder_.Bind(end_);
    builder_.Exit();
    TestProgram result;
    result.program = builder_.Finish("random_cfg");
    MakeLaunch(&result.launch);
    return result;
  }

 private:
  uint8_t AnyData() { return static_cast<uint8_t>(kData + random_.Below(4)); }
  bool calls() const { return main_ < pairs_; }
  // Of the main part, or of the functions.
  Builder::Label AnyFirst(bool in_function) {
    return in_function ? AnyFunction() : first_[random_.Below(main_)];
  }
  Builder::Label AnyFunction() { return first_[main_ + random_.Below(pairs_ - main_)]; }

  void EmitStart() {
    builder_.Sreg(isa::Sreg::kGlobalX, kIndex);
    builder_.Set(isa::Condition::kGe, Type::kU32, 0, kIndex, n_);
    builder_.BraIf(0, end_);
    builder_.Access(Opcode::kLdg, Type::kI32, in_, kIndex, kData, 0);
    for (uint8_t r = 1; r < 4; ++r) {
      builder_.Immediate(Type::kI32, kScratch, random_.Below(1000));
      builder_.Op(Opcode::kAdd, Type::kI32, static_cast<uint8_t>(kData + r), kData, kScratch);
    }
    builder_.Immediate(Type::kI32, kStepsLeft, 10 + random_.Below(30));
    builder_.Immediate(Type::kI32, kStep, 1);
    builder_.Immediate(Type::kI32, kZero, 0);
    builder_.Immediate(Type::kI32, kSeven, 7);
    builder_.Immediate(Type::kI32, kTrace, 0);
    builder_.Op(Opcode::kAnd, Type::kI32, kScratch, kData, kSeven);
    builder_.Op(Opcode::kCvt, Type::kU32, kLoopCounter, kScratch, 0, 0,
                static_cast<uint8_t>(Type::kI32));
    builder_.Bra(AnyFirst(false));
  }

  // The blocks in random order; each ends in a jump, so any order is right.
  void EmitBlocks() {
    std::vector<uint32_t> order(2 * pairs_ + 1);
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random_.Below(static_cast<uint32_t>(i))]);
    }
    for (const uint32_t k : order) {
      if (k < pairs_) {
        EmitFirst(k);
      } else if (k < 2 * pairs_) {
        EmitSecond(k - pairs_);
      } else {
        EmitStore();
      }
    }
  }

  void EmitFirst(uint32_t k) {
    static const std::vector<Opcode> kOps = {Opcode::kAdd, Opcode::kSub, Opcode::kMul, Opcode::kAnd,
                                             Opcode::kOr,  Opcode::kXor, Opcode::kMin};
    builder_.Bind(first_[k]);
    const uint32_t count = 1 + random_.Below(3);
    for (uint32_t i = 0; i < count; ++i) {
      builder_.Op(random_.Pick(kOps), Type::kI32, AnyData(), AnyData(), AnyData());
    }
    builder_.Immediate(Type::kI32, kScratch, 31 * k + 1);
    builder_.Op(Opcode::kAdd, Type::kI32, kTrace, kTrace, kScratch);
    builder_.Op(Opcode::kMul, Type::kI32, kTrace, kTrace, kSeven);
    if (counted_) {
      builder_.Op(Opcode::kSub, Type::kI32, kStepsLeft, kStepsLeft, kStep);
      builder_.Set(isa::Condition::kLe, Type::kI32, 1, kStepsLeft, kZero);
      builder_.BraIf(1, store_);
    }
    builder_.Bra(second_[k]);
  }

  void EmitSecond(uint32_t k) {
    builder_.Bind(second_[k]);
    const bool in_function = k >= main_;
    // Each of them calls, so that some function calls itself: where none does, the verifier puts
    // copies in the place of calls, of which budgets count the loops.
    if (calls()) builder_.Call(AnyFunction());
    if (random_.Chance(20)) {
      builder_.Loop(kLoopCounter, AnyFirst(in_function));
      return builder_.Bra(AnyFirst(in_function));
    }
    builder_.Op(Opcode::kAnd, Type::kI32, kScratch, AnyData(), kSeven);
    builder_.Op(Opcode::kAnd, Type::kI32, kScratch + 1, AnyData(), kSeven);
    builder_.Set(static_cast<isa::Condition>(random_.Below(isa::kNumConditions)), Type::kI32, 2,
                 kScratch, kScratch + 1);
    builder_.BraIf(2, random_.Chance(12) ? store_ : AnyFirst(in_function));
    if (in_function && random_.Chance(60)) return builder_.Ret();
    builder_.Bra(random_.Chance(6) ? store_ : AnyFirst(in_function));
  }

  void EmitStore() {
    builder_.Bind(store_);
    builder_.Op(Opcode::kXor, Type::kI32, kTrace, kTrace, AnyData());
    builder_.Access(Opcode::kStg, Type::kI32, out_, kIndex, 0, kTrace);
    builder_.Bra(end_);
  }

  void MakeLaunch(TestLaunch* launch) {
    const uint32_t n = 1 + random_.Below(260);
    const uint32_t block = random_.Pick<uint32_t>({1, 7, 16, 32, 64, 100, 256});
    launch->shape.block[0] = block;
    launch->shape.grid[0] = (n + block - 1) / block;
    launch->budget = counted_ && random_.Chance(70) ? 10000 : random_.Below(60);
    // Enough for calls that are nested too deeply.
    if (calls() && random_.Chance(30)) launch->budget = 2000;
    launch->scalars = {n};
    std::vector<uint8_t> in(n * 4);
    for (uint32_t i = 0; i < n; ++i) {
      const uint64_t value = random_.ValueOf(Type::kI32);
      std::memcpy(in.data() + i * 4, &value, 4);
    }
    launch->buffers = {in, std::vector<uint8_t>(n * 4)};
  }

  Random& random_;
  Builder builder_;
  uint32_t pairs_;
  bool counted_;
  uint32_t main_;  // pairs before those of functions
  uint8_t in_ = 0;
  uint8_t out_ = 0;
  uint8_t n_ = 0;
  std::vector<Builder::Label> first_;
  std::vector<Builder::Label> second_;
  Builder::Label end_ = 0;
  Builder::Label store_ = 0;
};

}  // namespace

TestProgram RandomCfgProgram(Random& random) {
  return CfgGenerator(random).Run();
}

}  // namespace hologram::tests
