// How often a program is verified on its way through one process: once by the library, whatever is
// done with it then, and by the compiler plugin once for each form that it compiles, whatever the
// number of targets (docs/architecture.md says why the plugin does it again).
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/environment.h"
#include "bundle/bundle.h"
#include "driver/source/source.h"
#include "plugin/code.h"
#include "runtime/compiler_plugin.h"
#include "runtime/executor.h"
#include "runtime/native_bundle.h"
#include "runtime/observed_work.h"
#include "verify/verified_program.h"

namespace hologram::driver {
namespace {

// Its checked form leaves accesses to the code.
constexpr const char* kProved = HOLOGRAM_SOURCE_DIR "/kernels/elementwise/saxpy.py";

uint64_t ByPlugin() {
  static const auto function = [] {
    void* const plugin = dlopen(ReadNonEmpty(Variable::kJit), RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<hologram_jit_verifications_function>(
        plugin == nullptr ? nullptr : dlsym(plugin, "hologram_jit_verifications"));
  }();
  EXPECT_NE(function, nullptr);
  return function == nullptr ? 0 : function();
}

struct Counts {
  uint64_t library = 0;
  uint64_t plugin = 0;
  bool operator==(const Counts&) const = default;
};

void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.library << " by the library, " << counts.plugin << " by the plugin";
}

// What has been verified since this was made.
class Counter {
 public:
  Counts Since() const {
    return {verify::VerificationsMade() - before_.library, ByPlugin() - before_.plugin};
  }

 private:
  const Counts before_{verify::VerificationsMade(), ByPlugin()};
};

std::vector<isa::Program> ProgramsOf(const std::string& path) {
  Request request;
  request.files = {path};
  Constants constants;
  FromSource<Kernels> loaded = Load(request, constants);
  EXPECT_TRUE(loaded.ok()) << loaded.messages;
  return std::move(loaded.value.programs);
}

// As `hologram compile`, for several targets with their checked forms.
std::vector<uint8_t> Compiled(const std::string& path, std::vector<isa::Program> programs) {
  Kernels kernels;
  kernels.programs = std::move(programs);
  const auto compiled = Verify(std::move(kernels));
  EXPECT_TRUE(compiled.ok()) << path;
  auto forms = runtime::MakeNativeCode(compiled.value().programs, {});
  EXPECT_TRUE(forms.ok()) << path;
  for (const runtime::NativeForms& form : forms.value()) {
    EXPECT_EQ(form.objects.size(), runtime::UsualTargets().size());
  }
  auto bundle = runtime::BundleOf(compiled.value().programs, std::move(forms).value(),
                                  runtime::UsualTargets());
  EXPECT_TRUE(bundle.ok()) << path;
  return std::move(bundle).value();
}

class Verifications : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(ReadNonEmpty(Variable::kJit), nullptr);
    ASSERT_TRUE(runtime::HasCompiler()) << runtime::WhyNoCompiler();
  }
};

TEST_F(Verifications, CompilingVerifiesOnceAndOnceMoreForEachFormOfNativeCode) {
  std::vector<isa::Program> programs = ProgramsOf(kProved);
  const Counter counter;
  const std::vector<uint8_t> bundle = Compiled(kProved, std::move(programs));
  EXPECT_EQ(counter.Since(), (Counts{1, 2}));
  const auto reader = bundle::BundleReader::Open(bundle);
  ASSERT_TRUE(reader.ok());
  for (const Target target : runtime::UsualTargets()) {
    const bundle::NativeLevel level = bundle::LevelOf(target);
    EXPECT_TRUE(reader.value().NativeSection(0, level, bundle::SectionType::kChecked));
  }
}

TEST_F(Verifications, CompilingABundleVerifiesEachProgramOnce) {
  const auto verified = runtime::VerifyAll(ProgramsOf(kProved));
  ASSERT_TRUE(verified.ok());
  const auto plain = runtime::BundleOf(verified.value());
  ASSERT_TRUE(plain.ok());
  const Counter counter;
  ASSERT_TRUE(runtime::WithNativeCode(plain.value(), runtime::UsualTargets()).ok());
  EXPECT_EQ(counter.Since(), (Counts{1, 2}));
}

TEST_F(Verifications, RunningAFileVerifiesOnceAndOnceMoreForTheCompiler) {
  std::vector<isa::Program> programs = ProgramsOf(kProved);
  runtime::Executor executor;
  executor.SetTiered(false);
  const Counter counter;
  ASSERT_TRUE(executor.Add(std::move(programs[0]), true).ok());
  EXPECT_EQ(counter.Since(), (Counts{1, 0}));
  ASSERT_TRUE(executor.Find("saxpy").ok());
  EXPECT_EQ(counter.Since(), (Counts{1, 1}));
  ASSERT_TRUE(executor.Find("saxpy").ok());
  EXPECT_EQ(counter.Since(), (Counts{1, 1}));
}

TEST_F(Verifications, LoadingABundleThatIsVouchedForVerifiesItsProgramOnceAndNeedsNoCompiler) {
  const std::vector<uint8_t> bundle = Compiled(kProved, ProgramsOf(kProved));
  const auto reader = bundle::BundleReader::Open(bundle);
  ASSERT_TRUE(reader.ok());
  runtime::LoadOptions options;
  options.expect = ToHex(reader.value().trust_hash());
  runtime::Executor executor;
  const Counter counter;
  ASSERT_TRUE(executor.LoadBundle(bundle, options).ok());
  EXPECT_EQ(counter.Since(), (Counts{0, 0}));
  ASSERT_TRUE(executor.Find("saxpy").ok());
  ASSERT_TRUE(executor.Find("saxpy").ok());
  EXPECT_EQ(counter.Since(), (Counts{1, 0}));
}

TEST_F(Verifications, LoadingABundleThatNobodyVouchesForVerifiesAtOnce) {
  const std::vector<uint8_t> bundle = Compiled(kProved, ProgramsOf(kProved));
  runtime::Executor executor;
  executor.SetTiered(false);
  const Counter counter;
  ASSERT_TRUE(executor.LoadBundle(bundle, {}).ok());
  EXPECT_EQ(counter.Since(), (Counts{1, 0}));
  ASSERT_TRUE(executor.Find("saxpy").ok());
  EXPECT_EQ(counter.Since(), (Counts{1, 1}));
}

}  // namespace
}  // namespace hologram::driver
