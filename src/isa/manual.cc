#include "isa/manual.h"

#include <algorithm>
#include <vector>

#include "base/quote.h"
#include "isa/atlas.h"
#include "isa/instruction.h"
#include "isa/program.h"

namespace hologram::isa {
namespace {

constexpr std::string_view kIntroduction =
    R"(# The instruction set

Generated from `src/isa/instructions.def`; do not edit. The text form is what `hologram asm` reads and `hologram disasm`
prints, the bytes are in `format.md`.

A lane has 256 registers `r0`..`r255` of 64 bits and 16 predicates `p0`..`p15`. Types are static: the verifier knows the
type of every register at every instruction. Parameter k arrives in register 1 + k, a buffer as its slot handle (u64).
`r252`..`r255` hold lane.x, block.x, block_dim.x (u32) and the linear id (u64) and are never written.

- `T` is the type suffix, `S` the source type. `rd`, `ra`, `rb`, `rc` name the field of the instruction word that holds
  the register number.
- `[ra + rb*size + n]` is element `rb` of the buffer whose handle is in `ra`; `size` is the size of `T`, and `n` a
  displacement in bytes. `[sa + rb*size]` is element `rb` of shared array number `a`, `[la + rb*size]` of local array
  `a`, which each lane has for itself. Both are zero at first. The index may have any integer type. The address is
  computed exactly and never wraps: outside the buffer the lane faults.
- `ldg` and `stg` also take `[phi(class, page, byte)]`, numbers, and `[boundary + rb]`, a byte offset (u64) as
  `bound.map` gives it: the memory of the 96 classes, 48 pages of 256 bytes each, that all launches of a stream share.
  An access must stay inside one class, else the lane faults.
- Floats are IEEE-754, rounded to nearest even, without flush to zero; a computed NaN is the canonical quiet NaN.
  Integers wrap.
- A branch to the end of the program is an exit.
- `blk.red`: the lane with linear number i in its block is slot i mod 16 of row i div 16. First neighbouring rows are
  combined, slot by slot, as (r0 op r1) op (r2 op r3) and so on over 64 rows, then slot s with s + 8, then 4, 2, 1. A
  lane that is not there counts as -0.0 in a sum of floats, as NaN in their minimum and maximum, else as the value that
  changes nothing. The result is the same in all lanes.
- `blk.scan`: x[i] is what the lane with linear number i in its block has, with the same values for lanes that are not
  there. For s = 1, 2, 4, ..., 512 in turn, all x[i] with i >= s become x[i - s] op x[i], from the values before that
  step; lane i gets x[i]. What a lane gets does not depend on later lanes.
- Both have forms for **warps**, with a `w` before the operation: `blk.scan.wadd` goes in the steps 1, 2, 4, 8 and 16,
  where i mod 32 >= s, so that each 32 lanes are scanned by themselves; `blk.red.wadd` gives each lane x[i] of the last
  of its 32, which may be a lane that is not there.
- `atg.cas`, `ats.cas` compare bits; `rmod` is the register whose number is in the `mod` field.
- **Sums of a launch.** An `atgf.add` whose old value nobody reads, at an index that is the same for all lanes, which a
  lane runs at most once, in a program that does nothing else to that buffer, happens once for the launch: each 1,024
  lanes that follow each other in linear id are summed by the tree of `blk.red`, where a lane that does not come there
  counts as -0.0, and n such sums pairwise, the first part being as many as the largest power of two below n, and so on
  in both parts. When all lanes are done, that is added to the element, if any lane came there; several of them in the
  order of their instructions. So the result has the same bits always.
- **Updates in the order of lanes.** All other `atgf` and `atsf` whose old value nobody reads happen lane after lane:
  between two barriers those of the lane with the lower linear id before those of a higher one, and those of one lane in
  the order of its steps. The blocks of a launch come one after the other. A buffer that such an instruction updates is
  accessed by no other kind of instruction, a shared array by none between the same two barriers. So the result has the
  same bits always.
- `atgf` and `atsf` whose old value is read, and `cas`, act one lane after the other, in no order that is promised, and
  count as races.
- **Unique buffers.** A buffer of integers with direction `in` may be declared `unique`. A launch in which two
  elements of its memory are equal is refused, with an error that names both, before any lane runs; so lanes that
  access elements named by different elements of it do not meet. A launch on parts of arrays (a window) is refused.
- **Classes.** The label of a class is 48 e1 + 24 e2 + 12 e3 + 6 e6 + 3 e7 + t with bits e and t = 0, 1, 2. The mirror
  flips e7; neighbours flip e1, e2, e3 or e6, or differ by one in t.
- **Stream.** An executor has one: a phase (0 to 767), the resonance R of 96 exact fractions of 64-bit numbers, and the
  class memory. A lane sees the phase and R as they were when the launch started, with what it did itself. When the
  launch has succeeded, the phase advances as that of lane 0 did, and R gets what all lanes added; if a sum does not
  fit, the launch fails and neither changes.
- **Pools** belong to one lane and end with it. Handles count from 1 in each lane and are not used again; pool 0 is the
  class memory, and 2^64 - 96 + c the memory of class c alone.
)"
    R"(- **Printing.** What a lane gives to `print` and `print.text` up to a `print.end`, or up to its end, is one record, of
  which a launch keeps the first 1,024 bytes; in place of the rest there are three dots and a line feed. Integers are
  decimal numbers, floats the shortest decimal number that is read back as the same bits: `1.0`, `0.1`, `1e+16`, `inf`,
  `nan`. A format of at most 8 bytes in `imm` writes the number as Python's `format` does, an f32 as the f64 with its
  value. After the launch, also after one that faulted, the records are given out in the order of linear lanes and in
  each lane of its steps: the first 10,000, and how many there were beyond; after a fault none of the lanes behind the
  one that faulted. So what is printed does not depend on the engine. Control characters other than tab and line feed,
  and bytes that are no UTF-8, are given out as `\xNN`.

)";

std::string_view KindName(OperandKind kind) {
  switch (kind) {
    case OperandKind::kDst:
      return "dst";
    case OperandKind::kSrc:
      return "src";
    case OperandKind::kSrcFrom:
      return "src_from";
    case OperandKind::kShift:
      return "shift";
    case OperandKind::kPredDst:
      return "predicate_dst";
    case OperandKind::kPredSrc:
      return "predicate_src";
    case OperandKind::kOptPred:
      return "optional_predicate";
    case OperandKind::kGlobalAddress:
      return "global_address";
    case OperandKind::kSharedAddress:
      return "shared_address";
    case OperandKind::kRun:
      return "run";
    case OperandKind::kCount:
      return "count";
    case OperandKind::kCounter:
      return "counter";
    case OperandKind::kLocalAddress:
      return "local_address";
    case OperandKind::kImmediate:
      return "immediate";
    case OperandKind::kTarget:
      return "target";
    case OperandKind::kCondition:
      return "condition";
    case OperandKind::kSreg:
      return "special_register";
    case OperandKind::kAtomicOp:
      return "atomic_op";
    case OperandKind::kAccuracy:
      return "accuracy";
    case OperandKind::kBarrierId:
      return "barrier";
    case OperandKind::kScope:
      return "scope";
    case OperandKind::kBlockOp:
      return "block_op";
    case OperandKind::kByte:
      return "byte";
    case OperandKind::kWord:
      return "word";
    case OperandKind::kDelta:
      return "delta";
    case OperandKind::kNeighbour:
      return "neighbour";
    case OperandKind::kText:
      return "text";
    case OperandKind::kFormat:
      return "format";
  }
  return "";
}

std::string_view FieldName(Field field) {
  constexpr std::string_view kNames[] = {"", "d", "a", "b", "c", "mod"};
  return kNames[static_cast<uint8_t>(field)];
}

// An operand as the form of an instruction shows it; empty for the parts of the mnemonic.
std::string OperandForm(const Operand& operand) {
  const std::string field(FieldName(operand.field));
  switch (operand.kind) {
    case OperandKind::kDst:
    case OperandKind::kSrc:
    case OperandKind::kSrcFrom:
    case OperandKind::kShift:
    case OperandKind::kRun:
    case OperandKind::kCounter:
    case OperandKind::kByte:
    case OperandKind::kWord:
      return "r" + field;
    case OperandKind::kPredDst:
    case OperandKind::kPredSrc:
      return "p" + field;
    case OperandKind::kGlobalAddress:
      return "[ra + rb*size + n]";
    case OperandKind::kSharedAddress:
      return "[sa + rb*size]";
    case OperandKind::kLocalAddress:
      return "[la + rb*size]";
    case OperandKind::kCount:
      return "count";
    case OperandKind::kDelta:
      return "delta";
    case OperandKind::kNeighbour:
      return "index";
    case OperandKind::kText:
      return "\"text\"";
    case OperandKind::kFormat:
      return "\"format\"";
    case OperandKind::kImmediate:
      return "value";
    case OperandKind::kTarget:
      return "@label";
    case OperandKind::kSreg:
      return "special";
    case OperandKind::kBarrierId:
      return "number";
    case OperandKind::kOptPred:
    case OperandKind::kCondition:
    case OperandKind::kAtomicOp:
    case OperandKind::kAccuracy:
    case OperandKind::kScope:
    case OperandKind::kBlockOp:
      break;
  }
  return "";
}

std::string Form(const OpcodeInfo& info) {
  std::string mnemonic(info.mnemonic);
  std::string after;
  std::string operands;
  for (const Operand& operand : info.operands) {
    if (operand.kind == OperandKind::kCondition) mnemonic += "COND";
    if (operand.kind == OperandKind::kAtomicOp) mnemonic += ".OP";
    if (operand.kind == OperandKind::kBlockOp) mnemonic += ".OP";
    if (operand.kind == OperandKind::kScope) mnemonic += ".SCOPE";
    if (operand.kind == OperandKind::kAccuracy) mnemonic += "[.fast]";
    if (operand.kind == OperandKind::kSrcFrom) after += ".S";
    if (operand.kind == OperandKind::kOptPred)
      after += "[.p" + std::string(FieldName(operand.field)) + "]";
    const std::string form = OperandForm(operand);
    if (operand.kind == OperandKind::kFormat) {
      operands += "[, " + form + "]";
    } else if (!form.empty()) {
      operands += (operands.empty() ? " " : ", ") + form;
    }
  }
  if (info.types != TypeSet::kNone) mnemonic += ".T";
  return mnemonic + after + operands;
}

std::vector<std::string> TypeNames(TypeSet set) {
  std::vector<std::string> names;
  for (int i = 0; i < kNumTypes; ++i) {
    const auto type = static_cast<Type>(i);
    if (Contains(set, type)) names.emplace_back(NameOf(type));
  }
  return names;
}

std::string TypeText(TypeSet set) {
  if (set == TypeSet::kNone) return "";
  if (set == TypeSet::kAll) return "all";
  std::string text;
  for (const std::string& name : TypeNames(set)) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string NumberedBlockForms() {
  std::string text;
  for (int i = 0; i < kNumBlockForms; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(i) + " `" + std::string(NameOfBlockForm(i)) + "`";
  }
  return text;
}

template <class Enum>
std::string Numbered(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(i) + " `" + std::string(NameOf(static_cast<Enum>(i))) + "`";
  }
  return text;
}

// A vertical bar would end the cell of a table.
std::string Cell(std::string_view text) {
  std::string cell;
  for (char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

std::string JsonOperand(const Operand& operand) {
  std::string json = "{\"kind\":" + JsonString(KindName(operand.kind));
  if (operand.field != Field::kNone) json += ",\"field\":" + JsonString(FieldName(operand.field));
  return json + "}";
}

std::string JsonInstruction(const OpcodeInfo& info) {
  std::string json = "{\"opcode\":" + std::to_string(static_cast<int>(info.op));
  json += ",\"mnemonic\":" + JsonString(info.mnemonic) + ",\"name\":" + JsonString(info.name) +
          ",\"form\":" + JsonString(Form(info));
  json += ",\"types\":[";
  std::string_view separator;
  for (const std::string& name : TypeNames(info.types)) {
    json.append(separator).append(JsonString(name));
    separator = ",";
  }
  json += "],\"operands\":[";
  separator = "";
  for (const Operand& operand : info.operands) {
    json.append(separator).append(JsonOperand(operand));
    separator = ",";
  }
  return json + "],\"summary\":" + JsonString(info.summary) + "}";
}

// Text as lines of a page; those after the first belong to the same item of a list, if it is one.
std::string Folded(const std::string& text) {
  constexpr size_t kWidth = 120;
  const std::string indent = text.starts_with("- ") ? "  " : "";
  std::string lines;
  size_t begin = 0;
  while (true) {
    const size_t room = kWidth - (begin == 0 ? 0 : indent.size());
    if (begin != 0) lines += indent;
    const size_t cut = text.rfind(' ', begin + room);
    if (text.size() - begin <= room || cut == std::string::npos || cut <= begin) {
      return lines + text.substr(begin) + "\n";
    }
    lines += text.substr(begin, cut - begin) + "\n";
    begin = cut + 1;
  }
}

}  // namespace

std::string IsaMarkdown() {
  std::string text(kIntroduction);
  text += "| opcode | form | types T | meaning |\n|---|---|---|---|\n";
  for (const OpcodeInfo& info : AllOpcodes()) {
    text += "| " + std::to_string(static_cast<int>(info.op)) + " | `" + Cell(Form(info)) + "` | " +
            TypeText(info.types) + " | " + Cell(info.summary) + " |\n";
  }
  text += "\nNumbers of the values in the `mod` field:\n\n";
  text += Folded("- conditions: " + Numbered<Condition>(kNumConditions));
  text += Folded("- atomic operations (floats: `add`, `min`, `max`, `exchange`): " +
                 Numbered<AtomicOp>(kNumAtomicOps));
  text += Folded(
      "- operations of `blk.red` and `blk.scan`, of a block and of its warps (floats: the first "
      "four "
      "of each): " +
      NumberedBlockForms());
  text += Folded("- scopes: " + Numbered<Scope>(kNumScopes));
  text += Folded("- special registers (u32, `linear` u64): " + Numbered<Sreg>(kNumSregs));
  text += Folded("- types, as the source of `cvt` and `bitcast` and in the `type` field: " +
                 Numbered<Type>(kNumTypes));
  text +=
      Folded("- accuracy: 0 precise, 1 `fast`; barriers: 0 to " + std::to_string(kNumBarriers - 1) +
             "; branches and traps: 1 if the predicate counts");
  text += "\n" +
          Folded("Limits: " + std::to_string(kMaxInstructions) + " instructions, " +
                 std::to_string(kMaxParameters) + " parameters, " +
                 std::to_string(kMaxSharedArrays) + " shared arrays of together " +
                 std::to_string(kMaxSharedBytes) + " bytes, " + std::to_string(kMaxLocalArrays) +
                 " local arrays of together " + std::to_string(kMaxLocalBytes) + " bytes a lane, " +
                 std::to_string(kMaxCallDepth) + " nested calls, " + std::to_string(kMaxPools) +
                 " pools of together " + std::to_string(kMaxPoolBytes) + " bytes a lane, " +
                 std::to_string(kMaxLanesPerBlock) + " lanes per block.");
  return text;
}

std::string IsaJson() {
  std::string json = "{\"instructions\":[\n";
  std::string_view separator;
  for (const OpcodeInfo& info : AllOpcodes()) {
    json.append(separator).append(JsonInstruction(info));
    separator = ",\n";
  }
  return json + "\n]}\n";
}

}  // namespace hologram::isa
