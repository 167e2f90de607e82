// hologram.hpp: types, conversions, errors as exceptions, and the inline launch, which must do and
// refuse the same as the checked one. usage: cpp_test BUNDLE HASH KERNEL_PATH
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "hologram/hologram.hpp"
#include "hologram/observe.hpp"

namespace {

using hologram::Buffer;
using hologram::Executor;
using hologram::Kernel;

int failures = 0;

void Expect(bool condition, const char* what) {
  if (condition) return;
  std::printf("FAIL %s\n", what);
  ++failures;
}

void TestDevices() {
  const std::vector<hologram::Device> devices = hologram::devices();
  Expect(devices.size() == hologram_device_count(), "devices");
  bool has_cuda = false;
  for (const hologram::Device& device : devices) {
    Expect(!device.name.empty() || !device.why_not.empty(), "a device, or why there is none");
    has_cuda |= device.engine == hologram::Backend::cuda && device.why_not.empty();
  }
  Expect(has_cuda == (hologram_has_feature("cuda") == 1), "has_feature of cuda");
}

template <class F>
void ExpectError(F function, const std::string& expected, const char* what) {
  std::string found = "no error";
  try {
    function();
  } catch (const hologram::Error& error) {
    found = error.what();
  }
  if (found == expected) return;
  std::printf("FAIL %s\n  expected %s\n  found    %s\n", what, expected.c_str(), found.c_str());
  ++failures;
}

// Of all rows of a name.
std::uint64_t CountOf(const std::string& name) {
  std::uint64_t sum = 0;
  for (const hologram::Metric& metric : hologram::metrics()) {
    if (metric.name == name) sum += metric.value;
  }
  return sum;
}

void TestMetrics(const Kernel& add) {
  Buffer<float> a(4);
  Buffer<float> c(4);
  const std::uint64_t launches = CountOf("launches");
  const std::uint64_t refused = CountOf("launches_refused");
  for (int k = 0; k < 5; ++k) add(a, a, c, 4);
  add.launch({.grid = {1}, .block = {256}}, a, a, c, 4);
  try {
    add(a, a, 1, 4);
  } catch (const hologram::Error&) {
    // A call that the parameters do not allow is no launch.
  }
  try {
    add.launch({.grid = {1}, .block = {2000}}, a, a, c, 4);
  } catch (const hologram::Error&) {
    // 1,024 lanes are the most that a block has.
  }
  Expect(CountOf("launches") == launches + 6, "launches are counted, also inlined ones");
  Expect(CountOf("launches_refused") == refused + 1, "a launch that is refused is counted");
}

void TestTrace(const Kernel& add) {
  Buffer<float> a(4);
  Buffer<float> c(4);
  std::vector<std::string> seen;
  {
    hologram::Trace trace([&](const hologram_span& span) {
      seen.push_back(std::string(span.category) + " " + span.name);
      for (std::size_t k = 0; k < span.num_arguments; ++k) {
        const hologram_span_argument& argument = span.arguments[k];
        if (std::string(argument.name) == "bytes") seen.push_back(std::to_string(argument.number));
      }
    });
    ExpectError([] { hologram::Trace second("t.json"); }, "hologram: error: a trace runs already",
                "one trace at a time");
    const hologram::Span span("step");
    add(a, a, c, 4);
    trace.flush();
    Expect(seen == std::vector<std::string>{"launch vector_add", "48"}, "a launch in a trace");
  }
  Expect(seen.size() == 3 && seen[2] == "user step", "a span that ends before its trace");
  hologram::Trace trace([](const hologram_span&) {});
  {
    const hologram::Span span("step");
  }
  const hologram_trace_summary summary = trace.stop();
  Expect(summary.spans == 1 && summary.dropped == 0, "a summary");
  ExpectError([] { hologram::Trace nowhere("/nonexistent/t.json"); },
              "hologram: error: /nonexistent/t.json: no such file or directory", "a path");
}

void TestBuffers() {
  Buffer<float> owned(5);
  Expect(owned.size() == 5 && owned[0] == 0 && owned[4] == 0, "an owned buffer is zero");
  Expect(reinterpret_cast<std::uintptr_t>(owned.data()) % 64 == 0, "an owned buffer is aligned");
  float memory[3] = {1, 2, 3};
  Buffer<float> borrowed = Buffer<float>::borrow(memory);
  borrowed[1] = 7;
  Expect(memory[1] == 7 && borrowed.size() == 3, "a borrowed buffer is the memory");
  Buffer<float> moved = std::move(owned);
  Expect(moved.size() == 5 && owned.size() == 0, "buffers move");
  Expect(Buffer<double>(0).data() != nullptr, "an empty buffer");
}

void TestCalls(const Kernel& add) {
  constexpr std::uint32_t n = 300;
  Buffer<float> a(n), b(n), c(n);
  std::vector<float> d(n, 2);
  for (std::uint32_t i = 0; i < n; ++i) a[i] = static_cast<float>(i);
  add(a, d, c, n);
  Expect(c[0] == 2 && c[n - 1] == 301, "buffers and vectors");
  std::fill(c.begin(), c.end(), 0.0f);
  add(std::span<const float>(a), d, std::span<float>(c), 300);
  Expect(c[n - 1] == 301, "spans, and an int that fits");
  add(a, d, c, std::int64_t{n});
  add(c, d, c, n);
  Expect(c[n - 1] == 303, "in place");
  Buffer<float> one(1);
  add(a, d, one, 1u);
  Expect(one[0] == 2, "one element");
  Buffer<float> none(0);
  add(a, d, none, 0u);
}

// The answer is true also after launches that left no record.
void TestLastLaunch(const Kernel& add) {
  const bool native = add.path().rfind("native", 0) == 0;
  Buffer<float> a(300), b(300), c(300);
  add(a, b, c, 300u);
  hologram::LastLaunch last = add.last_launch();
  Expect(last.engine == (native ? "cpu" : "interpreter") && last.reason.empty() == native &&
             last.threads == 1 && !last.checked,
         "an ordinary launch");
  hologram::LaunchConfig config;
  config.backend = hologram::Backend::interpreter;
  add.launch(config, a, b, c, 300u);
  last = add.last_launch();
  Expect(last.engine == "interpreter" && last.reason == "the interpreter was asked for",
         "a launch in the interpreter");
  for (int k = 0; k < 3; ++k) add(a, b, c, 300u);
  Expect(add.last_launch().engine == (native ? "cpu" : "interpreter"), "inlined launches after it");
  config = {};
  config.threads = 2000;
  const std::string refusal = "threads: expected 0 to 1024, found 2000";
  ExpectError([&] { add.launch(config, a, b, c, 300u); }, "hologram: error: " + refusal,
              "a launch on too many threads");
  last = add.last_launch();
  Expect(last.engine.empty() && last.reason == refusal, "a launch that was refused");
}

void TestRefusals(const Kernel& add) {
  Buffer<float> a(300), b(300), c(300);
  Buffer<double> wide(300);
  ExpectError([&] { add(a, wide, c, 300u); },
              "hologram: error: kernel 'vector_add': 'b' expects a buffer of f32, found a buffer "
              "of f64",
              "a wrong type");
  Buffer<hologram::f16> half(300);
  ExpectError([&] { add(a, half, c, 300u); },
              "hologram: error: kernel 'vector_add': 'b' expects a buffer of f32, found a buffer "
              "of f16",
              "a buffer of f16");
  ExpectError([&] { add(a, b, c, hologram::bf16{0x4396}); },
              "hologram: error: kernel 'vector_add': 'n' expects u32, found 300.000000 of type "
              "bf16",
              "a scalar of bf16");
  ExpectError([&] { add(a, b, std::as_const(c), 300u); },
              "hologram: error: kernel 'vector_add': 'c' is written, found a read-only buffer",
              "a constant output");
  ExpectError([&] { add(a, b, c); },
              "hologram: error: kernel 'vector_add' expects 4 arguments (a, b, c, n), found 3",
              "too few arguments");
  ExpectError([&] { add(a, b, c, 1.5); },
              "hologram: error: kernel 'vector_add': 'n' expects u32, found 1.500000 of type f64",
              "a fraction");
  ExpectError([&] { add(a, b, c, 4.0); },
              "hologram: error: kernel 'vector_add': 'n' expects u32, found 4.000000 of type f64",
              "a float for an integer");
  Buffer<float> small(290);
  ExpectError([&] { add(small, b, c, 300u); },
              "add.py:6:16: error: a[i] reads element 290 of 290 (i = 290)", "a small buffer");
  Expect(c[0] == 0, "nothing is written by a refused launch");
  ExpectError([&] { add(a, b, small, 513u); },
              "add.py:5:8: error: the largest output 'c' has 290 elements, so the launch has 512 "
              "lanes, but this condition needs 513 lanes; pass a grid: grid 3,1,1 "
              "block 256,1,1",
              "a launch that does not cover n");
  std::vector<float> memory(301);
  ExpectError(
      [&] {
        add(std::span<float>(memory).subspan(0, 300), b, std::span<float>(memory).subspan(1, 300),
            300u);
      },
      "hologram: error: buffers 'a' and 'c' overlap in part; they must be the same memory "
      "or apart",
      "an overlap");
}

void TestPrints(Executor& executor) {
  const Kernel talk = executor.kernel("talk");
  Buffer<float> x(6);
  x[1] = 0.5f;
  std::string all;
  executor.set_print([&](const hologram_print_record& record) {
    all += std::string(record.file) + ":" + std::to_string(record.line) + ":" +
           std::to_string(record.column) + " " + record.kernel + " block " +
           std::to_string(record.block[0]) + " lane " + std::to_string(record.lane_in_block[0]) +
           " (" + std::to_string(record.lane) + ") " + std::string(record.text, record.size);
  });
  hologram::LaunchConfig config;
  config.grid = {2, 1, 1};
  config.block = {2, 1, 1};
  talk.launch(config, x, 3u);
  Expect(all ==
             "talk.py:4:5 talk block 0 lane 0 (0) x = 0.0\n"
             "talk.py:4:5 talk block 0 lane 1 (1) x = 0.5\n"
             "talk.py:4:5 talk block 1 lane 0 (2) x = 0.0\n",
         "what lanes print");
  all.clear();
  x[1] = 4;
  ExpectError([&] { talk(x, 6u); }, "talk.py:5:5: error: assertion failed: x[i] < 3",
              "a fault after prints");
  Expect(all ==
             "talk.py:4:5 talk block 0 lane 0 (0) x = 0.0\n"
             "talk.py:4:5 talk block 0 lane 1 (1) x = 4.0\n",
         "what lanes up to the fault print");
  Buffer<float> many(20000);
  all.clear();
  std::size_t records = 0;
  executor.set_print([&](const hologram_print_record& record) {
    ++records;
    if (record.is_note != 0) all = record.text;
  });
  talk(many, 20000u);
  Expect(records == 10001, "the limit of a launch");
  Expect(all == "... and 10000 more; of what a launch prints, the first 10000 are shown\n",
         "how many there were beyond");
  executor.set_print({});
}

void TestTyped(Executor& executor) {
  Buffer<float> a(300), b(300), c(300);
  auto add =
      executor.kernel<Buffer<float>, Buffer<float>, Buffer<float>, std::uint32_t>("vector_add");
  a[299] = 1;
  add(a, std::as_const(b), c, 300);
  Expect(c[299] == 1, "a typed call");
  ExpectError([&] { add(a, b, c, -1); },
              "hologram: error: kernel 'vector_add': 'n' expects u32, found -1 of type i32",
              "a typed call with a negative n");
  ExpectError(
      [&] { executor.kernel<Buffer<float>, Buffer<double>, Buffer<float>, int>("vector_add"); },
      "hologram: error: kernel 'vector_add': 'b' expects a buffer of f32, found a buffer of f64\n"
      "hologram: error: kernel 'vector_add': 'n' expects u32, found i32",
      "a handle of other types");
}

void TestConfig(const Kernel& add) {
  Buffer<float> a(300), b(300), c(300);
  b[0] = 1;
  hologram::LaunchConfig config;
  config.grid = {2, 1, 1};
  config.backend = hologram::Backend::interpreter;
  add.launch(config, a, b, c, 300u);
  Expect(c[0] == 1, "a launch with a grid in the interpreter");
  c[0] = 0;
  add.launch({.grid = {2}, .block = {256}}, a, b, c, 300u);
  Expect(c[0] == 1, "a grid and a block of which x alone is given");
  Expect(add.note().find("does not have") == std::string::npos,
         "no note of grids that have all lanes");
  add.launch({.grid = {1}}, a, b, c, 300u);
  Expect(add.note() ==
             "the conditions of kernel 'vector_add' admit lanes that this launch does not have; "
             "all of them: grid 2,1,1 block 256,1,1",
         "the note of a grid that leaves lanes out");
  ExpectError([&] { add.launch({.grid = {0, 2, 1}}, a, b, c, 300u); },
              "hologram: error: grid.x is 0, expected at least 1", "a grid without x");
  config.block = {2048, 1, 1};
  ExpectError([&] { add.launch(config, a, b, c, 300u); },
              "hologram: error: block.x is 2048, the limit is 1024", "a block that is too large");
}

void TestStream() {
  Executor executor;
  executor.advance_phase(770);
  Expect(executor.phase() == 2, "the phase");
  executor.set_resonance(95, {-1, 2});
  executor.add_resonance(95, {3, 4});
  const hologram_ratio ratio = executor.resonance(95);
  Expect(ratio.numerator == 1 && ratio.denominator == 4, "the resonance");
  ExpectError([&] { executor.set_resonance(0, {2, 4}); },
              "hologram: error: 2/4 is not reduced; write 1/2", "a fraction that is not reduced");
  ExpectError([&] { executor.add_resonance(0, {1, 0}); },
              "hologram: error: 1/0 has a denominator of zero", "a denominator of zero");
  ExpectError([&] { (void)executor.resonance(96); },
              "hologram: error: expected a class below 96, found 96", "a class that is none");
  Expect(hologram::mirror_of(hologram::mirror_of(7)) == 7 && hologram::mirror_of(7) != 7,
         "the mirror");
  for (std::uint32_t c = 0; c < 96; ++c) {
    const std::vector<std::uint32_t> near = hologram::neighbours_of(c);
    Expect(near.size() == 5 || near.size() == 6, "5 or 6 neighbours");
    for (const std::uint32_t other : near) {
      const std::vector<std::uint32_t> back = hologram::neighbours_of(other);
      Expect(std::find(back.begin(), back.end(), c) != back.end(), "neighbours of each other");
    }
  }
  ExpectError([&] { (void)hologram::neighbours_of(96); },
              "hologram: error: expected a class below 96, found 96", "neighbours of no class");
  executor.reset_resonance();
  Expect(executor.resonance(95).numerator == 0, "no resonance");
  const std::byte written[2] = {std::byte{7}, std::byte{8}};
  std::byte read[2] = {};
  executor.write_class_memory(12286, written);
  executor.read_class_memory(12286, read);
  Expect(read[0] == written[0] && read[1] == written[1], "class memory");
  ExpectError([&] { executor.read_class_memory(12287, read); },
              "hologram: error: expected bytes inside one class of 12288 bytes, found 2 at 12287",
              "two classes");
}

// Beside those of the sanitizer.
bool ThreadsOfProcessAre(std::ptrdiff_t wanted) {
  const auto count = std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
#if defined(__SANITIZE_THREAD__)
  if (count == wanted + 1) return true;  // its own, from the first thread of the program on
#endif
  return count == wanted;
}

// Launches that are worth several threads, inline and with a config; every count gives the same.
void TestThreads(const char* bundle, const char* hash) {
  ExpectError([] { Executor().set_threads(1025); },
              "hologram: error: threads: expected 0 to 1024, found 1025", "too many threads");
  Expect(ThreadsOfProcessAre(1), "no thread before it is needed");
  constexpr std::uint32_t n = 3'000'001;
  std::vector<float> a(n), b(n), expected(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i % 1000);
    b[i] = static_cast<float>(i % 777);
    expected[i] = a[i] + b[i];
  }
  for (const std::uint32_t threads : {1u, 2u, 7u}) {
    Executor executor;
    executor.set_threads(threads);
    executor.load(bundle, hash);
    const Kernel add = executor.kernel("vector_add");
    Expect(add.threads() == threads, "the threads of a kernel");
    std::vector<float> c(n);
    add(a, b, c, n);
    Expect(c == expected, "a launch on several threads");
    // The pool grows with what is asked of it; the second launch below asks for 8 - threads.
    const bool native = add.path() != "interpreter";
    const std::ptrdiff_t there = !native || threads == 1 ? 1 : 7;
    Expect(ThreadsOfProcessAre(there), "the threads of the process");
    std::fill(c.begin(), c.end(), 0.0f);
    hologram::LaunchConfig config;
    config.threads = 8 - threads;
    add.launch(config, a, b, c, n);
    Expect(c == expected, "a launch on as many threads as it says");
    config.threads = 1025;
    ExpectError([&] { add.launch(config, a, b, c, n); },
                "hologram: error: threads: expected 0 to 1024, found 1025", "too many threads");
  }
}

// Not a benchmark, only far enough from one to notice a launch that left the inline path.
void PrintLaunchTime(Executor& executor) {
  auto add =
      executor.kernel<Buffer<float>, Buffer<float>, Buffer<float>, std::uint32_t>("vector_add");
  const auto any = executor.kernel("vector_add");
  Buffer<float> a(1), b(1), c(1);
  const auto best = [&](auto call) {
    double nanoseconds = 1e9;
    for (int repeat = 0; repeat < 20; ++repeat) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < 10000; ++i) call();
      const std::chrono::duration<double, std::nano> time =
          std::chrono::steady_clock::now() - start;
      nanoseconds = std::min(nanoseconds, time.count() / 10000);
    }
    return nanoseconds;
  };
  std::printf("launch, 3 buffers, n = 1: typed %.1f ns, untyped %.1f ns (%s)\n",
              best([&] { add(a, b, c, 1u); }), best([&] { any(a, b, c, 1u); }), any.path().c_str());
}

}  // namespace

void TestRanked(Executor& executor) {
  const Kernel rows = executor.kernel("row_sums");
  Expect(rows.num_parameters() == 2 && rows.parameter(0).rank == 2 && rows.parameter(1).rank == 1,
         "parameters that a caller passes");
  Buffer<float> memory(12), sums(3);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  rows(hologram::view(memory, 3, 4), sums);
  Expect(sums[0] == 6 && sums[1] == 22 && sums[2] == 38, "rows without gaps");
  // The left half of each row.
  const hologram::View<const float, 2> half(memory.data(), memory.size(), {3, 2}, {4, 1});
  rows(half, sums);
  Expect(sums[0] == 1 && sums[1] == 9 && sums[2] == 17, "rows that lie apart");
  rows.launch({.grid = {1, 1, 1}, .block = {4, 1, 1}}, hologram::view(memory, 3, 4), sums);
  Expect(sums[2] == 38, "a launch with a shape");
  ExpectError([&] { rows(memory, sums); },
              "hologram: error: array 'a' needs 2 dimensions; the argument has 1", "no shape");
  ExpectError([&] { rows(hologram::view(memory, 2, 3, 2), sums); },
              "hologram: error: array 'a' needs 2 dimensions; the argument has 3", "another rank");
  const hologram::View<float, 2> columns(memory.data(), memory.size(), {3, 2}, {1, 4});
  ExpectError([&] { rows(columns, sums); },
              "hologram: error: array 'a' has gaps in its last dimension (stride 4); copy it to a "
              "contiguous one",
              "a transposed array");
  ExpectError([&] { rows(hologram::view(memory, 3, 5), sums); },
              "rows.py:6:18: error: a[i, j] reads element 12 of 12 (i = 2, j = 2)",
              "a shape beyond the memory");
  const hologram::View<float, 2> long_rows(memory.data(), memory.size(), {1, std::size_t{1} << 32});
  ExpectError([&] { rows(long_rows, sums); },
              "hologram: error: array 'a' has extent 4294967296 in dimension 1, which is more than "
              "u32 holds",
              "an extent beyond u32");
}

// A folder of the user shadows loaded bundles, and these the standard library. Its native code runs
// only with its trust hash.
void TestRegistry(const std::string& bundle, const std::string& hash, const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(bundle).parent_path() / "cpp_test_kernels";
  fs::create_directory(folder);
  Executor executor;
  executor.load(bundle, hash);
  executor.add_directory(folder.string());
  Expect(executor.list().kernels.size() >= 2 && executor.list().errors.empty(), "what is loaded");
  fs::copy_file(bundle, folder / "mine.holo", fs::copy_options::overwrite_existing);
  Expect(executor.kernel("vector_add").path() == "interpreter", "nobody vouches for a folder");
  std::string shown;
  for (const hologram::ListedKernel& kernel : executor.list().kernels) {
    if (kernel.name != "vector_add") continue;
    shown += std::to_string(kernel.origin) + (kernel.shadowed ? " shadowed\n" : "\n");
    if (kernel.shadowed) {
      Expect(kernel.shadowed_by == (folder / "mine.holo").string(), "shadowed by");
    }
  }
  Expect(shown == "2\n1 shadowed\n0 shadowed\n", "origins");
  executor.trust(hash);
  Expect(executor.kernel("vector_add").path() == path, "a hash vouches for a file");
  Executor alone = Executor::make_private();
  ExpectError([&] { alone.kernel("vector_add"); },
              "hologram: error: no kernel 'vector_add': nothing is loaded", "a private executor");
  ExpectError([&] { alone.add_directory("/nonexistent"); },
              "hologram: error: kernel folder /nonexistent: there is no such folder",
              "a missing folder");
  fs::resize_file(folder / "mine.holo", 70);
  ExpectError([&] { executor.kernel("vector_add"); },
              "hologram: error: " + (folder / "mine.holo").string() + ": the header says " +
                  std::to_string(fs::file_size(bundle)) + " bytes; the file has 70",
              "a file that was cut");
  Expect(executor.list().errors.size() == 1, "a bad file is listed");
  fs::remove_all(folder);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  TestBuffers();
  TestStream();
  TestDevices();
  Executor executor;
  ExpectError([&] { executor.kernel("unknown"); },
              "hologram: error: no kernel 'unknown': nothing is loaded", "nothing loaded");
  executor.load(argv[1], argv[2]);
  const Kernel add = executor.kernel("vector_add");
  Expect(add.path() == argv[3], "path");
  Expect(add.num_parameters() == 4 && std::string(add.parameter(3).name) == "n", "parameters");
  TestCalls(add);
  TestMetrics(add);
  TestTrace(add);
  TestLastLaunch(add);
  TestRefusals(add);
  TestPrints(executor);
  TestTyped(executor);
  TestConfig(add);
  TestRanked(executor);
  TestThreads(argv[1], argv[2]);
  TestRegistry(argv[1], argv[2], argv[3]);
  if (add.path() != "interpreter") PrintLaunchTime(executor);
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
