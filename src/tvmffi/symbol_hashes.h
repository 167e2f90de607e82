// The table by which a dynamic linker finds the symbols of a library (DT_GNU_HASH).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace hologram::tvmffi {

uint32_t HashOfSymbol(std::string_view name);

// How many lists the table of that many symbols has: symbols are sorted by hash % lists.
uint32_t ListsOf(size_t count);

// The table of the symbols with these hashes, in that order, of which the first is number `first`
// in the table of symbols.
std::vector<uint8_t> HashTable(const std::vector<uint32_t>& hashes, uint32_t first);

}  // namespace hologram::tvmffi
