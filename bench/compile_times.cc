#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench_kernels.h"
#include "beside.h"
#include "bundle/bundle.h"
#include "engines/code_cache.h"
#include "engines/cpu_features.h"
#include "groups.h"
#include "runtime/code_key.h"
#include "runtime/compiler_plugin.h"
#include "runtime/native/elf_loader.h"
#include "verify/verified_program.h"

namespace hologram::bench {
namespace {

// The shortest of some runs of `work`, in ns.
template <class Work>
double BestOf(int repetitions, Work work) {
  double best = 1e18;
  for (int i = 0; i < repetitions; ++i) best = std::min(best, TimeBatch(work, 1));
  return best;
}

struct Measured {
  std::string name;
  verify::VerifiedProgram program;
  double verify_ns;
  double compile_ns;
};

template <class Key>
const Measured& Slowest(const std::vector<Measured>& kernels, Key key) {
  return *std::max_element(kernels.begin(), kernels.end(),
                           [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

void Compile(const Measured& kernel, Target target) {
  (void)runtime::Compile(kernel.program, target, runtime::CompileOutput::kObject);
}

// From a verified program to code that can be called, without the compiler: the slowest kernel.
void FromCache(const std::vector<Measured>& kernels, Target target, Report& report) {
  std::string folder = (std::filesystem::temp_directory_path() / "hologram_bench_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return report.Note("code cache SKIPPED: no folder");
  const auto cache = CodeCache::Open(folder);
  double slowest = 0;
  std::string name = "no kernel";
  for (const Measured& kernel : kernels) {
    const auto key = [&] {
      return runtime::CodeKey(kernel.program, target, runtime::CompilerIdentity());
    };
    const auto object = runtime::Compile(kernel.program, target, runtime::CompileOutput::kObject);
    if (!cache.ok() || !object.ok()) continue;
    cache.value().Keep(key(), object.value());
    bool found = true;
    const double ns = BestOf(15, [&] {
      const auto kept = cache.value().Find(key());
      found = found && kept && runtime::NativeCode::Load(*kept).ok();
    });
    if (!found) {
      name = kernel.name + " was not found";
      slowest = 1e9;
    } else if (ns > slowest) {
      name = kernel.name;
      slowest = ns;
    }
  }
  std::filesystem::remove_all(folder);
  report.AtMost("from the code cache, slowest", name, slowest > 0 ? slowest / 1e3 : 1e9, 300.0,
                "us");
}

}  // namespace

// Verifies and compiles (plugin loaded, level of this machine) every kernel of kernels/, through
// the same code that the runtime uses, and reports the slowest of each: first all of them once,
// then the shortest of several runs of the slower half.
void CompileTimes(Executor&, Report& report) {
  if (!report.WantsGroup()) return;
  const std::vector<uint8_t> bytes = BundleBeside(bench_kernels::file);
  auto reader = bundle::BundleReader::Open(bytes);
  const auto level = engines::CurrentTarget();
  if (!reader.ok() || !level.ok() || !level.value() || !runtime::HasCompiler()) {
    return report.Note("SKIPPED: no bundle, CPU level or compiler plugin");
  }
  std::vector<Measured> kernels;
  for (size_t i = 0; i < reader.value().size(); ++i) {
    auto program = reader.value().ReadProgram(i);
    if (!program.ok()) continue;
    const double ns = BestOf(5, [&] { (void)verify::Verify(program.value()); });
    auto verified = verify::Verify(program.value());
    if (!verified.ok()) continue;
    kernels.push_back({program.value().name, std::move(verified).value(), ns, 0});
  }
  double all_levels_ns = 0;
  for (Measured& kernel : kernels) {
    kernel.compile_ns = BestOf(1, [&] { Compile(kernel, *level.value()); });
    all_levels_ns += kernel.compile_ns + kernel.verify_ns;
    all_levels_ns += BestOf(1, [&] { Compile(kernel, Target::kX86V3); });
  }
  const auto compile_time = [](const Measured& kernel) { return kernel.compile_ns; };
  const double half = Slowest(kernels, compile_time).compile_ns / 2;
  for (Measured& kernel : kernels) {
    if (kernel.compile_ns < half) continue;
    kernel.compile_ns =
        std::min(kernel.compile_ns, BestOf(9, [&] { Compile(kernel, *level.value()); }));
  }
  const auto verify_time = [](const Measured& kernel) { return kernel.verify_ns; };
  const Measured& verify = Slowest(kernels, verify_time);
  const Measured& compile = Slowest(kernels, compile_time);
  report.AtMost("verify, slowest kernel", verify.name, verify.verify_ns / 1e3, 100.0, "us");
  report.AtMost("JIT compile, slowest kernel", compile.name, compile.compile_ns / 1e6, 20.0, "ms");
  FromCache(kernels, *level.value(), report);
  report.AtMost("compile kernels/, v3 and v4", std::to_string(kernels.size()) + " kernels",
                all_levels_ns / 1e9, 60.0, "s");
  std::sort(kernels.begin(), kernels.end(),
            [](const auto& a, const auto& b) { return a.compile_ns > b.compile_ns; });
  std::string text = "JIT compile, ms:";
  for (size_t i = 0; i < std::min<size_t>(kernels.size(), 12); ++i) {
    char item[80];
    std::snprintf(item, sizeof item, " %s %.1f", kernels[i].name.c_str(),
                  kernels[i].compile_ns / 1e6);
    text += item;
  }
  report.Note(text);
}

}  // namespace hologram::bench
