#include "cycle_call.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cycle768/position.h"
#include "cycle768/state.h"

namespace nb = nanobind;

namespace hologram::python {
namespace {

using cycle768::State;
using Indices = std::vector<uint64_t>;
using Numbers = std::vector<int64_t>;
using Positions = std::vector<uint32_t>;
// Indices, coefficients, sum.
using Terms = std::tuple<std::vector<uint32_t>, Numbers, uint32_t>;
using Generators = std::vector<std::tuple<Positions, uint32_t>>;

[[noreturn]] void Raise(const cycle768::Error& error) {
  const nb::object made = nb::module_::import_("hologram.cycle768")
                              .attr("_error")(cycle768::NameOf(error.kind), error.actual,
                                              error.expected, error.message);
  PyErr_SetObject(made.type().ptr(), made.ptr());
  throw nb::python_error();
}

template <class T>
T OrRaise(cycle768::Checked<T> checked) {
  if (!checked.ok()) Raise(checked.error());
  return std::move(checked).value();
}

// A method without a result.
template <auto kMethod, class... Args>
void Call(State& state, Args... args) {
  OrRaise((state.*kMethod)(args...));
}

std::vector<Terms> ConstraintsOf(const State& state) {
  std::vector<Terms> all;
  for (const cycle768::Constraint& constraint : state.constraints()) {
    all.emplace_back(constraint.indices, constraint.coefficients, constraint.sum);
  }
  return all;
}

Generators GeneratorsOf(const cycle768::Solutions& solutions) {
  Generators generators;
  for (const auto& generator : solutions.generators) {
    generators.emplace_back(generator.step, generator.order);
  }
  return generators;
}

// (particular, generators, None) or (None, [], (multiples, remainder)).
nb::tuple SolveSystem(const std::vector<Numbers>& rows, const Numbers& right) {
  cycle768::System system;
  system.rows = static_cast<uint32_t>(rows.size());
  system.columns = rows.empty() ? 0 : static_cast<uint32_t>(rows[0].size());
  for (const Numbers& row : rows) {
    if (row.size() != system.columns) throw nb::value_error("rows have different lengths");
    for (const int64_t entry : row) system.matrix.push_back(cycle768::Reduce(entry));
  }
  if (right.size() != rows.size()) throw nb::value_error("a right side for each row is needed");
  for (const int64_t value : right) system.right.push_back(cycle768::Reduce(value));
  const cycle768::Solved solved = cycle768::Solve(system);
  if (solved.solutions) {
    return nb::make_tuple(solved.solutions->particular, GeneratorsOf(*solved.solutions),
                          nb::none());
  }
  return nb::make_tuple(
      nb::none(), Generators(),
      nb::make_tuple(solved.contradiction->multiples, solved.contradiction->remainder));
}

uint32_t GateAdvance(const std::string& gate) {
  return OrRaise(cycle768::AdvanceOf(gate.size() == 1 ? gate[0] : '?'));
}

}  // namespace

void AddCycle(nb::module_& module) {
  module.def("cycle_advance_of", GateAdvance);
  module.def("cycle_class_of", cycle768::ClassOf);
  module.def("cycle_threshold", [](float alpha, float beta) {
    return OrRaise(cycle768::ReadingThreshold(alpha, beta));
  });
  module.def("cycle_solve", SolveSystem);
  module.def("cycle_solve_one", [](int64_t coefficient, int64_t value) {
    return cycle768::SolveOne(cycle768::Reduce(coefficient), cycle768::Reduce(value));
  });
  nb::class_<State>(module, "CycleState")
      .def_static("create", [](const Numbers& p) { return OrRaise(State::Create(p)); })
      .def_static("bell",
                  [](int which) { return cycle768::BellPair(static_cast<cycle768::Bell>(which)); })
      .def_static("ghz", [](uint64_t size) { return OrRaise(cycle768::GhzChain(size)); })
      .def_static("w", cycle768::WTriple)
      .def("positions",
           [](const State& s) { return Positions(s.positions().begin(), s.positions().end()); })
      .def("constraints", ConstraintsOf)
      .def("position", [](const State& s, uint64_t index) { return OrRaise(s.Position(index)); })
      .def("constrain", [](State& s, const Indices& indices, const Numbers& coefficients,
                           int64_t sum) { OrRaise(s.Constrain(indices, coefficients, sum)); })
      .def("impose", [](State& s, const Indices& indices, const Numbers& coefficients,
                        int64_t sum) { OrRaise(s.Impose(indices, coefficients, sum)); })
      .def("free", [](State& s, const Indices& indices) { OrRaise(s.Free(indices)); })
      .def("set", Call<&State::Set, uint64_t, int64_t>)
      .def("advance", Call<&State::Advance, uint64_t, int64_t>)
      .def("flip", [](State& s, const Indices& controls,
                      uint64_t target) { OrRaise(s.Not(controls, target)); })
      .def("swap", [](State& s, const Indices& controls, uint64_t a,
                      uint64_t b) { OrRaise(s.Swap(controls, a, b)); })
      .def("measure", [](State& s, const Indices& indices) { return OrRaise(s.Measure(indices)); })
      .def("admitted",
           [](const State& s) {
             const cycle768::Solutions all = s.Admitted();
             return nb::make_tuple(all.particular, GeneratorsOf(all));
           })
      .def("copy", [](const State& s) { return s; })
      .def("equals", [](const State& a, const State& b) { return a == b; });
}

}  // namespace hologram::python
