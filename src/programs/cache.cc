#include "programs/cache.h"

#include <bit>
#include <mutex>
#include <utility>

namespace hologram::programs {

ProgramCache::ProgramCache(size_t capacity) : capacity_(capacity) {
  constexpr size_t kMost = size_t{1} << 20;
  HOLOGRAM_CHECK(capacity >= 1 && capacity <= kMost);
  const size_t slots = std::bit_ceil(2 * capacity);
  mask_ = slots - 1;
  slots_ = std::make_unique<std::atomic<const Entry*>[]>(slots);
}

ProgramCache::~ProgramCache() {
  for (uint64_t at = 0; at <= mask_; ++at) delete slots_[at].load();
}

Result<verify::VerifiedProgram> ProgramCache::VerifyBuilt(Result<isa::Program> program) {
  if (!program.ok()) return program.errors();
  return verify::Verify(std::move(program).value());
}

const verify::VerifiedProgram* ProgramCache::Reserve(const ProgramKey& key) {
  for (;;) {
    const uint32_t seen = releases_.load();
    {
      const std::lock_guard lock(mutex_);
      if (const verify::VerifiedProgram* program = Find(key)) return program;
      // What a thread of the parent was building, nobody builds in a child.
      uint32_t& builder = building_[key];
      if (builder != ForkGate::Generation()) {
        builder = ForkGate::Generation();
        return nullptr;
      }
    }
    releases_.wait(seen);
  }
}

void ProgramCache::Release(const ProgramKey& key) {
  {
    const std::lock_guard lock(mutex_);
    building_.erase(key);
  }
  releases_.fetch_add(1);
  releases_.notify_all();
}

Result<ProgramCache::Found> ProgramCache::Publish(const ProgramKey& key,
                                                  Result<verify::VerifiedProgram> program) {
  const std::lock_guard lock(mutex_);
  if (!program.ok()) return program.errors();
  if (size_.load() == capacity_) {
    not_kept_.fetch_add(1);
    return Found(std::make_shared<const verify::VerifiedProgram>(std::move(program).value()));
  }
  const auto* entry = new Entry{key, std::move(program).value()};
  uint64_t at = key.hash();
  while (slots_[at & mask_].load(std::memory_order_relaxed) != nullptr) ++at;
  slots_[at & mask_].store(entry, std::memory_order_release);
  size_.fetch_add(1);
  return Found(&entry->program);
}

}  // namespace hologram::programs
