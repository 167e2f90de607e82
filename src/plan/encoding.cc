#include "plan/encoding.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/bytes.h"

namespace hologram::pipeline {
namespace {

constexpr uint8_t kMagic[4] = {'H', 'G', 'P', 'L'};
constexpr uint16_t kMajorVersion = 1;
constexpr uint16_t kMinorVersion = 0;
// The least that a record takes.
constexpr size_t kArrayBytes = 8;
constexpr size_t kStepBytes = 30;

Diagnostic Invalid(std::string message) {
  return Error(ErrorCode::kInvalidBundle, "pipeline section: " + std::move(message));
}

void WriteArray(ByteWriter& out, const Array& array) {
  out.U8(static_cast<uint8_t>(array.role));
  if (!array.is_public()) {
    out.U64(array.bytes);
    out.Bytes(array.data);
    return;
  }
  out.U8(static_cast<uint8_t>(array.type));
  out.U8(static_cast<uint8_t>(array.extents.size()));
  for (const uint64_t extent : array.extents) out.U64(extent);
  out.SizedText(array.name);
}

void WriteStep(ByteWriter& out, const Step& step) {
  out.U32(step.kernel);
  out.U8(static_cast<uint8_t>(step.operands.size()));
  out.U8(static_cast<uint8_t>(step.scalars.size()));
  for (const Operand& operand : step.operands) {
    out.U32(operand.array);
    out.U64(operand.first);
    out.U64(operand.bytes);
  }
  for (const uint64_t scalar : step.scalars) out.U64(scalar);
  for (const uint32_t blocks : step.shape.grid) out.U32(blocks);
  for (const uint32_t lanes : step.shape.block) out.U32(lanes);
}

Status ReadPublicArray(ByteReader& in, Array& array) {
  const uint8_t type = in.U8();
  const uint8_t rank = in.U8();
  if (type >= isa::kNumTypes) return Invalid("unknown type " + std::to_string(type));
  if (rank > isa::kMaxRank) return Invalid("an array of " + std::to_string(rank) + " dimensions");
  array.type = static_cast<isa::Type>(type);
  for (uint8_t k = 0; k < rank; ++k) array.extents.push_back(in.U64());
  array.name = in.SizedText();
  // What is too large has 0 here, which CheckPlan refuses.
  array.bytes = BytesOf(array.type, array.extents).value_or(0);
  return Success{};
}

Status ReadArray(ByteReader& in, Array& array) {
  const uint8_t role = in.U8();
  if (role > static_cast<uint8_t>(Role::kConstant)) {
    return Invalid("unknown role " + std::to_string(role));
  }
  array.role = static_cast<Role>(role);
  if (array.is_public()) return ReadPublicArray(in, array);
  array.bytes = in.U64();
  if (array.role == Role::kTemporary) return Success{};
  if (!in.CanHold(array.bytes, 1)) return Invalid("a constant is cut off");
  const std::span<const uint8_t> data = in.Bytes(array.bytes);
  array.data.assign(data.begin(), data.end());
  return Success{};
}

void ReadStep(ByteReader& in, Step& step) {
  step.kernel = in.U32();
  step.operands.resize(in.U8());
  step.scalars.resize(in.U8());
  for (Operand& operand : step.operands) {
    operand.array = in.U32();
    operand.first = in.U64();
    operand.bytes = in.U64();
  }
  for (uint64_t& scalar : step.scalars) scalar = in.U64();
  for (uint32_t& blocks : step.shape.grid) blocks = in.U32();
  for (uint32_t& lanes : step.shape.block) lanes = in.U32();
}

Status ReadHeader(ByteReader& in) {
  const std::span<const uint8_t> magic = in.Bytes(sizeof(kMagic));
  if (!std::equal(magic.begin(), magic.end(), std::begin(kMagic), std::end(kMagic))) {
    return Invalid("it does not begin with its magic number");
  }
  const uint16_t major = in.U16();
  const uint16_t minor = in.U16();
  if (major == kMajorVersion && minor == kMinorVersion) return Success{};
  return Invalid("it has version " + std::to_string(major) + "." + std::to_string(minor) +
                 ", this library reads " + std::to_string(kMajorVersion) + "." +
                 std::to_string(kMinorVersion));
}

}  // namespace

std::vector<uint8_t> Encode(const Plan& plan) {
  ByteWriter out;
  out.Bytes(kMagic);
  out.U16(kMajorVersion);
  out.U16(kMinorVersion);
  out.SizedText(plan.name);
  out.U32(static_cast<uint32_t>(plan.arrays.size()));
  out.U32(static_cast<uint32_t>(plan.steps.size()));
  for (const Array& array : plan.arrays) WriteArray(out, array);
  for (const Step& step : plan.steps) WriteStep(out, step);
  return std::move(out).Take();
}

Result<Plan> Decode(std::span<const uint8_t> bytes, size_t num_programs) {
  ByteReader in(bytes);
  HOLOGRAM_RETURN_IF_ERROR(ReadHeader(in));
  Plan plan;
  plan.num_kernels = static_cast<uint32_t>(num_programs);
  plan.name = in.SizedText();
  const uint32_t arrays = in.U32();
  const uint32_t steps = in.U32();
  if (arrays > kMostArrays || steps > kMostSteps || !in.CanHold(arrays, kArrayBytes) ||
      !in.CanHold(steps, kStepBytes)) {
    return Invalid("it promises " + std::to_string(arrays) + " arrays and " +
                   std::to_string(steps) + " launches, more than it can hold");
  }
  plan.arrays.resize(arrays);
  for (Array& array : plan.arrays) HOLOGRAM_RETURN_IF_ERROR(ReadArray(in, array));
  plan.steps.resize(steps);
  for (Step& step : plan.steps) {
    if (in.failed()) break;
    ReadStep(in, step);
  }
  if (in.failed()) return Invalid("it is cut off");
  if (in.remaining() != 0) {
    return Invalid(std::to_string(in.remaining()) + " bytes follow the last launch");
  }
  HOLOGRAM_RETURN_IF_ERROR(CheckPlan(plan));
  return plan;
}

}  // namespace hologram::pipeline
