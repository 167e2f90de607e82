#include "plan/plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/quote.h"

namespace hologram::pipeline {
namespace {

Diagnostic Invalid(const Plan& plan, const std::string& what) {
  return Error(ErrorCode::kInvalidBundle, "pipeline " + Shown(plan.name) + ": " + what);
}

std::string Numbered(size_t step) {
  return "launch " + std::to_string(step);
}

// Inputs are first, then outputs.
int PlaceOf(Role role) {
  return role == Role::kInput ? 0 : role == Role::kOutput ? 1 : 2;
}

std::string WrongArray(const Array& array) {
  if (array.bytes == 0 || array.bytes > kMostArrayBytes) {
    return "has " + std::to_string(array.bytes) + " bytes";
  }
  if (!array.is_public()) {
    const size_t kept = array.role == Role::kConstant ? array.bytes : 0;
    return array.data.size() == kept ? "" : "does not have the bytes of its constant";
  }
  if (array.name.empty() || !IsPlain(array.name)) return "has no name";
  if (array.extents.size() > isa::kMaxRank) return "has more than 4 dimensions";
  const std::optional<uint64_t> bytes = BytesOf(array.type, array.extents);
  return bytes == array.bytes ? "" : "does not have the bytes of its shape";
}

Status CheckStep(const Plan& plan, size_t number) {
  const Step& step = plan.steps[number];
  if (step.kernel >= plan.num_kernels) {
    return Invalid(plan, Numbered(number) + " is of kernel " + std::to_string(step.kernel) +
                             " of " + std::to_string(plan.num_kernels));
  }
  if (step.operands.size() + step.scalars.size() > isa::kMaxParameters) {
    return Invalid(plan, Numbered(number) + " has too many arguments");
  }
  for (const Operand& operand : step.operands) {
    if (operand.array == kNoArray && operand.first == 0 && operand.bytes == 0) continue;
    if (operand.array >= plan.arrays.size() || operand.bytes == 0 ||
        operand.first > plan.arrays[operand.array].bytes ||
        operand.bytes > plan.arrays[operand.array].bytes - operand.first) {
      return Invalid(plan, Numbered(number) + " reaches outside of its arrays");
    }
  }
  return Success{};
}

// The bytes of arrays that launches have written so far: ranges of each, apart from each other.
class Written {
 public:
  explicit Written(size_t arrays) : ranges_(arrays) {}

  void Add(const Operand& operand) {
    std::set<Range>& ranges = ranges_[operand.array];
    Range added{operand.first, operand.first + operand.bytes};
    auto at = ranges.lower_bound({added.first, 0});
    if (at != ranges.begin() && std::prev(at)->second >= added.first) --at;
    while (at != ranges.end() && at->first <= added.second) {
      added = {std::min(added.first, at->first), std::max(added.second, at->second)};
      at = ranges.erase(at);
    }
    ranges.insert(added);
  }
  bool Has(const Operand& operand) const {
    const std::set<Range>& ranges = ranges_[operand.array];
    const auto after = ranges.upper_bound({operand.first, UINT64_MAX});
    return after != ranges.begin() && std::prev(after)->second >= operand.first + operand.bytes;
  }

 private:
  using Range = std::pair<uint64_t, uint64_t>;  // first byte, behind the last
  std::vector<std::set<Range>> ranges_;
};

// One operand of a launch, against its parameter.
std::string WrongOperand(const Array& array, const Operand& operand,
                         const isa::Parameter& parameter, const Written& written) {
  if (operand.first % isa::SizeOf(parameter.type) != 0) return "is not aligned";
  const bool writes = parameter.direction != isa::Direction::kIn;
  if (writes && array.role == Role::kInput) return "is an input, and the kernel writes it";
  if (writes && array.role == Role::kConstant) return "is a constant, and the kernel writes it";
  const bool reads = parameter.direction != isa::Direction::kOut;
  const bool begins_unwritten = array.role == Role::kTemporary || array.role == Role::kOutput;
  if (reads && begins_unwritten && !written.Has(operand)) return "is read before it is written";
  return "";
}

Status CheckStepFlow(const Plan& plan, size_t number, const isa::Program& program,
                     Written& written) {
  const Step& step = plan.steps[number];
  const std::string who = Numbered(number) + " (kernel " + Shown(program.name) + "): ";
  size_t next = 0;
  size_t scalars = 0;
  for (const isa::Parameter& parameter : program.parameters) {
    scalars += parameter.is_buffer ? 0 : 1;
    if (!parameter.is_buffer) continue;
    if (next == step.operands.size()) return Invalid(plan, who + "too few arrays");
    const Operand& operand = step.operands[next++];
    if (operand.array == kNoArray) continue;
    const std::string wrong = WrongOperand(plan.arrays[operand.array], operand, parameter, written);
    if (!wrong.empty()) return Invalid(plan, who + "'" + parameter.name + "' " + wrong);
  }
  if (next != step.operands.size() || scalars != step.scalars.size()) {
    return Invalid(plan, who + "expected " + std::to_string(next) + " arrays and " +
                             std::to_string(scalars) + " scalars, found " +
                             std::to_string(step.operands.size()) + " and " +
                             std::to_string(step.scalars.size()));
  }
  next = 0;
  for (const isa::Parameter& parameter : program.parameters) {
    if (!parameter.is_buffer) continue;
    const Operand& operand = step.operands[next++];
    const bool writes = parameter.direction != isa::Direction::kIn;
    if (writes && operand.array != kNoArray) written.Add(operand);
  }
  return Success{};
}

uint64_t AlignUp(uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// A temporary, and the launches from the first to the last that has it.
struct Lifetime {
  uint32_t array;
  size_t first;
  size_t last;
  uint64_t bytes;
};

std::vector<Lifetime> LifetimesOf(const Plan& plan) {
  std::vector<Lifetime> of_array(plan.arrays.size(), Lifetime{0, SIZE_MAX, 0, 0});
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    for (const Operand& operand : plan.steps[k].operands) {
      if (operand.array == kNoArray) continue;
      Lifetime& found = of_array[operand.array];
      found.first = std::min(found.first, k);
      found.last = k;
    }
  }
  std::vector<Lifetime> used;
  for (uint32_t k = 0; k < plan.arrays.size(); ++k) {
    if (plan.arrays[k].role != Role::kTemporary || of_array[k].first == SIZE_MAX) continue;
    used.push_back({k, of_array[k].first, of_array[k].last, AlignUp(plan.arrays[k].bytes)});
  }
  return used;
}

}  // namespace

std::string_view NameOf(Role role) {
  constexpr std::string_view kNames[] = {"input", "output", "temporary", "constant"};
  return kNames[static_cast<size_t>(role)];
}

std::span<const Array> Plan::arguments() const {
  size_t count = 0;
  while (count < arrays.size() && arrays[count].is_public()) ++count;
  return {arrays.data(), count};
}

std::optional<uint64_t> BytesOf(isa::Type type, std::span<const uint64_t> extents) {
  uint64_t bytes = isa::SizeOf(type);
  for (const uint64_t extent : extents) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes <= kMostArrayBytes ? std::optional(bytes) : std::nullopt;
}

std::string ShapeText(std::span<const uint64_t> extents) {
  std::string text = "(";
  for (size_t k = 0; k < extents.size(); ++k) {
    text += (k == 0 ? "" : ", ") + std::to_string(extents[k]);
  }
  return text + (extents.size() == 1 ? ",)" : ")");
}

std::string SignatureOf(const Array& array) {
  std::string text = array.name + ": " + (array.role == Role::kInput ? "in " : "out ") +
                     std::string(isa::NameOf(array.type)) + "[";
  for (size_t k = 0; k < array.extents.size(); ++k) {
    text += (k == 0 ? "" : ",") + std::to_string(array.extents[k]);
  }
  return text + "]";
}

Status CheckPlan(const Plan& plan) {
  if (plan.name.empty() || !IsPlain(plan.name)) return Invalid(plan, "it has no name");
  if (plan.arrays.size() > kMostArrays || plan.steps.size() > kMostSteps) {
    return Invalid(plan, "more than 16384 arrays or launches");
  }
  if (plan.steps.empty()) return Invalid(plan, "it has no launch");
  std::set<std::string_view> names;
  for (size_t k = 0; k < plan.arrays.size(); ++k) {
    const Array& array = plan.arrays[k];
    const std::string who = "array " + std::to_string(k) + " ";
    const std::string wrong = WrongArray(array);
    if (!wrong.empty()) return Invalid(plan, who + wrong);
    if (k != 0 && PlaceOf(array.role) < PlaceOf(plan.arrays[k - 1].role)) {
      return Invalid(plan, who + "is an " + std::string(NameOf(array.role)) + " behind others");
    }
    if (array.is_public() && !names.insert(array.name).second) {
      return Invalid(plan, "two arrays are called " + Shown(array.name));
    }
  }
  for (size_t k = 0; k < plan.steps.size(); ++k) HOLOGRAM_RETURN_IF_ERROR(CheckStep(plan, k));
  return Success{};
}

Status CheckFlow(const Plan& plan, std::span<const isa::Program* const> kernels) {
  if (kernels.size() != plan.num_kernels) return Invalid(plan, "it has other kernels");
  Written written(plan.arrays.size());
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    HOLOGRAM_RETURN_IF_ERROR(CheckStepFlow(plan, k, *kernels[plan.steps[k].kernel], written));
  }
  for (uint32_t k = 0; k < plan.arrays.size(); ++k) {
    if (plan.arrays[k].role != Role::kOutput || written.Has({k, 0, plan.arrays[k].bytes})) continue;
    return Invalid(plan, "no launch writes all of output " + Shown(plan.arrays[k].name));
  }
  return Success{};
}

// The largest first, each at the lowest place where nothing is that lives at the same time.
Result<Layout> PlanMemory(const Plan& plan, Sharing sharing) {
  Layout layout;
  layout.offsets.resize(plan.arrays.size());
  std::vector<Lifetime> lifetimes = LifetimesOf(plan);
  for (Lifetime& one : lifetimes) {
    if (sharing == Sharing::kApart) one.first = 0, one.last = SIZE_MAX;
  }
  std::sort(lifetimes.begin(), lifetimes.end(), [](const Lifetime& a, const Lifetime& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.array < b.array;
  });
  // Placed ones by their place, so that one look finds the first gap.
  std::vector<std::pair<uint64_t, const Lifetime*>> placed;
  for (const Lifetime& one : lifetimes) {
    uint64_t place = 0;
    for (const auto& [begin, other] : placed) {
      if (other->last < one.first || one.last < other->first) continue;
      if (begin >= place + one.bytes) break;
      place = std::max(place, begin + other->bytes);
    }
    layout.offsets[one.array] = place;
    layout.bytes = std::max(layout.bytes, place + one.bytes);
    layout.unshared += one.bytes;
    if (layout.bytes > kMostArenaBytes) {
      return Error(ErrorCode::kResourceLimit,
                   "pipeline " + Shown(plan.name) + ": its temporaries need more than 4 GiB");
    }
    const auto at =
        std::upper_bound(placed.begin(), placed.end(), std::pair(place, &one),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
    placed.insert(at, {place, &one});
  }
  return layout;
}

}  // namespace hologram::pipeline
