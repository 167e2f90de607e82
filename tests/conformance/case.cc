#include "case.h"

#include <charconv>
#include <fstream>
#include <sstream>

namespace hologram::tests {
namespace {

class FileParser {
 public:
  explicit FileParser(const std::string& path) : path_(path) {}

  Result<std::vector<ConformanceCase>> Run() {
    std::ifstream in(path_);
    if (!in) return Error(ErrorCode::kNotFound, path_ + " cannot be read");
    std::string line;
    while (error_.empty() && std::getline(in, line)) {
      ++line_;
      ParseLine(line);
    }
    if (!error_.empty()) return Diagnostic{ErrorCode::kInvalidText, {path_, line_, 1}, error_};
    return std::move(cases_);
  }

 private:
  void ParseLine(const std::string& line) {
    if (line.starts_with("-- ")) return StartSection(line.substr(3));
    if (line.starts_with("#") || (line.empty() && section_ != "asm")) return;
    if (cases_.empty()) return Fail("expected -- asm");
    ConformanceCase& now = cases_.back();
    if (section_ == "asm") {
      now.assembly += line + "\n";
    } else if (section_ == "launch") {
      ParseLaunch(line);
    } else if (section_ == "scalars") {
      ParseWords(line, &now.scalars);
    } else if (section_ == "buffers") {
      ParseWords(line, &now.buffers);
    } else if (section_ == "stream" || section_ == "stream after") {
      ParseStream(line, section_ == "stream after");
    } else if (section_ == "result") {
      ParseWords(line, &now.results);
    } else if (section_ == "prints") {
      now.prints.push_back(line);
    } else if (line.starts_with("operands ")) {
      now.fault_operands = line.substr(std::string_view("operands ").size());
    } else {
      now.fault = line;
    }
  }

  void StartSection(const std::string& name) {
    section_ = name;
    if (name == "asm") {
      cases_.emplace_back();
      cases_.back().file = path_;
      cases_.back().line = line_;
    } else if (name != "launch" && name != "scalars" && name != "buffers" && name != "result" &&
               name != "fault" && name != "prints" && name != "stream" && name != "stream after") {
      Fail("unknown section '" + name + "'");
    }
  }

  void ParseLaunch(const std::string& line) {
    std::istringstream in(line);
    std::string word;
    ConformanceCase& now = cases_.back();
    while (in >> word) {
      if (word == "nondeterministic") {
        now.deterministic = false;
        continue;
      }
      std::string value;
      in >> value;
      if (word == "grid") {
        ParseExtent(value, now.shape.grid);
      } else if (word == "block") {
        ParseExtent(value, now.shape.block);
      } else if (word == "budget") {
        now.budget = Number(value, 10);
      } else if (word == "class_base") {
        now.class_base = static_cast<uint32_t>(Number(value, 10));
      } else {
        Fail("unknown word '" + word + "'");
      }
    }
  }

  // "phase 5" or "resonance 3 1/4"
  void ParseStream(const std::string& line, bool after) {
    std::istringstream in(line);
    std::string word;
    std::string value;
    in >> word >> value;
    const auto number = static_cast<uint32_t>(Number(value, 10));
    ConformanceCase& now = cases_.back();
    if (word == "phase") {
      if (after) {
        now.phase_after = number;
      } else {
        now.before.phase = number;
      }
      return;
    }
    if (word != "resonance" || number >= isa::kNumClasses) return Fail("expected phase, resonance");
    launch::Ratio ratio;
    char slash = 0;
    in >> ratio.numerator >> slash >> ratio.denominator;
    if (!in || slash != '/') return Fail("expected a fraction");
    if (after) {
      now.resonance_after.emplace_back(number, ratio);
    } else {
      now.before.resonance[number] = ratio;
    }
  }

  // "4", "4,2" or "4,2,1"
  void ParseExtent(const std::string& text, uint32_t* extent) {
    std::istringstream in(text);
    std::string part;
    for (int k = 0; k < 3 && std::getline(in, part, ','); ++k) {
      extent[k] = static_cast<uint32_t>(Number(part, 10));
    }
  }

  void ParseWords(const std::string& line, std::vector<NamedWords>* all) {
    std::istringstream in(line);
    std::string word;
    if (line[0] != ' ') {
      all->emplace_back();
      in >> all->back().name >> word;
      if (word == "within") {
        in >> word;
        all->back().within = Number(word, 10);
        in >> word;
      }
      if (word != "=") return Fail("expected '='");
    }
    if (all->empty()) return Fail("expected a name");
    while (in >> word) {
      if (word == "zero") {
        in >> word;
        all->back().words.resize(Number(word, 10));
      } else {
        all->back().words.push_back(Number(word, 16));
      }
    }
  }

  uint64_t Number(const std::string& text, int base) {
    uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (code != std::errc() || end != text.data() + text.size()) {
      Fail("expected a number, found '" + text + "'");
    }
    return value;
  }

  void Fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
  }

  std::string path_;
  std::string section_;
  std::string error_;
  uint32_t line_ = 0;
  std::vector<ConformanceCase> cases_;
};

}  // namespace

Result<std::vector<ConformanceCase>> ParseConformanceFile(const std::string& path) {
  return FileParser(path).Run();
}

}  // namespace hologram::tests
