#include "base/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/quote.h"

namespace hologram {
namespace {

std::string ErrorOf(const std::string& path, uint64_t most = kMaxFileBytes) {
  const Result<std::vector<uint8_t>> bytes = ReadFile(path, most);
  return bytes.ok() ? Counted(bytes.value().size(), "byte") : bytes.errors()[0].message;
}

TEST(ReadFile, HasALimit) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("files_test." + std::to_string(getpid())))
          .string();
  std::ofstream(path) << "12345";
  EXPECT_EQ(ErrorOf(path, 5), "5 bytes");
  EXPECT_EQ(ErrorOf(path, 4), path + ": more than 4 bytes");
  // What a file with holes says is believed before it is read.
  std::filesystem::resize_file(path, uint64_t{1} << 36);
  EXPECT_EQ(ErrorOf(path, uint64_t{1} << 20), path + ": more than 1048576 bytes");
  std::filesystem::remove(path);
}

TEST(ReadFile, RefusesWhatNeverEnds) {
  EXPECT_EQ(ErrorOf("/dev/zero"), "/dev/zero: is a device");
  EXPECT_EQ(ErrorOf("/dev/null"), "0 bytes");
  EXPECT_EQ(ErrorOf("/"), "/: is a directory");
}

}  // namespace
}  // namespace hologram
