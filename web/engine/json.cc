#include "engine/json.h"

#include "base/quote.h"
#include "bundle/bundle.h"

namespace hologram::web {
namespace {

// Items with commas between them.
class List {
 public:
  void Add(const std::string& item) { text_ += (text_.empty() ? "" : ",") + item; }
  std::string Array() const { return "[" + text_ + "]"; }

 private:
  std::string text_;
};

std::string Field(const char* name, const std::string& json) {
  return JsonString(name) + ":" + json;
}

const char* NameOf(isa::Direction direction) {
  switch (direction) {
    case isa::Direction::kIn:
      return "in";
    case isa::Direction::kOut:
      return "out";
    case isa::Direction::kInOut:
      return "inout";
  }
  return "";
}

std::string TripleJson(const uint32_t (&values)[3]) {
  List list;
  for (const uint32_t value : values) list.Add(std::to_string(value));
  return list.Array();
}

}  // namespace

std::string ErrorsJson(const Diagnostics& errors) {
  List list;
  for (const Diagnostic& error : errors) {
    // HOLOGRAM_ERROR_* begin at 1.
    list.Add("{" + Field("code", std::to_string(static_cast<uint32_t>(error.code) + 1)) + "," +
             Field("message", JsonString(error.message)) + "," +
             Field("text", JsonString(ToString(error))) + "," +
             Field("file", JsonString(error.where.file)) + "," +
             Field("line", std::to_string(error.where.line)) + "," +
             Field("column", std::to_string(error.where.column)) + "}");
  }
  return list.Array();
}

std::string SignatureJson(const isa::Program& program) {
  List parameters;
  for (size_t k = 0; k < program.NumArguments(); ++k) {
    const isa::Parameter& parameter = program.parameters[k];
    parameters.Add(
        "{" + Field("name", JsonString(parameter.name)) + "," +
        Field("buffer", parameter.is_buffer ? "true" : "false") + "," +
        Field("type", JsonString(isa::NameOf(parameter.type))) + "," +
        Field("code", std::to_string(static_cast<uint32_t>(parameter.type))) + "," +
        Field("direction", JsonString(parameter.is_buffer ? NameOf(parameter.direction) : "in")) +
        "," + Field("rank", std::to_string(parameter.rank)) + "}");
  }
  return "{" + Field("name", JsonString(program.name)) + "," +
         Field("id", JsonString(ToHex(bundle::IdentityOf(program)))) + "," +
         Field("block", std::to_string(program.default_block)) + "," +
         Field("parameters", parameters.Array()) + "}";
}

std::string LaunchJson(const launch::Way& way, const hologram_launch_shape& shape,
                       const std::string& prints) {
  const bool ran = way.form != launch::Form::kNothing;
  const std::string condition = way.unproved ? way.unproved->condition : "";
  return "{" + Field("engine", JsonString(ran ? launch::NameOf(way.engine) : "")) + "," +
         Field("reason", JsonString(way.reason)) + "," + Field("condition", JsonString(condition)) +
         "," + Field("checked", way.checked() ? "true" : "false") + "," +
         Field("grid", TripleJson(shape.grid)) + "," + Field("block", TripleJson(shape.block)) +
         "," + Field("prints", JsonString(prints)) + "}";
}

}  // namespace hologram::web
