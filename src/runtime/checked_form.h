// CheckedForm: the native code of a kernel for launches that its proofs do not cover
// (verify/checked_form.h). It is made when launches have needed it for so long that compiling it is
// worth it. Tested by python/tests/test_checked.py.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "base/fork_gate.h"
#include "base/result.h"
#include "engines/engine.h"
#include "launch/facts.h"
#include "runtime/native/elf_loader.h"
#include "verify/verified_program.h"

namespace hologram::runtime {

// Whether launches may take the checked form, if accesses are left to the code in it: all that the
// kernel does can be taken back after a fault (not printing, not changes of its stream).
bool MayHaveCheckedForm(const verify::VerifiedProgram& kernel);

class CheckedForm final : public engines::CheckedCodeSource {
 public:
  // Finds the code of the checked form of a kernel, or compiles it.
  using Maker = std::function<Result<NativeCode>(const verify::VerifiedProgram& kernel)>;

  // `kernel` outlives this. `is_there`: the maker does not compile.
  CheckedForm(const launch::KernelFacts& kernel, Maker maker, bool is_there)
      : kernel_(kernel), maker_(std::move(maker)), is_there_(is_there) {}

  // Thread-safe: others wait while it is made.
  std::optional<engines::CheckedCode> Find(const launch::Launch& launch, bool must) const override;
  void Interpreted(double ns) const override;

 private:
  // Two of the same program: that of the code, and what is known of it.
  struct Form {
    explicit Form(verify::VerifiedProgram checked) : program(std::move(checked)), facts(program) {}

    const verify::VerifiedProgram program;
    const launch::KernelFacts facts;
    std::optional<NativeCode> code;
  };

  // With the mutex held. Null: there is no such code.
  const Form* Make() const;

  const launch::KernelFacts& kernel_;
  const Maker maker_;
  const bool is_there_;
  mutable Mutex mutex_;  // for what follows; `made_` is read without it
  mutable std::unique_ptr<Form> form_;
  mutable std::atomic<const Form*> made_{nullptr};
  mutable std::atomic<bool> is_missing_{false};
  // Native time of the launches so far, by their estimates and by the clock.
  mutable double needed_ns_ = 0;
};

}  // namespace hologram::runtime
