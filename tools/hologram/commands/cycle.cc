// hologram cycle: positions of the 768-cycle and linear systems modulo 768 (docs/cycle768.md).
#include <charconv>
#include <cstdio>

#include "base/quote.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/cycle_steps.h"
#include "commands/options.h"
#include "commands/report.h"
#include "cycle768/linear.h"
#include "cycle768/position.h"

namespace hologram::tool {
namespace {

template <class T>
T OrFailed(cycle768::Checked<T> checked) {
  if (!checked.ok()) Fail(ErrorCode::kInvalidArgument, checked.error().message);
  return std::move(checked).value();
}

int64_t NumberOf(std::string_view text) {
  int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    Fail(ErrorCode::kInvalidArgument, "expected an integer, found " + Shown(text));
  }
  return number;
}

void PrintPosition(int64_t given, const std::string& gates) {
  if (given < 0 || given >= int64_t{cycle768::kPositions}) {
    Fail(ErrorCode::kInvalidArgument, cycle768::PositionError(given).message);
  }
  uint32_t position = static_cast<uint32_t>(given);
  for (const char gate : gates) {
    position = cycle768::Reduce(int64_t{position} + OrFailed(cycle768::AdvanceOf(gate)));
  }
  std::printf("position %u  byte %u  modality %u  value %u  sector %u  class %u\n", position,
              cycle768::ByteOf(position), cycle768::ModalityOf(position),
              cycle768::ValueOf(position), cycle768::SectorOf(position),
              cycle768::ClassOf(position));
}

// The words of an equation up to a `;`: coefficients, `=`, the right side.
cycle768::System SystemOf(std::string_view text) {
  cycle768::System system;
  while (!text.empty()) {
    std::string_view equation = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(text.size(), equation.size() + 1));
    uint32_t columns = 0;
    int right = 0;  // 1 behind the sign, 2 behind the number
    while (true) {
      equation.remove_prefix(std::min(equation.size(), equation.find_first_not_of(' ')));
      if (equation.empty()) break;
      const std::string_view word = equation.substr(0, equation.find(' '));
      equation.remove_prefix(word.size());
      if (word == "=" && right == 0) {
        right = 1;
      } else if (right == 0) {
        system.matrix.push_back(cycle768::Reduce(NumberOf(word)));
        ++columns;
      } else {
        system.right.push_back(cycle768::Reduce(NumberOf(word)));
        ++right;
      }
    }
    if (right != 2 || columns == 0 || (system.rows > 0 && columns != system.columns)) {
      Fail(ErrorCode::kInvalidArgument,
           "equation " + std::to_string(system.rows + 1) +
               ": expected as many coefficients as in the first one, =, and a number, as in "
               "'2 3 = 7; 4 0 = 8'");
    }
    system.columns = columns;
    ++system.rows;
  }
  return system;
}

std::string Vector(const std::vector<uint32_t>& numbers) {
  std::string text;
  for (const uint32_t number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

void PrintSolutions(const cycle768::Solved& solved) {
  if (!solved.solutions) {
    std::printf("no solution: the equations times (%s) add up to 0 = %u\n",
                Vector(solved.contradiction->multiples).c_str(), solved.contradiction->remainder);
    return;
  }
  const auto count = solved.solutions->Count();
  std::printf("%s solutions\n%s\n", count ? std::to_string(*count).c_str() : "2^64 or more",
              Vector(solved.solutions->particular).c_str());
  for (const cycle768::Generator& generator : solved.solutions->generators) {
    std::printf("+ 0..%u times %s\n", generator.order - 1, Vector(generator.step).c_str());
  }
}

}  // namespace

int CycleCommand(const Arguments& arguments) {
  const Options options = ReadOptions("cycle", arguments);
  const std::optional<std::string> system = options.one("--solve");
  const std::optional<std::string> state = options.one("--state");
  if ((system && state) || options.positional().size() != (system || state ? 0 : 1)) {
    throw UsageError{"expected one position, --state or --solve"};
  }
  if (state) {
    const std::string text = CycleSteps(*state, options.one("--steps").value_or(""));
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else if (system) {
    PrintSolutions(cycle768::Solve(SystemOf(*system)));
  } else {
    PrintPosition(NumberOf(options.positional()[0]), options.one("--gates").value_or(""));
  }
  return 0;
}

}  // namespace hologram::tool
