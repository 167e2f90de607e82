// hologram circuit: what a circuit means (eval), the calls it stands for (compile), its canonical
// form (canon). With --file, each line of a file is a circuit and gives one line of JSON.
#include "sigmatics/circuit.h"

#include <cmath>
#include <cstdio>
#include <optional>

#include "base/files.h"
#include "base/quote.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/options.h"
#include "commands/report.h"
#include "driver/circuit_text.h"
#include "sigmatics/algebra/meaning.h"
#include "sigmatics/canonical.h"
#include "sigmatics/lower/call.h"

namespace hologram::tool {
namespace {

using sigmatics::Call;
using sigmatics::Canonical;
using sigmatics::Checked;
using sigmatics::Circuit;
using sigmatics::CircuitError;
using sigmatics::Mode;

enum class Action : uint8_t { kEval, kCompile, kCanon };

struct Request {
  Action action = Action::kEval;
  Mode mode = Mode::kNone;
};

// One answer in both of its forms. The JSON is without braces, so that "expr" can stand first.
struct Answer {
  std::string json;
  std::string text;
};

template <class Items, class F>
std::string List(const Items& items, const std::string& separator, F show) {
  std::string list;
  for (const auto& item : items) list += (list.empty() ? "" : separator) + show(item);
  return list;
}

Answer Eval(const Circuit& circuit) {
  const sigmatics::LiteralMeaning literal = sigmatics::LiteralOf(circuit);
  std::vector<uint32_t> addresses;
  for (const std::optional<uint32_t>& address : literal.addresses) {
    if (address) addresses.push_back(*address);
  }
  const std::vector<std::string> words = sigmatics::WordsOf(circuit);
  const auto number = [](auto value) { return std::to_string(value); };
  const auto same = [](const std::string& word) { return word; };
  Answer answer;
  answer.json = "\"bytes\":[" + List(literal.bytes, ",", number) + "],\"words\":[" +
                List(words, ",", JsonString) + "],\"addresses\":[" + List(addresses, ",", number) +
                "]";
  answer.text =
      "bytes " + List(literal.bytes, " ", number) + "\nwords " + List(words, " ", same) + "\n";
  if (!addresses.empty()) answer.text += "addresses " + List(addresses, " ", number) + "\n";
  return answer;
}

std::string CallJson(const Call& call) {
  std::string json = "{\"k\":" + JsonString(sigmatics::NameOf(call.kind));
  for (const sigmatics::CallField& field : sigmatics::FieldsOf(call)) {
    json += "," + JsonString(field.name) + ":" +
            (field.is_number ? field.text : JsonString(field.text));
  }
  return json + "}";
}

Answer Compile(const Canonical& canonical) {
  Answer answer;
  if (canonical.circuit.header) {
    const std::string header = sigmatics::Print(*canonical.circuit.header);
    answer.json = "\"header\":" + JsonString(header) + ",";
  }
  answer.json += "\"calls\":[" + List(canonical.calls, ",", CallJson) + "]";
  answer.text = driver::CallsText(canonical);
  return answer;
}

// Percent with at most six decimals, and at least one.
std::string Percent(size_t part, size_t whole) {
  char buffer[32];
  const double share =
      whole == 0 ? 0 : 100 * (1 - static_cast<double>(part) / static_cast<double>(whole));
  std::snprintf(buffer, sizeof buffer, "%.6f", share);
  std::string text = buffer;
  while (text.ends_with("0") && !text.ends_with(".0")) text.pop_back();
  return text;
}

Answer Canon(const Canonical& canonical) {
  const std::string circuit = sigmatics::Print(canonical.circuit);
  Answer answer;
  answer.json = "\"canonical\":" + JsonString(circuit) + ",\"calls\":[" +
                List(canonical.calls, ",", CallJson) +
                "],\"original_ops\":" + std::to_string(canonical.original_operations) +
                ",\"canonical_ops\":" + std::to_string(canonical.canonical_operations) +
                ",\"reduction_pct\":" +
                Percent(canonical.canonical_operations, canonical.original_operations);
  answer.text = circuit + "\n";
  return answer;
}

Checked<Answer> AnswerTo(std::string_view expression, const Request& request) {
  HOLOGRAM_ASSIGN_OR_RETURN(const Circuit circuit, sigmatics::Parse(expression));
  if (request.action == Action::kEval) return Eval(circuit);
  HOLOGRAM_ASSIGN_OR_RETURN(const Canonical canonical, CanonicalForm(circuit, request.mode));
  return request.action == Action::kCompile ? Compile(canonical) : Canon(canonical);
}

std::string ErrorJson(const CircuitError& error) {
  return "\"error\":{\"kind\":" + JsonString(sigmatics::NameOf(error.kind)) +
         ",\"message\":" + JsonString(error.message) +
         ",\"column\":" + std::to_string(error.column) + "}";
}

std::string JsonLine(std::string_view expression, const Checked<Answer>& answer) {
  return "{\"expr\":" + JsonString(expression) + "," +
         (answer.ok() ? answer.value().json : ErrorJson(answer.error())) + "}\n";
}

void Write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

Request RequestOf(const Options& options, const std::string& action) {
  Request request;
  if (action == "compile") {
    request.action = Action::kCompile;
  } else if (action == "canon") {
    request.action = Action::kCanon;
    request.mode = Mode::kMemory;
  } else if (action != "eval") {
    throw UsageError{"expected eval, compile or canon, found " + Shown(action)};
  }
  const std::optional<std::string> mode = options.one("--mode");
  if (!mode) return request;
  if (request.action == Action::kEval) {
    throw UsageError{"option --mode belongs to compile and canon"};
  }
  if (*mode == "none") {
    request.mode = Mode::kNone;
  } else if (*mode == "memory") {
    request.mode = Mode::kMemory;
  } else if (*mode == "gate") {
    request.mode = Mode::kGate;
  } else {
    Fail(ErrorCode::kInvalidArgument,
         "--mode: expected memory, gate or none, found " + Shown(*mode));
  }
  return request;
}

// One line of output for each line of input, whatever is in it; only LF ends a line.
int RunFile(const std::string& path, const Request& request) {
  const std::vector<uint8_t> bytes = OrFail(ReadFile(path, kMaxSourceBytes));
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    Write(JsonLine(line, AnswerTo(line, request)));
  }
  return 0;
}

int RunOne(const std::string& expression, const Request& request, bool json) {
  const Checked<Answer> answer = AnswerTo(expression, request);
  if (json) {
    Write(JsonLine(expression, answer));
    return answer.ok() ? 0 : 1;
  }
  if (answer.ok()) {
    Write(answer.value().text);
    return 0;
  }
  const CircuitError& error = answer.error();
  const std::string place =
      error.column == 0 ? "" : "column " + std::to_string(error.column) + ": ";
  Fail(ErrorCode::kInvalidText,
       place + std::string(sigmatics::NameOf(error.kind)) + ": " + error.message);
}

}  // namespace

int CircuitCommand(const Arguments& arguments) {
  const Options options = ReadOptions("circuit", arguments);
  const std::vector<std::string>& positional = options.positional();
  if (positional.empty()) throw UsageError{"expected eval, compile or canon"};
  const Request request = RequestOf(options, positional[0]);
  if (const std::optional<std::string> file = options.one("--file")) {
    if (positional.size() != 1) throw UsageError{"expected a circuit or --file, found both"};
    return RunFile(*file, request);
  }
  if (positional.size() != 2) {
    throw UsageError{"expected one circuit, found " + std::to_string(positional.size() - 1)};
  }
  return RunOne(positional[1], request, options.has("--json"));
}

}  // namespace hologram::tool
