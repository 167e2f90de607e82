// What the verifier knows about an access, in words.
#include <algorithm>
#include <string_view>

#include "verify/check_text.h"
#include "verify/index_parts.h"
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
      case CheckOp::kMax: {
        std::string sides;
        AddSides(symbol.op, symbol.lhs, sides);
        AddSides(symbol.op, symbol.rhs, sides);
        return (symbol.op == CheckOp::kMin ? "min(" : "max(") + sides + ")";
      }
      case CheckOp::kFloorDiv:
        return std::string("((") + Print(symbol.lhs) + ") // (" + Print(symbol.rhs) + "))";
      default:
        return "?";
    }
  }

  // A minimum of minima is one.
  void AddSides(CheckOp op, PolyId p, std::string& text) const {
    const Polys::Terms poly = polys_.Get(p);
    if (poly.size() == 1 && poly[0].factor == 1 && IsSymbol(poly[0].symbols)) {
      const Polys::SymbolInfo& symbol = polys_.GetSymbol(static_cast<uint16_t>(poly[0].symbols));
      if (symbol.op == op) {
        AddSides(op, symbol.lhs, text);
        return AddSides(op, symbol.rhs, text);
      }
    }
    text += (text.empty() ? "" : ", ") + Print(p);
  }

  const isa::Program& program_;
  Polys& polys_;
};

// The indices of "a[i, f(j, k)]": those of the outermost brackets.
std::vector<std::string> IndicesOf(const std::string& text) {
  std::vector<std::string> indices;
  const size_t begin = text.find('[');
  if (begin == std::string::npos || text.back() != ']') return indices;
  int depth = 0;
  std::string index;
  for (size_t k = begin + 1; k + 1 < text.size(); ++k) {
    const char c = text[k];
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      indices.push_back(std::exchange(index, ""));
    } else if (c != ' ' || !index.empty()) {
      index += c;
    }
  }
  indices.push_back(index);
  return indices;
}

// The bounds of an access in the terms of its source, dimension by dimension: "row < n, 1 <= k + 1
// < 32".
class Dimensions {
 public:
  Dimensions(Symbolic& symbolic, const isa::Program& program, const Cfg& cfg, const Ssa& ssa)
      : symbolic_(symbolic), program_(program), cfg_(cfg), ssa_(ssa) {}

  // Empty if the index is not made of them.
  std::string Print(const AccessProof& proof) {
    const isa::Instruction& i = program_.code[proof.pc];
    if (!isa::IsGlobalAccess(i.op) || proof.pc >= program_.debug.size()) return "";
    const uint32_t array = i.a - 1u;
    const std::vector<std::string> names = IndicesOf(program_.debug[proof.pc].text);
    const size_t rank = program_.parameters[array].rank;
    if (rank < 2 || names.size() != rank) return "";
    const int64_t beyond = i.displacement() / static_cast<int64_t>(SizeOf(i.type));
    std::vector<IndexPart> parts = PartsOf(symbolic_, {program_, ssa_},
                                           IndexOf(program_, ssa_, proof.pc), beyond, proof.index);
    std::vector<IndexPart> same = parts;
    MatchUnits(symbolic_, parts, same);
    const Scope scope{cfg_.block_of[proof.pc], kNone, true};
    std::string text;
    size_t found = 0;
    for (size_t d = 0; d < rank; ++d) {
      const auto part = std::find_if(parts.begin(), parts.end(), [&](const IndexPart& candidate) {
        return d + 1 == rank ? candidate.unit == kOne : IsStride(candidate.unit, array, d);
      });
      const Form form = part == parts.end() ? symbolic_.Constant(kZero) : part->form;
      found += part == parts.end() ? 0 : 1;
      if (part == parts.end() && names[d] != "0") return "";
      if (form == symbolic_.Constant(kZero) && names[d] == "0") continue;
      const std::string bounds = Bounds(names[d], form, scope);
      if (bounds.empty()) return "";
      text += (text.empty() ? "" : ", ") + bounds;
    }
    return found == parts.size() ? text : "";
  }

 private:
  bool IsStride(PolyId unit, uint32_t array, size_t dimension) {
    const Polys::Terms terms = symbolic_.polys().Get(unit);
    if (terms.size() != 1 || terms[0].factor != 1 || !IsSymbol(terms[0].symbols)) return false;
    const auto& symbol = symbolic_.polys().GetSymbol(static_cast<uint16_t>(terms[0].symbols));
    if (symbol.op != CheckOp::kScalar) return false;
    const isa::Parameter& p = program_.parameters[static_cast<size_t>(symbol.value)];
    return p.source == isa::Source::kStride && p.array == array && p.dimension == dimension;
  }

  std::string Bounds(const std::string& name, const Form& form, const Scope& scope) {
    Facts facts;
    const auto high = symbolic_.Upper(form, scope, true, facts);
    const auto low = symbolic_.Lower(form, scope, true, facts);
    if (!high || !low) return "";
    const Printer printer(program_, symbolic_.polys());
    if (*high == *low) {
      const std::string value = printer.Print(*low);
      return value == name ? name : name + " = " + value;
    }
    const std::string end = printer.Print(symbolic_.polys().Add(*high, kOne));
    return (*low == kZero ? "" : printer.Print(*low) + " <= ") + name + " < " + end;
  }

  Symbolic& symbolic_;
  const isa::Program& program_;
  const Cfg& cfg_;
  const Ssa& ssa_;
};

std::string Beginning(const VerifiedProgram& verified, const AccessFact& access,
                      const std::string& array) {
  const isa::Program& program = verified.program();
  const bool named = access.pc < program.debug.size() && !program.debug[access.pc].text.empty();
  return PlaceInWords(verified, access.pc) +
         (access.tier == Tier::kProved ? "proved  " : "guarded  ") +
         (named ? program.debug[access.pc].text : array) + "  ";
}

bool IsAboutWrapping(const LaunchCheck& check, uint32_t index, int depth) {
  constexpr int64_t kLarge = int64_t{1} << 30;
  constexpr int kMaxDepth = 12;
  const CheckNode& node = check.nodes[index];
  if (node.op == CheckOp::kConstant) return node.value >= kLarge || node.value <= -kLarge;
  return node.op >= CheckOp::kAdd && depth < kMaxDepth &&
         (IsAboutWrapping(check, node.lhs, depth + 1) ||
          IsAboutWrapping(check, node.rhs, depth + 1));
}

// Where lanes keep apart: the conditions of an access that are short enough to be read.
std::string ConditionsInWords(const VerifiedProgram& verified, uint32_t pc) {
  constexpr size_t kMaxText = 120;
  const LaunchCheck& check = verified.launch_check();
  std::string text;
  bool more = false;
  bool wraps = false;
  for (const LaunchCondition& c : check.conditions) {
    if (c.kind != ConditionKind::kRace || c.pc != pc) continue;
    if (IsAboutWrapping(check, c.lhs, 0) || IsAboutWrapping(check, c.rhs, 0)) {
      wraps = true;
      continue;
    }
    const std::string words = NodeInWords(verified.program(), check, c.lhs) +
                              " <= " + NodeInWords(verified.program(), check, c.rhs);
    if (words.size() > kMaxText) {
      more = true;
    } else {
      text += (text.empty() ? "" : ", ") + words;
    }
  }
  const auto add = [&](const char* words) {
    text += (text.empty() ? "" : ", and ") + std::string(words);
  };
  if (more) add("a condition too long to show holds");
  if (wraps) add("no index wraps");
  return text;
}

std::string NameOfAccess(const isa::Program& program, uint32_t pc) {
  if (pc < program.debug.size() && !program.debug[pc].text.empty()) return program.debug[pc].text;
  const isa::Instruction& i = program.code[pc];
  return isa::IsSharedAccess(i.op) ? program.shared[i.a].name : program.parameters[i.a - 1u].name;
}

// REQUIRES: the access is proved.
std::string RangeInWords(Symbolic& symbolic, const Cfg& cfg, const Ssa& ssa,
                         const isa::Program& program, const AccessProof& proof,
                         const std::string& array) {
  const std::string dimensions = Dimensions(symbolic, program, cfg, ssa).Print(proof);
  if (!dimensions.empty()) return dimensions;
  const Printer printer(program, symbolic.polys());
  const std::string low = printer.Print(proof.low);
  const std::string high = printer.Print(proof.high);
  return "index " + low + (low == high ? "" : " .. " + high) + " of " + array;
}

}  // namespace

std::vector<RaceLine> ExplainRaces(const VerifiedProgram& verified) {
  std::vector<RaceLine> lines;
  for (const RaceFact& race : verified.races()) {
    const std::string_view message = race.message;
    const std::string_view what = message.substr(0, message.rfind(", so the result may depend"));
    lines.push_back({race.pc, true,
                     PlaceInWords(verified, race.pc) + "race  " + std::string(what) +
                         "; launches are refused, unless they allow it"});
  }
  for (const LaunchCondition& c : verified.launch_check().conditions) {
    const bool known = std::any_of(lines.begin(), lines.end(), [&](const RaceLine& line) {
      return !line.always && line.pc == c.pc;
    });
    if (c.kind != ConditionKind::kRace || known) continue;
    lines.push_back({c.pc, false,
                     PlaceInWords(verified, c.pc) + "lanes  " +
                         NameOfAccess(verified.program(), c.pc) +
                         "  one lane to an element where " + ConditionsInWords(verified, c.pc) +
                         "; other launches are refused"});
  }
  for (const UniqueWrite& write : verified.launch_check().unique_writes) {
    const std::string& array = verified.program().parameters[write.parameter].name;
    lines.push_back({write.pc, false,
                     PlaceInWords(verified, write.pc) + "lanes  " +
                         NameOfAccess(verified.program(), write.pc) +
                         "  one lane to an element by unique(" + array +
                         "); launches with two equal elements of " + array + " are refused"});
  }
  return lines;
}

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
      line += proof.proved ? RangeInWords(*symbolic, cfg, ssa, program, proof, array) : proof.why;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace hologram::verify
