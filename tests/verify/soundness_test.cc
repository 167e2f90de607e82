// Random programs, random launches: whatever the verifier proved must be true of every lane of a
// second, independent evaluation.
//
//   soundness_test [--first SEED] [--count N] [--threads T]
//
// Program k is that of seed k. Prints what was tried; a violation prints the program, the launch
// and the arguments that repeat it. T = 0: one thread for each processor.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <span>
#include <thread>

#include "index_programs.h"
#include "lane_evaluator.h"
#include "launch/launch.h"
#include "text/text.h"

namespace hologram::verify::test {

using launch::Launch;
using launch::LaunchTier;
namespace {

using Wide = __int128;

struct Lane {
  LaneId id;
  LaneRun run;
};

// What a run has seen; a test that has seen too little says nothing.
struct Counts {
  uint64_t programs = 0;
  uint64_t refused = 0;
  uint64_t lanes = 0;
  uint64_t accesses = 0;
  uint64_t values = 0;  // of registers, compared with the shape that was found
  uint64_t proved_launches = 0;
  uint64_t race_free_launches = 0;
  uint64_t race_free_shared = 0;
  uint64_t race_free_trees = 0;
  uint64_t barriers = 0;

  void Add(const Counts& other) {
    programs += other.programs;
    refused += other.refused;
    lanes += other.lanes;
    accesses += other.accesses;
    values += other.values;
    proved_launches += other.proved_launches;
    race_free_launches += other.race_free_launches;
    race_free_shared += other.race_free_shared;
    race_free_trees += other.race_free_trees;
    barriers += other.barriers;
  }
};

class Soundness {
 public:
  // `memory` may be of an earlier program.
  Soundness(uint32_t seed, std::vector<Lane>* memory, Counts* counts)
      : random_(seed), seed_(seed), counts_(*counts), memory_(*memory) {}

  // Empty, or what was proved and is not true.
  std::string Run() {
    auto verified = Verify(seed_ % 3 == 0   ? RaceProgram(seed_)
                           : seed_ % 5 == 0 ? TreeProgram(seed_)
                                            : IndexProgram(seed_));
    ++counts_.programs;
    if (!verified.ok()) {  // a value that is not set on every path
      ++counts_.refused;
      return {};
    }
    program_.emplace(std::move(verified).value());
    FindLoops();
    const LaneEvaluator evaluator(program_->program());
    for (int launch = 0; launch < 3 && violation_.empty(); ++launch) {
      ChooseLaunch();
      Evaluate(evaluator);
      CheckBarriers();
      for (const int missing : {0, 1}) CheckBounds(missing);
      CheckShapes();
      CheckRaces();
    }
    return violation_;
  }

 private:
  uint32_t Pick(uint32_t count) { return static_cast<uint32_t>(random_() % count); }

  void ChooseLaunch() {
    shape_ = {{1 + Pick(3), 1 + Pick(2), 1}, {1 + Pick(5), 1 + Pick(3), 1}};
    if (program_->program().SaysBlock() && Pick(4) != 0) {
      const auto size = program_->program().DefaultBlock();
      std::copy(size.begin(), size.end(), shape_.block);
    }
    scalars_.clear();
    for (int i = 0; i < 3; ++i) {
      constexpr uint64_t kLarge[] = {0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0xFFFFFFF0, 0xFFFF};
      const bool large = Pick(12) == 0;
      scalars_.push_back(large ? kLarge[Pick(5)] : Pick(i == 2 ? 8 : 14));
    }
  }

  void Evaluate(const LaneEvaluator& evaluator) {
    size_t count = 0;
    for (uint32_t by = 0; by < shape_.grid[1]; ++by) {
      for (uint32_t bx = 0; bx < shape_.grid[0]; ++bx) {
        for (uint32_t y = 0; y < shape_.block[1]; ++y) {
          for (uint32_t x = 0; x < shape_.block[0]; ++x) {
            if (count == memory_.size()) memory_.emplace_back();
            Lane& lane = memory_[count++];
            lane.id = {{x, y, 0}, {bx, by, 0}};
            evaluator.Run(scalars_, shape_, lane.id, &lane.run);
            counts_.accesses += lane.run.accesses.size();
          }
        }
      }
    }
    counts_.lanes += count;
    lanes_ = std::span(memory_).first(count);
  }

  // The first of a program is reported.
  void Violated(const std::string& message) {
    if (violation_.empty()) violation_ = message + "\n" + Context();
  }

  std::string Context() const {
    std::string text = "seed " + std::to_string(seed_) + ", scalars";
    for (const uint64_t scalar : scalars_) text += " " + std::to_string(scalar);
    for (int d = 0; d < 3; ++d) {
      text += ", " + std::to_string(shape_.grid[d]) + " x " + std::to_string(shape_.block[d]);
    }
    text += "\n" + text::Disassemble(program_->program());
    for (const std::string& line : Explain(*program_)) text += line + "\n";
    return text;
  }

  // Buffers of `extents` elements. A launch check reads no buffer, so they are places without
  // contents, far from each other.
  Launch MakeLaunch(const std::vector<uint64_t>& extents) {
    constexpr uintptr_t kApart = uintptr_t{1} << 32;
    size_t next = 0;
    refs_.clear();
    for (const isa::Parameter& p : program_->program().parameters) {
      if (!p.is_buffer) continue;
      const uint64_t bytes = extents[next++] * SizeOf(p.type);
      refs_.push_back({bytes == 0 ? nullptr : reinterpret_cast<void*>(next * kApart), bytes});
    }
    Launch launch;
    launch.buffers = refs_;
    launch.scalars = scalars_;
    launch.shape = shape_;
    return launch;
  }

  // Buffers that hold what the proved accesses need, less `missing` elements.
  void CheckBounds(int missing) {
    std::vector<uint64_t> need(3, 0);
    bool negative = false;
    std::string where;
    for (const Lane& lane : lanes_) {
      for (const Event& event : lane.run.accesses) {
        const AccessFact& fact = *program_->AccessAt(event.pc);
        if (fact.tier != Tier::kProved) continue;
        if (fact.shared) {
          if (event.value >= 0 && event.value < program_->program().shared[fact.slot].count) {
            continue;
          }
          negative = true;
          where = "instruction " + std::to_string(event.pc);
          continue;
        }
        // Larger than any memory that a test has, or negative: no launch may say it is proved.
        if (event.value < 0 || event.value >= 1 << 20) {
          negative = true;
          where = "instruction " + std::to_string(event.pc);
        } else {
          need[fact.slot] = std::max(need[fact.slot], static_cast<uint64_t>(event.value) + 1);
        }
      }
    }
    std::vector<uint64_t> extents = need;
    bool short_of = false;
    const uint32_t which = Pick(3);
    if (missing > 0 && need[which] > 0) {
      --extents[which];
      short_of = true;
    }
    Launch launch = MakeLaunch(extents);
    launch.deterministic = false;
    const auto tier = CheckLaunch(*program_, launch);
    const bool proved = tier.ok() && tier.value() == LaunchTier::kProved;
    counts_.proved_launches += proved && (need[0] + need[1] + need[2]) > 0 ? 1 : 0;
    if (missing == 0) proved_ = proved;
    if (proved && negative) Violated(where + " is proved and outside");
    if (proved && short_of) Violated("parameter " + std::to_string(which) + " is too small");
  }

  // Neighbours in x that came by the same way.
  void CheckShapes() {
    for (const Lane& lane : lanes_) {
      // Where the launch check fails, native code does not run, and the interpreter looks.
      if (!proved_ || !lane.run.fault || !program_->NeverFaults(*lane.run.fault)) continue;
      Violated("instruction " + std::to_string(*lane.run.fault) + " faults");
    }
    for (size_t l = 0; l + 1 < lanes_.size(); ++l) {
      const Lane& lane = lanes_[l];
      const Lane& next = lanes_[l + 1];
      if (next.id.lane[0] != lane.id.lane[0] + 1) continue;
      Compare(lane.run.writes, next.run.writes, false);
      Compare(lane.run.accesses, next.run.accesses, true);
      CompareOutsideOfLoops(lane.run.writes, next.run.writes);
    }
  }

  // Which blocks can come again: lanes may be in different rounds there.
  void FindLoops() {
    const std::vector<BasicBlock>& blocks = program_->blocks();
    again_.assign(blocks.size(), false);
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      std::vector<bool> seen(blocks.size(), false);
      std::vector<uint32_t> stack = {b};
      while (!stack.empty() && !again_[b]) {
        const uint32_t at = stack.back();
        stack.pop_back();
        for (const uint32_t to : blocks[at].successors) {
          if (to == kExitBlock || seen[to]) continue;
          seen[to] = true;
          again_[b] = again_[b] || to == b;
          stack.push_back(to);
        }
      }
    }
  }

  // What every lane computes at most once has the shape that was found by whatever way lanes came.
  void CompareOutsideOfLoops(const std::vector<Event>& mine, const std::vector<Event>& theirs) {
    at_.assign(program_->program().code.size(), nullptr);
    for (const Event& event : theirs) at_[event.pc] = &event;
    for (const Event& event : mine) {
      if (at_[event.pc] == nullptr || again_[program_->BlockOf(event.pc)]) continue;
      CompareShape(event, *at_[event.pc], StrideOfWrite(event.pc));
    }
  }

  std::optional<int64_t> StrideOfWrite(uint32_t pc) const {
    const ValueShape shape = program_->ShapeOf(pc);
    if (shape.shape == Shape::kUniform) return 0;
    // Only in launches that pass the launch check.
    if (shape.shape == Shape::kVarying || !proved_) return std::nullopt;
    return shape.stride;
  }

  void CompareShape(const Event& mine, const Event& theirs, std::optional<int64_t> stride) {
    if (!stride || (*stride != 0 && !proved_)) return;
    ++counts_.values;
    if (theirs.value - mine.value == *stride) return;
    const isa::Type type = program_->program().code[mine.pc].type;
    Violated("instruction " + std::to_string(mine.pc) + " of " + std::string(NameOf(type)) +
             " has stride " + std::to_string(*stride));
  }

  void Compare(const std::vector<Event>& mine, const std::vector<Event>& theirs, bool accesses) {
    for (size_t e = 0; e < mine.size() && e < theirs.size(); ++e) {
      if (mine[e].pc != theirs[e].pc || mine[e].path != theirs[e].path) return;
      CompareShape(mine[e], theirs[e],
                   accesses ? program_->AccessAt(mine[e].pc)->stride : StrideOfWrite(mine[e].pc));
    }
  }

  // Lanes of a block wait at the same barriers until they return.
  void CheckBarriers() {
    for (const Lane& lane : lanes_) {
      for (const Lane& other : lanes_) {
        if (!SameBlock(lane.id, other.id)) continue;
        const std::vector<uint32_t>& x = lane.run.barriers;
        const std::vector<uint32_t>& y = other.run.barriers;
        counts_.barriers += x.empty() ? 0 : 1;
        const auto common = static_cast<std::ptrdiff_t>(std::min(x.size(), y.size()));
        if (std::equal(x.begin(), x.begin() + common, y.begin())) continue;
        return Violated("lanes of a block come to different barriers");
      }
    }
  }

  static bool SameBlock(const LaneId& a, const LaneId& b) {
    return std::equal(std::begin(a.block), std::end(a.block), std::begin(b.block));
  }

  // Who touches an element: a parameter's or, of a block and between two barriers, a shared
  // array's.
  struct Place {
    uint32_t array;  // shared ones from 1000
    uint32_t block;
    uint32_t interval;
    Wide element;
    auto operator<=>(const Place&) const = default;
  };
  struct Touched {
    size_t lane;
    uint32_t pc;
    uint64_t stored = 0;
    bool several = false;  // lanes
    bool written = false;
    bool commutes = true;  // all that was done there
  };

  bool Commute(uint32_t a, uint32_t b) const {
    const isa::Instruction& x = program_->program().code[a];
    const isa::Instruction& y = program_->program().code[b];
    return isa::IsOrderless(x) && isa::IsOrderless(y) && x.mod == y.mod && !Reads(x.d) &&
           !Reads(y.d);
  }

  // Whichever comes last, the same stays there.
  bool StoreTheSame(const Touched& first, const Event& event) const {
    const isa::Instruction& x = program_->program().code[first.pc];
    const isa::Instruction& y = program_->program().code[event.pc];
    return isa::IsStore(x.op) && isa::IsStore(y.op) && first.stored == event.stored;
  }

  // Some instruction reads the register; each register of a random program is written once, but for
  // the last one.
  bool Reads(uint8_t reg) const {
    constexpr uint8_t kLast = 240;
    for (const isa::Instruction& i : program_->program().code) {
      const isa::Uses uses = isa::UsesOf(i);
      for (size_t r = 0; r < static_cast<size_t>(uses.num_reads); ++r) {
        if (uses.reads[r].reg == reg && reg != kLast) return true;
      }
    }
    return false;
  }

  void CheckRaces() {
    std::vector<uint64_t> extents(3, 1 << 12);
    if (!CheckLaunch(*program_, MakeLaunch(extents)).ok()) return;
    ++counts_.race_free_launches;
    std::map<Place, Touched> touched;
    bool shares = false;
    const bool one_block = shape_.grid[0] * shape_.grid[1] * shape_.grid[2] == 1;
    for (size_t l = 0; l < lanes_.size(); ++l) {
      for (const Event& event : lanes_[l].run.accesses) {
        const isa::Instruction& i = program_->program().code[event.pc];
        // Barriers order what the lanes of one block do to buffers too.
        Place place{i.a, 0, one_block ? event.interval : 0, event.value};
        if (isa::IsSharedAccess(i.op)) {
          const LaneId& id = lanes_[l].id;
          // An element outside the array is a fault, and no lane meets another there.
          if (event.value < 0 || event.value >= program_->program().shared[i.a].count) continue;
          place = {i.a + 1000u, id.block[1] * 16 + id.block[0], event.interval, event.value};
          shares = true;
        }
        auto [at, fresh] = touched.try_emplace(place, Touched{l, event.pc, event.stored});
        Touched& t = at->second;
        t.several |= t.lane != l;
        t.written |= !isa::IsLoad(i.op);
        t.commutes &= Commute(t.pc, event.pc) || StoreTheSame(t, event);
        if (t.several && t.written && !t.commutes) {
          return Violated("two lanes meet at an element at instruction " +
                          std::to_string(event.pc));
        }
      }
    }
    counts_.race_free_shared += shares ? 1 : 0;
    counts_.race_free_trees += shares && program_->program().name == "tree" ? 1 : 0;
  }

  std::mt19937 random_;
  uint32_t seed_;
  Counts& counts_;
  std::string violation_;
  std::optional<VerifiedProgram> program_;
  std::vector<bool> again_;       // by block
  std::vector<const Event*> at_;  // by instruction
  hologram_launch_shape shape_{};
  std::vector<uint64_t> scalars_;
  std::vector<hologram_buffer_ref> refs_;
  std::vector<Lane>& memory_;
  std::span<Lane> lanes_;  // of this launch
  bool proved_ = false;
};

struct Options {
  uint32_t first = 1;
  uint32_t count = 100000;
  uint32_t threads = 0;
};

// Seeds are dealt out in small portions, so the threads end together.
class Run {
 public:
  explicit Run(Options options) : options_(options) {}

  int AllPrograms() {
    std::vector<std::thread> workers;
    const uint32_t processors = std::max(1U, std::thread::hardware_concurrency());
    for (uint32_t t = 0; t < (options_.threads != 0 ? options_.threads : processors); ++t) {
      workers.emplace_back([this] { Work(); });
    }
    for (std::thread& worker : workers) worker.join();
    Print();
    return violations_ == 0 && SawEnough() ? 0 : 1;
  }

 private:
  static constexpr uint32_t kPortion = 100;

  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

  void Work() {
    std::vector<Lane> memory;
    while (violations_ == 0) {
      const uint64_t begin = next_.fetch_add(kPortion);
      if (begin >= options_.count) break;
      const uint64_t end = std::min<uint64_t>(begin + kPortion, options_.count);
      Counts counts;
      for (uint64_t k = begin; k < end; ++k) {
        const auto seed = static_cast<uint32_t>(options_.first + k);
        const std::string violation = Soundness(seed, &memory, &counts).Run();
        if (!violation.empty()) Report(seed, violation);
      }
      const std::lock_guard lock(mutex_);
      all_.Add(counts);
      if (Seconds() < shown_ + 60) continue;
      // A run that is stopped has shown how far it came.
      shown_ = Seconds();
      std::printf("... %llu programs after %.0f s, %llu violations\n",
                  static_cast<unsigned long long>(all_.programs), shown_,
                  static_cast<unsigned long long>(violations_));
      std::fflush(stdout);
    }
  }

  void Report(uint32_t seed, const std::string& violation) {
    const std::lock_guard lock(mutex_);
    if (++violations_ > 3) return;
    std::fprintf(stderr, "%s\nrepeat with: soundness_test --first %u --count 1\n\n",
                 violation.c_str(), seed);
  }

  void Print() const {
    const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
    std::printf(
        "%llu programs (%llu refused) in %.0f s, %llu lanes, %llu accesses, %llu values of "
        "registers and addresses compared with their shapes\n"
        "%llu proved launches with accesses, %llu race-free launches, %llu of them with shared "
        "memory and %llu with loops of barriers, %llu pairs of lanes at barriers\n"
        "%llu violations\n",
        number(all_.programs), number(all_.refused), Seconds(), number(all_.lanes),
        number(all_.accesses), number(all_.values), number(all_.proved_launches),
        number(all_.race_free_launches), number(all_.race_free_shared),
        number(all_.race_free_trees), number(all_.barriers), number(violations_));
  }

  // Chosen so that a run that no longer proves anything fails.
  bool SawEnough() const {
    if (options_.count < 1000) return true;
    const bool enough = all_.proved_launches > options_.count / 4 &&
                        all_.race_free_launches > options_.count / 20 &&
                        all_.race_free_shared > options_.count / 200 &&
                        all_.race_free_trees > options_.count / 50 &&
                        all_.barriers > options_.count && all_.values > options_.count &&
                        all_.refused < options_.count / 10;
    if (!enough) std::fprintf(stderr, "error: too little was proved to be tested\n");
    return enough;
  }

  Options options_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double shown_ = 0;
  std::atomic<uint64_t> next_ = 0;
  std::atomic<uint64_t> violations_ = 0;
  std::mutex mutex_;
  Counts all_;
};

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    uint32_t* const number = word == "--first"     ? &options.first
                             : word == "--count"   ? &options.count
                             : word == "--threads" ? &options.threads
                                                   : nullptr;
    if (number == nullptr || i + 1 == argc) {
      std::fprintf(stderr, "usage: soundness_test [--first SEED] [--count N] [--threads T]\n");
      return 2;
    }
    *number = static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10));
  }
  return Run(options).AllPrograms();
}

}  // namespace
}  // namespace hologram::verify::test

int main(int argc, char** argv) {
  return hologram::verify::test::Main(argc, argv);
}
