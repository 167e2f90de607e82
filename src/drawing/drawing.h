// Pictures of what hologram knows: the control flow of a kernel with its proofs and hot lines, a
// circuit, a pipeline of launches. Each is an SVG file. `hologram draw` writes them. Tested by
// tests/drawing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "frontend/raise/circuit.h"
#include "launch/launch.h"
#include "plan/plan.h"
#include "profile/profile.h"
#include "sigmatics/canonical.h"
#include "verify/verified_program.h"

namespace hologram::drawing {

// In larger ones nothing can be found.
inline constexpr size_t kMostBoxes = 400;

// A box for each stretch of code without a branch, with its lines and their accesses, proved or
// checked; with `counts` of a launch, how often it ran and its share of all steps, as colour.
// Errors: kResourceLimit, more than kMostBoxes.
Result<std::string> DrawFlow(const verify::VerifiedProgram& program, profile::Sources& sources,
                             const profile::LaunchCounts* counts);

// Values and what they are computed of. Errors: as above.
Result<std::string> DrawCircuit(const sigmatics::Canonical& circuit, const std::string& name);
// The same with the names of the kernel's parameters. Errors: its obstacle too.
Result<std::string> DrawCircuit(const frontend::KernelCircuit& circuit);

// The arrays of a launch as matrices: which part each block writes, one after the other, and what
// one of them reads. `shapes`: of each buffer. Runs the launch in the interpreter. Errors: a fault;
// kResourceLimit, too many blocks. REQUIRES: CheckLaunch(program, launch).ok()
Result<std::string> DrawWalk(const verify::VerifiedProgram& program, launch::Launch launch,
                             std::span<const std::vector<uint64_t>> shapes);

// Launches and the arrays between them. REQUIRES: CheckFlow(plan, kernels). Errors: as above.
Result<std::string> DrawPipeline(const pipeline::Plan& plan,
                                 std::span<const isa::Program* const> kernels);

}  // namespace hologram::drawing
