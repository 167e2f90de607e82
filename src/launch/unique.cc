#include "launch/unique.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "base/quote.h"
#include "launch/fault_text.h"

namespace hologram::launch {
namespace {

// Elements between two looks at what stops the launch; and of those that are searched for in a
// large array, which takes a microsecond each.
constexpr uint64_t kChunk = uint64_t{1} << 22;
constexpr uint64_t kSearchedChunk = uint64_t{1} << 17;
// A bit for each value between the least and the largest one, if that is at most so many for each
// element: no more memory than the keys of 64 bits.
constexpr uint64_t kBitsPerElement = 64;
constexpr unsigned kDigitBits = 11;
constexpr uint64_t kNone = UINT64_MAX;

enum class Outcome : uint8_t { kDone, kNoMemory, kCancelled };

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <class T>
using Zeros = std::unique_ptr<T[], Free>;
// The system gives pages of zeros when they are first used, so that this takes no time. Null: no
// memory.
template <class T>
Zeros<T> MakeZeros(uint64_t count) {
  return Zeros<T>(static_cast<T*>(std::calloc(count, sizeof(T))));
}

template <class T>
class Elements {
 public:
  Elements(const hologram_buffer_ref& buffer, const Launch& launch)
      : data_(static_cast<const unsigned char*>(buffer.data)),
        count_(buffer.bytes / sizeof(T)),
        launch_(launch) {}

  Outcome Run() {
    if (count_ < 2) return Outcome::kDone;
    T least = At(0);
    T most = least;
    const bool whole = InChunks([&](uint64_t begin, uint64_t end) {
      for (uint64_t k = begin; k < end; ++k) {
        least = std::min(least, At(k));
        most = std::max(most, At(k));
      }
    });
    if (!whole) return Outcome::kCancelled;
    least_ = static_cast<uint64_t>(least);
    const uint64_t span = static_cast<uint64_t>(most) - least_;
    if (sizeof(T) <= 2 || span / kBitsPerElement < count_) return InBits(span);
    if constexpr (sizeof(T) == 8) {
      if (span > UINT32_MAX) return Sorted<uint64_t>(span);
    }
    if constexpr (sizeof(T) > 2) return Sorted<uint32_t>(span);
    return Outcome::kDone;
  }

  uint64_t first() const { return first_; }
  uint64_t second() const { return second_; }
  std::string value() const { return std::to_string(At(first_)); }

 private:
  T At(uint64_t k) const {
    T value;
    std::memcpy(&value, data_ + k * sizeof(T), sizeof(T));
    return value;
  }
  uint64_t KeyOf(uint64_t k) const { return static_cast<uint64_t>(At(k)) - least_; }

  // Calls f(begin, end) for parts of all elements, until it gives false. False: the launch is
  // cancelled.
  template <class F>
  bool InChunks(uint64_t chunk, F f) const {
    for (uint64_t begin = 0; begin < count_; begin += chunk) {
      if (launch_.cancelled()) return false;
      if (!f(begin, std::min(begin + chunk, count_))) break;
    }
    return true;
  }
  template <class F>
  bool InChunks(F f) const {
    return InChunks(kChunk, [&](uint64_t begin, uint64_t end) {
      f(begin, end);
      return true;
    });
  }

  // Equal to an element before it, the first of which is looked for.
  Outcome Found(uint64_t second) {
    second_ = second;
    const uint64_t key = KeyOf(second);
    const bool whole = InChunks(kChunk, [&](uint64_t begin, uint64_t end) {
      end = std::min(end, second);
      while (begin < end && KeyOf(begin) != key) ++begin;
      first_ = begin;
      return begin == end && begin < second;
    });
    return whole ? Outcome::kDone : Outcome::kCancelled;
  }

  Outcome InBits(uint64_t span) {
    const Zeros<uint64_t> bits = MakeZeros<uint64_t>(span / 64 + 1);
    if (bits == nullptr) return Outcome::kNoMemory;
    // Copies: nothing that the stores of words could change.
    uint64_t* const words = bits.get();
    const Elements own = *this;
    uint64_t second = kNone;
    const bool whole = InChunks([&](uint64_t begin, uint64_t end) {
      uint64_t k = second == kNone ? begin : end;
      for (; k < end; ++k) {
        const uint64_t key = own.KeyOf(k);
        if (key > span) continue;  // somebody writes to the array meanwhile
        const uint64_t bit = uint64_t{1} << (key % 64);
        const uint64_t word = words[key / 64];
        if ((word & bit) != 0) break;
        words[key / 64] = word | bit;
      }
      if (k < end) second = k;
    });
    if (!whole) return Outcome::kCancelled;
    return second == kNone ? Outcome::kDone : Found(second);
  }

  // Keys in order of digits, the lowest first; equal ones are then neighbours. No table of hashes:
  // a caller could choose values that all fall into one place.
  template <class Key>
  Outcome Sorted(uint64_t span) {
    const std::unique_ptr<Key[]> from_memory(new (std::nothrow) Key[count_]);
    const std::unique_ptr<Key[]> to_memory(new (std::nothrow) Key[count_]);
    if (from_memory == nullptr || to_memory == nullptr) return Outcome::kNoMemory;
    Key* from = from_memory.get();
    Key* to = to_memory.get();
    bool whole = InChunks([&](uint64_t begin, uint64_t end) {
      for (uint64_t k = begin; k < end; ++k) from[k] = static_cast<Key>(KeyOf(k));
    });
    if (!whole) return Outcome::kCancelled;
    std::array<uint64_t, size_t{1} << kDigitBits> starts{};
    for (unsigned shift = 0; shift < 64 && span >> shift != 0; shift += kDigitBits) {
      const auto digit = [shift](Key key) {
        return static_cast<size_t>(key >> shift) % (size_t{1} << kDigitBits);
      };
      starts.fill(0);
      whole = InChunks([&](uint64_t begin, uint64_t end) {
        for (uint64_t k = begin; k < end; ++k) ++starts[digit(from[k])];
      });
      if (!whole) return Outcome::kCancelled;
      uint64_t sum = 0;
      for (uint64_t& start : starts) sum += std::exchange(start, sum);
      whole = InChunks([&](uint64_t begin, uint64_t end) {
        for (uint64_t k = begin; k < end; ++k) to[starts[digit(from[k])]++] = from[k];
      });
      if (!whole) return Outcome::kCancelled;
      std::swap(from, to);
    }
    return FindEarliest(from, to);
  }

  // `sorted`: all keys. `doubles` has room for as many.
  template <class Key>
  Outcome FindEarliest(const Key* sorted, Key* doubles) {
    Key* end = doubles;
    bool whole = InChunks([&](uint64_t first, uint64_t last) {
      for (uint64_t k = std::max<uint64_t>(first, 1); k < last; ++k) {
        const bool known = end != doubles && end[-1] == sorted[k];
        if (sorted[k] == sorted[k - 1] && !known) *end++ = sorted[k];
      }
    });
    if (!whole) return Outcome::kCancelled;
    if (end == doubles) return Outcome::kDone;
    const auto size = static_cast<size_t>(end - doubles);
    const Zeros<bool> seen = MakeZeros<bool>(size);
    if (seen == nullptr) return Outcome::kNoMemory;
    // Bounded: somebody may write to the array meanwhile.
    uint64_t second = kNone;
    whole = InChunks(kSearchedChunk, [&](uint64_t first, uint64_t last) {
      for (uint64_t k = first; k < last && second == kNone; ++k) {
        const uint64_t key = KeyOf(k);
        const Key* const found = std::lower_bound(doubles, end, static_cast<Key>(key));
        if (found == end || *found != key) continue;
        if (std::exchange(seen[static_cast<size_t>(found - doubles)], true)) second = k;
      }
      return second == kNone;
    });
    if (!whole) return Outcome::kCancelled;
    return second == kNone ? Outcome::kDone : Found(second);
  }

  const unsigned char* data_;
  uint64_t count_;
  const Launch& launch_;
  uint64_t least_ = 0;
  uint64_t first_ = kNone;
  uint64_t second_ = kNone;
};

template <class T>
Status CheckElements(const VerifiedProgram& program, const std::string& name,
                     const hologram_buffer_ref& buffer, const Launch& launch) {
  Elements<T> elements(buffer, launch);
  switch (elements.Run()) {
    case Outcome::kCancelled:
      return CancelledError(program);
    case Outcome::kNoMemory:
      return Error(ErrorCode::kResourceLimit,
                   "no memory to check that the elements of " + PrintName(name) + " are unique");
    case Outcome::kDone:
      break;
  }
  if (elements.second() == kNone) return Success{};
  return Error(ErrorCode::kInvalidArgument,
               "array " + PrintName(name) + " is declared unique, but its elements " +
                   std::to_string(elements.first()) + " and " + std::to_string(elements.second()) +
                   " are both " + elements.value());
}

Status CheckBuffer(const VerifiedProgram& program, const isa::Parameter& parameter,
                   const hologram_buffer_ref& buffer, const Launch& launch) {
  const auto check = [&](auto value) {
    return CheckElements<decltype(value)>(program, parameter.name, buffer, launch);
  };
  switch (parameter.type) {
    case isa::Type::kI8:
      return check(int8_t{});
    case isa::Type::kI16:
      return check(int16_t{});
    case isa::Type::kI32:
      return check(int32_t{});
    case isa::Type::kI64:
      return check(int64_t{});
    case isa::Type::kU8:
      return check(uint8_t{});
    case isa::Type::kU16:
      return check(uint16_t{});
    case isa::Type::kU32:
      return check(uint32_t{});
    default:
      return check(uint64_t{});
  }
}

}  // namespace

Status CheckUnique(const VerifiedProgram& program, const Launch& launch) {
  size_t buffer = 0;
  for (const isa::Parameter& parameter : program.program().parameters) {
    if (!parameter.is_buffer) continue;
    const size_t k = buffer++;
    if (!parameter.unique || launch.buffers[k].data == nullptr) continue;
    HOLOGRAM_RETURN_IF_ERROR(CheckBuffer(program, parameter, launch.buffers[k], launch));
  }
  return Success{};
}

Status RefuseUnique(const isa::Program& program, std::string_view how) {
  for (const isa::Parameter& parameter : program.parameters) {
    if (!parameter.unique) continue;
    return Error(ErrorCode::kUnsupported, "kernel " + PrintName(program.name) +
                                              " declares unique(" + parameter.name + "), which " +
                                              std::string(how) + " does not check");
  }
  return Success{};
}

}  // namespace hologram::launch
