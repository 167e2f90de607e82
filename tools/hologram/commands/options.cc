#include "commands/options.h"

#include <algorithm>

#include "base/spelling.h"

namespace hologram::tool {
namespace {

bool Contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Options::Options(const std::vector<std::string>& arguments,
                 const std::vector<std::string_view>& flags,
                 const std::vector<std::string_view>& values) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") {
      positional_.insert(positional_.end(), arguments.begin() + static_cast<ptrdiff_t>(i) + 1,
                         arguments.end());
      return;
    }
    if (argument.size() < 2 || argument[0] != '-') {
      positional_.push_back(argument);
      continue;
    }
    const size_t equals = argument.starts_with("--") ? argument.find('=') : std::string::npos;
    const std::string name = argument.substr(0, equals);
    if (Contains(flags, name)) {
      if (equals != std::string::npos) throw UsageError{"option " + name + " takes no value"};
      given_.push_back({name, ""});
    } else if (Contains(values, name)) {
      if (equals != std::string::npos) {
        given_.push_back({name, argument.substr(equals + 1)});
      } else if (i + 1 < arguments.size()) {
        given_.push_back({name, arguments[++i]});
      } else {
        throw UsageError{"option " + name + " needs a value"};
      }
    } else {
      std::vector<std::string_view> known = flags;
      known.insert(known.end(), values.begin(), values.end());
      const std::string near = Nearest(name, known);
      throw UsageError{"unknown option " + name +
                       (near.empty() ? "" : " (did you mean " + near + "?)")};
    }
  }
}

bool Options::has(std::string_view name) const {
  return std::any_of(given_.begin(), given_.end(), [&](const Given& g) { return g.name == name; });
}

std::vector<std::string> Options::all(std::string_view name) const {
  std::vector<std::string> found;
  for (const Given& given : given_) {
    if (given.name == name) found.push_back(given.value);
  }
  return found;
}

std::optional<std::string> Options::one(std::string_view name) const {
  const std::vector<std::string> found = all(name);
  if (found.size() > 1) throw UsageError{"option " + std::string(name) + " is given twice"};
  if (found.empty()) return std::nullopt;
  return found[0];
}

NameAndValue SplitAssignment(std::string_view option, const std::string& text,
                             std::string_view shape) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw UsageError{"option " + std::string(option) + ": expected " + std::string(shape) +
                     ", found '" + text + "'"};
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::array<uint32_t, 3> ParseTriple(std::string_view option, const std::string& text) {
  std::array<uint32_t, 3> triple = {1, 1, 1};
  std::string_view rest = text;
  for (size_t d = 0;; ++d) {
    const size_t comma = rest.find(',');
    if (d == 3 || !ParseWhole(rest.substr(0, comma), triple[d])) {
      throw UsageError{"option " + std::string(option) + ": expected X,Y,Z, found '" + text + "'"};
    }
    if (comma == std::string_view::npos) return triple;
    rest.remove_prefix(comma + 1);
  }
}

uint64_t ParseCount(std::string_view option, const std::string& text) {
  uint64_t value = 0;
  if (!ParseWhole(std::string_view(text), value)) {
    throw UsageError{"option " + std::string(option) + ": expected a number, found '" + text + "'"};
  }
  return value;
}

}  // namespace hologram::tool
