// Chains of calls move their inputs and outputs and nothing else, counted by the interpreter while
// it runs them: temporaries are in registers.
#include <gtest/gtest.h>

#include "frontend/circuit/lower.h"
#include "frontend/compile_python.h"
#include "frontend/raise/circuit.h"
#include "interpreter/interpreter.h"

namespace hologram::frontend {
namespace {

constexpr uint32_t kElements = 5000;

// What one launch over kElements f32 moves.
interpreter::Traffic TrafficOf(Result<isa::Program> program, hologram_launch_shape shape) {
  EXPECT_TRUE(program.ok()) << ToString(program.errors()[0]);
  auto verified = verify::Verify(std::move(program).value());
  EXPECT_TRUE(verified.ok()) << ToString(verified.errors()[0]);
  std::vector<std::vector<float>> memory;
  std::vector<hologram_buffer_ref> buffers;
  std::vector<uint64_t> scalars;
  for (const isa::Parameter& parameter : verified.value().program().parameters) {
    if (parameter.is_buffer) {
      memory.emplace_back(kElements, 0.5F);
      buffers.push_back({memory.back().data(), kElements * sizeof(float)});
    } else {
      scalars.push_back(parameter.type == isa::Type::kU32 ? kElements : 0x3f000000);
    }
  }
  launch::Launch launch;
  launch.buffers = buffers;
  launch.scalars = scalars;
  launch.shape = shape;
  const auto tier = CheckLaunch(verified.value(), launch);
  EXPECT_TRUE(tier.ok()) << ToString(tier.errors()[0]);
  interpreter::Traffic traffic;
  const auto fault = interpreter::Run(verified.value(), launch, &traffic);
  EXPECT_TRUE(fault.ok() && !fault.value());
  return traffic;
}

interpreter::Traffic TrafficOf(const std::string& text, hologram_launch_shape shape) {
  return TrafficOf(CompileCircuit(text, "k.circuit", "k"), shape);
}

struct Chain {
  const char* name;
  std::string text;
  uint64_t loads;  // of each element
  uint64_t stores;
};

TEST(Fusion, ChainsMoveTheirInputsAndOutputs) {
  const std::vector<Chain> chains = {
      {"bias + gelu",
       "(f32 c00, f32 c01) -> (f32 c02) over n merge@c00[c01,c03] . merge:gelu@c03[c03,c02]", 2, 1},
      {"scale + add + relu",
       "(f32 c00, f32 $s, f32 c01) -> (f32 c02) over n merge:mul@c00[$s,c03] . "
       "merge@c03[c01,c04] . merge:le@c04[#0.0,c05] . merge:select@c05[#0.0,c04,c02]",
       2, 1},
      {"normalise + clip",
       "(f32 c00, f32 $m, f32 $d) -> (f32 c01) over n split@c00[$m,c02] . split:div@c02[$d,c03] . "
       "merge:clamp@c03[#-1.0,#1.0,c01]",
       1, 1},
      {"x used five times",
       "(f32 c00) -> (f32 c01) over n merge:mul@c00[c00,c02] . merge:mul@c02[c00,c02] . "
       "merge@c02[c00,c02] . merge:tanh@c02[c02,c02] . merge:mul@c02[c00,c01]",
       1, 1},
      {"in place, two outputs",
       "(f32 c00, f32 c01) -> (f32 c00, f32 c01) over n merge@c00[c01,c02] . split@c00[c01,c01] . "
       "copy@c02->c00",
       2, 2},
  };
  for (const Chain& chain : chains) {
    const interpreter::Traffic traffic = TrafficOf(chain.text, {{20, 1, 1}, {256, 1, 1}});
    EXPECT_EQ(traffic.loaded, chain.loads * kElements * sizeof(float)) << chain.name;
    EXPECT_EQ(traffic.stored, chain.stores * kElements * sizeof(float)) << chain.name;
  }
}

// Each pass over a row reads the inputs that it needs; what is computed of them is nowhere in
// memory, but for what takes longer to compute again than to keep in an output: e^(x - max).
TEST(Fusion, PassesOverRowsReadTheirInputsAgain) {
  const std::string sum = "merge@c00[c01,c03] . ";  // with the residual
  const std::vector<Chain> chains = {
      {"dot product",
       "(f32 c00, f32 c01) -> (f32 c02) over n merge:mul@c00[c01,c03] . reduce_sum@c03->c02", 2, 0},
      {"smallest and largest",
       "(f32 c00) -> (f32 c01, f32 c02) over n reduce_min@c00->c01 . reduce_max@c00->c02", 1, 0},
      {"softmax", "(f32 c00) -> (f32 c01) over n softmax@c00->c01", 3, 2},
      {"residual + layer_norm",
       "(f32 c00, f32 c01, f32 $e) -> (f32 c02) over n " + sum +
           "merge:f32@$n[$n,c04] . reduce_sum@c03->c05 . split:div@c05[c04,c06] . "
           "split@c03[c06,c07] . merge:mul@c07[c07,c08] . reduce_sum@c08->c09 . "
           "split:div@c09[c04,c10] . merge@c10[$e,c10] . merge:rsqrt@c10[c10,c10] . "
           "merge:mul@c07[c10,c02]",
       6, 1},
  };
  for (const Chain& chain : chains) {
    const interpreter::Traffic traffic = TrafficOf(chain.text, {{1, 1, 1}, {1024, 1, 1}});
    EXPECT_EQ(traffic.loaded, chain.loads * kElements * sizeof(float)) << chain.name;
    const bool numbers = chain.stores == 0;
    const uint64_t outputs = std::string(chain.name) == "smallest and largest" ? 2 : 1;
    EXPECT_EQ(traffic.stored,
              numbers ? outputs * sizeof(float) : chain.stores * kElements * sizeof(float))
        << chain.name;
  }
}

TEST(Fusion, RowsByLanesReadTheirInputsOnceForEachPass) {
  const std::vector<Chain> chains = {
      {"sum of products", "(f32 c00, f32 c01) -> (f32 c02) over n by 64 reduce_fma@c00[c01,c02]", 2,
       0},
      {"softmax", "(f32 c00) -> (f32 c01) over n by 64 softmax@c00->c01", 3, 2},
      {"gain", "(f32 c00, shared f32 c01) -> (f32 c02) over n by 64 merge:mul@c00[c01,c02]", 2, 1},
  };
  for (const Chain& chain : chains) {
    const interpreter::Traffic traffic = TrafficOf(chain.text, {{1, 1, 1}, {64, 1, 1}});
    EXPECT_EQ(traffic.loaded, chain.loads * kElements * sizeof(float)) << chain.name;
    const uint64_t stored = chain.stores == 0 ? 1 : chain.stores * kElements;
    EXPECT_EQ(traffic.stored, stored * sizeof(float)) << chain.name;
  }
}

// Kernels of the tree as they are written and by way of their circuits: docs/sigmatics.md has these
// numbers.
TEST(Fusion, KernelsMoveNoMoreByTheirCircuits) {
  struct Moves {
    const char* folder;
    const char* name;
    uint32_t lanes;
    uint64_t written_loads;  // elements
    uint64_t written_stores;
    uint64_t loads;
    uint64_t stores;
  };
  constexpr uint64_t n = kElements;
  const std::vector<Moves> kernels = {
      // Each lane begins with the first element.
      {"nn", "softmax", 64, 3 * n + 64, 2 * n, 3 * n, 2 * n},
      {"nn", "log_softmax", 64, 3 * n + 64, n, 3 * n, n},
      {"nn", "layer_norm", 64, 5 * n, n, 5 * n, n},
      {"nn", "rms_norm", 64, 4 * n, n, 3 * n, n},
      {"reduce", "reduce_max", 256, n + 256, 1, n, 1},
      {"reduce", "reduce_norm", 256, n, 1, n, 1},
  };
  for (const Moves& kernel : kernels) {
    const std::string folder = std::string("../../kernels/") + kernel.folder;
    const std::string json = JsonOf(folder, std::string(kernel.name) + ".py");
    std::vector<CompileTimeValue> constants;
    auto compiled = CompileJsonWithCircuits(json, "k.py", kernel.name, constants);
    ASSERT_TRUE(compiled.ok()) << ToString(compiled.errors()[0]);
    CompiledKernel& both = compiled.value()[0];
    ASSERT_FALSE(both.circuit.obstacle) << ToString(*both.circuit.obstacle);
    const hologram_launch_shape shape = {{1, 1, 1}, {kernel.lanes, 1, 1}};
    const auto circuit = TrafficOf(CompileKernelCircuit(both.circuit), shape);
    const auto written = TrafficOf(std::move(both.program), shape);
    EXPECT_EQ(written.loaded, kernel.written_loads * sizeof(float)) << kernel.name;
    EXPECT_EQ(written.stored, kernel.written_stores * sizeof(float)) << kernel.name;
    EXPECT_EQ(circuit.loaded, kernel.loads * sizeof(float)) << kernel.name;
    EXPECT_EQ(circuit.stored, kernel.stores * sizeof(float)) << kernel.name;
  }
}

// Every operation that the report counts is a call, and the calls are a kernel that verifies.
TEST(Circuits, AsWrittenHaveEveryOperation) {
  const std::vector<std::pair<std::string, std::string>> files = {{"nn", "softmax"},
                                                                  {"nn", "layer_norm"},
                                                                  {"reduce", "reduce_max"},
                                                                  {"activation", "gelu_tanh"}};
  for (const auto& [folder, name] : files) {
    const std::string json = JsonOf("../../kernels/" + folder, name + ".py");
    std::vector<CompileTimeValue> constants;
    auto canonical = CompileJsonWithCircuits(json, "k.py", name, constants);
    auto written = CompileJsonWithCircuits(json, "k.py", name, constants, Circuits::kAsWritten);
    ASSERT_TRUE(canonical.ok() && written.ok()) << name;
    const KernelCircuit& circuit = written.value()[0].circuit;
    ASSERT_FALSE(circuit.obstacle) << ToString(*circuit.obstacle);
    const sigmatics::Canonical& form = canonical.value()[0].circuit.form;
    EXPECT_EQ(circuit.form.calls.size(), form.original_operations) << name;
    EXPECT_LE(form.calls.size(), circuit.form.calls.size()) << name;
    auto program = CompileKernelCircuit(circuit);
    ASSERT_TRUE(program.ok()) << ToString(program.errors()[0]);
    EXPECT_TRUE(verify::Verify(std::move(program).value()).ok()) << name;
  }
}

}  // namespace
}  // namespace hologram::frontend
