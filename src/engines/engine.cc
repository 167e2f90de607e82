#include "engines/engine.h"

namespace hologram::engines {
namespace {

class CudaBackend final : public Backend {
 public:
  std::string_view name() const override { return "cuda"; }
  Status Available() const override {
    return Error(ErrorCode::kUnsupported,
                 "the cuda backend is not in this build; use --backend cpu or interpreter");
  }
  Status CanRun(const RunnableKernel&) const override { return Available(); }
  Result<Outcome> Launch(const RunnableKernel&, const launch::Launch&,
                         const Parallelism&) const override {
    return Available().errors();
  }
};

}  // namespace

const Backend& Cuda() {
  static const CudaBackend backend;
  return backend;
}

const Backend* FindBackend(std::string_view name) {
  for (const Backend* backend : {&Interpreter(), &Cpu(), &Cuda()}) {
    if (backend->name() == name) return backend;
  }
  return nullptr;
}

}  // namespace hologram::engines
