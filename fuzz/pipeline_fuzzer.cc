// Bytes -> the plan of a pipeline of two kernels. Promises: what is accepted is written as the same
// bytes, and where the kernels are those of the seeds, it is a pipeline that runs inside of its
// arrays, or is refused.
#include <algorithm>

#include "base/check.h"
#include "fuzzer.h"
#include "pipeline/pipeline.h"
#include "plan/encoding.h"
#include "runtime/executor.h"
#include "text/text.h"

namespace hologram::fuzz {
namespace {

constexpr const char* kKernels[] = {R"(
.kernel add
.param a f32[] in
.param b f32[] in
.param c f32[] out
.param n u32
  sreg.u32 r5, global.x
  setge.u32 p0, r5, r4
  bra.p0 @end
  ldg.f32 r6, [r1 + r5*4]
  ldg.f32 r7, [r2 + r5*4]
  add.f32 r8, r6, r7
  stg.f32 [r3 + r5*4], r8
end:
  exit
)",
                                    R"(
.kernel twice
.param y f32[] inout
.param n u32
  sreg.u32 r5, global.x
  setge.u32 p0, r5, r2
  bra.p0 @end
  ldg.f32 r6, [r1 + r5*4]
  add.f32 r7, r6, r6
  stg.f32 [r1 + r5*4], r7
end:
  exit
)"};

const pipeline::Pipeline::Kernels& Kernels() {
  static const pipeline::Pipeline::Kernels kKept = [] {
    runtime::Executor executor;
    pipeline::Pipeline::Kernels kernels;
    for (const char* text : kKernels) {
      isa::Program program = text::Assemble(text, "fuzz.hasm").value()[0];
      const std::string name = program.name;
      HOLOGRAM_CHECK(executor.Add(std::move(program), false).ok());
      kernels.push_back(executor.Find(name).value());
    }
    return kernels;
  }();
  return kKept;
}

pipeline::Plan SeedPlan(uint64_t n) {
  pipeline::Plan plan;
  plan.name = "seed";
  plan.num_kernels = 2;
  plan.arrays.resize(4);
  const pipeline::Role roles[] = {pipeline::Role::kInput, pipeline::Role::kOutput,
                                  pipeline::Role::kConstant, pipeline::Role::kTemporary};
  for (size_t k = 0; k < plan.arrays.size(); ++k) {
    pipeline::Array& array = plan.arrays[k];
    array.role = roles[k];
    array.bytes = 4 * n;
    if (array.role == pipeline::Role::kConstant) array.data.assign(4 * n, 1);
    if (!array.is_public()) continue;
    array.name = k == 0 ? "x" : "y";
    array.type = isa::Type::kF32;
    array.extents = {n};
  }
  const auto all = [&](uint32_t array) { return pipeline::Operand{array, 0, 4 * n}; };
  plan.steps.resize(3);
  plan.steps[0] = {0, {all(0), all(2), all(3)}, {n}, {{1, 1, 1}, {32, 1, 1}}};
  plan.steps[1] = {1, {all(3)}, {n}, {{1, 1, 1}, {32, 1, 1}}};
  plan.steps[2] = {0, {all(3), all(0), all(1)}, {n}, {{1, 1, 1}, {32, 1, 1}}};
  return plan;
}

// Few lanes, and little memory.
bool IsSmall(const pipeline::Plan& plan) {
  const bool lanes = std::all_of(plan.steps.begin(), plan.steps.end(), [](const auto& step) {
    double count = 1;
    for (int d = 0; d < 3; ++d) count *= double(step.shape.grid[d]) * step.shape.block[d];
    return count < 1e4;
  });
  return lanes && std::all_of(plan.arrays.begin(), plan.arrays.end(),
                              [](const auto& array) { return array.bytes < 65536; });
}

void RunOne(std::span<const uint8_t> bytes) {
  Result<pipeline::Plan> decoded = pipeline::Decode(bytes, Kernels().size());
  if (!decoded.ok()) return;
  const std::vector<uint8_t> again = pipeline::Encode(decoded.value());
  HOLOGRAM_CHECK(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()));
  if (!IsSmall(decoded.value())) return;
  const auto made = pipeline::Pipeline::Make(std::move(decoded).value(), Kernels());
  if (!made.ok()) return;
  std::vector<std::vector<double>> memory;
  std::vector<hologram_buffer_ref> arguments;
  for (const pipeline::Array& array : made.value()->arguments()) {
    memory.emplace_back(array.bytes / 8 + 1);
    arguments.push_back({memory.back().data(), array.bytes});
  }
  (void)made.value()->Run(arguments).ok();
}

}  // namespace

std::vector<Bytes> Seeds() {
  std::vector<Bytes> seeds;
  for (const uint64_t n : {uint64_t{1}, uint64_t{5}, uint64_t{32}})
    seeds.push_back(pipeline::Encode(SeedPlan(n)));
  return seeds;
}

}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hologram::fuzz::RunOne({data, size});
  return 0;
}
