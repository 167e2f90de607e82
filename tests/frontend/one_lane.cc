#include "frontend/one_lane.h"

#include <gtest/gtest.h>

#include <cstring>

#include "differential/scalar_reference.h"
#include "launch/launch.h"
#include "launch/print_log.h"

namespace hologram::frontend {

OneLane::OneLane(const isa::Program& program, const std::vector<uint64_t>& scalars) {
  constexpr size_t kElements = 128;
  std::vector<hologram_buffer_ref> buffers;
  for (const isa::Parameter& parameter : program.parameters) {
    types_.push_back(parameter.type);
    const size_t size = parameter.is_buffer ? kElements * isa::SizeOf(parameter.type) : 0;
    bytes_.emplace_back(size);
    if (parameter.is_buffer) buffers.push_back({bytes_.back().data(), size});
  }
  const auto verified = verify::Verify(program);
  for (const Diagnostic& error : verified.errors()) ADD_FAILURE() << ToString(error);
  if (!verified.ok()) return;
  EXPECT_EQ(scalars.size() + buffers.size(), program.parameters.size());
  launch::PrintLog prints;
  launch::Launch launch;
  launch.buffers = buffers;
  launch.scalars = scalars;
  launch.prints = &prints;
  const tests::ScalarResult result = tests::RunScalar(verified.value(), launch);
  EXPECT_EQ(result.broken, "");
  EXPECT_FALSE(result.fault) << "instruction " << result.fault->pc;
}

tests::Value OneLane::At(size_t parameter, size_t element) const {
  const size_t size = isa::SizeOf(types_[parameter]);
  tests::Value value{types_[parameter], 0};
  EXPECT_LE((element + 1) * size, bytes_[parameter].size());
  std::memcpy(&value.bits, bytes_[parameter].data() + element * size, size);
  return value;
}

}  // namespace hologram::frontend
