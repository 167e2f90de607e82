#include "pipeline/memory.h"

#include <algorithm>
#include <cstring>

namespace hologram::pipeline {
namespace {

const uint8_t* Pointer(uintptr_t address) {
  return reinterpret_cast<const uint8_t*>(address);  // NOLINT(performance-no-int-to-ptr)
}

void Take(Region& region, const Range& range) {
  std::memcpy(region.bytes.data() + (range.begin - region.range.begin), Pointer(range.begin),
              range.bytes());
}

constexpr const char* kChanged =
    "was changed by something else than a launch, which a run of the pipeline would not repeat";

}  // namespace

Range RangeOf(const void* data, uint64_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  return {begin, begin + bytes};
}

std::vector<Region*> Memory::Overlapping(const Range& range) {
  std::vector<Region*> found;
  auto at = by_begin_.upper_bound(range.begin);
  if (at != by_begin_.begin() && std::prev(at)->second->range.end > range.begin) --at;
  for (; at != by_begin_.end() && at->first < range.end; ++at) found.push_back(at->second);
  return found;
}

Region* Memory::Add(const Range& range, Role role) {
  Region* region = all_.emplace_back(std::make_unique<Region>()).get();
  region->range = range;
  region->role = role;
  region->bytes.resize(range.bytes());
  by_begin_[range.begin] = region;
  return region;
}

void Memory::Forget(const Region* region) {
  by_begin_.erase(region->range.begin);
}

Region* Memory::Last(Region* region) {
  while (region->merged != nullptr) region = region->merged;
  return region;
}

bool Memory::IsUnchanged(const Region& region, const Range& range) {
  const Range both{std::max(region.range.begin, range.begin),
                   std::min(region.range.end, range.end)};
  return std::memcmp(region.bytes.data() + (both.begin - region.range.begin), Pointer(both.begin),
                     both.bytes()) == 0;
}

Region* Memory::Find(const Range& range) {
  const std::vector<Region*> found = Overlapping(range);
  return found.size() == 1 && found[0]->range.contains(range) ? found[0] : nullptr;
}

Region* Memory::Merge(const Range& range, const std::vector<Region*>& parts) {
  Range whole = range;
  for (const Region* part : parts) {
    whole.begin = std::min(whole.begin, part->range.begin);
    whole.end = std::max(whole.end, part->range.end);
    Forget(part);
  }
  Region* made = Add(whole, parts[0]->role);
  for (Region* part : parts) {
    std::copy(part->bytes.begin(), part->bytes.end(),
              made->bytes.data() + (part->range.begin - whole.begin));
    made->is_kept |= part->is_kept;
    made->is_written |= part->is_written;
    part->merged = made;
    part->bytes = {};
  }
  return made;
}

std::string Memory::AddInput(const Range& range) {
  if (!Overlapping(range).empty()) return "shares memory with another array of the capture";
  Region* made = Add(range, Role::kInput);
  made->is_kept = made->is_written = true;
  Take(*made, range);
  return "";
}

std::string Memory::Keep(const Range& range) {
  const std::vector<Region*> found = Overlapping(range);
  if (found.empty()) {
    Add(range, Role::kTemporary)->is_kept = true;
    return "";
  }
  if (found.size() != 1 || !found[0]->range.contains(range)) {
    return "shares memory with another array of the capture";
  }
  if (found[0]->role == Role::kTemporary && found[0]->is_written &&
      !IsUnchanged(*found[0], range)) {
    return kChanged;
  }
  found[0]->is_kept = true;
  return "";
}

Region* Memory::Read(const Range& range, std::string& error) {
  std::vector<Region*> found = Overlapping(range);
  // What is not kept may have been given back, and be another array by now.
  const auto is_gone = [&](const Region* region) {
    const bool gone = !region->is_kept && !IsUnchanged(*region, range);
    if (gone) Forget(region);
    return gone;
  };
  found.erase(std::remove_if(found.begin(), found.end(), is_gone), found.end());
  if (found.empty()) {
    Region* made = Add(range, Role::kConstant);
    made->is_written = true;
    Take(*made, range);
    return made;
  }
  if (found.size() == 1 && found[0]->range.contains(range)) {
    if (!found[0]->is_written) {
      error = "is read before a launch has written it";
      return nullptr;
    }
    if (!IsUnchanged(*found[0], range)) {
      error = kChanged;
      return nullptr;
    }
    return found[0];
  }
  const bool constants = std::all_of(found.begin(), found.end(), [](const Region* region) {
    return region->role == Role::kConstant;
  });
  if (!constants) {
    error = "reaches beyond what launches have written of it";
    return nullptr;
  }
  Region* made = Merge(range, found);
  Take(*made, range);
  return made;
}

Region* Memory::Write(const Range& range, bool updates, std::string& error) {
  if (updates) {
    const Region* region = Find(range);
    if (region == nullptr || region->role == Role::kConstant || !region->is_written) {
      error =
          "is read and written, and no launch has filled it; a pipeline keeps nothing from one run "
          "to the next";
      return nullptr;
    }
    if (Read(range, error) == nullptr) return nullptr;
  }
  std::vector<Region*> found = Overlapping(range);
  // A constant that is written was an array of another life, or one that lasts for a step.
  const auto is_constant = [&](const Region* region) {
    if (region->role == Role::kConstant) Forget(region);
    return region->role == Role::kConstant;
  };
  found.erase(std::remove_if(found.begin(), found.end(), is_constant), found.end());
  for (const Region* region : found) {
    if (region->role != Role::kInput) continue;
    error = "is an input of the capture, and is written";
    return nullptr;
  }
  if (found.empty()) {
    Region* made = Add(range, Role::kTemporary);
    made->is_kept = results_stay_;
    return made;
  }
  if (found.size() == 1 && found[0]->range.contains(range)) return found[0];
  return Merge(range, found);
}

void Memory::Written(const Range& range) {
  Region* region = Find(range);
  if (region == nullptr) return;
  region->is_written = true;
  Take(*region, range);
}

}  // namespace hologram::pipeline
