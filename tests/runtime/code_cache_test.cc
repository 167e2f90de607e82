#include "engines/code_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "native_objects.h"
#include "runtime/code_key.h"

namespace hologram::runtime {
namespace {

namespace fs = std::filesystem;

class CodeCacheTest : public testing::Test {
 protected:
  CodeCacheTest() {
    std::string name = (fs::temp_directory_path() / "code_cache_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~CodeCacheTest() override { fs::remove_all(folder_); }

  CodeCache Opened() { return CodeCache::Open(folder_).value(); }
  std::string FileOf(const Hash& key) { return folder_ + "/" + ToHex(key) + ".object"; }
  size_t CountFiles(const std::string& start) {
    const auto starts = [&](const fs::directory_entry& entry) {
      return entry.path().filename().string().rfind(start, 0) == 0;
    };
    return static_cast<size_t>(
        std::count_if(fs::directory_iterator(folder_), fs::directory_iterator(), starts));
  }

  std::string folder_;
};

Hash Key(uint8_t number) {
  Hash key;
  key.bytes.fill(number);
  return key;
}

// Different for each key, and long enough that writing takes more than one page.
std::vector<uint8_t> Object(uint8_t number) {
  std::vector<uint8_t> object(20'000 + number * 1'000u);
  for (size_t i = 0; i < object.size(); ++i) object[i] = static_cast<uint8_t>(i * 7 + number);
  return object;
}

std::string MessageOf(const Result<CodeCache>& result) {
  return result.ok() ? "opened" : result.errors()[0].message;
}

TEST_F(CodeCacheTest, FindsWhatWasKept) {
  EXPECT_FALSE(Opened().Find(Key(1)));
  Opened().Keep(Key(1), Object(1));
  EXPECT_EQ(Opened().Find(Key(1)), Object(1));
  EXPECT_FALSE(Opened().Find(Key(2)));
  EXPECT_EQ(CountFiles("partial-"), 0u);
}

TEST_F(CodeCacheTest, MakesMissingFoldersForThisUserAlone) {
  const std::string deep = folder_ + "/a/b";
  ASSERT_TRUE(CodeCache::Open(deep).ok());
  struct stat about{};
  ASSERT_EQ(stat(deep.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0700u);
}

TEST_F(CodeCacheTest, RemovesDamagedFiles) {
  const std::vector<uint8_t> whole = Object(3);
  for (const size_t at : {size_t{0}, size_t{9}, size_t{40}, whole.size() + 39}) {
    Opened().Keep(Key(3), whole);
    std::fstream file(FileOf(Key(3)), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const auto byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
    file.close();
    EXPECT_FALSE(Opened().Find(Key(3))) << "byte " << at;
    EXPECT_FALSE(fs::exists(FileOf(Key(3)))) << "byte " << at;
  }
  for (const uintmax_t size : {0U, 7U, 39U, 40U, 1000U}) {
    Opened().Keep(Key(3), whole);
    fs::resize_file(FileOf(Key(3)), size);
    EXPECT_FALSE(Opened().Find(Key(3))) << size << " bytes";
  }
}

TEST_F(CodeCacheTest, AFileUnderAnotherNameIsDamaged) {
  Opened().Keep(Key(4), Object(4));
  fs::rename(FileOf(Key(4)), FileOf(Key(5)));
  EXPECT_FALSE(Opened().Find(Key(5)));
}

TEST_F(CodeCacheTest, TakesNoLinksAndNoFilesThatOthersWrite) {
  Opened().Keep(Key(6), Object(6));
  fs::rename(FileOf(Key(6)), folder_ + "/elsewhere");
  fs::create_symlink(folder_ + "/elsewhere", FileOf(Key(6)));
  EXPECT_FALSE(Opened().Find(Key(6)));
  Opened().Keep(Key(7), Object(7));
  ASSERT_EQ(chmod(FileOf(Key(7)).c_str(), 0666), 0);
  EXPECT_FALSE(Opened().Find(Key(7)));
}

TEST_F(CodeCacheTest, RefusesFoldersThatOthersCanWrite) {
  ASSERT_EQ(chmod(folder_.c_str(), 0770), 0);
  EXPECT_EQ(MessageOf(CodeCache::Open(folder_)),
            "code cache " + folder_ + " can be written by others; what lies there is executed");
  ASSERT_EQ(chmod(folder_.c_str(), 0700), 0);
  fs::create_directory_symlink(folder_, folder_ + "/link");
  EXPECT_FALSE(CodeCache::Open(folder_ + "/link").ok());
}

TEST_F(CodeCacheTest, RefusesFoldersOfOthers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  ASSERT_EQ(chown(folder_.c_str(), 1, 1), 0);
  EXPECT_EQ(MessageOf(CodeCache::Open(folder_)),
            "code cache " + folder_ + " belongs to another user; what lies there is executed");
}

TEST_F(CodeCacheTest, OneAfterTheOtherMakesAnObject) {
  const CodeCache cache = Opened();
  std::optional<CodeCache::Turn> first;
  first.emplace(cache.Await(Key(9)));
  EXPECT_FALSE(first->has_waited());
  EXPECT_FALSE(cache.Await(Key(10)).has_waited());
  std::thread other([&] {
    const CodeCache again = Opened();
    const CodeCache::Turn second = again.Await(Key(9));
    EXPECT_TRUE(second.has_waited());
    EXPECT_TRUE(again.Find(Key(9)).has_value());
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  cache.Keep(Key(9), Object(9));
  first.reset();
  other.join();
}

TEST_F(CodeCacheTest, TheEnvironmentNamesTheFolder) {
  ASSERT_EQ(setenv("HOLOGRAM_CACHE_DIR", folder_.c_str(), 1), 0);
  auto named = CodeCache::OfUser();
  ASSERT_TRUE(named.ok() && named.value());
  named.value()->Keep(Key(8), Object(8));
  EXPECT_TRUE(fs::exists(FileOf(Key(8))));
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  EXPECT_FALSE(CodeCache::OfUser().ok());
  ASSERT_EQ(setenv("HOLOGRAM_CACHE_DIR", "", 1), 0);
  EXPECT_FALSE(CodeCache::OfUser().value());
  ASSERT_EQ(unsetenv("HOLOGRAM_CACHE_DIR"), 0);
}

TEST_F(CodeCacheTest, KeysDifferByProgramLinesTargetAndCompiler) {
  const auto verified = [](const std::string& text) {
    return verify::Verify(test::Assembled(text)).value();
  };
  const std::string text = test::kAddText;
  const Hash key = CodeKey(verified(text), Target::kX86V4, "a");
  EXPECT_EQ(key, CodeKey(verified(text), Target::kX86V4, "a"));
  EXPECT_NE(key, CodeKey(verified(text), Target::kX86V3, "a"));
  EXPECT_NE(key, CodeKey(verified(text), Target::kX86V4, "b"));
  std::string other = text;
  other.replace(other.find("add.f32"), 7, "sub.f32");
  EXPECT_NE(key, CodeKey(verified(other), Target::kX86V4, "a"));
}

TEST_F(CodeCacheTest, PrunesTheOldestAndWhatWasAbandoned) {
  const CodeCache cache = Opened();
  for (uint8_t k = 1; k <= 9; ++k) {
    cache.Keep(Key(k), Object(k));
    const timespec times[2] = {{1'000'000 + k, 0}, {1'000'000 + k, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, FileOf(Key(k)).c_str(), times, 0), 0);
  }
  std::ofstream(folder_ + "/partial-1-2-3-4") << "left by a killed process";
  std::ofstream(folder_ + "/partial-5-6-7-8") << "still being written";
  const timespec long_ago[2] = {{1'000'000, 0}, {1'000'000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, (folder_ + "/partial-1-2-3-4").c_str(), long_ago, 0), 0);
  cache.Prune(4);
  for (uint8_t k = 1; k <= 9; ++k) EXPECT_EQ(cache.Find(Key(k)).has_value(), k > 5) << int{k};
  EXPECT_EQ(CountFiles("partial-"), 1u);
}

// Writers that are killed in the middle of their work, again and again, while others read: what is
// found is always whole.
TEST_F(CodeCacheTest, ManyProcessesAndKilledWriters) {
  constexpr int kRounds = 40;
  constexpr int kWriters = 4;
  constexpr uint8_t kKeys = 5;
  size_t found = 0;
  for (int round = 0; round < kRounds; ++round) {
    pid_t writers[kWriters];
    for (pid_t& writer : writers) {
      writer = fork();
      ASSERT_GE(writer, 0);
      if (writer != 0) continue;
      const CodeCache cache = Opened();
      for (uint8_t k = 0;; k = static_cast<uint8_t>((k + 1) % kKeys)) cache.Keep(Key(k), Object(k));
    }
    const CodeCache cache = Opened();
    for (int look = 0; look < 20; ++look) {
      for (uint8_t k = 0; k < kKeys; ++k) {
        const auto object = cache.Find(Key(k));
        if (!object) continue;
        ++found;
        ASSERT_EQ(*object, Object(k)) << "round " << round;
      }
      usleep(200);
    }
    for (const pid_t writer : writers) {
      kill(writer, SIGKILL);
      waitpid(writer, nullptr, 0);
    }
    // Nothing that is at its place is partial: it would have been removed, so all keys are there.
    for (uint8_t k = 0; k < kKeys; ++k) {
      if (!fs::exists(FileOf(Key(k)))) continue;
      ASSERT_TRUE(cache.Find(Key(k))) << "round " << round;
    }
  }
  EXPECT_GT(found, 100u);
}

}  // namespace
}  // namespace hologram::runtime
