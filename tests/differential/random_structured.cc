// Structured kernels over some types or all. Registers: for each type a pool of four values and
// some scratch registers; besides, a few registers that hold one type here and another there. Every
// program reads inputs of its types, computes, branches and loops on data, meets at barriers, and
// stores their pools.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "builder.h"
#include "isa/atlas.h"
#include "math/functions.h"
#include "random_program.h"

namespace hologram::tests {
namespace {

using isa::Condition;
using isa::Opcode;
using isa::Type;

constexpr uint32_t kPool = 4;
constexpr uint32_t kInputs = 64;    // elements of each input
constexpr uint32_t kCells = 16;     // elements of what atomics update
constexpr uint32_t kTile = 128;     // elements of a shared array, at least the lanes of a block
constexpr uint8_t kFirstPool = 60;  // registers kFirstPool + 8 * type ..
constexpr uint8_t kGlobal = 40;
constexpr uint8_t kLane = 41;
constexpr uint8_t kOutIndex = 42;
constexpr uint32_t kSums = 3;          // elements that are sums over the launch
constexpr uint8_t kUnusedResult = 43;  // of atomics; 43..46, one per type
constexpr uint8_t kScratch64 = 48;
constexpr uint8_t kCounter = 50;  // of loops, by depth
constexpr uint8_t kLimit = 54;
constexpr uint8_t kPoolHandle = 58;  // and 59
constexpr uint32_t kPoolBytes = 64;
constexpr uint8_t kMixed = 200;      // 200..203, registers without a fixed type
constexpr uint8_t kUnusedSum = 204;  // of sums over the launch; 204..207
constexpr uint8_t kPredicates = 8;   // p0..p7 hold values
constexpr uint8_t kBranch = 8;       // p8 decides branches at once
constexpr uint8_t kLoopPredicate = 9;

const std::vector<Type>& AtomicTypes() {
  static const std::vector<Type> kTypes = {Type::kI32, Type::kI64, Type::kU32, Type::kU64};
  return kTypes;
}

const std::vector<Type>& SumTypes() {
  static const std::vector<Type> kTypes = {Type::kF16, Type::kBF16, Type::kF32, Type::kF64};
  return kTypes;
}

class StructuredGenerator {
 public:
  explicit StructuredGenerator(Random& random)
      : random_(random),
        types_(ChooseTypes(random)),
        faulty_(random.Chance(12)),
        shared_(random.Chance(40)),
        volume_(random.Chance(25)),
        locals_(random.Chance(30)),
        phases_(random.Chance(20)),
        served_(!random.exact() && random.Chance(30)) {}

  TestProgram Run() {
    Declare();
    EmitStart();
    const uint32_t statements = 4 + random_.Below(types_.size() == AllTypes().size() ? 16 : 8);
    for (uint32_t i = 0; i < statements; ++i) Statement(0);
    EmitEnd();
    EmitFunctions();
    if (random_.Chance(30)) builder_.ShuffleBlocks([this](auto& order) { random_.Shuffle(order); });
    TestProgram result;
    result.program = builder_.Finish("random_structured");
    MakeLaunch(&result.launch);
    return result;
  }

 private:
  // All of them in some programs; in most u32 and a few, so that programs are small.
  static std::vector<Type> ChooseTypes(Random& random) {
    if (!random.small() && random.Chance(25)) return AllTypes();
    std::vector<Type> types;
    for (const Type type : AllTypes()) {
      if (type == Type::kU32 || random.Chance(22)) types.push_back(type);
    }
    return types;
  }

  static size_t NumberOf(Type type) { return static_cast<size_t>(type); }
  static uint8_t Register(Type type, uint32_t slot) {
    return static_cast<uint8_t>(kFirstPool + 8 * static_cast<uint32_t>(type) + slot);
  }
  uint8_t Any(Type type) { return Register(type, random_.Below(kPool)); }
  static uint8_t Scratch(Type type, uint32_t k) { return Register(type, kPool + k); }
  uint8_t AnyPredicate() { return static_cast<uint8_t>(random_.Below(kPredicates)); }
  Type AnyType() { return random_.Pick(types_); }
  Type AnyInteger() {
    Type type = AnyType();
    while (isa::IsFloat(type)) type = AnyType();
    return type;
  }
  Type AnyAtomicType() {
    const Type type = random_.Pick(AtomicTypes());
    return Has(type) ? type : Type::kU32;
  }
  bool Has(Type type) const { return std::ranges::find(types_, type) != types_.end(); }
  Condition AnyCondition() { return static_cast<Condition>(random_.Below(isa::kNumConditions)); }

  void Declare();
  void EmitLinearLane();
  void EmitStart();
  void EmitEnd();
  void Statement(uint32_t depth);
  void Arithmetic();
  void FloatArithmetic(Type type);
  void IntegerArithmetic(Type type);
  void Conversion();
  void Predicate();
  void Mixed();
  void Reduce();
  void OfClass();
  void Phase();
  uint8_t ClassNumber(uint32_t scratch, uint64_t limit);
  void Resonance();
  void Pool();
  void LocalAccess();
  void BlockReduction();
  void Trap();
  void Print();
  void Swap();
  void LaunchSum();
  void EmitFunctions();
  void CountedLoop(uint32_t depth);
  void ReadId();
  void If(uint32_t depth);
  void Loop(uint32_t depth);
  void LoadInput();
  void StoreOutput();
  void UpdateCell();
  void SharedPhase();
  void SharedAtomicPhase();
  uint8_t MaskedIndex(Type type, uint32_t count);
  void MakeLaunch(TestLaunch* launch);

  Random& random_;
  Builder builder_;
  std::vector<Type> types_;  // that most statements use; each has an input and an output
  bool faulty_;              // may divide by zero and read out of bounds
  bool shared_;
  bool volume_;  // a launch in three dimensions
  bool locals_;
  bool phases_;
  bool served_;                            // resonance and pools
  std::vector<Builder::Label> functions_;  // each calls only later ones
  Builder::Label end_ = 0;
  uint8_t n_ = 0;
  // By type: slot registers, operations, shared and local arrays.
  std::array<uint8_t, isa::kNumTypes> inputs_{};
  std::array<uint8_t, isa::kNumTypes> outputs_{};
  std::array<uint8_t, isa::kNumTypes> cells_{};
  std::array<uint8_t, isa::kNumTypes> cell_ops_{};
  std::array<uint8_t, isa::kNumTypes> tiles_{};
  std::array<uint8_t, isa::kNumTypes> arrays_{};
  std::array<uint8_t, isa::kNumTypes> own_{};  // of atomics; an element for each lane
  std::vector<uint8_t> sums_;  // of SumTypes; empty in programs without sums over the launch
  uint8_t shared_cells_ = 0;
  uint8_t shared_op_ = 0;
};

void StructuredGenerator::Declare() {
  for (const Type type : types_) {
    const std::string name(NameOf(type));
    inputs_[NumberOf(type)] = builder_.Buffer("a_" + name, type, isa::Direction::kIn);
    outputs_[NumberOf(type)] = builder_.Buffer("d_" + name, type, isa::Direction::kOut);
    if (shared_) tiles_[NumberOf(type)] = builder_.Shared("t_" + name, type, kTile);
    if (locals_) {
      arrays_[NumberOf(type)] = builder_.Local("l_" + name, type, 1U << random_.Below(5));
    }
  }
  for (const Type type : AtomicTypes()) {
    if (!Has(type)) continue;
    cells_[NumberOf(type)] =
        builder_.Buffer("c_" + std::string(NameOf(type)), type, isa::Direction::kInOut);
    cell_ops_[NumberOf(type)] = static_cast<uint8_t>(random_.Below(isa::kNumAtomicOps - 1));
  }
  for (uint32_t k = random_.Chance(40) ? 1 + random_.Below(3) : 0; k > 0; --k) {
    functions_.push_back(builder_.NewLabel());
  }
  for (const Type type : AtomicTypes()) {
    if (!Has(type)) continue;
    own_[NumberOf(type)] =
        builder_.Buffer("x_" + std::string(NameOf(type)), type, isa::Direction::kInOut);
  }
  // These are not in native code, and not where a function may be called in a loop.
  if (functions_.empty() && random_.Chance(8)) {
    for (const Type type : SumTypes()) {
      sums_.push_back(
          builder_.Buffer("s_" + std::string(NameOf(type)), type, isa::Direction::kInOut));
    }
  }
  if (shared_) shared_cells_ = builder_.Shared("cells", Type::kU32, kCells);
  shared_op_ = static_cast<uint8_t>(random_.Below(isa::kNumAtomicOps - 1));
  n_ = builder_.Scalar("n", Type::kU32);
}

// The numbers of the lane in the launch and in its block.
void StructuredGenerator::EmitLinearLane() {
  builder_.Sreg(isa::Sreg::kLinear, kScratch64);
  builder_.Op(Opcode::kCvt, Type::kU32, kGlobal, kScratch64, 0, 0,
              static_cast<uint8_t>(Type::kU64));
  builder_.Sreg(isa::Sreg::kLaneX, kLane);
  const uint8_t id = Scratch(Type::kU32, 0);
  const uint8_t factor = Scratch(Type::kU32, 1);
  builder_.Sreg(isa::Sreg::kBlockDimX, factor);
  builder_.Sreg(isa::Sreg::kLaneY, id);
  builder_.Op(Opcode::kMad, Type::kU32, kLane, id, factor, kLane);
  builder_.Sreg(isa::Sreg::kBlockDimY, id);
  builder_.Op(Opcode::kMul, Type::kU32, factor, factor, id);
  builder_.Sreg(isa::Sreg::kLaneZ, id);
  builder_.Op(Opcode::kMad, Type::kU32, kLane, id, factor, kLane);
}

void StructuredGenerator::EmitStart() {
  end_ = builder_.NewLabel();
  if (volume_) {
    EmitLinearLane();
  } else {
    builder_.Sreg(isa::Sreg::kGlobalX, kGlobal);
    builder_.Sreg(isa::Sreg::kLaneX, kLane);
  }
  builder_.Set(Condition::kGe, Type::kU32, kBranch, kGlobal, n_);
  builder_.BraIf(kBranch, end_);
  const uint8_t four = Scratch(Type::kU32, 0);
  builder_.Immediate(Type::kU32, four, kPool);
  builder_.Op(Opcode::kMul, Type::kU32, kOutIndex, kGlobal, four);
  for (const Type type : AllTypes()) {
    for (uint32_t slot = 0; slot < kPool; ++slot) {
      const uint8_t d = Register(type, slot);
      builder_.Immediate(type, d, random_.ValueOf(type));
      if (slot == 3) builder_.Op(Opcode::kCvt, type, d, kGlobal, 0, 0, uint8_t{6});
    }
  }
  for (const Type type : types_) {
    const uint8_t index = MaskedIndex(Type::kU32, kInputs);
    builder_.Access(Opcode::kLdg, type, inputs_[NumberOf(type)], index, Register(type, 0), 0);
  }
  for (uint8_t k = 0; served_ && k < 2; ++k) {
    builder_.Op(Opcode::kPoolAlloc, Type::kU64, static_cast<uint8_t>(kPoolHandle + k));
    builder_.SetCount(kPoolBytes);
  }
  for (uint8_t p = 0; p < kPredicates; ++p) {
    const Type type = AnyType();
    builder_.Set(AnyCondition(), type, p, Any(type), Any(type));
  }
}

void StructuredGenerator::EmitEnd() {
  for (const Type type : types_) {
    for (uint32_t slot = 0; slot < kPool; ++slot) {
      builder_.Access(Opcode::kStg, type, outputs_[NumberOf(type)], kOutIndex, 0,
                      Register(type, slot), slot);
    }
  }
  builder_.Exit();
  builder_.Bind(end_);
  builder_.Exit();
}

void StructuredGenerator::Statement(uint32_t depth) {
  const uint32_t way = random_.Below(100);
  if (way < 32) return Arithmetic();
  // The reference in NumPy (--exact) knows no classes.
  if (way < 34 && random_.exact()) return Arithmetic();
  if (way < 34) return random_.Chance(50) ? OfClass() : Phase();
  if (way < 44 && served_) return random_.Chance(50) ? Resonance() : Pool();
  if (way < 48) return Conversion();
  if (way < 56) return Predicate();
  if (way < 58) return Mixed();
  if (way < 59) return random_.Chance(50) ? ReadId() : random_.Chance(70) ? Trap() : Print();
  if (way < 60) return Reduce();
  if (way < 62 && !functions_.empty()) return builder_.Call(random_.Pick(functions_));
  if (way < 64 && locals_) return LocalAccess();
  if (way < 68) return LoadInput();
  if (way < 72) return StoreOutput();
  if (way < 73 && depth == 0 && !sums_.empty()) return LaunchSum();
  if (way < 76) return random_.Chance(75) ? UpdateCell() : Swap();
  if (way < 84 && depth == 0 && shared_)
    return random_.Chance(30)   ? BlockReduction()
           : random_.Chance(60) ? SharedPhase()
                                : SharedAtomicPhase();
  if (depth >= 3) return Arithmetic();
  if (way < 93) return If(depth);
  return random_.Chance(60) ? Loop(depth) : CountedLoop(depth);
}

void StructuredGenerator::Arithmetic() {
  const Type type = AnyType();
  if (isa::IsFloat(type)) return FloatArithmetic(type);
  IntegerArithmetic(type);
}

void StructuredGenerator::FloatArithmetic(Type type) {
  static const std::vector<Opcode> kOps = {
      Opcode::kAdd,  Opcode::kSub,   Opcode::kMul,  Opcode::kDiv,   Opcode::kMad,
      Opcode::kFma,  Opcode::kMin,   Opcode::kMax,  Opcode::kAbs,   Opcode::kNeg,
      Opcode::kSqrt, Opcode::kFloor, Opcode::kCeil, Opcode::kTrunc, Opcode::kRound};
  const auto function = random_.Below(math::kNumFunctions * 6);
  const bool mathematical = !random_.exact() && function < math::kNumFunctions;
  const Opcode op = mathematical ? math::kFunctions[function].op : random_.Pick(kOps);
  const int reads =
      isa::InfoOf(op).operands.size() > 0 ? isa::UsesOf(isa::Instruction{op, type}).num_reads : 0;
  const bool has_accuracy = mathematical && math::kFunctions[function].has_fast;
  builder_.Op(op, type, Any(type), Any(type), reads > 1 ? Any(type) : uint8_t{0},
              reads > 2 ? Any(type) : uint8_t{0},
              has_accuracy ? static_cast<uint8_t>(random_.Below(2)) : uint8_t{0});
}

void StructuredGenerator::IntegerArithmetic(Type type) {
  static const std::vector<Opcode> kOps = {
      Opcode::kAdd,  Opcode::kSub, Opcode::kMul, Opcode::kDiv, Opcode::kRem, Opcode::kMad,
      Opcode::kMin,  Opcode::kMax, Opcode::kAnd, Opcode::kOr,  Opcode::kXor, Opcode::kNot,
      Opcode::kPopc, Opcode::kShl, Opcode::kShr, Opcode::kAbs, Opcode::kNeg};
  const Opcode op = random_.Pick(kOps);
  const uint8_t d = Any(type);
  const uint8_t a = Any(type);
  if ((op == Opcode::kAbs || op == Opcode::kNeg) && isa::IsUnsigned(type)) return;
  if (op == Opcode::kNot || op == Opcode::kPopc || op == Opcode::kAbs || op == Opcode::kNeg) {
    return builder_.Op(op, type, d, a);
  }
  if (op == Opcode::kMad) return builder_.Op(op, type, d, a, Any(type), Any(type));
  if (op == Opcode::kShl || op == Opcode::kShr) return builder_.Op(op, type, d, a, Any(Type::kU32));
  uint8_t b = Any(type);
  const bool divides = op == Opcode::kDiv || op == Opcode::kRem;
  if (divides && !(faulty_ && random_.Chance(20))) {
    const uint8_t odd = Scratch(type, 1);
    builder_.Immediate(type, odd, 1);
    builder_.Op(Opcode::kOr, type, odd, odd, b);
    b = odd;
  }
  builder_.Op(op, type, d, a, b);
}

void StructuredGenerator::Conversion() {
  const Type to = AnyType();
  const Type from = AnyType();
  const auto mod = static_cast<uint8_t>(from);
  if (isa::SizeOf(to) == isa::SizeOf(from) && random_.Chance(50)) {
    return builder_.Op(Opcode::kBitcast, to, Any(to), Any(from), 0, 0, mod);
  }
  if (random_.Chance(20)) return builder_.Op(Opcode::kMov, to, Any(to), Any(to));
  builder_.Op(Opcode::kCvt, to, Any(to), Any(from), 0, 0, mod);
}

void StructuredGenerator::Predicate() {
  static const std::vector<Opcode> kOps = {Opcode::kPand, Opcode::kPor, Opcode::kPxor};
  const Type type = AnyType();
  const uint32_t way = random_.Below(4);
  if (way == 0) {
    builder_.Op(random_.Pick(kOps), Type::kI8, AnyPredicate(), AnyPredicate(), AnyPredicate());
  } else if (way == 1) {
    builder_.Op(Opcode::kPnot, Type::kI8, AnyPredicate(), AnyPredicate());
  } else if (way == 2) {
    builder_.Set(AnyCondition(), type, AnyPredicate(), Any(type), Any(type));
  } else {
    builder_.Op(Opcode::kSel, type, Any(type), AnyPredicate(), Any(type), Any(type));
  }
}

// A register that has one type in the lanes that take a branch and another in the others.
void StructuredGenerator::Mixed() {
  const auto reg = static_cast<uint8_t>(kMixed + random_.Below(4));
  const Type types[2] = {AnyType(), AnyType()};
  const Builder::Label other = builder_.NewLabel();
  const Builder::Label done = builder_.NewLabel();
  builder_.BraIf(AnyPredicate(), other);
  for (int side = 0; side < 2; ++side) {
    const Type type = types[side];
    if (side == 1) builder_.Bind(other);
    builder_.Op(Opcode::kMov, type, reg, Any(type));
    if (random_.Chance(50)) Arithmetic();
    builder_.Op(Opcode::kMov, type, Any(type), reg);
    if (side == 0) builder_.Bra(done);
  }
  builder_.Bind(done);
}

void StructuredGenerator::ReadId() {
  const auto sreg = static_cast<isa::Sreg>(random_.Below(isa::kNumSregs));
  builder_.Sreg(sreg, Any(sreg == isa::Sreg::kLinear ? Type::kU64 : Type::kU32));
  const auto fixed = static_cast<uint8_t>(isa::kFirstSpecialRegister + random_.Below(4));
  const Type type = fixed == 255 ? Type::kU64 : Type::kU32;
  builder_.Op(Opcode::kAdd, type, Any(type), fixed, Any(type));
}

// Over a part of a pool, whose registers are neighbours.
void StructuredGenerator::Reduce() {
  static const std::vector<Opcode> kOps = {Opcode::kReduceAdd, Opcode::kReduceMin,
                                           Opcode::kReduceMax, Opcode::kReduceMul};
  const Type type = AnyType();
  const uint32_t first = random_.Below(kPool);
  builder_.Op(random_.Pick(kOps), type, Any(type), Register(type, first));
  builder_.SetCount(random_.Below(kPool - first + 1));
}

// Data modulo `limit` or, rarely, any number.
uint8_t StructuredGenerator::ClassNumber(uint32_t scratch, uint64_t limit) {
  const uint8_t number = Scratch(Type::kU8, scratch);
  builder_.Immediate(Type::kU8, number, limit);
  builder_.Op(Opcode::kRem, Type::kU8, number, Any(Type::kU8), number);
  return faulty_ && random_.Chance(20) ? Any(Type::kU8) : number;
}

void StructuredGenerator::OfClass() {
  static const std::vector<Opcode> kOps = {Opcode::kMirror, Opcode::kNbrCount, Opcode::kNbrGet,
                                           Opcode::kBoundMap};
  const Opcode op = random_.Pick(kOps);
  const uint8_t c = ClassNumber(0, isa::kNumClasses);
  if (op == Opcode::kBoundMap) {
    const uint8_t page = ClassNumber(1, isa::kPagesPerClass);
    return builder_.Op(op, Type::kU64, Any(Type::kU64), c, page, Any(Type::kU8));
  }
  const Type type = op == Opcode::kNbrCount ? Type::kU32 : Type::kU8;
  const uint32_t index = op == Opcode::kNbrGet ? random_.Below(isa::kNumNeighbours) : 0;
  builder_.Op(op, type, Any(type), c, 0, 0, static_cast<uint8_t>(index));
}

// These make blocks of lanes the unit of compiled code, so not all programs have them.
void StructuredGenerator::Phase() {
  if (!phases_) return OfClass();
  const uint32_t way = random_.Below(3);
  if (way == 0) return builder_.Op(Opcode::kClsGet, Type::kU8, Any(Type::kU8));
  if (way == 1) return builder_.Op(Opcode::kPhaseGet, Type::kU32, Any(Type::kU32));
  builder_.Op(Opcode::kPhaseAdv, Type::kI8, 0);
  builder_.SetCount(random_.Below(2000));
}

// Adds a number that is a fraction of 64-bit numbers or, rarely, any; or tests the sum.
void StructuredGenerator::Resonance() {
  if (random_.Chance(35)) {
    static const std::vector<double> kBounds = {0, 0x1p-40, 0.5, 1, 1000.25, 1e9, 1e300};
    builder_.Op(Opcode::kUnityTest, Type::kF64, AnyPredicate());
    return builder_.SetImmediate(__builtin_bit_cast(uint64_t, random_.Pick(kBounds)));
  }
  static const std::vector<Type> kTypes = {Type::kI32, Type::kI64, Type::kF32, Type::kF64};
  const Type type = random_.Pick(kTypes);
  const uint8_t c = ClassNumber(0, isa::kNumClasses);
  uint8_t value = Any(type);
  if (!(faulty_ && random_.Chance(10))) {
    // A small number, for floats over a power of two.
    value = Scratch(type, 0);
    builder_.Op(Opcode::kCvt, type, value, Any(Type::kI16), 0, 0, static_cast<uint8_t>(Type::kI16));
    if (isa::IsFloat(type)) {
      const uint8_t unit = Scratch(type, 1);
      const uint64_t exponent = random_.Below(48);
      builder_.Immediate(type, unit,
                         type == Type::kF32 ? (127 - exponent) << 23 : (1023 - exponent) << 52);
      builder_.Op(Opcode::kMul, type, value, value, unit);
    }
  }
  builder_.Op(Opcode::kResAccum, type, 0, c, value);
}

// The two handles always name pools of the lane; what replaces one frees the other first.
void StructuredGenerator::Pool() {
  const auto handle = static_cast<uint8_t>(kPoolHandle + random_.Below(2));
  if (random_.Chance(20)) {
    if (!(faulty_ && random_.Chance(30))) builder_.Op(Opcode::kPoolFree, Type::kI8, 0, handle);
    builder_.Op(Opcode::kPoolAlloc, Type::kU64, handle);
    const bool large = faulty_ && random_.Chance(30);
    return builder_.SetCount(large ? 100000 : kPoolBytes + random_.Below(100));
  }
  if (faulty_ && random_.Chance(5)) builder_.Op(Opcode::kPoolFree, Type::kI8, 0, handle);
  const Type type = AnyType();
  const uint8_t offset = MaskedIndex(Type::kU64, kPoolBytes / 2);
  if (random_.Chance(50)) {
    builder_.Op(Opcode::kPoolStore, type, 0, handle, offset, Any(type));
  } else {
    builder_.Op(Opcode::kPoolLoad, type, Any(type), handle, offset);
  }
}

// An element of the lane's own, at a constant or at any number.
void StructuredGenerator::LocalAccess() {
  const Type type = AnyType();
  const uint8_t which = arrays_[NumberOf(type)];
  const uint32_t count = builder_.LocalCount(which);
  const Type index_type = AnyInteger();
  uint8_t index = Scratch(index_type, 0);
  if (random_.Chance(40)) {
    builder_.Immediate(index_type, index, random_.Below(count));
  } else {
    index = MaskedIndex(index_type, count);
  }
  const bool store = random_.Chance(50);
  builder_.Access(store ? Opcode::kStl : Opcode::kLdl, type, which, index,
                  store ? uint8_t{0} : Any(type), store ? Any(type) : uint8_t{0});
}

// The functions stand behind the end; the last statement of one may call the next.
void StructuredGenerator::EmitFunctions() {
  const std::vector<Builder::Label> all = functions_;
  for (size_t f = 0; f < all.size(); ++f) {
    functions_.assign(all.begin() + static_cast<ptrdiff_t>(f) + 1, all.end());
    builder_.Bind(all[f]);
    for (uint32_t i = 1 + random_.Below(3); i > 0; --i) Statement(3);
    if (random_.Chance(20)) {
      const Builder::Label on = builder_.NewLabel();
      builder_.BraIf(AnyPredicate(), on);
      random_.Chance(70) ? builder_.Ret() : builder_.Exit();
      builder_.Bind(on);
    }
    if (!functions_.empty() && random_.Chance(50)) builder_.Call(functions_[0]);
    builder_.Ret();
  }
}

void StructuredGenerator::BlockReduction() {
  const Type type = AnyType();
  const uint32_t ops = isa::IsFloat(type) ? 4 : isa::kNumBlockOps;
  const Opcode op = random_.Chance(60) ? Opcode::kBlkRed : Opcode::kBlkScan;
  const uint32_t of_warp = random_.Chance(30) ? isa::kNumBlockOps : 0;
  builder_.Op(op, type, Any(type), Any(type), 0, 0,
              static_cast<uint8_t>(random_.Below(ops) + of_warp));
}

// Never in programs that shall not fault, though the predicate is computed.
void StructuredGenerator::Trap() {
  uint8_t predicate = AnyPredicate();
  if (!faulty_ || random_.Chance(70)) {
    const Type type = AnyInteger();
    const uint8_t reg = Any(type);
    predicate = kBranch;
    builder_.Set(random_.Chance(50) ? Condition::kNe : Condition::kLt, type, predicate, reg, reg);
  }
  builder_.Op(Opcode::kTrap, Type::kI8, 0, predicate, 0, 0, 1);
}

// Mostly with its end, which may also come later, or be missing.
void StructuredGenerator::Print() {
  const Type type = AnyType();
  builder_.Op(Opcode::kPrint, type, 0, Any(type));
  if (random_.Chance(50)) {
    builder_.Op(Opcode::kPrintText, Type::kI8, 0, 0);
    builder_.SetImmediate(isa::ImmediateOf(random_.Chance(50) ? ", " : " and so\n"));
  }
  if (random_.Chance(80)) builder_.Op(Opcode::kPrintEnd, Type::kI8, 0, 0);
}

// At the element of the lane, with what is there or with something else.
void StructuredGenerator::Swap() {
  const Type type = AnyAtomicType();
  const uint8_t own = own_[NumberOf(type)];
  uint8_t expected = Any(type);
  if (random_.Chance(50)) {
    expected = Scratch(type, 1);
    builder_.Access(Opcode::kLdg, type, own, kGlobal, expected, 0);
  }
  builder_.Access(Opcode::kAtgCas, type, own, kGlobal, Any(type), expected, 0, Any(type));
}

// A sum over the launch, to which some lanes or all give a value.
void StructuredGenerator::LaunchSum() {
  const uint32_t which = random_.Below(static_cast<uint32_t>(SumTypes().size()));
  const Type type = SumTypes()[which];
  const uint8_t index = Scratch(Type::kU32, 0);
  builder_.Immediate(Type::kU32, index, random_.Below(2));
  const Builder::Label on = builder_.NewLabel();
  if (random_.Chance(50)) builder_.BraIf(AnyPredicate(), on);
  builder_.Access(Opcode::kAtgFloat, type, sums_[which], index,
                  static_cast<uint8_t>(kUnusedSum + which), Any(type), random_.Below(2));
  builder_.Bind(on);
}

void StructuredGenerator::If(uint32_t depth) {
  const Type type = AnyType();
  builder_.Set(AnyCondition(), type, kBranch, Any(type), Any(type));
  const Builder::Label otherwise = builder_.NewLabel();
  const Builder::Label done = builder_.NewLabel();
  builder_.BraIf(kBranch, otherwise);
  for (uint32_t i = 1 + random_.Below(3); i > 0; --i) Statement(depth + 1);
  if (depth == 0 && random_.Chance(15)) {
    builder_.Exit();
  } else {
    builder_.Bra(done);
  }
  builder_.Bind(otherwise);
  if (random_.Chance(60)) Statement(depth + 1);
  builder_.Bind(done);
}

// for (i = 0; i < limit; ++i), the limit a constant or data, sometimes with a break.
void StructuredGenerator::Loop(uint32_t depth) {
  const auto counter = static_cast<uint8_t>(kCounter + depth);
  const auto limit = static_cast<uint8_t>(kLimit + depth);
  const uint8_t scratch = Scratch(Type::kU32, 2);
  const Builder::Label head = builder_.NewLabel();
  const Builder::Label done = builder_.NewLabel();
  builder_.Immediate(Type::kU32, limit, random_.Below(4));
  if (random_.Chance(50)) {
    builder_.Immediate(Type::kU32, limit, 7);
    builder_.Op(Opcode::kAnd, Type::kU32, limit, limit, Any(Type::kU32));
  }
  builder_.Immediate(Type::kU32, counter, 0);
  builder_.Bind(head);
  builder_.Set(Condition::kGe, Type::kU32, kLoopPredicate, counter, limit);
  builder_.BraIf(kLoopPredicate, done);
  for (uint32_t i = 1 + random_.Below(3); i > 0; --i) Statement(depth + 1);
  if (random_.Chance(30)) builder_.BraIf(AnyPredicate(), done);
  builder_.Immediate(Type::kU32, scratch, 1);
  builder_.Op(Opcode::kAdd, Type::kU32, counter, counter, scratch);
  builder_.Bra(head);
  builder_.Bind(done);
}

// do ... while (counter-- > 0), the counter a constant or data, sometimes with a break.
void StructuredGenerator::CountedLoop(uint32_t depth) {
  const auto counter = static_cast<uint8_t>(kCounter + depth);
  const Builder::Label body = builder_.NewLabel();
  const Builder::Label done = builder_.NewLabel();
  builder_.Immediate(Type::kU32, counter, random_.Below(4));
  if (random_.Chance(50)) {
    builder_.Immediate(Type::kU32, counter, 3);
    builder_.Op(Opcode::kAnd, Type::kU32, counter, counter, Any(Type::kU32));
  }
  builder_.Bind(body);
  for (uint32_t i = 1 + random_.Below(3); i > 0; --i) Statement(depth + 1);
  if (random_.Chance(20)) {
    builder_.Op(Opcode::kMemFence, Type::kI8, 0, 0, 0, 0,
                static_cast<uint8_t>(random_.Below(isa::kNumScopes)));
  }
  if (random_.Chance(30)) builder_.BraIf(AnyPredicate(), done);
  if (random_.Chance(30)) builder_.Op(Opcode::kAdd, Type::kU32, Any(Type::kU32), counter, counter);
  builder_.Loop(counter, body);
  builder_.Bind(done);
}

// An index of the type below `count`, or in faulty programs now and then any number.
uint8_t StructuredGenerator::MaskedIndex(Type type, uint32_t count) {
  const uint8_t mask = Scratch(type, 0);
  if (faulty_ && random_.Chance(10)) return Any(type);
  builder_.Immediate(type, mask, count - 1);
  builder_.Op(Opcode::kAnd, type, mask, mask, Any(type));
  return mask;
}

void StructuredGenerator::LoadInput() {
  const Type type = AnyType();
  const uint8_t index = MaskedIndex(AnyInteger(), kInputs / 2);
  builder_.Access(Opcode::kLdg, type, inputs_[NumberOf(type)], index, Any(type), 0,
                  random_.Below(kInputs / 2));
}

void StructuredGenerator::StoreOutput() {
  const Type type = AnyType();
  builder_.Access(Opcode::kStg, type, outputs_[NumberOf(type)], kOutIndex, 0, Any(type),
                  random_.Below(kPool));
}

void StructuredGenerator::UpdateCell() {
  const Type type = AnyAtomicType();
  const uint8_t index = MaskedIndex(AnyInteger(), kCells);
  const auto which = std::ranges::find(AtomicTypes(), type) - AtomicTypes().begin();
  builder_.Access(Opcode::kAtg, type, cells_[NumberOf(type)], index,
                  static_cast<uint8_t>(kUnusedResult + which), Any(type), 0,
                  cell_ops_[NumberOf(type)]);
}

// Every lane writes its element, then reads any.
void StructuredGenerator::SharedPhase() {
  const Type type = AnyType();
  builder_.Access(Opcode::kSts, type, tiles_[NumberOf(type)], kLane, 0, Any(type));
  builder_.Barrier(static_cast<uint8_t>(random_.Below(isa::kNumBarriers)));
  for (uint32_t i = 1 + random_.Below(3); i > 0; --i) {
    const uint8_t index = MaskedIndex(AnyInteger(), kTile);
    builder_.Access(Opcode::kLds, type, tiles_[NumberOf(type)], index, Any(type), 0);
  }
  builder_.Barrier(0);
}

void StructuredGenerator::SharedAtomicPhase() {
  builder_.Access(Opcode::kAts, Type::kU32, shared_cells_, MaskedIndex(AnyInteger(), kCells),
                  kUnusedResult + 2, Any(Type::kU32), 0, shared_op_);
  builder_.Barrier(1);
  builder_.Access(Opcode::kLds, Type::kU32, shared_cells_, MaskedIndex(AnyInteger(), kCells),
                  Any(Type::kU32), 0);
  builder_.Barrier(2);
}

void StructuredGenerator::MakeLaunch(TestLaunch* launch) {
  const uint32_t block = random_.Pick<uint32_t>({1, 5, 16, 33, 64, 100, 128});
  // Now and then more lanes than the interpreter runs together.
  const uint32_t n = 1 + random_.Below(random_.Chance(4) ? 6000 : 3 * block);
  launch->shape.block[0] = block;
  launch->shape.grid[0] = (n + block - 1) / block;
  if (volume_) {
    for (uint32_t& size : launch->shape.block) size = 1 + random_.Below(5);
    launch->shape.block[0] = 1 + random_.Below(4);
    for (uint32_t& size : launch->shape.grid) size = 1 + random_.Below(random_.Chance(10) ? 8 : 3);
  }
  launch->budget = 100000;
  if (random_.Chance(50)) launch->class_base = random_.Below(isa::kNumClasses);
  launch->scalars = {n};
  // `varied` elements, again and again.
  const auto fill = [&](Type type, uint32_t count, uint32_t varied) {
    const size_t size = isa::SizeOf(type);
    std::vector<uint8_t> bytes(count * size);
    for (uint32_t i = 0; i < count; ++i) {
      uint8_t* const at = bytes.data() + i * size;
      if (i >= varied) {
        std::memcpy(at, at - varied * size, size);
        continue;
      }
      const uint64_t value = random_.ValueOf(type);
      std::memcpy(at, &value, size);
    }
    launch->buffers.push_back(std::move(bytes));
  };
  for (const Type type : types_) {
    fill(type, kInputs, kInputs);
    fill(type, kPool * n, 8);  // nearly all of it is written
  }
  for (const Type type : AtomicTypes()) {
    if (Has(type)) fill(type, kCells, kCells);
  }
  for (const Type type : AtomicTypes()) {
    if (Has(type)) fill(type, n, 8);
  }
  if (!sums_.empty()) {
    for (const Type type : SumTypes()) fill(type, kSums, kSums);
  }
  if (!phases_ && !served_) return;
  launch->stream.phase = random_.Below(isa::kNumPhases);
  for (uint32_t k = random_.Below(5); k > 0; --k) {
    constexpr int64_t kDenominators[] = {1, 2, 3, 4, 6, 12};
    const auto numerator = static_cast<int64_t>(random_.Below(200)) - 100;
    const int64_t denominator = kDenominators[random_.Below(6)];
    const int64_t common = numerator == 0 ? denominator : std::gcd(numerator, denominator);
    launch->stream.resonance[random_.Below(isa::kNumClasses)] = {numerator / common,
                                                                 denominator / common};
  }
}

}  // namespace

TestProgram RandomStructuredProgram(Random& random) {
  return StructuredGenerator(random).Run();
}

}  // namespace hologram::tests
