// Memory mode without a header: 96 classes of f32, changed in place, all of them results. Calls are
// removed, never replaced: those that write what is there already, those whose result is written
// over unread, and pairs that undo each other. Each removal shortens the list, so it ends without a
// cap. What remains is put into the Foata normal form of the order that reads and writes demand.
#include <algorithm>
#include <array>
#include <map>

#include "sigmatics/canonical.h"
#include "sigmatics/values/class_values.h"

namespace hologram::sigmatics {
namespace {

uint8_t IndexOf(const Operand& operand) {
  return operand.sigil.base.index();
}

// Calls that leave every class with the value it has.
Checked<std::vector<Call>> WithoutRepeats(const std::vector<Call>& calls) {
  ValueGraph graph;
  ClassValues values(graph, nullptr);
  std::vector<Call> kept;
  for (const Call& call : calls) {
    const SigilClass first = call.destination.sigil.base;
    const SigilClass second =
        call.kind == CallKind::kSwap ? call.sources[0].sigil.base : call.destination.sigil.base;
    const auto before = std::pair(values.at(first), values.at(second));
    if (auto error = values.Run(call)) return *error;
    if (before != std::pair(values.at(first), values.at(second))) kept.push_back(call);
  }
  return kept;
}

// Calls whose results are written over before anything reads them.
std::vector<Call> WithoutDeadStores(const std::vector<Call>& calls) {
  std::bitset<kNumSigilClasses> live;
  live.set();
  std::vector<Call> kept;
  for (size_t i = calls.size(); i-- > 0;) {
    const Call& call = calls[i];
    const Footprint footprint = FootprintOf(call);
    if ((footprint.writes & live).none()) continue;
    // A reduction writes one element; a swap hands each class what the other was.
    const bool whole = call.kind == CallKind::kCopy || call.kind == CallKind::kMerge ||
                       call.kind == CallKind::kSplit || call.kind == CallKind::kSoftmax;
    if (whole) live &= ~footprint.writes;
    live |= footprint.reads;
    kept.push_back(call);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

// mark c and mark c, or swap a b and swap a b, with nothing between them that touches the classes.
std::vector<Call> WithoutPairs(const std::vector<Call>& calls) {
  std::vector<bool> alive(calls.size(), true);
  std::array<std::vector<size_t>, kNumSigilClasses> touching;  // calls so far, the last at the back
  for (size_t i = 0; i < calls.size(); ++i) {
    const Call& call = calls[i];
    const Footprint footprint = FootprintOf(call);
    const std::bitset<kNumSigilClasses> touched = footprint.reads | footprint.writes;
    const std::vector<size_t>& last = touching[IndexOf(call.destination)];
    if ((call.kind == CallKind::kMark || call.kind == CallKind::kSwap) && !last.empty()) {
      const size_t before = last.back();
      bool undone = calls[before].kind == call.kind && FootprintOf(calls[before]).writes == touched;
      for (size_t c = 0; c < kNumSigilClasses && undone; ++c) {
        if (touched[c]) undone = touching[c].back() == before;
      }
      if (undone) {
        alive[before] = alive[i] = false;
        for (size_t c = 0; c < kNumSigilClasses; ++c) {
          if (touched[c]) touching[c].pop_back();
        }
        continue;
      }
    }
    for (size_t c = 0; c < kNumSigilClasses; ++c) {
      if (touched[c]) touching[c].push_back(i);
    }
  }
  std::vector<Call> kept;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (alive[i]) kept.push_back(calls[i]);
  }
  return kept;
}

// Each call as early as the calls it depends on allow; within a step, by text.
std::vector<Call> InFoataForm(std::vector<Call> calls) {
  struct Step {
    size_t level;
    std::string text;
    Call call;
  };
  std::array<size_t, kNumSigilClasses> free_to_read{};   // behind the last write
  std::array<size_t, kNumSigilClasses> free_to_write{};  // behind the last access
  std::vector<Step> steps;
  for (Call& call : calls) {
    if (call.kind == CallKind::kSwap && IndexOf(call.destination) < IndexOf(call.sources[0])) {
      std::swap(call.destination, call.sources[0]);
    }
    const Footprint footprint = FootprintOf(call);
    size_t level = 0;
    for (size_t c = 0; c < kNumSigilClasses; ++c) {
      if (footprint.reads[c]) level = std::max(level, free_to_read[c]);
      if (footprint.writes[c]) level = std::max(level, free_to_write[c]);
    }
    for (size_t c = 0; c < kNumSigilClasses; ++c) {
      if (footprint.writes[c]) free_to_read[c] = level + 1;
      if (footprint.reads[c] || footprint.writes[c]) {
        free_to_write[c] = std::max(free_to_write[c], level + 1);
      }
    }
    std::string text = Print(CircuitOf({call}));
    steps.push_back({level, std::move(text), std::move(call)});
  }
  // Steps of one level and text are one call, written twice.
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return a.level != b.level ? a.level < b.level : a.text < b.text;
  });
  std::vector<Call> ordered;
  for (Step& step : steps) ordered.push_back(std::move(step.call));
  return ordered;
}

}  // namespace

Checked<Canonical> MemoryForm(const std::vector<Call>& calls) {
  Canonical canonical;
  canonical.original_operations = calls.size();
  canonical.calls = calls;
  for (size_t before = SIZE_MAX; canonical.calls.size() < before;) {
    before = canonical.calls.size();
    HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<Call> changing, WithoutRepeats(canonical.calls));
    canonical.calls = WithoutPairs(WithoutDeadStores(changing));
  }
  canonical.calls = InFoataForm(std::move(canonical.calls));
  canonical.canonical_operations = canonical.calls.size();
  if (canonical.calls.empty()) {
    Call nothing;
    nothing.kind = CallKind::kCopy;
    nothing.sources.push_back(ClassOperand(SigilClass()));
    nothing.destination = ClassOperand(SigilClass());
    canonical.calls.push_back(std::move(nothing));
  }
  canonical.circuit = CircuitOf(canonical.calls);
  return canonical;
}

}  // namespace hologram::sigmatics
