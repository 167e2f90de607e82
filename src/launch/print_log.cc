#include "launch/print_log.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "base/quote.h"
#include "isa/value_format.h"

namespace hologram::launch {
namespace {

constexpr std::string_view kCut = "...\n";

// A text that a terminal takes as text, whatever the program gave.
std::string Escaped(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const size_t plain = std::min(text.find_first_of("\n\t"), text.size());
    shown += Escape(text.substr(0, plain), false);
    if (plain == text.size()) break;
    shown += text[plain];
    text.remove_prefix(plain + 1);
  }
  return shown;
}

}  // namespace

void PrintLog::Text(uint64_t lane, uint32_t pc, std::string_view text) {
  Add(lane, pc, text);
}

void PrintLog::Value(uint64_t lane, uint32_t pc, const isa::Instruction& print, uint64_t bits) {
  if (lane >= cut_ && !open_.contains(lane)) return;
  Add(lane, pc, isa::FormattedText(print.type, bits, isa::TextOf(print.imm)));
}

void PrintLog::Add(uint64_t lane, uint32_t pc, std::string_view text) {
  auto found = open_.find(lane);
  if (found == open_.end()) {
    if (lane >= cut_) return;
    if (open_.size() == 2 * limit_) KeepFirst();
    found = open_.emplace(lane, Open{{lane, pc, {}}}).first;
  }
  if (found->second.cut) return;
  std::string& all = found->second.record.text;
  all += text;
  if (all.size() <= kMaxPrintBytes) return;
  found->second.cut = true;
  size_t end = kMaxPrintBytes;  // not in the middle of a character
  while (end > 0 && (static_cast<uint8_t>(all[end]) & 0xc0) == 0x80) --end;
  all.resize(end);
  all += kCut;
}

void PrintLog::End(uint64_t lane, uint32_t pc) {
  const auto found = open_.find(lane);
  if (found == open_.end()) {
    if (lane >= cut_) return Drop(lane);
    closed_.push_back({lane, pc, {}});  // nothing was printed
  } else {
    found->second.record.pc = pc;
    closed_.push_back(std::move(found->second.record));
    open_.erase(found);
  }
  if (closed_.size() == 2 * limit_) KeepFirst();
}

void PrintLog::Drop(uint64_t lane) {
  ++dropped_;
  lowest_dropped_ = std::min(lowest_dropped_, lane);
}

void PrintLog::KeepFirst() {
  struct Place {
    uint64_t lane;
    bool open;
    size_t number;  // in closed_
  };
  std::vector<Place> places;
  for (size_t i = 0; i < closed_.size(); ++i) places.push_back({closed_[i].lane, false, i});
  for (const auto& [lane, open] : open_) places.push_back({lane, true, 0});
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tie(a.lane, a.open, a.number) < std::tie(b.lane, b.open, b.number);
  });
  if (places.size() < limit_) return;
  cut_ = std::min(cut_, places[limit_ - 1].lane);
  std::vector<PrintRecord> kept;
  for (size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    if (place.open && i >= limit_) {
      open_.erase(place.lane);  // its end, if it comes, counts it
    } else if (!place.open && i < limit_) {
      kept.push_back(std::move(closed_[place.number]));
    } else if (!place.open) {
      Drop(place.lane);
    }
  }
  closed_ = std::move(kept);
}

PrintLog::Printed PrintLog::Take(uint64_t last_lane) {
  KeepFirst();
  for (auto& [lane, open] : open_) closed_.push_back(std::move(open.record));
  open_.clear();
  // Records of one lane keep their order.
  std::multimap<uint64_t, PrintRecord> by_lane;
  for (PrintRecord& record : closed_) by_lane.emplace(record.lane, std::move(record));
  closed_.clear();
  for (auto& [lane, record] : by_lane) closed_.push_back(std::move(record));
  const auto end = std::find_if(closed_.begin(), closed_.end(),
                                [&](const PrintRecord& record) { return record.lane > last_lane; });
  Printed printed;
  printed.records.assign(std::make_move_iterator(closed_.begin()), std::make_move_iterator(end));
  for (PrintRecord& record : printed.records) record.text = Escaped(record.text);
  printed.complete = dropped_ == 0 || lowest_dropped_ > last_lane;
  if (last_lane == UINT64_MAX) printed.dropped = dropped_;
  *this = PrintLog(limit_);
  return printed;
}

}  // namespace hologram::launch
