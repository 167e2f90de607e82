#include "runtime/observed_work.h"

#include <utility>

#include "observe/counters.h"

namespace hologram::runtime {

using Clock = std::chrono::steady_clock;
using observe::Count;
using observe::Counter;

Result<verify::VerifiedProgram> VerifySeen(isa::Program program) {
  Count(Counter::kProgramsVerified);
  return verify::Verify(std::move(program));
}

ObservedCompile::ObservedCompile(const verify::VerifiedProgram& /*program*/, Target /*target*/,
                                 CompileOutput /*output*/)
    : start_(Clock::now()) {}

void ObservedCompile::End(bool succeeded) const {
  const std::chrono::nanoseconds time = Clock::now() - start_;
  Count(Counter::kCompileNanoseconds, static_cast<uint64_t>(time.count()));
  Count(succeeded ? Counter::kCompiles : Counter::kCompileErrors);
}

}  // namespace hologram::runtime
