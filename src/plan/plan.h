// Plan: what a pipeline is, as data: its arrays, and launches on parts of them, in order. A plan
// that was decoded is untrusted until CheckPlan has seen it. docs/pipelines.md describes what it
// means, docs/format.md its bytes. Tested by tests/pipeline.
#pragma once

#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hologram/native_abi.h"
#include "isa/program.h"
#include "isa/type.h"

namespace hologram::pipeline {

inline constexpr size_t kMostArrays = 16384;
inline constexpr size_t kMostSteps = 16384;
inline constexpr uint64_t kMostArenaBytes = uint64_t{1} << 32;
inline constexpr uint64_t kMostArrayBytes = uint64_t{1} << 40;
inline constexpr size_t kAlignment = 64;  // of temporaries and constants in their memory

enum class Role : uint8_t {
  kInput,      // memory of the caller, read
  kOutput,     // memory of the caller, written
  kTemporary,  // a place in the arena
  kConstant,   // bytes of the plan
};
std::string_view NameOf(Role role);  // "input"

// Bytes that begin at a multiple of kAlignment.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  explicit AlignedAllocator(const AlignedAllocator<U>& /*other*/) {}
  T* allocate(size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(kAlignment)));
  }
  void deallocate(T* data, size_t /*count*/) noexcept {
    ::operator delete(data, std::align_val_t(kAlignment));
  }
  bool operator==(const AlignedAllocator&) const = default;
};
using AlignedBytes = std::vector<uint8_t, AlignedAllocator<uint8_t>>;

struct Array {
  Role role = Role::kTemporary;
  uint64_t bytes = 0;
  // Of inputs and outputs.
  std::string name;
  isa::Type type = isa::Type::kI8;
  std::vector<uint64_t> extents;  // outermost first; none: one element
  // Of constants.
  AlignedBytes data;
  bool is_public() const { return role == Role::kInput || role == Role::kOutput; }
  bool operator==(const Array&) const = default;
};

inline constexpr uint32_t kNoArray = UINT32_MAX;

// An argument: bytes [first, first + bytes) of an array, or nothing.
struct Operand {
  uint32_t array = kNoArray;  // kNoArray: no bytes
  uint64_t first = 0;
  uint64_t bytes = 0;
  bool operator==(const Operand&) const = default;
};

// One launch.
struct Step {
  uint32_t kernel = 0;
  std::vector<Operand> operands;  // one for each buffer, in parameter order
  std::vector<uint64_t> scalars;  // those that are taken from shapes included
  hologram_launch_shape shape{{1, 1, 1}, {1, 1, 1}};
};

struct Plan {
  std::string name;
  uint32_t num_kernels = 0;
  std::vector<Array> arrays;  // inputs, then outputs, then the others
  std::vector<Step> steps;

  // Inputs and outputs, in the order of a run's arguments.
  std::span<const Array> arguments() const;
};

// The bytes of an array; none: more than kMostArrayBytes.
std::optional<uint64_t> BytesOf(isa::Type type, std::span<const uint64_t> extents);
// "x: in f32[64,10]"
std::string SignatureOf(const Array& array);
// "(64, 10)"; "(5,)"
std::string ShapeText(std::span<const uint64_t> extents);

// All that can be checked without the kernels: counts, names, sizes; that operands are inside of
// their arrays. Errors: kInvalidBundle.
Status CheckPlan(const Plan& plan);
// The same with them: counts of arguments and their alignment, that inputs and constants are not
// written, that each byte of a temporary or an output that is read was in an array that an earlier
// launch writes, and that every output is written. Errors: kInvalidBundle, naming the launch.
Status CheckFlow(const Plan& plan, std::span<const isa::Program* const> kernels);

// Whether temporaries that are not needed at one time are in one place.
enum class Sharing : uint8_t { kShared, kApart };

// Where temporaries are.
struct Layout {
  std::vector<uint64_t> offsets;  // of each array; 0 for other than temporaries
  uint64_t bytes = 0;             // of the arena
  uint64_t unshared = 0;          // of all temporaries
};
// Errors: kResourceLimit. REQUIRES: CheckPlan
Result<Layout> PlanMemory(const Plan& plan, Sharing sharing = Sharing::kShared);

// As `hologram inspect` prints it, in lines; `name_of` gives the name of a kernel.
std::string TextOf(const Plan& plan, const Layout& layout,
                   const std::function<std::string_view(uint32_t)>& name_of);

}  // namespace hologram::pipeline
