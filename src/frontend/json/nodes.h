// The readers of JSON nodes, for json_reader.cc (documents, kernels, statements) and
// json_expression.cc (expressions).
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/result.h"
#include "frontend/ast.h"
#include "frontend/json/value.h"

namespace hologram::frontend {

// Letters, digits, `_` and any character beyond ASCII.
bool IsIdentifier(const std::string& name);

// Reads one document. After an error the readers return an empty node and go on. Each notes the
// fields it looks at; an unread one is an error, so that a misspelt name drops nothing.
class Reader {
 public:
  Reader(std::string file, std::string path, Diagnostics& errors)
      : file_(std::move(file)), path_(std::move(path)), errors_(errors) {}

  Document Read(const Json& json);

 private:
  static constexpr size_t kMaxNesting = 256;  // of statements and expressions
  static constexpr size_t kMaxErrors = 20;

  // Appends a step to the path for as long as it lives.
  class Step {
   public:
    Step(Reader& reader, const std::string& step) : reader_(reader), size_(reader.path_.size()) {
      if (!reader.path_.empty() && step[0] != '[') reader.path_ += ".";
      reader.path_ += step;
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step() { reader_.path_.resize(size_); }

   private:
    Reader& reader_;
    size_t size_;
  };

  void Fail(const std::string& message) {
    if (errors_.size() >= kMaxErrors) return;
    constexpr size_t kEnds = 60;  // of a long path, the start and the end suffice
    std::string text = path_;
    if (text.size() > 3 * kEnds) text.replace(kEnds, text.size() - 2 * kEnds, "...");
    text += (text.empty() ? "" : ": ") + message;
    for (char& c : text) {  // strings of the document may hold anything
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
    }
    if (text.size() > 500) text.resize(500);
    errors_.push_back({ErrorCode::kInvalidText, {file_, 0, 0}, std::move(text)});
  }

  Document ReadFields(const Json& json);
  // The value of a field that is there, noted as read; null: there is none.
  const Json* Find(const Json& object, const char* name);
  const Json* Field(const Json& object, const char* name);
  const Json* OptionalField(const Json& object, const char* name);
  const Json* Array(const Json& object, const char* name);
  std::string String(const Json& object, const char* name);
  std::string Word(const Json& object, const char* name);  // empty only after an error
  std::string Identifier(const Json& object, const char* name);
  bool CheckObject(const Json& json, const char* what);
  void CheckAllRead(const Json& json);
  Position ReadPosition(const Json& object);

  void ReadConstants(const Json& json, Document& document);
  void ReadTypeVariables(const Json& json, Document& document);
  Helper ReadHelper(const Json& json);
  Kernel ReadKernel(const Json& json);
  std::vector<KernelParameter> ReadParameters(const Json& json, bool needs_types);
  void ReadDecorator(const Json& json, Kernel& kernel);
  KernelParameter ReadParameter(const Json& json, bool needs_type);
  std::string ReadScalarType(const Json& json);
  std::vector<Stmt> ReadBody(const Json& object, const char* name);
  Stmt ReadStatement(const Json& json);
  bool ReadAssignment(const std::string& type, const Json& json, Stmt& stmt);
  bool ReadControl(const std::string& type, const Json& json, Stmt& stmt);
  void ReadMessage(const Json& json, Stmt& stmt);
  void ReadParts(const Json& json, const char* field, Stmt& stmt);
  // src/frontend/json/parallel.cc
  bool ReadParallel(const std::string& type, const Json& json, Stmt& stmt);
  void ReadReduce(const Json& json, Stmt& stmt);
  template <size_t N>
  const char* ReadOperation(const Json& json, const char* const (&known)[N]);
  ExprPtr ReadArrayName(const Json& json, const char* name);
  ExprPtr ReadField(const Json& object, const char* name);
  ExprPtr ReadExpr(const Json& json);
  ExprPtr ReadExprOfType(const std::string& type, const Json& json);
  ExprPtr ReadLiteral(const Json& json);
  ExprPtr ReadBinary(const Json& json);
  ExprPtr ReadChain(const Json& json);
  ExprPtr ReadBool(const Json& json);
  ExprPtr ReadUnary(const Json& json);
  ExprPtr ReadIndex(const Json& json);
  ExprPtr ReadShape(const Json& json);
  ExprPtr ReadCall(const Json& json);
  ExprPtr ReadTuple(const Json& json, const char* name);
  void ReadOperands(const Json& array, Expr& expr);
  std::optional<BinaryOp> ReadOperator(const Json& json);
  std::optional<Constant> ReadNumber(const Json& json, const std::string& kind);

  static ExprPtr Make(ExprKind kind) {
    auto expr = std::make_unique<Expr>();
    expr->kind = kind;
    return expr;
  }

  std::string file_;
  std::string path_;
  Diagnostics& errors_;
  std::unordered_set<const Json*> read_;  // values of fields
  size_t depth_ = 0;
  bool too_deep_ = false;
};

}  // namespace hologram::frontend
