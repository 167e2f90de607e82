#include "settings.h"

#include <cstdlib>
#include <map>
#include <sstream>

namespace fakecuda {

std::string TextOf(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? text : "";
}

int NumberOf(const char* variable, int otherwise) {
  const std::string text = TextOf(variable);
  return text.empty() ? otherwise : std::atoi(text.c_str());
}

Order OrderNow() {
  const std::string text = TextOf("FAKECUDA_ORDER");
  if (text.empty() || text == "first") return {};
  if (text == "last") return {Order::Pick::kLast, 0};
  return {Order::Pick::kRandom, std::strtoull(text.c_str(), nullptr, 0)};
}

int FailureOf(const char* function) {
  static std::map<std::string, int> calls;
  const std::string wanted = TextOf("FAKECUDA_FAIL");
  if (wanted.empty()) {
    calls.clear();
    return 0;
  }
  std::stringstream parts(wanted);
  std::string name;
  std::string number;
  std::string code;
  std::getline(parts, name, ':');
  std::getline(parts, number, ':');
  std::getline(parts, code, ':');
  if (name != function || ++calls[name] != std::atoi(number.c_str())) return 0;
  return code.empty() ? 999 : std::atoi(code.c_str());
}

}  // namespace fakecuda
