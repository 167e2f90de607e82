// ProgramCache: programs that code builds when it first needs them, by what they are for. A hit
// takes no lock. Nothing is ever evicted: a hit is a plain reference, and one that counted its
// holders, so that others could be freed, would cost more than the search. A key is a form, of
// which there are as many as the code has; a cache that is full answers all the same, by building.
// Tested by tests/runtime/program_cache_test.cc; bench/programs.cc measures a hit.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/fork_gate.h"
#include "base/result.h"
#include "isa/type.h"
#include "verify/verified_program.h"

namespace hologram::programs {

// Cache key of a program: an operation, the types, choices of form (rank,
// unrolling, accuracy). Never a buffer, a size or a datum: a program serves every launch. So a
// parameter is a type or a number of 16 bits, in which no address has room.
class ProgramKey {
 public:
  static constexpr size_t kMaxName = 32;
  static constexpr size_t kMaxParameters = 16;

  struct Parameter {
    constexpr Parameter(isa::Type type)  // NOLINT(google-explicit-constructor)
        : bits(static_cast<uint16_t>(0x8000 + static_cast<uint32_t>(type))) {}
    constexpr Parameter(uint8_t choice)  // NOLINT(google-explicit-constructor)
        : bits(choice) {}
    // Whoever has a larger number has no choice of form, but a size.
    template <class T>
    Parameter(T) = delete;
    uint16_t bits;
  };

  // REQUIRES: at most kMaxName bytes of name, none of them zero, and kMaxParameters parameters.
  constexpr ProgramKey(std::string_view operation, std::initializer_list<Parameter> parameters) {
    HOLOGRAM_CHECK(operation.size() <= kMaxName && parameters.size() <= kMaxParameters);
    for (size_t k = 0; k < operation.size(); ++k) {
      words_[k / 8] |= static_cast<uint64_t>(static_cast<unsigned char>(operation[k])) << k % 8 * 8;
    }
    size_t k = 0;
    for (const Parameter& parameter : parameters) {
      // With its place taken: no parameter is not the parameter 0.
      words_[kNameWords + k / 4] |= static_cast<uint64_t>(parameter.bits + 1U) << k % 4 * 16;
      ++k;
    }
    for (const uint64_t word : words_) {
      hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15u;
      hash_ ^= hash_ >> 29;
    }
  }

  constexpr uint64_t hash() const { return hash_; }
  bool operator==(const ProgramKey& other) const {
    return hash_ == other.hash_ && std::memcmp(words_, other.words_, sizeof words_) == 0;
  }
  bool operator<(const ProgramKey& other) const {
    return std::lexicographical_compare(std::begin(words_), std::end(words_),
                                        std::begin(other.words_), std::end(other.words_));
  }

 private:
  static constexpr size_t kNameWords = kMaxName / 8;
  uint64_t words_[kNameWords + kMaxParameters / 4] = {};
  uint64_t hash_ = 0;
};

class ProgramCache {
 public:
  // Keeps at most this many programs. REQUIRES: 1 <= capacity <= 2^20
  explicit ProgramCache(size_t capacity = 1024);
  ~ProgramCache();
  ProgramCache(const ProgramCache&) = delete;
  ProgramCache& operator=(const ProgramCache&) = delete;

  // A program of the cache, which lives as long as the cache; or, once that is full, one that the
  // caller alone has.
  class Found {
   public:
    const verify::VerifiedProgram& operator*() const { return *program_; }
    const verify::VerifiedProgram* operator->() const { return program_; }
    bool kept() const { return owned_ == nullptr; }

   private:
    friend class ProgramCache;
    explicit Found(const verify::VerifiedProgram* program) : program_(program) {}
    explicit Found(std::shared_ptr<const verify::VerifiedProgram> owned)
        : program_(owned.get()), owned_(std::move(owned)) {}
    const verify::VerifiedProgram* program_;
    std::shared_ptr<const verify::VerifiedProgram> owned_;
  };

  // The program of a key that is there; null if it is not. Lock-free, from any thread.
  const verify::VerifiedProgram* Find(const ProgramKey& key) const {
    for (uint64_t at = key.hash();; ++at) {
      const Entry* entry = slots_[at & mask_].load(std::memory_order_acquire);
      if (entry == nullptr) return nullptr;
      if (entry->key == key) return &entry->program;
    }
  }

  // The program of a key; `build` makes an unverified one if it is not there. One thread builds,
  // others that want the same wait for it, all others go on. Errors, of the builder and of the
  // verifier, are not kept: the next call builds again. `build` may not ask for its own key.
  template <class Build>
  Result<Found> FindOrBuild(const ProgramKey& key, const Build& build) {
    if (const verify::VerifiedProgram* program = Find(key)) return Found(program);
    if (const verify::VerifiedProgram* program = Reserve(key)) return Found(program);
    const Reservation reservation{*this, key};
    Result<verify::VerifiedProgram> verified = VerifyBuilt(build());
    return Publish(key, std::move(verified));
  }

  size_t size() const { return size_.load(); }
  // Programs that were built and not kept, since the cache was full. Whoever sees it grow wants a
  // larger one.
  uint64_t not_kept() const { return not_kept_.load(); }
  size_t capacity() const { return capacity_; }

 private:
  struct Entry {
    ProgramKey key;
    verify::VerifiedProgram program;
  };

  // Whoever builds a program; also where building throws, others may then.
  struct Reservation {
    ProgramCache& cache;
    const ProgramKey& key;
    ~Reservation() { cache.Release(key); }
  };

  static Result<verify::VerifiedProgram> VerifyBuilt(Result<isa::Program> program);
  // The program, if another thread has built it meanwhile; null: the caller has to.
  const verify::VerifiedProgram* Reserve(const ProgramKey& key);
  void Release(const ProgramKey& key);
  Result<Found> Publish(const ProgramKey& key, Result<verify::VerifiedProgram> program);

  const size_t capacity_;
  uint64_t mask_;  // slots are more than programs, so that a search ends
  std::unique_ptr<std::atomic<const Entry*>[]> slots_;
  std::atomic<size_t> size_{0};
  std::atomic<uint64_t> not_kept_{0};
  std::atomic<uint32_t> releases_{0};        // changes when a key is not built any more
  Mutex mutex_;                              // for what follows, and to fill slots
  std::map<ProgramKey, uint32_t> building_;  // the process that builds it: ForkGate::Generation()
};

}  // namespace hologram::programs
