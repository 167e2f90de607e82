#include "launch/work_model.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace hologram::launch {
namespace {

using isa::Instruction;
using isa::Opcode;
using verify::Shape;

// Nanoseconds per lane, measured on AVX-512 at about 3 GHz with 32-bit types.
constexpr double kOperation = 0.02;
constexpr double kContiguous = 0.03;
constexpr double kUniformAccess = 0.005;
constexpr double kScattered = 0.4;
constexpr double kFunction = 0.3;
constexpr double kFastFunction = 0.15;
constexpr double kIntegerDivision = 0.4;
constexpr double kFloatDivision = 0.1;
constexpr double kAtomic = 1.5;
constexpr double kContendedAtomic = 40;
constexpr double kServed = 20;
constexpr double kBarrier = 0.3;

constexpr double kForever = 1e18;

double AccessNs(const VerifiedProgram& program, uint32_t pc) {
  const verify::AccessFact* access = program.AccessAt(pc);
  if (access == nullptr || !access->stride) return kScattered;
  if (*access->stride == 0) return kUniformAccess;
  return *access->stride == 1 ? kContiguous : kScattered / 2;
}

// Atomic updates of a buffer that a lane makes. All lanes of a vector make one together where they
// mean the same element.
double UpdatesOf(const VerifiedProgram& program, uint32_t pc) {
  const isa::Opcode op = program.program().code[pc].op;
  if (!isa::IsAtomic(op) || !isa::IsGlobalAccess(op)) return 0;
  const verify::AccessFact* access = program.AccessAt(pc);
  const bool uniform = access != nullptr && access->stride && *access->stride == 0;
  return uniform ? 1.0 / 16 : 1.0;
}

bool IsFunction(const Instruction& in) {
  const auto operands = isa::InfoOf(in.op).operands;
  return std::any_of(operands.begin(), operands.end(), [](const isa::Operand& operand) {
    return operand.kind == isa::OperandKind::kAccuracy;
  });
}

double NarrowNs(const VerifiedProgram& program, uint32_t pc) {
  const Instruction& in = program.program().code[pc];
  if (isa::IsGlobalAccess(in.op) && isa::IsAtomic(in.op)) return kAtomic * UpdatesOf(program, pc);
  if (isa::IsAtomic(in.op)) return kAtomic;
  if (isa::IsServed(in.op)) return kServed;
  if (isa::IsAccess(in.op)) return AccessNs(program, pc);
  if (isa::IsBarrier(in.op)) return kBarrier;
  if (IsFunction(in)) return in.mod != 0 ? kFastFunction : kFunction;
  if (in.op == Opcode::kDiv || in.op == Opcode::kRem) {
    return isa::IsInteger(in.type) ? kIntegerDivision : kFloatDivision;
  }
  if (isa::IsReduce(in.op)) return kOperation * static_cast<double>(1 + in.imm);
  const isa::Uses uses = isa::UsesOf(in);
  if (!uses.write && !uses.predicate_write) return 0;
  // Uniform and affine values are computed once for all lanes.
  return program.ShapeOf(pc).shape == Shape::kVarying ? kOperation : 0;
}

double InstructionNs(const VerifiedProgram& program, uint32_t pc) {
  const Instruction& in = program.program().code[pc];
  const double ns = NarrowNs(program, pc);
  const bool typed = isa::InfoOf(in.op).types != isa::TypeSet::kNone;
  return typed && isa::SizeOf(in.type) == 8 ? 2 * ns : ns;
}

// The blocks of a loop: all from which a back edge is reached without passing the header.
std::vector<char> BodyOf(const VerifiedProgram& program, const verify::LoopFact& loop) {
  std::vector<char> body(program.blocks().size(), 0);
  body[loop.header] = 1;
  std::vector<uint32_t> work(loop.back_edges);
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    if (body[b] != 0) continue;
    body[b] = 1;
    const auto& before = program.blocks()[b].predecessors;
    work.insert(work.end(), before.begin(), before.end());
  }
  return body;
}

// Of the scalar that is parameter `number`.
uint32_t ScalarNumber(const VerifiedProgram& program, uint32_t number) {
  const auto& parameters = program.program().parameters;
  return static_cast<uint32_t>(
      std::count_if(parameters.begin(), parameters.begin() + number,
                    [](const isa::Parameter& parameter) { return !parameter.is_buffer; }));
}

double LanesOf(const Launch& launch) {
  double lanes = 1;
  for (int d = 0; d < 3; ++d) {
    lanes *= static_cast<double>(launch.shape.grid[d]) * launch.shape.block[d];
  }
  return lanes;
}

}  // namespace

// Linear in the program for each of the loops that count, whatever the program is.
class WorkModel::Builder {
 public:
  explicit Builder(const VerifiedProgram& program) : program_(program) {
    for (uint32_t pc = 0; pc < code().size(); ++pc) {
      const isa::Uses uses = isa::UsesOf(code()[pc]);
      if (!uses.write) continue;
      Writes& writes = writes_[uses.write->reg];
      if (writes.count++ == 0) writes.first = pc;
    }
  }

  Loop MakeLoop(const std::vector<char>& body) const {
    Loop loop;
    for (uint32_t b = 0; b < body.size(); ++b) {
      // Only where the loop may be left.
      if (body[b] == 0 || !Leaves(b, body)) continue;
      const verify::BasicBlock& block = program_.blocks()[b];
      for (uint32_t pc = block.begin; pc < block.end; ++pc) {
        const Instruction& in = code()[pc];
        const isa::Uses uses = isa::UsesOf(in);
        // The counter of LOOP starts with the number of rounds, written before the loop.
        const bool compares = in.op == Opcode::kSet && isa::IsInteger(in.type);
        const int sides = in.op == Opcode::kLoop ? 1 : compares ? uses.num_reads : 0;
        for (int side = 0; side < sides; ++side) {
          const uint8_t reg = uses.reads[static_cast<size_t>(side)].reg;
          if (Measure(reg, in.op == Opcode::kLoop, &loop)) return loop;
        }
      }
    }
    return loop;
  }

 private:
  struct Writes {
    uint32_t count = 0;
    uint32_t first = 0;
  };

  const std::vector<Instruction>& code() const { return program_.program().code; }

  bool Leaves(uint32_t block, const std::vector<char>& body) const {
    const auto& successors = program_.blocks()[block].successors;
    return std::any_of(successors.begin(), successors.end(),
                       [&](uint32_t s) { return s == verify::kExitBlock || body[s] == 0; });
  }

  // Whether register `reg` holds a constant, or a scalar of the launch; or, of a counter, starts
  // with one.
  bool Measure(uint8_t reg, bool is_counter, Loop* loop) const {
    // Copies and conversions of it are followed to where they come from, which is earlier.
    uint32_t limit = UINT32_MAX;
    for (;;) {
      const Writes& writes = writes_[reg];
      if (writes.count == 0) return IsScalar(reg, loop);
      if (writes.first >= limit || (writes.count != 1 && !is_counter)) return false;
      const Instruction& write = code()[writes.first];
      if (write.op == Opcode::kMovImm && isa::IsInteger(write.type)) {
        loop->rounds = Rounds::kConstant;
        loop->count = static_cast<double>(static_cast<int64_t>(write.imm));
        return loop->count > 0;
      }
      if (write.op != Opcode::kMov && write.op != Opcode::kCvt) return false;
      limit = writes.first;
      reg = isa::UsesOf(write).reads[0].reg;
      is_counter = false;
    }
  }

  bool IsScalar(uint8_t reg, Loop* loop) const {
    const auto& parameters = program_.program().parameters;
    if (reg < 1 || reg > parameters.size()) return false;
    const isa::Parameter& parameter = parameters[reg - 1U];
    if (parameter.is_buffer || !isa::IsInteger(parameter.type)) return false;
    loop->rounds = Rounds::kScalar;
    loop->scalar = ScalarNumber(program_, reg - 1U);
    loop->is_signed = isa::IsSignedInteger(parameter.type);
    loop->bits = isa::BitsOf(parameter.type);
    return true;
  }

  const VerifiedProgram& program_;
  std::array<Writes, 256> writes_{};
};

WorkModel::WorkModel(const VerifiedProgram& program) {
  std::vector<uint64_t> around(program.blocks().size(), 0);
  if (!program.loops().empty()) {
    const Builder builder(program);
    for (const verify::LoopFact& loop : program.loops()) {
      if (loops_.size() == 64) break;
      const std::vector<char> body = BodyOf(program, loop);
      for (size_t b = 0; b < body.size(); ++b) {
        if (body[b] != 0) around[b] |= uint64_t{1} << loops_.size();
      }
      loops_.push_back(builder.MakeLoop(body));
      loops_.back().bound = loop.bound;
      for (verify::ScalarProduct& product : loops_.back().bound) {
        for (uint32_t& scalar : product.scalars) scalar = ScalarNumber(program, scalar);
      }
    }
  }
  std::map<uint64_t, Part> parts;
  for (uint32_t b = 0; b < program.blocks().size(); ++b) {
    const verify::BasicBlock& block = program.blocks()[b];
    if (!block.reachable) continue;
    for (uint32_t pc = block.begin; pc < block.end; ++pc) {
      Part& part = parts[around[b]];
      part.loops = around[b];
      const double ns = InstructionNs(program, pc);
      part.ns += ns;
      part.most_ns += std::max(ns, kOperation);
      part.updates += UpdatesOf(program, pc);
    }
  }
  for (const auto& [loops, part] : parts) parts_.push_back(part);
  product_ = MakeProduct();
  if (loops_.size() == program.loops().size()) limit_ = MakeLimit();
}

std::optional<WorkModel::Product> WorkModel::MakeLimit() const {
  Product limit;
  std::map<uint32_t, size_t> most;  // how often a scalar is in the product of a part
  for (const Part& part : parts_) {
    double ns = part.most_ns;
    std::map<uint32_t, size_t> in_part;
    for (size_t k = 0; k < loops_.size(); ++k) {
      if ((part.loops >> k & 1) == 0) continue;
      if (loops_[k].bound.empty()) return std::nullopt;
      double factor = 0;
      std::map<uint32_t, size_t> of_loop;
      for (const verify::ScalarProduct& product : loops_[k].bound) {
        factor += static_cast<double>(product.factor);
        std::map<uint32_t, size_t> counts;
        for (const uint32_t scalar : product.scalars) ++counts[scalar];
        for (const auto& [scalar, count] : counts)
          of_loop[scalar] = std::max(of_loop[scalar], count);
      }
      ns = std::min(ns * std::max(factor, 1.0), kForever);
      for (const auto& [scalar, count] : of_loop) in_part[scalar] += count;
    }
    for (const auto& [scalar, count] : in_part) most[scalar] = std::max(most[scalar], count);
    limit.ns += ns;
  }
  for (const auto& [scalar, count] : most) {
    limit.scalars.insert(limit.scalars.end(), count, scalar);
  }
  return limit;
}

double WorkModel::MostLaneNs(std::span<const uint64_t> scalars) const {
  if (!limit_) return std::numeric_limits<double>::infinity();
  return Sum(&Part::most_ns, [&](const Loop& loop) {
    double rounds = 0;
    for (const verify::ScalarProduct& product : loop.bound) {
      double most = static_cast<double>(product.factor);
      for (const uint32_t k : product.scalars) {
        most *= static_cast<double>(std::max<uint64_t>(scalars[k], 1));
      }
      rounds += most;
    }
    return rounds;
  });
}

WorkModel::Product WorkModel::MakeProduct() const {
  Product limit;
  std::map<uint32_t, size_t> most;  // how many loops of a part a scalar ends
  for (const Part& part : parts_) {
    double ns = part.ns;
    std::map<uint32_t, size_t> nested;
    for (size_t k = 0; k < loops_.size(); ++k) {
      if ((part.loops >> k & 1) == 0) continue;
      if (loops_[k].rounds == Rounds::kScalar) ++nested[loops_[k].scalar];
      if (loops_[k].rounds == Rounds::kConstant) ns = std::min(ns * loops_[k].count, kForever);
      if (loops_[k].rounds == Rounds::kData) ns *= kRoundsOfDataLoop;
    }
    for (const auto& [scalar, count] : nested) most[scalar] = std::max(most[scalar], count);
    limit.ns += ns;
  }
  for (const auto& [scalar, count] : most) {
    limit.scalars.insert(limit.scalars.end(), count, scalar);
  }
  return limit;
}

bool WorkModel::IsSurelyBelow(const Launch& launch, double ns) const {
  double most = LanesOf(launch) * product_.ns;
  for (const uint32_t k : product_.scalars) {
    // What is narrower than 64 bits, or negative, is not looked at closely: it is only larger here.
    most *= static_cast<double>(std::max<uint64_t>(launch.scalars[k], 1));
  }
  return most < ns;
}

template <class F>
double WorkModel::Sum(double Part::* amount, F rounds_of) const {
  double sum = 0;
  for (const Part& part : parts_) {
    double product = part.*amount;
    for (size_t k = 0; k < loops_.size(); ++k) {
      if ((part.loops >> k & 1) == 0) continue;
      product = std::min(product * std::max(rounds_of(loops_[k]), 1.0), kForever);
    }
    sum += product;
  }
  return sum;
}

double WorkModel::Sum(double Part::* amount, std::span<const uint64_t> scalars) const {
  return Sum(amount, [&](const Loop& loop) {
    if (loop.rounds == Rounds::kConstant) return loop.count;
    if (loop.rounds == Rounds::kData) return kRoundsOfDataLoop;
    const uint32_t unused = 64 - loop.bits;
    const uint64_t top = scalars[loop.scalar] << unused;
    return loop.is_signed ? static_cast<double>(static_cast<int64_t>(top) >> unused)
                          : static_cast<double>(top >> unused);
  });
}

double WorkModel::LaneNs(std::span<const uint64_t> scalars) const {
  return Sum(&Part::ns, scalars);
}

double WorkModel::LaneNs(double rounds) const {
  return Sum(&Part::ns, [&](const Loop& loop) {
    return loop.rounds == Rounds::kConstant ? loop.count : rounds;
  });
}

double WorkModel::LaunchNs(const Launch& launch) const {
  return LanesOf(launch) * LaneNs(launch.scalars);
}

double WorkModel::SplitNs(const Launch& launch, uint32_t threads) const {
  const double updates = Sum(&Part::updates, launch.scalars);
  const double rest = LaneNs(launch.scalars) - updates * kAtomic;
  return LanesOf(launch) * (rest / threads + updates * kContendedAtomic);
}

}  // namespace hologram::launch
