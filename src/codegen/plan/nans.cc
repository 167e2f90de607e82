// Which webs may hold a computed NaN that is not yet canonical, and which must never.
//
// Where all NaNs of a web were computed, they are made canonical when the web is stored: that is
// cheap, because a store tests a whole chunk at once. Where a web also holds bits that were given
// (by loads, parameters, BITCAST, NEG, ABS, and MOV or SEL of those), a store could not tell the
// two apart: such a web keeps bits, so a computed value is made canonical when it is written there.
// All that matters only if something looks at the bits in the end. f16 and bf16 have no part in it:
// rounding to them makes every NaN canonical at once. A shared or local array that is only loaded
// and stored, as floats, is like a web that loads and stores copy. Linear in the program.
// Tested by tests/conformance/convert/nan-payload-merge.txt and tests/differential.
#include <map>
#include <set>

#include "codegen/plan/accesses.h"
#include "codegen/plan/instruction_facts.h"
#include "codegen/plan/plan.h"
#include "math/functions.h"

namespace hologram::codegen {
namespace {

using isa::Opcode;

// 1 for each web that has a property.
using Marks = std::vector<char>;

bool IsWideFloat(isa::Type type) {
  return isa::IsFloat(type) && !isa::IsHalf(type);
}

bool IsCanonicalOrNumber(const isa::Instruction& in) {
  const unsigned fraction = in.type == isa::Type::kF64 ? 52 : 23;
  const uint64_t magnitude = ~uint64_t{0} >> (65 - isa::BitsOf(in.type));
  const uint64_t infinity = magnitude >> fraction << fraction;
  const uint64_t bits = in.imm & (magnitude << 1 | 1);
  return (bits & magnitude) <= infinity || bits == (infinity | uint64_t{1} << (fraction - 1));
}

class NanFinder {
 public:
  explicit NanFinder(Plan& plan) : plan_(plan), code_(plan.program().code) {}

  void Run() {
    FindArrays();
    const size_t count = plan_.webs.size() + arrays_.size();
    to_.resize(count);
    from_.resize(count);
    keeps_bits_.assign(count, 0);
    Marks given(count, 0);
    Marks computed(count, 0);
    for (size_t w = 0; w < plan_.webs.size(); ++w) {
      for (const uint32_t pc : plan_.webs[w].definitions) {
        if (!IsWideFloat(code_[pc].type)) continue;
        if (GivesBits(pc)) given[w] = 1;
        if (ComputesNan(code_[pc])) computed[w] = 1;
        Connect(pc, w);
      }
    }
    ConnectArrays(given);
    Marks seen = LookedAt();
    Spread(to_, given);
    Spread(from_, seen);
    for (size_t w = 0; w < count; ++w) keeps_bits_[w] = given[w] != 0 && seen[w] != 0;
    Spread(to_, computed);
    for (size_t w = 0; w < plan_.webs.size(); ++w) {
      plan_.webs[w].keeps_bits = keeps_bits_[w] != 0;
      plan_.webs[w].maybe_nan = computed[w] != 0 && keeps_bits_[w] == 0;
    }
    for (uint32_t pc = 0; pc < code_.size(); ++pc) {
      const std::optional<size_t> array = ArrayAt(pc);
      if (array && isa::IsStore(code_[pc].op) && keeps_bits_[*array] == 0) {
        plan_.arrays.leave_nans.insert(pc);
      }
    }
  }

 private:
  template <class Function>
  void ForWebsRead(uint32_t pc, Function function) const {
    for (const OperandId id : plan_.operands[pc].reads) {
      if (id != kNoOperand && !IsFixed(id)) function(static_cast<size_t>(id));
    }
  }

  // By what tells them apart: whether they are shared, and their number.
  static std::optional<std::pair<bool, uint32_t>> KeyOf(const verify::AccessFact* access) {
    if (access == nullptr || access->global()) return std::nullopt;
    return std::pair(access->shared, access->slot);
  }

  void FindArrays() {
    std::map<std::pair<bool, uint32_t>, isa::Type> types;
    std::set<std::pair<bool, uint32_t>> others;
    for (uint32_t pc = 0; pc < code_.size(); ++pc) {
      const isa::Instruction& in = code_[pc];
      const auto key = KeyOf(plan_.verified->AccessAt(pc));
      if (!key) continue;
      const bool moves = isa::IsLoad(in.op) || isa::IsStore(in.op);
      const isa::Type type = types.emplace(*key, in.type).first->second;
      if (!moves || !IsWideFloat(in.type) || type != in.type) others.insert(*key);
    }
    for (const auto& [key, type] : types) {
      if (!others.contains(key)) arrays_.emplace(key, plan_.webs.size() + arrays_.size());
    }
  }

  // The number behind those of the webs.
  std::optional<size_t> ArrayAt(uint32_t pc) const {
    const auto key = KeyOf(plan_.verified->AccessAt(pc));
    const auto found = key ? arrays_.find(*key) : arrays_.end();
    return found == arrays_.end() ? std::nullopt : std::optional(found->second);
  }

  void ConnectArrays(Marks& given) {
    for (uint32_t pc = 0; pc < code_.size(); ++pc) {
      const std::optional<size_t> array = ArrayAt(pc);
      if (!array) continue;
      const bool load = isa::IsLoad(code_[pc].op);
      const OperandId id = load ? plan_.operands[pc].write : StoredOperand(plan_, pc);
      if (id == kNoOperand) continue;
      if (IsFixed(id)) {
        given[*array] = 1;
        continue;
      }
      const auto w = static_cast<size_t>(id);
      to_[w].push_back(*array);  // of a load too: it leaves all NaNs as they are
      (load ? from_[w] : from_[*array]).push_back(load ? *array : w);
      if (load) to_[*array].push_back(w);
    }
  }

  // Webs whose bits an instruction looks at.
  Marks LookedAt() const {
    Marks seen(to_.size(), 0);
    for (uint32_t pc = 0; pc < code_.size(); ++pc) {
      const Opcode op = code_[pc].op;
      const bool stores = isa::IsStore(op) && !ArrayAt(pc);
      const bool looks =
          op == Opcode::kBitcast || stores || isa::IsAtomic(op) || op == Opcode::kPoolStore;
      if (looks) ForWebsRead(pc, [&](size_t w) { seen[w] = 1; });
    }
    return seen;
  }

  // REQUIRES: a definition of a float.
  bool GivesBits(uint32_t pc) const {
    const isa::Instruction& in = code_[pc];
    if (in.op == Opcode::kMovImm) return !IsCanonicalOrNumber(in);
    if (ArrayAt(pc)) return false;
    if (!CopiesBits(in)) return !ComputesNan(in) && !MakesCanonical(in);
    for (const OperandId id : plan_.operands[pc].reads) {
      if (id != kNoOperand && IsFixed(id)) return true;
    }
    return ChangesSign(in);
  }

  static bool MakesCanonical(const isa::Instruction& in) {
    return math::FindFunction(in.op) != nullptr || in.op == Opcode::kCvt ||
           in.op == Opcode::kBlkRed || in.op == Opcode::kBlkScan;
  }

  static bool ChangesSign(const isa::Instruction& in) {
    return in.op == Opcode::kNeg || in.op == Opcode::kAbs;
  }

  // What NEG and ABS leave is given bits, whatever they read.
  void Connect(uint32_t pc, size_t w) {
    if (!CopiesBits(code_[pc])) return;
    ForWebsRead(pc, [&](size_t r) {
      from_[w].push_back(r);
      if (!ChangesSign(code_[pc])) to_[r].push_back(w);
    });
  }

  // Along the copies, but not through webs that keep bits.
  void Spread(const std::vector<std::vector<size_t>>& edges, Marks& marks) const {
    std::vector<size_t> work;
    for (size_t w = 0; w < marks.size(); ++w) {
      if (marks[w] != 0) work.push_back(w);
    }
    while (!work.empty()) {
      const size_t w = work.back();
      work.pop_back();
      if (keeps_bits_[w] != 0) continue;
      for (const size_t to : edges[w]) {
        if (marks[to] == 0) work.push_back(to);
        marks[to] = 1;
      }
    }
  }

  Plan& plan_;
  const std::vector<isa::Instruction>& code_;
  std::map<std::pair<bool, uint32_t>, size_t> arrays_;
  Marks keeps_bits_;
  std::vector<std::vector<size_t>> to_;    // webs that a web is copied to
  std::vector<std::vector<size_t>> from_;  // and from
};

}  // namespace

bool ComputesNan(const isa::Instruction& in) {
  if (!IsWideFloat(in.type)) return false;
  const NanSource nans = FactsOf(in.op).nans;
  if (nans != NanSource::kConverts) return nans == NanSource::kComputes;
  return isa::IsFloat(in.source_type()) && in.type != in.source_type();
}

bool CopiesBits(const isa::Instruction& in) {
  if (!IsWideFloat(in.type)) return false;
  const NanSource nans = FactsOf(in.op).nans;
  return nans == NanSource::kCopies ||
         (nans == NanSource::kConverts && in.type == in.source_type());
}

void FindNans(Plan& plan) {
  NanFinder(plan).Run();
}

}  // namespace hologram::codegen
