// make bench GROUP=scale: a stream in C++ against pread and pwrite of 1 MiB on one thread, in
// alternating pairs, on files that are there. usage: scale INPUT OUTPUT OUTPUT
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "hologram/stream.hpp"

namespace {

constexpr int kPairs = 7;
using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double ByHand(const char* from, int to) {
  const int file = open(from, O_RDONLY | O_CLOEXEC);
  std::vector<char> window(std::size_t{1} << 20);
  const Clock::time_point start = Clock::now();
  off_t at = 0;
  for (ssize_t got = 0; (got = pread(file, window.data(), window.size(), at)) > 0; at += got) {
    if (pwrite(to, window.data(), static_cast<std::size_t>(got), at) != got) return -1;
  }
  const double seconds = Since(start);
  close(file);
  return seconds;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  hologram::Executor executor;
  const hologram::Kernel relu = executor.kernel("relu");
  const int ours = open(argv[2], O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  const int theirs = open(argv[3], O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  std::uint64_t bytes = 0;
  const auto stream = [&] {
    lseek(ours, 0, SEEK_SET);
    hologram::Stream run(relu);
    run.in("x", argv[1]).out("y", ours).set_length("n", "x");
    const hologram_streamed done = run.run();
    bytes = done.bytes_read;
    return done.seconds;
  };
  stream();
  ByHand(argv[1], theirs);
  std::vector<double> mine;
  std::vector<double> other;
  std::vector<double> times;
  for (int pair = 0; pair < kPairs; ++pair) {
    mine.push_back(stream());
    other.push_back(ByHand(argv[1], theirs));
    times.push_back(other.back() / mine.back());
  }
  const double gigabytes = static_cast<double>(bytes) / 1e9;
  std::printf("%-44s %6.2f %6.2f GB/s  %5.2f x\n", "relu in C++ | pread + pwrite of 1 MiB",
              gigabytes / Median(mine), gigabytes / Median(other), Median(times));
  return 0;
}
