#include "engines/meeting.h"

#include <algorithm>

namespace hologram::engines {
namespace {

using isa::Instruction;
using isa::Parameter;

bool IsSameArray(const Instruction& x, const Instruction& y) {
  return x.a == y.a && isa::IsGlobalAccess(x.op) == isa::IsGlobalAccess(y.op);
}

bool TouchesMemory(const Instruction& in) {
  return isa::IsGlobalAccess(in.op) || isa::IsSharedAccess(in.op);
}

}  // namespace

MeetingFinder::MeetingFinder(const verify::VerifiedProgram& program, const launch::Launch& launch,
                             std::span<const uint32_t> suspects)
    : program_(program.program()),
      lanes_per_block_(launch::LanesPerBlock(launch.shape)),
      suspect_of_(program_.code.size(), -1),
      found_(suspects.size()),
      elements_(suspects.size()) {
  for (size_t s = suspects.size(); s-- > 0;) {
    const Instruction& suspect = program_.code[suspects[s]];
    if (!TouchesMemory(suspect)) continue;
    for (size_t pc = 0; pc < program_.code.size(); ++pc) {
      const Instruction& in = program_.code[pc];
      if (TouchesMemory(in) && IsSameArray(in, suspect)) suspect_of_[pc] = static_cast<int32_t>(s);
    }
  }
}

// Lanes of one block between the same two barriers, for shared memory.
uint64_t MeetingFinder::IntervalOf(uint64_t lane) const {
  const auto passed = barriers_.find(lane);
  const uint64_t barriers = passed == barriers_.end() ? 0 : passed->second;
  return (lane / lanes_per_block_) << 32 | barriers;
}

void MeetingFinder::Access(uint32_t pc, uint64_t lane, uint64_t element) {
  const int32_t suspect = suspect_of_[pc];
  if (suspect < 0 || cut_short_) return;
  std::optional<Meeting>& found = found_[static_cast<size_t>(suspect)];
  if (found) return;
  ++steps_;
  const Instruction& in = program_.code[pc];
  const uint64_t interval = isa::IsSharedAccess(in.op) ? IntervalOf(lane) : 0;
  const auto [at, fresh] = elements_[static_cast<size_t>(suspect)].try_emplace(element);
  Element& known = at->second;
  num_elements_ += fresh ? 1 : 0;
  if (!fresh && known.interval != interval) known = {};
  known.interval = interval;
  const bool writes = !isa::IsLoad(in.op);
  const auto meets = [&](const Touch& other) {
    // What is wrong with atomics is no question of which lanes they are.
    return other.lane != UINT64_MAX && other.lane != lane &&
           !(isa::IsAtomic(in.op) && isa::IsAtomic(program_.code[other.pc].op));
  };
  const Touch touch{lane, pc};
  if (meets(known.written)) {
    found = Meeting{known.written, touch, element};
  } else if (writes) {
    for (const Touch& other : known.touched) {
      if (!found && meets(other)) found = Meeting{other, touch, element};
    }
  }
  if (writes && known.written.lane == UINT64_MAX) known.written = touch;
  if (known.touched[0].lane == UINT64_MAX) {
    known.touched[0] = touch;
  } else if (known.touched[0].lane != lane && known.touched[1].lane == UINT64_MAX) {
    known.touched[1] = touch;
  }
}

void MeetingFinder::Barrier(uint64_t lane) {
  ++barriers_[lane];
}

// A refusal may take some tenths of a second.
bool MeetingFinder::GoesOn(uint64_t lanes) {
  constexpr uint64_t kMostSteps = uint64_t{1} << 24;
  constexpr uint64_t kMostElements = uint64_t{1} << 19;
  steps_ += lanes;
  cut_short_ = cut_short_ || steps_ > kMostSteps || num_elements_ > kMostElements;
  return !cut_short_ && !std::all_of(found_.begin(), found_.end(),
                                     [](const auto& meeting) { return meeting.has_value(); });
}

namespace {

uint64_t ScalarOf(const isa::Program& program, const launch::Launch& launch, size_t parameter) {
  size_t number = 0;
  for (size_t k = 0; k < parameter; ++k) number += program.parameters[k].is_buffer ? 0 : 1;
  return launch.scalars[number];
}

// The indices of an element of an array with several dimensions; empty if it is in none, or if
// places do not name them.
std::vector<uint64_t> IndicesOf(const isa::Program& program, const launch::Launch& launch,
                                uint32_t array, uint64_t element) {
  const size_t rank = program.parameters[array].rank;
  if (rank < 2) return {element};
  std::vector<uint64_t> extents(rank, UINT64_MAX);
  // Of a dimension in which the program uses index 0 alone it does not know the stride.
  std::vector<uint64_t> strides(rank, UINT64_MAX);
  strides[rank - 1] = 1;
  for (size_t k = program.NumArguments(); k < program.parameters.size(); ++k) {
    const Parameter& p = program.parameters[k];
    if (p.array != array) continue;
    auto& values = p.source == isa::Source::kExtent ? extents : strides;
    values[p.dimension] = ScalarOf(program, launch, k);
  }
  std::vector<uint64_t> indices(rank, 0);
  for (size_t d = 0; d < rank; ++d) {
    if (strides[d] == 0 || (d > 0 && strides[d - 1] < strides[d])) return {};
    indices[d] = element / strides[d];
    element %= strides[d];
    if (indices[d] >= extents[d]) return {};
  }
  return indices;
}

std::string ElementInWords(const isa::Program& program, const launch::Launch& launch,
                           const Meeting& meeting) {
  const Instruction& in = program.code[meeting.first.pc];
  const std::string place = std::to_string(meeting.element);
  if (isa::IsSharedAccess(in.op)) return program.shared[in.a].name + "[" + place + "]";
  const uint32_t array = in.a - 1u;
  std::string text;
  for (const uint64_t index : IndicesOf(program, launch, array, meeting.element)) {
    text += (text.empty() ? "" : ", ") + std::to_string(index);
  }
  const std::string& name = program.parameters[array].name;
  return text.empty() ? "element " + place + " of " + name : name + "[" + text + "]";
}

std::string Lane(const Touch& touch) {
  return "lane " + std::to_string(touch.lane);
}

}  // namespace

std::string InWords(const verify::VerifiedProgram& verified, const launch::Launch& launch,
                    const Meeting& meeting) {
  const isa::Program& program = verified.program();
  const bool shared = isa::IsSharedAccess(program.code[meeting.first.pc].op);
  const std::string element = ElementInWords(program, launch, meeting);
  const std::string when = shared ? " between the same two barriers" : "";
  const bool reads[] = {isa::IsLoad(program.code[meeting.first.pc].op),
                        isa::IsLoad(program.code[meeting.second.pc].op)};
  if (!reads[0] && !reads[1]) {
    const Touch& low = meeting.first.lane < meeting.second.lane ? meeting.first : meeting.second;
    const Touch& high = meeting.first.lane < meeting.second.lane ? meeting.second : meeting.first;
    return Lane(low) + " and " + Lane(high) + " both write " + element + when;
  }
  const Touch& reader = reads[0] ? meeting.first : meeting.second;
  const Touch& writer = reads[0] ? meeting.second : meeting.first;
  return Lane(reader) + " reads " + element + ", which " + Lane(writer) + " writes" + when;
}

}  // namespace hologram::engines
