// Libraries as they are written: which bundles and which runtimes are refused, and that the rest
// finds its bundle again. usage: tvmffi_test, HOLOGRAM_TVM_FFI_RUNTIME is the runtime
#include "tvmffi/library.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "bundle/bundle.h"
#include "bundle/bundle_library.h"
#include "text/text.h"

namespace hologram::tvmffi {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes BundleOf(const std::vector<std::string>& names) {
  bundle::BundleWriter writer;
  for (const std::string& name : names) {
    const auto programs = text::Assemble(".kernel " + name + "\n  exit\n", "a.hasm");
    writer.AddProgram(programs.value()[0]);
  }
  return writer.Finish().value();
}

const Bytes& Runtime() {
  static const Bytes bytes = ReadFile(HOLOGRAM_TVM_FFI_RUNTIME).value();
  return bytes;
}

std::string ErrorOf(std::span<const uint8_t> runtime, std::span<const uint8_t> bundle) {
  const auto library = WriteLibrary(runtime, bundle);
  return library.ok() ? "" : library.errors()[0].message;
}

TEST(Library, HoldsItsBundle) {
  std::vector<std::string> names;
  names.reserve(300);
  for (int k = 0; k < 300; ++k) names.push_back("kernel_" + std::to_string(k));
  const Bytes bundle = BundleOf(names);
  const auto library = WriteLibrary(Runtime(), bundle);
  ASSERT_TRUE(library.ok());
  const auto found = bundle::BundleInLibrary(library.value());
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(Bytes(found.value().begin(), found.value().end()), bundle);
  EXPECT_EQ(WriteLibrary(Runtime(), bundle).value(), library.value());
  // What was written is not a runtime.
  EXPECT_EQ(ErrorOf(library.value(), bundle), "the runtime for tvm-ffi has no entry");
}

TEST(Library, RefusesBundles) {
  EXPECT_EQ(ErrorOf(Runtime(), BundleOf({})), "the bundle has no kernels");
  EXPECT_EQ(
      ErrorOf(Runtime(), BundleOf({"a", "_library_bin"})),
      "kernel '_library_bin' cannot be a function of tvm-ffi, which has names that begin with "
      "'_' for itself; rename it");
  Bytes broken = BundleOf({"a"});
  EXPECT_NE(ErrorOf(Runtime(), std::span(broken).first(40)), "");
  broken[0] ^= 1;
  EXPECT_NE(ErrorOf(Runtime(), broken), "");
}

TEST(Library, RefusesRuntimesThatAreCutOff) {
  const Bytes bundle = BundleOf({"a"});
  for (size_t size = 0; size < Runtime().size(); size += 1 + size / 2) {
    EXPECT_NE(ErrorOf(std::span(Runtime()).first(size), bundle), "") << size;
  }
  const Bytes zeros(4096);
  EXPECT_EQ(ErrorOf(zeros, bundle), "the runtime for tvm-ffi is not ELF of 64 bits");
}

}  // namespace
}  // namespace hologram::tvmffi
