// Changes that random bytes hardly ever make: text that nests deeply, lists of many equal parts,
// numbers at the edges of their types, in text and in binary fields, names that are there twice,
// lists that are empty, words of another input.
#pragma once

#include <random>

#include "fuzzer.h"

namespace hologram::fuzz {

// Changes `bytes` once; not more than `most` bytes come out.
void Mutate(Bytes& bytes, const Bytes& other, size_t most, std::mt19937_64& random);

}  // namespace hologram::fuzz
