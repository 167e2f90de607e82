#include "dump.h"

#include "base/bytes.h"

namespace hologram::tests {
namespace {

void WriteCountedJumps(ByteWriter& out, const verify::VerifiedProgram& program, bool guarded) {
  std::vector<std::pair<uint32_t, uint32_t>> jumps;
  for (const verify::LoopFact& loop : program.loops()) {
    if (guarded ? loop.ends : loop.ends_if_proved) continue;
    for (const uint32_t source : loop.back_edges) {
      const uint32_t last = program.blocks()[source].end - 1;
      jumps.emplace_back(last, program.blocks()[loop.header].begin);
    }
  }
  out.U32(static_cast<uint32_t>(jumps.size()));
  for (const auto& [from, to] : jumps) {
    out.U32(program.SourcePc(from));
    out.U32(program.SourcePc(to));
  }
}

}  // namespace

std::vector<uint8_t> DumpCase(uint64_t number, const verify::VerifiedProgram& program,
                              const TestLaunch& launch, bool guarded,
                              const std::optional<launch::Fault>& fault,
                              const std::vector<std::vector<uint8_t>>& after) {
  ByteWriter out;
  out.U64(number);
  const std::vector<uint8_t> code = isa::EncodeCode(program.source());
  out.U32(static_cast<uint32_t>(code.size()));
  out.Bytes(code);
  for (const uint32_t size : launch.shape.grid) out.U32(size);
  for (const uint32_t size : launch.shape.block) out.U32(size);
  out.U64(launch.budget);
  WriteCountedJumps(out, program, guarded);
  out.U32(static_cast<uint32_t>(launch.scalars.size()));
  for (const uint64_t scalar : launch.scalars) out.U64(scalar);
  out.U32(static_cast<uint32_t>(launch.buffers.size()));
  for (const std::vector<uint8_t>& buffer : launch.buffers) {
    out.U64(buffer.size());
    out.Bytes(buffer);
  }
  const launch::Fault none;
  const launch::Fault& found = fault ? *fault : none;
  out.U32(found.code);
  out.U32(found.pc);
  out.U64(found.lane);
  out.U64(static_cast<uint64_t>(found.index));
  for (const std::vector<uint8_t>& buffer : after) out.Bytes(buffer);
  return std::move(out).Take();
}

}  // namespace hologram::tests
