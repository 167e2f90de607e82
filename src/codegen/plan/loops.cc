#include "codegen/plan/loops.h"

#include <algorithm>

namespace hologram::codegen {

std::vector<uint32_t> BlocksOfLoop(const Plan& plan, const verify::LoopFact& loop) {
  std::vector<uint32_t> blocks{loop.header};
  std::vector<uint32_t> work = loop.back_edges;
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    if (Contains(blocks, b) || !plan.block(b).reachable) continue;
    blocks.push_back(b);
    const auto& before = plan.block(b).predecessors;
    work.insert(work.end(), before.begin(), before.end());
  }
  return blocks;
}

bool Contains(const std::vector<uint32_t>& blocks, uint32_t block) {
  return std::find(blocks.begin(), blocks.end(), block) != blocks.end();
}

}  // namespace hologram::codegen
