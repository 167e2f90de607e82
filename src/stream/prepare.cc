// What is decided before the first byte is read.
#include <algorithm>
#include <string>

#include "launch/cut.h"
#include "stream/runner.h"
#include "verify/pointwise.h"

namespace hologram::stream {
namespace {

uint64_t Padded(uint64_t bytes) {
  return (bytes + kPoolAlignment - 1) / kPoolAlignment * kPoolAlignment;
}

}  // namespace

void Runner::AddArray(const std::string& name, uint32_t size) {
  const Flow& flow = request_.flows[arrays_.size()];
  Array array;
  array.name = name;
  array.size = size;
  array.reads = flow.source != nullptr;
  array.writes = flow.sink != nullptr;
  array.moves = array.reads || array.writes;
  array.extent = flow.extent;
  threaded_ |=
      (array.reads && !flow.source->is_memory()) || (array.writes && !flow.sink->is_memory());
  waits_ |= array.reads && flow.source->may_wait();
  writes_ |= array.writes;
  arrays_.push_back(std::move(array));
}

void Runner::FillArrays() {
  for (const StepArray& array : request_.arrays) AddArray(array.name, array.size);
  if (kernel_ == nullptr) return;
  for (const isa::Parameter& parameter : kernel_->program().parameters) {
    if (parameter.is_buffer) AddArray(parameter.name, isa::SizeOf(parameter.type));
  }
}

Status Runner::Prepare() {
  FillArrays();
  if (std::none_of(arrays_.begin(), arrays_.end(), [](const Array& a) { return a.moves; })) {
    return Error(ErrorCode::kInvalidArgument, "no array is streamed");
  }
  depth_ = !threaded_ ? 1 : request_.depth != 0 ? request_.depth : kDepth;
  const uint64_t window = request_.window_bytes != 0 ? request_.window_bytes : kWindowBytes;
  // A size that was asked for is not made smaller.
  const bool fits = request_.pool != nullptr && request_.window_bytes == 0;
  HOLOGRAM_RETURN_IF_ERROR(MakePlan(window, fits ? request_.pool->size() : 0));
  fills_ = Fills();
  return MakeSlots();
}

Planned Runner::Asked() const {
  return {kernel_->name(),
          [this](std::span<const uint64_t> extents) {
            return kernel_->UnitsOf(request_.scalars, request_.config, extents);
          },
          [this](std::span<const uint64_t> extents, uint64_t first, uint64_t last) {
            launch::Window window;
            window.first = first;
            window.last = last;
            window.extent = extents;
            return kernel_->ReachOf(request_.scalars, request_.config, window);
          }};
}

Status Runner::MakePlan(uint64_t window, uint64_t pool_bytes) {
  const bool open_ended = std::any_of(arrays_.begin(), arrays_.end(), [](const Array& a) {
    return a.moves && a.extent == kUnknown;
  });
  if (kernel_ == nullptr || open_ended || IsBeyondIds()) return PlanPointwise(window, pool_bytes);
  HOLOGRAM_RETURN_IF_ERROR(ChooseGrid());
  planner_.emplace(Asked(), arrays_);
  HOLOGRAM_ASSIGN_OR_RETURN(plan_, planner_->Make(window, depth_, pool_bytes));
  // Found once, not again for each window.
  launch::RequestedShape& shape = request_.config.shape;
  shape.grid = {plan_.shape.grid[0], plan_.shape.grid[1], plan_.shape.grid[2]};
  shape.block = {plan_.shape.block[0], plan_.shape.block[1], plan_.shape.block[2]};
  if (plan_.count == 0) shape = {};
  return Success{};
}

// More elements than a launch has lanes.
bool Runner::IsBeyondIds() const {
  const bool beyond = std::any_of(arrays_.begin(), arrays_.end(), [](const Array& a) {
    return a.moves && a.extent > UINT32_MAX - launch::kLaneGranule;
  });
  return beyond && !request_.config.shape.grid && verify::LengthOfPointwise(kernel_->verified());
}

// That of the inputs; an output may be said to be longer only where none is read.
Status Runner::FindLength() {
  const Array* measured = nullptr;
  for (const Array& array : arrays_) {
    if (!array.moves) {
      return Error(ErrorCode::kInvalidArgument,
                   "'" + array.name + "' is an array in memory, beside streams without a length");
    }
    if (array.extent == kUnknown) continue;
    if (measured != nullptr && measured->extent != array.extent) {
      return Error(ErrorCode::kInvalidArgument,
                   "'" + array.name + "' has " + std::to_string(array.extent) + " elements, '" +
                       measured->name + "' has " + std::to_string(measured->extent));
    }
    measured = &array;
  }
  const bool reads =
      std::any_of(arrays_.begin(), arrays_.end(), [](const Array& a) { return a.reads; });
  if (measured != nullptr) length_ = measured->extent;
  if (measured != nullptr || reads) return Success{};
  return Error(ErrorCode::kInvalidArgument, "a stream without an input needs a length");
}

Status Runner::CheckPointwise() {
  const std::optional<uint32_t> length = verify::LengthOfPointwise(kernel_->verified());
  if (!length || request_.config.shape.grid) {
    return Error(
        ErrorCode::kInvalidArgument,
        "kernel '" + kernel_->name() +
            "' needs the length of what it streams; without one there can be kernels alone "
            "that index with their id, and compare it with the length, and have no grid");
  }
  length_scalar_ = *length;
  return Success{};
}

Status Runner::PlanPointwise(uint64_t window, uint64_t pool_bytes) {
  if (kernel_ != nullptr) HOLOGRAM_RETURN_IF_ERROR(CheckPointwise());
  HOLOGRAM_RETURN_IF_ERROR(FindLength());
  pointwise_ = true;
  const uint64_t row = kernel_ != nullptr ? 1 : request_.row;
  plan_ = PlanApart(arrays_, length_, row, window, depth_, pool_bytes);
  return Success{};
}

// Functions do. Of kernels it is known where code with streaming stores was made: one store, under
// no condition but those on ids; and these compare with the length alone.
bool Runner::Fills() const {
  if (kernel_ == nullptr) return true;
  const hologram_kernel_info* const native = kernel_->native();
  return native != nullptr && native->streaming_body != nullptr &&
         verify::LengthOfPointwise(kernel_->verified());
}

// Without one: that of a default launch, or enough for what moves, where a kernel only counts.
Status Runner::ChooseGrid() {
  launch::RequestedShape& shape = request_.config.shape;
  if (shape.grid) return Success{};
  std::vector<uint64_t> extents;
  uint64_t longest = 0;
  for (const Array& array : arrays_) {
    extents.push_back(array.extent);
    if (array.moves) longest = std::max(longest, array.extent);
  }
  const auto units = kernel_->UnitsOf(request_.scalars, request_.config, extents);
  if (units.ok()) return Success{};
  if (!kernel_->facts().one_dimensional || longest == 0) return units.errors();
  const uint32_t block = shape.block ? (*shape.block)[0] : kernel_->program().default_block;
  const uint64_t blocks = (longest + block - 1) / block;
  if (blocks * block > UINT32_MAX) return units.errors();
  shape.grid = {static_cast<uint32_t>(blocks), 1, 1};
  if (!shape.block) shape.block = {block, 1, 1};
  return Success{};
}

Diagnostic Runner::TooSmall() const {
  return Error(ErrorCode::kResourceLimit,
               "the windows need " + std::to_string(plan_.slot_bytes * depth_) +
                   " bytes, the pool has " + std::to_string(request_.pool->size()));
}

Status Runner::MakeSlots() {
  depth_ = std::min(depth_, std::max<uint64_t>(plan_.count, 1));
  const uint64_t needed = plan_.slot_bytes * depth_;
  std::byte* next = nullptr;
  if (request_.pool != nullptr) {
    if (needed > request_.pool->size()) return TooSmall();
    next = request_.pool->data();
  } else if (needed != 0) {
    HOLOGRAM_ASSIGN_OR_RETURN(own_pool_, Pool::Make(needed));
    next = own_pool_->data();
  }
  slots_.resize(depth_);
  for (Slot& slot : slots_) {
    for (const Array& array : arrays_) {
      Part part;
      if (array.moves) {
        part.data = next;
        next += Padded(array.capacity * array.size);
      }
      slot.parts.push_back(part);
    }
  }
  positions_.assign(arrays_.size(), 0);
  written_.assign(arrays_.size(), 0);
  return Success{};
}

}  // namespace hologram::stream
