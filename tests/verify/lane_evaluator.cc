#include "lane_evaluator.h"

#include <array>

#include "differential/scalar_value.h"
#include "isa/atlas.h"

namespace hologram::verify::test {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Sreg;
using isa::Type;
using Wide = __int128;

uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9E3779B97F4A7C15u;
  return x ^ (x >> 29);
}

uint64_t Truncate(Type type, Wide value) {
  const uint32_t unused = 64 - BitsOf(type);
  return static_cast<uint64_t>(value) << unused >> unused;
}

uint64_t ReadSreg(Sreg sreg, const hologram_launch_shape& shape, const LaneId& id) {
  const auto number = static_cast<uint32_t>(sreg);
  const uint32_t d = number % 3;
  if (sreg == Sreg::kLinear) return 0;  // not generated
  switch (number / 3) {
    case 0:
      return id.lane[d];
    case 1:
      return id.block[d];
    case 2:
      return shape.block[d];
    case 3:
      return shape.grid[d];
    default:
      return uint64_t{id.block[d]} * shape.block[d] + id.lane[d];
  }
}

class Evaluator {
 public:
  Evaluator(const LaneEvaluator& lanes, const hologram_launch_shape& shape, const LaneId& id,
            LaneRun* run)
      : lanes_(lanes), program_(lanes.program()), shape_(shape), id_(id), run_(*run) {}

  void Run(const std::vector<uint64_t>& scalars) {
    size_t next = 0;
    for (size_t k = 0; k < program_.parameters.size(); ++k) {
      index_types_[k + 1] = program_.parameters[k].type;
      registers_[k + 1] = program_.parameters[k].is_buffer ? k : scalars[next++];
    }
    constexpr int kMaxSteps = 600;
    for (int step = 0; pc_ < program_.code.size(); ++step) {
      if (step == kMaxSteps) {
        run_.complete = false;
        break;
      }
      if (!Step(program_.code[pc_])) break;
    }
  }

 private:
  Wide Get(Type type, uint8_t reg) const { return ValueOf(type, registers_[reg]); }
  tests::Value Operand(Type type, uint8_t reg) const {
    return {type, Truncate(type, static_cast<Wide>(registers_[reg]))};
  }
  void Write(const Instruction& i, const tests::Value& value) {
    Write(i, static_cast<Wide>(value.bits));
  }

  void Write(const Instruction& i, Wide value) {
    registers_[i.d] = Truncate(i.type, value);
    run_.writes.push_back({pc_, path_, Get(i.type, i.d), 0, 0});
  }

  void Access(const Instruction& i, uint32_t slot) {
    const Wide element =
        Get(index_types_[i.b], i.b) + i.displacement() / static_cast<int64_t>(SizeOf(i.type));
    const uint64_t stored = isa::IsStore(i.op) ? Truncate(i.type, Get(i.type, i.c)) : 0;
    run_.accesses.push_back(
        {pc_, path_, element, static_cast<uint32_t>(run_.barriers.size()), stored});
    if (isa::IsStore(i.op)) return;
    uint64_t data = Mix(Mix(slot + 1) ^ static_cast<uint64_t>(element));
    if (data % 2 == 0) data %= 24;
    Write(i, static_cast<Wide>(data));
  }

  bool Step(const Instruction& i) {
    if (i.op == Opcode::kExit) return false;
    if (i.op == Opcode::kBra) {
      const bool taken = !i.conditional() || predicates_[i.a];
      if (i.conditional()) path_ = Mix(path_ ^ (pc_ * 2 + (taken ? 1 : 0) + 1));
      pc_ = taken ? i.target() : pc_ + 1;
      return true;
    }
    if (i.op == Opcode::kLoop) return Loop(i);
    if (!Compute(i)) return false;
    if (lanes_.writes_register(pc_)) index_types_[i.d] = i.type;
    ++pc_;
    return true;
  }

  bool Loop(const Instruction& i) {
    const uint64_t count = registers_[i.a];
    registers_[i.a] = count == 0 ? 0 : count - 1;
    run_.writes.push_back({pc_, path_, static_cast<Wide>(registers_[i.a])});
    path_ = Mix(path_ ^ (pc_ * 2 + (count > 0 ? 1 : 0) + 1));
    pc_ = count > 0 ? i.target() : pc_ + 1;
    return true;
  }

  bool Compute(const Instruction& i);
  bool OfClass(const Instruction& i);

  const LaneEvaluator& lanes_;
  const isa::Program& program_;
  const hologram_launch_shape& shape_;
  const LaneId& id_;
  LaneRun& run_;
  uint32_t pc_ = 0;
  uint64_t path_ = 1;
  std::array<uint64_t, 256> registers_{};
  std::array<Type, 256> index_types_{};
  std::array<bool, 16> predicates_{};
};

bool Evaluator::Compute(const Instruction& i) {
  const tests::Value a = Operand(i.type, i.a);
  const tests::Value b = Operand(i.type, i.b);
  switch (i.op) {
    case Opcode::kLdg:
    case Opcode::kStg:
    case Opcode::kAtg:
    case Opcode::kAtgCas:
      Access(i, i.a);
      break;
    case Opcode::kLds:
    case Opcode::kSts:
    case Opcode::kAts:
    case Opcode::kAtsCas:
      Access(i, i.a + 100u);
      break;
    case Opcode::kBarSync:
      run_.barriers.push_back(pc_);
      break;
    case Opcode::kMov:
      Write(i, a);
      break;
    case Opcode::kMovImm:
      Write(i, static_cast<Wide>(i.imm));
      break;
    case Opcode::kCvt:
      Write(i, tests::Convert(i.type, Operand(i.source_type(), i.a)));
      break;
    case Opcode::kDiv:
    case Opcode::kRem:
      if (b.bits == 0) return false;
      [[fallthrough]];
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kAnd:
    case Opcode::kXor:
      Write(i, tests::Binary(i.op, a, b));
      break;
    case Opcode::kMad:
      Write(i, tests::Ternary(i.op, a, b, Operand(i.type, i.c)));
      break;
    case Opcode::kShl:
    case Opcode::kShr:
      Write(i, tests::Shift(i.op, a, b.bits));
      break;
    case Opcode::kSel:
      Write(i, predicates_[i.a] ? b : Operand(i.type, i.c));
      break;
    case Opcode::kSet:
      predicates_[i.d] = tests::Compare(i.condition(), a, b);
      break;
    case Opcode::kPand:
      predicates_[i.d] = predicates_[i.a] && predicates_[i.b];
      break;
    case Opcode::kPor:
      predicates_[i.d] = predicates_[i.a] || predicates_[i.b];
      break;
    case Opcode::kPnot:
      predicates_[i.d] = !predicates_[i.a];
      break;
    case Opcode::kReduceAdd:
    case Opcode::kReduceMin:
    case Opcode::kReduceMax: {
      const Opcode op = i.op == Opcode::kReduceAdd   ? Opcode::kAdd
                        : i.op == Opcode::kReduceMin ? Opcode::kMin
                                                     : Opcode::kMax;
      tests::Value folded = a;
      for (uint64_t k = 1; k < i.imm; ++k) {
        folded = tests::Binary(op, folded, Operand(i.type, static_cast<uint8_t>(i.a + k)));
      }
      Write(i, folded);
      break;
    }
    case Opcode::kMirror:
    case Opcode::kNbrCount:
    case Opcode::kNbrGet:
    case Opcode::kBoundMap:
      return OfClass(i);
    case Opcode::kReadSreg:
      Write(i, static_cast<Wide>(ReadSreg(i.sreg(), shape_, id_)));
      break;
    default:
      return false;
  }
  return true;
}

bool Evaluator::OfClass(const Instruction& i) {
  const auto c = static_cast<uint8_t>(registers_[i.a]);
  const bool map = i.op == Opcode::kBoundMap;
  if (c >= isa::kNumClasses || (map && registers_[i.b] >= isa::kPagesPerClass)) {
    run_.fault = pc_;
    return false;
  }
  if (map) {
    Write(i, isa::PhiAddress(c, static_cast<uint32_t>(registers_[i.b]),
                             static_cast<uint32_t>(registers_[i.c])));
  } else {
    Write(i, i.op == Opcode::kMirror     ? isa::Mirror(c)
             : i.op == Opcode::kNbrCount ? isa::NumNeighbours(c)
                                         : isa::Neighbour(c, i.mod));
  }
  return true;
}

}  // namespace

__int128 ValueOf(Type type, uint64_t bits) {
  const uint32_t unused = 64 - BitsOf(type);
  if (IsSignedInteger(type)) return static_cast<int64_t>(bits << unused) >> unused;
  return bits << unused >> unused;
}

LaneEvaluator::LaneEvaluator(const isa::Program& program) : program_(program) {
  for (const Instruction& i : program.code) {
    writes_register_.push_back(isa::UsesOf(i).write.has_value());
  }
}

void LaneEvaluator::Run(const std::vector<uint64_t>& scalars, const hologram_launch_shape& shape,
                        const LaneId& id, LaneRun* run) const {
  run->accesses.clear();
  run->writes.clear();
  run->barriers.clear();
  run->complete = true;
  run->fault.reset();
  Evaluator(*this, shape, id, run).Run(scalars);
}

}  // namespace hologram::verify::test
