#include "runtime/library_signature.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/quote.h"
#include "isa/type.h"

namespace hologram::runtime {
namespace {

using isa::Parameter;

constexpr size_t kMostTerms = 16;

// An extent as written; the scalars in it may stand behind it in the list.
struct NamedTerm {
  uint64_t factor = 1;
  std::vector<std::pair<std::string, size_t>> scalars;  // name, column
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<LibrarySignature> Parse(const std::string& name) {
    LibrarySignature signature;
    signature.program.name = name;
    SkipSpaces();
    while (at_ < text_.size() || !signature.program.parameters.empty()) {
      if (signature.program.parameters.size() == isa::kMaxParameters) {
        return Fail("more than " + std::to_string(isa::kMaxParameters) + " parameters");
      }
      HOLOGRAM_RETURN_IF_ERROR(ParseParameter(signature.program.parameters));
      SkipSpaces();
      if (at_ == text_.size()) break;
      if (!Take(',')) return Fail("expected ',' or the end");
    }
    HOLOGRAM_RETURN_IF_ERROR(Resolve(signature));
    return signature;
  }

 private:
  Diagnostic FailAt(size_t at, const std::string& what) const {
    return Error(ErrorCode::kInvalidText, "parameters " + Quote(text_.substr(0, kShownBytes)) +
                                              ", column " + std::to_string(at + 1) + ": " + what);
  }
  Diagnostic Fail(const std::string& what) const { return FailAt(at_, what); }

  void SkipSpaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Take(char c) {
    SkipSpaces();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  static bool IsWordByte(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
  std::string Word() {
    SkipSpaces();
    const size_t begin = at_;
    while (at_ < text_.size() && IsWordByte(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Status ParseParameter(std::vector<Parameter>& parameters) {
    SkipSpaces();
    const size_t begin = at_;
    Parameter parameter;
    parameter.name = Word();
    if (!IsIdentifier(parameter.name)) return FailAt(begin, "expected the name of a parameter");
    for (const Parameter& other : parameters) {
      if (other.name == parameter.name) return FailAt(begin, parameter.name + " is there twice");
    }
    if (!Take(':')) return Fail("expected ':'");
    SkipSpaces();
    size_t place = at_;
    std::string word = Word();
    const bool has_direction = word == "in" || word == "out" || word == "inout";
    if (has_direction) {
      parameter.direction = word == "in"    ? isa::Direction::kIn
                            : word == "out" ? isa::Direction::kOut
                                            : isa::Direction::kInOut;
      SkipSpaces();
      place = at_;
      word = Word();
    }
    const std::optional<isa::Type> type = isa::ParseType(word);
    if (!type) return FailAt(place, "expected a type, as f32, found " + Shown(word));
    parameter.type = *type;
    parameter.is_buffer = Take('[');
    if (parameter.is_buffer != has_direction) {
      return FailAt(place, parameter.is_buffer
                               ? "expected in, out or inout before the type of a buffer"
                               : "expected the number of elements, as [n], of a buffer");
    }
    named_.emplace_back();
    if (parameter.is_buffer) {
      HOLOGRAM_RETURN_IF_ERROR(ParseExtent(named_.back()));
    }
    parameters.push_back(std::move(parameter));
    return Success{};
  }

  Status ParseExtent(std::vector<NamedTerm>& terms) {
    do {
      if (terms.size() == kMostTerms) return Fail("more than 16 terms");
      terms.emplace_back();
      do {
        HOLOGRAM_RETURN_IF_ERROR(ParseFactor(terms.back()));
      } while (Take('*'));
    } while (Take('+'));
    if (!Take(']')) return Fail("expected '*', '+' or ']'");
    return Success{};
  }

  Status ParseFactor(NamedTerm& term) {
    SkipSpaces();
    const size_t begin = at_;
    const std::string word = Word();
    if (IsIdentifier(word)) {
      if (term.scalars.size() == kMostTerms) return FailAt(begin, "more than 16 factors");
      term.scalars.emplace_back(word, begin);
      return Success{};
    }
    uint64_t number = 0;
    bool is_number = !word.empty();
    for (const char c : word) {
      is_number = is_number && c >= '0' && c <= '9' &&
                  !__builtin_mul_overflow(number, uint64_t{10}, &number) &&
                  !__builtin_add_overflow(number, static_cast<uint64_t>(c - '0'), &number);
    }
    if (!is_number || __builtin_mul_overflow(term.factor, number, &term.factor)) {
      return FailAt(begin, "expected a number or the name of a scalar");
    }
    return Success{};
  }

  Status Resolve(LibrarySignature& signature) const {
    const std::vector<Parameter>& parameters = signature.program.parameters;
    for (const std::vector<NamedTerm>& named : named_) {
      signature.extents.emplace_back();
      for (const NamedTerm& term : named) {
        ExtentTerm resolved{term.factor, {}};
        for (const auto& [name, at] : term.scalars) {
          const auto found = std::find_if(parameters.begin(), parameters.end(),
                                          [&](const auto& other) { return other.name == name; });
          if (found == parameters.end() || found->is_buffer || !isa::IsInteger(found->type)) {
            return FailAt(at, name + " is no integer scalar of this list");
          }
          resolved.scalars.push_back(static_cast<size_t>(found - parameters.begin()));
        }
        signature.extents.back().push_back(std::move(resolved));
      }
    }
    return Success{};
  }

  static constexpr size_t kShownBytes = 80;
  std::string_view text_;
  size_t at_ = 0;
  std::vector<std::vector<NamedTerm>> named_;  // extents of each parameter
};

// Numbers are below 2^64 and few, so that sums and products saturate before they wrap.
__int128 Saturated(__int128 value) {
  return std::min(value, static_cast<__int128>(1) << 63);
}

}  // namespace

Result<LibrarySignature> ParseLibrarySignature(const std::string& name, std::string_view text) {
  return Parser(text).Parse(name);
}

std::vector<uint8_t> PackParameters(const LibrarySignature& signature,
                                    std::span<const hologram_buffer_ref> buffers,
                                    std::span<const uint64_t> scalars) {
  std::vector<uint8_t> block;
  size_t buffer = 0;
  size_t scalar = 0;
  for (const Parameter& parameter : signature.program.parameters) {
    const uint64_t value = parameter.is_buffer ? reinterpret_cast<uintptr_t>(buffers[buffer++].data)
                                               : scalars[scalar++];
    const size_t size = parameter.is_buffer ? 8 : isa::SizeOf(parameter.type);
    block.resize((block.size() + size - 1) / size * size);
    for (size_t k = 0; k < size; ++k) block.push_back(static_cast<uint8_t>(value >> (8 * k)));
  }
  return block;
}

Status CheckBuffers(const LibrarySignature& signature, std::span<const hologram_buffer_ref> buffers,
                    std::span<const uint64_t> scalars) {
  const std::vector<Parameter>& parameters = signature.program.parameters;
  const std::string kernel = "kernel '" + signature.program.name + "': '";
  std::vector<__int128> values(parameters.size());  // of integer scalars
  std::vector<size_t> of_buffer;                    // the parameter of each buffer
  size_t scalar = 0;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k].is_buffer) {
      of_buffer.push_back(k);
    } else {
      const uint32_t unused = 64 - isa::BitsOf(parameters[k].type);
      const uint64_t top = scalars[scalar++] << unused;
      values[k] = isa::IsSignedInteger(parameters[k].type)
                      ? static_cast<__int128>(static_cast<int64_t>(top) >> unused)
                      : static_cast<__int128>(top >> unused);
    }
  }
  Diagnostics errors;
  const auto fail = [&](size_t parameter, const std::string& what) {
    errors.push_back(
        Error(ErrorCode::kInvalidArgument, kernel + parameters[parameter].name + what));
  };
  for (size_t b = 0; b < buffers.size(); ++b) {
    const size_t k = of_buffer[b];
    const uint64_t size = isa::SizeOf(parameters[k].type);
    __int128 least = 0;
    for (const ExtentTerm& term : signature.extents[k]) {
      __int128 product = Saturated(static_cast<__int128>(term.factor));
      for (const size_t s : term.scalars) {
        if (values[s] < 0) {
          fail(s, "' expects at least 0, found " + std::to_string(static_cast<int64_t>(values[s])));
        }
        // Below 2^63 times below 2^64.
        product = Saturated(product * std::max<__int128>(values[s], 0));
      }
      least = Saturated(least + product);
    }
    if (static_cast<__int128>(buffers[b].bytes / size) < least) {
      fail(k, "' expects at least " + std::to_string(static_cast<uint64_t>(least)) +
                  " elements, found " + std::to_string(buffers[b].bytes / size));
    }
    const uint64_t begin = reinterpret_cast<uintptr_t>(buffers[b].data);
    if (begin % size != 0) {
      fail(k, "' expects memory aligned to " + std::to_string(size) + " bytes");
    }
    for (size_t other = 0; other < b; ++other) {
      const uint64_t other_begin = reinterpret_cast<uintptr_t>(buffers[other].data);
      const bool written = parameters[k].direction != isa::Direction::kIn ||
                           parameters[of_buffer[other]].direction != isa::Direction::kIn;
      const bool apart = buffers[b].bytes == 0 || buffers[other].bytes == 0 ||
                         (begin < other_begin ? other_begin - begin >= buffers[b].bytes
                                              : begin - other_begin >= buffers[other].bytes);
      if (written && !apart) {
        fail(k, "' and '" + parameters[of_buffer[other]].name +
                    "' overlap, and one of them is written");
      }
    }
  }
  if (!errors.empty()) return errors;
  return Success{};
}

}  // namespace hologram::runtime
