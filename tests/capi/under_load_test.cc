// Several threads at what one would do after the other: kernel libraries that are found, launched
// and let go while others do the same; static bundles with damaged bytes, loaded with their hash
// and without, and static memory that changes after it was loaded; tiered executors that are
// destroyed while their kernels are compiled, up to the end of the process. usage: under_load_test
// BUNDLE TRUST LIBRARIES [ROUNDS]
#include <hologram/hologram.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

std::atomic<int> failures{0};

[[gnu::format(printf, 1, 2)]] void Fail(const char* format, ...) {
  if (failures.fetch_add(1) >= 20) return;
  va_list values;
  va_start(values, format);
  std::printf("FAIL ");
  std::vprintf(format, values);
  std::printf("\n");
  va_end(values);
}

bool Ok(hologram_error* error, const char* what) {
  if (error == nullptr) return true;
  Fail("%s: %s", what, hologram_error_text(error));
  hologram_error_destroy(error);
  return false;
}

template <class T>
hologram_argument Array(std::vector<T>& values, uint32_t type) {
  hologram_argument argument{};
  argument.code = type | HOLOGRAM_ARGUMENT_BUFFER | HOLOGRAM_ARGUMENT_WRITABLE;
  argument.buffer = {values.data(), values.size() * sizeof(T)};
  return argument;
}

hologram_argument Scalar(uint32_t type, uint64_t value) {
  hologram_argument argument{};
  argument.code = type;
  argument.scalar = value;
  return argument;
}

template <class F>
void OnThreads(int count, const F& work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&work, t] { work(t); });
  for (std::thread& thread : threads) thread.join();
}

// tests/runtime/library_kernel.c: out[k] = x[2k] + e + d + a + s.
bool LaunchMixed(const hologram_kernel* kernel) {
  std::vector<int16_t> x = {1, 0, 2, 0, 3, 0, 0};
  std::vector<double> out(3);
  const float d = 0.5f;
  const double e = 0.25;
  uint32_t d_bits = 0;
  uint64_t e_bits = 0;
  std::memcpy(&d_bits, &d, sizeof d);
  std::memcpy(&e_bits, &e, sizeof e);
  const hologram_argument arguments[] = {Scalar(HOLOGRAM_U16, 10),     Scalar(HOLOGRAM_U32, 3),
                                         Scalar(HOLOGRAM_U64, 7),      Scalar(HOLOGRAM_F32, d_bits),
                                         Scalar(HOLOGRAM_F64, e_bits), Array(x, HOLOGRAM_I16),
                                         Array(out, HOLOGRAM_F64),     Scalar(HOLOGRAM_I8, 1)};
  hologram_launch_config config{};
  for (int k = 0; k < 3; ++k) config.grid[k] = config.block[k] = 1;
  if (!Ok(hologram_kernel_launch(kernel, arguments, 8, &config), "mixed")) return false;
  if (out[1] == 2 + 11.75 && out[2] == 3 + 11.75) return true;
  Fail("mixed: %f", out[1]);
  return false;
}

bool LaunchAdd(const hologram_kernel* kernel) {
  std::vector<float> a(300, 1), b(300, 2), c(300);
  const hologram_argument arguments[] = {Array(a, HOLOGRAM_F32), Array(b, HOLOGRAM_F32),
                                         Array(c, HOLOGRAM_F32), Scalar(HOLOGRAM_U32, 300)};
  if (!Ok(hologram_kernel_launch(kernel, arguments, 4, nullptr), "vector_add")) return false;
  if (c[299] == 3) return true;
  Fail("vector_add: %f", static_cast<double>(c[299]));
  return false;
}

void Libraries(const char* folder, int rounds) {
  hologram_executor* shared = nullptr;
  hologram_kernel* kept = nullptr;
  if (!Ok(hologram_executor_create_private(&shared), "an executor") ||
      !Ok(hologram_executor_add_native_directory(shared, folder), "a folder") ||
      !Ok(hologram_executor_kernel(shared, "mixed", &kept), "mixed")) {
    return;
  }
  std::atomic<int> launches{0};
  OnThreads(4, [&](int t) {
    for (int round = 0; round < rounds; ++round) {
      launches += LaunchMixed(kept);
      hologram_kernel* kernel = nullptr;
      hologram_executor* own = shared;
      if (t % 2 == 0) {
        if (!Ok(hologram_executor_create_private(&own), "an executor")) return;
        Ok(hologram_executor_add_native_directory(own, folder), "a folder");
      } else if (round % 8 == 0) {
        hologram_listing* listing = nullptr;
        if (Ok(hologram_executor_list(own, &listing), "a list")) hologram_listing_destroy(listing);
      }
      if (Ok(hologram_executor_kernel(own, "mixed", &kernel), "mixed")) {
        if (own != shared) hologram_executor_destroy(own);  // the kernel lives on
        launches += LaunchMixed(kernel);
        hologram_kernel_destroy(kernel);
      } else if (own != shared) {
        hologram_executor_destroy(own);
      }
    }
  });
  hologram_executor_destroy(shared);
  launches += LaunchMixed(kept);
  hologram_kernel_destroy(kept);
  std::printf("libraries: %d launches on 4 threads\n", launches.load());
}

void DamagedBundles(const std::vector<uint8_t>& bytes, const char* trust, int count) {
  std::atomic<int> refused{0};
  std::atomic<int> loaded{0};
  OnThreads(2, [&](int t) {
    std::minstd_rand random(static_cast<uint32_t>(t + 1));
    for (int k = 0; k < count; ++k) {
      std::vector<uint8_t> damaged = bytes;
      const size_t changes = 1 + random() % 3;
      for (size_t c = 0; c < changes; ++c) {
        damaged[random() % damaged.size()] ^= static_cast<uint8_t>(1u << random() % 8);
      }
      if (random() % 4 == 0) damaged.resize(random() % damaged.size());
      const bool with_hash = random() % 2 == 0;
      hologram_executor* executor = nullptr;
      if (!Ok(hologram_executor_create_private(&executor), "an executor")) return;
      hologram_error* error = hologram_executor_load_static(
          executor, damaged.data(), damaged.size(), with_hash ? trust : nullptr);
      if (error == nullptr) {
        ++loaded;
        hologram_kernel* kernel = nullptr;
        // What belongs to a kernel is compared with the hash when somebody asks for it.
        error = hologram_executor_kernel(executor, "vector_add", &kernel);
        if (error == nullptr) LaunchAdd(kernel);
        hologram_kernel_destroy(kernel);
      }
      if (error != nullptr) {
        ++refused;
        const int32_t code = hologram_error_code(error);
        // Bytes of a name are a name; what is not the hash's is an invalid argument.
        if (code != HOLOGRAM_ERROR_INVALID_BUNDLE && code != HOLOGRAM_ERROR_INVALID_ARGUMENT &&
            code != HOLOGRAM_ERROR_INVALID_PROGRAM && code != HOLOGRAM_ERROR_NOT_FOUND) {
          Fail("a damaged bundle: code %d, %s", code, hologram_error_text(error));
        }
      }
      hologram_error_destroy(error);
      hologram_executor_destroy(executor);
    }
  });
  std::printf("static bundles with damaged bytes: %d refused, %d loaded\n", refused.load(),
              loaded.load());
  if (refused.load() < count) Fail("hardly a damaged bundle was refused");
}

// Memory that was promised to stay as it is and does not: what was looked at is in copies, what is
// looked at later is compared with its hash. So kernels that were found run on, and a search gives
// the right kernel or an error.
void ChangingMemory(const std::vector<uint8_t>& bytes, const char* trust, int rounds) {
  std::vector<uint8_t> memory = bytes;
  hologram_executor* executor = nullptr;
  hologram_kernel* kept = nullptr;
  if (!Ok(hologram_executor_create_private(&executor), "an executor") ||
      !Ok(hologram_executor_load_static(executor, memory.data(), memory.size(), trust), "static") ||
      !Ok(hologram_executor_kernel(executor, "vector_add", &kept), "vector_add")) {
    return;
  }
  for (const int value : {0xff, 0}) {
    std::fill(memory.begin(), memory.end(), static_cast<uint8_t>(value));
    LaunchAdd(kept);
    for (const char* name : {"row_sums", "talk"}) {
      hologram_kernel* kernel = nullptr;
      hologram_error* error = hologram_executor_kernel(executor, name, &kernel);
      if (hologram_error_code(error) != HOLOGRAM_ERROR_INVALID_BUNDLE) {
        Fail("%s of memory that was written over: %s", name,
             error == nullptr ? "found" : hologram_error_text(error));
      }
      hologram_error_destroy(error);
      hologram_kernel_destroy(kernel);
    }
  }
  hologram_executor_destroy(executor);
  LaunchAdd(kept);
  hologram_kernel_destroy(kept);

  // One byte at a time is another, and right again, while others load, search and launch.
  memory = bytes;
  std::atomic<bool> done{false};
  std::thread writer([&] {
    std::minstd_rand random(11);
    while (!done) {
      uint8_t& byte = memory[random() % memory.size()];
      const uint8_t before = byte;
      __atomic_store_n(&byte, static_cast<uint8_t>(before ^ 1u << random() % 8), __ATOMIC_RELAXED);
      for (uint32_t wait = random() % 20000; wait > 0 && !done; --wait) {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
      }
      __atomic_store_n(&byte, before, __ATOMIC_RELAXED);
      std::this_thread::yield();
    }
  });
  std::atomic<int> launches{0};
  std::atomic<int> refused{0};
  OnThreads(2, [&](int t) {
    for (int ran = 0; ran < rounds;) {
      hologram_executor* own = nullptr;
      hologram_kernel* kernel = nullptr;
      if (!Ok(hologram_executor_create_private(&own), "an executor")) break;
      hologram_error* error = hologram_executor_load_static(own, memory.data(), memory.size(),
                                                            t == 0 ? trust : nullptr);
      if (error == nullptr) error = hologram_executor_kernel(own, "vector_add", &kernel);
      if (error == nullptr) {
        launches += LaunchAdd(kernel);
        ++ran;
      } else {
        ++refused;
      }
      hologram_error_destroy(error);
      hologram_kernel_destroy(kernel);
      hologram_executor_destroy(own);
    }
  });
  done = true;
  writer.join();
  std::printf("static memory that changes: %d launches, %d refused\n", launches.load(),
              refused.load());
}

void Tiered(const std::vector<uint8_t>& bytes, int rounds) {
  std::atomic<int> launches{0};
  std::atomic<int> dropped{0};
  OnThreads(4, [&](int t) {
    std::minstd_rand random(static_cast<uint32_t>(t + 7));
    for (int round = 0; round < rounds; ++round) {
      hologram_executor* executor = nullptr;
      hologram_kernel* kernel = nullptr;
      if (!Ok(hologram_executor_create_private(&executor), "an executor")) return;
      hologram_executor_set_tiered(executor, 1);
      Ok(hologram_executor_load_memory(executor, bytes.data(), bytes.size(), nullptr), "a bundle");
      if (Ok(hologram_executor_kernel(executor, "vector_add", &kernel), "vector_add")) {
        launches += LaunchAdd(kernel);
        if (random() % 2 == 0) hologram_executor_destroy(std::exchange(executor, nullptr));
        if (random() % 3 == 0) {
          hologram_kernel_wait(kernel);
        } else {
          ++dropped;
        }
        launches += LaunchAdd(kernel);
        hologram_kernel_destroy(kernel);
      }
      hologram_executor_destroy(executor);
    }
  });
  std::printf("tiered: %d launches on 4 threads, %d kernels let go unawaited\n", launches.load(),
              dropped.load());
  // The process ends while these are being compiled.
  for (int k = 0; k < 3; ++k) {
    hologram_executor* executor = nullptr;
    hologram_kernel* kernel = nullptr;
    if (!Ok(hologram_executor_create_private(&executor), "an executor")) return;
    hologram_executor_set_tiered(executor, 1);
    Ok(hologram_executor_load_memory(executor, bytes.data(), bytes.size(), nullptr), "a bundle");
    if (Ok(hologram_executor_kernel(executor, "vector_add", &kernel), "vector_add")) {
      LaunchAdd(kernel);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  const int rounds = argc > 4 ? std::atoi(argv[4]) : 20;
  Libraries(argv[3], 10 * rounds);
  DamagedBundles(bytes, argv[2], 40 * rounds);
  ChangingMemory(bytes, argv[2], 10 * rounds);
  Tiered(bytes, rounds);
  return failures.load() == 0 ? 0 : 1;
}
