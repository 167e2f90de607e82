// The report of `hologram doctor`: the facts of this machine and this process that decide how
// kernels run, and a test of every engine against published results. Tested by tests/doctor.
#pragma once

#include <string>
#include <vector>

namespace hologram::doctor {

enum class State : uint8_t { kGood, kNote, kBad };

struct Finding {
  State state = State::kGood;
  std::string area;  // "threads"
  std::string text;
};

// Processor, threads, clock, huge pages, compiler, cache, devices, variables of the environment but
// for those in `own`, which no user has set.
std::vector<Finding> LookAtMachine(const std::vector<std::string>& own = {});
// The results of the test kernels on each engine that is here.
std::vector<Finding> TestEngines();

// A line for each; `bad` ones begin with "BAD".
std::string ReportOf(const std::vector<Finding>& findings);
bool IsWell(const std::vector<Finding>& findings);

}  // namespace hologram::doctor
