#include "engine/json.h"

#include "base/quote.h"

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

std::string DecisionJson(const hologram_launch_shape& shape, bool proved) {
  return "{" + Field("grid", TripleJson(shape.grid)) + "," +
         Field("block", TripleJson(shape.block)) + "," +
         Field("proved", proved ? "true" : "false") + "}";
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
