// The names of one kernel: parameters, locals, shared arrays, module constants.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/ast.h"

namespace hologram::frontend {

struct Symbol {
  enum class Kind : uint8_t { kScalar, kArray, kShared, kLocalArray, kLocal };
  std::string name;
  Kind kind = Kind::kLocal;
  ValueType type;       // of the scalar or of an element
  uint32_t number = 0;  // of the parameter, shared or local array
  bool read = false;
  bool written = false;
  uint32_t assignments = 0;  // statements that assign a local
  uint32_t line = 0;

  bool is_array() const {
    return kind == Kind::kArray || kind == Kind::kShared || kind == Kind::kLocalArray;
  }
};

class Symbols {
 public:
  explicit Symbols(const std::vector<NamedConstant>& constants);

  // -1 if the kernel has no such name.
  int Find(const std::string& name) const;
  int Add(Symbol symbol);
  Symbol& at(int index) { return symbols_[static_cast<size_t>(index)]; }
  const Symbol& at(int index) const { return symbols_[static_cast<size_t>(index)]; }
  size_t size() const { return symbols_.size(); }

  // nullptr if the module has no such constant.
  const Constant* FindConstant(const std::string& name) const;
  // "; did you mean 'a'?", or nothing.
  std::string Suggestion(const std::string& name) const;

 private:
  std::vector<Symbol> symbols_;
  std::unordered_map<std::string, int> by_name_;
  std::unordered_map<std::string, Constant> constants_;
  std::vector<std::string> constant_names_;
};

}  // namespace hologram::frontend
