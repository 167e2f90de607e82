// The C++ interface: RAII and types over hologram.h, nothing else to link.
//
//   hologram::Executor exec;
//   exec.load("kernels.holo", kernels::hash);
//   auto add = exec.kernel("vector_add");
//   hologram::Buffer<float> a(n), b(n), c(n);
//   add(a, b, c, n);
//
// A default launch of a native kernel is inline up to the call of the compiled code, which checks
// the launch itself. Errors are thrown as hologram::Error. Tested by tests/capi/cpp_test.cc.
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
#include "hologram/detail/launch.h"

namespace hologram {

// The bits of a 16-bit float: elements of buffers and scalars of kernels with f16 and bf16.
struct f16 {
  std::uint16_t bits;
};
struct bf16 {
  std::uint16_t bits;
};

namespace detail {

// The element type of a C++ type; long and long long, which is which, goes by their size.
template <class T>
constexpr std::uint32_t type_code() {
  using U = std::remove_cv_t<T>;
  constexpr bool is_half = std::is_same_v<U, f16> || std::is_same_v<U, bf16>;
  static_assert(is_half || (std::is_arithmetic_v<U> && sizeof(U) <= 8 &&
                            (std::is_integral_v<U> || sizeof(U) >= 4)),
                "expected an integer of 8 to 64 bits, hologram::f16, hologram::bf16, float or "
                "double");
  if constexpr (is_half) {
    return std::is_same_v<U, f16> ? HOLOGRAM_F16 : HOLOGRAM_BF16;
  } else if constexpr (std::is_floating_point_v<U>) {
    return sizeof(U) == 4 ? HOLOGRAM_F32 : HOLOGRAM_F64;
  } else {
    constexpr std::uint32_t log2 = sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3;
    return log2 + (std::is_signed_v<U> ? HOLOGRAM_I8 : HOLOGRAM_U8);
  }
}

template <class T>
concept contiguous = requires(T& value) {
  std::data(value);
  std::size(value);
};

// What an argument of type T (deduced as T&&) is for a launch.
template <class T>
struct argument {
  using plain = std::remove_cvref_t<T>;
  static constexpr bool is_buffer = contiguous<std::remove_reference_t<T>>;

  static constexpr std::uint32_t code() {
    if constexpr (is_buffer) {
      using element =
          std::remove_pointer_t<decltype(std::data(std::declval<std::remove_reference_t<T>&>()))>;
      return type_code<element>() | HOLOGRAM_ARGUMENT_BUFFER |
             (std::is_const_v<element> ? 0u : unsigned{HOLOGRAM_ARGUMENT_WRITABLE});
    } else {
      return type_code<plain>();
    }
  }
};

template <class T>
hologram_buffer_ref buffer_ref(T& value) {
  auto* data = std::data(value);
  return {const_cast<void*>(static_cast<const void*>(data)), std::size(value) * sizeof(*data)};
}

template <class T>
std::uint64_t scalar_bits(T value) {
  if constexpr (std::is_floating_point_v<T> || std::is_class_v<T>) {  // class: f16 or bf16
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  } else {
    return static_cast<
        std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>>>(value);
  }
}

// The codes of a call, in words that can be compared with those of the plan.
template <class... Args>
struct call_codes {
  static constexpr std::size_t num_words = (sizeof...(Args) + 7) / 8;
  std::array<std::uint64_t, num_words> words{};

  constexpr call_codes() {
    std::size_t k = 0;
    ((words[k / 8] |= std::uint64_t{argument<Args>::code()} << (k % 8 * 8), ++k), ...);
  }

  bool match(const hologram_launch_plan& plan) const {
    constexpr std::uint64_t ones = 0x0101010101010101u;
    std::uint64_t wrong = plan.num_parameters ^ sizeof...(Args);
    for (std::size_t w = 0; w < num_words; ++w) {
      std::uint64_t expected;
      std::memcpy(&expected, plan.codes + 8 * w, 8);
      wrong |= (expected ^ words[w]) & (ones * 0x1f);
      wrong |= expected & ~words[w] & (ones * HOLOGRAM_ARGUMENT_WRITABLE);
    }
    return wrong == 0;
  }
};

}  // namespace detail

// An array of several dimensions in memory of the caller, which must outlive it: rows one after the
// other, or `strides` elements apart (the last stride is 1). `size` is how many elements there are
// at `data`; nothing beyond them is touched.
template <class T, std::size_t Rank>
class View {
  static_assert(Rank >= 1 && Rank <= HOLOGRAM_MAX_RANK, "expected 1 to 4 dimensions");

 public:
  using Extents = std::array<std::size_t, Rank>;

  View(T* data, std::size_t size, const Extents& extents, const Extents& strides = {})
      : data_(data), size_(size) {
    shape_.rank = Rank;
    std::copy(extents.begin(), extents.end(), shape_.extents);
    std::copy(strides.begin(), strides.end(), shape_.strides);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  const hologram_array_shape& shape() const { return shape_; }

 private:
  T* data_;
  std::size_t size_;
  hologram_array_shape shape_{};
};

// view(buffer, rows, columns): all of a buffer, vector or span, row by row.
template <class C, class... Sizes>
auto view(C& elements, Sizes... extents) {
  using element = std::remove_pointer_t<decltype(std::data(elements))>;
  return View<element, sizeof...(Sizes)>(std::data(elements), std::size(elements),
                                         {static_cast<std::size_t>(extents)...});
}

// The mirror of a class of the Atlas, and its 5 or 6 neighbours, ascending.
inline std::uint32_t mirror_of(std::uint32_t class_index) {
  std::uint32_t mirror = 0;
  detail::check(hologram_class_mirror(class_index, &mirror));
  return mirror;
}
inline std::vector<std::uint32_t> neighbours_of(std::uint32_t class_index) {
  std::vector<std::uint32_t> neighbours(6);
  std::uint32_t count = 0;
  detail::check(hologram_class_neighbours(class_index, neighbours.data(), &count));
  neighbours.resize(count);
  return neighbours;
}

enum class Backend : std::uint32_t {
  automatic = HOLOGRAM_BACKEND_AUTO,
  interpreter = HOLOGRAM_BACKEND_INTERPRETER,
  cpu = HOLOGRAM_BACKEND_CPU,
  cuda = HOLOGRAM_BACKEND_CUDA,
};

struct LaunchConfig {
  // `{4}` is {4, 1, 1}: behind an extent that is given, y and z are 1 where they are 0.
  std::array<std::uint32_t, 3> grid{};   // all 0: as many blocks as cover the largest output
  std::array<std::uint32_t, 3> block{};  // all 0: the kernel's default
  std::uint64_t budget = HOLOGRAM_DEFAULT_BUDGET;
  bool deterministic = true;
  Backend backend = Backend::automatic;
  std::uint32_t threads = 0;     // at most so many, up to 1024; 0: Kernel::threads()
  std::uint32_t class_base = 0;  // 0 to 95: CLS.GET gives (class_base + block.x) mod 96
};

// As many blocks of 256 lanes as cover so many elements in one dimension. Throws for none.
inline LaunchConfig default_launch_config(std::uint64_t elements) {
  hologram_launch_config found;
  detail::check(hologram_default_launch_config(elements, &found));
  LaunchConfig config;
  std::copy(std::begin(found.grid), std::end(found.grid), config.grid.begin());
  std::copy(std::begin(found.block), std::end(found.block), config.block.begin());
  return config;
}

// What ran a launch, and why it was not native code; the fields are those of hologram_last_launch.
struct LastLaunch {
  std::string engine;
  std::string reason;
  std::string condition;
  std::uint32_t threads = 1;
  bool checked = false;
};

// A kernel that is ready to run. Copies share it. Calls take the parameters in order: anything
// contiguous (Buffer, vector, span, array, View) for a buffer, numbers for scalars.
class Kernel {
 public:
  // Takes over `kernel`.
  explicit Kernel(hologram_kernel* kernel)
      : kernel_(kernel, hologram_kernel_destroy), plan_(hologram_kernel_plan(kernel)) {}

  std::string name() const { return hologram_kernel_name(kernel_.get()); }
  std::string id() const { return hologram_kernel_id(kernel_.get()); }
  // "native (bundle, v4)", "native (jit, v4)", "native (cache, v4)", "interpreter", "interpreter
  // (compiling)" or "library"
  std::string path() const { return hologram_kernel_path(kernel_.get()); }
  // What to tell the user: native code that was not used since it is for another version; or "".
  std::string note() const { return hologram_kernel_note(kernel_.get()); }
  std::size_t num_parameters() const { return hologram_kernel_num_parameters(kernel_.get()); }
  const hologram_parameter& parameter(std::size_t k) const {
    return *hologram_kernel_parameter(kernel_.get(), k);
  }
  // Waits until a kernel that is being compiled (Executor::set_tiered) is, or cannot be.
  void wait() const { hologram_kernel_wait(kernel_.get()); }
  // How many threads a launch may use.
  std::uint32_t threads() const { return hologram_kernel_threads(kernel_.get()); }
  hologram_launch_counts counts() const { return hologram_kernel_counts(kernel_.get()); }
  // How the last launch by this handle or a copy of it was run (hologram_kernel_last_launch).
  LastLaunch last_launch() const {
    hologram_last_launch last;
    detail::check(hologram_kernel_last_launch(kernel_.get(), &last));
    return {last.engine, last.reason, last.condition, last.threads, last.checked != 0};
  }
  hologram_kernel* get() const { return kernel_.get(); }

  // The default launch: whole blocks over the largest output.
  template <class... Args>
  [[gnu::always_inline]] void operator()(Args&&... args) const {
    constexpr detail::call_codes<Args...> codes;
    if (codes.match(*plan_)) [[likely]] {
      return launch_inline(args...);
    }
    launch_checked(nullptr, args...);
  }

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
  // An x of 0 beside others stays and is refused.
  static void copy_extents(const std::array<std::uint32_t, 3>& extents, std::uint32_t (&to)[3]) {
    std::copy(extents.begin(), extents.end(), to);
    if (to[0] == 0) return;
    to[1] = std::max(to[1], 1U);
    to[2] = std::max(to[2], 1U);
  }

  // REQUIRES: the codes match.
  template <class... Args>
  [[gnu::always_inline]] void launch_inline(const Args&... args) const {
    constexpr std::size_t num_buffers =
        (std::size_t{0} + ... + std::size_t{detail::argument<const Args&>::is_buffer});
    constexpr std::size_t num_scalars = sizeof...(Args) - num_buffers;
    hologram_buffer_ref buffers[std::max<std::size_t>(num_buffers, 1)];
    std::uint64_t scalars[std::max<std::size_t>(num_scalars, 1)];
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
    detail::launch(
        [&](hologram_launch_state* state) {
          return detail::enter(*plan_, buffers, scalars, state);
        },
        [&](const hologram_launch_state& state) -> hologram_error* {
          throw_fault(buffers, scalars, state);
        },
        [&]() -> hologram_error* {
          launch_checked(nullptr, args...);
          return nullptr;
        });
  }

  [[gnu::cold, gnu::noinline, noreturn]] void throw_fault(
      const hologram_buffer_ref* buffers, const std::uint64_t* scalars,
      const hologram_launch_state& state) const {
    throw Error(hologram_kernel_fault(kernel_.get(), buffers, scalars, nullptr, &state));
  }

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

// A kernel whose parameter types were compared once, when the handle was made. Calls take buffers
// of exactly these element types; scalars may have other types if the value is kept.
template <class... Parameters>
class TypedKernel : public Kernel {
 public:
  // Throws if the kernel has other parameters.
  explicit TypedKernel(Kernel kernel) : Kernel(std::move(kernel)) {
    constexpr detail::call_codes<Parameters&...> codes;
    if (codes.match(*plan_)) return;
    constexpr std::uint32_t list[] = {detail::argument<Parameters&>::code()..., 0};
    detail::check(hologram_kernel_check(kernel_.get(), list, sizeof...(Parameters)));
  }

  template <class... Args>
  [[gnu::always_inline]] void operator()(Args&&... args) const {
    static_assert(sizeof...(Args) == sizeof...(Parameters), "expected one argument per parameter");
    static_assert((accepts<Parameters, Args> && ...), "a buffer of another element type");
    constexpr std::uint64_t constant = constant_buffers<Args...>();
    if ((plan_->written & constant) == 0 && (fits<Parameters>(args) && ...)) [[likely]] {
      return launch_inline(convert<Parameters>(args)...);
    }
    launch_checked(nullptr, args...);
  }

 private:
  template <class Parameter, class Arg>
  static constexpr bool accepts =
      detail::argument<Parameter&>::is_buffer
          ? ((detail::argument<Arg>::code() ^ detail::argument<Parameter&>::code()) & 0x1f) == 0
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

  template <class Parameter, class Arg>
  static decltype(auto) convert(const Arg& arg) {
    if constexpr (detail::argument<Parameter&>::is_buffer) {
      return (arg);
    } else {
      return static_cast<Parameter>(arg);
    }
  }
};

// One of the kernels that an executor lists. `shadowed`: kernel(name) gives another one, that of
// the file `shadowed_by` ("" is memory).
struct ListedKernel {
  std::string name;
  std::string id;
  std::string file;
  std::uint32_t origin;  // HOLOGRAM_ORIGIN_*
  bool shadowed;
  std::string shadowed_by;
};
struct Listing {
  std::vector<ListedKernel> kernels;
  std::vector<std::string> errors;  // folders and files that could not be read
};

// Kernels by name: those that a program has loaded and, unless it is private, those of the places
// that hologram.h names. Any thread may ask for kernels, list them and add places.
class Executor {
 public:
  Executor() : Executor(hologram_executor_create) {}
  // One that has nothing but what it is told to load.
  static Executor make_private() { return Executor(hologram_executor_create_private); }

  // Loads a bundle. `expect` is the trust hash that the application vouches for: only with it the
  // native code in the file is used. Empty: verified programs only.
  void load(const std::string& path, const std::string& expect = {}) {
    detail::check(hologram_executor_load_file(executor_.get(), path.c_str(), or_null(expect)));
  }
  // The same, from the folder of the running executable.
  void load_beside(const std::string& file, const std::string& expect = {}) {
    detail::check(hologram_executor_load_beside(executor_.get(), file.c_str(), or_null(expect)));
  }
  // The same, with the standard library (hologram.h says where it is looked for).
  void load_standard(const std::string& expect = {}) {
    detail::check(hologram_executor_load_standard(executor_.get(), or_null(expect)));
  }
  // The same, from memory, which is copied.
  void load(std::span<const std::byte> bundle, const std::string& expect = {}) {
    detail::check(hologram_executor_load_memory(executor_.get(), bundle.data(), bundle.size(),
                                                or_null(expect)));
  }

  // Compiles a circuit with a header (docs/sigmatics.md) to a kernel called `name`. Needs the
  // compiler plugin. expression.hpp writes circuits.
  void load_circuit(const std::string& circuit, const std::string& name) {
    detail::check(hologram_executor_load_circuit(executor_.get(), circuit.c_str(), name.c_str()));
  }

  // The same, from memory that is not copied and stays as it is until the process ends: what a
  // header of hologram_add_kernels(... EMBED) has.
  template <std::size_t Size>
  void load_static(const unsigned char (&bundle)[Size], const std::string& expect = {}) {
    detail::check(hologram_executor_load_static(executor_.get(), bundle, Size, or_null(expect)));
  }

  // How many threads launches of kernels that are found from now on for the first time may use; 0,
  // as at first: HOLOGRAM_NUM_THREADS, or what the system gives this process (hologram.h).
  void set_threads(std::uint32_t threads) {
    detail::check(hologram_executor_set_threads(executor_.get(), threads));
    threads_ = threads;
  }

  // Whether kernels that are found from now on for the first time, and have to be compiled, run in
  // the interpreter until they are. At first kernel() waits (hologram.h).
  void set_tiered(bool tiered) { hologram_executor_set_tiered(executor_.get(), tiered ? 1 : 0); }

  // Stops the launches of its kernels that run, within about a tenth of a second, and those that
  // begin before resume(): they throw an Error with HOLOGRAM_ERROR_CANCELLED (hologram.h). Any
  // thread, and signal handlers.
  void cancel() noexcept { hologram_cancel(executor_.get()); }
  void resume() noexcept { hologram_resume(executor_.get()); }

  // Computes an expression of expression.hpp into `out`, on as many threads as were set.
  template <class E, class Out>
  void run(const E& expression, Out&& out) const {
    evaluate(expression, std::forward<Out>(out), LaunchConfig{.threads = threads_});
  }

  // Takes what kernels print (hologram.h): `take` is called with each record after a launch. Empty:
  // to standard error, as at first.
  void set_print(std::function<void(const hologram_print_record&)> take) {
    auto kept = take ? std::make_unique<PrintFunction>(std::move(take)) : nullptr;
    hologram_executor_set_print(executor_.get(), kept == nullptr ? nullptr : &give_print,
                                kept.get());
    print_ = std::move(kept);
  }

  // A folder of the user: its *.holo files give kernels that beat those of the same name that were
  // loaded, and are read again when they change.
  void add_directory(const std::string& path) {
    detail::check(hologram_executor_add_directory(executor_.get(), path.c_str()));
  }
  // The same, and kernels written by hand (*.so, kernel_library.h) are loaded from it too: code
  // that nobody verifies.
  void add_native_directory(const std::string& path) {
    detail::check(hologram_executor_add_native_directory(executor_.get(), path.c_str()));
  }
  // Vouches for files with this hash, whatever their name and place.
  void trust(const std::string& hash) {
    detail::check(hologram_executor_trust(executor_.get(), hash.c_str()));
  }
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

  // A kernel of a user's folder, else one that was loaded, else one of the standard library.
  Kernel kernel(const std::string& name) {
    hologram_kernel* kernel = nullptr;
    detail::check(hologram_executor_kernel(executor_.get(), name.c_str(), &kernel));
    return Kernel(kernel);
  }
  // auto add = exec.kernel<Buffer<float>, Buffer<float>, Buffer<float>, std::uint32_t>("add");
  template <class First, class... Rest>
  TypedKernel<First, Rest...> kernel(const std::string& name) {
    return TypedKernel<First, Rest...>(kernel(name));
  }

  // What launches leave to each other (hologram.h): the phase, 0 to 767, and the resonance of the
  // 96 classes, exact fractions. Fractions that are not reduced and sums that do not fit throw.
  std::uint32_t phase() const { return hologram_executor_phase(executor_.get()); }
  void advance_phase(std::uint64_t delta) {
    hologram_executor_advance_phase(executor_.get(), delta);
  }
  hologram_ratio resonance(std::uint32_t class_index) const {
    hologram_ratio ratio{};
    detail::check(hologram_executor_resonance(executor_.get(), class_index, &ratio));
    return ratio;
  }
  void set_resonance(std::uint32_t class_index, hologram_ratio ratio) {
    detail::check(hologram_executor_set_resonance(executor_.get(), class_index, ratio));
  }
  void add_resonance(std::uint32_t class_index, hologram_ratio ratio) {
    detail::check(hologram_executor_add_resonance(executor_.get(), class_index, ratio));
  }
  void reset_resonance() { hologram_executor_reset_resonance(executor_.get()); }
  // Zeros in memory of their own. It takes no class.
  template <class T>
  Buffer<T> allocate(std::size_t size) const {
    return Buffer<T>(size);
  }
  // The first width * height bytes of a class, as whole elements: memory that kernels of this
  // executor reach by the addresses of classes, and an argument of launches like other buffers, but
  // for kernels that use class memory themselves (hologram.h). Nothing is cleared. The class is
  // free again when the buffer goes, which may be after the executor. Any thread may call this and
  // let buffers go. Throws: no such class, one that is taken, all are; no or more than 48 pages, no
  // or more than 256 bytes.
  template <class T>
  Buffer<T> allocate_boundary(std::uint32_t class_index = any_class,
                              std::uint32_t width = HOLOGRAM_PAGES_PER_CLASS,
                              std::uint32_t height = HOLOGRAM_BYTES_PER_PAGE) {
    hologram_boundary* boundary = nullptr;
    detail::check(hologram_executor_allocate_boundary(executor_.get(), class_index, width, height,
                                                      &boundary));
    return Buffer<T>::take(boundary);
  }
  std::uint32_t num_free_classes() const {
    return hologram_executor_num_free_classes(executor_.get());
  }
  // The memory of the classes; the bytes must lie in one class.
  void read_class_memory(std::uint64_t offset, std::span<std::byte> bytes) const {
    detail::check(
        hologram_executor_read_class_memory(executor_.get(), offset, bytes.data(), bytes.size()));
  }
  void write_class_memory(std::uint64_t offset, std::span<const std::byte> bytes) {
    detail::check(
        hologram_executor_write_class_memory(executor_.get(), offset, bytes.data(), bytes.size()));
  }

 private:
  explicit Executor(hologram_error* (*create)(hologram_executor**)) {
    hologram_executor* executor = nullptr;
    detail::check(create(&executor));
    executor_.reset(executor);
  }
  static const char* or_null(const std::string& text) {
    return text.empty() ? nullptr : text.c_str();
  }
  using PrintFunction = std::function<void(const hologram_print_record&)>;
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
