#include <gtest/gtest.h>

#include "kernels.h"

namespace hologram::verify::test {
namespace {

TEST(Proofs, Print) {
  for (const std::string& name : KernelNames()) {
    const VerifiedProgram v = Verified(KernelText(name));
    std::printf("== %s: %zu nodes, %zu conditions, races %zu\n", name.c_str(),
                v.launch_check().nodes.size(), v.launch_check().conditions.size(),
                v.races().size());
    for (const AccessFact& a : v.accesses()) {
      std::printf("%s  stride %s\n", Explain(v, a).c_str(),
                  a.stride ? std::to_string(*a.stride).c_str() : "-");
    }
    for (const LoopFact& l : v.loops()) std::printf("loop at block %u ends %d\n", l.header, l.ends);
    for (const RaceFact& r : v.races()) std::printf("race %s\n", r.message.c_str());
  }
}

}  // namespace
}  // namespace hologram::verify::test
