#include "commands/report.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "base/files.h"

namespace hologram::tool {
namespace {

constexpr size_t kMaxErrors = 20;
constexpr size_t kMaxShownLine = 160;

// Line number `line` of a file, without its end; empty if there is none. What comes from a pipe was
// read, and is not there again.
std::string SourceLine(const std::string& path, uint32_t line) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return {};
  const Result<std::vector<uint8_t>> file = ReadFile(path);
  if (!file.ok() || line == 0) return {};
  const std::string_view text(reinterpret_cast<const char*>(file.value().data()),
                              file.value().size());
  size_t begin = 0;
  for (uint32_t number = 1; number < line; ++number) {
    begin = text.find('\n', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  const size_t end = text.find('\n', begin);
  return std::string(text.substr(begin, end == std::string_view::npos ? end : end - begin));
}

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// A bundle is no text; nobody wants its bytes on a terminal.
bool IsText(std::string_view line) {
  return line.find('\0') == std::string_view::npos;
}

void PrintPlace(const Location& where) {
  if (where.file.empty() || where.line == 0 || where.column == 0) return;
  std::string line = SourceLine(where.file, where.line);
  if (line.find_first_not_of(" \t\r") == std::string::npos || !IsText(line)) return;
  if (line.size() > kMaxShownLine || where.column > line.size() + 1) return;
  std::string padding;
  for (size_t i = 0; i + 1 < where.column; ++i) {
    if (!IsContinuation(line[i])) padding += line[i] == '\t' ? '\t' : ' ';
  }
  for (char& c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t') || byte == 0x7f) c = c == '\r' ? ' ' : '?';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  std::fprintf(stderr, "  %s\n  %s^\n", line.c_str(), padding.c_str());
}

// "  lane 498 (block 1,0,0 lane 242,0,0), instruction 3: i (r6, u32) = 498"
void PrintFault(const FaultRecord& fault) {
  const auto list = [](const std::array<uint32_t, 3>& n) {
    return std::to_string(n[0]) + "," + std::to_string(n[1]) + "," + std::to_string(n[2]);
  };
  std::string text = "  lane " + std::to_string(fault.lane) + " (block " + list(fault.block) +
                     " lane " + list(fault.lane_in_block) + "), instruction " +
                     std::to_string(fault.instruction);
  const char* separator = ": ";
  for (const OperandRecord& operand : fault.operands) {
    const std::string reg = "r" + std::to_string(operand.reg);
    text += separator + (operand.name.empty() ? reg + " (" : operand.name + " (" + reg + ", ") +
            operand.type + ") = " + operand.value;
    separator = ", ";
  }
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace

void PrintErrors(const Diagnostics& errors) {
  for (size_t i = 0; i < errors.size() && i < kMaxErrors; ++i) {
    std::fprintf(stderr, "%s\n", ToString(errors[i]).c_str());
    PrintPlace(errors[i].where);
    if (errors[i].fault != nullptr) PrintFault(*errors[i].fault);
  }
  if (errors.size() > kMaxErrors) {
    std::fprintf(stderr, "hologram: %zu more errors\n", errors.size() - kMaxErrors);
  }
}

void PrintNote(const Diagnostic& note) {
  std::string text = ToString(note);
  const std::string_view word = ": error: ";
  text.replace(text.find(word), word.size(), ": note: ");
  std::fprintf(stderr, "%s\n", text.c_str());
  PrintPlace(note.where);
}

}  // namespace hologram::tool
