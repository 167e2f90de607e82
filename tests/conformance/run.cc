// Runs conformance files (case.h) on every engine of the table:
//
//   conformance_test [--engine NAME]... [--threads T]... [--every N] [--no-coverage] [--verbose]
//   FILE_OR_FOLDER...
//
// --threads runs native code on so many threads too, in chunks of single units. --every runs each
// Nth case only.
//
// A case passes on an engine if it gives the expected elements or the expected fault, and if its
// elements are bit for bit those of the first engine. Where an engine says that it does not run a
// program or launch (kUnsupported), the case is skipped there; the interpreter runs everything.
// Prints failures and counts; exits 1 if there is a failure, or if a form of an instruction is in
// no file.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/quote.h"
#include "case.h"
#include "coverage.h"
#include "engine.h"
#include "text/text.h"

namespace hologram::tests {
namespace {

namespace fs = std::filesystem;

// A case with its program, ready to run.
struct LoadedCase {
  const ConformanceCase* text;
  verify::VerifiedProgram program;
};

struct Outcome {
  std::vector<std::vector<uint8_t>> buffers;  // in parameter order
  std::optional<launch::Fault> fault;
  launch::Stream stream;
  std::vector<std::string> prints;  // as in the files
};

std::string Join(const Diagnostics& errors) {
  std::string text;
  for (const Diagnostic& error : errors) text += (text.empty() ? "" : "\n    ") + ToString(error);
  return text;
}

const NamedWords* Find(const std::vector<NamedWords>& all, const std::string& name) {
  for (const NamedWords& words : all) {
    if (words.name == name) return &words;
  }
  return nullptr;
}

std::vector<uint8_t> ToBytes(const std::vector<uint64_t>& words, isa::Type type) {
  const uint32_t size = isa::SizeOf(type);
  std::vector<uint8_t> bytes(words.size() * size);
  for (size_t i = 0; i < words.size(); ++i) std::memcpy(bytes.data() + i * size, &words[i], size);
  return bytes;
}

Result<Outcome> RunOn(const RunFunction& run, const LoadedCase& loaded) {
  Outcome outcome;
  std::vector<uint64_t> scalars;
  for (const isa::Parameter& parameter : loaded.program.program().parameters) {
    const NamedWords* words =
        Find(parameter.is_buffer ? loaded.text->buffers : loaded.text->scalars, parameter.name);
    if (words == nullptr || (!parameter.is_buffer && words->words.size() != 1)) {
      return Error(ErrorCode::kInvalidText, "no value for parameter '" + parameter.name + "'");
    }
    if (parameter.is_buffer) {
      outcome.buffers.push_back(ToBytes(words->words, parameter.type));
    } else {
      scalars.push_back(words->words[0]);
    }
  }
  std::vector<hologram_buffer_ref> refs;
  for (std::vector<uint8_t>& bytes : outcome.buffers) refs.push_back({bytes.data(), bytes.size()});
  launch::Launch launch;
  launch.buffers = refs;
  launch.scalars = scalars;
  launch.shape = loaded.text->shape;
  launch.budget = loaded.text->budget;
  launch.class_base = loaded.text->class_base;
  launch.deterministic = loaded.text->deterministic;
  outcome.stream = loaded.text->before;
  launch.stream = &outcome.stream;
  const auto tier = CheckLaunch(loaded.program, launch);
  if (!tier.ok()) return tier.errors();
  launch::PrintLog prints;
  launch.prints = &prints;
  HOLOGRAM_ASSIGN_OR_RETURN(outcome.fault, run(launch));
  const launch::PrintLog::Printed printed =
      prints.Take(outcome.fault ? outcome.fault->lane : UINT64_MAX);
  for (const launch::PrintRecord& record : printed.records) {
    outcome.prints.push_back(std::to_string(record.lane) + " " + Quote(record.text));
  }
  return outcome;
}

// Floats as integers in their order, so that differences count units in the last place.
int64_t Ordered(uint64_t bits, isa::Type type) {
  const uint32_t shift = 64 - isa::BitsOf(type);
  const auto value = static_cast<int64_t>(bits << shift) >> shift;
  return value < 0 && isa::IsFloat(type) ? -(value & INT64_MAX) : value;
}

bool IsNear(uint64_t found, uint64_t expected, const NamedWords& words, isa::Type type) {
  if (found == expected) return true;
  if (words.within == 0) return false;
  const int64_t difference = Ordered(found, type) - Ordered(expected, type);
  return static_cast<uint64_t>(difference < 0 ? -difference : difference) <= words.within;
}

// Empty if the elements are those that the case expects.
std::string CompareElements(const NamedWords& expected, isa::Type type,
                            const std::vector<uint8_t>& bytes) {
  const uint32_t size = isa::SizeOf(type);
  const size_t count = bytes.size() / size;
  if (count != expected.words.size()) {
    return "expected " + std::to_string(expected.words.size()) + " elements of " + expected.name +
           ", found " + std::to_string(count);
  }
  for (size_t i = 0; i < count; ++i) {
    uint64_t found = 0;
    std::memcpy(&found, bytes.data() + i * size, size);
    if (IsNear(found, expected.words[i], expected, type)) continue;
    char text[120];
    std::snprintf(text, sizeof text, "%s[%zu]: expected %0*llx, found %0*llx",
                  expected.name.c_str(), i, static_cast<int>(size * 2),
                  static_cast<unsigned long long>(expected.words[i]), static_cast<int>(size * 2),
                  static_cast<unsigned long long>(found));
    return text;
  }
  return {};
}

std::string CompareStream(const ConformanceCase& text, const launch::Stream& found) {
  if (text.phase_after && *text.phase_after != found.phase) {
    return "expected phase " + std::to_string(*text.phase_after) + " after the launch, found " +
           std::to_string(found.phase);
  }
  for (const auto& [class_index, expected] : text.resonance_after) {
    const launch::Ratio ratio = found.resonance[class_index];
    if (ratio == expected) continue;
    const auto shown = [](launch::Ratio r) {
      return std::to_string(r.numerator) + "/" + std::to_string(r.denominator);
    };
    return "expected resonance " + shown(expected) + " of class " + std::to_string(class_index) +
           ", found " + shown(ratio);
  }
  return {};
}

std::string ComparePrints(const std::vector<std::string>& expected,
                          const std::vector<std::string>& found) {
  if (expected == found) return {};
  const size_t both = std::min(expected.size(), found.size());
  size_t i = 0;
  while (i < both && expected[i] == found[i]) ++i;
  const auto at = [i](const std::vector<std::string>& all) {
    return i < all.size() ? all[i] : std::string("nothing");
  };
  return "print " + std::to_string(i) + ": expected " + at(expected) + ", found " + at(found);
}

// Empty if the case passes.
std::string CompareOutcome(const LoadedCase& loaded, const Outcome& outcome) {
  const std::string fault = outcome.fault ? Describe(outcome.fault) : "";
  if (fault != loaded.text->fault) {
    return "expected " + (loaded.text->fault.empty() ? "no fault" : loaded.text->fault) +
           ", found " + Describe(outcome.fault);
  }
  const std::string operands = DescribeOperands(loaded.program, outcome.fault);
  if (!loaded.text->fault_operands.empty() && loaded.text->fault_operands != operands) {
    return "expected operands " + loaded.text->fault_operands + ", found " +
           (operands.empty() ? "none" : operands);
  }
  std::string stream = CompareStream(*loaded.text, outcome.stream);
  if (!stream.empty()) return stream;
  std::string prints = ComparePrints(loaded.text->prints, outcome.prints);
  if (!prints.empty()) return prints;
  size_t buffer = 0;
  for (const isa::Parameter& parameter : loaded.program.program().parameters) {
    if (!parameter.is_buffer) continue;
    const std::vector<uint8_t>& bytes = outcome.buffers[buffer++];
    const NamedWords* expected = Find(loaded.text->results, parameter.name);
    if (expected == nullptr) continue;
    std::string difference = CompareElements(*expected, parameter.type, bytes);
    if (!difference.empty()) return difference;
  }
  return {};
}

class Runner {
 public:
  Runner(std::vector<std::string> only, std::vector<uint32_t> threads, size_t every, bool verbose)
      : only_(std::move(only)), threads_(std::move(threads)), every_(every), verbose_(verbose) {}

  void RunFile(const std::string& path) {
    const auto cases = ParseConformanceFile(path);
    if (!cases.ok()) return Fail(path, Join(cases.errors()));
    for (const ConformanceCase& one : cases.value()) RunCase(one);
  }

  int Finish(bool coverage) {
    size_t missing = 0;
    if (coverage) {
      for (const std::string& form : coverage_.Missing()) {
        std::printf("no conformance file runs %s\n", form.c_str());
        ++missing;
      }
    }
    std::string engines;
    for (const Engine& engine : EnginesAndCheckedForms()) engines += " " + engine.name;
    const unsigned long long cut = Threading().cut_launches;
    std::printf("engines:%s\n%zu passed, %zu failed, %zu skipped, %llu on several threads\n",
                engines.c_str(), passed_, failed_, skipped_, cut);
    return failed_ == 0 && missing == 0 && (threads_.size() == 1 || cut != 0) ? 0 : 1;
  }

 private:
  void RunCase(const ConformanceCase& text) {
    const std::string where = text.file + ":" + std::to_string(text.line);
    auto programs = text::Assemble(text.assembly, where);
    if (!programs.ok()) return Fail(where, Join(programs.errors()));
    if (programs.value().size() != 1) return Fail(where, "expected one kernel");
    coverage_.Add(programs.value()[0]);
    if (number_++ % every_ != 0) return;
    auto verified = verify::Verify(programs.value()[0]);
    if (!verified.ok()) return Fail(where, Join(verified.errors()));
    const LoadedCase loaded{&text, std::move(verified).value()};
    std::optional<Outcome> first;
    for (const Engine& engine : EnginesAndCheckedForms()) {
      const bool chosen = std::find(only_.begin(), only_.end(), engine.name) != only_.end();
      if (!only_.empty() && !chosen) continue;
      RunOnEngine(engine, loaded, where + " on " + engine.name, &first);
    }
  }

  void RunOnEngine(const Engine& engine, const LoadedCase& loaded, const std::string& where,
                   std::optional<Outcome>* first) {
    const auto run = engine.prepare(loaded.program);
    if (!run.ok()) return FailOrSkip(where, run.errors());
    for (const uint32_t threads : threads_) {
      if (&engine == &EnginesAndCheckedForms()[0] && threads != 1) continue;
      Threading().threads = threads;
      Compare(run.value(), loaded,
              threads == 1 ? where : where + " on " + std::to_string(threads) + " threads", first);
    }
  }

  void Compare(const RunFunction& run, const LoadedCase& loaded, const std::string& where,
               std::optional<Outcome>* first) {
    auto outcome = RunOn(run, loaded);
    if (!outcome.ok()) return FailOrSkip(where, outcome.errors());
    const std::string difference = CompareOutcome(loaded, outcome.value());
    if (!difference.empty()) return Fail(where, difference);
    // After a fault the contents of written buffers are unspecified.
    const bool comparable = first->has_value() && !outcome.value().fault;
    if (comparable && (*first)->buffers != outcome.value().buffers) {
      return Fail(where, "the bits differ from those of " + EnginesAndCheckedForms()[0].name);
    }
    if (!first->has_value()) *first = std::move(outcome).value();
    ++passed_;
  }

  // An engine may say that it does not run a program or launch; then another engine does.
  void FailOrSkip(const std::string& where, const Diagnostics& errors) {
    if (errors[0].code != ErrorCode::kUnsupported) return Fail(where, Join(errors));
    ++skipped_;
    if (verbose_) std::printf("skipped %s: %s\n", where.c_str(), Join(errors).c_str());
  }

  void Fail(const std::string& where, const std::string& message) {
    ++failed_;
    std::printf("FAILED %s: %s\n", where.c_str(), message.c_str());
  }

  std::vector<std::string> only_;  // empty: all engines
  std::vector<uint32_t> threads_;  // of native engines
  size_t every_;
  bool verbose_;
  Coverage coverage_;
  size_t number_ = 0;  // of the next case
  size_t passed_ = 0;
  size_t failed_ = 0;
  size_t skipped_ = 0;
};

std::vector<std::string> FilesOf(const std::string& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.path().extension() == ".txt" && entry.path().filename() != "CMakeLists.txt") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

int Main(int argc, char** argv) {
  std::vector<std::string> engines;
  std::vector<uint32_t> threads{1};
  size_t every = 1;
  bool coverage = true;
  bool verbose = false;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--engine" && i + 1 < argc) {
      engines.emplace_back(argv[++i]);
    } else if (word == "--threads" && i + 1 < argc) {
      threads.push_back(static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10)));
    } else if (word == "--every" && i + 1 < argc) {
      every = std::max(1ul, std::strtoul(argv[++i], nullptr, 10));
    } else if (word == "--no-coverage") {
      coverage = false;
    } else if (word == "--verbose") {
      verbose = true;
    } else {
      paths.push_back(word);
    }
  }
  if (paths.empty()) {
    std::printf(
        "usage: conformance_test [--engine NAME]... [--threads T]... [--every N] [--no-coverage] "
        "[--verbose] FILE_OR_FOLDER...\n");
    return 2;
  }
  Runner runner(engines, threads, every, verbose);
  for (const std::string& path : paths) {
    for (const std::string& file : FilesOf(path)) runner.RunFile(file);
  }
  return runner.Finish(coverage);
}

}  // namespace
}  // namespace hologram::tests

int main(int argc, char** argv) {
  return hologram::tests::Main(argc, argv);
}
