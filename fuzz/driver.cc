// Runs a fuzzer without libFuzzer: usage FUZZER [ITERATIONS [SEED]], or FUZZER FILE to repeat one
// input. When an input crashes, it is written to crash-input.bin in the working directory.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "fuzzer.h"

namespace hologram::fuzz {
namespace {

constexpr uint64_t kIterations = 20'000;

const Bytes* current_input = nullptr;

void SaveInput(int number) {
  const int file = open("crash-input.bin", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && current_input != nullptr) {
    const auto written = write(file, current_input->data(), current_input->size());
    (void)written;
    close(file);
  }
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void Run(const Bytes& input) {
  current_input = &input;
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

class Mutator {
 public:
  Mutator(std::vector<Bytes> seeds, uint64_t seed) : seeds_(std::move(seeds)), random_(seed) {}

  Bytes Next() {
    Bytes bytes = seeds_[Below(seeds_.size())];
    for (uint64_t n = 1 + Below(6); n > 0; --n) MutateOnce(bytes);
    return bytes;
  }

 private:
  uint64_t Below(uint64_t limit) { return limit == 0 ? 0 : random_() % limit; }
  std::ptrdiff_t Position(const Bytes& bytes) {
    return static_cast<std::ptrdiff_t>(Below(bytes.size()));
  }

  void MutateOnce(Bytes& bytes) {
    if (bytes.empty()) return bytes.push_back(static_cast<uint8_t>(random_()));
    const std::ptrdiff_t position = Position(bytes);
    const auto at = bytes.begin() + position;
    constexpr uint8_t kInteresting[] = {0, 1, 0x7f, 0x80, 0xff, '\n', ' ', '"', ';', '@', '['};
    switch (Below(7)) {
      case 0:
        *at = static_cast<uint8_t>(*at ^ (1u << Below(8)));
        break;
      case 1:
        *at = static_cast<uint8_t>(random_());
        break;
      case 2:
        *at = kInteresting[Below(std::size(kInteresting))];
        break;
      case 3:
        bytes.insert(at, kInteresting[Below(std::size(kInteresting))]);
        break;
      case 4:
        bytes.erase(at);
        break;
      case 5:
        if (Below(4) == 0) bytes.resize(static_cast<size_t>(position));
        break;
      default: {
        const Bytes& other = seeds_[Below(seeds_.size())];
        if (other.empty()) break;
        const auto from = other.begin() + Position(other);
        const auto count = static_cast<std::ptrdiff_t>(
            Below(std::min<uint64_t>(64, static_cast<uint64_t>(other.end() - from))));
        bytes.insert(at, from, from + count);
      }
    }
  }

  std::vector<Bytes> seeds_;
  std::mt19937_64 random_;
};

int RunFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "%s: error: cannot be read\n", path);
    return 1;
  }
  Run(Bytes(std::istreambuf_iterator<char>(file), {}));
  return 0;
}

int Main(int argc, char** argv) {
  for (int number : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) std::signal(number, SaveInput);
  uint64_t iterations = kIterations;
  if (argc > 1) {
    char* end = nullptr;
    iterations = std::strtoull(argv[1], &end, 10);
    if (*end != '\0') return RunFile(argv[1]);
  }
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::vector<Bytes> seeds = Seeds();
  for (const Bytes& input : seeds) Run(input);
  Mutator mutator(seeds, seed);
  for (uint64_t i = 0; i < iterations; ++i) {
    const Bytes input = mutator.Next();
    Run(input);
  }
  std::printf("%zu seeds and %llu mutations: ok\n", seeds.size(),
              static_cast<unsigned long long>(iterations));
  return 0;
}

}  // namespace
}  // namespace hologram::fuzz

int main(int argc, char** argv) {
  return hologram::fuzz::Main(argc, argv);
}
