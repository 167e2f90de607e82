#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

#include "drawing/drawing.h"
#include "drawing/sheet.h"
#include "isa/instruction.h"
#include "isa/type.h"

namespace hologram::drawing {
namespace {

constexpr size_t kMostCharacters = 64;  // of a line of source
constexpr const char* kProved = "✓";
constexpr const char* kChecked = "!";

using verify::BasicBlock;

std::string SignatureOf(const isa::Program& program) {
  std::string text = program.name + "(";
  for (size_t k = 0; k < program.NumArguments(); ++k) {
    const isa::Parameter& p = program.parameters[k];
    text += (k == 0 ? "" : ", ") + p.name + ": " + std::string(isa::NameOf(p.type)) +
            (p.is_buffer ? "[]" : "");
  }
  return text + ")";
}

class Flow {
 public:
  Flow(const verify::VerifiedProgram& program, profile::Sources& sources,
       const profile::LaunchCounts* counts)
      : program_(program),
        code_(program.program()),
        sources_(sources),
        counts_(counts),
        sheet_(SignatureOf(code_), SubtitleOf(program)) {}

  Result<std::string> Draw() {
    FindBoxes();
    FindTotals();
    for (const std::vector<uint32_t>& box : boxes_) sheet_.Add(CardOf(box));
    for (size_t k = 0; k < boxes_.size(); ++k) JoinBox(k);
    sheet_.Explain({kProved, "good", "proved: no check in the code"});
    sheet_.Explain({kChecked, "warn", "checked in each lane"});
    if (counts_ != nullptr) sheet_.Explain({"■", "hot", "share of all steps"});
    return sheet_.Draw();
  }

 private:
  static std::string SubtitleOf(const verify::VerifiedProgram& program) {
    size_t proved = 0;
    for (const verify::AccessFact& fact : program.accesses()) {
      proved += fact.tier == verify::Tier::kProved ? 1 : 0;
    }
    return program.program().source_file + "   " + std::to_string(proved) + " of " +
           std::to_string(program.accesses().size()) + " accesses proved";
  }

  // Blocks that can only follow each other are one box.
  void FindBoxes() {
    const std::vector<BasicBlock>& blocks = program_.blocks();
    std::vector<bool> inside(blocks.size(), false);
    for (uint32_t b = 0; b < blocks.size(); ++b) inside[b] = FollowsOne(b);
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      if (!blocks[b].reachable || inside[b]) continue;
      box_of_[b] = boxes_.size();
      boxes_.push_back({b});
      for (uint32_t last = b; blocks[last].successors.size() == 1;) {
        last = blocks[last].successors[0];
        if (last == verify::kExitBlock || !inside[last]) break;
        boxes_.back().push_back(last);
      }
    }
  }

  bool FollowsOne(uint32_t b) const {
    const BasicBlock& block = program_.blocks()[b];
    if (block.predecessors.size() != 1 || b == 0) return false;
    return program_.blocks()[block.predecessors[0]].successors.size() == 1;
  }

  uint64_t StepsOf(const std::vector<uint32_t>& box) const {
    uint64_t steps = 0;
    for (const uint32_t b : box) {
      for (uint32_t pc = program_.blocks()[b].begin; pc < program_.blocks()[b].end; ++pc) {
        steps += counts_->executions[pc];
      }
    }
    return steps;
  }

  void FindTotals() {
    if (counts_ == nullptr) return;
    for (const std::vector<uint32_t>& box : boxes_) {
      const uint64_t steps = StepsOf(box);
      all_steps_ += steps;
      most_steps_ = std::max(most_steps_, steps);
    }
  }

  Card CardOf(const std::vector<uint32_t>& box) {
    Card card;
    const BasicBlock& first = program_.blocks()[box[0]];
    AddLoop(box[0], card);
    if (first.divergent) card.lines.push_back({"under a mask", "small faint"});
    const size_t heads = card.lines.size();
    for (const uint32_t b : box) AddCode(b, card);
    if (card.lines.size() == heads) card.lines.push_back({EndOf(box), "faint"});
    AddCounts(box, card);
    return card;
  }

  void AddLoop(uint32_t header, Card& card) const {
    for (const verify::LoopFact& loop : program_.loops()) {
      if (loop.header != header) continue;
      card.lines.push_back(loop.ends_if_proved
                               ? TextLine{"loop, proved to end", "small good"}
                               : TextLine{"loop, its rounds are counted", "small warn"});
    }
  }

  std::string EndOf(const std::vector<uint32_t>& box) const {
    const isa::Instruction& last = code_.code[program_.blocks()[box.back()].end - 1];
    return last.op == isa::Opcode::kExit ? "the lane is done" : "go on";
  }

  // The lines of a block, in the order of its instructions, each once, with their accesses.
  void AddCode(uint32_t b, Card& card) {
    const BasicBlock& block = program_.blocks()[b];
    std::vector<uint32_t> order;
    std::map<uint32_t, std::vector<TextLine>> accesses;
    std::string file;
    for (uint32_t pc = block.begin; pc < block.end; ++pc) {
      // Constants are made before the branches that need them, on lines that come later.
      const isa::Opcode op = code_.code[pc].op;
      if (op == isa::Opcode::kExit || op == isa::Opcode::kMovImm) continue;
      const Location where = program_.source().LocationOf(program_.SourcePc(pc));
      if (where.line == 0) continue;
      if (file.empty()) file = where.file;
      if (std::find(order.begin(), order.end(), where.line) == order.end()) {
        order.push_back(where.line);
      }
      if (const auto access = AccessLine(pc)) accesses[where.line].push_back(*access);
    }
    for (const uint32_t line : order) {
      char number[16];
      std::snprintf(number, sizeof number, "%4u  ", line);
      card.lines.push_back(
          {number + picture::Shortened(sources_.LineOf(file, line), kMostCharacters)});
      for (TextLine& access : accesses[line]) card.lines.push_back(std::move(access));
    }
  }

  std::optional<TextLine> AccessLine(uint32_t pc) const {
    const verify::AccessFact* fact = program_.AccessAt(pc);
    if (fact == nullptr) return std::nullopt;
    const uint32_t place = program_.SourcePc(pc);
    const isa::Program& source = program_.source();
    const std::string text = place < source.debug.size() ? source.debug[place].text : "";
    const bool proved = fact->tier == verify::Tier::kProved;
    std::string words = std::string("      ") + (proved ? kProved : kChecked) + " " +
                        picture::Shortened(text.empty() ? NameOf(*fact) : text, kMostCharacters);
    if (fact->stride) {
      words += *fact->stride == 0   ? "  one element"
               : *fact->stride == 1 ? "  neighbours"
                                    : "  every " + std::to_string(*fact->stride);
    } else {
      words += "  scattered";
    }
    return TextLine{std::move(words), proved ? "small good" : "small warn"};
  }

  std::string NameOf(const verify::AccessFact& fact) const {
    if (fact.shared) return code_.shared[fact.slot].name;
    return fact.local ? code_.locals[fact.slot].name : code_.parameters[fact.slot].name;
  }

  void AddCounts(const std::vector<uint32_t>& box, Card& card) const {
    if (counts_ == nullptr) return;
    const uint64_t steps = StepsOf(box);
    const uint64_t runs = counts_->executions[program_.blocks()[box[0]].begin];
    char share[32];
    std::snprintf(share, sizeof share, "%.1f%% of all steps",
                  100.0 * static_cast<double>(steps) /
                      static_cast<double>(std::max<uint64_t>(all_steps_, 1)));
    card.lines.push_back(
        {picture::Short(static_cast<double>(runs)) + " times, " + share, "small faint"});
    card.heat =
        static_cast<double>(steps) / static_cast<double>(std::max<uint64_t>(most_steps_, 1));
  }

  void JoinBox(size_t k) {
    const BasicBlock& last = program_.blocks()[boxes_[k].back()];
    for (const uint32_t next : last.successors) {
      const auto found = box_of_.find(next);
      if (found != box_of_.end()) sheet_.Join(k, found->second);
    }
  }

  const verify::VerifiedProgram& program_;
  const isa::Program& code_;
  profile::Sources& sources_;
  const profile::LaunchCounts* counts_;
  Sheet sheet_;
  std::vector<std::vector<uint32_t>> boxes_;  // blocks, in their order
  std::map<uint32_t, size_t> box_of_;         // by the first block of a box
  uint64_t all_steps_ = 0;
  uint64_t most_steps_ = 0;
};

}  // namespace

Result<std::string> DrawFlow(const verify::VerifiedProgram& program, profile::Sources& sources,
                             const profile::LaunchCounts* counts) {
  return Flow(program, sources, counts).Draw();
}

}  // namespace hologram::drawing
