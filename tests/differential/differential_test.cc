// Random programs on every engine against the scalar reference, bit for bit:
//
//   differential_test [cfg|structured] [--seed S] [--first K] [--count N] [--native-every M]
//                     [--threads T]... [--exact] [--small] [--short] [--without ENGINE]...
//                     [--dump|--vector]
//
// --threads runs native code on so many threads too, in chunks of single units, and may repeat.
// --without leaves an engine out, and may repeat. --small keeps programs to few types, as most are
// anyway.
// --exact leaves transcendental instructions and those of the Atlas out. --dump compares nothing:
// it runs the interpreter and writes each case to the standard output, for numpy_reference.py.
// --vector prints each case as a conformance file with the result of the scalar reference.
//
// Program k of a seed is always the same. Native code, which takes long to make, is tried on every
// M-th program. The first difference prints the program, the launch, both faults and the first
// element that differs, the arguments that repeat it alone and a conformance file, and ends the
// run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/quote.h"
#include "dump.h"
#include "engine.h"
#include "interpreter/interpreter.h"
#include "random_program.h"
#include "scalar_reference.h"
#include "text/text.h"
#include "vector_text.h"

namespace hologram::tests {
namespace {

struct Options {
  std::string family = "cfg";
  uint64_t seed = 1;
  uint64_t first = 0;
  uint64_t count = 500;
  uint64_t native_every = 1;
  std::vector<uint32_t> threads{1};
  bool exact = false;
  bool dump = false;
  bool vector = false;
  bool small = false;
  bool shorten = false;
  std::vector<std::string> without;  // engines
};

struct Outcome {
  std::vector<std::vector<uint8_t>> buffers;
  std::optional<launch::Fault> fault;
  // Empty: the launch fails at its end, because a class of the resonance does not fit.
  std::optional<launch::Stream> stream;
  std::vector<std::string> prints;
};

// The launch on fresh copies of the buffers.
class PreparedLaunch {
 public:
  explicit PreparedLaunch(const TestLaunch& text) : buffers_(text.buffers), stream_(text.stream) {
    for (auto& buffer : buffers_) refs_.push_back({buffer.data(), buffer.size()});
    launch_.buffers = refs_;
    launch_.scalars = text.scalars;
    launch_.shape = text.shape;
    launch_.budget = text.budget;
    launch_.class_base = text.class_base;
    launch_.deterministic = false;
    launch_.stream = &stream_;
    launch_.prints = &prints_;
  }
  PreparedLaunch(const PreparedLaunch&) = delete;
  PreparedLaunch& operator=(const PreparedLaunch&) = delete;
  const launch::Launch& launch() const { return launch_; }
  std::vector<std::vector<uint8_t>> TakeBuffers() { return std::move(buffers_); }
  const launch::Stream& stream() const { return stream_; }
  std::vector<std::string> TakePrints(const std::optional<launch::Fault>& fault) {
    std::vector<std::string> all;
    const launch::PrintLog::Printed printed = prints_.Take(fault ? fault->lane : UINT64_MAX);
    for (const launch::PrintRecord& record : printed.records) {
      all.push_back("lane " + std::to_string(record.lane) + " " + Quote(record.text));
    }
    if (!printed.complete) all.push_back(std::to_string(printed.dropped) + " more");
    return all;
  }

 private:
  std::vector<std::vector<uint8_t>> buffers_;
  launch::Stream stream_;
  launch::PrintLog prints_;
  std::vector<hologram_buffer_ref> refs_;
  launch::Launch launch_;
};

// With the values that made it fault.
std::string FaultText(const verify::VerifiedProgram& program,
                      const std::optional<launch::Fault>& fault) {
  const std::string operands = DescribeOperands(program, fault);
  return Describe(fault) + (operands.empty() ? "" : ": " + operands);
}

std::string PrintDifference(const std::vector<std::string>& expected,
                            const std::vector<std::string>& found) {
  size_t i = 0;
  while (i < expected.size() && i < found.size() && expected[i] == found[i]) ++i;
  const auto at = [i](const std::vector<std::string>& all) {
    return i < all.size() ? all[i] : std::string("nothing");
  };
  return "print " + std::to_string(i) + ": reference " + at(expected) + ", engine " + at(found);
}

std::string StreamDifference(const launch::Stream& expected, const launch::Stream& found) {
  const auto text = [](const launch::Stream& stream, size_t c) {
    return std::to_string(stream.resonance[c].numerator) + "/" +
           std::to_string(stream.resonance[c].denominator);
  };
  if (expected.phase != found.phase) {
    return "phase: reference " + std::to_string(expected.phase) + ", engine " +
           std::to_string(found.phase);
  }
  for (size_t c = 0; c < expected.resonance.size(); ++c) {
    if (expected.resonance[c] == found.resonance[c]) continue;
    return "resonance of class " + std::to_string(c) + ": reference " + text(expected, c) +
           ", engine " + text(found, c);
  }
  return {};
}

// REQUIRES: both have a stream.
std::string FirstDifference(const isa::Program& program, const Outcome& expected,
                            const Outcome& found) {
  size_t b = 0;
  for (const isa::Parameter& parameter : program.parameters) {
    if (!parameter.is_buffer) continue;
    const auto& x = expected.buffers[b];
    const auto& y = found.buffers[b];
    ++b;
    const size_t size = isa::SizeOf(parameter.type);
    for (size_t i = 0; i + size <= x.size(); i += size) {
      uint64_t left = 0;
      uint64_t right = 0;
      std::memcpy(&left, &x[i], size);
      std::memcpy(&right, &y[i], size);
      if (left == right) continue;
      char text[160];
      std::snprintf(text, sizeof text, "%s[%zu]: reference %llx, engine %llx",
                    parameter.name.c_str(), i / size, static_cast<unsigned long long>(left),
                    static_cast<unsigned long long>(right));
      return text;
    }
  }
  return StreamDifference(*expected.stream, *found.stream);
}

class DifferentialTest {
 public:
  explicit DifferentialTest(Options options) : options_(std::move(options)) {}

  int Run() {
    const uint64_t end = options_.first + options_.count;
    // The first difference is reported; a long run need not go on.
    for (uint64_t k = options_.first; k < end && different_ == 0; ++k) {
      RunProgram(k);
      ShowProgress();
    }
    if (options_.dump || options_.vector) return refused_ == 0 ? 0 : 1;
    std::string engines;
    for (const Engine& engine : engines_) {
      if (!IsLeftOut(engine)) engines += " " + engine.name;
    }
    std::printf(
        "%s: %llu programs in %.0f s, %llu refused by the verifier, %llu faulted, "
        "engines:%s\n",
        options_.family.c_str(), Long(programs_), Seconds(), Long(refused_), Long(faulted_),
        engines.c_str());
    std::printf("%llu runs equal, %llu different, %llu skipped, %llu on several threads\n",
                Long(equal_), Long(different_), Long(skipped_), Long(Threading().cut_launches));
    // Programs that the generator writes are meant to pass; a few refusals would only hide tests.
    const bool cut = options_.threads.size() == 1 || Threading().cut_launches != 0;
    return different_ == 0 && equal_ != 0 && refused_ == 0 && cut ? 0 : 1;
  }

 private:
  bool IsLeftOut(const Engine& engine) const {
    return std::find(options_.without.begin(), options_.without.end(), engine.name) !=
           options_.without.end();
  }

  static unsigned long long Long(uint64_t number) { return number; }

  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

  // A long run that is stopped has shown how far it came.
  void ShowProgress() {
    if (options_.dump || options_.vector || Seconds() < shown_ + 60) return;
    shown_ = Seconds();
    std::printf("... %s: %llu programs, %llu runs equal after %.0f s\n", options_.family.c_str(),
                Long(programs_), Long(equal_), shown_);
    std::fflush(stdout);
  }

  void RunProgram(uint64_t k) {
    Random random(options_.seed * 1000003 + k);
    random.set_exact(options_.exact);
    random.set_small(options_.small);
    TestProgram test =
        options_.family == "cfg" ? RandomCfgProgram(random) : RandomStructuredProgram(random);
    ++programs_;
    if (options_.shorten) Shorten(random, test);
    const auto verified = verify::Verify(test.program);
    if (!verified.ok()) return Refused(k, test, verified.errors());
    PreparedLaunch prepared(test.launch);
    const auto tier = CheckLaunch(verified.value(), prepared.launch());
    if (!tier.ok()) return Refused(k, test, tier.errors());
    launch::Launch launch = prepared.launch();
    launch.guarded = tier.value() == launch::LaunchTier::kGuarded;
    if (options_.dump) return Dump(k, test, verified.value(), launch.guarded);
    const ScalarResult scalar = RunScalar(verified.value(), launch);
    const Outcome expected{prepared.TakeBuffers(), scalar.fault, scalar.stream,
                           prepared.TakePrints(scalar.fault)};
    if (!scalar.broken.empty()) return Report(k, test, expected, "reference", scalar.broken);
    if (options_.vector) return PrintVector(k, test, expected);
    faulted_ += scalar.fault ? 1 : 0;
    const bool native = options_.native_every != 0 && k % options_.native_every == 0;
    for (const Engine& engine : engines_) {
      if (&engine != &engines_[0] && !native) continue;
      if (IsLeftOut(engine)) continue;
      RunOnEngine(k, test, verified.value(), engine, tier.value(), expected);
    }
  }

  static void Shorten(Random& random, TestProgram& test) {
    size_t b = 0;
    for (const isa::Parameter& parameter : test.program.parameters) {
      if (!parameter.is_buffer) continue;
      std::vector<uint8_t>& bytes = test.launch.buffers[b++];
      const uint32_t size = isa::SizeOf(parameter.type);
      const auto count = static_cast<uint32_t>(bytes.size() / size);
      if (count == 0 || random.Chance(85)) continue;
      const uint32_t way = random.Below(4);
      const uint32_t less = way == 0 ? 1 : way == 1 ? count : 1 + random.Below(count);
      bytes.resize(size_t{count - less} * size);
    }
  }

  void Dump(uint64_t k, const TestProgram& test, const verify::VerifiedProgram& verified,
            bool guarded) {
    PreparedLaunch prepared(test.launch);
    launch::Launch launch = prepared.launch();
    launch.guarded = guarded;
    const auto fault = interpreter::Run(verified, launch);
    if (!fault.ok()) return Refused(k, test, fault.errors());
    const std::vector<uint8_t> bytes =
        DumpCase(k, verified, test.launch, guarded, fault.value(), prepared.TakeBuffers());
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  }

  void RunOnEngine(uint64_t k, const TestProgram& test, const verify::VerifiedProgram& verified,
                   const Engine& engine, launch::LaunchTier tier, const Outcome& expected) {
    // Where a proof does not cover the launch, native code does not run it.
    const bool is_native = engine.name != engines_[0].name;
    if (tier == launch::LaunchTier::kGuarded && is_native && !engine.is_checked_form) {
      ++skipped_;
      return;
    }
    const auto run = engine.prepare(verified);
    if (!run.ok()) return ReportOrSkip(k, test, expected, engine.name, run.errors()[0]);
    for (const uint32_t threads : options_.threads) {
      if (&engine == &engines_[0] && threads != 1) continue;
      Threading().threads = threads;
      const std::string name =
          threads == 1 ? engine.name : engine.name + " on " + std::to_string(threads) + " threads";
      Compare(k, test, verified, name, run.value(), expected);
    }
  }

  void Compare(uint64_t k, const TestProgram& test, const verify::VerifiedProgram& verified,
               const std::string& engine, const RunFunction& run, const Outcome& expected) {
    PreparedLaunch prepared(test.launch);
    const auto fault = run(prepared.launch());
    const bool fails_at_end = !expected.fault && !expected.stream;
    if (!fault.ok() && fault.errors()[0].code == ErrorCode::kFault && fails_at_end) {
      ++equal_;
      return;
    }
    if (!fault.ok()) return ReportOrSkip(k, test, expected, engine, fault.errors()[0]);
    if (fails_at_end) return Report(k, test, expected, engine, "the resonance fits");
    const Outcome found{prepared.TakeBuffers(), fault.value(), prepared.stream(),
                        prepared.TakePrints(fault.value())};
    const std::string expected_fault = FaultText(verified, expected.fault);
    const std::string found_fault = FaultText(verified, found.fault);
    if (expected_fault != found_fault) {
      return Report(k, test, expected, engine,
                    "reference: " + expected_fault + "\nengine:    " + found_fault);
    }
    if (expected.prints != found.prints) {
      return Report(k, test, expected, engine, PrintDifference(expected.prints, found.prints));
    }
    // After a fault the contents of written buffers are unspecified.
    const std::string difference =
        expected.fault ? "" : FirstDifference(test.program, expected, found);
    if (!difference.empty()) return Report(k, test, expected, engine, difference);
    ++equal_;
  }

  void Refused(uint64_t k, const TestProgram& test, const Diagnostics& errors) {
    ++refused_;
    if (refused_ > 3) return;
    Print(k, test, "refused: " + ToString(errors[0]));
  }

  // An engine may say that it does not run a program; the interpreter runs everything.
  void ReportOrSkip(uint64_t k, const TestProgram& test, const Outcome& expected,
                    const std::string& engine, const Diagnostic& error) {
    const bool skip = error.code == ErrorCode::kUnsupported && engine != engines_[0].name;
    if (!skip) return Report(k, test, expected, engine, ToString(error));
    ++skipped_;
  }

  void Report(uint64_t k, const TestProgram& test, const Outcome& expected,
              const std::string& engine, const std::string& message) {
    ++different_;
    Print(k, test, "DIFFERENT on " + engine + ":\n" + message);
    std::fprintf(stderr, "as a conformance file:\n%s\n",
                 VectorText(test, expected.buffers, expected.fault, expected.stream).c_str());
  }

  void PrintVector(uint64_t k, const TestProgram& test, const Outcome& expected) {
    std::printf("# Program %llu of differential_test %s --seed %llu.\n%s", Long(k),
                options_.family.c_str(), Long(options_.seed),
                VectorText(test, expected.buffers, expected.fault, expected.stream).c_str());
  }

  void Print(uint64_t k, const TestProgram& test, const std::string& message) {
    std::fprintf(stderr, "%s\n%s\n%s\nrepeat with: %s --seed %llu --first %llu --count 1%s\n\n",
                 text::Disassemble(test.program).c_str(), test.launch.ToText().c_str(),
                 message.c_str(), options_.family.c_str(), Long(options_.seed), Long(k),
                 ThreadOptions().c_str());
  }

  std::string ThreadOptions() const {
    std::string text;
    for (size_t t = 1; t < options_.threads.size(); ++t) {
      text += " --threads " + std::to_string(options_.threads[t]);
    }
    return text + (options_.shorten ? " --short" : "");
  }

  Options options_;
  const std::vector<Engine>& engines_ = options_.shorten ? EnginesAndCheckedForms() : Engines();
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double shown_ = 0;
  uint64_t programs_ = 0;
  uint64_t refused_ = 0;
  uint64_t faulted_ = 0;
  uint64_t equal_ = 0;
  uint64_t different_ = 0;
  uint64_t skipped_ = 0;
};

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    bool* const flag = word == "--exact"    ? &options.exact
                       : word == "--dump"   ? &options.dump
                       : word == "--vector" ? &options.vector
                       : word == "--small"  ? &options.small
                       : word == "--short"  ? &options.shorten
                                            : nullptr;
    if (flag != nullptr) {
      *flag = true;
      continue;
    }
    if (word == "--without" && i + 1 < argc) {
      options.without.emplace_back(argv[++i]);
      continue;
    }
    if (word == "cfg" || word == "structured") {
      options.family = word;
      continue;
    }
    if (word == "--threads" && i + 1 < argc) {
      options.threads.push_back(static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10)));
      continue;
    }
    uint64_t* const number = word == "--seed"           ? &options.seed
                             : word == "--first"        ? &options.first
                             : word == "--count"        ? &options.count
                             : word == "--native-every" ? &options.native_every
                                                        : nullptr;
    if (number == nullptr || i + 1 == argc) {
      std::printf(
          "usage: differential_test [cfg|structured] [--seed S] [--first K] [--count N] "
          "[--native-every M] [--threads T]... [--exact] [--small] "
          "[--short] [--without ENGINE]... [--dump|--vector]\n");
      return 2;
    }
    *number = std::strtoull(argv[++i], nullptr, 10);
  }
  return DifferentialTest(options).Run();
}

}  // namespace
}  // namespace hologram::tests

int main(int argc, char** argv) {
  return hologram::tests::Main(argc, argv);
}
