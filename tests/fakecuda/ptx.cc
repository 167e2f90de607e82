#include "ptx.h"

#include <regex>
#include <sstream>

namespace fakecuda {
namespace {

std::string Trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

// At the commas that are in no bracket.
std::vector<std::string> SplitOperands(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(Trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!Trimmed(part).empty()) parts.push_back(Trimmed(part));
  return parts;
}

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

class Reader {
 public:
  explicit Reader(const std::string& text) : lines_(Split(text, '\n')) {}

  PtxModule Read() {
    for (at_ = 0; at_ < lines_.size(); ++at_) ReadLine(lines_[at_]);
    if (module_.kernel.empty()) Fail("no .entry");
    return std::move(module_);
  }

 private:
  [[noreturn]] void Fail(const std::string& why) const {
    throw PtxError("line " + std::to_string(at_ + 1) + ": " + why);
  }

  void ReadLine(const std::string& line) {
    std::smatch match;
    static const std::regex version(R"(\.version (\d+)\.(\d))");
    static const std::regex target(R"(\.target sm_(\d+))");
    if (line.empty() || line.starts_with("//") || line == ".address_size 64") return;
    if (std::regex_match(line, match, version)) {
      module_.version = static_cast<uint32_t>(std::stoul(match[1].str() + match[2].str()));
    } else if (std::regex_match(line, match, target)) {
      module_.target = static_cast<uint32_t>(std::stoul(match[1]));
    } else if (line.starts_with(".global ")) {
      ReadTable(line);
    } else if (line.starts_with(".func ") || line.starts_with(".visible .entry ")) {
      ReadFunction(line);
    } else {
      Fail("unknown: " + line);
    }
  }

  void ReadTable(const std::string& line) {
    static const std::regex form(R"(\.global \.align \d+ \.b(\d+) ([\w$]+)\[(\d+)\] = \{(.*)\};)");
    std::smatch match;
    if (!std::regex_match(line, match, form)) Fail("unknown table: " + line);
    std::vector<uint8_t>& bytes = module_.tables[match[2]];
    const size_t size = std::stoul(match[1]) / 8;
    for (const std::string& number : Split(match[4], ',')) {
      const auto bits = static_cast<uint64_t>(std::stoll(number));
      for (size_t k = 0; k < size; ++k) bytes.push_back(static_cast<uint8_t>(bits >> (8 * k)));
    }
    if (bytes.size() != size * std::stoul(match[3])) Fail("a table of another length");
  }

  void ReadFunction(const std::string& line) {
    static const std::regex func(R"(\.func \(\.param \.(\w+) (\w+)\) ([\w$]+)\((.*)\))");
    static const std::regex entry(R"(\.visible \.entry (\w+)\((.*)\))");
    static const std::regex parameter(R"(\.param \.(\w+)(?: \.ptr \.global \.align \d+)? (\w+))");
    PtxFunction function;
    std::string parameters;
    std::smatch match;
    if (std::regex_match(line, match, func)) {
      function.result = match[2];
      function.name = match[3];
      parameters = match[4];
    } else if (std::regex_match(line, match, entry)) {
      function.name = module_.kernel = match[1];
      parameters = match[2];
    } else {
      Fail("unknown function: " + line);
    }
    for (const std::string& one : SplitOperands(parameters)) {
      if (!std::regex_match(one, match, parameter)) Fail("unknown parameter: " + one);
      function.parameters.push_back({match[2], match[1]});
    }
    if (lines_.at(++at_) != "{") Fail("expected {");
    for (++at_; at_ < lines_.size() && lines_[at_] != "}"; ++at_) {
      ReadStatement(function, Trimmed(lines_[at_]));
    }
    module_.functions.push_back(std::move(function));
  }

  void ReadStatement(PtxFunction& function, std::string line) {
    if (line == "{" || line == "}") return;
    if (line.ends_with(":")) {
      const auto place = static_cast<uint32_t>(function.statements.size());
      if (!function.labels.emplace(line.substr(0, line.size() - 1), place).second) {
        Fail("a label twice: " + line);
      }
      return;
    }
    if (!line.ends_with(";")) Fail("no ; at the end");
    line.pop_back();
    std::smatch match;
    static const std::regex registers(R"(\.reg \.\w+ (%\w)<(\d+)>)");
    static const std::regex array(R"(\.(shared|local) \.align \d+ \.b8 ([\w$]+)\[(\d+)\])");
    static const std::regex argument(R"(\.param \.\w+ \w+)");
    if (line.starts_with(".")) {
      if (std::regex_match(line, match, registers)) {
        function.registers[match[1]] = static_cast<uint32_t>(std::stoul(match[2]));
      } else if (std::regex_match(line, match, array)) {
        function.arrays[match[2]] = {match[1] == "shared",
                                     static_cast<uint32_t>(std::stoul(match[3]))};
      } else if (!std::regex_match(line, match, argument)) {
        Fail("unknown: " + line);
      }
      return;
    }
    Statement statement;
    statement.line = static_cast<uint32_t>(at_ + 1);
    if (line.starts_with("@")) {
      const size_t space = line.find(' ');
      statement.negated = line[1] == '!';
      statement.guard = line.substr(statement.negated ? 2 : 1, space - (statement.negated ? 2 : 1));
      line = line.substr(space + 1);
    }
    const size_t space = std::min(line.find(' '), line.size());
    statement.op = Split(line.substr(0, space), '.');
    statement.operands = SplitOperands(line.substr(space));
    function.statements.push_back(std::move(statement));
  }

  std::vector<std::string> lines_;
  size_t at_ = 0;
  PtxModule module_;
};

}  // namespace

PtxModule ReadPtx(const std::string& text) {
  return Reader(text).Read();
}

}  // namespace fakecuda
