// Shared by the scenarios of allocation_test: calls whose errors are looked at, and arguments.
#pragma once

#include <hologram/hologram.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace hologram::test {

extern int failures;
// How many errors had each code. It allocates nothing: that might be what fails.
extern std::array<int64_t, 16> codes;

void Fail(const char* format, ...);

struct Inputs {
  std::string bundle;
  std::string trust;
  std::string libraries;  // the folder of kernels written by hand
  std::string folder;     // of the bundle
  std::vector<uint8_t> bytes;
};

// The calls of a scenario. While they are armed an error is an answer; otherwise it is a mistake.
class Calls {
 public:
  explicit Calls(const char* name) : name_(name) {}

  // True: it succeeded.
  bool Ok(hologram_error* error) {
    if (error == nullptr) return true;
    Look(error);
    if (!is_armed_) Fail("%s: %s", name_, hologram_error_text(error));
    hologram_error_destroy(error);
    return false;
  }
  // An error that the calls are to give, whatever happens.
  void Refused(hologram_error* error, int32_t code) {
    if (error == nullptr) return Fail("%s: succeeded, expected code %d", name_, code);
    Look(error);
    if (!is_armed_ && hologram_error_code(error) != code) {
      Fail("%s: expected code %d, found '%s'", name_, code, hologram_error_text(error));
    }
    hologram_error_destroy(error);
  }
  void set_armed(bool value) { is_armed_ = value; }
  bool is_armed() const { return is_armed_; }
  const char* name() const { return name_; }

 private:
  void Look(const hologram_error* error) {
    const int32_t code = hologram_error_code(error);
    if (is_armed_) ++codes[static_cast<size_t>(code) % codes.size()];
    if (code == HOLOGRAM_ERROR_INTERNAL || std::strlen(hologram_error_message(error)) == 0 ||
        std::strlen(hologram_error_text(error)) == 0) {
      Fail("%s: an error of code %d: '%s'", name_, code, hologram_error_text(error));
    }
    // Both are read as an application would.
    (void)hologram_error_file(error);
    (void)hologram_error_line(error);
    (void)hologram_error_column(error);
    (void)hologram_error_fault(error);
  }

  const char* name_;
  bool is_armed_ = false;
};

// The preparation of a scenario. Its calls fail, and may be made again and again.
struct Scenario {
  const char* name;
  std::function<void(Calls&, hologram_executor*)> prepare;
  std::function<void(Calls&, hologram_executor*)> run;
  int64_t step = 1;  // only each so-many-th allocation fails, for calls that make very many
};

constexpr uint32_t kArray = uint32_t{HOLOGRAM_F32} | uint32_t{HOLOGRAM_ARGUMENT_BUFFER};

inline hologram_argument Array(std::vector<float>& values) {
  return {kArray | HOLOGRAM_ARGUMENT_WRITABLE, {values.data(), values.size() * sizeof(float)}, 0};
}
inline hologram_argument Scalar(uint64_t value, uint32_t type = HOLOGRAM_U32) {
  return {type, {nullptr, 0}, value};
}

// Finds a kernel, gives it to `use`, destroys it.
template <class Use>
void With(Calls& calls, hologram_executor* executor, const char* name, const Use& use) {
  hologram_kernel* kernel = nullptr;
  if (calls.Ok(hologram_executor_kernel(executor, name, &kernel))) {
    use(kernel);
  } else if (kernel != nullptr) {
    Fail("%s: an output argument was changed", calls.name());
  }
  hologram_kernel_destroy(kernel);
}

inline void Load(Calls& calls, hologram_executor* executor, const Inputs& inputs, bool trusted) {
  calls.Ok(hologram_executor_load_memory(executor, inputs.bytes.data(), inputs.bytes.size(),
                                         trusted ? inputs.trust.c_str() : nullptr));
}

// The four ways of an addition: as it is, with a scalar to convert, with a grid, with a short
// array.
void Add(Calls& calls, const hologram_kernel* kernel, uint32_t backend);

// While a kernel is compiled (allocation_compiling.cc): each allocation from `first` on in steps,
// or (step 0) the first ones and then fewer and fewer, other ones with another seed.
void FailWhileCompiling(const Inputs& inputs, int64_t first, int64_t step, uint64_t seed);

// Of pipelines, streams, windows, what can be seen, and devices (allocation_more.cc).
std::vector<Scenario> MoreScenarios(const Inputs& inputs);

}  // namespace hologram::test
