// The cycle of 768 positions, for the package in the page. Arguments are numbers, lists among them
// their lengths and then their elements; answers are JSON.
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/quote.h"
#include "cycle768/position.h"
#include "cycle768/state.h"
#include "engine/library.h"
#include "engine/state.h"

namespace hologram::web {
namespace {

using cycle768::State;

struct States {
  std::map<int32_t, State> states;
  int32_t next = 1;
};

States& TheStates() {
  static States states;
  return states;
}

int32_t Raise(const cycle768::Error& error) {
  return Give("{\"error\":[" + JsonString(cycle768::NameOf(error.kind)) + "," +
              std::to_string(error.actual) + "," + std::to_string(error.expected) + "," +
              JsonString(error.message) + "]}");
}

template <class T>
std::string ListOf(const T& numbers) {
  std::string list;
  for (const auto& number : numbers) list += (list.empty() ? "" : ",") + std::to_string(number);
  return "[" + list + "]";
}

int32_t Answer(const std::string& json) {
  return Give("{\"value\":" + json + "}");
}

int32_t Done(const cycle768::Outcome& outcome) {
  return outcome.ok() ? Answer("null") : Raise(outcome.error());
}

// A state of its own: its number.
int32_t Made(State state) {
  States& all = TheStates();
  const int32_t number = all.next++;
  all.states.emplace(number, std::move(state));
  return Answer(std::to_string(number));
}

int32_t MadeOrRaise(cycle768::Checked<State> state) {
  return state.ok() ? Made(std::move(state).value()) : Raise(state.error());
}

// The numbers of a call, from its first on. Zeros are behind the last.
class Numbers {
 public:
  explicit Numbers(std::span<const int64_t> all) : all_(all) {}
  int64_t One() { return at_ < all_.size() ? all_[at_++] : 0; }
  template <class T>
  std::vector<T> List() {
    const auto count = static_cast<size_t>(One());
    std::vector<T> list;
    for (size_t k = 0; k < count && at_ < all_.size(); ++k) list.push_back(static_cast<T>(One()));
    return list;
  }

 private:
  std::span<const int64_t> all_;
  size_t at_ = 0;
};

std::string GeneratorsJson(const cycle768::Solutions& solutions) {
  std::string list;
  for (const cycle768::Generator& generator : solutions.generators) {
    list += (list.empty() ? "[" : ",[") + ListOf(generator.step) + "," +
            std::to_string(generator.order) + "]";
  }
  return "[" + list + "]";
}

int32_t Solve(Numbers numbers) {
  cycle768::System system;
  system.rows = static_cast<uint32_t>(numbers.One());
  system.columns = static_cast<uint32_t>(numbers.One());
  for (const int64_t entry : numbers.List<int64_t>()) {
    system.matrix.push_back(cycle768::Reduce(entry));
  }
  for (const int64_t value : numbers.List<int64_t>()) {
    system.right.push_back(cycle768::Reduce(value));
  }
  system.matrix.resize(size_t{system.rows} * system.columns);
  system.right.resize(system.rows);
  const cycle768::Solved solved = cycle768::Solve(system);
  if (solved.solutions) {
    return Answer("[" + ListOf(solved.solutions->particular) + "," +
                  GeneratorsJson(*solved.solutions) + ",null]");
  }
  return Answer("[null,[],[" + ListOf(solved.contradiction->multiples) + "," +
                std::to_string(solved.contradiction->remainder) + "]]");
}

// Calls without a state.
int32_t CallAlone(std::string_view name, Numbers numbers) {
  if (name == "create") return MadeOrRaise(State::Create(numbers.List<int64_t>()));
  if (name == "bell") return Made(cycle768::BellPair(static_cast<cycle768::Bell>(numbers.One())));
  if (name == "ghz") return MadeOrRaise(cycle768::GhzChain(static_cast<uint64_t>(numbers.One())));
  if (name == "w") return Made(cycle768::WTriple());
  if (name == "solve") return Solve(numbers);
  if (name == "solve_one") {
    const int64_t coefficient = numbers.One();
    return Answer(
        ListOf(cycle768::SolveOne(cycle768::Reduce(coefficient), cycle768::Reduce(numbers.One()))));
  }
  if (name == "class_of") {
    return Answer(std::to_string(cycle768::ClassOf(static_cast<uint32_t>(numbers.One()))));
  }
  if (name == "advance_of") {
    const auto by = cycle768::AdvanceOf(static_cast<char>(numbers.One()));
    return by.ok() ? Answer(std::to_string(by.value())) : Raise(by.error());
  }
  return NoKernel();
}

std::string ConstraintsJson(const State& state) {
  std::string list;
  for (const cycle768::Constraint& constraint : state.constraints()) {
    list += (list.empty() ? "[" : ",[") + ListOf(constraint.indices) + "," +
            ListOf(constraint.coefficients) + "," + std::to_string(constraint.sum) + "]";
  }
  return "[" + list + "]";
}

// Of a state, what does not change it.
int32_t Read(std::string_view name, const State& state, Numbers numbers) {
  if (name == "positions") return Answer(ListOf(state.positions()));
  if (name == "constraints") return Answer(ConstraintsJson(state));
  if (name == "copy") return Made(state);
  if (name == "position") {
    const auto position = state.Position(static_cast<uint64_t>(numbers.One()));
    return position.ok() ? Answer(std::to_string(position.value())) : Raise(position.error());
  }
  if (name == "equals") {
    const auto other = TheStates().states.find(static_cast<int32_t>(numbers.One()));
    const bool same = other != TheStates().states.end() && other->second == state;
    return Answer(same ? "true" : "false");
  }
  if (name == "admitted") {
    const cycle768::Solutions all = state.Admitted();
    return Answer("[" + ListOf(all.particular) + "," + GeneratorsJson(all) + "]");
  }
  return NoKernel();
}

int32_t Change(std::string_view name, State& state, Numbers numbers) {
  if (name == "constrain" || name == "impose") {
    const auto indices = numbers.List<uint64_t>();
    const auto coefficients = numbers.List<int64_t>();
    const int64_t sum = numbers.One();
    return Done(name == "impose" ? state.Impose(indices, coefficients, sum)
                                 : state.Constrain(indices, coefficients, sum));
  }
  if (name == "free") return Done(state.Free(numbers.List<uint64_t>()));
  if (name == "measure") {
    const auto measured = state.Measure(numbers.List<uint64_t>());
    return measured.ok() ? Answer(ListOf(measured.value())) : Raise(measured.error());
  }
  if (name == "set" || name == "advance") {
    const auto index = static_cast<uint64_t>(numbers.One());
    return Done(name == "set" ? state.Set(index, numbers.One())
                              : state.Advance(index, numbers.One()));
  }
  if (name == "flip" || name == "swap") {
    const auto controls = numbers.List<uint64_t>();
    const auto first = static_cast<uint64_t>(numbers.One());
    return Done(name == "flip" ? state.Not(controls, first)
                               : state.Swap(controls, first, static_cast<uint64_t>(numbers.One())));
  }
  return Read(name, state, numbers);
}

}  // namespace
}  // namespace hologram::web

using namespace hologram::web;  // NOLINT(google-build-using-namespace)

int32_t hologram_web_cycle(const char* name, size_t size, int32_t state, const int64_t* numbers,
                           size_t count) {
  const std::string_view called(name, size);
  const Numbers given({numbers, count});
  if (state == 0) return CallAlone(called, given);
  const auto found = TheStates().states.find(state);
  if (found == TheStates().states.end()) return NoKernel();
  if (called == "release") {
    TheStates().states.erase(found);
    return Answer("null");
  }
  return Change(called, found->second, given);
}
