#include "driver/manifest.h"

#include "base/quote.h"

namespace hologram::driver {

namespace {

std::string ParameterJson(const isa::Parameter& parameter) {
  return "{\"name\":" + JsonString(parameter.name) +
         ",\"kind\":" + (parameter.is_buffer ? "\"buffer\"" : "\"scalar\"") +
         ",\"type\":" + JsonString(isa::NameOf(parameter.type)) +
         ",\"direction\":" + JsonString(NameOf(parameter.direction)) +
         (parameter.rank == 0 ? "" : ",\"rank\":" + std::to_string(parameter.rank)) + "}";
}

// A number, or three of them.
std::string BlockJson(const isa::Program& program) {
  const auto [x, y, z] = program.DefaultBlock();
  if (program.HasFlatBlock()) return std::to_string(x);
  return "[" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + "]";
}

std::string NativeJson(const bundle::BundleReader& reader, size_t program,
                       bundle::SectionType type) {
  std::string json;
  for (const TargetInfo& target : kTargets) {
    if (target.section == 0) continue;
    const auto native = reader.NativeSection(program, bundle::LevelOf(target.target), type);
    if (!native) continue;
    json += std::string(json.empty() ? "" : ",") + "{\"level\":" + JsonString(target.name) +
            ",\"bytes\":" + std::to_string(native->bytes.size()) + "}";
  }
  return "[" + json + "]";
}

std::string ProgramJson(const bundle::BundleReader& reader, size_t i, const isa::Program& program) {
  std::string json = "{\"name\":" + JsonString(program.name) +
                     ",\"id\":" + JsonString(ToHex(reader.IdentityOf(i))) + ",\"parameters\":[";
  for (size_t k = 0; k < program.NumArguments(); ++k) {
    json += (k == 0 ? "" : ",") + ParameterJson(program.parameters[k]);
  }
  json += "],\"instructions\":" + std::to_string(program.code.size()) +
          ",\"block\":" + BlockJson(program) +
          ",\"shared_bytes\":" + std::to_string(program.SharedBytes()) +
          ",\"native\":" + NativeJson(reader, i, bundle::SectionType::kNative);
  const std::string checked = NativeJson(reader, i, bundle::SectionType::kChecked);
  if (checked != "[]") json += ",\"checked\":" + checked;
  return json + "}";
}

std::string PipelineJson(const pipeline::Plan& plan, const std::vector<isa::Program>& programs) {
  std::string json = "{\"name\":" + JsonString(plan.name) + ",\"arrays\":[";
  for (const pipeline::Array& array : plan.arguments()) {
    json += std::string(json.back() == '[' ? "" : ",") + "{\"name\":" + JsonString(array.name) +
            ",\"role\":" + JsonString(pipeline::NameOf(array.role)) +
            ",\"type\":" + JsonString(isa::NameOf(array.type)) + ",\"shape\":[";
    for (size_t d = 0; d < array.extents.size(); ++d) {
      json += (d == 0 ? "" : ",") + std::to_string(array.extents[d]);
    }
    json += "]}";
  }
  json += "],\"launches\":[";
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    json += (k == 0 ? "" : ",") + JsonString(programs[plan.steps[k].kernel].name);
  }
  return json + "]}";
}

}  // namespace

std::string BundleJson(const bundle::BundleReader& reader,
                       const std::vector<isa::Program>& programs,
                       const std::optional<pipeline::Plan>& plan) {
  std::string json =
      "{\"trust_hash\":" + JsonString(ToHex(reader.trust_hash())) + ",\"programs\":[";
  for (size_t i = 0; i < programs.size(); ++i) {
    json += (i == 0 ? "" : ",") + ProgramJson(reader, i, programs[i]);
  }
  json += "]";
  if (plan) json += ",\"pipeline\":" + PipelineJson(*plan, programs);
  return json + "}\n";
}

}  // namespace hologram::driver
