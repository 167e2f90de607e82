#include "engine.h"

#include <array>
#include <cstdio>

#include "guarded_memory.h"
#include "interpreter/interpreter.h"
#include "native_engine.h"

namespace hologram::tests {

EngineThreading& Threading() {
  static EngineThreading threading;
  return threading;
}

namespace {

// The engine on arrays beside untouchable pages, which lie before them in one launch and behind
// them in the next.
Engine Guarded(Engine engine) {
  return {engine.name,
          [prepare = std::move(engine.prepare)](
              const verify::VerifiedProgram& program) -> Result<RunFunction> {
            HOLOGRAM_ASSIGN_OR_RETURN(RunFunction run, prepare(program));
            return RunFunction([run = std::move(run), &program](const launch::Launch& launch) {
              static uint64_t launches = 0;
              const Placement placement =
                  launches++ % 2 == 0 ? Placement::kBeforeGuard : Placement::kAfterGuard;
              const GuardedMemory memory(program.program(), launch, placement);
              auto fault = run(memory.launch());
              memory.CopyBack();
              return fault;
            });
          },
          engine.is_checked_form};
}

}  // namespace

const std::vector<Engine>& EnginesAndCheckedForms() {
  static const std::vector<Engine>* const kEngines = [] {
    auto* engines = new std::vector<Engine>;
    engines->push_back({"interpreter", [](const verify::VerifiedProgram& program) {
                          return RunFunction([&program](const launch::Launch& launch) {
                            launch::Launch asked = launch;
                            const auto tier = launch::CheckLaunch(program, launch);
                            asked.guarded =
                                !tier.ok() || tier.value() != launch::LaunchTier::kProved;
                            return interpreter::Run(program, asked);
                          });
                        }});
    for (Engine& engine : NativeEngines()) engines->push_back(std::move(engine));
    for (Engine& engine : *engines) engine = Guarded(std::move(engine));
    return engines;
  }();
  return *kEngines;
}

const std::vector<Engine>& Engines() {
  static const std::vector<Engine>* const kEngines = [] {
    auto* engines = new std::vector<Engine>;
    for (const Engine& engine : EnginesAndCheckedForms()) {
      if (!engine.is_checked_form) engines->push_back(engine);
    }
    return engines;
  }();
  return *kEngines;
}

std::string Describe(const std::optional<launch::Fault>& fault) {
  if (!fault) return "no fault";
  const char* name = "unknown";
  if (fault->code == HOLOGRAM_FAULT_OUT_OF_BOUNDS) name = "out_of_bounds";
  if (fault->code == HOLOGRAM_FAULT_DIVISION_BY_ZERO) name = "division_by_zero";
  if (fault->code == HOLOGRAM_FAULT_BUDGET) name = "budget";
  if (fault->code == HOLOGRAM_FAULT_CALL_DEPTH) name = "call_depth";
  if (fault->code == HOLOGRAM_FAULT_INVALID_CLASS) name = "invalid_class";
  if (fault->code == HOLOGRAM_FAULT_INVALID_COORDINATES) name = "invalid_coordinates";
  if (fault->code == HOLOGRAM_FAULT_RESONANCE_OVERFLOW) name = "resonance_overflow";
  if (fault->code == HOLOGRAM_FAULT_INVALID_POOL) name = "invalid_pool";
  if (fault->code == HOLOGRAM_FAULT_POOL_OUT_OF_BOUNDS) name = "pool_out_of_bounds";
  if (fault->code == HOLOGRAM_FAULT_POOL_MEMORY) name = "pool_memory";
  if (fault->code == HOLOGRAM_FAULT_ASSERTION) name = "assertion";
  std::string text = std::string(name) + " lane " + std::to_string(fault->lane) + " pc " +
                     std::to_string(fault->pc);
  const bool indexed =
      fault->code == HOLOGRAM_FAULT_OUT_OF_BOUNDS ||
      (fault->code >= HOLOGRAM_FAULT_INVALID_CLASS && fault->code != HOLOGRAM_FAULT_ASSERTION);
  if (indexed) text += " index " + std::to_string(fault->index);
  return text;
}

std::string DescribeOperands(const verify::VerifiedProgram& program,
                             const std::optional<launch::Fault>& fault) {
  if (!fault) return {};
  std::string text;
  for (const OperandRecord& operand : launch::OperandsOf(program, *fault)) {
    const size_t digits = 2 * isa::SizeOf(*isa::ParseType(operand.type));
    std::array<char, 24> word;
    std::snprintf(word.data(), word.size(), "%0*llx", static_cast<int>(digits),
                  static_cast<unsigned long long>(operand.bits));
    text += (text.empty() ? "r" : ", r") + std::to_string(operand.reg) + "." + operand.type +
            " = " + word.data();
  }
  return text;
}

}  // namespace hologram::tests
