#include "engine/state.h"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "engine/json.h"

namespace hologram::web {
namespace {

struct State {
  std::map<int32_t, Module> modules;
  int32_t next = 1;
  std::string text;
};

State& TheState() {
  static State state;
  return state;
}

std::optional<std::array<uint32_t, 3>> Requested(const uint32_t (&values)[3]) {
  if (values[0] == 0 && values[1] == 0 && values[2] == 0) return std::nullopt;
  return std::array<uint32_t, 3>{values[0], values[1], values[2]};
}

}  // namespace

int32_t Give(std::string text) {
  TheState().text = std::move(text);
  return 1;
}

int32_t Fail(const Diagnostics& errors) {
  TheState().text = ErrorsJson(errors);
  return 0;
}

int32_t GiveOrFail(Result<std::string> text) {
  return text.ok() ? Give(std::move(text).value()) : Fail(text.errors());
}

const std::string& TheText() {
  return TheState().text;
}

int32_t GiveLaunched(const Status& done, const Kernel::Launched& launched) {
  const std::string launch = LaunchJson(launched.way, launched.shape, launched.prints);
  if (done.ok()) return Give(launch);
  Give("{\"errors\":" + ErrorsJson(done.errors()) + ",\"launch\":" + launch + "}");
  return -1;
}

Kernel::Request RequestOf(const hologram_launch_config& config) {
  Kernel::Request request;
  request.shape.grid = Requested(config.grid);
  request.shape.block = Requested(config.block);
  request.deterministic = config.nondeterministic == 0;
  if (config.budget != 0) request.budget = config.budget;
  return request;
}

int32_t Keep(Result<Module> module) {
  if (!module.ok()) return Fail(module.errors());
  State& state = TheState();
  const int32_t number = state.next++;
  state.modules.emplace(number, std::move(module).value());
  return number;
}

void Release(int32_t module) {
  TheState().modules.erase(module);
}

const Module* FindModule(int32_t module) {
  const auto found = TheState().modules.find(module);
  return found == TheState().modules.end() ? nullptr : &found->second;
}

const Kernel* FindKernel(int32_t module, uint32_t kernel) {
  const Module* found = FindModule(module);
  return found == nullptr || kernel >= found->size() ? nullptr : (*found)[kernel].get();
}

int32_t NoKernel() {
  return Fail({Error(ErrorCode::kNotFound, "there is no such kernel; its module was released")});
}

}  // namespace hologram::web
