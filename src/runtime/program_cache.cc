#include "runtime/program_cache.h"

#include <bit>
#include <utility>

namespace hologram::runtime {

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
  std::unique_lock lock(mutex_);
  built_.wait(lock, [&] { return !building_.contains(key); });
  if (const verify::VerifiedProgram* program = Find(key)) return program;
  building_.insert(key);
  return nullptr;
}

Result<ProgramCache::Found> ProgramCache::Publish(const ProgramKey& key,
                                                  Result<verify::VerifiedProgram> program) {
  const std::lock_guard lock(mutex_);
  building_.erase(key);
  built_.notify_all();
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

}  // namespace hologram::runtime
