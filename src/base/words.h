// Text by its words and lines. Without streams of the C++ library, whose locales would be 0.4 MB of
// each library that is linked statically (HOLOGRAM_PORTABLE); scripts/check_layers.py refuses them.
#pragma once

#include <string_view>
#include <vector>

namespace hologram {

// The parts between the characters of `separators` that are not empty.
inline std::vector<std::string_view> PartsOf(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (size_t end = 0;;) {
    const size_t begin = text.find_first_not_of(separators, end);
    if (begin == std::string_view::npos) return parts;
    end = text.find_first_of(separators, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
  }
}

inline std::vector<std::string_view> WordsOf(std::string_view text) {
  return PartsOf(text, " \t\n");
}

inline std::vector<std::string_view> LinesOf(std::string_view text) {
  return PartsOf(text, "\n");
}

}  // namespace hologram
