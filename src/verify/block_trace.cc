// Soundness. A lane passes blocks one after the other; `Place` holds what the phis of the blocks on
// its way hold that dominate the one where it is, so every value that is computed there from phis,
// ids and constants has the number that LaneNumbers finds (each block between the phi and the use
// was passed after the phi). A barrier is passed by all lanes together: what does not vary between
// them is the same for all of them there, and the rest is forgotten. Between two barriers each lane
// takes one of the ways that are walked, independently of the others.
#include "verify/block_trace.h"

#include <algorithm>

#include "verify/proofs.h"

namespace hologram::verify {

BlockTrace::BlockTrace(const isa::Program& program, const Cfg& cfg, const Ssa& ssa,
                       const Variation& lanes, size_t* work)
    : program_(program),
      cfg_(cfg),
      ssa_(ssa),
      lanes_(lanes),
      work_(work),
      one_(program, ssa, false),
      each_(program, ssa, true),
      phis_of_(cfg.num_blocks()) {
  for (const ValueId phi : ssa.phis) phis_of_[ssa.values[phi].place].push_back(phi);
}

bool BlockTrace::Spend(size_t work) {
  spent_ += work;
  *work_ += work;
  return spent_ + one_.work() + each_.work() <= kMaxWork;
}

bool BlockTrace::AreApart(uint32_t start, uint32_t a, uint32_t b) {
  if (!FollowAll()) return false;
  for (size_t i = 0; i < intervals_.size(); ++i) {
    if (intervals_[i].start != start) continue;
    const Owners& first = OwnersOf(i, a);
    const Owners& second = OwnersOf(i, b);
    if (first.empty() || second.empty()) return false;
    for (size_t e = 0; e < first.size(); ++e) {
      if (first[e] == 0 || second[e] == 0) continue;
      if (first[e] != second[e] || first[e] == kMany) return false;
    }
  }
  return true;
}

bool BlockTrace::FollowAll() {
  if (followed_) return complete_;
  followed_ = true;
  if (!cfg_.reducible || !ssa_.built) return false;
  do {
    complete_ = Follow();
  } while (!complete_ && Spend(1) && ForgetOne());
  return complete_;
}

bool BlockTrace::Follow() {
  intervals_.clear();
  seen_.clear();
  num_places_ = 0;
  std::set<Place> started;
  std::vector<Place> next = {{0, Keep({})}};
  while (!next.empty()) {
    const Place first = next.back();
    next.pop_back();
    if (!started.insert(first).second) continue;
    Interval& interval = intervals_.emplace_back(Interval{first.block, {}});
    Walk(interval, first, next);
    num_places_ += interval.places.size();
    if (num_places_ > kMaxPlaces || !Spend(1)) return false;
  }
  return true;
}

void BlockTrace::Walk(Interval& interval, const Place& first, std::vector<Place>& next) {
  std::vector<Place> stack;
  const auto visit = [&](const Place& place) {
    if (interval.places.insert(place).second) stack.push_back(place);
  };
  visit(first);
  while (!stack.empty() && interval.places.size() <= kMaxPlaces) {
    const Place place = stack.back();
    stack.pop_back();
    if (!Spend(1 + place.phis->size())) return;
    one_.Enter(*place.phis);
    const uint32_t last = cfg_.blocks[place.block].end - 1;
    const bool barrier = isa::IsBarrier(program_.code[last].op);
    uint32_t only = kNone;
    if (program_.code[last].conditional()) {
      const auto holds = one_.OneOf(ssa_.predicate_reads[last][0]);
      if (holds) only = cfg_.Target(program_, place.block, *holds != 0);
    }
    for (const uint32_t to : cfg_.blocks[place.block].successors) {
      if (to == kExitBlock || (only != kNone && to != only)) continue;
      const PhiNumbers* const phis = Passed(place, to);
      if (barrier) {
        next.push_back({to, SharedAt(*phis, to)});
      } else {
        visit({to, phis});
      }
    }
  }
}

// Behind the edge from a place to a block. REQUIRES: one_ is at the place.
const PhiNumbers* BlockTrace::Passed(const Place& from, uint32_t to) {
  PhiNumbers phis;
  for (const auto& [phi, number] : *from.phis) {
    const uint32_t made = ssa_.values[phi].place;
    if (made != to && cfg_.Dominates(made, to)) phis.emplace(phi, number);
  }
  const std::vector<uint32_t>& ways = cfg_.blocks[to].predecessors;
  const auto way =
      static_cast<size_t>(std::find(ways.begin(), ways.end(), from.block) - ways.begin());
  for (const ValueId phi : phis_of_[to]) {
    if (forgotten_.contains(phi)) continue;
    const auto number = one_.OneOf(ssa_.OperandsOf(cfg_, phi)[way]);
    if (!number) continue;
    phis.emplace(phi, *number);
    seen_[phi].insert(*number);
  }
  return Keep(std::move(phis));
}

// What all lanes of a block have behind a barrier.
const PhiNumbers* BlockTrace::SharedAt(const PhiNumbers& phis, uint32_t block) {
  PhiNumbers shared;
  for (const auto& [phi, number] : phis) {
    if (lanes_.divergent[ssa_.values[phi].place]) continue;
    if (!lanes_.VariesAt(cfg_, ssa_, phi, block)) shared.emplace(phi, number);
  }
  return Keep(std::move(shared));
}

// The phi with most numbers is not followed any more. False: none has more than one.
bool BlockTrace::ForgetOne() {
  const auto most = std::max_element(seen_.begin(), seen_.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  if (most == seen_.end() || most->second.size() < 2) return false;
  forgotten_.insert(most->first);
  return true;
}

const BlockTrace::Owners& BlockTrace::OwnersOf(size_t interval, uint32_t pc) {
  const auto known = owners_.find({interval, pc});
  if (known != owners_.end()) return known->second;
  Owners owners(program_.shared[program_.code[pc].a].count, 0);
  for (const Place& place : intervals_[interval].places) {
    if (place.block != cfg_.block_of[pc] || AddOwners(place, pc, owners)) continue;
    owners.clear();
    break;
  }
  return owners_.emplace(std::pair(interval, pc), std::move(owners)).first->second;
}

// What is outside of the array is a fault, not an access. False: the elements are not known.
bool BlockTrace::AddOwners(const Place& place, uint32_t pc, Owners& owners) {
  if (!Spend(1 + owners.size() / 16)) return false;
  each_.Enter(*place.phis);
  const std::vector<bool> here = LanesAt(place.block);
  const LaneNumbers::Numbers& index = each_.Of(IndexOf(program_, ssa_, pc));
  if (index.empty()) return false;
  for (uint32_t lane = 0; lane < each_.num_lanes(); ++lane) {
    const uint64_t element = index.size() == 1 ? index[0] : index[lane];
    if (!here[lane] || element >= owners.size()) continue;
    const auto own = static_cast<uint16_t>(lane + 1);
    uint16_t& owner = owners[element];
    owner = owner == 0 || owner == own ? own : kMany;
  }
  return true;
}

// The lanes that get to the block, as far as the branches on the way say. REQUIRES: each_ is there.
std::vector<bool> BlockTrace::LanesAt(uint32_t block) {
  std::vector<bool> here(each_.num_lanes(), true);
  for (uint32_t b = block; b != kNone; b = cfg_.idom[b]) {
    const uint32_t from = cfg_.EntryOf(b);
    if (from == kNone) continue;
    const uint32_t last = cfg_.blocks[from].end - 1;
    if (!program_.code[last].conditional()) continue;
    const bool taken = cfg_.Target(program_, from, true) == b;
    if (taken == (cfg_.Target(program_, from, false) == b)) continue;
    const LaneNumbers::Numbers& holds = each_.Of(ssa_.predicate_reads[last][0]);
    if (holds.empty()) continue;
    for (uint32_t lane = 0; lane < here.size(); ++lane) {
      if ((holds[holds.size() == 1 ? 0 : lane] != 0) != taken) here[lane] = false;
    }
  }
  return here;
}

}  // namespace hologram::verify
