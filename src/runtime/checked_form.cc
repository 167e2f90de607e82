#include "runtime/checked_form.h"

#include <mutex>
#include <utility>

#include "launch/work_model.h"
#include "verify/checked_form.h"

namespace hologram::runtime {
namespace {

constexpr double kLaunchNs = 100;  // of a launch, with nothing in it

}  // namespace

bool MayHaveCheckedForm(const verify::VerifiedProgram& kernel) {
  return !kernel.uses_print() && !kernel.uses_stream();
}

const CheckedForm::Form* CheckedForm::Make() const {
  Result<verify::VerifiedProgram> checked = verify::VerifyCheckedForm(kernel_.program.source());
  if (!checked.ok()) return nullptr;
  if (!verify::LeavesAccesses(checked.value())) return nullptr;
  auto form = std::make_unique<Form>(std::move(checked).value());
  Result<NativeCode> code = maker_(kernel_.program);
  if (!code.ok()) return nullptr;
  form->code = std::move(code).value();
  form_ = std::move(form);
  return form_.get();
}

std::optional<engines::CheckedCode> CheckedForm::Find(const launch::Launch& launch,
                                                      bool must) const {
  if (is_missing_.load(std::memory_order_relaxed)) return std::nullopt;
  const Form* form = made_.load(std::memory_order_acquire);
  if (form == nullptr) {
    const std::lock_guard lock(mutex_);
    form = made_.load(std::memory_order_relaxed);
    needed_ns_ += kLaunchNs + kernel_.work.LaunchNs(launch);
    if (form == nullptr && !must && !is_there_ && needed_ns_ < launch::kWorthCompilingNs)
      return std::nullopt;
    if (form == nullptr) form = Make();
    if (form == nullptr) {
      is_missing_.store(true, std::memory_order_relaxed);
      return std::nullopt;
    }
    made_.store(form, std::memory_order_release);
  }
  return engines::CheckedCode{form->facts, form->code->info()};
}

void CheckedForm::Interpreted(double ns) const {
  const std::lock_guard lock(mutex_);
  needed_ns_ += ns / launch::kInterpreterTimes;
}

}  // namespace hologram::runtime
