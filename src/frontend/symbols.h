// The names of one kernel: parameters, locals, shared arrays, module constants.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/ast.h"

namespace hologram::frontend {

struct Symbol {
  enum class Kind : uint8_t { kScalar, kArray, kShared, kLocalArray, kLocal };
  std::string name;
  Kind kind = Kind::kLocal;
  ValueType type;                 // of the scalar or of an element
  uint32_t number = 0;            // of the parameter, shared or local array
  uint32_t rank = 1;              // of an array
  std::vector<uint32_t> extents;  // of a shared or local array of several dimensions
  bool from_shape = false;        // an extent or stride, which no source names
  bool stated = false;            // a local whose type the kernel wrote
  bool read = false;
  bool written = false;
  bool unique = false;  // a parameter: the kernel declares it, at `unique_at`
  Position unique_at;
  uint32_t assignments = 0;  // statements that assign a local
  uint32_t line = 0;

  bool is_array() const {
    return kind == Kind::kArray || kind == Kind::kShared || kind == Kind::kLocalArray;
  }
};

// A literal known where a body is written in place: an argument of a helper, a compile-time
// parameter. Its type is soft or a number.
struct KnownLiteral {
  Constant value;
  ValueType type;
  bool by_default = false;  // as in Expr
};

// Scope of names in one kernel or in one call of a helper.
struct Names {
  std::unordered_map<std::string, int> symbols;
  std::unordered_map<std::string, KnownLiteral> literals;
  std::unordered_map<std::string, isa::Type> types;  // type variables
};

class Symbols {
 public:
  Symbols(const std::vector<NamedConstant>& constants, Names names);

  // -1 if the kernel has no such name.
  int Find(const std::string& name) const;
  int Add(Symbol symbol);
  // Gives a symbol one more name.
  void Bind(const std::string& name, int index) { names_.symbols[name] = index; }
  // The names of a body that begins; what was there before, for Restore().
  Names Enter(Names names) { return std::exchange(names_, std::move(names)); }
  void Restore(Names names) { names_ = std::move(names); }
  Names& names() { return names_; }
  Symbol& at(int index) { return symbols_[static_cast<size_t>(index)]; }
  const Symbol& at(int index) const { return symbols_[static_cast<size_t>(index)]; }
  size_t size() const { return symbols_.size(); }

  // nullptr if there is no such literal.
  const KnownLiteral* FindLiteral(const std::string& name) const;
  // A scalar type or what a type variable represents. Empty if it is none.
  std::optional<isa::Type> FindType(const std::string& name) const;
  // nullptr if the module has no such constant.
  const Constant* FindConstant(const std::string& name) const;
  // "; did you mean 'a'?", or nothing.
  std::string Suggestion(const std::string& name) const;

 private:
  std::vector<Symbol> symbols_;
  Names names_;
  std::unordered_map<std::string, Constant> constants_;
  std::vector<std::string> constant_names_;
};

}  // namespace hologram::frontend
