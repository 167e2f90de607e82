// Which allocations of this process find no memory. They are those of malloc and its relatives, of
// operator new and of mmap, of the library and of what it calls.
#pragma once

#include <cstdint>

namespace hologram::test {

// From now on the n-th allocation fails, n = 0 the next one, with `all` those that follow too.
void FailAllocation(int64_t n, bool all);

// From now on `fails` decides on each allocation, which it may count. It may allocate itself.
void AskAtAllocations(bool (*fails)());

// Ends either; gives how many allocations failed.
int64_t EndFailures();

int64_t num_live_blocks();

// Of all that ended so far.
extern int64_t failed_allocations;

}  // namespace hologram::test
