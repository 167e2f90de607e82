// Names that are written almost like another: for "did you mean". Tested by tests/base.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace hologram {

// How many letters have to be added, left out or changed (Levenshtein).
size_t EditDistance(std::string_view a, std::string_view b);

// One letter apart, or two in names of six letters and more.
bool IsNear(std::string_view name, std::string_view candidate);

// The first of them that is nearest; empty if none is near.
std::string Nearest(std::string_view name, std::span<const std::string_view> candidates);

// "; did you mean 'vector_add'?", or nothing.
std::string DidYouMean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace hologram
