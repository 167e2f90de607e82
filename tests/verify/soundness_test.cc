// Random programs, random launches: whatever the verifier proved must be true of every lane of a
// second, independent evaluation.
#include <gtest/gtest.h>

#include <compare>
#include <map>
#include <random>

#include "kernels.h"
#include "lane_evaluator.h"
#include "random_program.h"
#include "text/text.h"

namespace hologram::verify::test {
namespace {

using Wide = __int128;

struct Lane {
  LaneId id;
  LaneRun run;
};

class Soundness {
 public:
  explicit Soundness(uint32_t seed) : random_(seed), seed_(seed) {}

  void Run() {
    auto verified = Verify(RandomProgram(seed_));
    if (!verified.ok()) return;  // a value that is not set on every path
    program_.emplace(std::move(verified).value());
    ++programs;
    for (int launch = 0; launch < 3; ++launch) {
      ChooseLaunch();
      Evaluate();
      CheckBarriers();
      for (const int missing : {0, 1}) CheckBounds(missing);
      CheckShapes();
      CheckRaces();
    }
  }
  static inline int programs = 0;
  static inline int proved_launches = 0;
  static inline int race_free_launches = 0;
  static inline int race_free_shared = 0;
  static inline int barriers = 0;

 private:
  uint32_t Pick(uint32_t count) { return static_cast<uint32_t>(random_() % count); }

  void ChooseLaunch() {
    shape_ = {{1 + Pick(3), 1 + Pick(2), 1}, {1 + Pick(5), 1 + Pick(3), 1}};
    scalars_.clear();
    for (int i = 0; i < 3; ++i) {
      constexpr uint64_t kLarge[] = {0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0xFFFFFFF0, 0xFFFF};
      const bool large = Pick(12) == 0;
      scalars_.push_back(large ? kLarge[Pick(5)] : Pick(i == 2 ? 8 : 14));
    }
  }

  void Evaluate() {
    lanes_.clear();
    for (uint32_t by = 0; by < shape_.grid[1]; ++by) {
      for (uint32_t bx = 0; bx < shape_.grid[0]; ++bx) {
        for (uint32_t y = 0; y < shape_.block[1]; ++y) {
          for (uint32_t x = 0; x < shape_.block[0]; ++x) {
            const LaneId id{{x, y, 0}, {bx, by, 0}};
            lanes_.push_back({id, EvaluateLane(program_->program(), scalars_, shape_, id)});
          }
        }
      }
    }
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
    TestLaunch memory(*program_, extents, scalars_, shape_);
    Launch launch = memory.launch();
    launch.deterministic = false;
    const bool proved = TierOf(*program_, launch) == "proved";
    proved_launches += proved && (need[0] + need[1] + need[2]) > 0 ? 1 : 0;
    proved_ = proved && missing == 0;
    EXPECT_FALSE(proved && negative) << where << " is proved and outside\n" << Context();
    EXPECT_FALSE(proved && short_of) << "parameter " << which << " is too small\n" << Context();
  }

  // Neighbours in x that came by the same way.
  void CheckShapes() {
    for (const Lane& lane : lanes_) {
      if (!lane.run.fault) continue;
      EXPECT_FALSE(program_->NeverFaults(*lane.run.fault)) << *lane.run.fault << "\n" << Context();
    }
    for (size_t l = 0; l + 1 < lanes_.size(); ++l) {
      const Lane& lane = lanes_[l];
      const Lane& next = lanes_[l + 1];
      if (next.id.lane[0] != lane.id.lane[0] + 1) continue;
      Compare(lane.run.writes, next.run.writes, false);
      Compare(lane.run.accesses, next.run.accesses, true);
    }
  }

  void Compare(const std::vector<Event>& mine, const std::vector<Event>& theirs, bool accesses) {
    for (size_t e = 0; e < mine.size() && e < theirs.size(); ++e) {
      if (mine[e].pc != theirs[e].pc || mine[e].path != theirs[e].path) return;
      const isa::Type type = program_->program().code[mine[e].pc].type;
      const ValueShape shape = program_->ShapeOf(mine[e].pc);
      std::optional<int64_t> stride;
      if (accesses) {
        stride = program_->AccessAt(mine[e].pc)->stride;
      } else if (shape.shape != Shape::kVarying) {
        stride = shape.stride;
      }
      if (!stride || (*stride != 0 && !proved_)) continue;
      EXPECT_TRUE(theirs[e].value - mine[e].value == *stride)
          << "instruction " << mine[e].pc << " of " << NameOf(type) << " has stride " << *stride
          << "\n"
          << Context();
    }
  }

  // Lanes of a block wait at the same barriers until they return.
  void CheckBarriers() {
    for (const Lane& lane : lanes_) {
      for (const Lane& other : lanes_) {
        if (!SameBlock(lane.id, other.id)) continue;
        const std::vector<uint32_t>& x = lane.run.barriers;
        const std::vector<uint32_t>& y = other.run.barriers;
        barriers += x.empty() ? 0 : 1;
        const auto common = static_cast<std::ptrdiff_t>(std::min(x.size(), y.size()));
        ASSERT_TRUE(std::equal(x.begin(), x.begin() + common, y.begin()))
            << "lanes of a block come to different barriers\n"
            << Context();
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
    bool several = false;  // lanes
    bool written = false;
    bool commutes = true;  // all that was done there
  };

  bool Commute(uint32_t a, uint32_t b) const {
    const isa::Instruction& x = program_->program().code[a];
    const isa::Instruction& y = program_->program().code[b];
    return isa::IsAtomic(x.op) && isa::IsAtomic(y.op) && x.mod == y.mod &&
           x.atomic_op() != isa::AtomicOp::kExchange && !Reads(x.d) && !Reads(y.d);
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
    TestLaunch memory(*program_, extents, scalars_, shape_);
    if (!CheckLaunch(*program_, memory.launch()).ok()) return;
    ++race_free_launches;
    std::map<Place, Touched> touched;
    bool shares = false;
    for (size_t l = 0; l < lanes_.size(); ++l) {
      for (const Event& event : lanes_[l].run.accesses) {
        const isa::Instruction& i = program_->program().code[event.pc];
        Place place{i.a, 0, 0, event.value};
        if (isa::IsSharedAccess(i.op)) {
          const LaneId& id = lanes_[l].id;
          // An element outside the array is a fault, and no lane meets another there.
          if (event.value < 0 || event.value >= program_->program().shared[i.a].count) continue;
          place = {i.a + 1000u, id.block[1] * 16 + id.block[0], event.interval, event.value};
          shares = true;
        }
        auto [at, fresh] = touched.try_emplace(place, Touched{l, event.pc});
        Touched& t = at->second;
        t.several |= t.lane != l;
        t.written |= !isa::IsLoad(i.op);
        t.commutes &= Commute(t.pc, event.pc);
        ASSERT_FALSE(t.several && t.written && !t.commutes)
            << "two lanes meet at an element at instruction " << event.pc << "\n"
            << Context();
      }
    }
    race_free_shared += shares ? 1 : 0;
  }

  std::mt19937 random_;
  uint32_t seed_;
  std::optional<VerifiedProgram> program_;
  hologram_launch_shape shape_{};
  std::vector<uint64_t> scalars_;
  std::vector<Lane> lanes_;
  bool proved_ = false;
};

TEST(Soundness, RandomProgramsKeepWhatWasProved) {
  const char* count = std::getenv("HOLOGRAM_SOUNDNESS_PROGRAMS");
  const char* first = std::getenv("HOLOGRAM_SOUNDNESS_SEED");
  const uint32_t begin = first != nullptr ? static_cast<uint32_t>(std::atoi(first)) : 1;
  const uint32_t programs = count != nullptr ? static_cast<uint32_t>(std::atoi(count)) : 4000;
  for (uint32_t seed = begin; seed < begin + programs && !::testing::Test::HasFailure(); ++seed) {
    Soundness(seed).Run();
  }
  std::printf(
      "%d programs, %d proved launches with accesses, %d race-free launches, %d of them with "
      "shared "
      "memory, %d pairs of lanes at barriers\n",
      Soundness::programs, Soundness::proved_launches, Soundness::race_free_launches,
      Soundness::race_free_shared, Soundness::barriers);
  if (programs >= 1000) {
    EXPECT_GT(Soundness::proved_launches, 100);
    EXPECT_GT(Soundness::race_free_launches, 20);
    EXPECT_GT(Soundness::race_free_shared, 10);
    EXPECT_GT(Soundness::barriers, 100);
  }
}

}  // namespace
}  // namespace hologram::verify::test
