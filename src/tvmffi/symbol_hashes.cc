#include "tvmffi/symbol_hashes.h"

#include <algorithm>
#include <bit>

namespace hologram::tvmffi {
namespace {

constexpr uint32_t kBitsOfWord = 64;
constexpr uint32_t kShift = 6;

template <class T>
void Append(std::vector<uint8_t>& bytes, const std::vector<T>& values) {
  const auto* first = reinterpret_cast<const uint8_t*>(values.data());
  bytes.insert(bytes.end(), first, first + values.size() * sizeof(T));
}

}  // namespace

uint32_t HashOfSymbol(std::string_view name) {
  uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<uint8_t>(c);
  return hash;
}

uint32_t ListsOf(size_t count) {
  return static_cast<uint32_t>(std::max<size_t>(count, 1));
}

std::vector<uint8_t> HashTable(const std::vector<uint32_t>& hashes, uint32_t first) {
  const uint32_t lists = ListsOf(hashes.size());
  // A filter of about eight bits for each symbol, in a power of two words.
  const auto words = static_cast<uint32_t>(std::bit_ceil(hashes.size() / 8 + 1));
  std::vector<uint64_t> filter(words);
  std::vector<uint32_t> starts(lists);  // 0: an empty list
  std::vector<uint32_t> chains;
  for (size_t k = 0; k < hashes.size(); ++k) {
    const uint32_t hash = hashes[k];
    filter[hash / kBitsOfWord % words] |=
        uint64_t{1} << hash % kBitsOfWord | uint64_t{1} << (hash >> kShift) % kBitsOfWord;
    uint32_t& start = starts[hash % lists];
    if (start == 0) start = first + static_cast<uint32_t>(k);
    const bool is_last = k + 1 == hashes.size() || hashes[k + 1] % lists != hash % lists;
    chains.push_back((hash & ~1U) | (is_last ? 1U : 0U));
  }
  std::vector<uint8_t> table;
  Append(table, std::vector<uint32_t>{lists, first, words, kShift});
  Append(table, filter);
  Append(table, starts);
  Append(table, chains);
  return table;
}

}  // namespace hologram::tvmffi
