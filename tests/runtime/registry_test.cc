// Kernels of several places under one name: which wins, what is read again, what is an error.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "bundle/bundle.h"
#include "native_objects.h"
#include "runtime/executor.h"
#include "runtime/install_paths.h"

namespace hologram::runtime {
namespace {

namespace fs = std::filesystem;

// A kernel that stores `value` in every element of its output.
isa::Program Constant(const std::string& name, uint32_t value) {
  return test::Assembled(".kernel " + name + R"(
.param c u32[] out
.param n u32
  sreg.u32 r3, global.x
  setge.u32 p0, r3, r2
  bra.p0 @end
  mov_imm.u32 r4, )" + std::to_string(value) +
                         R"(
  stg.u32 [r1 + r3*4], r4
end:
  exit
)");
}

std::vector<uint8_t> BundleOf(const std::vector<isa::Program>& programs) {
  bundle::BundleWriter writer;
  for (const isa::Program& program : programs) writer.AddProgram(program);
  return writer.Finish().value();
}

void Write(const std::string& path, const std::vector<uint8_t>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// What the kernel stores; an error as text.
std::string Stored(const Kernel& kernel) {
  std::vector<uint32_t> c(3);
  const hologram_buffer_ref buffer{c.data(), c.size() * 4};
  const uint64_t n = c.size();
  const auto outcome = kernel.Launch({&buffer, 1}, {&n, 1}, {});
  return outcome.ok() ? std::to_string(c[2]) : ToString(outcome.errors()[0]);
}

class Registry : public testing::Test {
 protected:
  Registry() {
    char name[] = "/tmp/hologram-registry-XXXXXX";
    root_ = mkdtemp(name);
    setenv("HOLOGRAM_STDLIB", "/nonexistent", 1);
  }
  ~Registry() override {
    fs::remove_all(root_);
    unsetenv("HOLOGRAM_KERNEL_PATH");
    unsetenv("HOLOGRAM_STDLIB");
  }

  std::string Folder(const std::string& name) const {
    fs::create_directory(root_ + "/" + name);
    return root_ + "/" + name;
  }
  // An error with the root as "ROOT".
  std::string Plain(std::string text) const {
    for (size_t at = 0; (at = text.find(root_, at)) != std::string::npos;) {
      text.replace(at, root_.size(), "ROOT");
    }
    return text;
  }
  std::string RunNamed(Executor& executor, const std::string& name) const {
    const auto kernel = executor.Find(name);
    if (kernel.ok()) return Stored(*kernel.value());
    std::string text;
    for (const Diagnostic& error : kernel.errors()) {
      text += (text.empty() ? "" : "\n") + ToString(error);
    }
    return Plain(text);
  }
  std::string Shown(Executor& executor) const {
    const Listing listing = executor.List();
    std::string text;
    for (const ListedKernel& kernel : listing.kernels) {
      text += kernel.name + " " + std::string(NameOf(kernel.origin)) + " " + kernel.file;
      if (kernel.shadowed) text += " shadowed by " + kernel.shadowed_by;
      text += "\n";
    }
    for (const Diagnostic& error : listing.errors) text += ToString(error) + "\n";
    return Plain(text);
  }

  std::string root_;
};

TEST_F(Registry, UserBeatsBundledBeatsBuiltIn) {
  const std::string first = Folder("first");
  const std::string second = Folder("second");
  Write(root_ + "/stdlib.holo", BundleOf({Constant("a", 1), Constant("b", 1), Constant("c", 1)}));
  Write(root_ + "/app.holo", BundleOf({Constant("a", 2), Constant("b", 2)}));
  Write(second + "/mine.holo", BundleOf({Constant("a", 3)}));
  Write(first + "/other.holo", BundleOf({Constant("a", 4)}));
  setenv("HOLOGRAM_STDLIB", (root_ + "/stdlib.holo").c_str(), 1);
  setenv("HOLOGRAM_KERNEL_PATH", (":" + second + "::").c_str(), 1);
  Executor executor;
  executor.AddDefaultPlaces();
  ASSERT_TRUE(executor.LoadFile(root_ + "/app.holo", {}).ok());
  EXPECT_EQ(RunNamed(executor, "a"), "3");
  EXPECT_EQ(RunNamed(executor, "b"), "2");
  EXPECT_EQ(RunNamed(executor, "c"), "1");
  ASSERT_TRUE(executor.AddDirectory(first).ok());
  EXPECT_EQ(RunNamed(executor, "a"), "3");
  EXPECT_EQ(Shown(executor),
            "a user ROOT/second/mine.holo\n"
            "a user ROOT/first/other.holo shadowed by ROOT/second/mine.holo\n"
            "a bundled ROOT/app.holo shadowed by ROOT/second/mine.holo\n"
            "a built-in ROOT/stdlib.holo shadowed by ROOT/second/mine.holo\n"
            "b bundled ROOT/app.holo\n"
            "b built-in ROOT/stdlib.holo shadowed by ROOT/app.holo\n"
            "c built-in ROOT/stdlib.holo\n");
  fs::remove(second + "/mine.holo");
  EXPECT_EQ(RunNamed(executor, "a"), "4");
  fs::remove(first + "/other.holo");
  EXPECT_EQ(RunNamed(executor, "a"), "2");
}

TEST_F(Registry, TheStandardLibraryIsReadWhenItsKernelsAreAskedFor) {
  const std::string path = root_ + "/stdlib.holo";
  setenv("HOLOGRAM_STDLIB", path.c_str(), 1);
  Write(path, {});
  Executor executor;
  EXPECT_EQ(ToString(executor.LoadStandard({}).errors()[0]),
            "hologram: error: " + path + ": bundle has 0 bytes, its header alone has 64");
  std::vector<uint8_t> bytes = BundleOf({Constant("a", 1), Constant("b", 2)});
  Write(path, bytes);
  const bundle::BundleReader reader = bundle::BundleReader::Open(bytes).value();
  LoadOptions options;
  options.expect = ToHex(reader.trust_hash());
  ASSERT_TRUE(executor.LoadStandard(options).ok());
  // The file changes in place: what was not read before shows it.
  const auto last = std::find_if(
      reader.sections().begin(), reader.sections().end(), [](const bundle::Section& section) {
        return section.program == 1 &&
               section.type == static_cast<uint32_t>(bundle::SectionType::kCode);
      });
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const uint8_t other = static_cast<uint8_t>(~bytes[last->offset]);
  ASSERT_EQ(pwrite(file, &other, 1, static_cast<off_t>(last->offset)), 1);
  close(file);
  EXPECT_EQ(RunNamed(executor, "a"), "1");
  EXPECT_NE(RunNamed(executor, "b").find("does not match its hash"), std::string::npos);
}

TEST_F(Registry, TheFolderBesideTheProgram) {
  const std::string folder = ExecutableFolder() + "/kernels";
  const bool made = fs::create_directory(folder);
  const std::string path = folder + "/registry_test.holo";
  Write(path, BundleOf({Constant("registry_test_beside", 6)}));
  Executor executor;
  executor.AddDefaultPlaces();
  EXPECT_EQ(RunNamed(executor, "registry_test_beside"), "6");
  fs::remove(path);
  if (made) fs::remove(folder);
  EXPECT_FALSE(executor.Find("registry_test_beside").ok());
}

TEST_F(Registry, OnlyWhatItWasToldToLookFor) {
  Write(root_ + "/here.holo", BundleOf({Constant("here", 1)}));
  fs::current_path(root_);
  Executor private_one;
  EXPECT_EQ(RunNamed(private_one, "here"), "hologram: error: no kernel 'here': nothing is loaded");
  setenv("HOLOGRAM_KERNEL_PATH", "::", 1);
  Executor open;
  open.AddDefaultPlaces();
  EXPECT_EQ(RunNamed(open, "here"), "hologram: error: no kernel 'here': nothing is loaded");
  setenv("HOLOGRAM_KERNEL_PATH", ".:/nonexistent/kernels", 1);
  Executor relative;
  relative.AddDefaultPlaces();
  EXPECT_EQ(RunNamed(relative, "here"),
            "hologram: error: no kernel 'here': nothing is loaded\n"
            "hologram: error: kernel folder .: expected a path that begins with /\n"
            "hologram: error: kernel folder /nonexistent/kernels: there is no such folder");
  EXPECT_EQ(ToString(relative.AddDirectory(root_ + "/here.holo").errors()[0]),
            "hologram: error: kernel folder " + root_ + "/here.holo: not a folder");
  EXPECT_EQ(ToString(relative.AddDirectory("/nonexistent").errors()[0]),
            "hologram: error: kernel folder /nonexistent: there is no such folder");
}

TEST_F(Registry, AChangedFileIsReadAgainAndHeldKernelsStay) {
  const std::string folder = Folder("kernels");
  Executor executor;
  ASSERT_TRUE(executor.AddDirectory(folder).ok());
  EXPECT_EQ(RunNamed(executor, "k"), "hologram: error: no kernel 'k': nothing is loaded");
  // Much faster than the clock of a file system, and with one size.
  constexpr uint32_t kVersions = 200;
  std::vector<std::vector<uint8_t>> versions;
  for (uint32_t version = 0; version < kVersions; ++version) {
    versions.push_back(BundleOf({Constant("k", 100 + version)}));
  }
  Write(folder + "/k.holo", versions[0]);
  // Through a mapping, most changes leave the times of the file as they are.
  const int file = open((folder + "/k.holo").c_str(), O_RDWR | O_CLOEXEC);
  void* memory = mmap(nullptr, versions[0].size(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::vector<std::shared_ptr<const Kernel>> held;
  for (uint32_t version = 0; version < kVersions; ++version) {
    // A time that is two seconds old counts as settled, and a busy machine may take as long.
    if (version % 20 == 0) {
      ASSERT_EQ(futimens(file, nullptr), 0);
    }
    std::memcpy(memory, versions[version].data(), versions[0].size());
    held.push_back(executor.Find("k").value());
    EXPECT_EQ(executor.Find("k").value(), held.back()) << "unchanged, but made again";
  }
  munmap(memory, versions[0].size());
  close(file);
  Write(folder + "/new", BundleOf({Constant("k", 7)}));
  fs::rename(folder + "/new", folder + "/k.holo");
  EXPECT_EQ(RunNamed(executor, "k"), "7");
  fs::remove_all(folder);
  for (uint32_t version = 0; version < kVersions; ++version) {
    EXPECT_EQ(Stored(*held[version]), std::to_string(100 + version));
  }
  EXPECT_EQ(RunNamed(executor, "k"),
            "hologram: error: no kernel 'k': nothing is loaded\n"
            "hologram: error: kernel folder ROOT/kernels: there is no such folder");
  Write(Folder("kernels") + "/k.holo", BundleOf({Constant("k", 8)}));
  EXPECT_EQ(RunNamed(executor, "k"), "8");
}

TEST_F(Registry, AnOldFileIsNotReadTwice) {
  const std::string folder = Folder("kernels");
  const std::string path = folder + "/k.holo";
  Write(path, BundleOf({Constant("k", 5)}));
  Executor executor;
  ASSERT_TRUE(executor.AddDirectory(folder).ok());
  const auto kernel = executor.Find("k");
  ASSERT_TRUE(kernel.ok());
  // As if time had passed: its stamp is settled only when it is more than two seconds old.
  std::this_thread::sleep_for(std::chrono::milliseconds(3100));
  EXPECT_EQ(executor.Find("k").value(), kernel.value());
  chmod(path.c_str(), 0644);  // a new time of change, the same bytes
  EXPECT_EQ(executor.Find("k").value()->id(), kernel.value()->id());
}

TEST_F(Registry, ABadFileIsAnErrorAndTheOthersLoad) {
  const std::string folder = Folder("kernels");
  const std::vector<uint8_t> good = BundleOf({Constant("x", 1), Constant("y", 2)});
  Write(folder + "/good.holo", good);
  Write(folder + "/empty.holo", {});
  Write(folder + "/text.holo", std::vector<uint8_t>(100, 'a'));
  Write(folder + "/.hidden.holo", good);
  fs::create_directory(folder + "/folder.holo");
  ASSERT_EQ(mkfifo((folder + "/pipe.holo").c_str(), 0600), 0);
  fs::create_symlink("/nonexistent/away", folder + "/link.holo");
  // A program that the verifier refuses: r3 is read before anything is written to it.
  Write(folder + "/refused.holo",
        BundleOf({test::Assembled(".kernel refused\n  mov.u32 r4, r3\n  exit\n")}));
  std::vector<uint8_t> newer = good;
  newer[8] ^= 0xff;  // the version of the format
  Write(folder + "/newer.holo", newer);
  Executor executor;
  ASSERT_TRUE(executor.AddDirectory(folder).ok());
  EXPECT_EQ(RunNamed(executor, "x"), "1");
  EXPECT_EQ(RunNamed(executor, "y"), "2");
  const Listing listing = executor.List();
  EXPECT_EQ(listing.kernels.size(), 2u);
  for (const char* name : {"empty", "folder", "link", "newer", "pipe", "refused", "text"}) {
    bool named = false;
    for (const Diagnostic& error : listing.errors) {
      named |= ToString(error).find(folder + "/" + name + ".holo") != std::string::npos;
    }
    EXPECT_TRUE(named) << name << "\n" << Shown(executor);
    // What has its name is asked for and not found: the file is the reason.
    EXPECT_NE(RunNamed(executor, name).find(std::string(name) + ".holo"), std::string::npos);
  }
  EXPECT_EQ(listing.errors.size(), 7u) << Shown(executor);
}

TEST_F(Registry, AFileThatIsBeingCopiedIsAnErrorUntilItIsComplete) {
  const std::string folder = Folder("kernels");
  const std::vector<uint8_t> bytes = BundleOf({Constant("x", 1), Constant("y", 2)});
  Executor executor;
  ASSERT_TRUE(executor.LoadBundle(BundleOf({Constant("x", 9)}), {}).ok());
  ASSERT_TRUE(executor.AddDirectory(folder).ok());
  EXPECT_EQ(RunNamed(executor, "x"), "9");
  Write(folder + "/k.holo", bytes);
  EXPECT_EQ(RunNamed(executor, "x"), "1");
  const std::string path = folder + "/k.holo";
  for (size_t size = 0; size < bytes.size(); size += 7) {
    Write(path, {bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)});
    // Not 9: the file had x a moment ago.
    const std::string found = RunNamed(executor, "x");
    EXPECT_NE(found.find("ROOT/kernels/k.holo"), std::string::npos) << size << ": " << found;
    EXPECT_FALSE(executor.List().errors.empty());
  }
  // As a copy that makes its room first.
  std::vector<uint8_t> holes = bytes;
  std::fill(holes.begin() + static_cast<ptrdiff_t>(bytes.size() / 2), holes.end(), uint8_t{0});
  Write(path, holes);
  EXPECT_NE(RunNamed(executor, "y").find("k.holo"), std::string::npos);
  Write(path, bytes);
  EXPECT_EQ(RunNamed(executor, "x"), "1");
  EXPECT_EQ(RunNamed(executor, "y"), "2");
  EXPECT_TRUE(executor.List().errors.empty());
}

TEST_F(Registry, NativeCodeNeedsAHash) {
  const std::string folder = Folder("kernels");
  bundle::BundleWriter writer;
  const size_t number = writer.AddProgram(test::Assembled(test::kAddText));
  writer.AddNative(number, bundle::NativeLevel::kX86V2, test::AddObject());
  const std::vector<uint8_t> bytes = writer.Finish().value();
  Write(folder + "/add.holo", bytes);
  Executor executor;
  ASSERT_TRUE(executor.AddDirectory(folder).ok());
  EXPECT_EQ(executor.Find("vector_add").value()->path().find("bundle"), std::string::npos);
  EXPECT_EQ(ToString(executor.Trust("abc").errors()[0]),
            "hologram: error: expected a trust hash of 64 hexadecimal digits, found 'abc'");
  ASSERT_TRUE(executor.Trust(ToHex(bundle::BundleReader::Open(bytes).value().trust_hash())).ok());
  EXPECT_EQ(executor.Find("vector_add").value()->path(), "native (bundle, v2)");
}

TEST_F(Registry, ManyThreadsWhileFilesChange) {
  const std::string folder = Folder("kernels");
  Write(folder + "/steady.holo", BundleOf({Constant("steady", 1)}));
  Write(folder + "/k.holo", BundleOf({Constant("k", 100)}));
  Executor executor;
  ASSERT_TRUE(executor.AddDirectory(folder).ok());
  std::atomic<bool> stop = false;
  std::atomic<uint32_t> written = 100;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      while (!stop) {
        const uint32_t before = written;
        const auto k = executor.Find("k");
        const uint32_t after = written;
        if (!k.ok()) {
          ++wrong;
          continue;
        }
        const auto value = static_cast<uint32_t>(std::stoul(Stored(*k.value())));
        // The next version may be in place before it is counted.
        if (value < before || value > after + 1) ++wrong;
        const auto steady = executor.Find("steady");
        if (!steady.ok() || Stored(*steady.value()) != "1") ++wrong;
        if (t == 0) executor.List();
      }
    });
  }
  for (uint32_t version = 101; version < 200; ++version) {
    Write(folder + "/next", BundleOf({Constant("k", version)}));
    fs::rename(folder + "/next", folder + "/k.holo");
    written = version;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace hologram::runtime
