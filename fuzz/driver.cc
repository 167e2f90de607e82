// Runs a fuzzer without libFuzzer: usage FUZZER [ITERATIONS [SEED]], FUZZER FILE to repeat one
// input, or FUZZER --write-seeds FOLDER to make files of the seeds that are not files yet. When an
// input crashes, it is written to crash-input.bin in the working directory.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "fuzzer.h"
#include "mutations.h"

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
  Mutator(const std::vector<Bytes>& seeds, uint64_t seed) : seeds_(seeds), random_(seed) {}

  Bytes Next() {
    constexpr size_t kMostBytes = 1 << 14;
    Bytes bytes = Seed();
    const size_t most = std::max(kMostBytes, bytes.size());
    for (uint64_t n = 1 + random_() % 6; n > 0; --n) Mutate(bytes, Seed(), most, random_);
    return bytes;
  }

 private:
  const Bytes& Seed() { return seeds_[random_() % seeds_.size()]; }

  const std::vector<Bytes>& seeds_;
  std::mt19937_64 random_;
};

Bytes ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

// The files of NAME_fuzzer, in the order of their names: a run with the same seed is the same run.
std::vector<Bytes> ReadCorpus(const std::filesystem::path& program) {
  const std::string file = program.filename().string();
  const auto folder = std::filesystem::path(HOLOGRAM_CORPUS) / file.substr(0, file.rfind('_'));
  std::vector<std::filesystem::path> paths;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> files;
  for (const std::filesystem::path& path : paths) files.push_back(ReadFile(path));
  return files;
}

int WriteSeeds(const std::filesystem::path& folder) {
  size_t number = 0;
  for (const Bytes& seed : Seeds()) {
    std::ofstream file(folder / ("seed-" + std::to_string(number++)), std::ios::binary);
    file.write(reinterpret_cast<const char*>(seed.data()),
               static_cast<std::streamsize>(seed.size()));
    if (!file.good()) return 1;
  }
  return 0;
}

int RunFile(const char* path) {
  if (!std::filesystem::is_regular_file(path)) {
    std::fprintf(stderr, "%s: error: cannot be read\n", path);
    return 1;
  }
  Run(ReadFile(path));
  return 0;
}

int Main(int argc, char** argv) {
  for (int number : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) std::signal(number, SaveInput);
  if (argc == 3 && argv[1] == std::string("--write-seeds")) return WriteSeeds(argv[2]);
  uint64_t iterations = kIterations;
  if (argc > 1) {
    char* end = nullptr;
    iterations = std::strtoull(argv[1], &end, 10);
    if (*end != '\0') return RunFile(argv[1]);
  }
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::vector<Bytes> seeds = ReadCorpus(argv[0]);
  if (seeds.empty()) {
    std::fprintf(stderr, "%s: error: it has no files in " HOLOGRAM_CORPUS "\n", argv[0]);
    return 1;
  }
  for (Bytes& made : Seeds()) seeds.push_back(std::move(made));
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
