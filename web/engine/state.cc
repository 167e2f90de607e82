#include "engine/state.h"

#include <map>
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
