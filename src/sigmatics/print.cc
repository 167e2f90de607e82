// Circuit -> text, so that Parse gives the same circuit again.
#include <bit>
#include <charconv>
#include <cmath>

#include "sigmatics/circuit.h"

namespace hologram::sigmatics {
namespace {

std::string Signed(int64_t amount) {
  return (amount < 0 ? "" : "+") + std::to_string(amount);
}

std::string Print(const Postfix& postfix) {
  std::string text;
  if (postfix.power) {
    text += '^';
    if (postfix.power->letter != 'T') text += postfix.power->letter;
    text += Signed(postfix.power->amount);
  }
  if (postfix.mirror) text += '~';
  return text;
}

std::string Print(const ClassRange& range) {
  return "c[" + std::to_string(range.first) + ".." + std::to_string(range.last) + "]" +
         Print(range.postfix);
}

template <class T>
std::string Joined(const std::vector<T>& items, size_t begin) {
  std::string text;
  for (size_t i = begin; i < items.size(); ++i) {
    text += (i == begin ? "" : ",") + Print(items[i]);
  }
  return text;
}

std::string Print(const Operation& operation) {
  std::string text(NameOf(operation.generator));
  if (operation.variant) text += ":" + TextOf(*operation.variant);
  text += '@';
  switch (operation.form) {
    case Operation::Form::kSigil:
      text += Print(operation.operands[0]);
      break;
    case Operation::Form::kArrow:
      text += Print(operation.operands[0]) + "->" + Print(operation.operands[1]);
      if (operation.count) text += "#" + std::to_string(*operation.count);
      break;
    case Operation::Form::kExchange:
      text += Print(operation.operands[0]) + "<->" + Print(operation.operands[1]);
      break;
    case Operation::Form::kBracket:
      text += Print(operation.operands[0]) + "[" + Joined(operation.operands, 1) + "]";
      break;
    case Operation::Form::kRange:
      text += Print(operation.ranges[0]);
      break;
    case Operation::Form::kRanges:
      text += Print(operation.ranges[0]) + "[" + Joined(operation.ranges, 1) + "]";
      break;
  }
  return text;
}

std::string Print(const Prefix& prefix) {
  std::string text;
  const auto add = [&](char letter, const std::optional<int64_t>& amount) {
    if (!amount) return;
    text += (text.empty() ? "" : " ") + std::string(1, letter) + Signed(*amount);
  };
  add('R', prefix.r);
  add('D', prefix.d);
  add('T', prefix.t);
  if (prefix.mirror) text += text.empty() ? "~" : " ~";
  return text + "@ ";
}

void PrintBranches(const std::vector<Sequence>& branches, std::string& text) {
  for (size_t i = 0; i < branches.size(); ++i) {
    if (i != 0) text += " || ";
    for (size_t k = 0; k < branches[i].terms.size(); ++k) {
      if (k != 0) text += " . ";
      const Term& term = branches[i].terms[k];
      switch (term.kind) {
        case Term::Kind::kOperation:
          text += Print(term.operation);
          break;
        case Term::Kind::kGroup:
          text += '(';
          PrintBranches(term.body, text);
          text += ')';
          break;
        case Term::Kind::kPrefixed:
          text += Print(term.prefix);
          PrintBranches(term.body, text);
          break;
      }
    }
  }
}

std::string Print(const HeaderParameter& parameter) {
  const std::string_view form = parameter.is_shared   ? "shared "
                                : parameter.is_column ? "column "
                                                      : "";
  return std::string(form) + std::string(isa::NameOf(parameter.type)) + " " +
         (parameter.is_scalar ? "$" + parameter.scalar : Print(parameter.buffer));
}

std::string Print(const std::vector<HeaderParameter>& parameters) {
  std::string text = "(";
  for (size_t i = 0; i < parameters.size(); ++i) {
    text += (i == 0 ? "" : ", ") + Print(parameters[i]);
  }
  return text + ")";
}

}  // namespace

Transform Postfix::transform() const {
  if (!power) return {0, 0, 0, mirror};
  return {power->letter == 'R' ? power->amount : 0, power->letter == 'D' ? power->amount : 0,
          power->letter == 'T' ? power->amount : 0, mirror};
}

Literal Literal::OfDouble(double value) {
  // One NaN, as everywhere where a value is computed.
  constexpr uint64_t kCanonicalNan = 0x7ff8'0000'0000'0000;
  Literal literal;
  literal.is_float = true;
  literal.magnitude = std::isnan(value) ? kCanonicalNan : std::bit_cast<uint64_t>(value);
  return literal;
}

double Literal::AsDouble() const {
  HOLOGRAM_CHECK(is_float);
  return std::bit_cast<double>(magnitude);
}

std::string TextOf(const Literal& literal) {
  const std::string type = literal.type ? ":" + std::string(isa::NameOf(*literal.type)) : "";
  if (!literal.is_float) {
    return (literal.negative ? "#-" : "#") + std::to_string(literal.magnitude) + type;
  }
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, literal.AsDouble()).ptr;
  std::string text(buffer, end);
  // Without any of these it would be an integer.
  if (text.find_first_of(".enf") == std::string::npos) text += ".0";
  return "#" + text + type;
}

std::string Print(SigilClass c) {
  return (c.index() < 10 ? "c0" : "c") + std::to_string(c.index());
}

std::string Print(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::kScalar:
      return "$" + operand.scalar;
    case Operand::Kind::kLiteral:
      return TextOf(operand.literal);
    case Operand::Kind::kSigil:
      break;
  }
  const Sigil& sigil = operand.sigil;
  std::string text = Print(sigil.base) + Print(sigil.postfix);
  if (sigil.page) text += "@" + std::to_string(*sigil.page);
  return text;
}

std::string Print(const Header& header) {
  std::string text = Print(header.inputs) + " -> " + Print(header.outputs) + " over " + header.size;
  if (header.lanes != 0) text += " by " + std::to_string(header.lanes);
  if (header.cut != 0) text += " cut " + std::to_string(header.cut);
  return text;
}

std::string Print(const Circuit& circuit) {
  std::string text;
  if (circuit.header) text = Print(*circuit.header) + " ";
  PrintBranches(circuit.branches, text);
  return text;
}

}  // namespace hologram::sigmatics
