#include "driver/bundle_header.h"

#include "base/quote.h"
#include "bundle/bundle.h"

namespace hologram::driver {
namespace {

// As numbers: string literals have limits, and a zero at the end.
std::string EmbeddedBytes(std::span<const uint8_t> bytes) {
  constexpr size_t kPerLine = 24;
  std::string text = "alignas(64) inline constexpr unsigned char bundle[] = {";
  for (size_t k = 0; k < bytes.size(); ++k) {
    text += (k % kPerLine == 0 ? "\n    " : "") + std::to_string(bytes[k]) + ",";
  }
  return text + "\n};\n";
}

// Names, ids and where in the bundle the encoded programs lie.
std::string EmbeddedPrograms(const bundle::BundleReader& reader) {
  std::string text =
      "struct program {\n  const char* name;\n  const char* id;\n  unsigned long long offset;  // "
      "in bundle\n  unsigned long long size;\n};\ninline constexpr program programs[] = {\n";
  for (const bundle::Section& section : reader.sections()) {
    if (section.type != static_cast<uint32_t>(bundle::SectionType::kCode)) continue;
    text += "    {" + Quote(reader.NameOf(section.program)) + ", \"" +
            ToHex(reader.IdentityOf(section.program)) + "\", " + std::to_string(section.offset) +
            ", " + std::to_string(section.size) + "},\n";
  }
  return text + "};\n";
}

}  // namespace

Result<std::string> BundleHeader(const std::string& bundle, std::span<const uint8_t> bytes,
                                 bool embed) {
  HOLOGRAM_ASSIGN_OR_RETURN(const bundle::BundleReader reader, bundle::BundleReader::Open(bytes));
  const size_t slash = bundle.rfind('/');
  const std::string file = slash == std::string::npos ? bundle : bundle.substr(slash + 1);
  std::string name;
  for (char c : file.substr(0, file.rfind('.'))) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    name += letter || (digit && !name.empty()) ? c : '_';
  }
  return "// Written by hologram compile: the bundle and the hash by which this program trusts "
         "it.\n"
         "#pragma once\n\nnamespace " +
         name + "_kernels {\n" + "inline constexpr char file[] = " + Quote(file) + ";\n" +
         "inline constexpr char hash[] =\n    \"" + ToHex(reader.trust_hash()) + "\";\n" +
         (embed ? EmbeddedBytes(bytes) + EmbeddedPrograms(reader) : "") + "}  // namespace " +
         name + "_kernels\n";
}

}  // namespace hologram::driver
