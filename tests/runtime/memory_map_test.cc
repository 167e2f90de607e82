// Compiled code is never writable and executable at once: what the system says about the process's
// memory while code is loaded, runs, and is loaded by another thread.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "native_objects.h"
#include "runtime/native/elf_loader.h"

namespace hologram::runtime {
namespace {

struct Mapping {
  uintptr_t first = 0;
  uintptr_t end = 0;
  std::string access;  // "r-xp"
  std::string line;
};

std::vector<Mapping> Mappings() {
  std::vector<Mapping> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    Mapping mapping;
    char access[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &mapping.first, &mapping.end, access) != 3) {
      ADD_FAILURE() << "cannot read " << line;
      continue;
    }
    mapping.access = access;
    mapping.line = line;
    found.push_back(mapping);
  }
  EXPECT_FALSE(found.empty()) << "/proc/self/maps cannot be read";
  return found;
}

bool IsWritableAndExecutable(const Mapping& mapping) {
  return mapping.access[1] == 'w' && mapping.access[2] == 'x';
}

// The first line of the map that is writable and executable, or nothing.
std::string WritableCode() {
  for (const Mapping& mapping : Mappings()) {
    if (IsWritableAndExecutable(mapping)) return mapping.line;
  }
  return "";
}

std::string AccessAt(const void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  for (const Mapping& mapping : Mappings()) {
    if (mapping.first <= wanted && wanted < mapping.end) return mapping.access;
  }
  return "not mapped";
}

NativeCode LoadOrDie(const char* path) {
  Result<NativeCode> loaded = NativeCode::Load(test::ReadObject(path));
  EXPECT_TRUE(loaded.ok()) << loaded.errors()[0].message;
  return std::move(loaded).value();
}

int32_t RunAdd(const NativeCode& code, void (*called)()) {
  float a[3] = {1, 2, 3};
  float b[3] = {10, 20, 30};
  float c[3] = {};
  const hologram_buffer_ref buffers[] = {{a, sizeof a}, {b, sizeof b}, {c, sizeof c}};
  const uint64_t scalars[] = {3, reinterpret_cast<uintptr_t>(called)};
  const hologram_launch_shape shape{{1, 1, 1}, {256, 1, 1}};
  hologram_launch_state state{};
  const int32_t status = code.info()->entry(buffers, scalars, &shape, &state);
  EXPECT_EQ(c[2], 33);
  return status;
}

std::string running_access;
std::string running_writable;
const NativeCode* running = nullptr;

TEST(MemoryMap, RunningCodeIsNotWritable) {
  const NativeCode code = LoadOrDie(HOLOGRAM_NATIVE_CALLS);
  EXPECT_EQ(AccessAt(reinterpret_cast<const void*>(code.info()->entry)), "r-xp");
  EXPECT_EQ(AccessAt(code.info()), "r--p");
  EXPECT_EQ(WritableCode(), "");
  running = &code;
  running_access = "the code did not call";
  EXPECT_EQ(RunAdd(code,
                   [] {
                     running_access =
                         AccessAt(reinterpret_cast<const void*>(running->info()->entry));
                     running_writable = WritableCode();
                   }),
            HOLOGRAM_LAUNCH_DONE);
  EXPECT_EQ(running_access, "r-xp");
  EXPECT_EQ(running_writable, "");
}

// Loading writes code before it makes it executable; no step on the way may have both.
TEST(MemoryMap, NoStepOfLoadingHasBoth) {
  const std::vector<uint8_t> object = test::AddObject();
  std::atomic<bool> stop{false};
  std::atomic<int> loads{0};
  std::thread loader([&] {
    while (!stop.load()) {
      Result<NativeCode> loaded = NativeCode::Load(object);
      if (!loaded.ok()) break;
      RunAdd(loaded.value(), nullptr);
      loads.fetch_add(1);
    }
  });
  std::string found;
  for (int k = 0; k < 2000 && found.empty(); ++k) found = WritableCode();
  stop.store(true);
  loader.join();
  EXPECT_EQ(found, "");
  EXPECT_GT(loads.load(), 10) << "hardly anything was loaded meanwhile";
}

}  // namespace
}  // namespace hologram::runtime
