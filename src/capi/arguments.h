// Arguments of a launch, checked against the signature of the kernel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/launch_path.h"
#include "base/result.h"
#include "hologram/hologram.h"
#include "isa/program.h"
#include "isa/type.h"

namespace hologram::capi {

class ShapeTable;

// In parameter order, each kind by itself. No allocation: one is made for each launch.
class BoundArguments {
 public:
  std::span<const hologram_buffer_ref> buffers() const { return {buffers_.data(), num_buffers_}; }
  std::span<const uint64_t> scalars() const { return {scalars_.data(), num_scalars_}; }
  void Add(const hologram_buffer_ref& buffer) { buffers_[num_buffers_++] = buffer; }
  void Add(uint64_t scalar) { scalars_[num_scalars_++] = scalar; }
  void Clear() { num_buffers_ = num_scalars_ = 0; }
  // Adds what is taken from shapes, as ShapeTable::Fill does.
  bool Fill(const ShapeTable& table, const hologram_array_shape* const* shapes);
  // Some of the buffers are memory on a device (device.h).
  bool on_device() const { return on_device_; }
  void SetOnDevice() { on_device_ = true; }

 private:
  std::array<hologram_buffer_ref, HOLOGRAM_MAX_PARAMETERS> buffers_;
  std::array<uint64_t, HOLOGRAM_MAX_PARAMETERS> scalars_;
  size_t num_buffers_ = 0;
  size_t num_scalars_ = 0;
  bool on_device_ = false;
};

// Whose memory may be bound.
enum class Memory : uint8_t { kHost, kAny };

// Whether some parameters, or checks, need the shapes of arrays.
bool TakesShapes(const isa::Program& program);

// False: some argument needs a conversion or a message, and `bound` holds anything. Of a program
// that takes shapes, the scalars of those are left to ShapeTable. REQUIRES: `bound` is empty.
bool BindUsual(const hologram_launch_plan& plan, std::span<const hologram_argument> arguments,
               BoundArguments& bound);

// `shapes` has one for each argument, or is null: then all arrays have one dimension. So has one
// whose shape is null. Scalars of another type are converted if the value is kept. Errors name the
// parameter, and all arguments that are wrong. REQUIRES: `bound` is empty.
Status BindArguments(const isa::Program& program, std::span<const hologram_argument> arguments,
                     const hologram_array_shape* const* shapes, BoundArguments& bound,
                     Memory memory = Memory::kHost);

// Where the scalars of a program that are not arguments come from, looked up once: for launches
// that take some nanoseconds.
class ShapeTable {
 public:
  ShapeTable() = default;  // of a program that takes no shapes
  explicit ShapeTable(const isa::Program& program);

  // How many scalars are not arguments.
  size_t num_taken() const { return sources_.size(); }
  // Writes the scalars of BindArguments behind those that are arguments, in their order. False: it
  // has an error for these shapes. REQUIRES: as many buffers as the program has, and room for
  // num_taken() scalars; `shapes` as for BindArguments.
  HOLOGRAM_LAUNCH_PATH
  bool Fill(const hologram_buffer_ref* buffers, const hologram_array_shape* const* shapes,
            uint64_t* scalars) const;

 private:
  struct Array {
    uint32_t argument = 0;
    uint32_t rank = 0;  // as in isa::Parameter
    uint32_t size = 1;  // bytes of an element
    uint32_t end = 0;   // of its sources, which begin where those of the array before it end
  };
  struct Source {
    uint32_t place = 0;  // among the scalars that are not arguments
    uint32_t dimension = 0;
    bool is_extent = true;
  };
  std::vector<Array> arrays_;  // all buffers
  std::vector<Source> sources_;
  size_t num_given_ = 0;  // scalars that are arguments
};

// The bits of a scalar in another type, by the same rule; nothing where that does not keep it.
std::optional<uint64_t> ConvertScalar(isa::Type from, uint64_t bits, isa::Type to);

// Whether arguments of exactly these codes may be passed.
Status CheckCodes(const isa::Program& program, std::span<const uint32_t> codes);

}  // namespace hologram::capi
