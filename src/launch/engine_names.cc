#include "launch/engine_names.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>

#include "base/quote.h"

namespace hologram::launch {
namespace {

constexpr std::string_view kNames[kNumEngines] = {"auto", "interpreter", "cpu", "cuda", "opencl"};
constexpr size_t kMostLetters = 32;

// A name is written before it is counted, and never again.
std::array<std::array<char, kMostLetters + 1>, kMostRegistered> registered_names;
std::atomic<uint32_t> num_registered = 0;

std::string_view RegisteredName(uint32_t k) {
  return registered_names[k].data();
}

bool IsName(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto may_follow = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= kMostLetters && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), may_follow);
}

}  // namespace

uint32_t NumRegistered() {
  return num_registered.load(std::memory_order_acquire);
}

bool IsEngine(uint32_t number) {
  return number < kNumEngines ||
         (number >= kFirstRegistered && number - kFirstRegistered < NumRegistered());
}

std::string_view NameOf(Engine engine) {
  const auto number = static_cast<uint32_t>(engine);
  return IsRegistered(engine) ? RegisteredName(number - kFirstRegistered) : kNames[number];
}

std::optional<Engine> FindEngine(std::string_view name) {
  const auto* const found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found != std::end(kNames)) return static_cast<Engine>(found - std::begin(kNames));
  for (uint32_t k = 0; k < NumRegistered(); ++k) {
    if (RegisteredName(k) == name) return static_cast<Engine>(kFirstRegistered + k);
  }
  return std::nullopt;
}

Result<Engine> AddEngine(std::string_view name) {
  if (!IsName(name)) {
    return Error(ErrorCode::kInvalidArgument,
                 "the name of an engine: expected up to 32 lowercase letters, digits and "
                 "underscores, the first a letter, found " +
                     Quote(name));
  }
  if (FindEngine(name)) {
    return Error(ErrorCode::kInvalidArgument, "there is an engine " + Quote(name) + " already");
  }
  const uint32_t number = NumRegistered();
  if (number == kMostRegistered) {
    return Error(ErrorCode::kResourceLimit,
                 "at most " + std::to_string(kMostRegistered) + " engines can be registered");
  }
  std::copy(name.begin(), name.end(), registered_names[number].begin());
  num_registered.store(number + 1, std::memory_order_release);
  return static_cast<Engine>(kFirstRegistered + number);
}

}  // namespace hologram::launch
