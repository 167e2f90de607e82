#include "commands/cycle_steps.h"

#include <vector>

#include "base/quote.h"
#include "commands/options.h"
#include "commands/report.h"
#include "cycle768/position.h"
#include "cycle768/state.h"

namespace hologram::tool {
namespace cycle_steps {
namespace {

using cycle768::State;
using Words = std::vector<std::string_view>;

[[noreturn]] void Wrong(const std::string& message) {
  Fail(ErrorCode::kInvalidArgument, message);
}

template <class T>
T OrFailed(cycle768::Checked<T> checked) {
  if (!checked.ok()) Wrong(checked.error().message);
  return std::move(checked).value();
}

Words WordsOf(std::string_view text) {
  Words words;
  while (true) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
    if (text.empty()) return words;
    words.push_back(text.substr(0, text.find(' ')));
    text.remove_prefix(words.back().size());
  }
}

template <class T>
T NumberOf(std::string_view word) {
  T number{};
  if (!ParseWhole(word, number)) Wrong("expected an integer, found " + Shown(word));
  return number;
}

State StartOf(std::string_view text) {
  const Words words = WordsOf(text);
  constexpr std::string_view kBell[] = {"phi+", "phi-", "psi+", "psi-"};
  if (words.size() == 1) {
    for (int k = 0; k < 4; ++k) {
      if (words[0] == kBell[k]) return cycle768::BellPair(static_cast<cycle768::Bell>(k));
    }
    if (words[0] == "w") return cycle768::WTriple();
  }
  if (words.size() == 2 && words[0] == "ghz") {
    constexpr uint64_t kMost = 1000;
    const auto size = NumberOf<uint64_t>(words[1]);
    if (size > kMost) Wrong("ghz: at most " + std::to_string(kMost) + " elements");
    return OrFailed(cycle768::GhzChain(size));
  }
  std::vector<int64_t> positions;
  for (const std::string_view word : words) positions.push_back(NumberOf<int64_t>(word));
  return OrFailed(State::Create(positions));
}

// "0:1 2:-1 = 73", the words behind the first one.
void Constrain(State& state, const Words& words, bool impose) {
  std::vector<uint64_t> indices;
  std::vector<int64_t> coefficients;
  if (words.size() < 3 || words[words.size() - 2] != "=") {
    Wrong(std::string(words[0]) + ": expected ELEMENT:COEFFICIENT ... = SUM");
  }
  for (size_t k = 1; k + 2 < words.size(); ++k) {
    const size_t colon = std::min(words[k].find(':'), words[k].size());
    indices.push_back(NumberOf<uint64_t>(words[k].substr(0, colon)));
    coefficients.push_back(
        colon == words[k].size() ? 1 : NumberOf<int64_t>(words[k].substr(colon + 1)));
  }
  const auto sum = NumberOf<int64_t>(words.back());
  OrFailed(impose ? state.Impose(indices, coefficients, sum)
                  : state.Constrain(indices, coefficients, sum));
}

struct Reversible {
  std::string_view name;
  size_t controls;
  bool swaps;
};
constexpr Reversible kReversible[] = {
    {"cnot", 1, false}, {"cz", 1, false},  {"toffoli", 2, false},
    {"ccz", 2, false},  {"swap", 0, true}, {"fredkin", 1, true},
};

bool Reverse(State& state, std::string_view name, std::span<const uint64_t> operands) {
  for (const Reversible& gate : kReversible) {
    if (name != gate.name) continue;
    const size_t takes = gate.controls + (gate.swaps ? 2 : 1);
    if (operands.size() != takes) {
      Wrong(std::string(name) + ": expected " + std::to_string(takes) + " elements");
    }
    const auto controls = operands.first(gate.controls);
    OrFailed(gate.swaps ? state.Swap(controls, operands[takes - 2], operands[takes - 1])
                        : state.Not(controls, operands[takes - 1]));
    return true;
  }
  return false;
}

void Step(State& state, const Words& words, std::string& shown) {
  const std::string_view name = words[0];
  if (name == "constrain" || name == "impose") return Constrain(state, words, name == "impose");
  if (name == "set" || name == "advance") {
    if (words.size() != 3) Wrong(std::string(name) + ": expected an element and a number");
    const auto index = NumberOf<uint64_t>(words[1]);
    const auto number = NumberOf<int64_t>(words[2]);
    OrFailed(name == "set" ? state.Set(index, number) : state.Advance(index, number));
    return;
  }
  std::vector<uint64_t> operands;
  for (size_t k = 1; k < words.size(); ++k) operands.push_back(NumberOf<uint64_t>(words[k]));
  if (Reverse(state, name, operands)) return;
  if (name == "free") {
    OrFailed(state.Free(operands));
  } else if (name == "measure") {
    shown += "measured";
    for (const uint32_t position : OrFailed(state.Measure(operands))) {
      shown += " " + std::to_string(position);
    }
    shown += "\n";
  } else if (name.size() == 1 && operands.size() == 1) {
    OrFailed(state.Gate(name[0], operands[0]));
  } else {
    Wrong("there is no step " + Shown(name) +
          "; steps are a gate of I H X Y Z S T and an element, cnot, cz, toffoli, ccz, swap, "
          "fredkin, set, advance, constrain, impose, free, measure");
  }
}

std::string TextOf(const State& state) {
  std::string text = "positions";
  for (const uint32_t position : state.positions()) text += " " + std::to_string(position);
  text += "\n";
  for (const cycle768::Constraint& constraint : state.constraints()) {
    text += "constraint";
    for (size_t k = 0; k < constraint.indices.size(); ++k) {
      text += " " + std::to_string(constraint.indices[k]) + ":" +
              std::to_string(constraint.coefficients[k]);
    }
    text += " = " + std::to_string(constraint.sum) + "\n";
  }
  return text;
}

}  // namespace
}  // namespace cycle_steps

std::string CycleSteps(std::string_view start, std::string_view steps) {
  cycle768::State state = cycle_steps::StartOf(start);
  std::string shown;
  while (!steps.empty()) {
    const std::string_view step = steps.substr(0, steps.find(';'));
    steps.remove_prefix(std::min(steps.size(), step.size() + 1));
    if (const auto words = cycle_steps::WordsOf(step); !words.empty()) {
      cycle_steps::Step(state, words, shown);
    }
  }
  return shown + cycle_steps::TextOf(state);
}

}  // namespace hologram::tool
