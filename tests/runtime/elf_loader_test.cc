#include "runtime/native/elf_loader.h"

#include <gtest/gtest.h>

#include "native_objects.h"

namespace hologram::runtime {
namespace {

std::string ErrorOf(const std::vector<uint8_t>& object) {
  const Result<NativeCode> code = NativeCode::Load(object);
  return code.ok() ? "loaded" : code.errors()[0].message;
}

TEST(ElfLoader, RunsWhatItLoads) {
  Result<NativeCode> loaded = NativeCode::Load(test::AddObject());
  ASSERT_TRUE(loaded.ok()) << loaded.errors()[0].message;
  const NativeCode code = std::move(loaded).value();
  float a[3] = {1, 2, 3};
  float b[3] = {10, 20, 30};
  float c[3] = {};
  const hologram_buffer_ref buffers[] = {{a, sizeof a}, {b, sizeof b}, {c, sizeof c}};
  const uint64_t scalars[] = {2};
  const hologram_launch_shape shape{{1, 1, 1}, {256, 1, 1}};
  hologram_launch_state state{};
  EXPECT_EQ(code.info()->entry(buffers, scalars, &shape, &state), HOLOGRAM_LAUNCH_DONE);
  EXPECT_EQ(c[0], 11);
  EXPECT_EQ(c[1], 22);
  EXPECT_EQ(c[2], 0);
}

TEST(ElfLoader, RefusesWhatIsNoObject) {
  EXPECT_EQ(ErrorOf({}), "native object: not an ELF file");
  EXPECT_EQ(ErrorOf(std::vector<uint8_t>(4096, 0x7f)), "native object: not an ELF file");
}

TEST(ElfLoader, NamesUndefinedSymbols) {
  EXPECT_EQ(ErrorOf(test::ReadObject(HOLOGRAM_NATIVE_UNDEFINED)),
            "native object: undefined symbol 'memory_from_elsewhere'");
}

TEST(ElfLoader, RefusesVariables) {
  const std::string error = ErrorOf(test::ReadObject(HOLOGRAM_NATIVE_WRITABLE));
  EXPECT_TRUE(error.ends_with(" is writable")) << error;
}

TEST(ElfLoader, RefusesEveryTruncation) {
  const std::vector<uint8_t> object = test::AddObject();
  for (size_t size = 0; size + 1 < object.size(); ++size) {
    const std::vector<uint8_t> part(object.begin(), object.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_NE(ErrorOf(part), "loaded") << size;
  }
}

// Nothing is run here: a changed byte may be code. It must only never crash the loader.
TEST(ElfLoader, SurvivesEveryChangedByte) {
  const std::vector<uint8_t> object = test::AddObject();
  for (size_t i = 0; i < object.size(); ++i) {
    for (int flip : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> changed = object;
      changed[i] = static_cast<uint8_t>(changed[i] ^ flip);
      ErrorOf(changed);
    }
  }
}

}  // namespace
}  // namespace hologram::runtime
