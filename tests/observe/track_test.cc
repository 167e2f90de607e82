// Rows of a trace that are no threads.
#include "observe/track.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "observe/rings.h"
#include "observe/trace.h"

namespace hologram::observe {
namespace {

struct Taken {
  std::string name;
  std::string thread_name;
  uint32_t thread;
  uint64_t begin;
  uint64_t duration;
};

void WriteSpan(Track& track, const std::string& name, uint64_t begun, uint64_t ended) {
  SpanRecord record;
  record.Begin("queue", name);
  track.Write(record, begun, ended);
}

// Of a trace in which `work` is done; `summary` is what its end says.
template <class Work>
std::vector<Taken> Traced(Work work, TraceSummary* summary = nullptr) {
  std::vector<Taken> taken;
  EXPECT_TRUE(StartTrace([&](const TracedSpan& span) {
                taken.push_back({std::string(span.name), std::string(span.thread_name), span.thread,
                                 span.begin_ns, span.duration_ns});
              }).ok());
  work();
  const Result<TraceSummary> stopped = StopTrace();
  EXPECT_TRUE(stopped.ok());
  if (summary != nullptr && stopped.ok()) *summary = stopped.value();
  return taken;
}

TEST(Track, HasItsOwnRowAndTimes) {
  Track first("queue of a device");
  Track second("queue of another");
  WriteSpan(first, "before", Now(), Now());
  uint64_t now = 0;
  const std::vector<Taken> taken = Traced([&] {
    now = Now();
    WriteSpan(first, "upload", now + 1000, now + 1500);
    WriteSpan(first, "launch", now + 1500, now + 4000);
    WriteSpan(second, "upload", now + 1200, now + 1300);
  });
  ASSERT_EQ(taken.size(), 3u);
  std::vector<Taken> own;
  for (const Taken& span : taken) {
    if (span.thread_name == "queue of a device") own.push_back(span);
  }
  ASSERT_EQ(own.size(), 2u);
  EXPECT_EQ(own[0].name, "upload");
  EXPECT_EQ(own[0].duration, 500u);
  EXPECT_EQ(own[1].begin - own[0].begin, 500u);
  EXPECT_EQ(own[1].duration, 2500u);
  EXPECT_EQ(own[0].thread, own[1].thread);
  EXPECT_GE(own[0].thread, uint32_t{1} << 22);
}

TEST(Track, DropsWhatFindsNoRoom) {
  Track track("queue");
  constexpr uint64_t kSpans = 2 * kRingBytes / 100;
  TraceSummary summary;
  const std::vector<Taken> taken = Traced(
      [&] {
        for (uint64_t k = 0; k < kSpans; ++k) {
          WriteSpan(track, std::string(100, 'x'), Now(), Now());
        }
      },
      &summary);
  EXPECT_EQ(taken.size(), summary.spans);
  EXPECT_EQ(summary.spans + summary.dropped, kSpans);
  EXPECT_GT(summary.dropped, 0u);
}

TEST(Track, GoesOnInAChild) {
  Track track("queue");
  EXPECT_EQ(Traced([&] { WriteSpan(track, "parent", Now(), Now()); }).size(), 1u);
  const pid_t child = fork();
  if (child == 0) {
    const std::vector<Taken> taken = Traced([&] { WriteSpan(track, "child", Now(), Now()); });
    _exit(taken.size() == 1 && taken[0].name == "child" ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace hologram::observe
