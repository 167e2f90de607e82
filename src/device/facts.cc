#include "device/facts.h"

#include <algorithm>
#include <string>

#include "verify/divergence.h"

namespace hologram::device {

using isa::Opcode;
using verify::kExitBlock;

namespace {

// Why there is no device code for the instruction; empty: there is.
std::string RefusalOf(const verify::VerifiedProgram& verified, uint32_t pc) {
  const isa::Instruction& in = verified.program().code[pc];
  const std::string name(isa::InfoOf(in.op).mnemonic);
  if (isa::IsServed(in.op)) return name;
  if (isa::UsesStream(in.op)) return name + ", the phase of the stream";
  if (in.in_class_memory()) return name + " in class memory";
  if (in.op == Opcode::kCall || in.op == Opcode::kRet)
    return name + ", a function that calls itself";
  if (verified.IsLaunchSum(pc)) return name + ", a sum of the launch";
  if (verified.IsOrdered(pc)) return name + ", in the order of lanes";
  if (isa::IsCompareAndSwap(in.op) && isa::IsHalf(in.type)) return name + " of 16 bits";
  return {};
}

Status CheckInstructions(const verify::VerifiedProgram& verified, const verify::Cfg& cfg) {
  for (const uint32_t b : cfg.order) {
    for (uint32_t pc = cfg.blocks[b].begin; pc < cfg.blocks[b].end; ++pc) {
      const std::string refusal = RefusalOf(verified, pc);
      if (refusal.empty()) continue;
      return Error(ErrorCode::kUnsupported, "'" + verified.program().name + "' uses " + refusal +
                                                ", for which there is no device code; it runs on "
                                                "the CPU");
    }
  }
  return Success{};
}

bool IsWideFloat(isa::Type type) {
  return isa::IsFloat(type) && !isa::IsHalf(type);
}

// It gives back the bits of its operands, or of one of them.
bool PassesBits(const isa::Instruction& in) {
  return in.op == Opcode::kMov || in.op == Opcode::kSel || in.op == Opcode::kAbs ||
         in.op == Opcode::kNeg || in.op == Opcode::kBitcast ||
         (in.op == Opcode::kCvt && in.type == in.source_type());
}

// Something that computes, or compares, takes all NaNs for the same.
bool LooksAtBits(const isa::Instruction& in) {
  return in.op == Opcode::kBitcast || isa::IsStore(in.op) || isa::IsAtomic(in.op) ||
         in.op == Opcode::kBlkRed || in.op == Opcode::kBlkScan;
}

std::vector<bool> FindLooks(const Facts& facts) {
  const verify::Ssa& ssa = facts.ssa;
  std::vector<bool> looks(ssa.values.size(), false);
  std::vector<verify::ValueId> work;
  const auto mark = [&](verify::ValueId v) {
    if (v == verify::kNone || looks[v]) return;
    looks[v] = true;
    work.push_back(v);
  };
  for (const uint32_t b : facts.cfg.order) {
    const verify::BasicBlock& block = facts.cfg.blocks[b];
    for (uint32_t pc = block.begin; pc < block.end; ++pc) {
      if (!LooksAtBits(facts.program().code[pc])) continue;
      for (const verify::ValueId v : ssa.reads[pc]) mark(v);
    }
  }
  while (!work.empty()) {
    const verify::Value& value = ssa.values[work.back()];
    const verify::ValueId v = work.back();
    work.pop_back();
    if (value.kind == verify::ValueKind::kPhi) {
      for (const verify::ValueId operand : ssa.OperandsOf(facts.cfg, v)) mark(operand);
    } else if (value.kind == verify::ValueKind::kInstruction &&
               PassesBits(facts.program().code[value.place])) {
      for (const verify::ValueId operand : ssa.reads[value.place]) mark(operand);
    }
  }
  return looks;
}

// Whether lanes that end, or fault, may have others of their block wait at a barrier later.
bool FindLeaving(const Facts& facts) {
  const verify::Cfg& cfg = facts.cfg;
  const isa::Program& program = facts.program();
  std::vector<uint32_t> stack;
  for (const uint32_t b : cfg.order) {
    if (isa::IsBarrier(program.code[cfg.blocks[b].end - 1].op)) stack.push_back(b);
  }
  if (stack.empty()) return false;
  std::vector<bool> reaches(cfg.num_blocks(), false);
  while (!stack.empty()) {
    const uint32_t b = stack.back();
    stack.pop_back();
    if (reaches[b]) continue;
    reaches[b] = true;
    for (const uint32_t from : cfg.blocks[b].predecessors) {
      if (cfg.Reachable(from)) stack.push_back(from);
    }
  }
  const verify::Variation variation =
      verify::ComputeVariation(program, cfg, facts.ssa, verify::Among::kBlock);
  const bool knows = facts.ssa.built && cfg.reducible;
  for (const uint32_t b : cfg.order) {
    if (!reaches[b]) continue;
    const verify::BasicBlock& block = cfg.blocks[b];
    for (uint32_t pc = block.begin; pc < block.end; ++pc) {
      if (facts.MayFault(pc)) return true;
    }
    for (const uint32_t to : block.successors) {
      if (to != kExitBlock && facts.CountOf(b, to) != Facts::Count::kNot) return true;
      const bool stays = to != kExitBlock && reaches[to];
      if (stays || block.successors.size() < 2) continue;
      const bool varies =
          !knows || variation.divergent[b] ||
          variation.VariesAt(cfg, facts.ssa, facts.ssa.BranchValue(block.end - 1), b);
      if (varies) return true;
    }
  }
  return false;
}

}  // namespace

Facts::Count Facts::CountOf(uint32_t from, uint32_t to) const {
  for (const verify::LoopFact& loop : verified.loops()) {
    if (loop.header != to || (loop.ends && !loop.limited)) continue;
    if (std::find(loop.back_edges.begin(), loop.back_edges.end(), from) == loop.back_edges.end()) {
      continue;
    }
    return loop.ends ? Count::kRounds : Count::kBudget;
  }
  return Count::kNot;
}

bool Facts::MayFault(uint32_t pc) const {
  const isa::Instruction& in = program().code[pc];
  if (in.op == Opcode::kTrap) return true;
  if (const verify::AccessFact* fact = verified.AccessAt(pc)) {
    return fact->tier == verify::Tier::kGuarded;
  }
  const bool divides = (in.op == Opcode::kDiv || in.op == Opcode::kRem) && isa::IsInteger(in.type);
  return (divides || isa::TakesClass(in.op)) && !verified.NeverFaults(pc);
}

bool Facts::WantsCanonical(uint32_t pc) const {
  const isa::Instruction& in = program().code[pc];
  if (!IsWideFloat(in.type) || PassesBits(in)) return false;
  return looks_at_bits.empty() || looks_at_bits[ssa.writes[pc]];
}

Result<Facts> FindFacts(const verify::VerifiedProgram& verified) {
  const isa::Program& program = verified.program();
  if (program.code.empty()) {
    return Error(ErrorCode::kUnsupported, "a program without instructions has no device code");
  }
  Facts facts{
      .verified = verified, .cfg = verify::BuildCfg(program), .ssa = {}, .looks_at_bits = {}};
  HOLOGRAM_RETURN_IF_ERROR(CheckInstructions(verified, facts.cfg));
  const auto live_in = verify::ComputeLiveIn(facts.cfg);
  if (live_in) facts.ssa = verify::BuildSsa(program, facts.cfg, *live_in);
  if (facts.ssa.built) facts.looks_at_bits = FindLooks(facts);
  for (const verify::LoopFact& loop : verified.loops()) {
    facts.counts_budget |= !loop.ends;
    facts.counts_rounds |= loop.ends && loop.limited;
  }
  facts.may_fault = facts.counts_budget || facts.counts_rounds;
  for (const uint32_t b : facts.cfg.order) {
    const verify::BasicBlock& block = facts.cfg.blocks[b];
    for (uint32_t pc = block.begin; pc < block.end; ++pc) facts.may_fault |= facts.MayFault(pc);
  }
  facts.lanes_leave = FindLeaving(facts);
  return facts;
}

}  // namespace hologram::device
