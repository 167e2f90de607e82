#include "engines/opencl/code.h"

#include <algorithm>
#include <utility>

#include "observe/counters.h"
#include "observe/span.h"

namespace hologram::engines::opencl {

Handle HandleOf(devices::Address memory) {
  return reinterpret_cast<Handle>(static_cast<uintptr_t>(memory));
}

Status CheckCall(const char* call, int32_t code) {
  if (code == 0) return Success{};
  return CallError(call, code);
}

OpenClCode::OpenClCode(const Api& api, const Builder& builder, Queue& queue,
                       device::SpirvKernel kernel)
    : api_(api), builder_(builder), queue_(queue), kernel_(std::move(kernel)) {}

void OpenClCode::Release() {
  if (built_ != nullptr) api_.release_kernel(std::exchange(built_, nullptr));
  if (program_ != nullptr) api_.release_program(std::exchange(program_, nullptr));
}

Hash OpenClCode::Key() const {
  const auto* const words = reinterpret_cast<const uint8_t*>(kernel_.words.data());
  KeyHasher key;
  key.Add("opencl");
  key.Add(builder_.name);
  key.Add(builder_.driver);
  key.Add(builder_.options);
  key.Add({words, kernel_.words.size() * sizeof(uint32_t)});
  return key.Finish();
}

// A cache that cannot be used only costs time: its user hears of it where kernels of the processor
// are compiled, and from `hologram doctor`.
Status OpenClCode::Build() {
  const Result<std::optional<CodeCache>> opened = CodeCache::OfUser();
  if (!opened.ok() || !opened.value()) return BuildSpirv();
  const CodeCache& cache = *opened.value();
  const Hash key = Key();
  if (BuildKept(cache, key)) return Success{};
  // Of several processes that need it at once, the first one builds.
  const CodeCache::Turn turn = cache.Await(key);
  if (turn.has_waited() && BuildKept(cache, key)) return Success{};
  HOLOGRAM_RETURN_IF_ERROR(BuildSpirv());
  if (const auto binary = Binary()) cache.Keep(key, *binary);
  return Success{};
}

Status OpenClCode::BuildProgram() {
  int32_t error =
      api_.build_program(program_, 1, &builder_.device, builder_.options, nullptr, nullptr);
  if (error != 0) return WhyNotBuilt();
  built_ = api_.create_kernel(program_, kernel_.entry.c_str(), &error);
  return CheckCall("clCreateKernel", error);
}

Status OpenClCode::BuildSpirv() {
  int32_t error = 0;
  program_ = api_.create_program(builder_.context, kernel_.words.data(),
                                 kernel_.words.size() * sizeof(uint32_t), &error);
  HOLOGRAM_RETURN_IF_ERROR(CheckCall("clCreateProgramWithIL", error));
  return BuildProgram();
}

bool OpenClCode::BuildKept(const CodeCache& cache, const Hash& key) {
  observe::Span span("cache", "look for code");
  const std::optional<std::vector<uint8_t>> binary = cache.Find(key);
  span.Text("found", binary ? "yes" : "no");
  observe::Count(binary ? observe::Counter::kCacheHits : observe::Counter::kCacheMisses);
  if (!binary) return false;
  const uint8_t* const data = binary->data();
  const size_t size = binary->size();
  int32_t status = 0;
  int32_t error = 0;
  program_ =
      api_.create_with_binary(builder_.context, 1, &builder_.device, &size, &data, &status, &error);
  if (error == 0 && status == 0 && BuildProgram().ok()) return true;
  Release();
  return false;
}

// Of the one device of the program.
std::optional<std::vector<uint8_t>> OpenClCode::Binary() const {
  size_t size = 0;
  if (api_.get_program_info(program_, kBinarySizes, sizeof size, &size, nullptr) != 0 ||
      size == 0) {
    return std::nullopt;
  }
  std::vector<uint8_t> binary(size);
  uint8_t* data = binary.data();
  if (api_.get_program_info(program_, kBinaries, sizeof data, static_cast<void*>(&data), nullptr) !=
      0) {
    return std::nullopt;
  }
  return binary;
}

Status OpenClCode::SetMemory(uint32_t number, devices::Address memory) {
  Handle buffer = HandleOf(memory);
  return SetNumber(number, static_cast<const void*>(&buffer), sizeof buffer);
}

Status OpenClCode::SetNumber(uint32_t number, const void* value, size_t size) {
  return CheckCall("clSetKernelArg", api_.set_argument(built_, number, size, value));
}

Status OpenClCode::Start(const hologram_launch_shape& shape) {
  size_t global[3];
  size_t local[3];
  for (int d = 0; d < 3; ++d) {
    local[d] = shape.block[d];
    global[d] = local[d] * shape.grid[d];
  }
  const int32_t code = queue_.Ask([&](Handle queue, Handle* event) {
    return api_.enqueue_kernel(queue, built_, 3, nullptr, global, local, 0, nullptr, event);
  });
  return CheckCall("clEnqueueNDRangeKernel", code);
}

Diagnostic OpenClCode::WhyNotBuilt() const {
  std::string log(4096, '\0');
  (void)api_.get_build_info(program_, builder_.device, kBuildLog, log.size() - 1, log.data(),
                            nullptr);
  log.resize(std::min(log.find('\0'), log.find('\n')));
  return Error(ErrorCode::kUnsupported,
               "'" + builder_.name + "' does not build '" + kernel_.entry + "': " + log);
}

}  // namespace hologram::engines::opencl
