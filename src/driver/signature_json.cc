#include "driver/signature_json.h"

#include "base/bytes.h"
#include "base/quote.h"
#include "bundle/bundle.h"

namespace hologram::driver {
namespace {

std::string ArgumentJson(const isa::Parameter& parameter) {
  return "{\"name\":" + JsonString(parameter.name) +
         ",\"buffer\":" + (parameter.is_buffer ? "true" : "false") +
         ",\"type\":" + JsonString(isa::NameOf(parameter.type)) +
         ",\"code\":" + std::to_string(static_cast<uint32_t>(parameter.type)) +
         ",\"direction\":" + JsonString(parameter.is_buffer ? NameOf(parameter.direction) : "in") +
         ",\"rank\":" + std::to_string(parameter.rank) + "}";
}

}  // namespace

const char* NameOf(isa::Direction direction) {
  switch (direction) {
    case isa::Direction::kIn:
      return "in";
    case isa::Direction::kOut:
      return "out";
    case isa::Direction::kInOut:
      return "inout";
  }
  return "in";
}

std::string SignatureJson(const isa::Program& program) {
  std::string parameters;
  for (size_t k = 0; k < program.NumArguments(); ++k) {
    parameters += (k == 0 ? "" : ",") + ArgumentJson(program.parameters[k]);
  }
  return "{\"name\":" + JsonString(program.name) +
         ",\"id\":" + JsonString(ToHex(bundle::IdentityOf(program))) +
         ",\"block\":" + std::to_string(program.default_block) + ",\"parameters\":[" + parameters +
         "]}";
}

}  // namespace hologram::driver
