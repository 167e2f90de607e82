#include "runtime/thread_count.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace hologram::runtime {
namespace {

namespace fs = std::filesystem;

// A folder that looks like the root of a machine.
class Machine {
 public:
  Machine() : root_(fs::temp_directory_path() / "hologram-thread-count-XXXXXX") {
    std::string name = root_.string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  ~Machine() { fs::remove_all(root_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Machine& Write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
    return *this;
  }
  std::optional<uint32_t> Limit() const { return GroupLimit(root_.string()); }

 private:
  fs::path root_;
};

TEST(ThreadCount, GroupsOfVersion2) {
  Machine machine;
  EXPECT_EQ(machine.Limit(), std::nullopt);
  machine.Write("proc/self/cgroup", "0::/a/b\n");
  EXPECT_EQ(machine.Limit(), std::nullopt);
  machine.Write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(machine.Limit(), std::nullopt);
  machine.Write("sys/fs/cgroup/a/cpu.max", "350000 100000\n");
  EXPECT_EQ(machine.Limit(), 4u);  // rounded up
  machine.Write("sys/fs/cgroup/a/b/cpu.max", "200000 100000\n");
  EXPECT_EQ(machine.Limit(), 2u);
  machine.Write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(machine.Limit(), 1u);
}

TEST(ThreadCount, InsideOfAContainerTheMountIsTheGroup) {
  Machine machine;
  machine.Write("proc/self/cgroup", "0::/docker/0123\n");
  machine.Write("sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(machine.Limit(), 3u);
}

TEST(ThreadCount, GroupsOfVersion1) {
  Machine machine;
  machine.Write("proc/self/cgroup", "5:memory:/x\n3:cpu,cpuacct:/x\n2:cpuset:/x\n");
  machine.Write("sys/fs/cgroup/cpuset/x/cpu.cfs_quota_us", "100000");
  EXPECT_EQ(machine.Limit(), std::nullopt);
  machine.Write("sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "-1");
  machine.Write("sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000");
  EXPECT_EQ(machine.Limit(), std::nullopt);
  machine.Write("sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "250000");
  EXPECT_EQ(machine.Limit(), 3u);
}

TEST(ThreadCount, NonsenseIsNoLimit) {
  Machine machine;
  machine.Write("proc/self/cgroup", "nothing\n0::relative\n0::/\n");
  for (const char* text : {"", "x y", "100000", "0 100000", "100000 0", "-5 100000"}) {
    machine.Write("sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(machine.Limit(), std::nullopt) << text;
  }
}

TEST(ThreadCount, TheVariable) {
  EXPECT_EQ(ThreadsFrom(nullptr, 5).value(), 5u);
  EXPECT_EQ(ThreadsFrom("", 5).value(), 5u);
  EXPECT_EQ(ThreadsFrom("1", 5).value(), 1u);
  EXPECT_EQ(ThreadsFrom("1024", 5).value(), 1024u);
  for (const char* text : {"0", "1025", "-1", "2x", " 2", "many", "99999999999999999999"}) {
    const auto threads = ThreadsFrom(text, 5);
    ASSERT_FALSE(threads.ok()) << text;
    EXPECT_EQ(threads.errors()[0].message,
              "HOLOGRAM_NUM_THREADS: expected a number from 1 to 1024, found '" +
                  std::string(text) + "'");
  }
}

TEST(ThreadCount, TheVariableOfOpenMp) {
  EXPECT_EQ(ThreadsOfOpenMp(nullptr), std::nullopt);
  for (const char* text : {"", "0", "-1", "many", "2x", ",4", "99999999999999999999"}) {
    EXPECT_EQ(ThreadsOfOpenMp(text), std::nullopt) << text;
  }
  EXPECT_EQ(ThreadsOfOpenMp("1"), 1u);
  EXPECT_EQ(ThreadsOfOpenMp(" 3 , 2"), 3u);
  EXPECT_EQ(ThreadsOfOpenMp("5000"), kMaxThreads);
}

TEST(ThreadCount, OurVariableComesFirst) {
  ASSERT_EQ(setenv("OMP_NUM_THREADS", "7", 1), 0);
  EXPECT_EQ(DefaultThreads().value(), 7u);
  ASSERT_EQ(setenv("HOLOGRAM_NUM_THREADS", "3", 1), 0);
  EXPECT_EQ(DefaultThreads().value(), 3u);
  ASSERT_EQ(unsetenv("HOLOGRAM_NUM_THREADS"), 0);
  ASSERT_EQ(unsetenv("OMP_NUM_THREADS"), 0);
}

TEST(ThreadCount, OfTheProcessAndOfAThread) {
  EXPECT_EQ(ThreadsOfLaunch(4), 4u);
  SetThreadsOfProcess(6);
  EXPECT_EQ(ThreadsOfLaunch(4), 6u);
  EXPECT_EQ(SetThreadLimit(2), 0u);
  EXPECT_EQ(ThreadsOfLaunch(4), 2u);
  std::thread([] { EXPECT_EQ(ThreadsOfLaunch(4), 6u); }).join();
  EXPECT_EQ(SetThreadLimit(9), 2u);
  EXPECT_EQ(ThreadsOfLaunch(4), 6u);
  EXPECT_EQ(SetThreadLimit(0), 9u);
  SetThreadsOfProcess(0);
  EXPECT_EQ(ThreadsOfLaunch(4), 4u);
}

TEST(ThreadCount, AffinityIsRespected) {
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    ASSERT_GE(sched_getcpu(), 0);
    CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(ProcessorsOfThread(), 1u);
  }).join();
  EXPECT_GE(ProcessorsOfThread(), 1u);
}

}  // namespace
}  // namespace hologram::runtime
