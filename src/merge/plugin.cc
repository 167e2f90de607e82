// The part of the compiler plugin that merges launches: a bundle in, a bundle out.
#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "bundle/bundle.h"
#include "merge/launches.h"
#include "plan/encoding.h"
#include "plugin/launches.h"

namespace hologram::merge {
namespace {

Result<std::vector<uint8_t>> MergeBundle(std::span<const uint8_t> bytes) {
  HOLOGRAM_ASSIGN_OR_RETURN(const bundle::BundleReader reader, bundle::BundleReader::Open(bytes));
  std::vector<isa::Program> kernels;
  std::vector<const isa::Program*> places;
  for (size_t k = 0; k < reader.size(); ++k) {
    HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program, reader.ReadProgram(k));
    kernels.push_back(std::move(program));
  }
  places.reserve(kernels.size());
  for (const isa::Program& kernel : kernels) places.push_back(&kernel);
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> section, reader.ReadPipeline());
  HOLOGRAM_ASSIGN_OR_RETURN(pipeline::Plan plan, pipeline::Decode(section, kernels.size()));
  HOLOGRAM_RETURN_IF_ERROR(pipeline::CheckFlow(plan, places));
  const Merged merged = MergeLaunches(std::move(plan), std::move(kernels));
  if (merged.merged == 0) return std::vector<uint8_t>();
  bundle::BundleWriter writer;
  for (const isa::Program& program : merged.kernels) writer.AddProgram(program);
  writer.SetPipeline(pipeline::Encode(merged.plan));
  return writer.Finish();
}

}  // namespace
}  // namespace hologram::merge

extern "C" [[gnu::visibility("default")]] int hologram_jit_merge_launches(
    const uint8_t* bundle, size_t size, hologram_jit_sink result, hologram_jit_library_error error,
    void* user) {
  using hologram::ErrorCode;
  const auto fail = [&](ErrorCode code, std::string_view message) {
    error(user, static_cast<uint32_t>(code), message.data(), message.size());
    return 1;
  };
  try {
    const auto merged = hologram::merge::MergeBundle({bundle, size});
    if (!merged.ok()) return fail(merged.errors()[0].code, merged.errors()[0].message);
    result(user, merged.value().data(), merged.value().size());
    return 0;
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kResourceLimit, "out of memory");
  } catch (const std::exception& exception) {
    return fail(ErrorCode::kInternal, exception.what());
  }
}
