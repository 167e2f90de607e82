#include "verify/accesses.h"

#include <algorithm>

#include "verify/launch_values.h"

namespace hologram::verify {

using isa::AtomicOp;
using isa::Instruction;

Accesses::Accesses(Symbolic* symbolic, const isa::Program& program, const Cfg& cfg, const Ssa& ssa)
    : symbolic_(symbolic), program_(program), cfg_(cfg), ssa_(ssa) {
  global_.resize(program.parameters.size());
  shared_.resize(program.shared.size());
  for (uint32_t b = 0; b < cfg.num_blocks(); ++b) {
    if (!cfg.Reachable(b)) continue;
    for (uint32_t pc = cfg.blocks[b].begin; pc < cfg.blocks[b].end; ++pc) {
      const Instruction& i = program.code[pc];
      if (isa::IsGlobalAccess(i.op)) global_[i.a - 1u].push_back(pc);
      if (isa::IsSharedAccess(i.op)) shared_[i.a].push_back(pc);
    }
  }
  if (ssa.built) FindUsedValues();
  if (symbolic != nullptr) FindUniqueLoads();
}

void Accesses::FindUniqueLoads() {
  for (uint32_t slot = 0; slot < program_.parameters.size(); ++slot) {
    if (!program_.parameters[slot].unique) continue;
    for (const uint32_t pc : global_[slot]) {
      const Form value = symbolic_->FormOf(ssa_.writes[pc]);
      ElementUse use = UseOf(pc);
      if (value.size != 1 || value != symbolic_->OfAtom(value.terms[0].atom) || !use.form.valid) {
        continue;
      }
      UniqueLoad load{value.terms[0].atom, value.terms[0].atom, slot, use.form, {use.index}};
      for (const UniqueLoad& other : unique_loads_) {
        if (other.slot != slot || other.element != load.element || other.first != other.atom) {
          continue;
        }
        load.first = other.atom;
        load.facts.Append(other.facts);
        break;
      }
      unique_loads_.push_back(std::move(load));
    }
  }
}

const UniqueLoad* Accesses::FindUniqueLoad(AtomId atom) const {
  const auto found = std::find_if(unique_loads_.begin(), unique_loads_.end(),
                                  [&](const UniqueLoad& load) { return load.atom == atom; });
  return found == unique_loads_.end() ? nullptr : &*found;
}

ElementUse Accesses::WithFirstLoads(ElementUse use) const {
  const Form form = use.form;
  for (uint32_t i = 0; i < form.size && !unique_loads_.empty(); ++i) {
    const UniqueLoad* const load = FindUniqueLoad(form.terms[i].atom);
    if (load == nullptr || load->first == load->atom) continue;
    const Form change =
        symbolic_->Sub(symbolic_->OfAtom(load->first), symbolic_->OfAtom(load->atom));
    use.form = symbolic_->Add(use.form, symbolic_->Scale(change, form.terms[i].factor));
    use.loads.Append(load->facts);
  }
  return use;
}

std::vector<ElementUse> Accesses::InUnique(const std::vector<ElementUse>& uses,
                                           uint32_t& slot) const {
  std::vector<ElementUse> inner;
  if (unique_loads_.empty()) return inner;
  for (const ElementUse& use : uses) {
    const Form& form = use.form;
    const UniqueLoad* const load =
        form.valid && form.size == 1 ? FindUniqueLoad(form.terms[0].atom) : nullptr;
    if (load == nullptr || !symbolic_->polys().ConstantOf(form.terms[0].factor) ||
        form.terms[0].factor != uses[0].form.terms[0].factor ||
        form.constant != uses[0].form.constant || (!inner.empty() && load->slot != slot)) {
      return {};
    }
    slot = load->slot;
    inner.push_back(use);
    inner.back().form = load->element;
    inner.back().loads.Append(load->facts);
  }
  return inner;
}

void Accesses::FindUsedValues() {
  used_.assign(ssa_.values.size(), false);
  const auto use = [this](const auto& values) {
    for (const ValueId v : values) {
      if (v != kNone) used_[v] = true;
    }
  };
  for (const auto& reads : ssa_.reads) use(reads);
  use(ssa_.run_reads);
  use(ssa_.phi_operands);
}

bool Accesses::Commutes(uint32_t pc) const {
  return isa::IsOrderless(program_.code[pc]) && !OldValueUsed(pc);
}

bool Accesses::CommuteTogether(uint32_t a, uint32_t b) const {
  return Commutes(a) && Commutes(b) && program_.code[a].atomic_op() == program_.code[b].atomic_op();
}

bool Accesses::MayWait(uint32_t pc) const {
  const Instruction& i = program_.code[pc];
  return isa::IsAtomic(i.op) && isa::IsFloat(i.type) && !isa::IsCompareAndSwap(i.op) &&
         !OldValueUsed(pc);
}

bool Accesses::IsLaunchSum(uint32_t pc) const {
  const Instruction& i = program_.code[pc];
  return i.op == isa::Opcode::kAtgFloat && i.atomic_op() == AtomicOp::kAdd && !OldValueUsed(pc) &&
         MayBeLaunchSum(program_, cfg_, ssa_, pc);
}

bool Accesses::StoreTheSame(uint32_t a, uint32_t b) const {
  const auto value = [this](uint32_t pc) {
    return ssa_.reads[pc][isa::IsGlobalAccess(program_.code[pc].op) ? 2 : 1];
  };
  return isa::IsStore(program_.code[a].op) && isa::IsStore(program_.code[b].op) &&
         program_.code[a].type == program_.code[b].type &&
         IsSameLaunchValue(program_, cfg_, ssa_, value(a), value(b));
}

bool Accesses::IndexDependsOnData(uint32_t pc) const {
  if (symbolic_ == nullptr) return false;
  const Form form = symbolic_->FormOf(IndexOf(program_, ssa_, pc));
  return std::any_of(form.terms.begin(), form.terms.begin() + form.size, [&](const auto& term) {
    return symbolic_->atom(term.atom).kind == AtomKind::kOpaque;
  });
}

bool Accesses::IsLaunchAtom(AtomId id) const {
  const Atom& atom = symbolic_->atom(id);
  return atom.kind == AtomKind::kOpaque && atom.value != kNone &&
         IsLaunchValue(program_, cfg_, ssa_, atom.value);
}

ElementUse Accesses::UseOf(uint32_t pc) const {
  const Instruction& i = program_.code[pc];
  ElementUse use;
  use.pc = pc;
  use.index = IndexOf(program_, ssa_, pc);
  use.form = symbolic_->FormOf(use.index);
  if (isa::IsGlobalAccess(i.op)) {
    const int64_t elements = i.displacement() / static_cast<int64_t>(SizeOf(i.type));
    use.form = symbolic_->Add(use.form, symbolic_->Constant(symbolic_->polys().Constant(elements)));
  }
  use.scope = {cfg_.block_of[pc], kNone, true};
  return use;
}

std::string Accesses::TextOf(uint32_t pc) const {
  if (pc < program_.debug.size() && !program_.debug[pc].text.empty()) {
    return program_.debug[pc].text;
  }
  const Instruction& i = program_.code[pc];
  return isa::IsSharedAccess(i.op) ? program_.shared[i.a].name : program_.parameters[i.a - 1u].name;
}

std::string Accesses::WhyOrderMatters(uint32_t pc) const {
  const Instruction& i = program_.code[pc];
  if (isa::IsCompareAndSwap(i.op)) {
    return " is compared and swapped, where the first lane decides what others find";
  }
  if (i.atomic_op() == AtomicOp::kExchange && !isa::IsFloat(i.type)) {
    return " is exchanged atomically and keeps what the last lane puts there";
  }
  return " is updated atomically and its old value is used";
}

void RaceLog::Report(uint32_t pc, const std::string& message) {
  result.races.push_back(
      {pc, accesses_.TextOf(pc) + message + kOrderMatters + accesses_.RemedyOf(pc) + kAllowsOrder});
}

void RaceLog::ReportAtomic(uint32_t atomic, const std::vector<uint32_t>& pcs) {
  for (const uint32_t pc : pcs) {
    if (!accesses_.IsAtomic(pc) || accesses_.Commutes(pc) || accesses_.MayWait(pc)) continue;
    return Report(pc, accesses_.WhyOrderMatters(pc));
  }
  if (accesses_.IsFloat(atomic)) {
    return Report(atomic, " is a float that is also accessed in another way");
  }
  const bool all =
      std::all_of(pcs.begin(), pcs.end(), [&](uint32_t pc) { return accesses_.IsAtomic(pc); });
  Report(atomic, all ? " is updated by different atomic operations"
                     : " is updated atomically and accessed in another way");
}

bool RaceLog::Demand(const std::vector<uint32_t>& conditions, uint32_t pc) {
  for (const uint32_t c : conditions) result.conditions.emplace_back(c, pc);
  return true;
}

bool RaceLog::Keep(const Facts& facts, uint32_t pc) {
  std::vector<uint32_t> conditions;
  if (!symbolic_->Closure(facts, conditions)) return false;
  return Demand(conditions, pc);
}

void RaceLog::AddOrdered(const std::vector<uint32_t>& pcs) {
  result.ordered_updates.insert(result.ordered_updates.end(), pcs.begin(), pcs.end());
}

}  // namespace hologram::verify
