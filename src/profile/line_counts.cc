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

struct Count {
  uint64_t lanes = 0;
  uint64_t vectors = 0;
};

// By instruction of the program that runs.
class Counter : public interpreter::Observer {
 public:
  explicit Counter(size_t instructions) : counts_(instructions) {}

  void Access(uint32_t /*pc*/, uint64_t /*lane*/, uint64_t /*element*/) override {}
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
  std::vector<Count> counts_;
};

}  // namespace

Result<std::vector<LineCount>> CountLines(const verify::VerifiedProgram& program,
                                          const launch::Launch& launch) {
  const isa::Program& code = program.program();
  Counter counter(code.code.size());
  HOLOGRAM_ASSIGN_OR_RETURN(const std::optional<launch::Fault> fault,
                            interpreter::Run(program, launch, nullptr, &counter));
  if (fault) return launch::DescribeFault(program, launch, *fault);
  std::map<std::pair<std::string, uint32_t>, LineCount> lines;
  for (uint32_t pc = 0; pc < code.code.size(); ++pc) {
    const Count& count = counter.counts()[pc];
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
  }
  std::vector<LineCount> sorted;
  for (auto& [place, line] : lines) sorted.push_back(std::move(line));
  return sorted;
}

}  // namespace hologram::profile
