#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "drawing/drawing.h"
#include "drawing/sheet.h"
#include "isa/type.h"

namespace hologram::drawing {
namespace {

using sigmatics::Call;
using sigmatics::CallKind;
using sigmatics::HeaderParameter;
using sigmatics::Operand;
using sigmatics::SigilClass;

// Follows the calls, and knows which box has made what each class holds.
class Values {
 public:
  Values(std::string title, const sigmatics::Canonical& circuit, std::vector<std::string> names)
      : circuit_(circuit),
        names_(std::move(names)),
        sheet_(std::move(title), Counted(circuit.calls.size(), "call") + ", canonical form") {}

  Result<std::string> Draw() {
    if (circuit_.circuit.header) AddInputs(*circuit_.circuit.header);
    for (const Call& call : circuit_.calls) Follow(call);
    AddOutputs();
    return sheet_.Draw();
  }

 private:
  // By their place in the header: inputs, then outputs that are none.
  std::string NameOf(const HeaderParameter& parameter, size_t number) const {
    const std::string own =
        parameter.is_scalar ? "$" + parameter.scalar : sigmatics::Print(parameter.buffer);
    const std::string name = number < names_.size() ? names_[number] : own;
    return name + ": " + std::string(isa::NameOf(parameter.type)) +
           (parameter.is_scalar ? "" : "[]");
  }

  void AddInputs(const sigmatics::Header& header) {
    for (size_t k = 0; k < header.inputs.size(); ++k) {
      const HeaderParameter& parameter = header.inputs[k];
      const size_t box = sheet_.Add(Pill(NameOf(parameter, k)));
      if (parameter.is_scalar) {
        scalars_[parameter.scalar] = box;
      } else {
        holds_[parameter.buffer] = box;
      }
    }
  }

  static Card Pill(std::string text) {
    Card card;
    card.lines = {{std::move(text), "text"}};
    card.style = "soft";
    card.round = 15;
    card.centred = true;
    return card;
  }

  static Card Operation(std::string text, std::string note) {
    Card card;
    card.lines = {{std::move(text), "text"}};
    if (!note.empty()) card.lines.push_back({std::move(note), "small faint"});
    card.centred = true;
    return card;
  }

  // The box of a class, which holds what it held at first if nothing was written to it.
  size_t BoxOf(SigilClass c) {
    const auto found = holds_.find(c);
    if (found != holds_.end()) return found->second;
    return holds_[c] = sheet_.Add(Pill(sigmatics::Print(c)));
  }

  // Literals have no box.
  void JoinOperand(const Operand& operand, size_t box) {
    if (operand.kind == Operand::Kind::kSigil) sheet_.Join(BoxOf(operand.sigil.base), box);
    if (operand.kind != Operand::Kind::kScalar) return;
    const auto found = scalars_.find(operand.scalar);
    if (found != scalars_.end()) sheet_.Join(found->second, box);
  }

  std::string NoteOf(const Call& call) const {
    std::string note;
    for (const Operand& operand : call.sources) {
      if (operand.kind == Operand::Kind::kLiteral) {
        note += (note.empty() ? "with " : ", ") + sigmatics::TextOf(operand.literal);
      } else if (operand.kind == Operand::Kind::kScalar && !scalars_.contains(operand.scalar)) {
        note += (note.empty() ? "with $" : ", $") + operand.scalar;
      }
    }
    if (call.count) note += (note.empty() ? "of " : ", of ") + std::to_string(*call.count);
    return note;
  }

  void Follow(const Call& call) {
    const SigilClass destination = call.destination.sigil.base;
    if (call.kind == CallKind::kCopy && call.sources[0].kind == Operand::Kind::kSigil) {
      holds_[destination] = BoxOf(call.sources[0].sigil.base);
      written_[destination] = true;
      return;
    }
    if (call.kind == CallKind::kSwap) {
      const SigilClass first = call.sources[0].sigil.base;
      const size_t one = BoxOf(first);
      const size_t other = BoxOf(destination);
      holds_[first] = other;
      holds_[destination] = one;
      written_[first] = written_[destination] = true;
      return;
    }
    // The classes that it reads come first, so that boxes are numbered from above.
    for (const Operand& operand : call.sources) {
      if (operand.kind == Operand::Kind::kSigil) BoxOf(operand.sigil.base);
    }
    const bool in_place = call.sources.empty();
    if (in_place) BoxOf(destination);
    const bool has_variant = call.kind == CallKind::kMerge || call.kind == CallKind::kSplit;
    const std::string name =
        has_variant ? sigmatics::TextOf(call.variant) : std::string(sigmatics::NameOf(call.kind));
    const size_t box = sheet_.Add(Operation(name, NoteOf(call)));
    for (const Operand& operand : call.sources) JoinOperand(operand, box);
    if (in_place) sheet_.Join(BoxOf(destination), box);
    holds_[destination] = box;
    written_[destination] = true;
  }

  void AddOutputs() {
    if (!circuit_.circuit.header) {
      for (const auto& [c, is_written] : written_) {
        sheet_.Join(holds_.at(c), sheet_.Add(Pill(sigmatics::Print(c))));
      }
      return;
    }
    const sigmatics::Header& header = *circuit_.circuit.header;
    size_t number = header.inputs.size();
    for (const HeaderParameter& parameter : header.outputs) {
      std::optional<size_t> input;
      for (size_t k = 0; k < header.inputs.size(); ++k) {
        const bool same =
            !header.inputs[k].is_scalar && header.inputs[k].buffer == parameter.buffer;
        if (same) input = k;
      }
      const std::string name = NameOf(parameter, input ? *input : number++);
      const size_t from = BoxOf(parameter.buffer);
      sheet_.Join(from, sheet_.Add(Pill(name)));
    }
  }

  const sigmatics::Canonical& circuit_;
  const std::vector<std::string> names_;
  Sheet sheet_;
  std::map<SigilClass, size_t> holds_;
  std::map<SigilClass, bool> written_;
  std::map<std::string, size_t> scalars_;
};

}  // namespace

Result<std::string> DrawCircuit(const sigmatics::Canonical& circuit, const std::string& name) {
  return Values(name, circuit, {}).Draw();
}

Result<std::string> DrawCircuit(const frontend::KernelCircuit& circuit) {
  if (circuit.obstacle) return *circuit.obstacle;
  std::vector<std::string> names;
  for (const size_t k : circuit.order) names.push_back(circuit.parameters[k].name);
  return Values(circuit.name, circuit.form, std::move(names)).Draw();
}

}  // namespace hologram::drawing
