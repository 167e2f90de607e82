#include "engine/array_file.h"

#include <optional>

#include "base/quote.h"

namespace hologram::web {

Result<tool::Array> ReadArrayFile(std::span<const uint8_t> file, const std::string& name,
                                  std::string_view type) {
  const std::optional<isa::Type> wanted = isa::ParseType(type);
  if (!wanted) {
    return Error(ErrorCode::kInvalidArgument, "type: " + Shown(type) + " is not a type");
  }
  const bool is_csv = name.ends_with(".csv");
  if (!is_csv && !name.ends_with(".npy")) {
    return Error(ErrorCode::kInvalidArgument, name + ": expected a .npy or .csv file");
  }
  Result<tool::Array> array = is_csv ? tool::DecodeCsv(file, *wanted, name) : tool::DecodeNpy(file);
  if (array.ok()) return array;
  Diagnostics errors = array.errors();
  for (Diagnostic& error : errors) {
    if (error.where.file.empty()) error.message = name + ": " + error.message;
  }
  return errors;
}

std::string ArrayJson(const tool::Array& array) {
  std::string shape;
  for (const uint64_t extent : array.shape) {
    shape += (shape.empty() ? "" : ",") + std::to_string(extent);
  }
  return "{\"type\":" + JsonString(isa::NameOf(array.type)) + ",\"shape\":[" + shape + "]}";
}

}  // namespace hologram::web
