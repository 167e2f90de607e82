#include "merge/forms.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "launch/launch.h"
#include "merge/registers.h"

namespace hologram::merge {
namespace {

using pipeline::Operand;
using pipeline::Step;
using verify::VerifiedProgram;

size_t GuardedIn(const VerifiedProgram& program) {
  const auto& accesses = program.accesses();
  return static_cast<size_t>(std::count_if(
      accesses.begin(), accesses.end(),
      [](const verify::AccessFact& access) { return access.tier == verify::Tier::kGuarded; }));
}

void FindMap(Form& form, const Step& step) {
  std::optional<isa::Program> fixed = WithScalars(form.program->program(), step.scalars);
  if (!fixed) return;
  const std::shared_ptr<const VerifiedProgram> verified = VerifiedOf(std::move(*fixed));
  if (verified == nullptr) return;
  form.map = FindElementMap(*verified, step.shape);
  if (form.map) form.fixed = verified;
}

}  // namespace

std::shared_ptr<const VerifiedProgram> VerifiedOf(isa::Program program) {
  if (!isa::CheckWellFormed(program).ok()) return nullptr;
  Result<VerifiedProgram> verified = verify::Verify(std::move(program));
  if (!verified.ok()) return nullptr;
  return std::make_shared<const VerifiedProgram>(std::move(verified).value());
}

std::shared_ptr<const VerifiedProgram> WithoutCalls(const isa::Program& kernel) {
  const std::shared_ptr<const VerifiedProgram> verified = VerifiedOf(kernel);
  if (verified == nullptr || verified->recursive() || verified->needs_session()) return nullptr;
  std::optional<isa::Program> plain = WithoutShapes(verified->program());
  if (!plain) return nullptr;
  return *plain == verified->source() ? verified : VerifiedOf(std::move(*plain));
}

std::optional<Form> FormFor(std::shared_ptr<const VerifiedProgram> program, const Step& step,
                            std::span<const uint64_t> addresses) {
  std::vector<hologram_buffer_ref> refs;
  for (const Operand& operand : step.operands) {
    if (operand.array == pipeline::kNoArray) return std::nullopt;
    const uint64_t address = addresses[operand.array] + operand.first;
    refs.push_back({reinterpret_cast<void*>(address), operand.bytes});  // NOLINT
  }
  launch::Launch launch;
  launch.buffers = refs;
  launch.scalars = step.scalars;
  launch.shape = step.shape;
  const Result<launch::LaunchTier> tier = launch::CheckLaunch(*program, launch);
  if (!tier.ok() || tier.value() != launch::LaunchTier::kProved) return std::nullopt;
  Form form;
  form.guarded = GuardedIn(*program);
  form.program = std::move(program);
  if (form.guarded == 0) FindMap(form, step);
  return form;
}

bool StoresInRows(const VerifiedProgram& program, size_t parameter) {
  const auto& accesses = program.accesses();
  return std::all_of(accesses.begin(), accesses.end(), [&](const verify::AccessFact& access) {
    return !access.global() || access.slot != parameter || access.stride == 1;
  });
}

size_t ParameterOfOperand(const isa::Program& program, const Step& step, isa::Type type,
                          const Operand& operand) {
  size_t next = 0;
  for (size_t k = 0; k < program.parameters.size(); ++k) {
    if (!program.parameters[k].is_buffer) continue;
    if (step.operands[next++] == operand && program.parameters[k].type == type) return k;
  }
  return program.parameters.size();
}

bool MakeRoom(isa::Program& program, size_t parameters, size_t added) {
  RegisterMap to = Identity();
  for (size_t reg = parameters + 1; reg < isa::kFirstSpecialRegister; ++reg) {
    to[reg] = static_cast<uint8_t>(std::min(reg + added, size_t{isa::kFirstSpecialRegister}));
  }
  for (const isa::Instruction& in : program.code) {
    const isa::Uses uses = isa::UsesOf(in);
    bool fits = !uses.write || uses.write->reg >= isa::kFirstSpecialRegister ||
                uses.write->reg + added < isa::kFirstSpecialRegister;
    uses.ForEachRead([&](const isa::RegisterUse& use) {
      fits = fits && (use.reg >= isa::kFirstSpecialRegister ||
                      use.reg + added < isa::kFirstSpecialRegister);
    });
    if (!fits) return false;
  }
  Renumber(program, to);
  return true;
}

}  // namespace hologram::merge
