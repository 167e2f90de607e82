// Kernels written by hand: what the loader refuses, what is checked before they are called, and the
// bytes that they get.
#include "runtime/kernel_library.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "native_objects.h"
#include "runtime/executor.h"

namespace hologram::runtime {
namespace {

namespace fs = std::filesystem;

const std::string kLibraries = HOLOGRAM_KERNEL_LIBRARIES;

std::string SignatureError(const std::string& text) {
  const auto signature = ParseLibrarySignature("k", text);
  return signature.ok() ? "" : signature.errors()[0].message;
}

TEST(LibrarySignature, ReadsParameters) {
  const auto read =
      ParseLibrarySignature("k", "a:f32,x: in bf16[ n ], y :inout f64[2*n*m+3], n: u32, m: i8");
  ASSERT_TRUE(read.ok()) << ToString(read.errors()[0]);
  const LibrarySignature& signature = read.value();
  ASSERT_EQ(signature.program.parameters.size(), 5u);
  EXPECT_EQ(signature.program.parameters[1].type, isa::Type::kBF16);
  EXPECT_EQ(signature.program.parameters[2].direction, isa::Direction::kInOut);
  ASSERT_EQ(signature.extents[2].size(), 2u);
  EXPECT_EQ(signature.extents[2][0].factor, 2u);
  EXPECT_EQ(signature.extents[2][0].scalars, (std::vector<size_t>{3, 4}));
  EXPECT_EQ(signature.extents[2][1].factor, 3u);
  EXPECT_TRUE(ParseLibrarySignature("k", "").ok());
}

TEST(LibrarySignature, RefusesWhatItCannotCheck) {
  const auto at = [](const std::string& text, int column, const std::string& what) {
    return "parameters \"" + text + "\", column " + std::to_string(column) + ": " + what;
  };
  const std::pair<std::string, std::pair<int, std::string>> cases[] = {
      {"x: in f32[]", {11, "expected a number or the name of a scalar"}},
      {"x: in f32", {7, "expected the number of elements, as [n], of a buffer"}},
      {"x: f32[4]", {4, "expected in, out or inout before the type of a buffer"}},
      {"x: in f33[4]", {7, "expected a type, as f32, found 'f33'"}},
      {"x: in f32[n]", {11, "n is no integer scalar of this list"}},
      {"x: in f32[n], n: f32", {11, "n is no integer scalar of this list"}},
      {"x: in f32[4*y], y: in u32[1]", {13, "y is no integer scalar of this list"}},
      {"x: u8, x: u8", {8, "x is there twice"}},
      {"x u8", {3, "expected ':'"}},
      {"x: u8;", {6, "expected ',' or the end"}},
      {"x: u8,", {7, "expected the name of a parameter"}},
      {"x: in u8[4", {11, "expected '*', '+' or ']'"}},
      {"x: in u8[99999999999999999999]", {10, "expected a number or the name of a scalar"}},
      {"x: in u8[-1]", {10, "expected a number or the name of a scalar"}},
      {"x: in u8[4294967296*4294967296]", {21, "expected a number or the name of a scalar"}},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(SignatureError(text), at(text, expected.first, expected.second));
  }
  std::string many;
  for (int k = 0; k < 65; ++k) many += (k == 0 ? "p" : ", p") + std::to_string(k) + ": u8";
  EXPECT_NE(SignatureError(many).find("more than 64 parameters"), std::string::npos);
  std::string deep = "n: u8, x: in u8[n";
  for (int k = 0; k < 100000; ++k) deep += k % 2 == 0 ? "*n" : "+n";
  EXPECT_NE(SignatureError(deep), "");
}

TEST(LibrarySignature, PacksValuesAtMultiplesOfTheirSize) {
  const auto three = ParseLibrarySignature("k", "a: in u8[0], b: in u8[0], c: in u8[0], n: u32");
  const hologram_buffer_ref pointers[] = {{reinterpret_cast<void*>(1), 0},
                                          {reinterpret_cast<void*>(2), 0},
                                          {reinterpret_cast<void*>(3), 0}};
  const uint64_t seven = 7;
  std::vector<uint8_t> expected(28);
  expected[0] = 1;
  expected[8] = 2;
  expected[16] = 3;
  expected[24] = 7;
  EXPECT_EQ(PackParameters(three.value(), pointers, {&seven, 1}), expected);
  const auto mixed = ParseLibrarySignature("k", "a: u16, b: u32, c: u64, d: f32, e: f64");
  const uint64_t values[] = {1, 2, 3, std::bit_cast<uint32_t>(4.0f), std::bit_cast<uint64_t>(5.0)};
  const std::vector<uint8_t> block = PackParameters(mixed.value(), {}, values);
  ASSERT_EQ(block.size(), 32u);
  EXPECT_EQ(block[0], 1);
  EXPECT_EQ(block[4], 2);
  EXPECT_EQ(block[8], 3);
  atlas_params params = {block.data(), block.size(), 0, 0};
  EXPECT_EQ(atlas_take_u16(&params), 1);
  EXPECT_EQ(atlas_take_u32(&params), 2u);
  EXPECT_EQ(atlas_take_u64(&params), 3u);
  EXPECT_EQ(atlas_take_f32(&params), 4.0f);
  EXPECT_EQ(atlas_take_f64(&params), 5.0);
  EXPECT_EQ(params.failed, 0);
  EXPECT_EQ(atlas_take_u8(&params), 0);
  EXPECT_EQ(params.failed, 1);
}

TEST(LibrarySignature, ReadersStopAtTheEndAlsoBehindPadding) {
  const uint8_t bytes[5] = {1, 2, 3, 4, 5};
  atlas_params params = {bytes, sizeof bytes, 0, 0};
  EXPECT_EQ(atlas_take_u8(&params), 1);
  EXPECT_EQ(atlas_take_u64(&params), 0u);  // aligned, it would begin at 8
  EXPECT_EQ(params.failed, 1);
  EXPECT_EQ(atlas_take_u8(&params), 0) << "after a failure nothing is read";
  atlas_params none = {nullptr, 0, 0, 0};
  EXPECT_EQ(atlas_take_pointer(&none), nullptr);
  EXPECT_EQ(none.failed, 1);
}

class KernelLibraryTest : public testing::Test {
 protected:
  KernelLibraryTest() {
    char name[] = "/tmp/hologram-libraries-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~KernelLibraryTest() override { fs::remove_all(folder_); }

  void Put(const std::string& library, const std::string& as) const {
    const std::string path = folder_ + "/" + as;
    fs::copy_file(kLibraries + library + ".so", path, fs::copy_options::overwrite_existing);
    chmod(path.c_str(), 0644);
  }
  std::string ErrorOf(Executor& executor, const std::string& name) const {
    const auto found = executor.FindAny(name);
    if (found.ok()) return "found";
    std::string text = found.errors()[0].message;
    return found.errors()[0].where.file.empty()
               ? text
               : fs::path(found.errors()[0].where.file).filename().string() + ": " + text;
  }

  std::string folder_;
};

struct Arguments {
  std::vector<int16_t> x{10, 11, 12, 13, 14, 15, 16};
  std::vector<double> out = std::vector<double>(3);
  uint64_t a = 1, b = 3, c = 7, s = 4;

  Status Launch(const Launchable& library, const LaunchConfig& config = {}) {
    const hologram_buffer_ref buffers[] = {{x.data(), x.size() * 2}, {out.data(), out.size() * 8}};
    return LaunchOn(library, buffers, config);
  }
  Status LaunchOn(const Launchable& library, std::span<const hologram_buffer_ref> buffers,
                  const LaunchConfig& config = {}) const {
    const uint64_t scalars[] = {
        a, b, c, std::bit_cast<uint32_t>(0.5f), std::bit_cast<uint64_t>(0.25), s};
    launch::Way way;
    const Status done = library.Launch(buffers, scalars, config, way);
    EXPECT_EQ(way.form, launch::Form::kCall);
    return done;
  }
};

std::string MessageOf(const Status& status) {
  return status.ok() ? "ran" : status.errors()[0].message;
}

TEST_F(KernelLibraryTest, RunsWithCheckedArguments) {
  Put("mixed", "mixed.so");
  Executor executor;
  ASSERT_TRUE(executor.AddDirectory(folder_, true).ok());
  const auto found = executor.FindAny("mixed");
  ASSERT_TRUE(found.ok()) << ToString(found.errors()[0]);
  const Launchable& library = *found.value();
  EXPECT_EQ(library.id().size(), 64u);
  Arguments arguments;
  EXPECT_EQ(MessageOf(arguments.Launch(library)), "ran");
  EXPECT_EQ(arguments.out, (std::vector<double>{15.75 + 1000 + 256, 17.75, 19.75}));
  LaunchConfig config;
  config.shape.grid = {5, 1, 1};
  config.shape.block = {7, 1, 1};
  EXPECT_EQ(MessageOf(arguments.Launch(library, config)), "ran");
  EXPECT_EQ(arguments.out[0], 15.75 + 5000 + 7);
  EXPECT_EQ(library.counts().native, 2u);
  arguments.b = 0;
  arguments.out.clear();
  EXPECT_EQ(MessageOf(arguments.Launch(library)), "ran") << "nothing to do";
  EXPECT_EQ(library.counts().native, 2u);
  EXPECT_EQ(executor.Find("mixed").errors()[0].message,
            "kernel 'mixed' is a library, without program");
}

TEST_F(KernelLibraryTest, RefusesLaunchesBeforeTheLibraryIsCalled) {
  Put("mixed", "mixed.so");
  Executor executor;
  ASSERT_TRUE(executor.AddDirectory(folder_, true).ok());
  const auto held = executor.FindAny("mixed").value();
  const Launchable& library = *held;
  Arguments arguments;
  arguments.x.resize(6);
  EXPECT_EQ(MessageOf(arguments.Launch(library)),
            "kernel 'mixed': 'x' expects at least 7 elements, found 6");
  arguments = {};
  arguments.b = 0xffffffff;
  EXPECT_EQ(MessageOf(arguments.Launch(library)),
            "kernel 'mixed': 'x' expects at least 8589934591 elements, found 7");
  arguments = {};
  std::vector<double> memory(16);
  hologram_buffer_ref meet[] = {{memory.data() + 2, 14}, {memory.data(), 24}};
  EXPECT_EQ(MessageOf(arguments.LaunchOn(library, meet)),
            "kernel 'mixed': 'out' and 'x' overlap, and one of them is written");
  hologram_buffer_ref apart[] = {{memory.data() + 3, 14}, {memory.data(), 24}};
  EXPECT_EQ(MessageOf(arguments.LaunchOn(library, apart)), "ran");
  hologram_buffer_ref skewed[] = {{memory.data() + 8, 14},
                                  {reinterpret_cast<char*>(memory.data()) + 4, 24}};
  EXPECT_EQ(MessageOf(arguments.LaunchOn(library, skewed)),
            "kernel 'mixed': 'out' expects memory aligned to 8 bytes");
  LaunchConfig config;
  config.engine = launch::Engine::kInterpreter;
  EXPECT_EQ(MessageOf(arguments.Launch(library, config)),
            "kernel 'mixed' is a library, which only the processor runs, not interpreter");
  config = {};
  config.shape.grid = {0, 1, 1};
  EXPECT_EQ(MessageOf(arguments.Launch(library, config)),
            "kernel 'mixed': grid and block: expected at least 1 in each dimension, found 0");
}

TEST_F(KernelLibraryTest, PassesOnWhatTheLibrarySays) {
  Put("mixed", "mixed.so");
  Executor executor;
  ASSERT_TRUE(executor.AddDirectory(folder_, true).ok());
  const auto library = executor.FindAny("mixed").value();
  Arguments arguments;
  arguments.c = 8;
  EXPECT_EQ(MessageOf(arguments.Launch(*library)),
            "kernel 'mixed': the library calls its parameters invalid");
  arguments.c = 7;
  arguments.s = 0xff;
  EXPECT_EQ(MessageOf(arguments.Launch(*library)),
            "kernel 'mixed': the library failed: s is below\\x0a0");
  arguments.s = 0xfe;
  EXPECT_EQ(MessageOf(arguments.Launch(*library)),
            "kernel 'mixed': the library failed with code 42");
}

TEST_F(KernelLibraryTest, SaysWhatIsWrongWithAFile) {
  for (const char* name : {"version", "name", "silent", "parameters"}) {
    Put(name, std::string(name) + ".so");
  }
  std::ofstream(folder_ + "/text.so")
      << "not a library, but longer than the header of one would be";
  Executor executor;
  ASSERT_TRUE(executor.AddDirectory(folder_, true).ok());
  EXPECT_EQ(ErrorOf(executor, "version"),
            "version.so: expected version 1 of the interface of kernel libraries, found 2");
  EXPECT_EQ(ErrorOf(executor, "name"), "name.so: atlas_kernel_name: expected a name, found 'a b'");
  EXPECT_EQ(ErrorOf(executor, "silent"),
            "silent.so: the library exports no atlas_kernel_parameters");
  EXPECT_EQ(ErrorOf(executor, "parameters"),
            "parameters.so: parameters \"x: in f32[n]\", column 11: n is no integer scalar of this "
            "list");
  EXPECT_EQ(ErrorOf(executor, "text"), "text.so: no shared library");
  EXPECT_EQ(executor.List().errors.size(), 5u);
}

TEST_F(KernelLibraryTest, ALibraryThatIsCutOffIsAnError) {
  const std::vector<uint8_t> bytes = test::ReadObject((kLibraries + "mixed.so").c_str());
  for (size_t size = 0; size < bytes.size(); size += 97) {
    const auto library = KernelLibrary::Load(std::span(bytes).first(size));
    EXPECT_FALSE(library.ok()) << size;
  }
  EXPECT_FALSE(KernelLibrary::Load(std::span(bytes).first(bytes.size() - 1)).ok());
  EXPECT_TRUE(KernelLibrary::Load(bytes).ok());
}

TEST_F(KernelLibraryTest, OnlyFromFoldersThatAreNamedForIt) {
  Put("mixed", "mixed.so");
  Executor plain;
  ASSERT_TRUE(plain.AddDirectory(folder_).ok());
  EXPECT_EQ(ErrorOf(plain, "mixed"),
            "mixed.so: native code, which is loaded only from folders that are named for it, as by "
            "HOLOGRAM_NATIVE_KERNEL_PATH");
  setenv("HOLOGRAM_NATIVE_KERNEL_PATH", folder_.c_str(), 1);
  Executor named;
  named.AddDefaultPlaces();
  unsetenv("HOLOGRAM_NATIVE_KERNEL_PATH");
  EXPECT_EQ(ErrorOf(named, "mixed"), "found");
  chmod((folder_ + "/mixed.so").c_str(), 0666);
  EXPECT_EQ(ErrorOf(named, "mixed"),
            "mixed.so: the file can be written by others; native code there is not loaded");
  chmod((folder_ + "/mixed.so").c_str(), 0644);
  chmod(folder_.c_str(), 0777);
  Executor open;
  ASSERT_TRUE(open.AddDirectory(folder_, true).ok());
  EXPECT_EQ(ErrorOf(open, "mixed"),
            "mixed.so: its folder can be written by others; native code there is not loaded");
}

TEST_F(KernelLibraryTest, AHeldLibraryStaysWhenItsFileChanges) {
  Put("mixed", "k.so");
  Executor executor;
  ASSERT_TRUE(executor.AddDirectory(folder_, true).ok());
  const auto held = executor.FindAny("mixed").value();
  EXPECT_EQ(executor.FindAny("mixed").value(), held);
  Put("version", "k.so");
  EXPECT_EQ(ErrorOf(executor, "mixed"),
            "k.so: expected version 1 of the interface of kernel libraries, found 2");
  Put("mixed", "k.so");
  EXPECT_NE(executor.FindAny("mixed").value(), held);
  fs::remove(folder_ + "/k.so");
  Arguments arguments;
  EXPECT_EQ(MessageOf(arguments.Launch(*held)), "ran");
  EXPECT_EQ(arguments.out[1], 17.75);
}

// The system's loader knows a library by its path, and gives the old one again as long as that is
// in the process, whatever lies at the path by then.
TEST_F(KernelLibraryTest, ALibraryThatStaysInTheProcessIsNotTakenForTheNextOne) {
  for (int number = 1; number <= 2; ++number) {
    Put("resident/resident_" + std::to_string(number), "k.so");
    Executor executor;
    ASSERT_TRUE(executor.AddDirectory(folder_, true).ok());
    const auto library = executor.FindAny("resident");
    ASSERT_TRUE(library.ok()) << ToString(library.errors()[0]);
    Arguments arguments;
    EXPECT_EQ(MessageOf(arguments.Launch(*library.value())), "ran");
    EXPECT_EQ(arguments.out[1], 17.75 + number);
  }
}

}  // namespace
}  // namespace hologram::runtime
