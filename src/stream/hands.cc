// What each hand does with a window: reading, computing, writing.
#include <algorithm>
#include <cstring>
#include <string>

#include "stream/runner.h"

namespace hologram::stream {
namespace {

// Adds the time of a scope to a counter of seconds, which one thread writes.
class Timed {
 public:
  explicit Timed(std::atomic<double>& seconds) : seconds_(seconds) {}
  ~Timed() { seconds_.store(seconds_.load(std::memory_order_relaxed) + Since(start_)); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  std::atomic<double>& seconds_;
  const Clock::time_point start_ = Clock::now();
};

}  // namespace

// ---- Reading

Status Runner::Read(Line& line, uint64_t k) {
  const Timed timed(counters_.reading);
  return pointwise_ ? ReadPointwise(line, k) : ReadWindow(line, k);
}

Status Runner::ReadWindow(Line& line, uint64_t k) {
  HOLOGRAM_ASSIGN_OR_RETURN(const WindowReach reach, planner_->Reach(plan_, k));
  Slot& slot = SlotOf(k);
  slot.first = reach.first;
  slot.last = reach.last;
  for (size_t b = 0; b < arrays_.size(); ++b) {
    const Array& array = arrays_[b];
    if (!array.moves) continue;
    const launch::BufferReach& touched = reach.of_arrays[b];
    if (touched.high - touched.low > array.capacity) {
      return Error(ErrorCode::kResourceLimit, "window " + std::to_string(k) + " needs " +
                                                  std::to_string(touched.high - touched.low) +
                                                  " elements of '" + array.name + "', others " +
                                                  std::to_string(array.capacity));
    }
    Part& part = slot.parts[b];
    part.written_low = touched.written_low;
    part.written_high = touched.written_high;
    if (array.reads) {
      HOLOGRAM_RETURN_IF_ERROR(Fill(line, k, b, touched.low, touched.high));
    } else {
      part.low = touched.low;
      part.high = touched.high;
    }
  }
  return Success{};
}

// Elements [low, high) of an array, of which the window before may have the first ones.
Status Runner::Fill(Line& line, uint64_t k, size_t b, uint64_t low, uint64_t high) {
  const Array& array = arrays_[b];
  const std::atomic<bool>& stop = line.stop(Hand::kReads);
  Part& part = SlotOf(k).parts[b];
  if (low == high) {
    part.low = part.high = positions_[b];
    return Success{};
  }
  uint64_t have = low;  // up to here
  if (low < positions_[b]) {
    const Part before = slots_[(k + depth_ - 1) % depth_].parts[b];
    if (k == 0 || low < before.low || array.writes) return Backwards(array, low, before);
    have = std::min(high, before.high);
    // With one slot they are in it, farther up.
    std::memmove(part.data, before.data + (low - before.low) * array.size,
                 (have - low) * array.size);
  }
  part.low = low;
  part.high = high;
  std::byte* const to = part.data + (have - low) * array.size;
  while (positions_[b] < have) {  // what no lane reads is passed over
    const uint64_t count = std::min(have - positions_[b], array.capacity);
    HOLOGRAM_RETURN_IF_ERROR(ReadWhole(b, to, count, stop));
  }
  return ReadWhole(b, to, high - have, stop);
}

Diagnostic Runner::Backwards(const Array& array, uint64_t low, const Part& before) const {
  return Error(ErrorCode::kUnsupported,
               "kernel '" + kernel_->name() + "' goes back to element " + std::to_string(low) +
                   " of '" + array.name + "', which " +
                   (array.writes ? "the window before has written"
                                 : "is before element " + std::to_string(before.low) +
                                       ", where the window before begins"));
}

Status Runner::ReadWhole(size_t b, void* to, uint64_t count, const std::atomic<bool>& stop) {
  if (count == 0) return Success{};
  const Array& array = arrays_[b];
  HOLOGRAM_ASSIGN_OR_RETURN(const uint64_t got,
                            request_.flows[b].source->Read(to, count * array.size, stop));
  counters_.bytes_read += got;
  if (got != count * array.size) return Short(array, positions_[b] * array.size + got);
  positions_[b] += count;
  return Success{};
}

Diagnostic Runner::Short(const Array& array, uint64_t bytes) const {
  const bool part = bytes % array.size != 0;
  return Error(ErrorCode::kInvalidArgument,
               "'" + array.name + "' ends after " + std::to_string(bytes) + " bytes" +
                   (part ? ", in the middle of an element of " + std::to_string(array.size) : "") +
                   (array.extent == kUnknown
                        ? ""
                        : "; it was to have " + std::to_string(array.extent * array.size)));
}

Status Runner::ReadPointwise(Line& line, uint64_t k) {
  Slot& slot = SlotOf(k);
  const uint64_t begin = k * plan_.step;
  uint64_t count = length_ == kUnknown ? plan_.step : std::min(plan_.step, length_ - begin);
  const Array* first = nullptr;
  for (size_t b = 0; b < arrays_.size(); ++b) {
    const Array& array = arrays_[b];
    if (!array.reads) continue;
    HOLOGRAM_ASSIGN_OR_RETURN(const uint64_t got,
                              request_.flows[b].source->Read(slot.parts[b].data, count * array.size,
                                                             line.stop(Hand::kReads)));
    counters_.bytes_read += got;
    if (got % array.size != 0 || (got != count * array.size && length_ != kUnknown)) {
      return Short(array, begin * array.size + got);
    }
    const uint64_t elements = got / array.size;
    if (first != nullptr && elements != count) {
      return Error(ErrorCode::kInvalidArgument, "'" + array.name + "' has " +
                                                    std::to_string(begin + elements) +
                                                    " elements, '" + first->name + "' has more");
    }
    count = elements;
    first = &array;
  }
  if (count < plan_.step && length_ == kUnknown) {
    HOLOGRAM_RETURN_IF_ERROR(CheckEnds(line, begin + count));
    line.Truncate(count == 0 ? k : k + 1);
  }
  slot.first = begin;
  slot.last = begin + count;
  for (size_t b = 0; b < arrays_.size(); ++b) {
    Part& part = slot.parts[b];
    part.low = part.written_low = begin;
    part.high = part.written_high = begin + count;
    positions_[b] = begin + count;
  }
  return Success{};
}

// The first input has ended; so have all others.
Status Runner::CheckEnds(Line& line, uint64_t length) {
  for (size_t b = 0; b < arrays_.size(); ++b) {
    if (!arrays_[b].reads) continue;
    std::byte more{};
    HOLOGRAM_ASSIGN_OR_RETURN(const uint64_t got,
                              request_.flows[b].source->Read(&more, 1, line.stop(Hand::kReads)));
    if (got == 0) continue;
    return Error(ErrorCode::kInvalidArgument, "'" + arrays_[b].name + "' has more than " +
                                                  std::to_string(length) +
                                                  " elements, where another input ends");
  }
  return Success{};
}

// ---- Computing

Status Runner::Compute(uint64_t k) {
  HOLOGRAM_RETURN_IF_ERROR(ReportNowAndThen());
  const Timed timed(counters_.computing);
  const Slot& slot = SlotOf(k);
  std::vector<hologram_buffer_ref> buffers;
  std::vector<uint64_t> base;
  std::vector<uint64_t> extent;
  uint64_t seen = 0;
  for (size_t b = 0; b < arrays_.size(); ++b) {
    const Array& array = arrays_[b];
    const Part& part = slot.parts[b];
    const uint64_t bytes = (part.high - part.low) * array.size;
    // Elements that no lane writes are zeros, as in a new array.
    if (array.moves && !array.reads && !fills_) std::memset(part.data, 0, bytes);
    buffers.push_back(array.moves ? hologram_buffer_ref{bytes == 0 ? nullptr : part.data, bytes}
                                  : request_.flows[b].memory);
    base.push_back(array.moves ? part.low : 0);
    extent.push_back(array.extent);
    if (array.moves) seen = std::max(seen, part.high);
  }
  if (slot.first == slot.last) return Success{};
  launch::Way way;
  ++counters_.windows;
  counters_.elements = std::max<uint64_t>(counters_.elements, seen);
  if (kernel_ == nullptr) {
    std::vector<std::byte*> memory;
    for (const Part& part : slot.parts) memory.push_back(part.data);
    return request_.step(memory, slot.last - slot.first);
  }
  if (pointwise_) {
    std::vector<uint64_t> scalars = request_.scalars;
    scalars[length_scalar_] = slot.last - slot.first;
    return kernel_->Launch(buffers, scalars, request_.config, way);
  }
  launch::Window window;
  window.first = slot.first;
  window.last = slot.last;
  window.base = base;
  window.extent = extent;
  return kernel_->LaunchWindow(buffers, request_.scalars, request_.config, window, way);
}

// ---- Writing

Status Runner::Write(Line& line, uint64_t k) {
  const Timed timed(counters_.writing);
  const Slot& slot = SlotOf(k);
  for (size_t b = 0; b < arrays_.size(); ++b) {
    const Array& array = arrays_[b];
    const Part& part = slot.parts[b];
    // Of an array that is read as well, what the kernel leaves alone keeps its elements.
    const uint64_t low = array.reads ? part.low : part.written_low;
    const uint64_t high = array.reads ? part.high : part.written_high;
    if (!array.writes || low == high) continue;
    if (low < written_[b]) {
      return Error(ErrorCode::kUnsupported, "kernel '" + kernel_->name() + "' writes element " +
                                                std::to_string(low) + " of '" + array.name +
                                                "' in two windows");
    }
    const std::atomic<bool>& stop = line.stop(Hand::kWrites);
    HOLOGRAM_RETURN_IF_ERROR(WriteZeros(b, low, stop));
    HOLOGRAM_RETURN_IF_ERROR(request_.flows[b].sink->Write(
        part.data + (low - part.low) * array.size, (high - low) * array.size, stop));
    written_[b] = high;
    counters_.bytes_written += (high - low) * array.size;
  }
  return Success{};
}

// Up to element `end`.
Status Runner::WriteZeros(size_t b, uint64_t end, const std::atomic<bool>& stop) {
  static constexpr std::byte kZeros[4096]{};
  uint64_t bytes = (end - written_[b]) * arrays_[b].size;
  while (bytes != 0) {
    const uint64_t size = std::min<uint64_t>(bytes, sizeof kZeros);
    HOLOGRAM_RETURN_IF_ERROR(request_.flows[b].sink->Write(kZeros, size, stop));
    bytes -= size;
    counters_.bytes_written += size;
  }
  written_[b] = end;
  return Success{};
}

}  // namespace hologram::stream
