// What finding a program costs that was built before: a hit of the cache, with a key that is ready
// and with one that is made for the call.
#include <string>

#include "groups.h"
#include "measure.h"
#include "programs/builder.h"
#include "programs/cache.h"

namespace hologram::bench {

void Programs(Executor&, Report& report) {
  if (!report.Wants("program cache, a hit")) return;
  using isa::Type;
  using programs::ProgramKey;
  programs::ProgramCache cache;
  bool all = true;
  for (const isa::Opcode op : {isa::Opcode::kAdd, isa::Opcode::kSub, isa::Opcode::kMul}) {
    for (int t = 0; t < isa::kNumTypes; ++t) {
      const auto type = static_cast<Type>(t);
      const std::string name(isa::InfoOf(op).mnemonic);
      all &= cache
                 .FindOrBuild(ProgramKey(name, {type}),
                              [&] { return programs::ElementwiseProgram(op, type); })
                 .ok();
    }
  }
  const auto build = [] { return programs::ElementwiseProgram(isa::Opcode::kMul, Type::kF32); };
  constexpr ProgramKey kReady("mul", {Type::kF32});
  const Timing ready = Measure([&] {
    const auto found = cache.FindOrBuild(kReady, build);
    Clobber(found.ok() ? &*found.value() : nullptr);
  });
  auto type = Type::kF32;
  const Timing made = Measure([&] {
    Clobber(&type);
    const auto found = cache.FindOrBuild(ProgramKey("mul", {type}), build);
    Clobber(found.ok() ? &*found.value() : nullptr);
  });
  report.AtMost("program cache, a hit", "36 programs", all ? ready.median_ns : 1e9, 10.0, "ns");
  report.AtMost("program cache, a hit, new key", "36 programs", all ? made.median_ns : 1e9, 20.0,
                "ns");
}

}  // namespace hologram::bench
