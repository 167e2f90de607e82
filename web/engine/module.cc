#include "engine/module.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/quote.h"
#include "bundle/bundle.h"
#include "driver/circuit_text.h"
#include "engines/engine.h"
#include "frontend/frontend.h"
#include "launch/print_log.h"
#include "runtime/explain.h"
#include "runtime/print_sink.h"
#include "sigmatics/canonical.h"
#include "sigmatics/circuit.h"
#include "text/text.h"

namespace hologram::web {
namespace {

Result<std::unique_ptr<Kernel>> VerifiedKernel(isa::Program program,
                                               std::shared_ptr<const Document> document) {
  HOLOGRAM_ASSIGN_OR_RETURN(verify::VerifiedProgram verified, verify::Verify(std::move(program)));
  return std::make_unique<Kernel>(std::move(verified), std::move(document));
}

std::string PrintedText(const isa::Program& program, const hologram_launch_shape& shape,
                        launch::PrintLog& log, uint64_t last_lane) {
  std::string text;
  runtime::PrintSink sink;
  sink.Set([&](const runtime::Printed& printed) { text += runtime::LineOf(printed); });
  sink.GiveOut(program, shape, log, last_lane);
  return text;
}

}  // namespace

Kernel::Kernel(verify::VerifiedProgram program, std::shared_ptr<const Document> document)
    : program_(std::move(program)),
      document_(std::move(document)),
      facts_(program_),
      default_launch_(facts_) {}

Result<hologram_launch_shape> Kernel::Shape(std::span<const hologram_buffer_ref> buffers,
                                            std::span<const uint64_t> scalars,
                                            const Request& request) const {
  if (!request.shape.grid || !request.shape.block) {
    return default_launch_.Resolve(request.shape, buffers, scalars);
  }
  hologram_launch_shape shape{};
  std::copy_n(request.shape.grid->begin(), 3, shape.grid);
  std::copy_n(request.shape.block->begin(), 3, shape.block);
  return shape;
}

Result<Kernel::Decision> Kernel::Decide(std::span<const hologram_buffer_ref> buffers,
                                        std::span<const uint64_t> scalars,
                                        const Request& request) const {
  launch::Launch launch;
  launch.buffers = buffers;
  launch.scalars = scalars;
  launch.deterministic = request.deterministic;
  HOLOGRAM_ASSIGN_OR_RETURN(launch.shape, Shape(buffers, scalars, request));
  if (launch.shape.grid[0] == 0) return Decision{launch.shape, true};
  HOLOGRAM_ASSIGN_OR_RETURN(const launch::LaunchTier tier, launch::CheckLaunch(program_, launch));
  return Decision{launch.shape, tier == launch::LaunchTier::kProved};
}

// runtime::Kernel::Launch, for one engine on one thread.
Status Kernel::Launch(std::span<const hologram_buffer_ref> buffers,
                      std::span<const uint64_t> scalars, const Request& request,
                      Launched& launched) const {
  launched.way.form = launch::Form::kNothing;
  launch::Launch launch = NewLaunch(buffers, scalars, request);
  HOLOGRAM_ASSIGN_OR_RETURN(launch.shape, Shape(buffers, scalars, request));
  launched.shape = launch.shape;
  if (!request.shape.grid && launch.shape.grid[0] == 0) {
    launched.way.reason = "the largest output is empty, so there is no lane";
    return Success{};
  }
  return Run(launch, launched);
}

launch::Launch Kernel::NewLaunch(std::span<const hologram_buffer_ref> buffers,
                                 std::span<const uint64_t> scalars, const Request& request) const {
  launch::Launch launch;
  launch.buffers = buffers;
  launch.scalars = scalars;
  launch.deterministic = request.deterministic;
  launch.budget = request.budget;
  return launch;
}

// A launch that has its shape, and what it prints.
Status Kernel::Run(launch::Launch& launch, Launched& launched) const {
  std::optional<launch::PrintLog> prints;
  if (program_.uses_print()) launch.prints = &prints.emplace();
  launch::Limits limits;
  limits.why_no_code = "it is in a page";
  const Status result = engines::Run({facts_, launch}, limits, launched.way);
  if (launch.prints != nullptr) {
    const FaultRecord* fault = result.ok() ? nullptr : result.errors()[0].fault.get();
    launched.prints = PrintedText(program_.program(), launch.shape, *prints,
                                  fault == nullptr ? UINT64_MAX : fault->lane);
  }
  return result;
}

Result<std::string> Kernel::View(std::string_view form) const {
  if (form == "asm") return text::Disassemble(program_.source());
  if (form == "explain") {
    HOLOGRAM_ASSIGN_OR_RETURN(runtime::Explanation explanation,
                              runtime::Explain(program_, std::nullopt));
    return std::move(explanation.text);
  }
  if (form == "circuit" || form == "calls" || form == "operations") {
    HOLOGRAM_ASSIGN_OR_RETURN(const frontend::KernelCircuit circuit,
                              Circuit(frontend::Circuits::kCanonical));
    if (form != "operations") return driver::CircuitsText({circuit}, form == "calls");
    if (circuit.obstacle) return *circuit.obstacle;
    return driver::SavedText(circuit.form.original_operations, circuit.form.canonical_operations);
  }
  if (form == "written") {
    HOLOGRAM_ASSIGN_OR_RETURN(const frontend::KernelCircuit circuit,
                              Circuit(frontend::Circuits::kAsWritten));
    if (circuit.obstacle) return *circuit.obstacle;
    return driver::CircuitsText({circuit}, true);
  }
  return Error(
      ErrorCode::kInvalidArgument,
      "form: expected asm, explain, circuit, calls, written or operations, found " + Shown(form));
}

Result<frontend::KernelCircuit> Kernel::Circuit(frontend::Circuits circuits) const {
  const std::string& name = signature().name;
  if (document_ == nullptr) {
    frontend::KernelCircuit none;
    none.name = name;
    none.obstacle = Error(ErrorCode::kUnsupported,
                          "kernel '" + name + "' came from a bundle, which has no circuits");
    return none;
  }
  std::vector<frontend::CompileTimeValue> constants;
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<frontend::CompiledKernel> compiled,
                            frontend::CompileJsonWithCircuits(document_->json, document_->file,
                                                              name, constants, circuits));
  return std::move(compiled[0].circuit);
}

Result<Module> CompileJson(std::string_view json, const std::string& file) {
  std::vector<frontend::CompileTimeValue> constants;
  HOLOGRAM_ASSIGN_OR_RETURN(
      std::vector<frontend::CompiledKernel> compiled,
      frontend::CompileJsonWithCircuits(json, file, "", constants, frontend::Circuits::kNone));
  Module module;
  Diagnostics errors;
  const auto document = std::make_shared<const Document>(Document{std::string(json), file});
  for (frontend::CompiledKernel& kernel : compiled) {
    auto verified = VerifiedKernel(std::move(kernel.program), document);
    if (verified.ok()) {
      module.push_back(std::move(verified).value());
    } else {
      errors.insert(errors.end(), verified.errors().begin(), verified.errors().end());
    }
  }
  if (!errors.empty()) return errors;
  return module;
}

Result<Module> LoadBundle(std::span<const uint8_t> bytes) {
  HOLOGRAM_ASSIGN_OR_RETURN(const bundle::BundleReader reader, bundle::BundleReader::Open(bytes));
  Module module;
  for (size_t k = 0; k < reader.size(); ++k) {
    HOLOGRAM_ASSIGN_OR_RETURN(Module one, LoadProgram(reader, k));
    module.push_back(std::move(one[0]));
  }
  return module;
}

Result<Module> LoadProgram(const bundle::BundleReader& reader, size_t program) {
  HOLOGRAM_ASSIGN_OR_RETURN(isa::Program read, reader.ReadProgram(program));
  HOLOGRAM_ASSIGN_OR_RETURN(auto kernel, VerifiedKernel(std::move(read), nullptr));
  Module module;
  module.push_back(std::move(kernel));
  return module;
}

Result<std::string> CanonicalCircuit(std::string_view text, std::string_view mode) {
  using sigmatics::Mode;
  const std::optional<Mode> wanted = mode == "memory" ? std::optional(Mode::kMemory)
                                     : mode == "gate" ? std::optional(Mode::kGate)
                                     : mode == "none" ? std::optional(Mode::kNone)
                                                      : std::nullopt;
  if (!wanted) {
    return Error(ErrorCode::kInvalidArgument,
                 "mode: expected memory, gate or none, found " + Shown(mode));
  }
  const auto failed = [](const sigmatics::CircuitError& error) {
    Diagnostic told = Error(ErrorCode::kInvalidText,
                            std::string(sigmatics::NameOf(error.kind)) + ": " + error.message);
    told.where.line = error.column == 0 ? 0 : 1;
    told.where.column = static_cast<uint32_t>(error.column);
    return told;
  };
  const auto circuit = sigmatics::Parse(text);
  if (!circuit.ok()) return failed(circuit.error());
  const auto canonical = sigmatics::CanonicalForm(circuit.value(), *wanted);
  if (!canonical.ok()) return failed(canonical.error());
  return sigmatics::Print(canonical.value().circuit) + "\n" + driver::CallsText(canonical.value());
}

}  // namespace hologram::web
