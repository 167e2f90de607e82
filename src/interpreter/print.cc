// PRINT PRINT.TEXT PRINT.END: each running lane adds to the log of the launch.
#include "interpreter/columns.h"
#include "interpreter/instructions.h"
#include "launch/print_log.h"

namespace hologram::interpreter {
namespace {

using isa::Instruction;

// Calls function(log, linear lane, lane of the chunk) for every running lane, if there is a log.
template <class Function>
void ForEachPrinting(Chunk& chunk, Function function) {
  launch::PrintLog* const log = chunk.launch().prints;
  if (log == nullptr) return;
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      function(*log, chunk.first_lane() + i, i);
    }
  }
}

}  // namespace

void Print(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    const T* const values = chunk.Column<T>(in.a);
    ForEachPrinting(chunk, [&](launch::PrintLog& log, uint64_t lane, uint32_t i) {
      log.Value(lane, chunk.pc(), in, values[i]);
    });
  });
}

void PrintText(Chunk& chunk, const Instruction& in) {
  const std::string text = isa::TextOf(in.imm);
  ForEachPrinting(chunk, [&](launch::PrintLog& log, uint64_t lane, uint32_t) {
    log.Text(lane, chunk.pc(), text);
  });
}

void PrintEnd(Chunk& chunk, const Instruction&) {
  ForEachPrinting(
      chunk, [&](launch::PrintLog& log, uint64_t lane, uint32_t) { log.End(lane, chunk.pc()); });
}

}  // namespace hologram::interpreter
