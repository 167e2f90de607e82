// The part of hologram.h that writes bundles. Tested by tests/capi/bundle_test.cc.
#include "bundle/bundle.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/quote.h"
#include "base/targets.h"
#include "capi/bundle_handle.h"
#include "capi/error.h"
#include "capi/guard.h"
#include "runtime/compiler_plugin.h"
#include "runtime/native_bundle.h"
#include "runtime/observed_work.h"
#include "text/text.h"

using hologram::Error;
using hologram::ErrorCode;
using hologram::Result;
using hologram::Status;
using hologram::Target;
using hologram::capi::FromException;
using hologram::capi::GiveBundle;
using hologram::capi::MakeError;
using hologram::capi::TargetsOf;

Result<std::vector<Target>> hologram::capi::TargetsOf(const char* levels) {
  if (levels == nullptr) {
    const std::span<const Target> usual = hologram::runtime::UsualTargets();
    return std::vector<Target>(usual.begin(), usual.end());
  }
  return hologram::runtime::TargetsNamed("levels: expected ", levels);
}

hologram_error* hologram::capi::GiveBundle(Result<std::vector<uint8_t>> made,
                                           hologram_bundle** bundle) {
  if (!made.ok()) return MakeError(made.errors());
  auto given = std::make_unique<hologram_bundle>();
  given->bytes = std::move(made).value();
  const auto reader = hologram::bundle::BundleReader::Open(given->bytes);
  if (!reader.ok()) return MakeError(reader.errors());
  given->trust_hash = ToHex(reader.value().trust_hash());
  *bundle = given.release();
  return nullptr;
}

namespace {

// `programs` is a bundle, of which native code is left out.
Result<std::vector<uint8_t>> Compile(std::span<const uint8_t> programs, const char* levels) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<Target> targets, TargetsOf(levels));
  return hologram::runtime::WithNativeCode(programs, targets);
}

// Programs in assembly, verified, as a bundle without native code.
Result<std::vector<uint8_t>> Assemble(std::string_view text, const char* file) {
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<hologram::isa::Program> programs,
                            hologram::text::Assemble(text, file));
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<hologram::verify::VerifiedProgram> verified,
                            hologram::runtime::VerifyAll(std::move(programs)));
  return hologram::runtime::BundleOf(verified);
}

}  // namespace

hologram_error* hologram_bundle_compile(const void* data, size_t size, const char* levels,
                                        hologram_bundle** bundle) try {
  if (size != 0) HOLOGRAM_NOT_NULL(data);
  HOLOGRAM_NOT_NULL(bundle);
  return GiveBundle(Compile({static_cast<const uint8_t*>(data), size}, levels), bundle);
} catch (...) {
  return FromException();
}

hologram_error* hologram_bundle_compile_json(const char* json, size_t size, const char* file,
                                             const char* levels, hologram_bundle** bundle) try {
  if (size != 0) HOLOGRAM_NOT_NULL(json);
  HOLOGRAM_NOT_NULL(file);
  HOLOGRAM_NOT_NULL(bundle);
  const auto programs = hologram::runtime::CompileJson(
      size == 0 ? std::string_view() : std::string_view(json, size), file);
  if (!programs.ok()) return MakeError(programs.errors());
  return GiveBundle(Compile(programs.value(), levels), bundle);
} catch (...) {
  return FromException();
}

hologram_error* hologram_bundle_compile_assembly(const char* text, size_t size, const char* file,
                                                 const char* levels, hologram_bundle** bundle) try {
  if (size != 0) HOLOGRAM_NOT_NULL(text);
  HOLOGRAM_NOT_NULL(file);
  HOLOGRAM_NOT_NULL(bundle);
  const auto programs =
      Assemble(size == 0 ? std::string_view() : std::string_view(text, size), file);
  if (!programs.ok()) return MakeError(programs.errors());
  return GiveBundle(Compile(programs.value(), levels), bundle);
} catch (...) {
  return FromException();
}

hologram_error* hologram_bundle_compile_circuit(const char* circuit, const char* name,
                                                const char* levels, hologram_bundle** bundle) try {
  HOLOGRAM_NOT_NULL(circuit);
  HOLOGRAM_NOT_NULL(name);
  HOLOGRAM_NOT_NULL(bundle);
  const auto programs = hologram::runtime::CompileCircuit(circuit, name);
  if (!programs.ok()) return MakeError(programs.errors());
  return GiveBundle(Compile(programs.value(), levels), bundle);
} catch (...) {
  return FromException();
}

const void* hologram_bundle_data(const hologram_bundle* bundle) {
  return bundle == nullptr ? nullptr : bundle->bytes.data();
}

size_t hologram_bundle_size(const hologram_bundle* bundle) {
  return bundle == nullptr ? 0 : bundle->bytes.size();
}

const char* hologram_bundle_trust_hash(const hologram_bundle* bundle) {
  return bundle == nullptr ? "" : bundle->trust_hash.c_str();
}

hologram_error* hologram_bundle_save(const hologram_bundle* bundle, const char* path) try {
  HOLOGRAM_NOT_NULL(bundle);
  HOLOGRAM_NOT_NULL(path);
  const Status status = hologram::WriteFile(path, bundle->bytes);
  return status.ok() ? nullptr : MakeError(status.errors());
} catch (...) {
  return FromException();
}

void hologram_bundle_destroy(hologram_bundle* bundle) {
  delete bundle;
}
