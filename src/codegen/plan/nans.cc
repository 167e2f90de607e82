// Which webs may hold a computed NaN that is not yet canonical, and which must never.
//
// Where all NaNs of a web were computed, they are made canonical when the web is stored: that is
// cheap, because a store tests a whole chunk at once. Where a web also holds bits that were given
// (by loads, parameters, BITCAST, NEG, ABS, and MOV or SEL of those), a store could not tell the
// two apart: such a web keeps bits, so a computed value is made canonical when it is written there.
// All that matters only if something looks at the bits in the end. f16 and bf16 have no part in it:
// rounding to them makes every NaN canonical at once. Linear in the program.
// Tested by tests/conformance/convert/nan-payload-merge.txt and tests/differential.
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
    const size_t count = plan_.webs.size();
    to_.resize(count);
    from_.resize(count);
    Marks given(count, 0);
    Marks computed(count, 0);
    Marks seen(count, 0);
    for (size_t w = 0; w < count; ++w) {
      for (const uint32_t pc : plan_.webs[w].definitions) {
        if (!IsWideFloat(code_[pc].type)) continue;
        if (GivesBits(pc)) given[w] = 1;
        if (ComputesNan(code_[pc])) computed[w] = 1;
        Connect(pc, w);
      }
    }
    for (uint32_t pc = 0; pc < code_.size(); ++pc) {
      const Opcode op = code_[pc].op;
      const bool looks = op == Opcode::kBitcast || isa::IsStore(op) || isa::IsAtomic(op) ||
                         op == Opcode::kPoolStore;
      if (looks) ForWebsRead(pc, [&](size_t w) { seen[w] = 1; });
    }
    Spread(to_, given);
    Spread(from_, seen);
    for (size_t w = 0; w < count; ++w) plan_.webs[w].keeps_bits = given[w] != 0 && seen[w] != 0;
    Spread(to_, computed);
    for (size_t w = 0; w < count; ++w) {
      plan_.webs[w].maybe_nan = computed[w] != 0 && !plan_.webs[w].keeps_bits;
    }
  }

 private:
  template <class Function>
  void ForWebsRead(uint32_t pc, Function function) const {
    for (const OperandId id : plan_.operands[pc].reads) {
      if (id != kNoOperand && !IsFixed(id)) function(static_cast<size_t>(id));
    }
  }

  // REQUIRES: a definition of a float.
  bool GivesBits(uint32_t pc) const {
    const isa::Instruction& in = code_[pc];
    if (in.op == Opcode::kMovImm) return !IsCanonicalOrNumber(in);
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
      if (plan_.webs[w].keeps_bits) continue;
      for (const size_t to : edges[w]) {
        if (marks[to] == 0) work.push_back(to);
        marks[to] = 1;
      }
    }
  }

  Plan& plan_;
  const std::vector<isa::Instruction>& code_;
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
