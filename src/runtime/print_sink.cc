#include "runtime/print_sink.h"

#include <algorithm>
#include <cstdio>
#include <mutex>

namespace hologram::runtime {
namespace {

// "3", or "3,1,0" where the launch has other dimensions.
std::string PositionText(const std::array<uint32_t, 3>& at, bool flat) {
  if (flat) return std::to_string(at[0]);
  return std::to_string(at[0]) + "," + std::to_string(at[1]) + "," + std::to_string(at[2]);
}

void SetPosition(const hologram_launch_shape& shape, Printed& printed) {
  printed.is_flat = shape.grid[1] * shape.grid[2] * shape.block[1] * shape.block[2] == 1;
  launch::LanePlace(shape, printed.lane, printed.block, printed.lane_in_block);
}

std::string NoteText(uint64_t dropped) {
  const std::string more = dropped == 0 ? "more" : std::to_string(dropped) + " more";
  return "... and " + more + "; of what a launch prints, the first " +
         std::to_string(launch::kMaxPrints) + " are shown\n";
}

void ToStandardError(const Printed& printed) {
  const std::string line = LineOf(printed);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

std::string LineOf(const Printed& printed) {
  std::string line = printed.where.file.empty()
                         ? "hologram: " + printed.kernel + ": "
                         : printed.where.file + ":" + std::to_string(printed.where.line) + ": ";
  if (!printed.is_note) {
    line += "[block " + PositionText(printed.block, printed.is_flat) + " lane " +
            PositionText(printed.lane_in_block, printed.is_flat) + "] ";
  }
  line += printed.text;
  if (!line.ends_with('\n')) line += '\n';
  return line;
}

void PrintSink::Set(Function function) {
  const std::lock_guard lock(mutex_);
  const ForkGate section;
  function_.swap(function);
}

void PrintSink::GiveOut(const isa::Program& program, const hologram_launch_shape& shape,
                        launch::PrintLog& log, uint64_t last_lane) {
  launch::PrintLog::Printed all = log.Take(last_lane);
  const std::lock_guard lock(mutex_);
  const auto give = [&](const Printed& printed) {
    function_ ? function_(printed) : ToStandardError(printed);
  };
  for (launch::PrintRecord& record : all.records) {
    Printed printed;
    printed.kernel = program.name;
    printed.where = program.LocationOf(record.pc);
    printed.lane = record.lane;
    SetPosition(shape, printed);
    printed.text = std::move(record.text);
    give(printed);
  }
  if (all.complete) return;
  Printed note;
  note.kernel = program.name;
  note.is_note = true;
  note.text = NoteText(all.dropped);
  give(note);
}

}  // namespace hologram::runtime
