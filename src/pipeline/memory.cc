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
constexpr const char* kForeign =
    "is memory that a launch has written and that does not belong to the capture; its "
    ".empty(shape, "
    "dtype) makes arrays that do";

}  // namespace

Range RangeOf(const void* data, uint64_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  return {begin, begin + bytes};
}

std::vector<Region*> Memory::Overlapping(const Range& range) const {
  std::vector<Region*> found;
  auto at = segments_.upper_bound(range.begin);
  if (at != segments_.begin() && std::prev(at)->second.end > range.begin) --at;
  for (; at != segments_.end() && at->first < range.end; ++at) {
    Region* region = at->second.region;
    if (std::find(found.begin(), found.end(), region) == found.end()) found.push_back(region);
  }
  return found;
}

bool Memory::IsCovered(const Range& range) const {
  uintptr_t end = range.begin;
  auto at = segments_.upper_bound(range.begin);
  if (at != segments_.begin()) --at;
  for (; at != segments_.end() && at->first <= end && end < range.end; ++at) {
    end = std::max(end, at->second.end);
  }
  return end >= range.end;
}

void Memory::Cut(const Range& range) {
  auto at = segments_.upper_bound(range.begin);
  if (at != segments_.begin() && std::prev(at)->second.end > range.begin) --at;
  while (at != segments_.end() && at->first < range.end) {
    const uintptr_t begin = at->first;
    const Segment segment = at->second;
    at = segments_.erase(at);
    if (begin < range.begin) segments_[begin] = {range.begin, segment.region};
    if (segment.end > range.end) {
      at = segments_.emplace(range.end, Segment{segment.end, segment.region}).first;
    }
  }
}

Region* Memory::Add(const Range& range, Role role) {
  Region* region = all_.emplace_back(std::make_unique<Region>()).get();
  region->range = range;
  region->role = role;
  region->bytes.resize(range.bytes());
  Cut(range);
  segments_[range.begin] = {range.end, region};
  return region;
}

void Memory::Forget(const Region* region) {
  std::erase_if(segments_, [&](const auto& entry) { return entry.second.region == region; });
}

bool Memory::Has(const Region& region) const {
  return std::any_of(segments_.begin(), segments_.end(),
                     [&](const auto& entry) { return entry.second.region == &region; });
}

Region* Memory::Last(Region* region) {
  while (region->merged != nullptr) region = region->merged;
  return region;
}

bool Memory::IsUnchanged(const Region& region, const Range& range) const {
  auto at = segments_.upper_bound(range.begin);
  if (at != segments_.begin()) --at;
  for (; at != segments_.end() && at->first < range.end; ++at) {
    const Range both{std::max(at->first, range.begin), std::min(at->second.end, range.end)};
    if (at->second.region != &region || both.begin >= both.end) continue;
    const uint8_t* known = region.bytes.data() + (both.begin - region.range.begin);
    if (std::memcmp(known, Pointer(both.begin), both.bytes()) != 0) return false;
  }
  return true;
}

Region* Memory::Find(const Range& range) {
  const std::vector<Region*> found = Overlapping(range);
  return found.size() == 1 && IsCovered(range) ? found[0] : nullptr;
}

Region* Memory::Merge(const Range& range, const std::vector<Region*>& parts) {
  Range whole = range;
  for (const Region* part : parts) {
    whole.begin = std::min(whole.begin, part->range.begin);
    whole.end = std::max(whole.end, part->range.end);
  }
  Region* made = all_.emplace_back(std::make_unique<Region>()).get();
  made->range = whole;
  made->role = parts[0]->role;
  made->bytes.resize(whole.bytes());
  for (auto& [begin, segment] : segments_) {
    const Region* part = segment.region;
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) continue;
    std::copy_n(part->bytes.data() + (begin - part->range.begin), segment.end - begin,
                made->bytes.data() + (begin - whole.begin));
    segment.region = made;
  }
  for (Region* part : parts) {
    made->is_kept |= part->is_kept;
    made->is_written |= part->is_written;
    part->merged = made;
    part->bytes = {};
  }
  Cut(range);
  segments_[range.begin] = {range.end, made};
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
  Region* region = Find(range);
  const bool is_whole =
      region != nullptr &&
      (region->is_kept || (region->role == Role::kTemporary && region->range == range));
  if (!is_whole) {
    // What is not kept has ended, and this array is where it was.
    const std::vector<Region*> found = Overlapping(range);
    if (std::any_of(found.begin(), found.end(), [](const Region* one) { return one->is_kept; })) {
      return "shares memory with another array of the capture";
    }
    region = Add(range, Role::kTemporary);
  }
  if (region->role == Role::kTemporary && region->is_written && !IsUnchanged(*region, range)) {
    return kChanged;
  }
  region->is_kept = true;
  return "";
}

Region* Memory::Read(const Range& range, std::string& error) {
  std::vector<Region*> found = Overlapping(range);
  // What is not kept may have been given back, and be another array by now.
  const auto is_gone = [&](const Region* region) {
    const bool stays = region->is_kept || (results_stay_ && region->role == Role::kTemporary);
    const bool gone = !stays && !IsUnchanged(*region, range);
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
  for (const Region* region : found) {
    if (region->role == Role::kTemporary && !results_stay_ && !region->is_kept) {
      error = kForeign;
      return nullptr;
    }
    if (region->is_written && IsUnchanged(*region, range)) continue;
    error = region->is_written ? kChanged : "is read before a launch has written it";
    return nullptr;
  }
  const bool is_covered = IsCovered(range);
  if (found.size() == 1 && is_covered) return found[0];
  const auto all_are = [&](Role role) {
    return std::all_of(found.begin(), found.end(),
                       [&](const Region* region) { return region->role == role; });
  };
  if (all_are(Role::kConstant)) {
    // Launches before this one read the bytes that others have: each has an array of its own.
    Region* made = Add(range, Role::kConstant);
    made->is_written = true;
    Take(*made, range);
    return made;
  }
  if (!all_are(Role::kTemporary) || !is_covered) {
    error = "reaches beyond what launches have written of it";
    return nullptr;
  }
  Region* made = Merge(range, found);
  Take(*made, range);
  return made;
}

Region* Memory::Write(const Range& range, bool updates, std::string& error) {
  std::vector<Region*> found = Overlapping(range);
  if (updates) {
    const bool is_filled =
        IsCovered(range) && std::all_of(found.begin(), found.end(), [](const Region* region) {
          return region->role != Role::kConstant && region->is_written;
        });
    if (!is_filled) {
      error =
          "is read and written, and no launch has filled it; a pipeline keeps nothing from one run "
          "to the next";
      return nullptr;
    }
    if (Read(range, error) == nullptr) return nullptr;
    found = Overlapping(range);
  }
  for (const Region* region : found) {
    if (region->role != Role::kInput) continue;
    error = "is an input of the capture, and is written";
    return nullptr;
  }
  const bool is_one = found.size() == 1 && found[0]->role == Role::kTemporary;
  if (is_one && IsCovered(range) && (updates || found[0]->is_kept || found[0]->range == range)) {
    return found[0];
  }
  // What is kept is one array, however it is written. Other memory is a new array now: what it was
  // has ended, or is put together again when it is read (Merge).
  std::vector<Region*> kept;
  for (Region* region : found) {
    if (region->is_kept && region->role == Role::kTemporary) kept.push_back(region);
  }
  return kept.empty() ? Add(range, Role::kTemporary) : Merge(range, kept);
}

void Memory::Written(const Range& range) {
  Region* region = Find(range);
  if (region == nullptr) return;
  region->is_written = true;
  Take(*region, range);
}

}  // namespace hologram::pipeline
