// What the parts of libhologram that the module leaves out answer to the parts that it has: there
// is one process, one thread, no processor of its own, no device and no compiler.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/fork_gate.h"
#include "bundle/bundle_library.h"
#include "engines/cpu_features.h"
#include "engines/device_code.h"
#include "engines/devices/devices.h"
#include "engines/devices/resident.h"
#include "engines/engine.h"
#include "observe/span.h"
#include "runtime/compiler_plugin.h"

namespace std {
namespace {

bool HasDigits(string_view mantissa) {
  return mantissa.substr(0, mantissa.find_first_of("eE")).find_first_of("123456789") !=
         string_view::npos;
}

template <class Float>
from_chars_result Read(const char* first, const char* last, Float& value,
                       Float (*read)(const char*, char**)) {
  const string text(first, last);
  const size_t sign = text.starts_with('-') ? 1 : 0;
  // strtod takes more than from_chars does: spaces, a plus, hexadecimal digits.
  if (text.size() == sign || text[sign] == '+' || text[sign] == '-' ||
      string_view(" \t\n\v\f\r").find(text[sign]) != string_view::npos) {
    return {first, errc::invalid_argument};
  }
  if (text.size() > sign + 1 && text[sign] == '0' && (text[sign + 1] | 0x20) == 'x') {
    value = sign == 0 ? Float{0} : -Float{0};
    return {first + sign + 1, errc()};
  }
  char* end = nullptr;
  const Float found = read(text.c_str(), &end);
  const size_t length = static_cast<size_t>(end - text.c_str());
  if (length == 0) return {first, errc::invalid_argument};
  const string_view used = string_view(text).substr(0, length);
  const bool is_word = used.find_first_of("0123456789") == string_view::npos;
  const bool out_of_range = !is_word && (isinf(found) || (found == 0 && HasDigits(used)));
  if (out_of_range) return {first + length, errc::result_out_of_range};
  value = found;
  return {first + length, errc()};
}

}  // namespace

from_chars_result from_chars(const char* first, const char* last, double& value) {
  return Read<double>(first, last, value, strtod);
}

from_chars_result from_chars(const char* first, const char* last, float& value) {
  return Read<float>(first, last, value, strtof);
}

}  // namespace std

extern "C" {

// That of wasi-libc sets the rounding mode of the processor for ties, and WebAssembly has none. The
// sum of an exact product is rounded to odd, so that the second rounding is that of the exact
// value.
float fmaf(float x, float y, float z) {
  const double product = static_cast<double>(x) * static_cast<double>(y);
  const double sum = product + static_cast<double>(z);
  if (!std::isfinite(sum)) return static_cast<float>(sum);
  const double part = sum - product;
  const double lost = (product - (sum - part)) + (static_cast<double>(z) - part);
  auto bits = std::bit_cast<uint64_t>(sum);
  if (lost != 0 && (bits & 1) == 0) bits = (lost > 0) == (sum > 0) ? bits + 1 : bits - 1;
  return static_cast<float>(std::bit_cast<double>(bits));
}

// The compiler's library of Debian has guards of the stack, which its C library does not know.
uintptr_t __stack_chk_guard = 0x5a17c0de;
[[noreturn]] void __stack_chk_fail() {
  std::abort();
}
// Of the files that catch what an allocation throws (web/CMakeLists.txt). Nothing is caught here.
[[noreturn]] void* __cxa_allocate_exception(size_t /*size*/) {
  std::abort();
}
[[noreturn]] void __cxa_throw(void* /*thrown*/, void* /*type*/, void (* /*destroy*/)(void*)) {
  std::abort();
}

}  // extern "C"

namespace hologram {

void ForkGate::Enter() {}
void ForkGate::Leave() {}
uint32_t ForkGate::Generation() {
  return 1;
}
void LongMutex::lock() {}
void LongMutex::unlock() {}

namespace {

Diagnostic NotHere(const std::string& what) {
  return Error(ErrorCode::kUnsupported, what + " is not in the WebAssembly build");
}

}  // namespace

namespace observe {
std::atomic<bool> is_tracing{false};

uint64_t Now() {
  return 0;
}

uint64_t Ticks() {
  return 0;
}

void Write(const SpanRecord& /*record*/, uint64_t /*begun*/, uint64_t /*ended*/) {}
}  // namespace observe

namespace bundle {

bool IsLibrary(std::span<const uint8_t> /*file*/) {
  return false;
}
Result<std::span<const uint8_t>> BundleInLibrary(std::span<const uint8_t> /*file*/) {
  return NotHere("the reader of shared libraries");
}

}  // namespace bundle

namespace engines {

Result<std::optional<Target>> CurrentTarget() {
  return std::optional<Target>();
}

Result<Ran> RunNative(const Task& /*task*/, const launch::Way& /*way*/) {
  return NotHere("native code");
}
Result<Ran> RunNativeForm(const Task& task, const launch::Way& way) {
  return RunNative(task, way);
}
Result<Ran> RunOnDevice(const Task& /*task*/, const launch::Way& way) {
  return NotHere(std::string(launch::NameOf(way.engine)));
}

namespace devices {
std::atomic<uint64_t> reserved_begin{kNothingReserved};

Result<Device*> UsedDevice(launch::Engine engine) {
  return NotHere(std::string(launch::NameOf(engine)));
}

// No array is on a device.
void HostCopies::FreeDeleter::operator()(void* memory) const {
  std::free(memory);
}
Result<HostCopies> HostCopies::Of(std::span<const hologram_buffer_ref> buffers) {
  HostCopies copies;
  copies.buffers_.assign(buffers.begin(), buffers.end());
  return copies;
}
Status HostCopies::CopyBack(const isa::Program& /*program*/) const {
  return Success{};
}
}  // namespace devices

}  // namespace engines

namespace runtime {

Result<std::vector<uint8_t>> Compile(const verify::VerifiedProgram& /*program*/, Target /*target*/,
                                     CompileOutput /*output*/, Checks /*checks*/,
                                     DebugLines /*lines*/) {
  return NotHere("the compiler of native code");
}

}  // namespace runtime
}  // namespace hologram
