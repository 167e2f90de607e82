#include "emulator.h"

#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace hologram::tests::cross {
namespace {

constexpr time_t kSecondsForAnAnswer = 120;

Diagnostic Failed(std::string what) {
  return Error(ErrorCode::kInvalidArgument, std::move(what));
}

}  // namespace

pid_t Spawn(const std::vector<std::string>& words, int input_and_output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input_and_output >= 0) {
    posix_spawn_file_actions_adddup2(&actions, input_and_output, 0);
    posix_spawn_file_actions_adddup2(&actions, input_and_output, 1);
  }
  pid_t process = -1;
  const int code =
      posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return code == 0 ? process : -1;
}

Status Emulator::Start() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return Failed("no socket");
  process_ = Spawn(command_, ends[1]);
  close(ends[1]);
  socket_ = ends[0];
  if (process_ < 0) {
    Stop();
    return Failed("cannot start " + command_[0]);
  }
  const timeval limit{kSecondsForAnAnswer, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  return Success{};
}

void Emulator::Stop() {
  if (socket_ >= 0) close(socket_);
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  socket_ = -1;
  process_ = -1;
}

// After it the next Load starts a fresh process.
Diagnostic Emulator::Broken(const char* during) {
  int status = 0;
  std::string how = "gave no answer in time";
  usleep(200000);  // the end of the stream can be seen before the end of the process
  if (process_ > 0 && waitpid(process_, &status, WNOHANG) == process_) {
    process_ = -1;
    how = WIFSIGNALED(status) ? "ended with signal " + std::to_string(WTERMSIG(status))
                              : "ended with code " + std::to_string(WEXITSTATUS(status));
  }
  Stop();
  return Failed("the process that runs kernels " + how + " while it " + during);
}

bool Emulator::Send(const void* data, size_t bytes) const {
  const auto* at = static_cast<const uint8_t*>(data);
  while (bytes != 0) {
    const ssize_t some = send(socket_, at, bytes, MSG_NOSIGNAL);
    if (some <= 0) return false;
    at += some;
    bytes -= static_cast<size_t>(some);
  }
  return true;
}

bool Emulator::Receive(void* data, size_t bytes) const {
  auto* at = static_cast<uint8_t*>(data);
  while (bytes != 0) {
    const ssize_t some = recv(socket_, at, bytes, 0);
    if (some <= 0) return false;
    at += some;
    bytes -= static_cast<size_t>(some);
  }
  return true;
}

Result<Reply> Emulator::Load(const Image& image) {
  if (socket_ < 0) HOLOGRAM_RETURN_IF_ERROR(Start());
  Request request{};
  request.kind = Kind::kLoad;
  request.bytes = image.bytes.size();
  request.info = image.info;
  Reply reply{};
  if (!Send(&request, sizeof request) || !Send(image.bytes.data(), image.bytes.size()) ||
      !Receive(&reply, sizeof reply)) {
    return Broken("loaded the kernel");
  }
  return reply;
}

bool Emulator::Serve(const isa::Program& program, const Reply& call,
                     hologram_stream_state* stream) const {
  if (stream == nullptr) return false;
  if (call.calls == 2) return Collect(program, call, stream);
  stream->launch = call.state;
  Answer answer{};
  answer.failed =
      stream->service(&stream->launch, call.pc, call.lane, call.operands, &answer.result);
  answer.state = stream->launch;
  return Send(&answer, sizeof answer);
}

bool Emulator::Collect(const isa::Program& program, const Reply& call,
                       hologram_stream_state* stream) const {
  if (call.pc >= program.code.size()) return false;
  const uint32_t size = isa::SizeOf(program.code[call.pc].type);
  std::array<uint64_t, kMaxSumLanes> values;
  if (!Send(&size, sizeof size) || !Receive(values.data(), sizeof values)) return false;
  stream->add(&stream->launch, call.pc, call.lane, call.operands[0], call.operands[1],
              values.data());
  return true;
}

Result<Reply> Emulator::Run(Kind kind, const isa::Program& program, const launch::Launch& launch,
                            hologram_stream_state* stream) {
  Request request{};
  request.kind = kind;
  request.num_buffers = static_cast<uint32_t>(launch.buffers.size());
  request.num_scalars = static_cast<uint32_t>(launch.scalars.size());
  request.budget = launch.budget;
  request.class_base = launch.class_base;
  request.shape = launch.shape;
  request.phase = stream == nullptr ? 0 : stream->phase;
  bool sent = Send(&request, sizeof request) &&
              Send(launch.scalars.data(), launch.scalars.size() * sizeof(uint64_t));
  for (const hologram_buffer_ref& ref : launch.buffers) {
    sent = sent && Send(&ref.bytes, sizeof ref.bytes);
  }
  for (const hologram_buffer_ref& ref : launch.buffers) sent = sent && Send(ref.data, ref.bytes);
  Reply reply{};
  bool received = sent && Receive(&reply, sizeof reply);
  while (received && reply.calls != 0) {
    received = Serve(program, reply, stream) && Receive(&reply, sizeof reply);
  }
  if (received && stream != nullptr) {
    stream->launch = reply.state;
    stream->phase_advance = reply.phase_advance;
  }
  for (const hologram_buffer_ref& ref : launch.buffers) {
    received = received && Receive(ref.data, ref.bytes);
  }
  if (!received) return Broken("ran the kernel");
  return reply;
}

}  // namespace hologram::tests::cross
