#include "guarded_memory.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace hologram::tests {
namespace {

uintptr_t AddressOf(const hologram_buffer_ref& buffer) {
  return reinterpret_cast<uintptr_t>(buffer.data);
}

}  // namespace

GuardedMemory::GuardedMemory(const isa::Program& program, const launch::Launch& launch,
                             Placement placement)
    : originals_(launch.buffers.begin(), launch.buffers.end()), guarded_(launch) {
  std::vector<size_t> alignments;
  for (const isa::Parameter& parameter : program.parameters) {
    if (parameter.is_buffer) alignments.push_back(isa::SizeOf(parameter.type));
  }
  HOLOGRAM_CHECK(alignments.size() == originals_.size());
  // Largest first, so that an empty buffer joins the group of the array that it points into.
  std::vector<size_t> order;
  for (size_t k = 0; k < originals_.size(); ++k) order.push_back(k);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return originals_[a].bytes > originals_[b].bytes; });
  for (const size_t k : order) AddToGroup(originals_[k], alignments[k]);
  for (Group& group : groups_) Place(group, placement);
  for (const hologram_buffer_ref& original : originals_) {
    const uintptr_t begin = AddressOf(original);
    const auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& one) {
      return begin >= one.begin && begin + original.bytes <= one.end;
    });
    HOLOGRAM_CHECK(group != groups_.end());
    std::byte* data = group->copy + (begin - group->begin);
    buffers_.push_back({data, original.bytes});
    if (original.bytes != 0) std::memcpy(data, original.data, original.bytes);
  }
  guarded_.buffers = buffers_;
}

void GuardedMemory::AddToGroup(const hologram_buffer_ref& buffer, size_t alignment) {
  Group joined{AddressOf(buffer), AddressOf(buffer) + buffer.bytes, alignment};
  const auto touches = [&joined](const Group& other) {
    const bool apart = joined.end < other.begin || other.end < joined.begin;
    // Arrays side by side are not one array: each gets pages of its own.
    const bool beside = joined.begin != joined.end && other.begin != other.end &&
                        (joined.end == other.begin || other.end == joined.begin);
    return !apart && !beside;
  };
  for (size_t k = 0; k < groups_.size();) {
    if (!touches(groups_[k])) {
      ++k;
      continue;
    }
    joined.begin = std::min(joined.begin, groups_[k].begin);
    joined.end = std::max(joined.end, groups_[k].end);
    joined.alignment = std::max(joined.alignment, groups_[k].alignment);
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(k));
    k = 0;
  }
  groups_.push_back(joined);
}

void GuardedMemory::Place(Group& group, Placement placement) {
  const size_t bytes = group.end - group.begin;
  const GuardedPages& pages = pages_.emplace_back(bytes);
  // Addresses that engines refuse as misaligned stay so.
  const size_t misaligned = group.begin % group.alignment;
  if (placement == Placement::kAfterGuard) {
    group.copy = pages.begin() + (misaligned + bytes <= pages.size() ? misaligned : 0);
    return;
  }
  group.copy = pages.end() - bytes;
  const size_t past = (reinterpret_cast<uintptr_t>(group.copy) - misaligned) % group.alignment;
  if (past <= pages.size() - bytes) group.copy -= past;
}

void GuardedMemory::CopyBack() const {
  for (size_t k = 0; k < buffers_.size(); ++k) {
    if (buffers_[k].bytes != 0) {
      std::memcpy(originals_[k].data, buffers_[k].data, buffers_[k].bytes);
    }
  }
}

}  // namespace hologram::tests
