#include "launch/window.h"

#include <algorithm>

#include "launch/cut.h"
#include "launch/node_values.h"

namespace hologram::launch {
namespace {

using isa::Parameter;

// The axis values of a range of numbers that count axes x first.
struct Axes {
  uint32_t low[3];
  uint32_t high[3];
};

// An axis that is not the same at both ends takes all values of the axes before it.
Axes AxesOf(uint64_t first, uint64_t last, const uint64_t (&size)[3]) {
  Axes axes{};
  bool same = true;
  uint64_t low[3];
  uint64_t high[3];
  for (int d = 0; d < 3; ++d) {
    low[d] = first % size[d];
    high[d] = last % size[d];
    first /= size[d];
    last /= size[d];
  }
  for (int d = 2; d >= 0; --d) {
    axes.low[d] = static_cast<uint32_t>(same ? low[d] : 0);
    axes.high[d] = static_cast<uint32_t>(same ? high[d] : size[d] - 1);
    same = same && low[d] == high[d];
  }
  return axes;
}

// REQUIRES: the window is not empty.
IdRanges IdsOf(const hologram_launch_shape& shape, const Window& window) {
  const uint64_t last = window.last - 1;
  const bool blocks = window.unit == HOLOGRAM_UNIT_BLOCK;
  uint64_t size[3];
  for (int d = 0; d < 3; ++d) {
    size[d] = blocks ? shape.grid[d] : uint64_t{shape.grid[d]} * shape.block[d];
  }
  Axes axes;
  if (window.unit == HOLOGRAM_UNIT_ROW) {
    axes = AxesOf(window.first, last, {size[1], size[2], 1});
    for (int d = 2; d > 0; --d) {
      axes.low[d] = axes.low[d - 1];
      axes.high[d] = axes.high[d - 1];
    }
    axes.low[0] = 0;
    axes.high[0] = static_cast<uint32_t>(size[0] - 1);
  } else {
    axes = AxesOf(window.first, last, size);
  }
  IdRanges ids;
  for (size_t d = 0; d < 3; ++d) {
    const uint32_t width = shape.block[d];
    ids.low[d] = blocks ? axes.low[d] : axes.low[d] / width;
    ids.high[d] = blocks ? axes.high[d] : axes.high[d] / width;
    ids.low[3 + d] = blocks ? axes.low[d] * width : axes.low[d];
    ids.high[3 + d] = blocks ? axes.high[d] * width + (width - 1) : axes.high[d];
  }
  return ids;
}

struct ElementRange {
  Wide low;
  Wide high;  // included
};

// Nothing: no bounds are known for these ids.
std::optional<ElementRange> RangeOf(const verify::AccessReach& access, const NodeValues& values) {
  if (!access.known || !values[access.low] || !values[access.high]) return std::nullopt;
  for (const auto& [lhs, rhs] : access.conditions) {
    if (!values[lhs] || !values[rhs] || *values[lhs] > *values[rhs]) return std::nullopt;
  }
  return ElementRange{*values[access.low], *values[access.high]};
}

// Takes in the range of an access at `pc`, which is not empty.
void Add(BufferReach& buffer, uint32_t pc, bool writes, uint64_t low, uint64_t high) {
  const bool first = buffer.low == buffer.high;
  if (first || low < buffer.low) {
    buffer.low = low;
    buffer.low_pc = pc;
  }
  if (first || high > buffer.high) {
    buffer.high = high;
    buffer.high_pc = pc;
  }
  if (!writes) return;
  const bool first_written = buffer.written_low == buffer.written_high;
  buffer.written_low = first_written ? low : std::min(buffer.written_low, low);
  buffer.written_high = first_written ? high : std::max(buffer.written_high, high);
}

std::vector<size_t> BuffersOfParameters(const isa::Program& program) {
  std::vector<size_t> buffers;
  size_t next = 0;
  for (const Parameter& parameter : program.parameters) {
    buffers.push_back(parameter.is_buffer ? next++ : 0);
  }
  return buffers;
}

std::string AccessText(const isa::Program& program, uint32_t pc) {
  if (pc < program.debug.size() && !program.debug[pc].text.empty()) return program.debug[pc].text;
  return "'" + program.parameters[program.code[pc].a - 1u].name + "'";
}

std::string NameOfUnit(uint32_t unit, uint64_t number) {
  constexpr const char* kUnits[] = {"lane ", "row ", "block "};
  return kUnits[unit] + std::to_string(number);
}

class WindowChecker {
 public:
  WindowChecker(const VerifiedProgram& verified, const Launch& launch)
      : program_(verified.program()), launch_(launch), window_(*launch.window) {}

  Status Arrays() {
    size_t k = 0;
    Diagnostics errors;
    for (const Parameter& parameter : program_.parameters) {
      if (!parameter.is_buffer) continue;
      const uint64_t size = isa::SizeOf(parameter.type);
      const uint64_t count = launch_.buffers[k].bytes / size;
      const uint64_t extent = window_.extent[k];
      const uint64_t base = window_.base[k++];
      if (extent <= kMostBytes / size && base <= extent && count <= extent - base) continue;
      errors.push_back(Error(ErrorCode::kInvalidArgument,
                             "the window of '" + parameter.name + "' has " + std::to_string(count) +
                                 " elements from element " + std::to_string(base) +
                                 " on; the whole array has " + std::to_string(extent) +
                                 (extent > kMostBytes / size ? ", which is too many" : "")));
    }
    if (!errors.empty()) return errors;
    return Success{};
  }

  // All that is touched is in memory.
  Status Holds(const std::vector<BufferReach>& reach) {
    size_t k = 0;
    Diagnostics errors;
    for (const Parameter& parameter : program_.parameters) {
      if (!parameter.is_buffer) continue;
      const BufferReach& touched = reach[k];
      const uint64_t base = window_.base[k];
      const uint64_t end = base + launch_.buffers[k].bytes / isa::SizeOf(parameter.type);
      ++k;
      if (touched.low == touched.high) continue;
      if (touched.low >= base && touched.high <= end) continue;
      const bool below = touched.low < base;
      const uint32_t pc = below ? touched.low_pc : touched.high_pc;
      Diagnostic error = Error(ErrorCode::kInvalidArgument,
                               touched.bounded ? Beyond(parameter, pc, touched, below, base, end)
                                               : Unbounded(parameter, pc, base, end, touched.high));
      error.where = program_.LocationOf(pc);
      errors.push_back(std::move(error));
    }
    if (!errors.empty()) return errors;
    return Success{};
  }

 private:
  static constexpr uint64_t kMostBytes = uint64_t{1} << 62;

  std::string Units() const {
    return NameOfUnit(window_.unit, window_.first) + " to " + std::to_string(window_.last - 1);
  }

  std::string Beyond(const Parameter& parameter, uint32_t pc, const BufferReach& touched,
                     bool below, uint64_t base, uint64_t end) const {
    const uint64_t element = below ? touched.low : touched.high - 1;
    return AccessText(program_, pc) + " of " + Units() + " may be element " +
           std::to_string(element) + "; the window of '" + parameter.name + "' " +
           (below ? "begins at " + std::to_string(base) : "ends at " + std::to_string(end));
  }

  std::string Unbounded(const Parameter& parameter, uint32_t pc, uint64_t base, uint64_t end,
                        uint64_t extent) const {
    return AccessText(program_, pc) + " may be any element, so '" + parameter.name +
           "' must be whole: elements 0 to " + std::to_string(extent) + ", found " +
           std::to_string(base) + " to " + std::to_string(end);
  }

  const isa::Program& program_;
  const Launch& launch_;
  const Window& window_;
};

bool UpdatesFloatsInBuffers(const isa::Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const isa::Instruction& in) {
    return isa::IsAtomic(in.op) && isa::IsFloat(in.type) && isa::IsGlobalAccess(in.op);
  });
}

}  // namespace

std::vector<BufferReach> ReachOf(const VerifiedProgram& verified, const verify::Reach& reach,
                                 const Launch& launch) {
  const isa::Program& program = verified.program();
  std::vector<BufferReach> buffers(launch.buffers.size());
  if (launch.window->first == launch.window->last) return buffers;
  const IdRanges ids = IdsOf(launch.shape, *launch.window);
  const NodeValues values = ValuesOf(reach.nodes, program, launch, &ids);
  const std::vector<size_t> number = BuffersOfParameters(program);
  for (const verify::AccessReach& access : reach.accesses) {
    BufferReach& buffer = buffers[number[access.slot]];
    const uint64_t extent = launch.window->extent[number[access.slot]];
    const bool writes = !isa::IsLoad(program.code[access.pc].op);
    const std::optional<ElementRange> range = RangeOf(access, values);
    if (!range) {
      buffer.bounded = false;
      if (extent != 0) Add(buffer, access.pc, writes, 0, extent);
      continue;
    }
    buffer.moves |= access.moves;
    // What is beyond the array is no access of a lane that goes on: either the launch check proves
    // that there is none, or each index is compared with the length.
    const Wide low = std::max<Wide>(range->low, 0);
    const Wide high = std::min<Wide>(range->high, static_cast<Wide>(extent) - 1);
    if (low > high) continue;
    Add(buffer, access.pc, writes, static_cast<uint64_t>(low), static_cast<uint64_t>(high) + 1);
  }
  return buffers;
}

Status CheckUnits(const VerifiedProgram& verified, const Launch& launch) {
  const Window& window = *launch.window;
  const std::string name = "kernel '" + verified.program().name + "'";
  const auto unsupported = [&](const char* why) {
    return Error(ErrorCode::kUnsupported, name + " does not run in windows: " + why);
  };
  if (verified.uses_stream()) return unsupported("its launches leave state to each other");
  if (UpdatesFloatsInBuffers(verified.program())) {
    return unsupported("it adds floats atomically, which rounds by the order of the whole launch");
  }
  const hologram_launch_shape& shape = launch.shape;
  for (int d = 0; d < 3; ++d) {
    if (shape.grid[d] != 0 && shape.block[d] != 0) continue;
    return Error(ErrorCode::kInvalidArgument, "the launch of a window has no lanes");
  }
  if (!UnitsCover(window.unit, shape)) {
    return Error(ErrorCode::kInvalidArgument,
                 name + " has one row of lanes; its windows need a grid of one row");
  }
  const uint64_t units = UnitsOf(window.unit, shape);
  if (window.first <= window.last && window.last <= units) return Success{};
  constexpr const char* kUnits[] = {"lanes", "rows", "blocks"};
  return Error(ErrorCode::kInvalidArgument, "the window has " + std::string(kUnits[window.unit]) +
                                                " " + std::to_string(window.first) + " to " +
                                                std::to_string(window.last) + ", the launch has " +
                                                std::to_string(units));
}

Status CheckWindow(const VerifiedProgram& program, const verify::Reach& reach,
                   const Launch& launch) {
  HOLOGRAM_RETURN_IF_ERROR(CheckUnits(program, launch));
  WindowChecker checker(program, launch);
  HOLOGRAM_RETURN_IF_ERROR(checker.Arrays());
  return checker.Holds(ReachOf(program, reach, launch));
}

WindowLanes::WindowLanes(const hologram_launch_shape& shape, const Window& window)
    : shape_(shape),
      window_(window),
      unit_(window.first),
      together_(window.unit != HOLOGRAM_UNIT_ROW || (shape.block[1] == 1 && shape.block[2] == 1)) {}

std::optional<LaneSpan> WindowLanes::Next() {
  if (unit_ == window_.last) return std::nullopt;
  const uint64_t row = uint64_t{shape_.grid[0]} * shape_.block[0];
  const uint64_t block = uint64_t{shape_.block[0]} * shape_.block[1] * shape_.block[2];
  if (together_) {
    const uint64_t lanes = window_.unit == HOLOGRAM_UNIT_LANE  ? 1
                           : window_.unit == HOLOGRAM_UNIT_ROW ? row
                                                               : block;
    unit_ = window_.last;
    return LaneSpan{window_.first * lanes, window_.last * lanes};
  }
  const uint64_t height = uint64_t{shape_.grid[1]} * shape_.block[1];
  const uint64_t y = unit_ % height;
  const uint64_t z = unit_ / height;
  const uint64_t number =
      block_ + shape_.grid[0] * (y / shape_.block[1] + shape_.grid[1] * (z / shape_.block[2]));
  const uint64_t first =
      number * block +
      shape_.block[0] * (y % shape_.block[1] + shape_.block[1] * (z % shape_.block[2]));
  if (++block_ == shape_.grid[0]) {
    block_ = 0;
    ++unit_;
  }
  return LaneSpan{first, first + shape_.block[0]};
}

}  // namespace hologram::launch
