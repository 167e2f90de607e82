#include "profile/line_counts.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "interpreter/interpreter.h"
#include "isa/instruction.h"
#include "isa/type.h"
#include "launch/fault_text.h"

namespace hologram::profile {
namespace {

// Which elements of the buffers of a launch were touched.
class Touched {
 public:
  Touched(const isa::Program& program, const launch::Launch& launch) {
    size_t number = 0;
    for (const isa::Parameter& parameter : program.parameters) {
      const uint64_t bytes = parameter.is_buffer ? launch.buffers[number++].bytes : 0;
      elements_.emplace_back(static_cast<size_t>(bytes / isa::SizeOf(parameter.type)));
      sizes_.push_back(isa::SizeOf(parameter.type));
    }
  }
  void Mark(uint32_t parameter, uint64_t element) {
    elements_[parameter][static_cast<size_t>(element)] = true;
  }
  uint64_t bytes() const {
    uint64_t sum = 0;
    for (size_t k = 0; k < elements_.size(); ++k) {
      const auto& of = elements_[k];
      sum += sizes_[k] * static_cast<uint64_t>(std::count(of.begin(), of.end(), true));
    }
    return sum;
  }

 private:
  std::vector<std::vector<bool>> elements_;  // by parameter
  std::vector<uint64_t> sizes_;
};

// By instruction of the program that runs.
class Counter : public interpreter::Observer {
 public:
  Counter(const verify::VerifiedProgram& program, const launch::Launch& launch)
      : program_(program),
        counts_(program.program().code.size()),
        read_(program.program(), launch),
        written_(program.program(), launch) {}

  void Access(uint32_t pc, uint64_t /*lane*/, uint64_t element) override {
    const verify::AccessFact* fact = program_.AccessAt(pc);
    if (fact == nullptr || !fact->global()) return;
    const isa::Opcode op = program_.program().code[pc].op;
    if (!isa::IsStore(op)) read_.Mark(fact->slot, element);
    if (!isa::IsLoad(op)) written_.Mark(fact->slot, element);
  }
  uint64_t bytes() const { return read_.bytes() + written_.bytes(); }
  void Barrier(uint64_t /*lane*/) override {}
  bool GoesOn(uint64_t /*lanes*/) override { return true; }
  void Runs(uint32_t pc, std::span<const uint64_t> lanes) override {
    static_assert(64 % kVectorLanes == 0);
    constexpr uint64_t kVector = (uint64_t{1} << kVectorLanes) - 1;
    Count& count = counts_[pc];
    for (const uint64_t word : lanes) {
      if (word == 0) continue;
      count.lanes += static_cast<uint64_t>(std::popcount(word));
      for (uint32_t first = 0; first < 64; first += kVectorLanes) {
        count.vectors += (word >> first & kVector) != 0 ? 1 : 0;
      }
    }
  }
  const std::vector<Count>& counts() const { return counts_; }

 private:
  const verify::VerifiedProgram& program_;
  std::vector<Count> counts_;
  Touched read_;
  Touched written_;
};

// Operations on floats of one lane.
uint64_t OperationsOf(const isa::Instruction& in) {
  if (!isa::IsFloat(in.type)) return 0;
  using isa::Opcode;
  if (in.op == Opcode::kMad || in.op == Opcode::kFma) return 2;
  if (isa::IsReduce(in.op)) return in.imm == 0 ? 0 : in.imm - 1;
  const bool arithmetic = in.op >= Opcode::kAdd && in.op <= Opcode::kNeg;
  const bool function = in.op >= Opcode::kExp && in.op <= Opcode::kSigmoid;
  const bool more = in.op >= Opcode::kErf && in.op <= Opcode::kAtan2;
  const bool round = in.op >= Opcode::kFloor && in.op <= Opcode::kRound;
  const bool together = in.op == Opcode::kBlkRed || in.op == Opcode::kBlkScan;
  const bool atomic = isa::IsFloatAtomic(in.op);
  return arithmetic || function || more || round || together || atomic ? 1 : 0;
}

}  // namespace

LaunchCounts CountsOf(const verify::VerifiedProgram& program, std::span<const Count> of) {
  const isa::Program& code = program.program();
  LaunchCounts counts;
  std::map<std::pair<std::string, uint32_t>, LineCount> lines;
  for (uint32_t pc = 0; pc < code.code.size(); ++pc) {
    const Count& count = of[pc];
    counts.executions.push_back(count.lanes);
    Location where = program.source().LocationOf(program.SourcePc(pc));
    LineCount& line = lines[{where.file, where.line}];
    if (line.where.line == 0) line.where = std::move(where);
    line.executions = std::max(line.executions, count.lanes);
    line.steps += count.lanes;
    line.vectors += count.vectors;
    const isa::Instruction& in = code.code[pc];
    const uint64_t bytes = count.lanes * isa::SizeOf(in.type);
    if (in.op == isa::Opcode::kLdg) line.loaded += bytes;
    if (in.op == isa::Opcode::kStg) line.stored += bytes;
    const uint64_t operations = count.lanes * OperationsOf(in);
    (in.type == isa::Type::kF64 ? counts.work.operations64 : counts.work.operations32) +=
        operations;
  }
  for (auto& [place, line] : lines) counts.lines.push_back(std::move(line));
  return counts;
}

Result<LaunchCounts> CountLaunch(const verify::VerifiedProgram& program,
                                 const launch::Launch& launch) {
  Counter counter(program, launch);
  HOLOGRAM_ASSIGN_OR_RETURN(const std::optional<launch::Fault> fault,
                            interpreter::Run(program, launch, nullptr, &counter));
  if (fault) return launch::DescribeFault(program, launch, *fault);
  LaunchCounts counts = CountsOf(program, counter.counts());
  counts.work.bytes = counter.bytes();
  return counts;
}

}  // namespace hologram::profile
