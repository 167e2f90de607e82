// The C++ interface: RAII and types over hologram.h, nothing else to link.
//
//   hologram::Executor exec;
//   exec.load("kernels.holo", kernels::hash);
//   auto add = exec.kernel("vector_add");
//   hologram::Buffer<float> a(n), b(n), c(n);
//   add(a, b, c, n);
//
// A default launch of a native kernel is inline up to the call of the compiled code, which checks
// the launch itself.
//
// Errors are thrown as hologram::Error (error.hpp); code() gives the kind, and comments below name
// it without HOLOGRAM_ERROR_. Every function can throw RESOURCE_LIMIT where the library lacks
// memory, and std::bad_alloc where a header does.
//
// Ownership: objects own what they are made of and release it when they go; memory that is passed
// to them is borrowed, unless a function states that it takes it over.
//
// Threads: several may call one kernel at once, on memory that they do not share, and ask one
// executor for kernels, list them, add places, take buffers of classes and let them go. All other
// functions of one executor need the caller's own locking. Objects are else as safe as those of the
// standard library. Tested by tests/capi/cpp_test.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "error.hpp"
#include "hologram.h"
#include "hologram/detail/argument.hpp"
#include "hologram/detail/launch.h"

namespace hologram {

// An array of several dimensions in memory of the caller, which must outlive it: rows one after the
// other, or `strides` elements apart. It is an argument of kernels with DeviceArray[T, Rank]:
//
//   sum_rows(hologram::view(x, 2, 500), sums);                    // all of x as 2 x 500
//   hologram::View<float, 2> left(x.data(), x.size(), {2, 3}, {100, 1});  // 2 x 3, rows 100 apart
//   sum_rows(left, sums);
//
// T may be const, for arrays that are read. A plain value: copies refer to the same memory.
template <class T, std::size_t Rank>
class View {
  static_assert(Rank >= 1 && Rank <= HOLOGRAM_MAX_RANK, "expected 1 to 4 dimensions");

 public:
  // Numbers for each dimension, outermost first: extents or strides, in elements.
  using Extents = std::array<std::size_t, Rank>;

  // `size` is how many elements there are at `data`; nothing beyond them is touched, and a shape
  // that is larger is a fault where the kernel leaves them. Strides are in elements, outermost
  // first; the last one is 1. Left out, or all 0, they are those of rows without gaps. Nothing is
  // checked before a launch, which refuses a last stride that is not 1 and numbers beyond 2^32 - 1.
  View(T* data, std::size_t size, const Extents& extents, const Extents& strides = {})
      : data_(data), size_(size) {
    shape_.rank = Rank;
    std::copy(extents.begin(), extents.end(), shape_.extents);
    std::copy(strides.begin(), strides.end(), shape_.strides);
  }

  // The first element.
  T* data() const { return data_; }
  // How many elements there are at data(), which is not the product of the extents.
  std::size_t size() const { return size_; }
  // Extents and strides; valid as long as this object is.
  const hologram_array_shape& shape() const { return shape_; }

 private:
  T* data_;
  std::size_t size_;
  hologram_array_shape shape_{};
};

// view(buffer, rows, columns): all of a buffer, vector or span, row by row, 1 to 4 dimensions. The
// memory is borrowed; if `elements` is const, kernels only read it. That the extents make the size
// is not checked: a larger shape is a fault of the launch.
template <class C, class... Sizes>
auto view(C& elements, Sizes... extents) {
  using element = std::remove_pointer_t<decltype(std::data(elements))>;
  return View<element, sizeof...(Sizes)>(std::data(elements), std::size(elements),
                                         {static_cast<std::size_t>(extents)...});
}

// The mirror of a class of the Atlas (docs/isa.md): another class, of which this one is the mirror,
// so that mirror_of(mirror_of(7)) is 7. Throws INVALID_ARGUMENT for 96 and more. Any thread may
// call this.
inline std::uint32_t mirror_of(std::uint32_t class_index) {
  std::uint32_t mirror = 0;
  detail::check(hologram_class_mirror(class_index, &mirror));
  return mirror;
}

// The 5 or 6 neighbours of a class, ascending; of each of them it is a neighbour too. Throws
// INVALID_ARGUMENT for 96 and more. Any thread may call this.
//
//   for (const std::uint32_t near : hologram::neighbours_of(7)) visit(near);
inline std::vector<std::uint32_t> neighbours_of(std::uint32_t class_index) {
  std::vector<std::uint32_t> neighbours(6);
  std::uint32_t count = 0;
  detail::check(hologram_class_neighbours(class_index, neighbours.data(), &count));
  neighbours.resize(count);
  return neighbours;
}

// Which engine runs a launch. Results have the same bits on all of them.
enum class Backend : std::uint32_t {
  // Native code if there is any, else the interpreter.
  automatic = HOLOGRAM_BACKEND_AUTO,
  // The interpreter, whatever there is. Slow; it checks every access.
  interpreter = HOLOGRAM_BACKEND_INTERPRETER,
  // Native code of this processor; waits for a kernel that is being compiled. UNSUPPORTED without.
  cpu = HOLOGRAM_BACKEND_CPU,
  // An NVIDIA device from sm_70 on, on copies of the arrays; hologram_has_feature("cuda") reports
  // whether there is one. UNSUPPORTED without.
  cuda = HOLOGRAM_BACKEND_CUDA,
  // An OpenCL device that takes SPIR-V, on copies of the arrays. UNSUPPORTED without.
  opencl = HOLOGRAM_BACKEND_OPENCL,
};

// An engine by its name: one of these, or one that is registered (engine.h). Errors:
// INVALID_ARGUMENT if there is none. Any thread may call this.
inline Backend find_backend(const std::string& name) {
  const std::uint32_t number = hologram_find_backend(name.c_str());
  if (number == UINT32_MAX) detail::refuse("there is no engine '" + name + "'");
  return static_cast<Backend>(number);
}

// A device that an engine of devices, cuda, opencl or a registered one, has found; or such an
// engine without a library, then without a name.
struct Device {
  Backend engine;
  std::string name;     // "NVIDIA H100, sm_90"
  std::string driver;   // its version
  std::string why_not;  // empty: launches may run there
};

// All devices of all engines, and the engines without a library, in the order of their numbers. The
// first call of the process looks for them, which may take seconds, and runs a kernel on each to
// compare its bits; later ones give what it found. Any thread may call this.
inline std::vector<Device> devices() {
  std::vector<Device> found;
  for (std::size_t k = 0; k < hologram_device_count(); ++k) {
    const hologram_device* one = hologram_device_at(k);
    found.push_back({find_backend(one->engine), one->name, one->driver, one->why_not});
  }
  return found;
}

// How a launch differs from the default one. Aggregates name what they change:
//
//   kernel.launch({.grid = {4}, .threads = 1}, 0.5f, x, y, 1000u);
//
// - grid, block: blocks of the launch and lanes of a block, in x, y, z. A block has up to 1024
//   lanes.
// - budget: rounds allowed per lane in loops that are not proved to end, before it faults.
//   More than 2^32 also admits nests that go round more often (docs/language.md).
// - deterministic: true refuses launches in which a lane may read or write what another one writes,
//   so that results could differ from run to run; false allows them.
// - backend: the engine. threads: the calling one is included; results do not depend on it.
// - class_base: for kernels that use classes (docs/isa.md).
struct LaunchConfig {
  // `{4}` is {4, 1, 1}: behind an extent that is given, y and z are 1 where they are 0.
  std::array<std::uint32_t, 3> grid{};   // all 0: as many blocks as cover the largest output
  std::array<std::uint32_t, 3> block{};  // all 0: the kernel's default
  std::uint64_t budget = HOLOGRAM_DEFAULT_BUDGET;
  bool deterministic = true;
  Backend backend = Backend::automatic;
  std::uint32_t threads = 0;     // at most this many, up to 1024; 0: Kernel::threads()
  std::uint32_t class_base = 0;  // 0 to 95: CLS.GET gives (class_base + block.x) mod 96
};

// The number of blocks of 256 lanes that cover `elements` in one dimension; defaults elsewhere.
// Throws INVALID_ARGUMENT for 0 elements, and for more than (2^32 - 1) blocks hold.
inline LaunchConfig default_launch_config(std::uint64_t elements) {
  hologram_launch_config found;
  detail::check(hologram_default_launch_config(elements, &found));
  LaunchConfig config;
  std::copy(std::begin(found.grid), std::end(found.grid), config.grid.begin());
  std::copy(std::begin(found.block), std::end(found.block), config.block.begin());
  return config;
}

// How a launch was run, and why not by native code (Kernel::last_launch). The texts are copies,
// which stay as they are when the kernel is launched again.
// Programs look at it where a launch is slower than expected: "interpreter" with a reason shows
// what to change, a launch with `checked` which argument.
//
//   scale(2.0f, x, y, 1000u);
//   const hologram::LastLaunch last = scale.last_launch();
//   if (last.engine != "cpu") std::cerr << "interpreted: " << last.reason << '\n';
struct LastLaunch {
  // "cpu" for native code, "interpreter", "library" for a kernel written by hand, "cuda" or
  // "opencl" on a device; empty if the last launch was refused, so that nothing ran. Inlined
  // launches leave no record and need none: they are native, on the calling thread, which is also
  // the answer for a kernel with native code that was not launched yet.
  std::string engine;
  // Why it was not native code, as a phrase; empty if it was, and for a kernel written by hand.
  std::string reason;
  // Of a launch with `checked`: the condition of the proofs that did not hold, with the values of
  // this launch; empty where it is not known.
  std::string condition;
  // At most that many threads took part, the calling one included.
  std::uint32_t threads = 1;
  // Every access was checked, in the interpreter, because no proof covers these arguments. Such a
  // launch is slower by far; its results are the same.
  bool checked = false;
};

// A kernel that is ready to run, of an executor (Executor::kernel). Copies are the same kernel,
// which lives as long as one of them, whatever becomes of the executor and of the file. Calls take
// the parameters in order: anything contiguous (Buffer, vector, span, array, View, Tensor::flat())
// for a buffer, numbers for scalars:
//
//   const hologram::Kernel scale = exec.kernel("scale");  // a: f32, x, y: DeviceArray[f32], n: u32
//   scale(2.0f, x, y, 1000u);                             // the default launch
//   scale.launch({.threads = 1}, 2.0f, x, y, 1000u);      // another one
//
// Threads: several may call one kernel at once, on memory that they do not share. Memory is the
// caller's, and is used until the call returns, not longer.
class Kernel {
 public:
  // Takes over `kernel`, which is destroyed with the last copy. REQUIRES: kernel != nullptr.
  explicit Kernel(hologram_kernel* kernel)
      : kernel_(kernel, hologram_kernel_destroy), plan_(hologram_kernel_plan(kernel)) {}

  // The name by which it was found.
  std::string name() const { return hologram_kernel_name(kernel_.get()); }

  // The identity of the program, 64 hex digits: what it computes, whatever it is called. Of a
  // kernel library the hash of its file.
  std::string id() const { return hologram_kernel_id(kernel_.get()); }

  // The current engine: "native (bundle, v4)", "native (jit, v4)", "native (cache, v4)",
  // "interpreter", "interpreter (compiling)", or "library" for a kernel written by hand. "v4" is
  // the level of the processor that the code is for.
  std::string path() const { return hologram_kernel_path(kernel_.get()); }
  // A note for the user: native code that was not used since it is for another version, a grid that
  // leaves out lanes which the kernel's conditions admit (hologram_kernel_note); or "".
  std::string note() const { return hologram_kernel_note(kernel_.get()); }
  // How many arguments a call has, 0 to 64.
  std::size_t num_parameters() const { return hologram_kernel_num_parameters(kernel_.get()); }

  // Name, type and direction of parameter k; valid as long as the kernel is. REQUIRES: k <
  // num_parameters().
  //
  //   for (std::size_t k = 0; k < kernel.num_parameters(); ++k) {
  //     std::printf("%s has rank %u\n", kernel.parameter(k).name, kernel.parameter(k).rank);
  //   }
  const hologram_parameter& parameter(std::size_t k) const {
    return *hologram_kernel_parameter(kernel_.get(), k);
  }

  // Waits until a kernel that is being compiled (Executor::set_tiered) is, or cannot be; for any
  // other it returns at once. Native code is then there without a launch that waits.
  void wait() const { hologram_kernel_wait(kernel_.get()); }
  // How many threads a launch may use, the calling one included, if its LaunchConfig does not say.
  std::uint32_t threads() const { return hologram_kernel_threads(kernel_.get()); }

  // How often it ran since it was loaded, for tests and measurements: natively, in the interpreter,
  // and of the latter with every access checked since a proof did not cover the arguments. Native
  // launches by the inline path, the usual one, are not counted.
  hologram_launch_counts counts() const { return hologram_kernel_counts(kernel_.get()); }

  // How the last launch by this handle or a copy of it was run, on any thread. After launches by
  // several threads at once it is one of them. Reading it costs a launch nothing, and may be done
  // at any time. Throws OUT_OF_MEMORY.
  LastLaunch last_launch() const {
    hologram_last_launch last;
    detail::check(hologram_kernel_last_launch(kernel_.get(), &last));
    return {last.engine, last.reason, last.condition, last.threads, last.checked != 0};
  }
  // The handle, for functions of hologram.h. It stays this object's: it is not to be destroyed.
  hologram_kernel* get() const { return kernel_.get(); }

  // The default launch: whole blocks over the largest output. It returns when all is written.
  // Scalars of another type are converted if the value is kept: 1000 is good for a u32, -1 and 1.5
  // are not.
  //
  // Throws, with nothing written, INVALID_ARGUMENT for arguments of other types or another number
  // ("kernel 'scale': 'y' expects a buffer of f32, found a buffer of f64"), a constant buffer that
  // is written, and buffers that overlap in part, or are read by other lanes than those that write
  // them; FAULT where an element out of bounds would be read, integers divided by zero and the
  // like, with lane and operands (Error::fault), after which outputs may hold part of the results;
  // CANCELLED after Executor::cancel().
  template <class... Args>
  [[gnu::always_inline]] void operator()(Args&&... args) const {
    constexpr detail::call_codes<Args...> codes;
    if (!codes.match(*plan_) || !launch_inline(args...)) [[unlikely]] {
      launch_checked(nullptr, args...);
    }
  }

  // The same with a configuration.
  //
  //   scale.launch({.grid = {4}, .block = {256}}, 2.0f, x, y, 1000u);
  //   scale.launch({.backend = hologram::Backend::interpreter}, 2.0f, x, y, 1000u);
  //
  // Throws the same; INVALID_ARGUMENT for extents that are refused, more than 1024 threads and a
  // class_base beyond 95; and UNSUPPORTED for an engine that is not there.
  template <class... Args>
  void launch(const LaunchConfig& config, Args&&... args) const {
    hologram_launch_config c{};
    copy_extents(config.grid, c.grid);
    copy_extents(config.block, c.block);
    c.budget = config.budget;
    c.nondeterministic = config.deterministic ? 0 : 1;
    c.backend = static_cast<std::uint32_t>(config.backend);
    c.threads = config.threads;
    c.class_base = config.class_base;
    launch_checked(&c, args...);
  }

 protected:
  // Extents as hologram.h has them, with the rule for 1 and 0 of LaunchConfig. An x of 0 beside
  // others stays and is refused.
  static void copy_extents(const std::array<std::uint32_t, 3>& extents, std::uint32_t (&to)[3]) {
    std::copy(extents.begin(), extents.end(), to);
    if (to[0] == 0) return;
    to[1] = std::max(to[1], 1U);
    to[2] = std::max(to[2], 1U);
  }

  // Throws the fault that the code has left in `state`, with the words of the kernel's line.
  [[gnu::cold, gnu::noinline, noreturn]] void throw_fault(
      const hologram_buffer_ref* buffers, const std::uint64_t* scalars,
      const hologram_launch_state& state) const {
    throw Error(hologram_kernel_fault(kernel_.get(), buffers, scalars, nullptr, &state));
  }

  // Calls the code of a native kernel with no more than it needs, for a default launch. Throws its
  // fault; false: it does not run this launch, launch_checked() does. (As a closure that is passed
  // to detail::launch, the latter would have its references in memory, which are written at each
  // launch.) REQUIRES: the codes match, so that nothing is converted or read but plain values.
  template <class... Args>
  [[gnu::always_inline]] bool launch_inline(const Args&... args) const {
    constexpr std::size_t num_buffers =
        (std::size_t{0} + ... + std::size_t{detail::argument<const Args&>::is_buffer});
    constexpr std::size_t num_scalars = sizeof...(Args) - num_buffers;
    hologram_buffer_ref buffers[std::max<std::size_t>(num_buffers, 1)];
    std::uint64_t scalars[std::max<std::size_t>(num_scalars, 1)];
    // C++ has no arrays of no elements: the code gets one that it does not read, with a value, so
    // that nothing uninitialised is passed.
    if constexpr (num_buffers == 0) buffers[0] = {};
    if constexpr (num_scalars == 0) scalars[0] = 0;
    std::size_t b = 0;
    std::size_t s = 0;
    const auto add = [&](auto& value) {
      if constexpr (detail::argument<decltype(value)>::is_buffer) {
        buffers[b++] = detail::buffer_ref(value);
      } else {
        scalars[s++] = detail::scalar_bits(value);
      }
    };
    (add(args), ...);
    hologram_launch_state state;  // written on a fault
    const std::int32_t outcome = detail::enter(*plan_, buffers, scalars, &state);
    if (outcome == HOLOGRAM_LAUNCH_DONE) [[likely]] {
      return true;
    }
    if (outcome == HOLOGRAM_LAUNCH_FAULTED) throw_fault(buffers, scalars, state);
    return false;
  }

  // The launch by hologram.h, which checks everything, decides the engine, and has the messages.
  // `config` may be null.
  template <class... Args>
  [[gnu::cold, gnu::noinline]] void launch_checked(const hologram_launch_config* config,
                                                   Args&... args) const {
    hologram_argument arguments[sizeof...(Args) + 1]{};
    const hologram_array_shape* shapes[sizeof...(Args) + 1]{};
    std::size_t k = 0;
    const auto add = [&](auto& value) {
      using traits = detail::argument<decltype(value)>;
      arguments[k].code = traits::code();
      if constexpr (traits::is_buffer) {
        arguments[k].buffer = detail::buffer_ref(value);
        if constexpr (requires { value.shape().extents; }) shapes[k] = &value.shape();
      } else {
        arguments[k].scalar = detail::scalar_bits(value);
      }
      ++k;
    };
    (add(args), ...);
    detail::check(
        hologram_kernel_launch_shaped(kernel_.get(), arguments, shapes, sizeof...(Args), config));
  }

  std::shared_ptr<hologram_kernel> kernel_;
  const hologram_launch_plan* plan_;
};

// A kernel whose parameter types were compared once, when the handle was made
// (Executor::kernel<Parameters...>). Calls take buffers of exactly these element types, of any kind
// that is contiguous; scalars may have other types if the value is kept. All other functions are
// those of Kernel. Threads: as Kernel.
//
//   const auto typed = exec.kernel<float, Buffer<float>, Buffer<float>, unsigned>("scale");
//   typed(3, x, y, 1000);    // numbers are converted
//   typed(3, y, y, 1000);    // in place
//   typed(3, x, y, 1000.0);  // throws: only integers are good for an integer
template <class... Parameters>
class TypedKernel : public Kernel {
 public:
  // Throws INVALID_ARGUMENT if the kernel has other parameters, with a line for each that differs:
  // "kernel 'scale': 'y' expects a buffer of f32, found a buffer of f64".
  explicit TypedKernel(Kernel kernel) : Kernel(std::move(kernel)) {
    constexpr detail::call_codes<Parameters&...> codes;
    if (codes.match(*plan_)) return;
    constexpr std::uint32_t list[] = {detail::argument<Parameters&>::code()..., 0};
    detail::check(hologram_kernel_check(kernel_.get(), list, sizeof...(Parameters)));
  }

  // The default launch, as that of Kernel. Another number of arguments, a buffer of another element
  // type, and a number for a buffer do not compile; a constant buffer that is written, and a number
  // that the parameter's type cannot hold, are thrown as INVALID_ARGUMENT.
  template <class... Args>
  [[gnu::always_inline]] void operator()(Args&&... args) const {
    static_assert(sizeof...(Args) == sizeof...(Parameters), "expected one argument per parameter");
    static_assert((accepts<Parameters, Args> && ...), "a buffer of another element type");
    constexpr std::uint64_t constant = constant_buffers<Args...>();
    if ((plan_->written & constant) != 0 || !(fits<Parameters>(args) && ...) ||
        !launch_inline(convert<Parameters>(args)...)) [[unlikely]] {
      launch_checked(nullptr, args...);
    }
  }

 private:
  // Whether an argument may be passed at all: buffers by their element type, any scalar.
  template <class Parameter, class Arg>
  static constexpr bool accepts =
      detail::argument<Parameter&>::is_buffer
          ? ((detail::argument<Arg>::code() ^ detail::argument<Parameter&>::code()) & 0x5f) == 0
          : !detail::argument<Arg>::is_buffer;

  // Bit j: buffer j, counted among buffers, may not be written.
  template <class... Args>
  static constexpr std::uint64_t constant_buffers() {
    std::uint64_t constant = 0;
    std::size_t j = 0;
    const auto add = [&](std::uint32_t code) {
      if ((code & HOLOGRAM_ARGUMENT_BUFFER) == 0) return;
      if ((code & HOLOGRAM_ARGUMENT_WRITABLE) == 0) constant |= std::uint64_t{1} << j;
      ++j;
    };
    (add(detail::argument<Args>::code()), ...);
    return constant;
  }

  // Whether the number of a scalar is one of the parameter's type, so that convert() keeps it.
  template <class Parameter, class Arg>
  static bool fits(const Arg& arg) {
    if constexpr (detail::argument<Parameter&>::is_buffer) {
      return true;
    } else if constexpr (std::is_integral_v<Parameter> && std::is_integral_v<Arg>) {
      constexpr auto low = std::numeric_limits<Parameter>::min();
      constexpr auto high = std::numeric_limits<Parameter>::max();
      return !std::cmp_less(+arg, +low) && !std::cmp_greater(+arg, +high);
    } else {
      return std::is_same_v<Parameter, Arg>;
    }
  }

  // A buffer as it is, a number in the parameter's type. REQUIRES: fits.
  template <class Parameter, class Arg>
  static decltype(auto) convert(const Arg& arg) {
    if constexpr (detail::argument<Parameter&>::is_buffer) {
      return (arg);
    } else {
      return static_cast<Parameter>(arg);
    }
  }
};

// One of the kernels that an executor lists (Executor::list), as plain values.
struct ListedKernel {
  // By which kernel(name) finds it, if it is not shadowed.
  std::string name;
  // Of the program, or the hash of a library; 64 hex digits.
  std::string id;
  // Where it was read; "": it came from memory.
  std::string file;
  // HOLOGRAM_ORIGIN_*: of one name, the larger one wins.
  std::uint32_t origin;  // HOLOGRAM_ORIGIN_*
  // Whether kernel(name) gives another one, that of the file `shadowed_by` ("" is memory).
  bool shadowed;
  std::string shadowed_by;
};
// All kernels there are, by name, and what could not be looked at.
struct Listing {
  // Of one name, the one that kernel(name) gives comes first.
  std::vector<ListedKernel> kernels;
  // Folders and files that could not be read, each with its name: "hologram: error: a.holo: ...".
  std::vector<std::string> errors;  // folders and files that could not be read
};

// The bytes of a bundle that this program makes, for Executor::load of this program or of another.
// `levels`: "v3,v4", or other values that hologram.h describes; "none": no native code. The
// functions that make one may be called from any thread, verify the programs, and throw an Error:
// of the text with its place, HOLOGRAM_ERROR_UNSUPPORTED without the compiler plugin.
class Bundle {
 public:
  // Takes over `bundle`. REQUIRES: bundle != nullptr.
  explicit Bundle(hologram_bundle* bundle) : bundle_(bundle) {}
  // The programs of another bundle; native code that it has is left out.
  static Bundle compile(std::span<const std::byte> programs, const std::string& levels = "v3,v4") {
    return make(hologram_bundle_compile, programs.data(), programs.size(), levels.c_str());
  }
  // The kernels of a kernel JSON document (docs/kernel-json.md), called `file` in messages.
  static Bundle compile_json(const std::string& json, const std::string& file = "kernels.json",
                             const std::string& levels = "v3,v4") {
    return make(hologram_bundle_compile_json, json.data(), json.size(), file.c_str(),
                levels.c_str());
  }
  // The programs of a text in assembly (docs/assembly.md), called `file` in messages: those of
  // the assembler, INVALID_TEXT, have lines and columns of the text; those of the verifier name the
  // instruction. Nothing is compiled for the levels "none", and no plugin is needed then.
  // program.hpp writes such texts.
  static Bundle compile_assembly(const std::string& text, const std::string& file = "program.hasm",
                                 const std::string& levels = "v3,v4") {
    return make(hologram_bundle_compile_assembly, text.data(), text.size(), file.c_str(),
                levels.c_str());
  }
  // A circuit with a header (docs/sigmatics.md) as a kernel called `name`. Throws UNSUPPORTED
  // without the compiler plugin; errors of the text have a line and a column.
  static Bundle compile_circuit(const std::string& circuit, const std::string& name,
                                const std::string& levels = "v3,v4") {
    return make(hologram_bundle_compile_circuit, circuit.c_str(), name.c_str(), levels.c_str());
  }

  // The bytes of the file. They belong to this object, and stay as they are while it is there.
  std::span<const std::byte> data() const {
    return {static_cast<const std::byte*>(hologram_bundle_data(bundle_.get())),
            hologram_bundle_size(bundle_.get())};
  }
  // The hash that Executor::load takes as `expect`.
  std::string trust_hash() const { return hologram_bundle_trust_hash(bundle_.get()); }
  // Writes the file, in place of one that is there; readers never see half of it. Throws with
  // the path and the reason if it cannot be written; the old file is then as it was.
  void save(const std::string& path) const {
    detail::check(hologram_bundle_save(bundle_.get(), path.c_str()));
  }

 private:
  template <class Function, class... Args>
  static Bundle make(Function function, Args... args) {
    hologram_bundle* bundle = nullptr;
    detail::check(function(args..., &bundle));
    return Bundle(bundle);
  }
  struct destroy {
    void operator()(hologram_bundle* bundle) const { hologram_bundle_destroy(bundle); }
  };
  std::unique_ptr<hologram_bundle, destroy> bundle_;
};

// Kernels by name: those that a program has loaded and, unless it is private, those of the places
// that hologram.h names. It owns what launches of its kernels leave to each other: phase,
// resonance, class memory. Kernels and buffers of classes may outlive it.
//
//   hologram::Executor exec;
//   exec.load("kernels.holo", kernels::hash);
//   const hologram::Kernel scale = exec.kernel("scale");
//
// It moves and is not copied. One that was moved from refuses everything. Threads: any thread may
// ask for kernels, list them, add places, take buffers of classes and cancel; the rest, load, set
// and run functions and the state that launches share, needs the caller's own locking.
class Executor {
 public:
  // Finds kernels in the places of docs/registry.md, as far as the environment names places,
  // besides what is loaded. Throws RESOURCE_LIMIT alone.
  Executor() : Executor(hologram_executor_create) {}
  // A private executor, which has only the kernels that are loaded into it: for libraries with
  // kernels of their own.
  static Executor make_private() { return Executor(hologram_executor_create_private); }

  // Loads a bundle; its programs are verified. `expect` is the trust hash that the application
  // vouches for (64 hex digits, as `hologram inspect` prints it): only with it the native code in
  // the file is used. Empty: verified programs only, compiled or interpreted. Kernels with the
  // names of earlier ones replace them.
  //
  // Throws NOT_FOUND for no file, INVALID_BUNDLE for one that is damaged or has another hash,
  // INVALID_PROGRAM for a program that is refused, INVALID_ARGUMENT for a hash that is none; after
  // an error nothing was added.
  //
  //   exec.load("kernels.holo");                 // verified programs
  //   exec.load("kernels.holo", kernels::hash);  // and native code; hologram_add_kernels wrote it
  void load(const std::string& path, const std::string& expect = {}) {
    detail::check(hologram_executor_load_file(executor_.get(), path.c_str(), or_null(expect)));
  }
  // The same, with a file in the folder of the running executable, wherever it was started.
  void load_beside(const std::string& file, const std::string& expect = {}) {
    detail::check(hologram_executor_load_beside(executor_.get(), file.c_str(), or_null(expect)));
  }

  // The same, with the standard library (hologram.h describes where it is looked for). Its kernels
  // are built-in: one of the same name from anywhere else beats them.
  void load_standard(const std::string& expect = {}) {
    detail::check(hologram_executor_load_standard(executor_.get(), or_null(expect)));
  }
  // The same, from memory, which is copied.
  void load(std::span<const std::byte> bundle, const std::string& expect = {}) {
    detail::check(hologram_executor_load_memory(executor_.get(), bundle.data(), bundle.size(),
                                                or_null(expect)));
  }

  // Compiles a circuit with a header (docs/sigmatics.md) to a kernel called `name`. Throws
  // UNSUPPORTED without the compiler plugin, and INVALID_TEXT, with line and column, for a circuit
  // that is none. expression.hpp writes circuits.
  //
  //   exec.load_circuit("(f32 c00, f32 $a) -> (f32 c01) over n merge:mul@c00[$a,c01]", "scale");
  //   exec.kernel("scale")(x, 2.0f, y, n);
  void load_circuit(const std::string& circuit, const std::string& name) {
    detail::check(hologram_executor_load_circuit(executor_.get(), circuit.c_str(), name.c_str()));
  }

  // load(), from memory that is not copied and stays as it is until the process ends: what a header
  // of hologram_add_kernels(... EMBED) has. With `expect` each program is read and verified when
  // its kernel is first asked for.
  //
  //   #include "app_kernels.h"  // hologram_add_kernels(app SOURCES scale.py EMBED)
  //   exec.load_static(app_kernels::bundle, app_kernels::hash);
  template <std::size_t Size>
  void load_static(const unsigned char (&bundle)[Size], const std::string& expect = {}) {
    detail::check(hologram_executor_load_static(executor_.get(), bundle, Size, or_null(expect)));
  }

  //   exec.set_threads(1);                    // all launches on the calling thread
  //   const auto alone = exec.kernel("scale");
  //
  // How many threads launches of kernels that are found from now on for the first time may use, the
  // calling one included: 1 to 1024, or 0, as at first, for HOLOGRAM_NUM_THREADS, or what the
  // system gives this process (hologram.h). Results do not depend on it. Throws INVALID_ARGUMENT
  // for more.
  void set_threads(std::uint32_t threads) {
    detail::check(hologram_executor_set_threads(executor_.get(), threads));
    threads_ = threads;
  }

  //   exec.set_tiered(true);  // kernel() returns at once; Kernel::wait() waits for native code
  //
  // Whether kernels that are found from now on for the first time, and have to be compiled, run in
  // the interpreter until they are, with the same bits. At first kernel() waits (hologram.h).
  void set_tiered(bool tiered) { hologram_executor_set_tiered(executor_.get(), tiered ? 1 : 0); }

  // Stops the launches of its kernels that run, within about a tenth of a second, and those that
  // begin before resume(): they throw an Error with CANCELLED. Their outputs then are unspecified;
  // nothing else has changed. Launches of a few milliseconds may run all the same; kernel libraries
  // and compilations are not stopped. Any thread, and signal handlers, as long as the executor
  // exists.
  //
  //   std::signal(SIGINT, [](int) { the_executor->cancel(); });
  void cancel() noexcept { hologram_cancel(executor_.get()); }

  // Lets launches begin again. It does not matter whether anything was cancelled. Any thread, and
  // signal handlers.
  void resume() noexcept { hologram_resume(executor_.get()); }

  // Computes an expression of expression.hpp into `out`, on as many threads as were set; throws as
  // evaluate(). The program includes expression.hpp.
  template <class E, class Out>
  void run(const E& expression, Out&& out) const {
    evaluate(expression, std::forward<Out>(out), LaunchConfig{.threads = threads_});
  }

  // Takes what kernels print (hologram.h): `take` is called with each record after a launch, on the
  // thread that launches; the record lives as long as the call. It must not throw, nor launch a
  // kernel that prints to this executor. Empty: to standard error, as at first. It waits for
  // launches that are giving out records; `take` lives until it is replaced or the executor is
  // gone.
  //
  //   exec.set_print([](const hologram_print_record& record) {
  //     std::fprintf(log, "lane %llu: %s", (unsigned long long)record.lane, record.text);
  //   });
  void set_print(std::function<void(const hologram_print_record&)> take) {
    auto kept = take ? std::make_unique<PrintFunction>(std::move(take)) : nullptr;
    hologram_executor_set_print(executor_.get(), kept == nullptr ? nullptr : &give_print,
                                kept.get());
    print_ = std::move(kept);
  }

  //   exec.add_directory("/home/me/kernels");  // blur.holo there beats a loaded kernel "blur"
  //
  // A folder of the user: its *.holo files give kernels that beat those of the same name that were
  // loaded, and are read again when they change. Native code in them is not used, but see trust().
  // Throws NOT_FOUND if there is no such folder; files that cannot be read are found when a kernel
  // is asked for, and by list().
  void add_directory(const std::string& path) {
    detail::check(hologram_executor_add_directory(executor_.get(), path.c_str()));
  }

  // The same, and kernels written by hand (*.so, kernel_library.h) are loaded from it too: code
  // that is not verified. Folder and files must belong to the user of the process or to root, and
  // no other user may write them.
  //
  // Throws NOT_FOUND if there is no such folder.
  void add_native_directory(const std::string& path) {
    detail::check(hologram_executor_add_native_directory(executor_.get(), path.c_str()));
  }

  // The application vouches for every file with this trust hash, whatever its name and place: its
  // native code is used. Throws INVALID_ARGUMENT for a text that is not a hash of 64 hex digits.
  void trust(const std::string& hash) {
    detail::check(hologram_executor_trust(executor_.get(), hash.c_str()));
  }

  // All kernels that kernel() could give, and those that they shadow. Looks at the folders again.
  //
  //   const hologram::Listing listing = exec.list();
  //   for (const hologram::ListedKernel& kernel : listing.kernels) {
  //     if (!kernel.shadowed) std::printf("%s: %s\n", kernel.name.c_str(), kernel.file.c_str());
  //   }
  Listing list() const {
    hologram_listing* found = nullptr;
    detail::check(hologram_executor_list(executor_.get(), &found));
    const std::unique_ptr<hologram_listing, void (*)(hologram_listing*)> holder(
        found, hologram_listing_destroy);
    Listing listing;
    for (std::size_t k = 0; k < hologram_listing_num_kernels(found); ++k) {
      const hologram_listed_kernel& kernel = *hologram_listing_kernel(found, k);
      const bool shadowed = kernel.shadowed_by != nullptr;
      listing.kernels.push_back({kernel.name, kernel.id, kernel.file, kernel.origin, shadowed,
                                 shadowed ? kernel.shadowed_by : ""});
    }
    for (std::size_t k = 0; k < hologram_listing_num_errors(found); ++k) {
      listing.errors.emplace_back(hologram_listing_error(found, k));
    }
    return listing;
  }

  // A kernel of a user's folder, else one that was loaded, else one of the standard library, ready
  // to run: trusted native code, else code made by the compiler plugin if it is there, else the
  // interpreter. It stays as it is when its file changes; the next search gives the new one. A
  // search takes microseconds, a compilation up to a second: programs keep the kernel.
  //
  // Throws NOT_FOUND, with the names there are, and the error of a file that had a kernel of this
  // name, or is called so, and cannot be read now.
  Kernel kernel(const std::string& name) {
    hologram_kernel* kernel = nullptr;
    detail::check(hologram_executor_kernel(executor_.get(), name.c_str(), &kernel));
    return Kernel(kernel);
  }

  // The same, with its types compared once:
  //
  //   auto add = exec.kernel<Buffer<float>, Buffer<float>, Buffer<float>, std::uint32_t>("add");
  //
  // Throws the errors of TypedKernel, too.
  template <class First, class... Rest>
  TypedKernel<First, Rest...> kernel(const std::string& name) {
    return TypedKernel<First, Rest...>(kernel(name));
  }

  // State carried between launches (docs/isa.md). These functions wait for launches that use it.
  // The phase, 0 to 767:
  std::uint32_t phase() const { return hologram_executor_phase(executor_.get()); }

  // Adds `delta` to the phase, modulo 768.
  //
  //   exec.advance_phase(770);  // from 0: exec.phase() is 2
  void advance_phase(std::uint64_t delta) {
    hologram_executor_advance_phase(executor_.get(), delta);
  }
  // The resonance of a class, an exact fraction. Throws INVALID_ARGUMENT for 96 and more.
  hologram_ratio resonance(std::uint32_t class_index) const {
    hologram_ratio ratio{};
    detail::check(hologram_executor_resonance(executor_.get(), class_index, &ratio));
    return ratio;
  }

  // Sets it. Throws INVALID_ARGUMENT for a fraction that is not reduced ("2/4 is not reduced; write
  // 1/2") or has no positive denominator, and for no class.
  void set_resonance(std::uint32_t class_index, hologram_ratio ratio) {
    detail::check(hologram_executor_set_resonance(executor_.get(), class_index, ratio));
  }

  // Adds to it, exactly. Throws the same, and for a sum that is not a fraction of 64-bit numbers;
  // the resonance then stays as it was.
  //
  //   exec.add_resonance(5, {1, 3});
  //   exec.add_resonance(5, {1, 6});  // exec.resonance(5) is {1, 2}
  void add_resonance(std::uint32_t class_index, hologram_ratio ratio) {
    detail::check(hologram_executor_add_resonance(executor_.get(), class_index, ratio));
  }
  // Sets those of all 96 classes to 0/1.
  void reset_resonance() { hologram_executor_reset_resonance(executor_.get()); }

  // Zeros in memory of their own, the same as Buffer<T>(size), which needs no executor. It takes no
  // class. Throws std::bad_alloc where there is no memory.
  template <class T>
  Buffer<T> allocate(std::size_t size) const {
    return Buffer<T>(size);
  }

  // The first width * height bytes of a class, as whole elements: memory that kernels of this
  // executor reach by the addresses of classes, and an argument of launches like other buffers, but
  // for kernels that use class memory themselves (hologram.h). Nothing is cleared. The class is
  // free again when the buffer goes, which may be after the executor. Any thread may call this and
  // let buffers go.
  //
  // Throws INVALID_ARGUMENT: no such class, one that is taken, no or more than 48 pages, no or more
  // than 256 bytes; RESOURCE_LIMIT: all 96 are taken.
  //
  //   auto c = exec.allocate_boundary<float>(7);                 // all of class 7: 3072 elements
  //   auto d = exec.allocate_boundary<float>(any_class, 1, 64);  // 16 of the lowest free one
  template <class T>
  Buffer<T> allocate_boundary(std::uint32_t class_index = any_class,
                              std::uint32_t width = HOLOGRAM_PAGES_PER_CLASS,
                              std::uint32_t height = HOLOGRAM_BYTES_PER_PAGE) {
    hologram_boundary* boundary = nullptr;
    detail::check(hologram_executor_allocate_boundary(executor_.get(), class_index, width, height,
                                                      &boundary));
    return Buffer<T>::take(boundary);
  }
  // How many classes have no buffer, 0 to 96.
  std::uint32_t num_free_classes() const {
    return hologram_executor_num_free_classes(executor_.get());
  }

  // The memory of the classes, 12,288 bytes each, zero at first; `offset` counts from the first
  // byte of class 0. Waits for launches that use it. Throws INVALID_ARGUMENT unless the bytes are
  // in one class.
  //
  //   std::array<float, 3> first;
  //   exec.read_class_memory(7 * HOLOGRAM_BYTES_PER_CLASS,  // of class 7
  //                          std::as_writable_bytes(std::span(first)));
  void read_class_memory(std::uint64_t offset, std::span<std::byte> bytes) const {
    detail::check(
        hologram_executor_read_class_memory(executor_.get(), offset, bytes.data(), bytes.size()));
  }
  // The other direction; buffers of the class see it.
  void write_class_memory(std::uint64_t offset, std::span<const std::byte> bytes) {
    detail::check(
        hologram_executor_write_class_memory(executor_.get(), offset, bytes.data(), bytes.size()));
  }

  // For the functions of the C interface. It stays this object's.
  hologram_executor* get() const { return executor_.get(); }

 private:
  // Takes over the executor that `create` makes.
  explicit Executor(hologram_error* (*create)(hologram_executor**)) {
    hologram_executor* executor = nullptr;
    detail::check(create(&executor));
    executor_.reset(executor);
  }
  // An empty text is not a hash.
  static const char* or_null(const std::string& text) {
    return text.empty() ? nullptr : text.c_str();
  }
  using PrintFunction = std::function<void(const hologram_print_record&)>;

  // Called with each record; `context` is a PrintFunction. Nothing may be thrown
  // through the library.
  static void give_print(void* context, const hologram_print_record* record) {
    (*static_cast<PrintFunction*>(context))(*record);
  }
  struct destroy {
    void operator()(hologram_executor* executor) const { hologram_executor_destroy(executor); }
  };
  std::unique_ptr<PrintFunction> print_;  // outlives the executor, which has a pointer to it
  std::unique_ptr<hologram_executor, destroy> executor_;
  std::uint32_t threads_ = 0;
};

}  // namespace hologram
