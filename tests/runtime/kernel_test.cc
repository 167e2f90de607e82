#include "runtime/kernel.h"

#include <gtest/gtest.h>

#include <array>

#include "base/blake3.h"
#include "bundle/bundle.h"
#include "native_objects.h"
#include "runtime/executor.h"

namespace hologram::runtime {
namespace {

Kernel Interpreted(const std::string& text) {
  return Kernel(verify::Verify(test::Assembled(text)).value(), "id", "nobody made any");
}

Kernel Native(const char* object) {
  return Kernel(verify::Verify(test::Assembled(test::kAddText)).value(), "id",
                NativeCode::Load(test::ReadObject(object)).value(), "bundle", "v4");
}

struct Add {
  std::vector<float> a = std::vector<float>(300, 1);
  std::vector<float> b = std::vector<float>(300, 2);
  std::vector<float> c = std::vector<float>(300, 0);
  std::array<hologram_buffer_ref, 3> buffers() {
    return {{{a.data(), a.size() * 4}, {b.data(), b.size() * 4}, {c.data(), c.size() * 4}}};
  }
};

std::string ErrorOf(const Result<launch::Way>& result) {
  return result.ok() ? "ran" : ToString(result.errors()[0]);
}

TEST(Kernel, SaysWhatItRunsOn) {
  EXPECT_EQ(Interpreted(test::kAddText).path(), "interpreter");
  EXPECT_EQ(Native(HOLOGRAM_NATIVE_ADD).path(), "native (bundle, v4)");
}

TEST(Kernel, RunsTheSameOnBothBackends) {
  const Kernel native = Native(HOLOGRAM_NATIVE_ADD);
  for (const launch::Engine engine : {launch::Engine::kInterpreter, launch::Engine::kCpu}) {
    Add data;
    const uint64_t n = 300;
    LaunchConfig config;
    config.engine = engine;
    const auto outcome = native.Launch(data.buffers(), {&n, 1}, config);
    ASSERT_TRUE(outcome.ok()) << ErrorOf(outcome);
    EXPECT_EQ(outcome.value().native(), engine == launch::Engine::kCpu);
    EXPECT_EQ(data.c, std::vector<float>(300, 3));
  }
  EXPECT_EQ(native.counts().native, 1u);
  EXPECT_EQ(native.counts().interpreted, 1u);
}

TEST(Kernel, ClassesOfBlocksCountFromTheBase) {
  const Kernel kernel = Interpreted(
      ".kernel classes\n.param d u8[] out\n  sreg.u32 r20, global.x\n  cls.get.u8 r21\n"
      "  stg.u8 [r1 + r20*1], r21\n  exit\n");
  std::vector<uint8_t> classes(3);
  const hologram_buffer_ref buffer{classes.data(), classes.size()};
  LaunchConfig config;
  config.shape.grid = {3, 1, 1};
  config.shape.block = {1, 1, 1};
  config.class_base = 94;
  ASSERT_TRUE(kernel.Launch({&buffer, 1}, {}, config).ok());
  EXPECT_EQ(classes, (std::vector<uint8_t>{94, 95, 0}));
  config.class_base = 96;
  EXPECT_EQ(ErrorOf(kernel.Launch({&buffer, 1}, {}, config)),
            "hologram: error: class_base: expected 0 to 95, found 96");
  // Native code does not look at it.
  config = {};
  config.class_base = 96;
  Add data;
  const uint64_t n = 300;
  EXPECT_EQ(ErrorOf(Native(HOLOGRAM_NATIVE_ADD).Launch(data.buffers(), {&n, 1}, config)),
            "hologram: error: class_base: expected 0 to 95, found 96");
}

// Programs are read where they lie, and only when they are asked for.
TEST(Kernel, OfABundleInStaticStorage) {
  bundle::BundleWriter writer;
  const size_t number = writer.AddProgram(test::Assembled(test::kAddText));
  writer.AddNative(number, bundle::NativeLevel::kX86V2, test::AddObject());
  std::vector<uint8_t> bytes = writer.Finish().value();
  const std::string hash = ToHex(bundle::BundleReader::Open(bytes).value().trust_hash());
  Executor executor;
  ASSERT_TRUE(executor.LoadStatic(bytes, {hash, true}).ok());
  EXPECT_EQ(executor.Find("vector_add").value()->path(), "native (bundle, v2)");
  Executor late;
  ASSERT_TRUE(late.LoadStatic(bytes, {hash, true}).ok());
  // Of the native code, which has not been read yet.
  const auto code =
      bundle::BundleReader::Open(bytes).value().NativeSection(number, bundle::NativeLevel::kX86V2);
  bytes[static_cast<size_t>(code->bytes.data() - bytes.data()) + 100] ^= 1;
  EXPECT_FALSE(late.Find("vector_add").ok());
  Executor none;
  EXPECT_FALSE(none.LoadStatic({bytes.data(), 10}, {}).ok());
}

TEST(Kernel, WithoutNativeCodeTheCpuBackendRefuses) {
  Add data;
  const uint64_t n = 300;
  LaunchConfig config;
  config.engine = launch::Engine::kCpu;
  EXPECT_EQ(ErrorOf(Interpreted(test::kAddText).Launch(data.buffers(), {&n, 1}, config)),
            "hologram: error: no native code for 'vector_add': nobody made any");
  // No other test of this process looks for a driver.
  ASSERT_EQ(setenv("HOLOGRAM_CUDA", "/none.so", 1), 0);
  config.engine = launch::Engine::kCuda;
  EXPECT_EQ(ErrorOf(Interpreted(test::kAddText).Launch(data.buffers(), {&n, 1}, config)),
            "hologram: error: no CUDA driver: /none.so: cannot open shared object file: No such "
            "file or directory");
}

TEST(Kernel, AFaultGivesTheCounterexampleAndTheValues) {
  const Kernel native = Native(HOLOGRAM_NATIVE_ADD);
  const Kernel interpreted = Interpreted(test::kAddText);
  for (const Kernel* kernel : {&native, &interpreted}) {
    Add data;
    data.a.resize(290);
    const uint64_t n = 300;
    EXPECT_EQ(ErrorOf(kernel->Launch(data.buffers(), {&n, 1}, {})),
              "add.py:6:16: error: a[i] reads element 290 of 290 (i = 290)");
  }
}

TEST(Kernel, ANativeFaultIsRepeatedForItsValues) {
  Add data;
  data.a.resize(7);
  const uint64_t n = 7;
  // The object faults whatever happens; the interpreter, which does not, cannot confirm it, so the
  // message stays without values.
  EXPECT_EQ(ErrorOf(Native(HOLOGRAM_NATIVE_FAULTS).Launch(data.buffers(), {&n, 1}, {})),
            "add.py:6:16: error: a[i] reads element 7 of 7");
}

TEST(Kernel, CountsArguments) {
  Add data;
  EXPECT_EQ(ErrorOf(Interpreted(test::kAddText).Launch(data.buffers(), {}, {})),
            "hologram: error: kernel 'vector_add' expects 3 buffers and 1 scalars, found 3 and 0");
}

TEST(Executor, TrustsNativeCodeOnlyWithTheHash) {
  bundle::BundleWriter writer;
  const size_t number = writer.AddProgram(test::Assembled(test::kAddText));
  writer.AddNative(number, bundle::NativeLevel::kX86V2, test::AddObject());
  const std::vector<uint8_t> bytes = writer.Finish().value();
  const std::string hash = ToHex(bundle::BundleReader::Open(bytes).value().trust_hash());

  Executor trusting;
  ASSERT_TRUE(trusting.LoadBundle(bytes, {hash, true}).ok());
  EXPECT_EQ(trusting.Find("vector_add").value()->path(), "native (bundle, v2)");

  Executor careful;
  ASSERT_TRUE(careful.LoadBundle(bytes, {std::nullopt, true}).ok());
  EXPECT_FALSE(careful.Find("vector_add").value()->path().starts_with("native (bundle"));

  Executor interpreting;
  ASSERT_TRUE(interpreting.LoadBundle(bytes, {hash, false}).ok());
  EXPECT_EQ(interpreting.Find("vector_add").value()->path(), "interpreter");

  Executor deceived;
  std::string other = hash;
  other[0] = other[0] == '0' ? '1' : '0';
  EXPECT_EQ(ToString(deceived.LoadBundle(bytes, {other, true}).errors()[0]),
            "hologram: error: expected trust hash " + other + ", found " + hash);
  EXPECT_TRUE(deceived.Names().empty());
}

TEST(Executor, FindsAlteredNativeCodeBeforeItRuns) {
  bundle::BundleWriter writer;
  const size_t number = writer.AddProgram(test::Assembled(test::kAddText));
  writer.AddNative(number, bundle::NativeLevel::kX86V2, test::AddObject());
  std::vector<uint8_t> bytes = writer.Finish().value();
  const bundle::BundleReader reader = bundle::BundleReader::Open(bytes).value();
  const std::string hash = ToHex(reader.trust_hash());
  const auto native = reader.NativeSection(number, bundle::NativeLevel::kX86V2);
  bytes[static_cast<size_t>(native->bytes.data() - bytes.data()) + 100] ^= 1;

  Executor executor;
  ASSERT_TRUE(executor.LoadBundle(bytes, {hash, true}).ok());
  EXPECT_EQ(executor.Find("vector_add").errors()[0].message,
            "section 3 (native code of 'vector_add' for x86-64-v2) does not match its hash: the "
            "file is damaged or altered");
}

TEST(Executor, PassesOverNativeCodeOfAnotherAbi) {
  const std::vector<uint8_t> old = test::ReadObject(HOLOGRAM_NATIVE_OLD);
  EXPECT_EQ(NativeCode::AbiVersionOf(old).value(), 6u);
  EXPECT_EQ(NativeCode::AbiVersionOf(test::AddObject()).value(), HOLOGRAM_NATIVE_ABI_VERSION);
  EXPECT_FALSE(NativeCode::Load(old).ok());

  bundle::BundleWriter writer;
  const size_t number = writer.AddProgram(test::Assembled(test::kAddText));
  writer.AddNative(number, bundle::NativeLevel::kX86V2, old);
  const std::vector<uint8_t> bytes = writer.Finish().value();
  Executor executor;
  const std::string hash = ToHex(bundle::BundleReader::Open(bytes).value().trust_hash());
  ASSERT_TRUE(executor.LoadBundle(bytes, {hash, true}).ok());
  const std::shared_ptr<const Kernel> kernel = executor.Find("vector_add").value();
  EXPECT_FALSE(kernel->path().starts_with("native (bundle"));
  EXPECT_EQ(kernel->note(),
            "kernel 'vector_add': section 3 (native code of 'vector_add' for x86-64-v2) was "
            "compiled for version 6 of the native ABI and is not used by this library, which has "
            "version " +
                std::to_string(HOLOGRAM_NATIVE_ABI_VERSION) +
                (kernel->native() != nullptr ? "; it was compiled again" : "; it is interpreted"));
  Add data;
  const uint64_t n = 300;
  ASSERT_TRUE(kernel->Launch(data.buffers(), {&n, 1}, {}).ok());
  EXPECT_EQ(data.c, std::vector<float>(300, 3));
}

TEST(Executor, NamesTheKernelsThereAre) {
  Executor executor;
  EXPECT_EQ(executor.Find("x").errors()[0].message, "no kernel 'x': nothing is loaded");
  ASSERT_TRUE(executor.Add(test::Assembled(test::kAddText), false).ok());
  EXPECT_EQ(executor.Find("x").errors()[0].message, "no kernel 'x'; there are: vector_add");
  // Of many, those that begin like it.
  isa::Program program = test::Assembled(test::kAddText);
  for (int k = 0; k < 30; ++k) {
    program.name = "other_" + std::to_string(k);
    ASSERT_TRUE(executor.Add(program, false).ok());
  }
  const std::string message = executor.Find("vector_sub").errors()[0].message;
  EXPECT_TRUE(message.starts_with("no kernel 'vector_sub'; there are: vector_add, other_0, "))
      << message;
  EXPECT_TRUE(message.ends_with(" and 19 more")) << message;
}

}  // namespace
}  // namespace hologram::runtime
