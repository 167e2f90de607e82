// Puts the analyses together: the only maker of a VerifiedProgram.
#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>

#include "isa/atlas.h"
#include "verify/calls.h"
#include "verify/cfg.h"
#include "verify/checked_form.h"
#include "verify/lowering.h"
#include "verify/pieces.h"
#include "verify/races.h"
#include "verify/rounds.h"
#include "verify/types.h"
#include "verify/verified_program.h"

namespace hologram::verify {

using isa::Instruction;
using isa::Opcode;
using isa::Sreg;

enum class Lengths : uint8_t { kDemanded, kLeftToCode };  // of arrays, by the launch check

namespace {

std::atomic<uint64_t> verifications_made{0};

constexpr const char* kLengthIsLeft = "the length of the array is compared where it is accessed";

}  // namespace

class Builder {
 public:
  Builder(isa::Program program, Lengths lengths) : lengths_(lengths) {
    out_.program_ = std::move(program);
  }

  Result<VerifiedProgram> Run() {
    const isa::Program& program = out_.program_;
    HOLOGRAM_RETURN_IF_ERROR(isa::CheckWellFormed(program));
    if (program.code.empty()) {
      return Error(ErrorCode::kInvalidProgram,
                   "program has no instructions; an empty kernel is one exit");
    }
    HOLOGRAM_RETURN_IF_ERROR(InlineCalls());
    LowerClassMemory();
    HOLOGRAM_RETURN_IF_ERROR(CheckRuns());
    cfg_ = BuildCfg(program);
    cfg_.source_pc = out_.source_pc_;
    Diagnostics errors;
    types_ = CheckTypes(program, cfg_, errors);
    if (!errors.empty()) return errors;
    auto live_in = ComputeLiveIn(cfg_);
    if (!live_in) return TooComplex(program, "which registers are in use");
    live_in_ = *std::move(live_in);
    ssa_ = BuildSsa(program, cfg_, live_in_);
    CheckBarriers(program, cfg_, ssa_, errors);
    if (!errors.empty()) return errors;
    row_ = ComputeVariation(program, cfg_, ssa_, Among::kRow);
    // Proofs want dominators that mean something; without them every access is guarded.
    if (ssa_.built && cfg_.reducible) {
      symbolic_.emplace(program, cfg_, ssa_);
      lowering_.emplace(symbolic_->polys(), out_.launch_check_.nodes);
    }
    FillBlocks();
    FillIds();
    FillAccesses();
    FillShapes();
    FillLoops();
    FillNeverFaults();
    FillRaces();
    // Last: what bounds ask about must not change the order in which proofs find it.
    if (symbolic_) {
      FillLoopsIfProved();
      FillRounds(*symbolic_, *lowering_, cfg_, ssa_, emitted_, out_.program_, out_.loops_,
                 out_.launch_check_);
      FillPieces();
    }
    return std::move(out_);
  }

 private:
  Status InlineCalls() {
    if (!HasCalls(out_.program_)) return Success{};
    HOLOGRAM_ASSIGN_OR_RETURN(Expansion expansion, ExpandCalls(out_.program_));
    out_.recursive_ = expansion.recursive;
    if (expansion.recursive) return Success{};
    out_.source_ = std::move(out_.program_);
    out_.program_ = std::move(expansion.program);
    out_.source_pc_ = std::move(expansion.source);
    return Success{};
  }

  // LDG and STG in the class memory become POOL.LOAD and POOL.STORE of pool 0 that keep their
  // address mode; what follows and all engines know only those.
  void LowerClassMemory() {
    auto& code = out_.program_.code;
    const auto in_class_memory = [](const Instruction& i) { return i.in_class_memory(); };
    if (std::none_of(code.begin(), code.end(), in_class_memory)) return;
    if (!out_.source_) out_.source_ = out_.program_;
    for (Instruction& i : code) {
      if (!i.in_class_memory()) continue;
      i.op = i.op == Opcode::kLdg ? Opcode::kPoolLoad : Opcode::kPoolStore;
    }
  }

  // A run stands for as many steps as it has registers.
  Status CheckRuns() const {
    constexpr size_t kMaxRunReads = size_t{1} << 18;
    size_t reads = 0;
    for (const Instruction& i : out_.program_.code) reads += isa::UsesOf(i).run.count;
    if (reads <= kMaxRunReads) return Success{};
    return Error(ErrorCode::kInvalidProgram,
                 "reductions of registers read " + std::to_string(reads) +
                     " registers together, the limit is " + std::to_string(kMaxRunReads));
  }

  void FillBlocks() {
    for (uint32_t b = 0; b < cfg_.num_blocks(); ++b) {
      cfg_.blocks[b].divergent = row_.divergent[b];
      std::vector<uint16_t> live;
      for (uint32_t w = 0; w < live_in_[b].size(); ++w) {
        for (uint64_t bits = live_in_[b][w]; bits != 0; bits &= bits - 1) {
          live.push_back(
              static_cast<uint16_t>(w * 64 + static_cast<uint32_t>(std::countr_zero(bits))));
        }
      }
      out_.live_in_.push_back(std::move(live));
    }
    out_.blocks_ = cfg_.blocks;
    out_.block_of_ = cfg_.block_of;
  }

  void UseSreg(Sreg sreg) {
    const auto number = static_cast<size_t>(sreg);
    if (sreg == Sreg::kLinear) {
      out_.ids_.linear = true;
    } else if (sreg >= Sreg::kGlobalX) {
      out_.ids_.global[number - static_cast<size_t>(Sreg::kGlobalX)] = true;
    } else if (sreg <= Sreg::kLaneZ) {
      out_.ids_.lane[number] = true;
    } else if (sreg <= Sreg::kBlockZ) {
      out_.ids_.block[number - static_cast<size_t>(Sreg::kBlockX)] = true;
    }
  }

  void FillIds() {
    constexpr Sreg kSpecial[] = {Sreg::kLaneX, Sreg::kBlockX, Sreg::kBlockDimX, Sreg::kLinear};
    for (const uint32_t b : cfg_.order) {
      for (uint32_t pc = cfg_.blocks[b].begin; pc < cfg_.blocks[b].end; ++pc) {
        const Instruction& i = out_.program_.code[pc];
        if (i.op == Opcode::kReadSreg) UseSreg(i.sreg());
        if (i.op == Opcode::kClsGet || isa::UsesStream(i.op)) UseSreg(Sreg::kBlockX);
        out_.uses_stream_ |= isa::UsesStream(i.op);
        out_.uses_print_ |= isa::IsPrint(i.op);
        out_.uses_barrier_ |= isa::IsBarrier(i.op);
        const isa::Uses& uses = cfg_.uses[pc];
        uses.ForEachRead([&](const isa::RegisterUse& use) {
          const int special = use.reg - isa::kFirstSpecialRegister;
          if (special >= 0) UseSreg(kSpecial[special]);
        });
      }
    }
  }

  // The shape of one definition, before those that share a register with it are joined.
  ValueShape OwnShape(uint32_t pc) {
    if (!ssa_.built) return {};
    const ValueId v = ssa_.writes[pc];
    if (v == kNone || !row_.varying[v]) return {Shape::kUniform, 0};
    if (ComparesAlike(pc)) return {Shape::kUniform, 0};
    const auto stride = StrideOf(v, cfg_.block_of[pc]);
    return stride ? ValueShape{Shape::kAffine, *stride} : ValueShape{};
  }

  // A comparison of two integers that differ by the same in all lanes, as `i + step < i`.
  bool ComparesAlike(uint32_t pc) {
    constexpr Wide kMost = Wide{1} << 62;  // the code generator subtracts in 64 bits
    const Instruction& i = out_.program_.code[pc];
    if (!symbolic_ || i.op != Opcode::kSet || !IsInteger(i.type)) return false;
    for (const ValueId v : ssa_.reads[pc]) {
      if (v == kNone) continue;
      const auto stride = StrideOf(v, cfg_.block_of[pc]);
      if (!stride || *stride == 0) return false;
    }
    const Form right = symbolic_->FormOf(ssa_.reads[pc][1]);
    const Form difference = symbolic_->Sub(symbolic_->FormOf(ssa_.reads[pc][0]), right);
    if (!difference.valid || difference.size != 0) return false;
    const verify::Range range = symbolic_->RangeOf(difference);
    return range.low > -kMost && range.high < kMost;
  }

  // The operand whose value an instruction on integers gives back, in every launch that passes.
  int SameAs(uint32_t pc) {
    constexpr int kNoOperand = -1;
    const Instruction& i = out_.program_.code[pc];
    const bool converts = i.op == Opcode::kCvt && IsInteger(i.source_type());
    const bool chooses = i.op == Opcode::kMin || i.op == Opcode::kMax || i.op == Opcode::kSel;
    const ValueId v = ssa_.writes[pc];
    if ((!converts && !chooses) || !IsInteger(i.type) || v == kNone) return kNoOperand;
    const Form form = symbolic_->FormOf(v);
    for (int k = 0; k < (converts ? 1 : 2); ++k) {
      const ValueId operand = ssa_.reads[pc][static_cast<size_t>(k)];
      if (symbolic_->FormOf(operand) == form) {
        return symbolic_->RestsOn(v, emitted_) && symbolic_->RestsOn(operand, emitted_)
                   ? k
                   : kNoOperand;
      }
    }
    return kNoOperand;
  }

  // In the block that uses it. Only where what the form rests on is known at once or checked at
  // launch.
  std::optional<int64_t> StrideOf(ValueId v, uint32_t block) {
    if (!row_.VariesAt(cfg_, ssa_, v, block)) return 0;
    if (!symbolic_ || v >= ssa_.values.size() || ssa_.values[v].slot >= kFirstPredicate ||
        !IsInteger(symbolic_->TypeOf(v))) {
      return std::nullopt;
    }
    const Form form = symbolic_->FormOf(v);
    Facts facts;
    const auto stride = verify::StrideOf(*symbolic_, cfg_, ssa_, row_, form, block, facts, pieces_);
    if (!stride) return std::nullopt;
    if (!symbolic_->RestsOn(v, emitted_) || !IsEmitted(facts)) return std::nullopt;
    return stride;
  }

  // All that the facts rest on is in the launch check.
  bool IsEmitted(const Facts& facts) {
    std::vector<uint32_t> conditions;
    return symbolic_->Closure(facts, conditions) &&
           std::all_of(conditions.begin(), conditions.end(),
                       [&](uint32_t c) { return c < emitted_.size() && emitted_[c]; });
  }

  // A definition that reaches a phi lives in one place with all that reach it, so they have one
  // shape: the engines may keep a register in a scalar only if every definition says so.
  void FillShapes() {
    const size_t size = out_.program_.code.size();
    out_.shapes_.assign(size, ValueShape{});
    if (!ssa_.built) return;
    std::vector<ValueId> web(ssa_.values.size());
    std::iota(web.begin(), web.end(), 0);
    const auto find = [&](ValueId v) {
      while (web[v] != v) v = web[v] = web[web[v]];
      return v;
    };
    for (const ValueId phi : ssa_.phis) {
      for (const ValueId v : ssa_.OperandsOf(cfg_, phi)) web[find(v)] = find(phi);
    }
    std::vector<ValueShape> shape(ssa_.values.size());
    std::vector<bool> known(ssa_.values.size(), false);
    const auto join = [&](ValueId v, ValueShape s) {
      const ValueId root = find(v);
      if (!known[root]) {
        known[root] = true;
        shape[root] = s;
      } else if (shape[root] != s) {
        shape[root] = ValueShape{};
      }
    };
    for (uint32_t pc = 0; pc < size; ++pc) {
      if (ssa_.writes[pc] != kNone) join(ssa_.writes[pc], OwnShape(pc));
    }
    if (symbolic_) {
      out_.same_as_.assign(size, -1);
      for (const uint32_t b : cfg_.order) {
        for (uint32_t pc = cfg_.blocks[b].begin; pc < cfg_.blocks[b].end; ++pc) {
          out_.same_as_[pc] = static_cast<int8_t>(SameAs(pc));
        }
      }
    }
    for (const ValueId phi : ssa_.phis) {
      if (row_.varying[phi] && shape[find(phi)].shape == Shape::kUniform) join(phi, ValueShape{});
    }
    for (uint32_t pc = 0; pc < size; ++pc) {
      const ValueId v = ssa_.writes[pc];
      out_.shapes_[pc] = v == kNone ? ValueShape{Shape::kUniform, 0} : shape[find(v)];
    }
  }

  void FillAccesses() {
    out_.access_at_.assign(out_.program_.code.size(), -1);
    for (const BasicBlock& block : cfg_.blocks) {
      if (!block.reachable) continue;
      for (uint32_t pc = block.begin; pc < block.end; ++pc) {
        const Instruction& i = out_.program_.code[pc];
        if (!isa::IsAccess(i.op)) continue;
        AccessFact fact;
        fact.pc = pc;
        fact.shared = isa::IsSharedAccess(i.op);
        fact.local = isa::IsLocalAccess(i.op);
        fact.slot = fact.global() ? i.a - 1u : i.a;
        fact.index_type = types_.index_type[pc];
        if (symbolic_) {
          proofs_.push_back(ProveAccess(*symbolic_, out_.program_, cfg_, ssa_, pc));
          const bool left = LeaveLength(proofs_.back());
          if (proofs_.back().proved && !left) fact.tier = Tier::kProved;
          fact.reason = left ? kLengthIsLeft : proofs_.back().why;
        }
        out_.access_at_[pc] = static_cast<int32_t>(out_.accesses_.size());
        out_.accesses_.push_back(fact);
      }
    }
    for (const AccessProof& proof : proofs_) {
      if (proof.proved) Emit(proof.conditions);
    }
    for (const AccessProof& proof : proofs_) {
      if (proof.proved) EmitSteps(proof);
    }
    for (AccessFact& fact : out_.accesses_) {
      if (!ssa_.built) continue;
      fact.stride = StrideOf(IndexOf(out_.program_, ssa_, fact.pc), cfg_.block_of[fact.pc]);
    }
  }

  // That no step wraps of the counters which an index counts with from lane to lane: what makes
  // the access one of whole vectors, where a bound may need less.
  void EmitSteps(const AccessProof& proof) {
    Facts facts;
    const uint32_t block = cfg_.block_of[proof.pc];
    const auto stride = verify::StrideOf(*symbolic_, cfg_, ssa_, row_, proof.index, block, facts);
    if (!stride || facts.empty()) return;
    for (uint32_t i = 0; i < proof.index.size; ++i) {
      const Atom& atom = symbolic_->atom(proof.index.terms[i].atom);
      if (atom.kind != AtomKind::kLoop) continue;
      const ValueId counter = atom.value;
      for (const ValueId v : ssa_.OperandsOf(cfg_, counter)) {
        symbolic_->FormOf(v);  // what it rests on is known then
        facts.push_back(v);
      }
    }
    std::vector<uint32_t> conditions;
    if (symbolic_->Closure(facts, conditions)) Emit(conditions);
  }

  // Takes the demands on lengths out of a proof, if they are not to be made; true if there were
  // any.
  bool LeaveLength(AccessProof& proof) const {
    if (lengths_ == Lengths::kDemanded || !proof.proved) return false;
    return std::erase_if(proof.conditions, [this](uint32_t c) {
             return symbolic_->condition(c).kind == ConditionKind::kInBounds;
           }) != 0;
  }

  // Brings conditions of the analysis into the launch check, once each.
  void Emit(const std::vector<uint32_t>& conditions) {
    for (const uint32_t c : conditions) {
      if (c >= emitted_.size()) emitted_.resize(c + 1, false);
      if (!emitted_[c]) AddToCheck(c, symbolic_->condition(c).kind, symbolic_->condition(c).pc);
      emitted_[c] = true;
    }
  }

  void AddToCheck(uint32_t c, ConditionKind kind, uint32_t pc) {
    LaunchCheck& check = out_.launch_check_;
    const Obligation& condition = symbolic_->condition(c);
    const auto [lhs, rhs] = lowering_->Sides(condition.value);
    const bool race = kind == ConditionKind::kRace;
    if (!lowering_->IsNew(lhs, rhs, race)) return;
    const Instruction& i = out_.program_.code[pc];
    const uint32_t slot = isa::IsGlobalAccess(i.op) ? i.a - 1u : 0;
    check.conditions.push_back({kind, lhs, rhs, pc, slot});
  }

  void FillLoops() {
    for (const Loop& loop : cfg_.loops) {
      const bool ends = symbolic_ && LoopEnds(*symbolic_, out_.program_, cfg_, ssa_, loop);
      LoopFact& fact = out_.loops_.emplace_back();
      fact.header = loop.header;
      fact.back_edges = loop.latches;
      fact.ends = fact.ends_if_proved = ends;
    }
  }

  // What it takes for a loop to end, and for the bounds of its rounds by all exits, is in the
  // launch check for the sake of its accesses: it adds nothing to it. The checked form counts as
  // the interpreter does in launches of it.
  void FillLoopsIfProved() {
    if (lengths_ != Lengths::kDemanded) return;
    for (size_t l = 0; l < cfg_.loops.size(); ++l) {
      LoopFact& fact = out_.loops_[l];
      const Loop& loop = cfg_.loops[l];
      Facts facts;
      if (fact.ends || !LoopEnds(*symbolic_, out_.program_, cfg_, ssa_, loop, &facts)) continue;
      RoundsOf(*symbolic_, out_.program_, cfg_, ssa_, loop, &facts);
      fact.ends_if_proved = IsEmitted(facts);
    }
  }

  // In every launch that passes the launch check as it is: this adds no condition to it.
  bool IsBelow(ValueId v, uint32_t pc, int64_t limit) {
    if (verify::Range range = symbolic_->RangeOf(symbolic_->FormOf(v)); range.high < limit) {
      return symbolic_->RestsOn(v, emitted_);
    }
    Facts facts = {v};
    const Scope scope{cfg_.block_of[pc], kNone, true};
    const auto upper = symbolic_->Upper(symbolic_->FormOf(v), scope, true, facts);
    if (!upper || symbolic_->polys().RangeOf(*upper).high >= limit) return false;
    std::vector<uint32_t> conditions;
    return symbolic_->Closure(facts, conditions) && conditions.empty();
  }

  static bool Divides(const isa::Instruction& in) {
    return (in.op == Opcode::kDiv || in.op == Opcode::kRem) && isa::IsInteger(in.type);
  }

  // A constant, through moves.
  bool IsOtherThanZero(ValueId v) const {
    for (int i = 0; i < 4; ++i) {
      const Value& value = ssa_.values[v];
      if (value.kind != ValueKind::kInstruction) return false;
      const isa::Instruction& in = out_.program_.code[value.place];
      if (in.op == Opcode::kMovImm) return in.imm != 0;
      if (in.op != Opcode::kMov) return false;
      v = ssa_.reads[value.place][0];
    }
    return false;
  }

  void FillNeverFaults() {
    if (!symbolic_) return;
    const auto& code = out_.program_.code;
    for (const uint32_t b : cfg_.order) {
      for (uint32_t pc = cfg_.blocks[b].begin; pc < cfg_.blocks[b].end; ++pc) {
        if (Divides(code[pc])) {
          if (!IsOtherThanZero(ssa_.reads[pc][1])) continue;
        } else if (!isa::TakesClass(code[pc].op)) {
          continue;
        } else {
          const bool page = code[pc].op == Opcode::kBoundMap;
          if (!IsBelow(ssa_.reads[pc][0], pc, isa::kNumClasses)) continue;
          if (page && !IsBelow(ssa_.reads[pc][1], pc, isa::kPagesPerClass)) continue;
        }
        out_.never_faults_.resize(code.size(), false);
        out_.never_faults_[pc] = true;
      }
    }
  }

  bool IsOwnPool(ValueId v) {
    const verify::Range range = symbolic_->RangeOf(symbolic_->FormOf(v));
    return range.low >= 1 && range.high <= isa::kMaxPools;
  }

  // All lanes see one class memory; pools with handles from 1 on belong to one lane.
  void FillClassMemory() {
    for (const uint32_t b : cfg_.order) {
      for (uint32_t pc = cfg_.blocks[b].begin; pc < cfg_.blocks[b].end; ++pc) {
        const Opcode op = out_.program_.code[pc].op;
        if (op != Opcode::kPoolLoad && op != Opcode::kPoolStore) continue;
        const bool in_pool = !out_.program_.code[pc].in_class_memory();
        if (in_pool && symbolic_ && IsOwnPool(ssa_.reads[pc][0])) continue;
        (op == Opcode::kPoolLoad ? out_.reads_class_memory_ : out_.writes_class_memory_) = true;
        if (op == Opcode::kPoolLoad) continue;
        const isa::Program& source = out_.source();
        const uint32_t place = out_.SourcePc(pc);
        const bool named = place < source.debug.size() && !source.debug[place].text.empty();
        out_.races_.push_back(
            {pc, (named ? source.debug[place].text : "instruction " + std::to_string(place)) +
                     " may write class memory that another lane uses, so the result may depend on "
                     "order; a launch with deterministic=False allows it"});
      }
    }
  }

  // Shapes and strides once more, for pieces of rows. It adds no condition to the launch check.
  void FillPieces() {
    if (symbolic_->OutOfBudget()) return;
    const bool divides = std::any_of(out_.program_.code.begin(), out_.program_.code.end(), Divides);
    if (!divides) return;
    const std::vector<PolyId> factors = Pieces::FactorsOf(*symbolic_, out_.program_, cfg_, ssa_);
    const uint32_t division = Pieces::FindDivision(*symbolic_, out_.program_, cfg_, ssa_, factors);
    if (division == kNone) return;
    const AtomId atom = symbolic_->FormOf(ssa_.writes[division]).terms[0].atom;
    const PolyId divisor = symbolic_->atom(atom).divisor;
    // Rows are cut only where the divisor is positive, so that need not be demanded.
    const PolyId positive = symbolic_->polys().Sub(kOne, divisor);
    emitted_.resize(symbolic_->num_conditions(), false);
    for (uint32_t c = 0; c < emitted_.size(); ++c) {
      if (symbolic_->condition(c).wanted == positive) emitted_[c] = true;
    }
    if (!symbolic_->RestsOn(ssa_.writes[division], emitted_)) return;
    const Pieces pieces(*symbolic_, divisor, factors);
    std::vector<bool> shared(ssa_.values.size(), false);
    for (const uint32_t b : cfg_.order) {
      for (uint32_t pc = cfg_.blocks[b].begin; pc < cfg_.blocks[b].end; ++pc) {
        const ValueId v = ssa_.writes[pc];
        if (v == kNone || !row_.varying[v] || ssa_.values[v].slot >= kFirstPredicate) continue;
        if (!IsInteger(symbolic_->TypeOf(v)) || !symbolic_->RestsOn(v, emitted_)) continue;
        shared[v] = IsSharedIn(pieces, *symbolic_, cfg_, ssa_, row_, symbolic_->FormOf(v), b);
      }
    }
    PieceFacts facts;
    const Variation whole_rows =
        std::exchange(row_, ComputeVariation(out_.program_, cfg_, ssa_, Among::kRow, &shared));
    pieces_ = &pieces;
    std::vector<ValueShape> shapes = out_.shapes_;
    std::vector<int8_t> same_as = out_.same_as_;
    FillShapes();
    facts.shapes = std::exchange(out_.shapes_, std::move(shapes));
    out_.same_as_ = std::move(same_as);
    for (const AccessFact& fact : out_.accesses_) {
      facts.strides.push_back(
          StrideOf(IndexOf(out_.program_, ssa_, fact.pc), cfg_.block_of[fact.pc]));
    }
    pieces_ = nullptr;
    row_ = whole_rows;
    out_.division_ = division;
    out_.pieces_ = std::make_shared<PieceFacts>(std::move(facts));
  }

  void FillRaces() {
    RaceResult found =
        FindRaces(symbolic_ ? &*symbolic_ : nullptr, out_.program_, cfg_, ssa_, emitted_);
    out_.launch_sums_ = std::move(found.launch_sums);
    out_.ordered_updates_ = std::move(found.ordered_updates);
    out_.races_ = std::move(found.races);
    out_.launch_check_.unique_writes = std::move(found.unique_writes);
    out_.launch_check_.aliases = std::move(found.aliases);
    for (const auto& [c, pc] : found.conditions) AddToCheck(c, ConditionKind::kRace, pc);
    FillClassMemory();
  }

  Lengths lengths_;
  VerifiedProgram out_;
  Cfg cfg_;
  Types types_;
  std::vector<SlotSet> live_in_;
  Ssa ssa_;
  Variation row_;
  std::optional<Symbolic> symbolic_;
  std::optional<Lowering> lowering_;
  const Pieces* pieces_ = nullptr;  // while shapes are those of pieces of rows
  std::vector<AccessProof> proofs_;
  std::vector<bool> emitted_;  // conditions of symbolic_ that are in the launch check
};

bool VerifiedProgram::NeedsAlignment(size_t parameter) const {
  return std::any_of(accesses_.begin(), accesses_.end(), [&](const AccessFact& fact) {
    return fact.global() && fact.slot == parameter && isa::IsAtomic(program_.code[fact.pc].op);
  });
}

const AccessFact* VerifiedProgram::AccessAt(uint32_t pc) const {
  const int32_t index = access_at_[pc];
  return index < 0 ? nullptr : &accesses_[static_cast<size_t>(index)];
}

VerifiedProgram VerifiedProgram::InPieces() const {
  VerifiedProgram copy = *this;
  copy.shapes_ = pieces_->shapes;
  for (size_t k = 0; k < copy.accesses_.size(); ++k) {
    copy.accesses_[k].stride = pieces_->strides[k];
  }
  return copy;
}

uint32_t VerifiedProgram::CopyOf(uint32_t source_pc) const {
  if (source_pc_.empty()) return source_pc;
  const auto found = std::find(source_pc_.begin(), source_pc_.end(), source_pc);
  return static_cast<uint32_t>(found - source_pc_.begin());
}

Result<VerifiedProgram> Verify(isa::Program program) {
  verifications_made.fetch_add(1, std::memory_order_relaxed);
  return Builder(std::move(program), Lengths::kDemanded).Run();
}

Result<VerifiedProgram> VerifyCheckedForm(isa::Program program) {
  verifications_made.fetch_add(1, std::memory_order_relaxed);
  return Builder(std::move(program), Lengths::kLeftToCode).Run();
}

uint64_t VerificationsMade() {
  return verifications_made.load(std::memory_order_relaxed);
}

bool IsLeftToCode(const AccessFact& access) {
  return access.tier == Tier::kGuarded && access.reason == kLengthIsLeft;
}

bool LeavesAccesses(const VerifiedProgram& checked) {
  return std::any_of(checked.accesses().begin(), checked.accesses().end(), IsLeftToCode);
}

}  // namespace hologram::verify
