// Writes what an element map computes into a program that stores, or loads, the same elements.
// Tested by python/tests/test_merging.py.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/program.h"
#include "merge/element_map.h"
#include "verify/verified_program.h"

namespace hologram::merge {

// A parameter of the map's kernel, in the program that it is written into.
struct Source {
  uint32_t parameter = 0;   // of that program
  bool is_value = false;    // it is the array that both have: the map has the value in a register
  bool is_written = false;  // the program writes it: what it has stored is in a register
};

// The kernel of a map, with a source for each of its parameters, which are buffers.
struct Guest {
  const ElementMap& map;
  const isa::Program& program;
  std::vector<Source> sources;
};

// A program for launches with these scalars, and the map of WithScalars() of it, if there is one.
struct Host {
  const verify::VerifiedProgram& program;
  std::span<const uint64_t> scalars;
  const ElementMap* map = nullptr;
};

// Behind each store of `host` to the parameter, the map of the value that is stored. Nothing: it
// stores nothing there, reads the parameter too, or a place or a register cannot be found.
std::optional<isa::Program> InlineBehindStores(const Host& host, uint32_t parameter,
                                               const Guest& guest);
// In place of each load of the parameter, the value that the map stores. REQUIRES: one store
std::optional<isa::Program> InlineAtLoads(const Host& host, uint32_t parameter, const Guest& guest);
// Without the stores to a parameter, and without it. Nothing: it is read.
std::optional<isa::Program> WithoutStores(const isa::Program& host, uint32_t parameter);

}  // namespace hologram::merge
