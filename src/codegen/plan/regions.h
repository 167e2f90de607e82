// Programs whose lanes wait for each other: what runs between two barriers is a region.
#pragma once

#include "codegen/plan/body.h"

namespace hologram::codegen {

// In layout order.
Blocks ReachableBlocks(const Plan& plan);
bool EndsAtBarrier(const Plan& plan, uint32_t block);

struct Regions {
  std::vector<uint32_t> entries;  // the first blocks; that of the kernel comes first
  bool tracks_alive = false;      // lanes may be missing at a barrier

  bool many() const { return entries.size() > 1; }
  // The number of the region that starts behind a barrier.
  uint32_t Behind(const Plan& plan, uint32_t barrier_block) const;
};
Regions FindRegions(const Plan& plan);

// Blocks reachable from `entry` without passing a barrier.
Blocks RegionBlocks(const Plan& plan, uint32_t entry);
// The region goes on behind one of its barriers.
bool Continues(const Plan& plan, const Blocks& region);
// Webs that are live behind the barriers that the region ends at.
std::vector<OperandId> WebsAcrossBarriers(const Plan& plan, const Blocks& region);
// Of these: one value for each row of lanes.
bool KeptPerRow(const Plan& plan, OperandId web);
// A barrier's result is used after it.
bool IsWanted(const Plan& plan, uint32_t barrier);
// The only lane (along x) that has anything to do in a region: it starts with `if t == 3:` and
// ends the block.
std::optional<uint64_t> OnlyLane(const Plan& plan, const Blocks& region, uint32_t entry);

// Local arrays of all lanes of a block are kept at once.
bool LocalPerBlock(const Plan& plan, const Regions& regions);
// Scratch bytes per lane of a block: 0 if the arrays of all lanes fit a stack.
uint32_t ScratchBytes(const Plan& plan, const Regions& regions);

// How many lanes a block has that is run as one chunk (codegen/lanes/whole_block.h); 0 for programs
// that would not gain by it, and those whose lanes need not come to barriers together.
unsigned WholeLanes(const Plan& plan, const Target& target, const Regions& regions);

}  // namespace hologram::codegen
