#include "device/facts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
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

// Something that computes, or compares, takes all NaNs for the same. Reductions and scans of a
// block compute, and their own result is made canonical.
bool LooksAtBits(const isa::Instruction& in) {
  if (in.op == Opcode::kBlkRed || in.op == Opcode::kBlkScan) return !IsWideFloat(in.type);
  return in.op == Opcode::kBitcast || isa::IsStore(in.op) || isa::IsAtomic(in.op);
}

// Chooses, or copies, a value as it is.
bool Chooses(const isa::Instruction& in) {
  return in.op == Opcode::kMov || in.op == Opcode::kSel;
}

// Its NaN is the canonical one by definition, whatever the device gives.
bool ComputesNan(const isa::Instruction& in) {
  return IsWideFloat(in.type) && !PassesBits(in) && in.op != Opcode::kMovImm &&
         !isa::IsLoad(in.op) && !isa::IsAtomic(in.op);
}

bool IsConstantWithoutNan(const isa::Instruction& in, isa::Type type) {
  if (in.op != Opcode::kMovImm || in.type != type) return false;
  if (type == isa::Type::kF64) return !std::isnan(std::bit_cast<double>(in.imm));
  return !std::isnan(std::bit_cast<float>(static_cast<uint32_t>(in.imm)));
}

// Whether a store may make the NaNs of what it stores canonical in place of the instructions that
// computed them, which may be in a loop: the value is a choice among values that were computed as
// this type, by loops or by instructions. NaNs that were loaded keep their bits.
bool StoresComputed(const Facts& facts, uint32_t pc) {
  const verify::Ssa& ssa = facts.ssa;
  const std::vector<isa::Instruction>& code = facts.program().code;
  const verify::AccessFact* const fact = facts.verified.AccessAt(pc);
  const isa::Type type = code[pc].type;
  if (!isa::IsStore(code[pc].op) || !IsWideFloat(type) || fact == nullptr) return false;
  const verify::ValueId stored = ssa.reads[pc][fact->global() ? 2 : 1];
  if (stored == verify::kNone || !ssa.is_phi(stored)) return false;
  std::vector<verify::ValueId> work{stored};
  std::vector<bool> seen(ssa.values.size(), false);
  const auto add = [&](std::span<const verify::ValueId> values) {
    for (const verify::ValueId v : values) {
      if (v == verify::kNone) return false;
      if (!seen[v]) work.push_back(v);
      seen[v] = true;
    }
    return true;
  };
  while (!work.empty()) {
    const verify::ValueId v = work.back();
    work.pop_back();
    if (ssa.is_phi(v)) {
      if (!add(ssa.OperandsOf(facts.cfg, v))) return false;
      continue;
    }
    if (ssa.values[v].kind != verify::ValueKind::kInstruction) return false;
    const uint32_t place = ssa.values[v].place;
    const isa::Instruction& in = code[place];
    if (in.type != type) return false;
    if (Chooses(in)) {
      const auto count = static_cast<size_t>(facts.cfg.uses[place].num_reads);
      if (!add(std::span(ssa.reads[place]).first(count))) return false;
    } else if (!IsConstantWithoutNan(in, type) && !ComputesNan(in)) {
      return false;
    }
  }
  return true;
}

// Also which stores make NaNs canonical themselves.
std::vector<bool> FindLooks(Facts& facts) {
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
      facts.makes_canonical[pc] = StoresComputed(facts, pc);
      if (facts.makes_canonical[pc]) continue;
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

bool OnlyEnds(const Facts& facts, uint32_t block) {
  if (block == kExitBlock) return true;
  const verify::BasicBlock& range = facts.cfg.blocks[block];
  return range.end - range.begin == 1 && facts.program().code[range.begin].op == Opcode::kExit;
}

// About how many instructions of a device an instruction is.
uint32_t LengthOf(const isa::Instruction& in) {
  if (isa::IsLoad(in.op) || isa::IsStore(in.op) || in.op == Opcode::kMovImm) return 1;
  const bool half =
      isa::IsHalf(in.type) || (in.op == Opcode::kCvt && isa::IsHalf(in.source_type()));
  return half ? 12 : 1;
}

bool MayStandInChain(const Facts& facts, uint32_t block, bool is_last) {
  constexpr uint32_t kMostInstructions = 32;  // which are written out for each lane
  const verify::BasicBlock& range = facts.cfg.blocks[block];
  uint32_t length = 0;
  for (uint32_t pc = range.begin; pc < range.end; ++pc) {
    length += LengthOf(facts.program().code[pc]);
  }
  if (length > kMostInstructions) return false;
  for (uint32_t pc = range.begin; pc < range.end; ++pc) {
    const isa::Instruction& in = facts.program().code[pc];
    // Before the last block, also lanes that do not come there compute.
    if (!is_last && facts.verified.AccessAt(pc) != nullptr) return false;
    if (isa::IsAtomic(in.op) || in.op == Opcode::kMemFence || in.op == Opcode::kLoop) return false;
    bool counts_lanes = in.op == Opcode::kReadSreg && in.sreg() == isa::Sreg::kLinear;
    facts.cfg.uses[pc].ForEachRead([&](const isa::RegisterUse& use) {
      counts_lanes |= use.reg == isa::kFirstSpecialRegister + 3;
    });
    if (counts_lanes) return false;
  }
  return true;
}

std::vector<uint32_t> FindChain(const Facts& facts) {
  const isa::Program& program = facts.program();
  if (!facts.ssa.built || facts.may_fault || facts.verified.uses_barrier() ||
      !program.shared.empty() || !program.locals.empty()) {
    return {};
  }
  std::vector<uint32_t> chain{facts.cfg.order[0]};
  for (;;) {
    const verify::BasicBlock& block = facts.cfg.blocks[chain.back()];
    std::vector<uint32_t> stays;
    for (const uint32_t to : block.successors) {
      if (!OnlyEnds(facts, to)) stays.push_back(to);
    }
    const bool is_last = stays.empty();
    if (stays.size() > 1 || !MayStandInChain(facts, chain.back(), is_last)) return {};
    if (is_last) return block.successors.size() > 1 ? std::vector<uint32_t>() : chain;
    if (facts.cfg.blocks[stays[0]].predecessors.size() != 1) return {};
    chain.push_back(stays[0]);
  }
}

// The blocks in another order in which each comes behind those that lead to it: those of a loop
// together, as drivers want them to unroll it.
void KeepLoopsTogether(verify::Cfg& cfg) {
  std::vector<uint32_t> made;
  std::vector<bool> placed(cfg.num_blocks(), false);
  std::vector<const verify::Loop*> loop_of(cfg.num_blocks(), nullptr);  // by header
  for (const verify::Loop& loop : cfg.loops) {
    if (loop.natural) loop_of[loop.header] = &loop;
  }
  const auto by_place = [&](uint32_t a, uint32_t b) { return cfg.position[a] < cfg.position[b]; };
  // Lists of blocks that are not yet placed, the last one to be placed first.
  std::vector<std::vector<uint32_t>> stack{{cfg.order.rbegin(), cfg.order.rend()}};
  while (!stack.empty()) {
    if (stack.back().empty()) {
      stack.pop_back();
      continue;
    }
    const uint32_t block = stack.back().back();
    stack.back().pop_back();
    if (placed[block]) continue;
    placed[block] = true;
    made.push_back(block);
    if (loop_of[block] == nullptr) continue;
    std::vector<uint32_t> inside = loop_of[block]->blocks;
    std::sort(inside.begin(), inside.end(), by_place);
    std::reverse(inside.begin(), inside.end());
    stack.push_back(std::move(inside));
  }
  cfg.order = std::move(made);
  for (uint32_t k = 0; k < cfg.order.size(); ++k) cfg.position[cfg.order[k]] = k;
}

}  // namespace

uint32_t Facts::OriginOf(verify::ValueId v) const {
  while (ssa.built && v != verify::kNone && ssa.values[v].kind == verify::ValueKind::kInstruction) {
    const uint32_t pc = ssa.values[v].place;
    if (program().code[pc].op != Opcode::kMov) return pc;
    v = ssa.reads[pc][0];
  }
  return verify::kNone;
}

std::optional<uint64_t> Facts::NumberIn(verify::ValueId v) const {
  const uint32_t pc = OriginOf(v);
  if (pc == verify::kNone || program().code[pc].op != Opcode::kMovImm) return std::nullopt;
  return program().code[pc].imm;
}

Facts::Count Facts::CountOf(uint32_t from, uint32_t to) const {
  for (const verify::LoopFact& loop : verified.loops()) {
    if (loop.header != to || (loop.ends_if_proved && !loop.limited)) continue;
    if (std::find(loop.back_edges.begin(), loop.back_edges.end(), from) == loop.back_edges.end()) {
      continue;
    }
    return loop.ends_if_proved ? Count::kRounds : Count::kBudget;
  }
  return Count::kNot;
}

const CountedLoop* Facts::CountedAt(uint32_t header) const {
  const auto found = std::find_if(counted.begin(), counted.end(),
                                  [=](const CountedLoop& loop) { return loop.header == header; });
  return found == counted.end() ? nullptr : &*found;
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
  if (!ComputesNan(program().code[pc])) return false;
  return looks_at_bits.empty() || looks_at_bits[ssa.writes[pc]];
}

Result<Facts> FindFacts(const verify::VerifiedProgram& verified) {
  const isa::Program& program = verified.program();
  if (program.code.empty()) {
    return Error(ErrorCode::kUnsupported, "a program without instructions has no device code");
  }
  Facts facts{.verified = verified,
              .cfg = verify::BuildCfg(program),
              .ssa = {},
              .looks_at_bits = {},
              .makes_canonical = {},
              .chain = {},
              .counted = {}};
  HOLOGRAM_RETURN_IF_ERROR(CheckInstructions(verified, facts.cfg));
  const auto live_in = verify::ComputeLiveIn(facts.cfg);
  if (live_in) facts.ssa = verify::BuildSsa(program, facts.cfg, *live_in);
  facts.makes_canonical.assign(program.code.size(), false);
  if (facts.ssa.built) facts.looks_at_bits = FindLooks(facts);
  for (const verify::LoopFact& loop : verified.loops()) {
    facts.counts_budget |= !loop.ends_if_proved;
    facts.counts_rounds |= loop.ends_if_proved && loop.limited;
  }
  facts.may_fault = facts.counts_budget || facts.counts_rounds;
  for (const uint32_t b : facts.cfg.order) {
    const verify::BasicBlock& block = facts.cfg.blocks[b];
    for (uint32_t pc = block.begin; pc < block.end; ++pc) facts.may_fault |= facts.MayFault(pc);
  }
  facts.lanes_leave = FindLeaving(facts);
  facts.chain = FindChain(facts);
  FindCountedLoops(facts);
  KeepLoopsTogether(facts.cfg);
  return facts;
}

}  // namespace hologram::device
