// Compute-bound: two pictures on two threads of one process, against one picture in each of two
// processes with one thread, which is what the machine gives to work that shares nothing. Bound by
// memory: the same launch on one thread and on all.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "workbench.h"

namespace hologram::bench {
namespace {

constexpr uint32_t kSize = 1024;
constexpr int kPictures = 4;  // of each process, in one measurement

class Picture {
 public:
  Picture(const Kernel& kernel, uint32_t threads)
      : kernel_(kernel), pixels_(size_t{kSize} * kSize) {
    config_.grid = {kSize / 256, kSize, 1};
    config_.block = {256, 1, 1};
    config_.threads = threads;
  }

  void Draw() {
    constexpr float kStep = 2.5f / kSize;
    kernel_.launch(config_, pixels_, kSize, kSize, -2.0f, -1.25f, kStep, kStep, 256u);
    Clobber(pixels_.data());
  }

 private:
  Kernel kernel_;
  LaunchConfig config_;
  Buffer<uint32_t> pixels_;
};

// A process that draws pictures when it is told to.
class Twin {
 public:
  explicit Twin(const Kernel& kernel) {
    int to[2];
    int from[2];
    if (pipe(to) != 0 || pipe(from) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      close(to[1]);
      close(from[0]);
      Picture picture(kernel, 1);
      char order = 0;
      while (read(to[0], &order, 1) == 1) {
        for (int k = 0; k < kPictures; ++k) picture.Draw();
        if (write(from[1], &order, 1) != 1) break;
      }
      std::_Exit(0);
    }
    close(to[0]);
    close(from[1]);
    order_ = to[1];
    answer_ = from[0];
  }
  ~Twin() {
    close(order_);
    close(answer_);
    if (child_ > 0) waitpid(child_, nullptr, 0);
  }
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;

  bool Start() { return child_ > 0 && write(order_, "d", 1) == 1; }
  bool Finish() {
    char answer = 0;
    return read(answer_, &answer, 1) == 1;
  }

 private:
  pid_t child_ = -1;
  int order_ = -1;
  int answer_ = -1;
};

void TwoThreads(Executor& executor, Report& report) {
  if (!report.Wants("Mandelbrot, 2 threads : 2 processes")) return;
  const Kernel kernel = Native(executor, "mandelbrot");
  Twin twin(kernel);
  Picture alone(kernel, 1);
  Picture shared(kernel, 2);
  alone.Draw();
  shared.Draw();
  std::vector<double> ratios;
  for (int repetition = 0; repetition < 31; ++repetition) {
    double start = NowNs();
    for (int k = 0; k < 2 * kPictures; ++k) shared.Draw();
    const double threads_ns = NowNs() - start;
    start = NowNs();
    if (!twin.Start()) return std::perror("bench: two processes");
    for (int k = 0; k < kPictures; ++k) alone.Draw();
    if (!twin.Finish()) return std::perror("bench: two processes");
    ratios.push_back((NowNs() - start) / threads_ns);
  }
  report.AtLeast("Mandelbrot, 2 threads : 2 processes", "1024 x 1024", Median(ratios), 0.95, "x");
}

void StreamingOnAll(Executor& executor, Report& report) {
  if (!report.Wants("f32 add, 2 threads")) return;
  const Kernel add = Native(executor, "vector_add");
  const uint32_t n = 16u << 20;
  Buffer<float> a(n), b(n), c(n);
  std::fill(a.begin(), a.end(), 1.0f);
  std::fill(b.begin(), b.end(), 2.0f);
  LaunchConfig one;
  one.threads = 1;
  LaunchConfig two;
  two.threads = 2;
  report.AgainstPeer(
      {"f32 add, 2 threads", "n=16M", "1 thread", 1.05},
      [&] { add.launch(two, a, b, c, n), Clobber(c.data()); },
      [&] { add.launch(one, a, b, c, n), Clobber(c.data()); });
}

}  // namespace

void Threads(Executor& executor, Report& report) {
  TwoThreads(executor, report);
  StreamingOnAll(executor, report);
}

}  // namespace hologram::bench
