// Bundles put together again after a mutation: a changed byte, or one more, breaks a hash or a
// place in the table, and then nothing behind these checks is ever reached.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hologram::fuzz {

// The sections of `file` with the types, owners, levels and, as far as they are there, sizes of its
// table, at the places where they must be, with the right hashes; and a manifest with the right
// identities. Types, owners, levels, names and contents are as hostile as they were. Bytes without
// a header are returned as they are.
std::vector<uint8_t> RebuildBundle(std::span<const uint8_t> file);

}  // namespace hologram::fuzz
