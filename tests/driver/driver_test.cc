// The compiler driver as a library: what it reads becomes programs and a bundle, and every mistake
// is a value. What it writes is held by tests/cli.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "bundle/bundle.h"
#include "driver/bundle_header.h"
#include "driver/source/source.h"
#include "runtime/native_bundle.h"

namespace hologram::driver {
namespace {

const std::string kSource = HOLOGRAM_SOURCE_DIR;

class Driver : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/driver.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::string path = folder_ + "/" + name;
    EXPECT_TRUE(WriteFile(path, BytesOf(text)).ok());
    return path;
  }

  std::string folder_;
};

FromSource<Kernels> LoadFile(const std::string& path, const std::string& entry = "",
                             bool circuits = false) {
  Request request;
  request.files = {path};
  request.source = {entry, circuits};
  Constants constants;
  return Load(request, constants);
}

TEST_F(Driver, MakesABundleOfAPythonFile) {
  FromSource<Kernels> loaded = LoadFile(kSource + "/kernels/elementwise/vector_add.py");
  ASSERT_TRUE(loaded.ok()) << loaded.messages;
  ASSERT_EQ(loaded.value.programs.size(), 1U);
  const Result<Compiled> compiled = Verify(std::move(loaded.value));
  ASSERT_TRUE(compiled.ok());
  const Result<std::vector<uint8_t>> bytes = runtime::BundleOf(compiled.value().programs);
  ASSERT_TRUE(bytes.ok());
  const auto reader = bundle::BundleReader::Open(bytes.value());
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader.value().NameOf(0), "vector_add");
  const Result<std::string> header = BundleHeader("a/my-kernels.holo", bytes.value(), false);
  ASSERT_TRUE(header.ok());
  EXPECT_NE(header.value().find("namespace my_kernels_kernels {"), std::string::npos);
  EXPECT_NE(header.value().find(ToHex(reader.value().trust_hash())), std::string::npos);
}

TEST_F(Driver, RaisesKernelsToCircuitsWhereThatIsAskedFor) {
  const std::string path = kSource + "/kernels/elementwise/vector_add.py";
  const FromSource<Kernels> without = LoadFile(path);
  ASSERT_TRUE(without.ok());
  EXPECT_TRUE(without.value.circuits[0].obstacle);
  const FromSource<Kernels> with = LoadFile(path, "", true);
  ASSERT_TRUE(with.ok());
  EXPECT_FALSE(with.value.circuits[0].obstacle);
  EXPECT_FALSE(with.value.through[0]);
}

TEST_F(Driver, GivesErrorsAsValues) {
  const auto error = [](const FromSource<Kernels>& loaded) {
    return loaded.errors.empty() ? "no error" : loaded.errors[0].message;
  };
  EXPECT_EQ(error(LoadFile("k.txt")),
            "k.txt: expected a .py, .json, .yaml, .toml, .circuit, .hasm, .holo or .so file");
  EXPECT_EQ(error(LoadFile("/nonexistent.hasm")), "/nonexistent.hasm: no such file or directory");
  EXPECT_EQ(LoadFile(Write("k.holo", "nothing")).errors[0].code, ErrorCode::kInvalidBundle);
  const FromSource<Kernels> yaml = LoadFile(Write("k.yaml", "a: &b 1\n"));
  ASSERT_EQ(yaml.errors.size(), 1U);
  EXPECT_EQ(yaml.errors[0].where.line, 1U);
}

TEST_F(Driver, KeepsErrorsOfPythonAsText) {
  const std::string path = Write("k.py",
                                 "from hologram.lang import DeviceArray, f32\n\n\n"
                                 "def k(a: DeviceArray[f32]):\n    import os\n");
  const FromSource<Kernels> loaded = LoadFile(path);
  EXPECT_FALSE(loaded.ok());
  EXPECT_TRUE(loaded.errors.empty());
  EXPECT_EQ(loaded.messages.find(path + ":5:5: error: "), 0U) << loaded.messages;
  const FromSource<std::string> json = KernelJson(path, "");
  EXPECT_EQ(json.messages, loaded.messages);
}

TEST_F(Driver, ChoosesAnEntry) {
  EXPECT_EQ(ChooseEntry({"a"}, "", "k").value(), "a");
  EXPECT_EQ(ChooseEntry({"a", "b"}, "b", "k").value(), "b");
  EXPECT_EQ(ChooseEntry({"a", "b"}, "", "k").errors()[0].message,
            "k has 2 kernels; choose one with --entry: a, b");
  EXPECT_EQ(ChooseEntry({}, "", "k").errors()[0].message, "k has no kernel");
}

}  // namespace
}  // namespace hologram::driver
