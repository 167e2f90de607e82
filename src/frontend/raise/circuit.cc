#include "frontend/raise/circuit.h"

#include <memory>
#include <utility>

#include "frontend/circuit/lower.h"
#include "frontend/lower/rules.h"
#include "frontend/raise/analysis.h"
#include "frontend/raise/rows.h"

namespace hologram::frontend {
namespace {

using sigmatics::NodeId;

// The kernel's header, and which parameter each of the circuit's is. Classes and scalars have names
// of no meaning: the canonical form gives them theirs.
class HeaderMaker {
 public:
  HeaderMaker(const KernelAnalysis& analysis, const KernelAnalysis::Roles& roles,
              std::vector<isa::Parameter>& parameters)
      : analysis_(analysis), roles_(roles), parameters_(parameters) {}

  // False if there are more arrays than classes.
  bool Run() {
    for (size_t k = 0; k < parameters_.size(); ++k) {
      if (!parameters_[k].is_buffer && static_cast<int>(k) == roles_.size) continue;
      if (parameters_[k].is_buffer && !roles_.is_input[k]) continue;
      const auto parameter = Made(k);
      if (!parameter) return false;
      header.inputs.push_back(*parameter);
      order.push_back(k);
    }
    for (size_t k = 0; k < parameters_.size(); ++k) {
      const std::optional<NodeId> value = analysis_.StoredIn(static_cast<int>(k));
      if (!value) continue;
      const auto parameter = Made(k);
      if (!parameter) return false;
      header.outputs.push_back(*parameter);
      outputs.push_back(*value);
      parameters_[k].direction = roles_.is_input[k] ? isa::Direction::kInOut : isa::Direction::kOut;
      if (!roles_.is_input[k]) order.push_back(k);
    }
    header.size = "size";
    header.lanes = analysis_.lanes();
    header.cut = analysis_.cut();
    order.push_back(static_cast<size_t>(roles_.size));
    return true;
  }

  sigmatics::Header header;
  std::vector<size_t> order;
  std::vector<NodeId> outputs;

 private:
  std::optional<sigmatics::HeaderParameter> Made(size_t k) {
    sigmatics::HeaderParameter parameter;
    parameter.type = parameters_[k].type;
    parameter.is_scalar = !parameters_[k].is_buffer;
    if (parameter.is_scalar) {
      parameter.scalar = "s" + std::to_string(k);
      return parameter;
    }
    const auto c = sigmatics::SigilClass::FromIndex(k);
    if (!c) return std::nullopt;
    parameter.buffer = *c;
    parameter.is_shared = analysis_.IsShared(static_cast<int>(k));
    return parameter;
  }

  const KernelAnalysis& analysis_;
  const KernelAnalysis::Roles& roles_;
  std::vector<isa::Parameter>& parameters_;
};

}  // namespace

KernelCircuit CircuitOfKernel(const Kernel& kernel, const CheckedKernel& checked,
                              const std::string& file, Circuits circuits) {
  KernelCircuit circuit;
  circuit.name = kernel.name;
  circuit.source_file = file;
  const auto refuse = [&](ErrorCode code, const std::string& why) {
    circuit.obstacle = Diagnostic{code,
                                  {file, kernel.at.line, kernel.at.column},
                                  "kernel '" + kernel.name + "' is no circuit: " + why};
    return circuit;
  };
  if (!checked.shape_parameters.empty()) {
    return refuse(ErrorCode::kUnsupported, "the extent of an array");
  }
  KernelAnalysis elements(kernel, checked, file);
  RowAnalysis rows(kernel, checked, file);
  const auto prepare = [&](KernelAnalysis& analysis) {
    if (circuits == Circuits::kAsWritten) analysis.KeepOperations();
  };
  prepare(elements);
  prepare(rows);
  circuit.obstacle = elements.Run(nullptr);
  const bool by_rows = circuit.obstacle.has_value();
  if (by_rows) {
    // Of a kernel about rows, the obstacle is what keeps it from having them.
    const auto obstacle = rows.Run(nullptr);
    if (!obstacle || rows.is_about_rows()) circuit.obstacle = obstacle;
  }
  if (circuit.obstacle) return circuit;
  const KernelAnalysis& first = by_rows ? rows : elements;
  KernelAnalysis::Roles roles;
  roles.size = first.size();
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    const auto number = static_cast<int>(k);
    // What is only stored is no input; what is not used at all has to be something.
    roles.is_input.push_back(first.IsLoaded(number) || !first.StoredIn(number));
  }
  // The second walk numbers inputs and scalars as the header does.
  const std::unique_ptr<KernelAnalysis> second =
      by_rows ? std::make_unique<RowAnalysis>(kernel, checked, file)
              : std::make_unique<KernelAnalysis>(kernel, checked, file);
  KernelAnalysis& analysis = *second;
  prepare(analysis);
  circuit.obstacle = analysis.Run(&roles);
  if (circuit.obstacle) return circuit;
  circuit.parameters = ParametersOf(kernel, checked);
  if (kernel.block[1] != 1 || kernel.block[2] != 1) {
    return refuse(ErrorCode::kUnsupported, "it has a block of several dimensions");
  }
  HeaderMaker maker(analysis, roles, circuit.parameters);
  if (!maker.Run()) return refuse(ErrorCode::kResourceLimit, "more than 96 arrays");
  auto form = sigmatics::FormOfValues(maker.header, analysis.graph(), maker.outputs,
                                      analysis.faulting(), analysis.operations());
  if (!form.ok()) return refuse(ErrorCode::kResourceLimit, form.error().message);
  circuit.form = std::move(form).value();
  circuit.order = std::move(maker.order);
  if (kernel.block[0] > 0) circuit.default_block = static_cast<uint32_t>(kernel.block[0]);
  return circuit;
}

Result<isa::Program> CompileKernelCircuit(const KernelCircuit& circuit) {
  std::vector<std::string> names;
  for (const size_t k : circuit.order) names.push_back(circuit.parameters[k].name);
  Result<isa::Program> program =
      LowerCanonical(circuit.form, circuit.order, names, circuit.checks_lanes);
  if (!program.ok()) {
    Diagnostic error = program.errors()[0];
    error.where = {circuit.source_file, 0, 0};
    error.message = "kernel '" + circuit.name + "': " + error.message;
    return error;
  }
  program.value().name = circuit.name;
  program.value().source_file = circuit.source_file;
  if (circuit.default_block != 0) program.value().default_block = circuit.default_block;
  return program;
}

}  // namespace hologram::frontend
