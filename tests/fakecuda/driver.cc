// A stand-in for NVIDIA's driver, libcuda.so.1, that runs the PTX of src/device on the processor.
// It is stricter than the driver where that allows more: launches and copies of a stream run
// when the host waits for it, and not before; their arguments are copied at the call; memory of a
// device cannot be touched by the host; a thread that waits at a barrier that another does not
// reach is an error; an error of a kernel stays.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "code.h"
#include "machine.h"
#include "memory.h"
#include "ptx.h"
#include "settings.h"

namespace fakecuda {
namespace {

enum : int {
  kOk = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kNoBinary = 209,
  kInvalidPtx = 218,
  kUnsupportedPtx = 222,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kOutOfResources = 701,
};

struct Context {
  int device = 0;
  bool retained = false;
  int fault = 0;  // it stays
};

struct Stream {
  Context* context = nullptr;
  std::deque<std::function<void()>> waiting;
};

struct Event {
  bool reached = false;
  std::chrono::steady_clock::time_point when;
};

struct Module {
  Context* context = nullptr;
  Program program;
  std::vector<uint64_t> tables;
  int most_threads = 1024;
  std::vector<uint64_t> parameters;
};

struct Driver {
  std::mutex mutex;
  bool ready = false;
  DeviceMemory memory;
  Context contexts[8];
  std::vector<std::unique_ptr<Stream>> streams;
  std::set<Module*> modules;
  std::set<Event*> events;
  uint64_t launches = 0;
  uint64_t loaded = 0;
};

Driver& TheDriver() {
  static auto* const driver = new Driver;  // calls may come while the process ends
  return *driver;
}

thread_local std::vector<Context*> current;

Context* Current() {
  return current.empty() ? nullptr : current.back();
}

// Each call that needs a driver, and one that needs a context, starts with one of these.
int Enter(const char* function) {
  if (!TheDriver().ready) return kNotInitialized;
  return FailureOf(function);
}

int EnterContext(const char* function) {
  if (const int code = Enter(function); code != kOk) return code;
  if (Current() == nullptr) return kInvalidContext;
  return Current()->fault;
}

void RunStream(Stream& stream) {
  while (!stream.waiting.empty()) {
    const std::function<void()> next = std::move(stream.waiting.front());
    stream.waiting.pop_front();
    if (stream.context->fault == kOk) next();
  }
}

void RunContext(const Context& context) {
  for (const std::unique_ptr<Stream>& stream : TheDriver().streams) {
    if (stream->context == &context) RunStream(*stream);
  }
}

Stream* StreamOf(void* handle) {
  for (const std::unique_ptr<Stream>& stream : TheDriver().streams) {
    if (stream.get() == handle) return stream.get();
  }
  return nullptr;
}

// The newest version of PTX that a driver of this version knows.
uint32_t PtxVersionOf(int driver) {
  if (driver < 9000) return 50;
  if (driver < 10000) return 60 + static_cast<uint32_t>(driver % 1000 / 10);
  return driver < 11000 ? 63 : 70;
}

// What NVIDIA's assembler says, if FAKECUDA_PTXAS names it; empty: nothing.
std::string Assembled(const std::string& text, int capability) {
  const std::string assembler = TextOf("FAKECUDA_PTXAS");
  if (assembler.empty()) return {};
  char path[] = "/tmp/fakecudaXXXXXX";
  const int file = mkstemp(path);
  if (file < 0) return "no file for ptxas";
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  const std::string command = assembler + " -arch=sm_" + std::to_string(capability) + " " + path +
                              " -o /dev/null 2>" + path + ".log";
  const bool taken = written && std::system(command.c_str()) == 0;
  std::string said = taken ? "" : "ptxas refuses it";
  if (FILE* const log = std::fopen((std::string(path) + ".log").c_str(), "r")) {
    char line[512];
    if (!taken && std::fgets(line, sizeof line, log) != nullptr) said = line;
    std::fclose(log);
  }
  std::remove(path);
  std::remove((std::string(path) + ".log").c_str());
  return said;
}

int LoadModule(const std::string& text, Module& module, std::string& log) {
  Driver& driver = TheDriver();
  try {
    const PtxModule read = ReadPtx(text);
    if (read.version > PtxVersionOf(NumberOf("FAKECUDA_VERSION", 12040))) {
      log = "the driver does not know this version of PTX";
      return kUnsupportedPtx;
    }
    const int capability = NumberOf("FAKECUDA_CAPABILITY", 90);
    if (static_cast<int>(read.target) > capability) return kNoBinary;
    log = Assembled(text, capability);
    if (!log.empty()) return kInvalidPtx;
    std::map<std::string, uint64_t> tables;
    for (const auto& [name, bytes] : read.tables) {
      const uint64_t at = driver.memory.Allocate(bytes.size(), module.context->device, true);
      if (at == 0) return kOutOfMemory;
      const DeviceMemory::Access access(driver.memory);
      std::memcpy(reinterpret_cast<void*>(at), bytes.data(), bytes.size());
      module.tables.push_back(tables[name] = at);
    }
    module.program = Decode(read, tables);
    return kOk;
  } catch (const std::exception& error) {
    log = error.what();
    return kInvalidPtx;
  }
}

void RunLaunch(const Module& module, const Grid& grid, const std::vector<uint64_t>& parameters,
               Context& context) {
  Driver& driver = TheDriver();
  Order order = OrderNow();
  order.seed += driver.launches++;
  try {
    const DeviceMemory::Access access(driver.memory);
    Machine(module.program, driver.memory, context.device, order).Run(grid, parameters);
  } catch (const Fault& fault) {
    context.fault = fault.code;
    std::fprintf(stderr, "fakecuda: %s\n", fault.text.c_str());
  }
}

bool IsModule(void* handle) {
  return TheDriver().modules.count(static_cast<Module*>(handle)) != 0;
}

}  // namespace
}  // namespace fakecuda

using namespace fakecuda;

// FAKECUDA_NOTHING: a device that is infinitely fast and does nothing, to time what calls it.
bool DoesNothing() {
  static const bool does_nothing = !TextOf("FAKECUDA_NOTHING").empty();
  return does_nothing && TheDriver().loaded > 2;  // after both probes
}

#define API extern "C" __attribute__((visibility("default"))) int
#define LOCKED const std::lock_guard lock(TheDriver().mutex)
#define ENTER(name) \
  LOCKED;           \
  if (const int code = Enter(name); code != kOk) return code
#define ENTER_CONTEXT(name) \
  LOCKED;                   \
  if (const int code = EnterContext(name); code != kOk) return code

API cuInit(uint32_t flags) {
  LOCKED;
  if (flags != 0) return kInvalidValue;
  if (const int code = FailureOf("cuInit"); code != kOk) return code;
  if (NumberOf("FAKECUDA_DEVICES", 1) == 0) return kNoDevice;
  if (TextOf("FAKECUDA_BREAK") == "fma") BreakFma();
  Driver& driver = TheDriver();
  if (!driver.ready && !driver.memory.Open()) return kOutOfMemory;
  driver.ready = true;
  return kOk;
}

API cuDriverGetVersion(int* version) {
  ENTER("cuDriverGetVersion");
  *version = NumberOf("FAKECUDA_VERSION", 12040);
  return kOk;
}

API cuDeviceGetCount(int* count) {
  ENTER("cuDeviceGetCount");
  *count = NumberOf("FAKECUDA_DEVICES", 1);
  return kOk;
}

API cuDeviceGet(int* device, int number) {
  ENTER("cuDeviceGet");
  if (number < 0 || number >= NumberOf("FAKECUDA_DEVICES", 1)) return kInvalidDevice;
  *device = number;
  return kOk;
}

API cuDeviceGetName(char* name, int size, int /*device*/) {
  ENTER("cuDeviceGetName");
  std::snprintf(name, static_cast<size_t>(size), "stand-in for a GPU");
  return kOk;
}

API cuDeviceGetAttribute(int* value, int what, int /*device*/) {
  ENTER("cuDeviceGetAttribute");
  const int capability = NumberOf("FAKECUDA_CAPABILITY", 90);
  switch (what) {
    case 1:
    case 2:
    case 3:
      *value = 1024;
      return kOk;
    case 4:
      *value = 64;
      return kOk;
    case 5:
      *value = 0x7fffffff;
      return kOk;
    case 6:
    case 7:
      *value = 65535;
      return kOk;
    case 8:
      *value = 49152;
      return kOk;
    case 16:  // processors
      *value = 1;
      return kOk;
    case 115:  // pools
      *value = NumberOf("FAKECUDA_POOLS", 1);
      return kOk;
    case 75:
      *value = capability / 10;
      return kOk;
    case 76:
      *value = capability % 10;
      return kOk;
    default:
      return kInvalidValue;
  }
}

API cuDevicePrimaryCtxRetain(void** context, int device) {
  ENTER("cuDevicePrimaryCtxRetain");
  if (device < 0 || device >= 8) return kInvalidDevice;
  Context& made = TheDriver().contexts[device];
  made.device = device;
  made.retained = true;
  *context = &made;
  return kOk;
}

API cuCtxGetCurrent(void** context) {
  if (DoesNothing()) {
    *context = Current();
    return kOk;
  }
  ENTER("cuCtxGetCurrent");
  *context = Current();
  return kOk;
}

API cuCtxPushCurrent_v2(void* context) {
  ENTER("cuCtxPushCurrent_v2");
  auto* const pushed = static_cast<Context*>(context);
  if (pushed == nullptr || !pushed->retained) return kInvalidContext;
  current.push_back(pushed);
  return kOk;
}

API cuCtxPopCurrent_v2(void** context) {
  ENTER("cuCtxPopCurrent_v2");
  if (current.empty()) return kInvalidContext;
  *context = current.back();
  current.pop_back();
  return kOk;
}

API cuStreamCreate(void** stream, uint32_t /*flags*/) {
  ENTER_CONTEXT("cuStreamCreate");
  auto made = std::make_unique<Stream>();
  made->context = Current();
  *stream = made.get();
  TheDriver().streams.push_back(std::move(made));
  return kOk;
}

API cuCtxSynchronize() {
  if (DoesNothing()) return kOk;
  ENTER_CONTEXT("cuCtxSynchronize");
  RunContext(*Current());
  return Current()->fault;
}

API cuStreamSynchronize(void* handle) {
  if (DoesNothing()) return kOk;
  ENTER_CONTEXT("cuStreamSynchronize");
  Stream* const stream = StreamOf(handle);
  if (stream == nullptr) return kInvalidHandle;
  RunStream(*stream);
  return stream->context->fault;
}

API cuEventCreate(void** event, uint32_t /*flags*/) {
  ENTER_CONTEXT("cuEventCreate");
  auto* const made = new Event;
  TheDriver().events.insert(made);
  *event = made;
  return kOk;
}

// Reached when the stream comes to it: in one that does nothing at once.
API cuEventRecord(void* handle, void* stream_handle) {
  ENTER_CONTEXT("cuEventRecord");
  Stream* const stream = StreamOf(stream_handle);
  auto* const event = static_cast<Event*>(handle);
  if (stream == nullptr || TheDriver().events.count(event) == 0) return kInvalidHandle;
  const auto reach = [event] {
    event->when = std::chrono::steady_clock::now();
    event->reached = true;
  };
  event->reached = false;
  if (stream->waiting.empty()) {
    reach();
  } else {
    stream->waiting.push_back(reach);
  }
  return kOk;
}

API cuEventElapsedTime(float* milliseconds, void* begin, void* end) {
  ENTER_CONTEXT("cuEventElapsedTime");
  const auto* const first = static_cast<Event*>(begin);
  const auto* const last = static_cast<Event*>(end);
  const auto& events = TheDriver().events;
  if (events.count(static_cast<Event*>(begin)) == 0 ||
      events.count(static_cast<Event*>(end)) == 0) {
    return kInvalidHandle;
  }
  if (!first->reached || !last->reached) return kNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(last->when - first->when).count();
  return kOk;
}

API cuMemAlloc_v2(uint64_t* memory, size_t bytes) {
  ENTER_CONTEXT("cuMemAlloc_v2");
  if (bytes == 0) return kInvalidValue;
  *memory = TheDriver().memory.Allocate(bytes, Current()->device, false);
  return *memory == 0 ? kOutOfMemory : kOk;
}

API cuMemFree_v2(uint64_t memory) {
  ENTER_CONTEXT("cuMemFree_v2");
  RunContext(*Current());
  return TheDriver().memory.Free(memory) ? kOk : kInvalidValue;
}

API cuMemPoolCreate(void** pool, const int32_t* properties) {
  ENTER("cuMemPoolCreate");
  const int32_t device = properties[3];
  if (properties[0] != 1 || properties[2] != 1 || device < 0 || device >= 8) return kInvalidValue;
  *pool = &TheDriver().contexts[device];
  return kOk;
}

API cuMemPoolSetAttribute(void* pool, int what, const void* value) {
  ENTER("cuMemPoolSetAttribute");
  return pool == nullptr || what != 4 || value == nullptr ? kInvalidValue : kOk;
}

API cuMemAllocFromPoolAsync(uint64_t* memory, size_t bytes, const void* pool, void* handle) {
  ENTER_CONTEXT("cuMemAllocFromPoolAsync");
  if (StreamOf(handle) == nullptr) return kInvalidHandle;
  if (bytes == 0 || pool != Current()) return kInvalidValue;
  *memory = TheDriver().memory.Allocate(bytes, Current()->device, false);
  return *memory == 0 ? kOutOfMemory : kOk;
}

// When the stream comes to it, and not before.
API cuMemFreeAsync(uint64_t memory, void* handle) {
  ENTER_CONTEXT("cuMemFreeAsync");
  Stream* const stream = StreamOf(handle);
  if (stream == nullptr) return kInvalidHandle;
  if (!TheDriver().memory.WhyNot(memory, 1, Current()->device, false).empty()) {
    return kInvalidValue;
  }
  stream->waiting.emplace_back([memory] { (void)TheDriver().memory.Free(memory); });
  return kOk;
}

// Memory of the host that is not pinned is read at the call.
API cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* handle) {
  if (DoesNothing()) return kOk;
  ENTER_CONTEXT("cuMemcpyHtoDAsync_v2");
  Stream* const stream = StreamOf(handle);
  if (stream == nullptr) return kInvalidHandle;
  DeviceMemory& memory = TheDriver().memory;
  if (!memory.WhyNot(to, bytes, Current()->device, true).empty()) return kInvalidValue;
  const auto* const first = static_cast<const uint8_t*>(from);
  auto kept = std::make_shared<std::vector<uint8_t>>(first, first + bytes);
  stream->waiting.push_back([to, kept, &memory] {
    const DeviceMemory::Access access(memory);
    std::memcpy(reinterpret_cast<void*>(to), kept->data(), kept->size());
  });
  return kOk;
}

API cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* handle) {
  if (DoesNothing()) return kOk;
  ENTER_CONTEXT("cuMemcpyDtoHAsync_v2");
  Stream* const stream = StreamOf(handle);
  if (stream == nullptr) return kInvalidHandle;
  DeviceMemory& memory = TheDriver().memory;
  if (!memory.WhyNot(from, bytes, Current()->device, false).empty()) return kInvalidValue;
  std::memset(to, 0xDB, bytes);  // until the host waits for the stream
  stream->waiting.push_back([to, from, bytes, &memory] {
    const DeviceMemory::Access access(memory);
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  });
  return kOk;
}

API cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void* handle) {
  if (DoesNothing()) return kOk;
  ENTER_CONTEXT("cuMemcpyDtoDAsync_v2");
  Stream* const stream = StreamOf(handle);
  if (stream == nullptr) return kInvalidHandle;
  DeviceMemory& memory = TheDriver().memory;
  const int device = Current()->device;
  if (!memory.WhyNot(to, bytes, device, true).empty()) return kInvalidValue;
  if (!memory.WhyNot(from, bytes, device, false).empty()) return kInvalidValue;
  stream->waiting.emplace_back([to, from, bytes, &memory] {
    const DeviceMemory::Access access(memory);
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  });
  return kOk;
}

API cuModuleLoadDataEx(void** module, const void* image, uint32_t count, const int* options,
                       void** values) {
  ENTER_CONTEXT("cuModuleLoadDataEx");
  char* log = nullptr;
  size_t room = 0;
  int registers = 0;
  for (uint32_t k = 0; k < count; ++k) {
    const auto number = reinterpret_cast<uintptr_t>(values[k]);
    if (options[k] == 0) registers = static_cast<int>(number);
    if (options[k] == 5) log = static_cast<char*>(values[k]);
    if (options[k] == 6) room = number;
  }
  auto made = std::make_unique<Module>();
  made->context = Current();
  made->most_threads = registers != 0 ? 65536 / registers : NumberOf("FAKECUDA_THREADS", 1024);
  std::string said;
  const int code = LoadModule(static_cast<const char*>(image), *made, said);
  if (log != nullptr && room != 0) std::snprintf(log, room, "%s", said.c_str());
  if (code != kOk) {
    for (const uint64_t table : made->tables) (void)TheDriver().memory.Free(table);
    return code;
  }
  TheDriver().modules.insert(made.get());
  ++TheDriver().loaded;
  *module = made.release();
  return kOk;
}

API cuModuleUnload(void* handle) {
  ENTER_CONTEXT("cuModuleUnload");
  if (!IsModule(handle)) return kInvalidHandle;
  auto* const module = static_cast<Module*>(handle);
  RunContext(*module->context);
  for (const uint64_t table : module->tables) (void)TheDriver().memory.Free(table);
  TheDriver().modules.erase(module);
  delete module;
  return kOk;
}

API cuModuleGetFunction(void** function, void* handle, const char* name) {
  ENTER_CONTEXT("cuModuleGetFunction");
  if (!IsModule(handle)) return kInvalidHandle;
  if (static_cast<Module*>(handle)->program.kernel().name != name) return kNotFound;
  *function = handle;
  return kOk;
}

API cuFuncGetAttribute(int* value, int what, void* function) {
  ENTER_CONTEXT("cuFuncGetAttribute");
  if (!IsModule(function)) return kInvalidHandle;
  if (what != 0) return kInvalidValue;
  *value = static_cast<Module*>(function)->most_threads;
  return kOk;
}

API cuLaunchKernel(void* function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z,
                   uint32_t block_x, uint32_t block_y, uint32_t block_z, uint32_t shared_bytes,
                   void* handle, void** arguments, void** extra) {
  if (DoesNothing()) return kOk;
  ENTER_CONTEXT("cuLaunchKernel");
  Stream* const stream = StreamOf(handle);
  if (stream == nullptr || !IsModule(function)) return kInvalidHandle;
  const Grid grid{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}};
  const uint64_t threads = uint64_t{block_x} * block_y * block_z;
  if (grid_x == 0 || grid_y == 0 || grid_z == 0 || grid_y > 65535 || grid_z > 65535 ||
      threads == 0 || threads > 1024 || block_z > 64 || shared_bytes != 0 || extra != nullptr) {
    return kInvalidValue;
  }
  const auto* const module = static_cast<Module*>(function);
  if (threads > static_cast<uint64_t>(module->most_threads)) return kOutOfResources;
  const Code& kernel = module->program.kernel();
  std::vector<uint64_t> kept(kernel.parameters.size(), 0);
  for (size_t k = 0; k < kept.size(); ++k) {
    std::memcpy(&kept[k], arguments[k], SizeOfType(kernel.parameters[k].type));
  }
  Context& context = *stream->context;
  stream->waiting.push_back(
      [module, grid, kept, &context] { RunLaunch(*module, grid, kept, context); });
  return kOk;
}

API cuGetErrorName(int code, const char** text) {
  struct Name {
    int code;
    const char* text;
  };
  static constexpr Name kNames[] = {{kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
                                    {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
                                    {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED"},
                                    {kNoDevice, "CUDA_ERROR_NO_DEVICE"},
                                    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
                                    {kInvalidPtx, "CUDA_ERROR_INVALID_PTX"},
                                    {kUnsupportedPtx, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
                                    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                    {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
                                    {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
                                    {719, "CUDA_ERROR_LAUNCH_FAILED"}};
  for (const Name& name : kNames) {
    if (name.code != code) continue;
    *text = name.text;
    return kOk;
  }
  *text = nullptr;
  return kInvalidValue;
}
