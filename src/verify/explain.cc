// What the verifier knows about an access, in words.
#include "verify/proofs.h"

namespace hologram::verify {
namespace {

class Printer {
 public:
  Printer(const isa::Program& program, Polys& polys) : program_(program), polys_(polys) {}

  std::string Print(PolyId p) const {
    if (p == kNoPoly) return "?";
    const Polys::Terms poly = polys_.Get(p);
    std::string text;
    for (const bool positive : {true, false}) {
      for (size_t i = poly.size(); i-- > 0;) {
        if ((poly[i].factor > 0) != positive) continue;
        if (!text.empty())
          text += positive ? " + " : " - ";
        else if (!positive)
          text += "-";
        text += PrintTerm(poly[i]);
      }
    }
    return text.empty() ? "0" : text;
  }

 private:
  std::string PrintTerm(const Polys::Term& term) const {
    const uint64_t size = term.factor < 0 ? ~static_cast<uint64_t>(term.factor) + 1
                                          : static_cast<uint64_t>(term.factor);
    std::string text;
    for (int i = 0; i < kMaxDegree; ++i) {
      const uint16_t s = SymbolAt(term.symbols, i);
      if (s == 0) continue;
      if (!text.empty()) text += "*";
      text += PrintSymbol(polys_.GetSymbol(s));
    }
    if (text.empty()) return std::to_string(size);
    return size == 1 ? text : std::to_string(size) + "*" + text;
  }

  std::string PrintSymbol(const Polys::SymbolInfo& symbol) const {
    constexpr char kAxis[] = {'x', 'y', 'z'};
    const auto k = static_cast<size_t>(symbol.value);
    switch (symbol.op) {
      case CheckOp::kScalar:
        return program_.parameters[k].name;
      case CheckOp::kExtent:
        return "len(" + program_.parameters[k].name + ")";
      case CheckOp::kGridDim:
        return std::string("grid.") + kAxis[k];
      case CheckOp::kBlockDim:
        return std::string("block.") + kAxis[k];
      case CheckOp::kMin:
        return std::string("min(") + Print(symbol.lhs) + ", " + Print(symbol.rhs) + ")";
      case CheckOp::kMax:
        return std::string("max(") + Print(symbol.lhs) + ", " + Print(symbol.rhs) + ")";
      case CheckOp::kFloorDiv:
        return std::string("((") + Print(symbol.lhs) + ") // (" + Print(symbol.rhs) + "))";
      default:
        return "?";
    }
  }

  const isa::Program& program_;
  Polys& polys_;
};

std::string Beginning(const VerifiedProgram& verified, const AccessFact& access,
                      const std::string& array) {
  const isa::Program& program = verified.program();
  const bool named = access.pc < program.debug.size() && !program.debug[access.pc].text.empty();
  return PlaceInWords(verified, access.pc) +
         (access.tier == Tier::kProved ? "proved  " : "guarded  ") +
         (named ? program.debug[access.pc].text : array) + "  ";
}

}  // namespace

std::string PlaceInWords(const VerifiedProgram& verified, uint32_t pc) {
  const isa::Program& program = verified.program();
  const Location where = program.LocationOf(pc);
  if (where.file.empty()) {
    return program.name + ": instruction " + std::to_string(verified.SourcePc(pc)) + ": ";
  }
  return where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": ";
}

std::vector<std::string> Explain(const VerifiedProgram& verified) {
  const isa::Program& program = verified.program();
  const Cfg cfg = BuildCfg(program);
  const auto live_in = ComputeLiveIn(cfg);
  Ssa ssa;
  if (live_in) ssa = BuildSsa(program, cfg, *live_in);
  std::optional<Symbolic> symbolic;
  if (ssa.built && cfg.reducible) symbolic.emplace(program, cfg, ssa);
  std::vector<std::string> lines;
  // In program order, as Verify() does it: what one proof finds, the next one uses.
  for (const AccessFact& access : verified.accesses()) {
    const std::string& array = access.shared  ? program.shared[access.slot].name
                               : access.local ? program.locals[access.slot].name
                                              : program.parameters[access.slot].name;
    std::string line = Beginning(verified, access, array);
    if (!symbolic) {
      line += "control flow is too complex for a proof";
    } else {
      const AccessProof proof = ProveAccess(*symbolic, program, cfg, ssa, access.pc);
      const Printer printer(program, symbolic->polys());
      const std::string low = printer.Print(proof.low);
      const std::string high = printer.Print(proof.high);
      line += proof.proved ? "index " + low + (low == high ? "" : " .. " + high) + " of " + array
                           : proof.why;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace hologram::verify
