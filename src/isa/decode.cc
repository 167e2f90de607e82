// Bytes -> Program. Trusts nothing: a count is compared with the bytes that are left, and with its
// limit, before memory is reserved for it, so that a large file does not become a program that is
// many times as large; and every value that the encoder cannot write is refused, so that one
// program has one encoding. Tested by tests/isa and fuzz.
#include <string>

#include "base/bytes.h"
#include "isa/encoding.h"
#include "isa/program.h"

namespace hologram::isa {
namespace {

Diagnostic Invalid(std::string message) {
  return Error(ErrorCode::kInvalidProgram, std::move(message));
}

std::string VersionText(uint16_t major, uint16_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

Status ReadVersion(ByteReader& in, uint32_t magic, const std::string& what) {
  const uint32_t found = in.U32();
  const uint16_t major = in.U16();
  const uint16_t minor = in.U16();
  if (in.failed()) return Invalid(what + " ends inside its header");
  if (found != magic) return Invalid(what + " does not begin with its magic number");
  if (major != encoding::kMajorVersion || minor != encoding::kMinorVersion) {
    return Invalid(what + " has format version " + VersionText(major, minor) +
                   ", this library reads " +
                   VersionText(encoding::kMajorVersion, encoding::kMinorVersion));
  }
  return Success{};
}

// `size`: of one in the file, at least.
Status CheckCount(const ByteReader& in, uint32_t count, size_t size, uint32_t limit,
                  const std::string& what) {
  if (!in.CanHold(count, size)) {
    return Invalid("program promises " + std::to_string(count) + " " + what + ", but only " +
                   std::to_string(in.remaining()) + " bytes follow");
  }
  if (count > limit) return Invalid(OverLimit(count, what, limit));
  return Success{};
}

class CodeReader {
 public:
  CodeReader(const std::vector<uint8_t>& bytes, Program& program) : in_(bytes), program_(program) {}

  Status Run() {
    HOLOGRAM_RETURN_IF_ERROR(ReadHeader());
    HOLOGRAM_RETURN_IF_ERROR(ReadParameters());
    HOLOGRAM_RETURN_IF_ERROR(
        ReadArrays(num_shared_, kMaxSharedArrays, "shared array", program_.shared));
    HOLOGRAM_RETURN_IF_ERROR(
        ReadArrays(num_locals_, kMaxLocalArrays, "local array", program_.locals));
    if (!in_.SkipPadding(encoding::kInstructionBytes)) {
      return Invalid("padding before the instructions is not zero");
    }
    return ReadInstructions();
  }

 private:
  Status ReadHeader() {
    HOLOGRAM_RETURN_IF_ERROR(ReadVersion(in_, encoding::kCodeMagic, "program"));
    num_parameters_ = in_.U32();
    num_shared_ = in_.U32();
    num_instructions_ = in_.U32();
    num_locals_ = in_.U32();
    for (uint64_t& word : features_) word = in_.U64();
    if (in_.failed()) return Invalid("program ends inside its header");
    for (unsigned bit = 0; bit < 64 * encoding::kFeatureWords; ++bit) {
      const auto opcode = static_cast<uint8_t>(encoding::kFirstExtension + bit);
      const bool used = ((features_[bit / 64] >> (bit % 64)) & 1) != 0;
      if (used && FindOpcode(opcode) == nullptr) {
        return Invalid("program needs extension " + std::to_string(opcode) +
                       ", which this library does not know");
      }
    }
    return Success{};
  }

  Status ReadParameters() {
    HOLOGRAM_RETURN_IF_ERROR(
        CheckCount(in_, num_parameters_, encoding::kParameterBytes, kMaxParameters, "parameters"));
    program_.parameters.resize(num_parameters_);
    for (size_t i = 0; i < program_.parameters.size(); ++i) {
      const uint8_t kind = in_.U8();
      const uint8_t type = in_.U8();
      const uint8_t third = in_.U8();
      const uint8_t fourth = in_.U8();
      const bool argument = kind == encoding::kScalar || kind == encoding::kBuffer;
      if (kind > encoding::kStride || type >= kNumTypes ||
          (argument && third > encoding::kUniqueIn)) {
        return Invalid("parameter " + std::to_string(i) +
                       " has an unknown kind, type or direction");
      }
      Parameter& parameter = program_.parameters[i];
      parameter.is_buffer = kind == encoding::kBuffer;
      parameter.type = static_cast<Type>(type);
      if (argument) {
        parameter.unique = third == encoding::kUniqueIn;
        if (!parameter.unique) parameter.direction = static_cast<Direction>(third);
        parameter.rank = fourth;
      } else {
        parameter.source = kind == encoding::kExtent ? Source::kExtent : Source::kStride;
        parameter.dimension = third;
        parameter.array = fourth;
      }
    }
    return Success{};
  }

  Status ReadArrays(uint32_t count, uint32_t limit, const std::string& what,
                    std::vector<SharedArray>& arrays) {
    HOLOGRAM_RETURN_IF_ERROR(
        CheckCount(in_, count, encoding::kSharedArrayBytes, limit, what + "s"));
    arrays.resize(count);
    for (size_t i = 0; i < arrays.size(); ++i) {
      const uint32_t type = in_.U32();
      if (type >= kNumTypes)
        return Invalid(what + " " + std::to_string(i) + " has an unknown type");
      arrays[i].type = static_cast<Type>(type);
      arrays[i].count = in_.U32();
    }
    return Success{};
  }

  Status ReadInstructions() {
    HOLOGRAM_RETURN_IF_ERROR(CheckCount(in_, num_instructions_, encoding::kInstructionBytes,
                                        kMaxInstructions, "instructions"));
    program_.code.resize(num_instructions_);
    for (Instruction& instruction : program_.code) {
      instruction.op = static_cast<Opcode>(in_.U8());
      instruction.type = static_cast<Type>(in_.U8());
      instruction.mod = in_.U8();
      instruction.d = in_.U8();
      instruction.a = in_.U8();
      instruction.b = in_.U8();
      instruction.c = in_.U8();
      instruction.mode = in_.U8();
      instruction.imm = in_.U64();
    }
    if (in_.failed()) return Invalid("program is truncated");
    if (in_.remaining() != 0) {
      return Invalid(std::to_string(in_.remaining()) + " bytes follow the last instruction");
    }
    if (encoding::FeaturesOf(program_.code) != features_) {
      return Invalid("feature bits of the program do not match its instructions");
    }
    return Success{};
  }

  ByteReader in_;
  Program& program_;
  uint32_t num_parameters_ = 0;
  uint32_t num_shared_ = 0;
  uint32_t num_locals_ = 0;
  uint32_t num_instructions_ = 0;
  encoding::Features features_{};
};

// Debug information names what the code already holds, so the counts must agree with it.
class DebugReader {
 public:
  DebugReader(const std::vector<uint8_t>& bytes, Program& program)
      : in_(bytes), program_(program) {}

  Status Run() {
    HOLOGRAM_RETURN_IF_ERROR(ReadVersion(in_, encoding::kDebugMagic, "debug information"));
    HOLOGRAM_RETURN_IF_ERROR(ReadBlock(in_.U32()));
    program_.name = in_.SizedText();
    program_.source_file = in_.SizedText();
    HOLOGRAM_RETURN_IF_ERROR(ReadCount(program_.parameters.size(), "parameters"));
    for (Parameter& parameter : program_.parameters) parameter.name = in_.SizedText();
    HOLOGRAM_RETURN_IF_ERROR(ReadCount(program_.shared.size(), "shared arrays"));
    for (SharedArray& array : program_.shared) array.name = in_.SizedText();
    if (!program_.locals.empty()) {
      HOLOGRAM_RETURN_IF_ERROR(ReadCount(program_.locals.size(), "local arrays"));
      for (LocalArray& array : program_.locals) array.name = in_.SizedText();
    }
    HOLOGRAM_RETURN_IF_ERROR(ReadLines());
    if (in_.failed()) return Invalid("debug information is truncated");
    if (in_.remaining() != 0) {
      return Invalid(std::to_string(in_.remaining()) + " bytes follow the debug information");
    }
    return Success{};
  }

 private:
  // As encoding::DefaultBlockWord writes it.
  Status ReadBlock(uint32_t word) {
    using encoding::kBlockBits;
    constexpr uint32_t kMask = (1U << kBlockBits) - 1;
    program_.default_block = word & kMask;
    if (word >> kBlockBits != 0) {
      program_.default_block_yz = {word >> kBlockBits & kMask, word >> (2 * kBlockBits)};
    }
    if (encoding::DefaultBlockWord(program_) == word) return Success{};
    return Invalid("the default block is not written as it should be");
  }

  Status ReadCount(size_t expected, const std::string& what) {
    const uint32_t found = in_.U32();
    if (in_.failed()) return Invalid("debug information is truncated");
    if (found == expected) return Success{};
    return Invalid("debug information names " + std::to_string(found) + " " + what +
                   ", the program has " + std::to_string(expected));
  }

  Status ReadLines() {
    const uint32_t count = in_.U32();
    HOLOGRAM_RETURN_IF_ERROR(
        CheckCount(in_, count, encoding::kDebugLineBytes, kMaxInstructions, "debug lines"));
    program_.debug.resize(count);
    for (DebugLine& line : program_.debug) {
      line.line = in_.U32();
      line.column = in_.U32();
      line.text = in_.SizedText();
      const uint32_t variables = in_.U32();
      HOLOGRAM_RETURN_IF_ERROR(CheckCount(in_, variables, encoding::kDebugVariableBytes,
                                          kMaxDebugVariables, "debug variables of one line"));
      line.variables.resize(variables);
      for (DebugVariable& variable : line.variables) {
        variable.name = in_.SizedText();
        variable.reg = in_.U8();
      }
    }
    return Success{};
  }

  ByteReader in_;
  Program& program_;
};

}  // namespace

Result<Program> DecodeProgram(const std::vector<uint8_t>& code, const std::vector<uint8_t>& debug) {
  Program program;
  HOLOGRAM_RETURN_IF_ERROR(CodeReader(code, program).Run());
  if (!debug.empty()) HOLOGRAM_RETURN_IF_ERROR(DebugReader(debug, program).Run());
  HOLOGRAM_RETURN_IF_ERROR(CheckWellFormed(program));
  return program;
}

}  // namespace hologram::isa
