// Program: a kernel in the instruction set, relocatable. No buffer, size or datum of a launch is in
// it: parameter k arrives in register R(1+k), a buffer as its slot handle (U64, value k), a scalar
// as its value. Decoded or assembled programs are untrusted until verify::Verify has seen them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "isa/instruction.h"

namespace hologram::isa {

inline constexpr uint32_t kMaxInstructions = 65536;
inline constexpr uint32_t kMaxParameters = 64;
inline constexpr uint32_t kMaxSharedBytes = 48 * 1024;
inline constexpr uint32_t kMaxSharedArrays = 16;
inline constexpr uint32_t kMaxLocalBytes = 16 * 1024;
inline constexpr uint32_t kMaxLocalArrays = 16;
inline constexpr uint32_t kMaxLanesPerBlock = 1024;
inline constexpr uint32_t kDefaultBlock = 256;  // lanes, where a launch does not say how many
inline constexpr uint32_t kMaxRank = 4;
// Of one instruction: variables that a message names, values in its own text, and both.
inline constexpr uint32_t kMaxNamedVariables = 8;
inline constexpr uint32_t kMaxShownValues = 16;
inline constexpr uint32_t kMaxDebugVariables = kMaxNamedVariables + kMaxShownValues;

// Direction of a buffer; kIn for scalars.
enum class Direction : uint8_t { kIn, kOut, kInOut };

// Where a launch takes a parameter from: its caller, or the shape of one of the arrays.
enum class Source : uint8_t {
  kArgument,
  kExtent,  // elements in a dimension of an array
  kStride,  // elements from one index of a dimension to the next
};

struct Parameter {
  std::string name;  // for messages and by-name binding; not part of the program's identity
  bool is_buffer = false;
  Type type = Type::kI8;
  Direction direction = Direction::kIn;
  uint8_t rank = 0;  // of a buffer with shape: 2 to kMaxRank; 0: one dimension, as long as it is
  // Shape parameters (u32) follow the arguments and name the array they describe. The
  // last dimension has stride 1, so no parameter for it.
  Source source = Source::kArgument;
  uint8_t array = 0;  // a parameter
  uint8_t dimension = 0;
  // Of an integer buffer that is only read: no two elements of its memory are equal. A launch is
  // refused where they are (launch/unique.h); the proofs that lanes do not meet rest on it.
  bool unique = false;
  bool operator==(const Parameter&) const = default;
};

// How the names of shared arrays begin that functions written in the language bring along: no
// source names them. It is for messages.
inline constexpr std::string_view kLibraryArray = "__shuffled_";

// Per-block memory, zero when a block starts. Offsets are assigned in declaration order, each array
// aligned to 64 bytes.
struct SharedArray {
  std::string name;
  Type type = Type::kI8;
  uint32_t count = 0;
  bool operator==(const SharedArray&) const = default;
};

// Memory of one lane, zero when the lane starts.
using LocalArray = SharedArray;

// A source variable that lives in a register at some instruction; used in counterexamples. A name
// in braces, `{x[i]:.3f}`, is a place in DebugLine::text that shows the value of the register
// there.
struct DebugVariable {
  std::string name;
  uint8_t reg = 0;
  bool operator==(const DebugVariable&) const = default;
};

// Where an instruction came from. `text` is the source of the access or expression ("src[i + 2]").
struct DebugLine {
  uint32_t line = 0;  // 1-based; 0: unknown
  uint32_t column = 0;
  std::string text;
  std::vector<DebugVariable> variables;  // those that the index expression names
  bool operator==(const DebugLine&) const = default;
};

struct Program {
  std::string name;
  std::string source_file;
  std::vector<Parameter> parameters;
  std::vector<SharedArray> shared;
  std::vector<LocalArray> locals;
  std::vector<Instruction> code;
  std::vector<DebugLine> debug;            // empty, or one per instruction
  uint32_t default_block = kDefaultBlock;  // lanes of a block when the launch does not say ...
  std::array<uint32_t, 2> default_block_yz = {1, 1};  // ... and those of the other dimensions
  bool operator==(const Program&) const = default;

  std::array<uint32_t, 3> DefaultBlock() const {
    return {default_block, default_block_yz[0], default_block_yz[1]};
  }
  bool SaysBlock() const { return DefaultBlock() != Program().DefaultBlock(); }
  bool HasFlatBlock() const { return default_block_yz == Program().default_block_yz; }

  // The parameters that a caller gives; the others follow them.
  size_t NumArguments() const;
  static uint8_t RegisterOfParameter(size_t k) { return static_cast<uint8_t>(k + 1); }
  uint32_t SharedOffset(size_t array) const;  // byte offset of a shared array
  uint32_t SharedBytes() const;
  // In the memory of one lane; arrays in declaration order, each rounded up to 8 bytes.
  uint32_t LocalOffset(size_t array) const;
  uint32_t LocalBytes() const;
  Location LocationOf(uint32_t pc) const;  // file:line:col, or an empty place
};

// The canonical bytes of what the program computes: parameters without names, shared and local
// arrays without names, code. Two programs with equal bytes have equal identity.
std::vector<uint8_t> EncodeCode(const Program& program);
// Names, source file, debug lines and default block: what EncodeCode leaves out.
std::vector<uint8_t> EncodeDebug(const Program& program);

// The inverse of both. Allocates in proportion to the input, reads nothing outside it, rejects
// every reserved non-zero field, so that EncodeCode(DecodeProgram(x).value()) == x. Empty
// `debug`: the program has no names, no source lines and the default block.
Result<Program> DecodeProgram(const std::vector<uint8_t>& code, const std::vector<uint8_t>& debug);

// Checks every single instruction: known opcode, allowed type, fields in range, unused fields zero,
// targets inside the program (index == size means exit), shared array numbers, immediates
// canonical. Decoder, assembler and verifier all call it.
Status CheckWellFormed(const Program& program);

// "program has 70 parameters, the limit is 64".
std::string OverLimit(size_t count, std::string_view what, size_t limit);

// "a.shape[0]", "a.stride[0]"
std::string ShapeParameterName(const std::string& array, Source source, uint32_t dimension);

}  // namespace hologram::isa
