#include "run_image.h"

#include <cstring>

#include "interpreter/lane_service.h"

namespace hologram::tests {

using cross::Emulator;
using cross::Image;
using cross::Kind;
using cross::Reply;

namespace {

struct Copies {
  explicit Copies(const launch::Launch& launch) {
    for (const hologram_buffer_ref& ref : launch.buffers) {
      const auto* data = static_cast<const uint8_t*>(ref.data);
      bytes.emplace_back(data, data + ref.bytes);
    }
    for (std::vector<uint8_t>& one : bytes) refs.push_back({one.data(), one.size()});
  }
  std::vector<std::vector<uint8_t>> bytes;
  std::vector<hologram_buffer_ref> refs;
};

Status CheckReply(const Reply& reply) {
  if (reply.done != HOLOGRAM_LAUNCH_DONE) {
    return Error(ErrorCode::kUnsupported, "the generated check rejects the launch");
  }
  if (reply.overrun != 0) {
    return Error(ErrorCode::kFault,
                 "something was written in front of buffer " + std::to_string(reply.overrun - 1));
  }
  return Success{};
}

Status CheckStreaming(Emulator& emulator, const isa::Program& program,
                      const launch::Launch& expected, Copies copies) {
  launch::Launch launch = expected;
  launch.buffers = copies.refs;
  HOLOGRAM_ASSIGN_OR_RETURN(const Reply reply,
                            emulator.Run(Kind::kRunStreaming, program, launch, nullptr));
  HOLOGRAM_RETURN_IF_ERROR(CheckReply(reply));
  for (size_t i = 0; i < copies.refs.size(); ++i) {
    const hologram_buffer_ref& ref = expected.buffers[i];
    if (ref.bytes != 0 && std::memcmp(ref.data, copies.refs[i].data, ref.bytes) != 0) {
      return Error(ErrorCode::kFault,
                   "the streaming body gives other bits in buffer " + std::to_string(i));
    }
  }
  return Success{};
}

}  // namespace

Result<std::optional<launch::Fault>> RunImage(Emulator& emulator,
                                              const verify::VerifiedProgram& program,
                                              const Image& image, const launch::Launch& launch) {
  const auto tier = launch::CheckLaunch(program, launch);
  if (!tier.ok() || tier.value() != launch::LaunchTier::kProved) {
    return Error(ErrorCode::kUnsupported, "the generated check rejects the launch");
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const Reply loaded, emulator.Load(image));
  Copies before(launch);
  std::optional<interpreter::LaneService> service;
  if (program.needs_session()) service.emplace(program, launch);
  // `launch` is its first member.
  auto* stream = service ? reinterpret_cast<hologram_stream_state*>(service->state()) : nullptr;
  HOLOGRAM_ASSIGN_OR_RETURN(const Reply reply,
                            emulator.Run(Kind::kRunEntry, program.program(), launch, stream));
  HOLOGRAM_RETURN_IF_ERROR(CheckReply(reply));
  if (loaded.has_streaming != 0) {
    HOLOGRAM_RETURN_IF_ERROR(
        CheckStreaming(emulator, program.program(), launch, std::move(before)));
  }
  if (reply.state.fault_code == HOLOGRAM_FAULT_NONE) {
    if (service) HOLOGRAM_RETURN_IF_ERROR(service->Commit());
    return std::optional<launch::Fault>();
  }
  return std::optional(launch::FaultOf(reply.state, service ? service->fault_other() : 0));
}

}  // namespace hologram::tests
