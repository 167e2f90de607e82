// What the checks of guarded accesses cost: a kernel against itself without them, both as the body
// of an object of this machine's level, on one thread.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench_kernels.h"
#include "beside.h"
#include "bundle/bundle.h"
#include "engines/cpu_features.h"
#include "fill.h"
#include "groups.h"
#include "runtime/compiler_plugin.h"
#include "runtime/native/elf_loader.h"
#include "verify/verified_program.h"

namespace hologram::bench {
namespace {

constexpr double kBar = 1.05;

std::optional<verify::VerifiedProgram> ProgramOf(const std::string& name) {
  const std::vector<uint8_t> bytes = BundleBeside(bench_kernels::file);
  const auto reader = bundle::BundleReader::Open(bytes);
  for (size_t k = 0; reader.ok() && k < reader.value().size(); ++k) {
    auto program = reader.value().ReadProgram(k);
    if (!program.ok() || program.value().name != name) continue;
    auto verified = verify::Verify(std::move(program).value());
    if (verified.ok()) return std::move(verified).value();
  }
  return std::nullopt;
}

std::optional<runtime::NativeCode> CodeOf(const verify::VerifiedProgram& program, Target target,
                                          runtime::Checks checks) {
  const auto object = runtime::Compile(program, target, runtime::CompileOutput::kObject, checks);
  if (!object.ok()) return std::nullopt;
  auto code = runtime::NativeCode::Load(object.value());
  if (!code.ok()) return std::nullopt;
  return std::move(code).value();
}

}  // namespace

void Checks(Report& report) {
  const auto level = engines::CurrentTarget();
  if (!level.ok() || !level.value() || !runtime::HasCompiler()) {
    return report.Note("gather, checked SKIPPED: no CPU level or compiler plugin");
  }
  const std::optional<verify::VerifiedProgram> program = ProgramOf("gather");
  if (!program) return report.Note("gather, checked SKIPPED: the kernel is not in the bundle");
  const auto target = *level.value();
  const auto checked = CodeOf(*program, target, runtime::Checks::kKept);
  const auto unchecked = CodeOf(*program, target, runtime::Checks::kLeftOut);
  if (!checked || !unchecked) return report.Note("gather, checked SKIPPED: it does not compile");
  for (const auto& [n, size] :
       {std::pair{4096u, "n=4096"}, {65536u, "n=65536"}, {1u << 20, "n=1M"}}) {
    std::vector<float> table(n);
    Fill(table, -1, 1);
    std::vector<float> out(n);
    std::vector<uint32_t> index(n);
    Fill(index, 0, n);
    const hologram_buffer_ref buffers[] = {
        {table.data(), n * 4ull}, {index.data(), n * 4ull}, {out.data(), n * 4ull}};
    const uint64_t scalars[] = {n};
    const hologram_launch_shape shape{{(n + 255) / 256, 1, 1}, {256, 1, 1}};
    const auto run = [&](const runtime::NativeCode& code) {
      hologram_launch_state state{};
      state.fault_lane = UINT64_MAX;
      code.info()->body(buffers, scalars, &shape, &state, 0, n);
      Clobber(out.data());
    };
    report.AgainstPeer(
        {"gather, checked", size, "without its check", kBar}, [&] { run(*checked); },
        [&] { run(*unchecked); });
  }
}

}  // namespace hologram::bench
