#include "scalar_reference.h"

#include <array>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "scalar_atlas.h"
#include "scalar_stream.h"
#include "scalar_value.h"

namespace hologram::tests {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Type;

// One lane: its program counter, registers and predicates.
struct Lane {
  uint64_t linear = 0;
  uint32_t id[3] = {0, 0, 0};     // within the block
  uint32_t block[3] = {0, 0, 0};  // within the grid
  uint32_t pc = 0;
  uint64_t back_edges = 0;
  uint64_t phase = 0;
  LaneStream stream;
  bool ended = false;
  bool waiting = false;  // at the barrier `barrier`, with the value of BLK.RED or BLK.SCAN
  uint32_t barrier = 0;
  Value offered;
  std::vector<uint32_t> calls;  // where they return to
  std::vector<std::vector<uint8_t>> locals;
  std::array<std::optional<Value>, isa::kNumRegisters> registers;
  std::array<std::optional<bool>, isa::kNumPredicates> predicates;
};

class ScalarMachine {
 public:
  ScalarMachine(const verify::VerifiedProgram& verified, const launch::Launch& launch)
      : verified_(verified), program_(verified.source()), launch_(launch) {
    if (launch.stream != nullptr) before_ = *launch.stream;
    FindCountedJumps();
  }

  ScalarResult Run() {
    const uint32_t* grid = launch_.shape.grid;
    const uint32_t* block = launch_.shape.block;
    num_lanes_ = size_t{grid[0]} * grid[1] * grid[2] * block[0] * block[1] * block[2];
    for (uint32_t z = 0; z < grid[2]; ++z) {
      for (uint32_t y = 0; y < grid[1]; ++y) {
        for (uint32_t x = 0; x < grid[0] && result_.broken.empty(); ++x) RunBlock(x, y, z);
      }
    }
    AddLaunchSums();
    Commit();
    return result_;
  }

 private:
  void FindCountedJumps();
  void RunBlock(uint32_t x, uint32_t y, uint32_t z);
  Lane MakeLane(const uint32_t (&block)[3], const uint32_t (&id)[3]);
  void RunToBarrier(Lane& lane);
  void Step(Lane& lane, const Instruction& in);
  void StepData(Lane& lane, const Instruction& in);
  Value Fold(Lane& lane, const Instruction& in);
  static Value RowTree(const std::vector<Value>& values, Opcode op, size_t slot, size_t row,
                       size_t rows);
  static Value SlotTree(const std::vector<Value>& values, Opcode op, size_t slot, size_t slots);
  static Value Scanned(const std::vector<Value>& values, Opcode op, size_t last, size_t steps);
  static void Meet(std::vector<Lane>& lanes, const Instruction& in);
  static Value LaunchTotal(const std::vector<std::optional<Value>>& values, Type type, size_t first,
                           size_t blocks);
  void AddLaunchSums();
  bool IsLaunchSum(uint32_t pc) const;
  void StepAccess(Lane& lane, const Instruction& in);
  void StepClass(Lane& lane, const Instruction& in);
  void StepResonance(Lane& lane, const Instruction& in);
  void StepPool(Lane& lane, const Instruction& in);
  void Commit();
  void Jump(Lane& lane, uint32_t target);
  uint8_t* Locate(Lane& lane, const Instruction& in);
  Value ReadSreg(const Lane& lane, isa::Sreg sreg);
  bool DividesByZero(Lane& lane, const Instruction& in);

  Value Read(Lane& lane, uint8_t reg, std::optional<Type> type) {
    const std::optional<Value>& value = lane.registers[reg];
    if (value && (!type || value->type == *type)) return *value;
    result_.broken = "instruction " + std::to_string(lane.pc) + " reads r" + std::to_string(reg) +
                     ", which has another type or none";
    return {type.value_or(Type::kU32), 0};
  }
  bool ReadPredicate(const Lane& lane, uint8_t predicate) {
    if (!lane.predicates[predicate]) {
      result_.broken = "instruction " + std::to_string(lane.pc) + " reads an unset predicate";
    }
    return lane.predicates[predicate].value_or(false);
  }
  void Fault(Lane& lane, uint32_t code, int64_t index, uint64_t other = 0) {
    lane.ended = true;
    if (result_.fault && result_.fault->lane < lane.linear) return;
    result_.fault = launch::Fault{code, lane.pc, lane.linear, index, {}, other};
  }

  const verify::VerifiedProgram& verified_;
  const isa::Program& program_;
  const launch::Launch& launch_;
  std::set<std::pair<uint32_t, uint32_t>> counted_;  // jumps, from and to
  launch::Stream before_;
  std::array<ExactSum, isa::kNumClasses> added_;
  uint64_t phase_of_lane_0_ = 0;
  // Of an addition that happens once for the launch: its element and what lanes give.
  struct LaunchSum {
    uint8_t* element = nullptr;
    std::vector<std::optional<Value>> values;
  };
  std::map<uint32_t, LaunchSum> sums_;  // by instruction
  size_t num_lanes_ = 0;
  std::vector<std::vector<uint8_t>> shared_;
  ScalarResult result_;
};

void ScalarMachine::FindCountedJumps() {
  // The verifier's loops are those of the program without calls; programs with calls that the
  // tests make need no budget.
  if (!verified_.recursive() && program_.code != verified_.program().code) return;
  for (const verify::LoopFact& loop : verified_.loops()) {
    if (launch_.guarded ? loop.ends : loop.ends_if_proved) continue;
    for (const uint32_t source : loop.back_edges) {
      counted_.emplace(verified_.blocks()[source].end - 1, verified_.blocks()[loop.header].begin);
    }
  }
}

Lane ScalarMachine::MakeLane(const uint32_t (&block)[3], const uint32_t (&id)[3]) {
  Lane lane;
  const uint32_t* size = launch_.shape.block;
  const uint32_t* grid = launch_.shape.grid;
  for (int k = 0; k < 3; ++k) {
    lane.id[k] = id[k];
    lane.block[k] = block[k];
  }
  const uint64_t block_linear =
      block[0] + uint64_t{grid[0]} * (block[1] + uint64_t{grid[1]} * block[2]);
  const uint64_t lane_linear = id[0] + uint64_t{size[0]} * (id[1] + uint64_t{size[1]} * id[2]);
  lane.linear = block_linear * size[0] * size[1] * size[2] + lane_linear;
  lane.phase = (before_.phase + block_linear) % 768;
  size_t scalar = 0;
  for (size_t k = 0; k < program_.parameters.size(); ++k) {
    const isa::Parameter& parameter = program_.parameters[k];
    lane.registers[k + 1] =
        parameter.is_buffer
            ? Value{Type::kU64, k}
            : FromInteger(parameter.type, static_cast<__int128>(launch_.scalars[scalar++]));
    lane.registers[k + 1]->type = parameter.is_buffer ? Type::kU64 : parameter.type;
  }
  for (const isa::LocalArray& array : program_.locals) {
    lane.locals.emplace_back(size_t{array.count} * isa::SizeOf(array.type), uint8_t{0});
  }
  lane.registers[252] = Value{Type::kU32, id[0]};
  lane.registers[253] = Value{Type::kU32, block[0]};
  lane.registers[254] = Value{Type::kU32, size[0]};
  lane.registers[255] = Value{Type::kU64, lane.linear};
  return lane;
}

void ScalarMachine::RunBlock(uint32_t x, uint32_t y, uint32_t z) {
  shared_.clear();
  for (const isa::SharedArray& array : program_.shared) {
    shared_.emplace_back(size_t{array.count} * isa::SizeOf(array.type), uint8_t{0});
  }
  std::vector<Lane> lanes;
  const uint32_t* size = launch_.shape.block;
  for (uint32_t k = 0; k < size[2]; ++k) {
    for (uint32_t j = 0; j < size[1]; ++j) {
      for (uint32_t i = 0; i < size[0]; ++i) lanes.push_back(MakeLane({x, y, z}, {i, j, k}));
    }
  }
  bool running = true;
  while (running && result_.broken.empty()) {
    running = false;
    std::optional<uint32_t> barrier;
    for (Lane& lane : lanes) {
      RunToBarrier(lane);
      if (!lane.waiting) continue;
      running = true;
      if (barrier && *barrier != lane.barrier) result_.broken = "lanes wait at different barriers";
      barrier = lane.barrier;
    }
    if (barrier && program_.code[*barrier].op != Opcode::kBarSync) {
      Meet(lanes, program_.code[*barrier]);
    }
    for (Lane& lane : lanes) lane.waiting = false;
  }
  if (lanes[0].linear == 0) phase_of_lane_0_ = lanes[0].phase;
}

void ScalarMachine::Commit() {
  launch::Stream after = before_;
  after.phase = static_cast<uint32_t>(phase_of_lane_0_);
  for (size_t c = 0; c < added_.size(); ++c) {
    const auto sum = added_[c].PlusClass(before_.resonance[c]);
    if (!sum) return;
    after.resonance[c] = *sum;
  }
  result_.stream = std::move(after);
}

// The tree over all lanes that a block may have, by its definition: rows [row, row + rows) of one
// slot.
Value ScalarMachine::RowTree(const std::vector<Value>& values, Opcode op, size_t slot, size_t row,
                             size_t rows) {
  if (rows == 1) return values[row * 16 + slot];
  return Binary(op, RowTree(values, op, slot, row, rows / 2),
                RowTree(values, op, slot, row + rows / 2, rows / 2));
}

Value ScalarMachine::SlotTree(const std::vector<Value>& values, Opcode op, size_t slot,
                              size_t slots) {
  if (slots == 16) return RowTree(values, op, slot, 0, 64);
  return Binary(op, SlotTree(values, op, slot, slots * 2),
                SlotTree(values, op, slot + slots, slots * 2));
}

// What lane `last` gets from a scan, by its definition: of the lanes in steps below `steps`.
Value ScalarMachine::Scanned(const std::vector<Value>& values, Opcode op, size_t last,
                             size_t steps) {
  if (steps == 1) return values[last];
  const size_t step = steps / 2;
  const Value right = Scanned(values, op, last, step);
  return last < step ? right : Binary(op, Scanned(values, op, last - step, step), right);
}

// All lanes of the block that are left have arrived.
void ScalarMachine::Meet(std::vector<Lane>& lanes, const Instruction& in) {
  constexpr Opcode kSteps[] = {Opcode::kAdd, Opcode::kMin, Opcode::kMax, Opcode::kMul,
                               Opcode::kAnd, Opcode::kOr,  Opcode::kXor};
  std::vector<Value> values(1024, PaddingOf(in.block_op(), in.type));
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].waiting) values[i] = lanes[i].offered;
  }
  const Opcode step = kSteps[static_cast<size_t>(in.block_op())];
  for (size_t i = 0; in.is_of_warp() && i < lanes.size(); ++i) {
    if (!lanes[i].waiting) continue;
    const std::vector<Value> warp(values.begin() + static_cast<ptrdiff_t>(i / 32 * 32),
                                  values.begin() + static_cast<ptrdiff_t>(i / 32 * 32 + 32));
    const Value found = Scanned(warp, step, in.op == Opcode::kBlkScan ? i % 32 : 31, 32);
    lanes[i].registers[in.d] = Binary(Opcode::kMin, found, found);
  }
  if (in.is_of_warp()) return;
  for (size_t i = 0; in.op == Opcode::kBlkScan && i < lanes.size(); ++i) {
    if (!lanes[i].waiting) continue;
    const Value scanned = Scanned(values, step, i, 1024);
    // A NaN of the first lane becomes canonical too.
    lanes[i].registers[in.d] = Binary(Opcode::kMin, scanned, scanned);
  }
  if (in.op == Opcode::kBlkScan) return;
  const Value result = SlotTree(values, step, 0, 1);
  for (Lane& lane : lanes) {
    if (lane.waiting) lane.registers[in.d] = result;
  }
}

void ScalarMachine::RunToBarrier(Lane& lane) {
  while (!lane.ended && !lane.waiting && result_.broken.empty()) {
    if (lane.pc >= program_.code.size()) {
      lane.ended = true;
    } else {
      Step(lane, program_.code[lane.pc]);
    }
  }
}

void ScalarMachine::Step(Lane& lane, const Instruction& in) {
  if (in.op == Opcode::kExit) {
    lane.ended = true;
  } else if (in.op == Opcode::kBra) {
    const bool taken = !in.conditional() || ReadPredicate(lane, in.a);
    Jump(lane, taken ? in.target() : lane.pc + 1);
  } else if (in.op == Opcode::kLoop) {
    const uint64_t count = Read(lane, in.a, Type::kU32).bits;
    lane.registers[in.a] = Value{Type::kU32, count == 0 ? 0 : count - 1};
    Jump(lane, count == 0 ? lane.pc + 1 : in.target());
  } else if (in.op == Opcode::kCall) {
    if (lane.calls.size() == 256) return Fault(lane, HOLOGRAM_FAULT_CALL_DEPTH, 0);
    lane.calls.push_back(lane.pc + 1);
    Jump(lane, in.target());
  } else if (in.op == Opcode::kRet) {
    if (lane.calls.empty()) {
      result_.broken = "ret without a call";
      return;
    }
    const uint32_t target = lane.calls.back();
    lane.calls.pop_back();
    Jump(lane, target);
  } else if (isa::IsBarrier(in.op)) {
    if (in.op != Opcode::kBarSync) lane.offered = Read(lane, in.a, in.type);
    lane.waiting = true;
    lane.barrier = lane.pc;
    Jump(lane, lane.pc + 1);
  } else {
    if (isa::IsAccess(in.op)) {
      StepAccess(lane, in);
    } else if (in.op == Opcode::kResAccum || in.op == Opcode::kUnityTest) {
      StepResonance(lane, in);
    } else if (isa::IsPool(in.op)) {
      StepPool(lane, in);
    } else if (isa::TakesClass(in.op)) {
      StepClass(lane, in);
    } else if (in.op == Opcode::kPrint) {
      launch_.prints->Value(lane.linear, lane.pc, in, Read(lane, in.a, in.type).bits);
    } else if (in.op == Opcode::kPrintText) {
      launch_.prints->Text(lane.linear, lane.pc, isa::TextOf(in.imm));
    } else if (in.op == Opcode::kPrintEnd) {
      launch_.prints->End(lane.linear, lane.pc);
    } else if (in.op == Opcode::kTrap) {
      if (in.mod == 0 || ReadPredicate(lane, in.a)) Fault(lane, HOLOGRAM_FAULT_ASSERTION, 0);
    } else if (DividesByZero(lane, in)) {
      const __int128 dividend = IntegerOf(Read(lane, in.a, in.type));
      Fault(lane, HOLOGRAM_FAULT_DIVISION_BY_ZERO, static_cast<int64_t>(dividend));
    } else {
      StepData(lane, in);
    }
    if (!lane.ended) Jump(lane, lane.pc + 1);
  }
}

bool ScalarMachine::DividesByZero(Lane& lane, const Instruction& in) {
  const bool divides = in.op == Opcode::kRem || (in.op == Opcode::kDiv && isa::IsInteger(in.type));
  return divides && Read(lane, in.b, in.type).bits == 0;
}

void ScalarMachine::StepClass(Lane& lane, const Instruction& in) {
  uint64_t operands[3] = {Read(lane, in.a, Type::kU8).bits, 0, 0};
  if (in.op == Opcode::kBoundMap) {
    operands[1] = Read(lane, in.b, Type::kU8).bits;
    operands[2] = Read(lane, in.c, Type::kU8).bits;
  }
  const AtlasResult result = OfClass(in, operands);
  if (result.fault != 0) return Fault(lane, result.fault, result.index);
  lane.registers[in.d] = result.value;
}

void ScalarMachine::StepResonance(Lane& lane, const Instruction& in) {
  if (in.op == Opcode::kUnityTest) {
    lane.predicates[in.d] =
        lane.stream.sum.IsWithin(before_.resonance, __builtin_bit_cast(double, in.imm));
    return;
  }
  const uint64_t c = Read(lane, in.a, Type::kU8).bits;
  const uint64_t bits = Read(lane, in.b, in.type).bits;
  if (c >= 96) return Fault(lane, HOLOGRAM_FAULT_INVALID_CLASS, static_cast<int64_t>(c));
  if (!lane.stream.sum.Add(in.type, bits) || !added_[c].Add(in.type, bits)) {
    Fault(lane, HOLOGRAM_FAULT_RESONANCE_OVERFLOW, static_cast<int64_t>(c), bits);
  }
}

void ScalarMachine::StepPool(Lane& lane, const Instruction& in) {
  if (in.op == Opcode::kPoolAlloc) {
    const uint64_t handle = lane.stream.Allocate(in.imm);
    if (handle == 0) {
      return Fault(lane, HOLOGRAM_FAULT_POOL_MEMORY, static_cast<int64_t>(in.imm));
    }
    lane.registers[in.d] = Value{Type::kU64, handle};
    return;
  }
  const uint64_t handle = Read(lane, in.a, Type::kU64).bits;
  std::vector<uint8_t>* const pool = lane.stream.Find(handle);
  if (pool == nullptr) {
    return Fault(lane, HOLOGRAM_FAULT_INVALID_POOL, static_cast<int64_t>(handle));
  }
  if (in.op == Opcode::kPoolFree) {
    lane.stream.Free(handle);
    return;
  }
  const uint64_t offset = Read(lane, in.b, Type::kU64).bits;
  const size_t size = isa::SizeOf(in.type);
  if (offset > pool->size() || pool->size() - offset < size) {
    return Fault(lane, HOLOGRAM_FAULT_POOL_OUT_OF_BOUNDS, static_cast<int64_t>(offset), handle);
  }
  if (in.op == Opcode::kPoolStore) {
    const Value value = Read(lane, in.c, in.type);
    std::memcpy(pool->data() + offset, &value.bits, size);
    return;
  }
  Value loaded{in.type, 0};
  std::memcpy(&loaded.bits, pool->data() + offset, size);
  lane.registers[in.d] = loaded;
}

void ScalarMachine::Jump(Lane& lane, uint32_t target) {
  if (counted_.contains({lane.pc, target}) && ++lane.back_edges > launch_.budget) {
    return Fault(lane, HOLOGRAM_FAULT_BUDGET, 0);
  }
  lane.pc = target;
}

Value ScalarMachine::ReadSreg(const Lane& lane, isa::Sreg sreg) {
  if (sreg == isa::Sreg::kLinear) return {Type::kU64, lane.linear};
  const auto number = static_cast<uint32_t>(sreg);
  const uint32_t axis = number % 3;
  const uint32_t size = launch_.shape.block[axis];
  const uint32_t table[5] = {lane.id[axis], lane.block[axis], size, launch_.shape.grid[axis],
                             lane.block[axis] * size + lane.id[axis]};
  return {Type::kU32, table[number / 3]};
}

Value ScalarMachine::Fold(Lane& lane, const Instruction& in) {
  if (in.imm == 0) return IdentityOf(in.op, in.type);
  constexpr Opcode kSteps[] = {Opcode::kAdd, Opcode::kMin, Opcode::kMax, Opcode::kMul};
  const Opcode step = kSteps[static_cast<size_t>(in.op) - static_cast<size_t>(Opcode::kReduceAdd)];
  Value folded = Read(lane, in.a, in.type);
  // A NaN that is the only register becomes canonical too; the smaller of two equals is both.
  if (in.imm == 1) folded = Binary(Opcode::kMin, folded, folded);
  for (uint64_t k = 1; k < in.imm; ++k) {
    folded = Binary(step, folded, Read(lane, static_cast<uint8_t>(in.a + k), in.type));
  }
  return folded;
}

void ScalarMachine::StepData(Lane& lane, const Instruction& in) {
  const auto read = [&](uint8_t reg) { return Read(lane, reg, in.type); };
  auto& d = lane.registers[in.d];
  switch (in.op) {
    case Opcode::kMov:
      d = read(in.a);
      break;
    case Opcode::kMovImm:
      d = FromInteger(in.type, static_cast<__int128>(in.imm));
      break;
    case Opcode::kCvt:
      d = Convert(in.type, Read(lane, in.a, in.source_type()));
      break;
    case Opcode::kBitcast:
      d = Value{in.type, Read(lane, in.a, in.source_type()).bits};
      break;
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kDiv:
    case Opcode::kRem:
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      d = Binary(in.op, read(in.a), read(in.b));
      break;
    case Opcode::kMad:
    case Opcode::kFma:
      d = Ternary(in.op, read(in.a), read(in.b), read(in.c));
      break;
    case Opcode::kAbs:
    case Opcode::kNeg:
    case Opcode::kNot:
    case Opcode::kPopc:
    case Opcode::kSqrt:
    case Opcode::kFloor:
    case Opcode::kCeil:
    case Opcode::kTrunc:
    case Opcode::kRound:
      d = Unary(in.op, read(in.a));
      break;
#define FUNCTION(Name, operands, has_fast) case Opcode::k##Name:
#include "math/functions.def"
      d = Mathematical(in.op, read(in.a), read(isa::UsesOf(in).num_reads > 1 ? in.b : in.a),
                       in.fast());
      break;
    case Opcode::kShl:
    case Opcode::kShr:
      d = Shift(in.op, read(in.a), Read(lane, in.b, Type::kU32).bits);
      break;
    case Opcode::kSet:
      lane.predicates[in.d] = Compare(in.condition(), read(in.a), read(in.b));
      break;
    case Opcode::kSel:
      d = ReadPredicate(lane, in.a) ? read(in.b) : read(in.c);
      break;
    case Opcode::kPand:
      lane.predicates[in.d] = ReadPredicate(lane, in.a) && ReadPredicate(lane, in.b);
      break;
    case Opcode::kPor:
      lane.predicates[in.d] = ReadPredicate(lane, in.a) || ReadPredicate(lane, in.b);
      break;
    case Opcode::kPxor:
      lane.predicates[in.d] = ReadPredicate(lane, in.a) != ReadPredicate(lane, in.b);
      break;
    case Opcode::kPnot:
      lane.predicates[in.d] = !ReadPredicate(lane, in.a);
      break;
    case Opcode::kReduceAdd:
    case Opcode::kReduceMin:
    case Opcode::kReduceMax:
    case Opcode::kReduceMul:
      d = Fold(lane, in);
      break;
    case Opcode::kMemFence:
      break;
    case Opcode::kClsGet:
      d = Value{Type::kU8, (uint64_t{launch_.class_base} + lane.block[0]) % 96};
      break;
    case Opcode::kPhaseGet:
      d = Value{Type::kU32, lane.phase};
      break;
    case Opcode::kPhaseAdv:
      lane.phase = (lane.phase + in.imm) % 768;
      break;
    case Opcode::kMirror:
    case Opcode::kNbrCount:
    case Opcode::kNbrGet:
    case Opcode::kBoundMap:
    case Opcode::kResAccum:
    case Opcode::kUnityTest:
    case Opcode::kPoolAlloc:
    case Opcode::kPoolFree:
    case Opcode::kPoolLoad:
    case Opcode::kPoolStore:
    case Opcode::kReadSreg:
      d = ReadSreg(lane, in.sreg());
      break;
    case Opcode::kLdl:
    case Opcode::kStl:
    case Opcode::kCall:
    case Opcode::kRet:
    case Opcode::kBlkRed:
    case Opcode::kBlkScan:
    case Opcode::kTrap:
    case Opcode::kPrint:
    case Opcode::kPrintText:
    case Opcode::kPrintEnd:
    case Opcode::kAtgCas:
    case Opcode::kAtsCas:
    case Opcode::kAtgFloat:
    case Opcode::kAtsFloat:
    case Opcode::kLdg:
    case Opcode::kStg:
    case Opcode::kLds:
    case Opcode::kSts:
    case Opcode::kAtg:
    case Opcode::kAts:
    case Opcode::kBra:
    case Opcode::kLoop:
    case Opcode::kExit:
    case Opcode::kBarSync:
      result_.broken = "no data instruction";  // handled by the callers
      break;
  }
}

// The address of an element, or nullptr after a fault.
uint8_t* ScalarMachine::Locate(Lane& lane, const Instruction& in) {
  const auto size = static_cast<__int128>(isa::SizeOf(in.type));
  uint8_t* data = nullptr;
  __int128 bytes = 0;
  if (isa::IsSharedAccess(in.op)) {
    data = shared_[in.a].data();
    bytes = static_cast<__int128>(shared_[in.a].size());
  } else if (isa::IsLocalAccess(in.op)) {
    data = lane.locals[in.a].data();
    bytes = static_cast<__int128>(lane.locals[in.a].size());
  } else {
    const uint64_t parameter = Read(lane, in.a, Type::kU64).bits;
    size_t buffer = 0;
    for (uint64_t k = 0; k < parameter; ++k) buffer += program_.parameters[k].is_buffer ? 1 : 0;
    data = static_cast<uint8_t*>(launch_.buffers[buffer].data);
    bytes = static_cast<__int128>(launch_.buffers[buffer].bytes);
  }
  const __int128 element = IntegerOf(Read(lane, in.b, std::nullopt)) + in.displacement() / size;
  if (element < 0 || (element + 1) * size > bytes) {
    Fault(lane, HOLOGRAM_FAULT_OUT_OF_BOUNDS, static_cast<int64_t>(element));
    return nullptr;
  }
  return data + static_cast<ptrdiff_t>(element * size);
}

void ScalarMachine::StepAccess(Lane& lane, const Instruction& in) {
  uint8_t* const address = Locate(lane, in);
  if (address == nullptr || !result_.broken.empty()) return;
  const size_t size = isa::SizeOf(in.type);
  if (isa::IsStore(in.op)) {
    const Value value = Read(lane, in.c, in.type);
    std::memcpy(address, &value.bits, size);
    return;
  }
  Value old{in.type, 0};
  std::memcpy(&old.bits, address, size);
  if (IsLaunchSum(lane.pc)) {
    LaunchSum& sum = sums_[lane.pc];
    sum.element = address;
    sum.values.resize(num_lanes_);
    sum.values[lane.linear] = Read(lane, in.c, in.type);
  } else if (isa::IsAtomic(in.op)) {
    const bool swaps = isa::IsCompareAndSwap(in.op);
    const Value operand = Read(lane, in.c, in.type);
    const Value desired = swaps ? Read(lane, in.mod, in.type) : operand;
    Value next = swaps ? (old.bits == operand.bits ? desired : old)
                       : AtomicResult(in.atomic_op(), old, operand);
    std::memcpy(address, &next.bits, size);
  }
  lane.registers[in.d] = old;
}

// Without calls, places in source() are those of program().
bool ScalarMachine::IsLaunchSum(uint32_t pc) const {
  return program_.code == verified_.program().code && verified_.IsLaunchSum(pc);
}

// The sum over blocks of 1,024 lanes, from block `first` on.
Value ScalarMachine::LaunchTotal(const std::vector<std::optional<Value>>& values, Type type,
                                 size_t first, size_t blocks) {
  if (blocks == 1) {
    std::vector<Value> slots(1024, PaddingOf(isa::BlockOp::kAdd, type));
    for (size_t i = 0; i < 1024 && first * 1024 + i < values.size(); ++i) {
      if (values[first * 1024 + i]) slots[i] = *values[first * 1024 + i];
    }
    return SlotTree(slots, Opcode::kAdd, 0, 1);
  }
  size_t half = 1;
  while (2 * half < blocks) half *= 2;
  return Binary(Opcode::kAdd, LaunchTotal(values, type, first, half),
                LaunchTotal(values, type, first + half, blocks - half));
}

void ScalarMachine::AddLaunchSums() {
  if (result_.fault || !result_.broken.empty()) return;
  for (const auto& [pc, sum] : sums_) {
    Value old{program_.code[pc].type, 0};
    const size_t size = isa::SizeOf(old.type);
    std::memcpy(&old.bits, sum.element, size);
    const Value total = LaunchTotal(sum.values, old.type, 0, (num_lanes_ + 1023) / 1024);
    const Value next = Binary(Opcode::kAdd, old, total);
    std::memcpy(sum.element, &next.bits, size);
  }
}

}  // namespace

ScalarResult RunScalar(const verify::VerifiedProgram& program, const launch::Launch& launch) {
  return ScalarMachine(program, launch).Run();
}

}  // namespace hologram::tests
