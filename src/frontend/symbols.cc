#include "frontend/symbols.h"

#include "base/spelling.h"
#include "frontend/builtins.h"

namespace hologram::frontend {

Symbols::Symbols(const std::vector<NamedConstant>& constants, Names names)
    : names_(std::move(names)) {
  for (const NamedConstant& constant : constants) {
    constants_[constant.name] = constant.value;
    constant_names_.push_back(constant.name);
  }
}

int Symbols::Find(const std::string& name) const {
  const auto it = names_.symbols.find(name);
  return it == names_.symbols.end() ? -1 : it->second;
}

int Symbols::Add(Symbol symbol) {
  const int index = static_cast<int>(symbols_.size());
  names_.symbols[symbol.name] = index;
  symbols_.push_back(std::move(symbol));
  return index;
}

const KnownLiteral* Symbols::FindLiteral(const std::string& name) const {
  const auto it = names_.literals.find(name);
  return it == names_.literals.end() ? nullptr : &it->second;
}

std::optional<isa::Type> Symbols::FindType(const std::string& name) const {
  const auto it = names_.types.find(name);
  return it == names_.types.end() ? ParseScalar(name) : it->second;
}

const Constant* Symbols::FindConstant(const std::string& name) const {
  const auto it = constants_.find(name);
  return it == constants_.end() ? nullptr : &it->second;
}

std::string Symbols::Suggestion(const std::string& name) const {
  const auto say = [](const std::string& found) { return "; did you mean '" + found + "'?"; };
  for (const Symbol& symbol : symbols_) {  // in the order of the text, of those that have a name
    if (Find(symbol.name) >= 0 && IsNear(name, symbol.name)) return say(symbol.name);
  }
  for (const std::string& constant : constant_names_) {
    if (IsNear(name, constant)) return say(constant);
  }
  return "";
}

}  // namespace hologram::frontend
