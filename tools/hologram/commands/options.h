// Command-line options of one subcommand. A mistake in what the caller wrote as options (unknown
// option, missing value, text without the documented shape) is a UsageError, exit code 2; a wrong
// name, value or file is an ordinary error, exit code 1. Tested by tests/cli.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace hologram::tool {

struct UsageError {
  std::string message;
};

class Options {
 public:
  // `flags` take no value, `values` take one (`--in x` or `--in=x`, may repeat). Everything that
  // does not start with '-' is a positional argument; all arguments after "--" are.
  // Throws UsageError.
  Options(const std::vector<std::string>& arguments, const std::vector<std::string_view>& flags,
          const std::vector<std::string_view>& values);

  const std::vector<std::string>& positional() const { return positional_; }
  bool has(std::string_view name) const;
  // All values of an option, in order.
  std::vector<std::string> all(std::string_view name) const;
  // The value of an option that may be given once. Throws UsageError if it was given twice.
  std::optional<std::string> one(std::string_view name) const;

 private:
  struct Given {
    std::string name;
    std::string value;
  };
  std::vector<std::string> positional_;
  std::vector<Given> given_;
};

struct NameAndValue {
  std::string name;
  std::string value;
};
// "name=value", both not empty. Throws UsageError naming `option` and its shape.
NameAndValue SplitAssignment(std::string_view option, const std::string& text,
                             std::string_view shape);

// A decimal number and nothing else.
template <class T>
bool ParseWhole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// "X", "X,Y" or "X,Y,Z" (missing ones are 1). Throws UsageError when it is not that shape or a
// number does not fit 32 bits.
std::array<uint32_t, 3> ParseTriple(std::string_view option, const std::string& text);

// A decimal number. Throws UsageError.
uint64_t ParseCount(std::string_view option, const std::string& text);

}  // namespace hologram::tool
