// Program -> bytes. Deterministic; docs/format.md describes every byte. Tested by tests/isa.
#include "base/bytes.h"
#include "isa/encoding.h"
#include "isa/program.h"

namespace hologram::isa {
namespace {

void WriteInstruction(ByteWriter& out, const Instruction& instruction) {
  out.U8(static_cast<uint8_t>(instruction.op));
  out.U8(static_cast<uint8_t>(instruction.type));
  out.U8(instruction.mod);
  out.U8(instruction.d);
  out.U8(instruction.a);
  out.U8(instruction.b);
  out.U8(instruction.c);
  out.U8(instruction.mode);
  out.U64(instruction.imm);
}

void WriteDebugLine(ByteWriter& out, const DebugLine& line) {
  out.U32(line.line);
  out.U32(line.column);
  out.SizedText(line.text);
  out.U32(static_cast<uint32_t>(line.variables.size()));
  for (const DebugVariable& variable : line.variables) {
    out.SizedText(variable.name);
    out.U8(variable.reg);
  }
}

}  // namespace

std::vector<uint8_t> EncodeCode(const Program& program) {
  ByteWriter out;
  out.U32(encoding::kCodeMagic);
  out.U16(encoding::kMajorVersion);
  out.U16(encoding::kMinorVersion);
  out.U32(static_cast<uint32_t>(program.parameters.size()));
  out.U32(static_cast<uint32_t>(program.shared.size()));
  out.U32(static_cast<uint32_t>(program.code.size()));
  out.U32(static_cast<uint32_t>(program.locals.size()));
  for (uint64_t word : encoding::FeaturesOf(program.code)) out.U64(word);
  for (const Parameter& parameter : program.parameters) {
    const bool argument = parameter.source == Source::kArgument;
    const bool extent = parameter.source == Source::kExtent;
    const uint8_t plain = parameter.is_buffer ? encoding::kBuffer : encoding::kScalar;
    out.U8(argument ? plain : extent ? encoding::kExtent : encoding::kStride);
    out.U8(static_cast<uint8_t>(parameter.type));
    const uint8_t direction =
        parameter.unique ? encoding::kUniqueIn : static_cast<uint8_t>(parameter.direction);
    out.U8(argument ? direction : parameter.dimension);
    out.U8(argument ? parameter.rank : parameter.array);
  }
  for (const SharedArray& array : program.shared) {
    out.U32(static_cast<uint32_t>(array.type));
    out.U32(array.count);
  }
  for (const LocalArray& array : program.locals) {
    out.U32(static_cast<uint32_t>(array.type));
    out.U32(array.count);
  }
  out.PadTo(encoding::kInstructionBytes);
  for (const Instruction& instruction : program.code) WriteInstruction(out, instruction);
  return std::move(out).Take();
}

std::vector<uint8_t> EncodeDebug(const Program& program) {
  ByteWriter out;
  out.U32(encoding::kDebugMagic);
  out.U16(encoding::kMajorVersion);
  out.U16(encoding::kMinorVersion);
  out.U32(encoding::DefaultBlockWord(program));
  out.SizedText(program.name);
  out.SizedText(program.source_file);
  out.U32(static_cast<uint32_t>(program.parameters.size()));
  for (const Parameter& parameter : program.parameters) out.SizedText(parameter.name);
  out.U32(static_cast<uint32_t>(program.shared.size()));
  for (const SharedArray& array : program.shared) out.SizedText(array.name);
  if (!program.locals.empty()) {
    out.U32(static_cast<uint32_t>(program.locals.size()));
    for (const LocalArray& array : program.locals) out.SizedText(array.name);
  }
  out.U32(static_cast<uint32_t>(program.debug.size()));
  for (const DebugLine& line : program.debug) WriteDebugLine(out, line);
  return std::move(out).Take();
}

}  // namespace hologram::isa
