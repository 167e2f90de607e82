#include "compile_times.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "backends/cpu_features.h"
#include "isa/bundle.h"
#include "runtime/compiler_plugin.h"
#include "verify/verified_program.h"

namespace hologram::bench {
namespace {

std::vector<uint8_t> ReadBeside(const std::string& name) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  std::string folder(path, length > 0 ? static_cast<size_t>(length) : 0);
  folder.resize(folder.rfind('/') + 1);
  std::ifstream file(folder + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Slowest {
  double ns = 0;
  std::string kernel;

  void Offer(double time, const std::string& name) {
    if (time > ns) {
      ns = time;
      kernel = name;
    }
  }
};

double BestOf(int repetitions, const std::function<void()>& work) {
  double best = 1e18;
  for (int i = 0; i < repetitions; ++i) {
    const double start = NowNs();
    work();
    best = std::min(best, NowNs() - start);
  }
  return best;
}

}  // namespace

void CompileTimes(const char* bundle_file, Report& report) {
  const std::vector<uint8_t> bytes = ReadBeside(bundle_file);
  auto reader = isa::BundleReader::Open(bytes);
  auto level = backends::CurrentLevel();
  if (!reader.ok() || !level.ok() || !runtime::HasCompiler()) {
    std::printf("verify and JIT times SKIPPED: no bundle, CPU level or compiler plugin\n");
    return;
  }
  const auto target = runtime::TargetFor(level.value());
  Slowest verify;
  Slowest compile;
  std::string all;
  for (size_t i = 0; i < reader.value().size(); ++i) {
    auto program = reader.value().ReadProgram(i);
    if (!program.ok()) continue;
    const std::string name = program.value().name;
    verify.Offer(BestOf(20, [&] { (void)verify::Verify(program.value()); }), name);
    auto verified = verify::Verify(program.value());
    if (!verified.ok()) continue;
    const double ns = BestOf(5, [&] {
      (void)runtime::Compile(verified.value(), target, runtime::CompileOutput::kObject);
    });
    compile.Offer(ns, name);
    char text[80];
    std::snprintf(text, sizeof text, "%s%s %.1f", all.empty() ? "" : ", ", name.c_str(), ns / 1e6);
    all += text;
  }
  report.AtMost("verify, slowest kernel", verify.kernel, verify.ns / 1e3, 100.0, "us");
  report.AtMost("JIT compile, slowest kernel", compile.kernel, compile.ns / 1e6, 20.0, "ms");
  std::printf("JIT compile, ms: %s\n", all.c_str());
}

}  // namespace hologram::bench
