// The counts of instrumented native code equal those of the interpreter: executions, steps, bytes
// and operations of every line. Results are compared, too.
//
//   native_counts_test cfg|structured [--first K] [--count N]   random programs
//   (tests/differential) native_counts_test loader                                   what the
//   loader refuses native_counts_test BUNDLES CASES ARRAYS                     launches of
//   native_counts_test.py
#include "profile/native_counts.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "bundle/bundle.h"
#include "engines/cpu_features.h"
#include "launch/default_shape.h"
#include "launch/facts.h"
#include "launch/unique.h"
#include "profile/line_counts.h"
#include "random_program.h"
#include "runtime/compiler_plugin.h"
#include "runtime/native/elf_loader.h"
#include "verify/verified_program.h"

namespace hologram::tests {
namespace {

using Arrays = std::vector<std::vector<uint8_t>>;

struct Given {
  Arrays* arrays;
  std::vector<size_t> buffers;  // numbers of arrays
  std::vector<uint64_t> scalars;
  hologram_launch_shape shape;
  uint64_t budget = launch::kDefaultBudget;
  uint32_t class_base = 0;
};

std::vector<hologram_buffer_ref> RefsTo(Arrays& arrays, const std::vector<size_t>& numbers) {
  std::vector<hologram_buffer_ref> refs;
  for (const size_t k : numbers) refs.push_back({arrays[k].data(), arrays[k].size()});
  return refs;
}

std::string LineText(const profile::LineCount& line) {
  std::ostringstream text;
  text << line.where.line << ": " << line.executions << " executions, " << line.steps << " steps, "
       << line.loaded << " loaded, " << line.stored << " stored";
  return text.str();
}

std::string Difference(const profile::LaunchCounts& expected, const profile::LaunchCounts& found) {
  if (expected.lines.size() != found.lines.size()) return "other lines";
  for (size_t k = 0; k < expected.lines.size(); ++k) {
    const std::string want = LineText(expected.lines[k]);
    const std::string have = LineText(found.lines[k]);
    if (want != have) return "interpreter " + want + "\nnative      " + have;
    const double lanes = found.lines[k].lanes();
    if (lanes > found.width || (found.lines[k].steps != 0 && lanes < 1)) {
      return have + ", in vectors of " + std::to_string(lanes) + " lanes";
    }
  }
  for (size_t pc = 0; pc < expected.executions.size(); ++pc) {
    if (expected.executions[pc] == found.executions[pc]) continue;
    return "instruction " + std::to_string(pc) + ": interpreter " +
           std::to_string(expected.executions[pc]) + ", native " +
           std::to_string(found.executions[pc]);
  }
  if (expected.work.operations32 != found.work.operations32 ||
      expected.work.operations64 != found.work.operations64) {
    return "other operations";
  }
  return found.work.bytes < expected.work.bytes ? "fewer bytes than were touched" : "";
}

enum class Outcome { kEqual, kDifferent, kSkipped };

// Leaves what the launch writes in the arrays.
Outcome Compare(const verify::VerifiedProgram& program, const Given& given,
                const std::string& name) {
  Arrays of_interpreter = *given.arrays;
  launch::Launch launch;
  launch.scalars = given.scalars;
  launch.shape = given.shape;
  launch.budget = given.budget;
  launch.class_base = given.class_base;
  const auto refs = RefsTo(of_interpreter, given.buffers);
  launch.buffers = refs;
  const auto tier = launch::CheckLaunch(program, launch);
  if (!tier.ok() || tier.value() != launch::LaunchTier::kProved) return Outcome::kSkipped;
  const auto expected = profile::CountLaunch(program, launch);
  if (!expected.ok()) return Outcome::kSkipped;  // a fault
  runtime::LaunchConfig config;
  config.shape.grid = std::to_array(given.shape.grid);
  config.shape.block = std::to_array(given.shape.block);
  config.budget = given.budget;
  config.class_base = given.class_base;
  config.shows_prints = false;
  const auto native_refs = RefsTo(*given.arrays, given.buffers);
  launch.buffers = native_refs;
  const auto found = profile::CountNative(program, launch, config);
  if (!found.ok()) {
    std::printf("FAIL %s: %s\n", name.c_str(), found.errors()[0].message.c_str());
    return Outcome::kDifferent;
  }
  std::string difference = Difference(expected.value(), found.value());
  if (difference.empty() && of_interpreter != *given.arrays) difference = "other results";
  if (difference.empty()) return Outcome::kEqual;
  std::printf("FAIL %s: %s\n", name.c_str(), difference.c_str());
  return Outcome::kDifferent;
}

struct Totals {
  int equal = 0;
  int different = 0;
  int skipped = 0;

  void Add(Outcome outcome) {
    if (outcome == Outcome::kEqual) ++equal;
    if (outcome == Outcome::kDifferent) ++different;
    if (outcome == Outcome::kSkipped) ++skipped;
  }
  int Finish(int fewest) const {
    std::printf("%d launches with equal counts, %d different, %d faulted or were not proved\n",
                equal, different, skipped);
    return different == 0 && equal >= fewest ? 0 : 1;
  }
};

// ---- Random programs

int RunRandom(const std::string& family, uint64_t first, uint64_t count) {
  Totals totals;
  for (uint64_t k = first; k < first + count; ++k) {
    Random random(7'000'003 + k);
    random.set_small(true);
    TestProgram test = family == "cfg" ? RandomCfgProgram(random) : RandomStructuredProgram(random);
    auto program = verify::Verify(test.program);
    if (!program.ok() || program.value().uses_stream()) continue;
    Given given{&test.launch.buffers, {}, test.launch.scalars, test.launch.shape};
    for (size_t b = 0; b < test.launch.buffers.size(); ++b) given.buffers.push_back(b);
    given.budget = test.launch.budget;
    given.class_base = test.launch.class_base;
    totals.Add(Compare(program.value(), given, family + " " + std::to_string(k)));
  }
  return totals.Finish(static_cast<int>(count / 4));
}

// ---- The loader

std::string Loaded(const std::vector<uint8_t>& object, runtime::BlockCounters* counters) {
  const auto code = runtime::NativeCode::Load(object, nullptr, nullptr, counters);
  return code.ok() ? "" : code.errors()[0].message;
}

// Instrumented code and counters belong together. Nothing is run here: a changed byte may be code,
// but must never crash the loader.
int RunLoader() {
  Random random(1);
  random.set_small(true);
  const auto program = verify::Verify(RandomCfgProgram(random).program);
  const auto target = engines::CurrentTarget();
  if (!program.ok() || !target.ok() || !target.value()) return 1;
  const auto compiled = [&](runtime::CompileOutput output) {
    auto made = runtime::Compile(program.value(), *target.value(), output);
    return made.ok() ? std::move(made).value() : std::vector<uint8_t>();
  };
  const auto counting = compiled(runtime::CompileOutput::kInstrumentedObject);
  const auto plain = compiled(runtime::CompileOutput::kObject);
  runtime::BlockCounters fitting(program.value().blocks().size());
  runtime::BlockCounters longer(program.value().blocks().size() + 1);
  const std::vector<std::pair<std::string, std::string>> found = {
      {Loaded(counting, &fitting), ""},
      {Loaded(plain, nullptr), ""},
      {Loaded(counting, nullptr), "native object: instrumented code, and nothing to count in"},
      {Loaded(plain, &fitting), "native object: code that counts nothing"},
      {Loaded(counting, &longer), "native object: its counters are those of another program"},
  };
  int wrong = 0;
  for (const auto& [error, expected] : found) {
    if (error == expected) continue;
    std::printf("FAIL: %s, expected: %s\n", error.c_str(), expected.c_str());
    ++wrong;
  }
  for (size_t i = 0; i < counting.size(); ++i) {
    std::vector<uint8_t> changed = counting;
    changed[i] = static_cast<uint8_t>(changed[i] ^ (i % 2 == 0 ? 0x80 : 0xff));
    Loaded(changed, &fitting);
  }
  std::printf("the loader: %d wrong, %zu changed bytes\n", wrong, counting.size());
  return wrong == 0 && fitting.width != 0 ? 0 : 1;
}

// ---- Kernels of the tree

using Programs = std::map<std::string, verify::VerifiedProgram>;

bool ReadPrograms(const std::string& paths, Programs& programs) {
  std::istringstream names(paths);
  for (std::string path; std::getline(names, path, ',');) {
    const auto bytes = ReadFile(path, uint64_t{1} << 30);
    if (!bytes.ok()) return false;
    const auto reader = bundle::BundleReader::Open(bytes.value());
    if (!reader.ok()) return false;
    for (size_t k = 0; k < reader.value().size(); ++k) {
      auto program = reader.value().ReadProgram(k);
      if (!program.ok()) return false;
      auto verified = verify::Verify(std::move(program).value());
      if (!verified.ok()) return false;
      programs.emplace(reader.value().NameOf(k), std::move(verified).value());
    }
  }
  return true;
}

// The shape of a launch, whose grid or block may be left to the kernel: all zeros.
bool Resolve(const verify::VerifiedProgram& program, const std::array<uint32_t, 3>& grid,
             const std::array<uint32_t, 3>& block, Given& given) {
  const launch::KernelFacts facts(program);
  launch::RequestedShape requested;
  if (grid[0] != 0) requested.grid = grid;
  if (block[0] != 0) requested.block = block;
  const auto refs = RefsTo(*given.arrays, given.buffers);
  const auto shape = launch::DefaultShape(facts).Resolve(requested, refs, given.scalars);
  if (shape.ok()) given.shape = shape.value();
  return shape.ok();
}

// The length of an array of one dimension is a parameter behind the others: "x.shape[0]".
void AddLengths(const isa::Program& program, Given& given) {
  for (size_t k = given.buffers.size() + given.scalars.size(); k < program.parameters.size(); ++k) {
    const std::string& name = program.parameters[k].name;
    size_t number = 0;
    for (const isa::Parameter& other : program.parameters) {
      if (!other.is_buffer) continue;
      const size_t bytes = (*given.arrays)[given.buffers[number++]].size();
      if (name == other.name + ".shape[0]")
        given.scalars.push_back(bytes / isa::SizeOf(other.type));
    }
  }
}

int RunCases(const std::string& paths, const std::string& cases, const std::string& data) {
  Programs programs;
  const auto bytes = ReadFile(data, uint64_t{1} << 32);
  std::ifstream lines(cases);
  if (!bytes.ok() || !lines || !ReadPrograms(paths, programs)) {
    std::printf("FAIL: the bundles or the cases cannot be read\n");
    return 1;
  }
  Totals totals;
  Arrays arrays;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "case") arrays.clear();
    if (kind == "array") {
      size_t at = 0;
      size_t size = 0;
      words >> at >> size;
      arrays.emplace_back(bytes.value().begin() + static_cast<std::ptrdiff_t>(at),
                          bytes.value().begin() + static_cast<std::ptrdiff_t>(at + size));
    }
    if (kind != "launch") continue;
    std::string name;
    std::array<uint32_t, 3> grid{};
    std::array<uint32_t, 3> block{};
    words >> name >> grid[0] >> grid[1] >> grid[2] >> block[0] >> block[1] >> block[2];
    Given given{&arrays, {}, {}, {}};
    for (std::string type; words >> type;) {
      uint64_t value = 0;
      words >> value;
      type == "a" ? given.buffers.push_back(static_cast<size_t>(value))
                  : given.scalars.push_back(value);
    }
    const auto found = programs.find(name);
    if (found != programs.end()) AddLengths(found->second.program(), given);
    const size_t parameters = given.buffers.size() + given.scalars.size();
    if (found == programs.end() || found->second.program().parameters.size() != parameters ||
        !Resolve(found->second, grid, block, given)) {
      std::printf("FAIL %s: no such kernel, or no such launch\n", line.c_str());
      totals.Add(Outcome::kDifferent);
      continue;
    }
    totals.Add(Compare(found->second, given, line.substr(0, 100)));
  }
  return totals.Finish(100);
}

}  // namespace
}  // namespace hologram::tests

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] != "cfg" && words[0] != "structured") {
    return hologram::tests::RunCases(words[0], words[1], words[2]);
  }
  if (words.at(0) == "loader") return hologram::tests::RunLoader();
  uint64_t first = 0;
  uint64_t count = 100;
  for (size_t k = 1; k + 1 < words.size(); k += 2) {
    uint64_t& value = words[k] == "--first" ? first : count;
    value = std::strtoull(words[k + 1].c_str(), nullptr, 10);
  }
  return hologram::tests::RunRandom(words.at(0), first, count);
}
