// LDG STG LDS STS LDL STL and the atomic ones. Every access first takes the lanes whose element is
// outside the buffer out of the running ones; what remains is in bounds. Lanes access memory in
// ascending order.
#include <algorithm>
#include <cstring>
#include <limits>

#include "interpreter/atomic_operations.h"
#include "interpreter/columns.h"
#include "interpreter/instructions.h"

namespace hologram::interpreter {
namespace {

using isa::Instruction;

// The memory that an instruction names: where element 0 is, or would be in a window; the elements
// from `first` on, before `end`; and the distance in elements from the index to the element.
struct Place {
  uint8_t* data;
  uint64_t end;
  int64_t distance;
  uint64_t first = 0;
};

Place PlaceOf(Chunk& chunk, const Instruction& in) {
  const uint32_t size = isa::SizeOf(in.type);
  const int64_t distance = in.displacement() / static_cast<int64_t>(size);
  if (isa::IsSharedAccess(in.op)) {
    return {chunk.shared() + chunk.program().SharedOffset(in.a), chunk.program().shared[in.a].count,
            distance};
  }
  if (isa::IsLocalAccess(in.op)) {
    return {chunk.Local(chunk.program().LocalOffset(in.a)), chunk.program().locals[in.a].count, 0};
  }
  const uint32_t parameter = chunk.verified().AccessAt(chunk.pc())->slot;
  const hologram_buffer_ref& buffer = chunk.BufferOfParameter(parameter);
  const uint64_t first = chunk.BaseOfParameter(parameter);
  const auto address = reinterpret_cast<uintptr_t>(buffer.data) - first * size;
  return {reinterpret_cast<uint8_t*>(address), first + buffer.bytes / size, distance, first};
}

// The address of the element of an index that is in bounds. Computed modulo 2^64, where it is
// exact.
template <class T, class Index>
uint8_t* ElementAt(const Place& place, Index index) {
  const uint64_t element = static_cast<uint64_t>(index) + static_cast<uint64_t>(place.distance);
  return place.data + element * sizeof(T);
}

// The indices for which index + distance is in [first, end), as a closed interval of the index
// type.
template <class Index>
struct Interval {
  Index low = 1;
  Index high = 0;  // empty
};

template <class Index>
Interval<Index> AllowedIndices(const Place& place) {
  using Limits = std::numeric_limits<Index>;
  const __int128 distance = place.distance;
  const __int128 low =
      std::max<__int128>(static_cast<__int128>(place.first) - distance, Limits::min());
  const __int128 high =
      std::min<__int128>(static_cast<__int128>(place.end) - 1 - distance, Limits::max());
  if (low > high) return {};
  return {static_cast<Index>(low), static_cast<Index>(high)};
}

// Whether neighbouring lanes access neighbouring elements. Compares modulo the size of the index
// type, so that the loop stays narrow; the last lane shows whether the numbers wrapped on the way.
template <class Index>
bool IsContiguous(Range range, const Index* indices) {
  using Bits = std::make_unsigned_t<Index>;
  const auto start = static_cast<Bits>(static_cast<uint64_t>(indices[range.begin]) - range.begin);
  Bits different = 0;
  for (uint32_t i = range.begin; i < range.end; ++i) {
    different |= static_cast<Bits>(
        static_cast<Bits>(static_cast<Bits>(indices[i]) - static_cast<Bits>(i)) ^ start);
  }
  const auto first = static_cast<uint64_t>(indices[range.begin]);
  const auto last = static_cast<uint64_t>(indices[range.end - 1]);
  return different == 0 && last - first == range.end - 1 - range.begin;
}

template <class Index>
bool AnyOutside(Range range, const Index* indices, Interval<Index> allowed, bool contiguous) {
  const auto outside = [allowed](Index index) {
    return index < allowed.low || index > allowed.high;
  };
  if (contiguous) return outside(indices[range.begin]) || outside(indices[range.end - 1]);
  bool any = false;
  for (uint32_t i = range.begin; i < range.end; ++i) any |= outside(indices[i]);
  return any;
}

// Takes the lanes out of bounds out of the running ones. Returns whether all ranges are contiguous.
template <class Index>
bool FaultOutOfBounds(Chunk& chunk, const Place& place, const Index* indices) {
  const Interval<Index> allowed = AllowedIndices<Index>(place);
  bool all_contiguous = true;
  bool any_outside = false;
  for (const Range range : chunk.ranges()) {
    const bool contiguous = IsContiguous(range, indices);
    all_contiguous &= contiguous;
    any_outside |= AnyOutside(range, indices, allowed, contiguous);
  }
  if (!any_outside) return all_contiguous;
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      if (indices[i] >= allowed.low && indices[i] <= allowed.high) continue;
      const uint64_t element =
          static_cast<uint64_t>(indices[i]) + static_cast<uint64_t>(place.distance);
      chunk.Fault(i, HOLOGRAM_FAULT_OUT_OF_BOUNDS, static_cast<int64_t>(element));
    }
  }
  chunk.DropFaulted();
  return all_contiguous;
}

template <class T, class Index>
void Load(Chunk& chunk, const Place& place, bool contiguous, T* out, const Index* indices) {
  for (const Range range : chunk.ranges()) {
    if (contiguous) {
      std::memcpy(out + range.begin, ElementAt<T>(place, indices[range.begin]),
                  (range.end - range.begin) * sizeof(T));
      continue;
    }
    for (uint32_t i = range.begin; i < range.end; ++i) {
      std::memcpy(out + i, ElementAt<T>(place, indices[i]), sizeof(T));
    }
  }
}

template <class T, class Index>
void Store(Chunk& chunk, const Place& place, bool contiguous, const T* values,
           const Index* indices) {
  for (const Range range : chunk.ranges()) {
    if (contiguous) {
      std::memcpy(ElementAt<T>(place, indices[range.begin]), values + range.begin,
                  (range.end - range.begin) * sizeof(T));
      continue;
    }
    for (uint32_t i = range.begin; i < range.end; ++i) {
      std::memcpy(ElementAt<T>(place, indices[i]), values + i, sizeof(T));
    }
  }
}

// Replaces elements by next(old, lane). One thread runs all lanes, so reading and writing is
// already indivisible.
template <class T, class Index, class Next>
void Atomic(Chunk& chunk, const Instruction& in, const Place& place, const Index* indices,
            Next next) {
  T* const out = chunk.Column<T>(in.d);
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      uint8_t* const address = ElementAt<T>(place, indices[i]);
      T old;
      std::memcpy(&old, address, sizeof(T));
      const T replaced = next(old, i);
      std::memcpy(address, &replaced, sizeof(T));
      out[i] = old;
    }
  }
}

template <class Index>
void Show(Observer& observer, const Chunk& chunk, const Place& place, const Index* indices) {
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      observer.Access(chunk.pc(), chunk.first_lane() + i,
                      static_cast<uint64_t>(indices[i]) + static_cast<uint64_t>(place.distance));
    }
  }
}

// Calls access(place, indices, contiguous) with the running lanes in bounds.
template <class Function>
void ForIndices(Chunk& chunk, const Instruction& in, Function access) {
  const Place place = PlaceOf(chunk, in);
  ForIntegerType(chunk.verified().AccessAt(chunk.pc())->index_type, [&]<class Index>() {
    const Index* const indices = chunk.Column<Index>(in.b);
    const bool contiguous = FaultOutOfBounds(chunk, place, indices);
    if (chunk.observer() != nullptr && !isa::IsLocalAccess(in.op)) {
      Show(*chunk.observer(), chunk, place, indices);
    }
    access(place, indices, contiguous);
  });
}

void LoadElements(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    ForIndices(chunk, in, [&](const Place& place, const auto* indices, bool contiguous) {
      Load(chunk, place, contiguous, chunk.Column<T>(in.d), indices);
    });
  });
}

void StoreElements(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    ForIndices(chunk, in, [&](const Place& place, const auto* indices, bool contiguous) {
      Store<T>(chunk, place, contiguous, chunk.Column<T>(in.c), indices);
    });
  });
}

template <class T, class Index>
void Keep(Chunk& chunk, const Place& place, const Index* indices, const T* values) {
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, values + i, sizeof(T));
      chunk.ordered().Add(chunk.pc(), i, ElementAt<T>(place, indices[i]), bits);
    }
  }
}

template <class T>
void UpdateElements(Chunk& chunk, const Instruction& in) {
  const T* const values = chunk.Column<T>(in.c);
  ForIndices(chunk, in, [&](const Place& place, const auto* indices, bool) {
    if constexpr (kIsFloat<T>) {
      if (chunk.verified().IsLaunchSum(chunk.pc())) {
        for (const Range range : chunk.ranges()) {
          chunk.sums().Add(chunk.pc(), ElementAt<T>(place, indices[range.begin]),
                           chunk.first_lane() + range.begin, range.end - range.begin,
                           values + range.begin);
        }
        return;
      }
      if (chunk.verified().IsOrdered(chunk.pc())) return Keep(chunk, place, indices, values);
    }
    Atomic<T>(chunk, in, place, indices,
              [&](T old, uint32_t i) { return Combine(in.atomic_op(), old, values[i]); });
  });
}

void UpdateIntegers(Chunk& chunk, const Instruction& in) {
  ForIntegerType(in.type, [&]<class T>() {
    if constexpr (sizeof(T) >= 4) UpdateElements<T>(chunk, in);
  });
}

void UpdateFloats(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() {
    if constexpr (kIsFloat<T>) UpdateElements<T>(chunk, in);
  });
}

void CompareAndSwap(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    const T* const expected = chunk.Column<T>(in.c);
    const T* const desired = chunk.Column<T>(in.mod);
    ForIndices(chunk, in, [&](const Place& place, const auto* indices, bool) {
      Atomic<T>(chunk, in, place, indices,
                [=](T old, uint32_t i) { return old == expected[i] ? desired[i] : old; });
    });
  });
}

// Calls access(address, lane) for the element of every running lane.
template <class T, class Function>
void ForLocalElements(Chunk& chunk, const Instruction& in, Function access) {
  ForIndices(chunk, in, [&](const Place& place, const auto* indices, bool) {
    const size_t capacity = chunk.capacity();
    for (const Range range : chunk.ranges()) {
      for (uint32_t i = range.begin; i < range.end; ++i) {
        access(place.data + (static_cast<size_t>(indices[i]) * capacity + i) * sizeof(T), i);
      }
    }
  });
}

// Of the running lanes, which are in bounds by now.
uint64_t BytesOf(const Chunk& chunk, const Instruction& in) {
  return chunk.num_running() * isa::SizeOf(in.type);
}

}  // namespace

void Ldl(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    T* const out = chunk.Column<T>(in.d);
    ForLocalElements<T>(chunk, in, [=](const uint8_t* element, uint32_t i) {
      std::memcpy(out + i, element, sizeof(T));
    });
  });
}

void Stl(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    const T* const values = chunk.Column<T>(in.c);
    ForLocalElements<T>(chunk, in, [=](uint8_t* element, uint32_t i) {
      std::memcpy(element, values + i, sizeof(T));
    });
  });
}

void Ldg(Chunk& chunk, const Instruction& in) {
  LoadElements(chunk, in);
  chunk.traffic().loaded += BytesOf(chunk, in);
}
void Stg(Chunk& chunk, const Instruction& in) {
  StoreElements(chunk, in);
  chunk.traffic().stored += BytesOf(chunk, in);
}
void Lds(Chunk& chunk, const Instruction& in) {
  LoadElements(chunk, in);
}
void Sts(Chunk& chunk, const Instruction& in) {
  StoreElements(chunk, in);
}
void Atg(Chunk& chunk, const Instruction& in) {
  UpdateIntegers(chunk, in);
}
void Ats(Chunk& chunk, const Instruction& in) {
  UpdateIntegers(chunk, in);
}
void AtgCas(Chunk& chunk, const Instruction& in) {
  CompareAndSwap(chunk, in);
}
void AtsCas(Chunk& chunk, const Instruction& in) {
  CompareAndSwap(chunk, in);
}
void AtgFloat(Chunk& chunk, const Instruction& in) {
  UpdateFloats(chunk, in);
}
void AtsFloat(Chunk& chunk, const Instruction& in) {
  UpdateFloats(chunk, in);
}

}  // namespace hologram::interpreter
