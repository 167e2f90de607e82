#include "frontend/json_reader.h"

#include <cmath>
#include <optional>

#include "frontend/json_value.h"

namespace hologram::frontend {
namespace {

constexpr size_t kMaxNesting = 256;  // of statements and expressions
constexpr size_t kMaxErrors = 20;

bool IsIdentifier(const std::string& name) {
  if (name.empty() || name.size() > 200 || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(c >= '0' && c <= '9') && static_cast<unsigned char>(c) < 0x80) return false;
  }
  return true;
}

std::optional<BinaryOp> ParseBinaryOp(const std::string& name) {
  constexpr const char* kNames[] = {"add", "sub",     "mul",    "div",     "floor_div", "mod",
                                    "pow", "bit_and", "bit_or", "bit_xor", "shl",       "shr",
                                    "lt",  "le",      "gt",     "ge",      "eq",        "ne"};
  for (uint8_t i = 0; i < std::size(kNames); ++i) {
    if (name == kNames[i]) return static_cast<BinaryOp>(i);
  }
  return std::nullopt;
}

// Reads one document. After an error the readers return an empty node and go on.
class Reader {
 public:
  Reader(std::string file, std::string path, Diagnostics& errors)
      : file_(std::move(file)), path_(std::move(path)), errors_(errors) {}

  Document Read(const Json& json);

 private:
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
    constexpr size_t kEnds = 60;  // of a long path, the start and the end tell enough
    std::string text = path_;
    if (text.size() > 3 * kEnds) text.replace(kEnds, text.size() - 2 * kEnds, "...");
    text += (text.empty() ? "" : ": ") + message;
    for (char& c : text) {  // strings of the document may hold anything
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
    }
    if (text.size() > 500) text.resize(500);
    errors_.push_back({ErrorCode::kInvalidText, {file_, 0, 0}, std::move(text)});
  }

  const Json* Field(const Json& object, const char* name);
  const Json* OptionalField(const Json& object, const char* name);
  const Json* Array(const Json& object, const char* name);
  std::string String(const Json& object, const char* name);
  std::string Identifier(const Json& object, const char* name);
  bool CheckObject(const Json& json, const char* what);
  Position ReadPosition(const Json& object);

  void ReadConstants(const Json& json, Document& document);
  Kernel ReadKernel(const Json& json);
  void ReadDecorator(const Json& json, Kernel& kernel);
  KernelParameter ReadParameter(const Json& json);
  std::string ReadScalarType(const Json& json);
  std::vector<Stmt> ReadBody(const Json& object, const char* name);
  Stmt ReadStatement(const Json& json);
  bool ReadAssignment(const std::string& type, const Json& json, Stmt& stmt);
  bool ReadControl(const std::string& type, const Json& json, Stmt& stmt);
  ExprPtr ReadField(const Json& object, const char* name);
  ExprPtr ReadExpr(const Json& json);
  ExprPtr ReadExprOfType(const std::string& type, const Json& json);
  ExprPtr ReadLiteral(const Json& json);
  ExprPtr ReadBinary(const Json& json);
  ExprPtr ReadChain(const Json& json);
  ExprPtr ReadBool(const Json& json);
  ExprPtr ReadUnary(const Json& json);
  ExprPtr ReadIndex(const Json& json);
  ExprPtr ReadCall(const Json& json);
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
  size_t depth_ = 0;
  bool too_deep_ = false;
};

const Json* Reader::Field(const Json& object, const char* name) {
  const auto it = object.find(name);
  if (it != object.end()) return &*it;
  Fail(std::string("field \"") + name + "\" is missing");
  return nullptr;
}

const Json* Reader::OptionalField(const Json& object, const char* name) {
  const auto it = object.find(name);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

const Json* Reader::Array(const Json& object, const char* name) {
  const Json* field = Field(object, name);
  if (field == nullptr || field->is_array()) return field;
  const Step step(*this, name);
  Fail(std::string("expected an array, found ") + field->type_name());
  return nullptr;
}

std::string Reader::String(const Json& object, const char* name) {
  const Json* field = Field(object, name);
  if (field == nullptr) return "";
  if (field->is_string()) return *field->get_ptr<const std::string*>();
  const Step step(*this, name);
  Fail(std::string("expected a string, found ") + field->type_name());
  return "";
}

std::string Reader::Identifier(const Json& object, const char* name) {
  const size_t before = errors_.size();
  std::string text = String(object, name);
  if (errors_.size() == before && !IsIdentifier(text)) {
    const Step step(*this, name);
    Fail("expected an identifier");
  }
  return text;
}

bool Reader::CheckObject(const Json& json, const char* what) {
  if (json.is_object()) return true;
  Fail(std::string("expected ") + what + ", found " + json.type_name());
  return false;
}

Position Reader::ReadPosition(const Json& object) {
  Position at;
  const auto read = [&object](const char* name, uint32_t& value) {
    const auto it = object.find(name);
    if (it == object.end() || !it->is_number_unsigned()) return;
    const uint64_t number = *it->get_ptr<const uint64_t*>();
    if (number <= UINT32_MAX) value = static_cast<uint32_t>(number);
  };
  read("line", at.line);
  read("col", at.column);
  return at;
}

// ---- Documents

Document Reader::Read(const Json& json) {
  Document document;
  document.file = file_;
  if (!CheckObject(json, "an object")) return document;
  const std::string version = String(json, "version");
  if (version == "1.0") {
    if (const Json* kernel = Field(json, "kernel")) {
      const Step step(*this, "kernel");
      document.kernels.push_back(ReadKernel(*kernel));
    }
    return document;
  }
  if (version != "1.1") {
    if (errors_.empty()) Fail("version \"" + version + "\" is not known, expected 1.0 or 1.1");
    return document;
  }
  if (const Json* source = OptionalField(json, "source")) {
    const Step step(*this, "source");
    if (CheckObject(*source, "an object") && source->contains("file")) {
      document.file = String(*source, "file");
    }
  }
  if (const Json* constants = OptionalField(json, "constants")) ReadConstants(*constants, document);
  const Json* kernels = Array(json, "kernels");
  for (size_t i = 0; kernels != nullptr && i < kernels->size(); ++i) {
    const Step step(*this, "kernels[" + std::to_string(i) + "]");
    document.kernels.push_back(ReadKernel((*kernels)[i]));
  }
  return document;
}

void Reader::ReadConstants(const Json& json, Document& document) {
  const Step step(*this, "constants");
  if (!json.is_array()) return Fail(std::string("expected an array, found ") + json.type_name());
  for (size_t i = 0; i < json.size(); ++i) {
    const Step inner(*this, "[" + std::to_string(i) + "]");
    if (!CheckObject(json[i], "an object")) continue;
    NamedConstant constant;
    constant.name = Identifier(json[i], "name");
    const Json* value = Field(json[i], "value");
    if (value == nullptr) continue;
    const std::optional<Constant> number = ReadNumber(*value, "");
    if (!number) continue;
    constant.value = *number;
    document.constants.push_back(std::move(constant));
  }
}

Kernel Reader::ReadKernel(const Json& json) {
  Kernel kernel;
  if (!CheckObject(json, "a kernel")) return kernel;
  kernel.name = Identifier(json, "name");
  kernel.at = ReadPosition(json);
  if (const Json* decorator = OptionalField(json, "decorator")) ReadDecorator(*decorator, kernel);
  const Json* params = Array(json, "params");
  for (size_t i = 0; params != nullptr && i < params->size(); ++i) {
    const Step step(*this, "params[" + std::to_string(i) + "]");
    kernel.parameters.push_back(ReadParameter((*params)[i]));
  }
  kernel.body = ReadBody(json, "body");
  return kernel;
}

void Reader::ReadDecorator(const Json& json, Kernel& kernel) {
  const Step step(*this, "decorator");
  if (!CheckObject(json, "an object")) return;
  if (const Json* block = OptionalField(json, "block")) {
    const bool small =
        block->is_number_unsigned() && *block->get_ptr<const uint64_t*>() - 1 < uint64_t{INT32_MAX};
    if (!small) return Fail("block must be a positive integer");
    kernel.block = static_cast<int64_t>(*block->get_ptr<const uint64_t*>());
  }
  if (const Json* contract = OptionalField(json, "contract")) {
    if (!contract->is_boolean()) return Fail("contract must be true or false");
    kernel.contract = *contract->get_ptr<const bool*>();
  }
}

std::string Reader::ReadScalarType(const Json& json) {
  if (json.is_string()) return *json.get_ptr<const std::string*>();
  if (!CheckObject(json, "a type")) return "";
  const std::string kind = String(json, "kind");
  if (kind != "scalar") {
    if (!kind.empty()) Fail("type kind \"" + kind + "\" is not known here");
    return "";
  }
  return String(json, "type");
}

KernelParameter Reader::ReadParameter(const Json& json) {
  KernelParameter parameter;
  if (!CheckObject(json, "a parameter")) return parameter;
  parameter.name = Identifier(json, "name");
  parameter.at = ReadPosition(json);
  const Json* type = Field(json, "type");
  if (type == nullptr) return parameter;
  const Step step(*this, "type");
  const bool is_array = type->is_object() && type->contains("kind") &&
                        (*type)["kind"].is_string() && (*type)["kind"] == "device_array";
  if (!is_array) {
    parameter.type = ReadScalarType(*type);
    return parameter;
  }
  parameter.is_array = true;
  if (const Json* element = Field(*type, "element_type")) {
    parameter.type = ReadScalarType(*element);
  }
  return parameter;
}

// ---- Statements

std::vector<Stmt> Reader::ReadBody(const Json& object, const char* name) {
  std::vector<Stmt> body;
  const Json* array = Array(object, name);
  if (array == nullptr) return body;
  for (size_t i = 0; i < array->size(); ++i) {
    const Step step(*this, std::string(name) + "[" + std::to_string(i) + "]");
    if (depth_ >= kMaxNesting) {
      if (!too_deep_) Fail("nested more than " + std::to_string(kMaxNesting) + " levels deep");
      too_deep_ = true;
      return body;
    }
    ++depth_;
    body.push_back(ReadStatement((*array)[i]));
    --depth_;
  }
  return body;
}

Stmt Reader::ReadStatement(const Json& json) {
  Stmt stmt;
  if (!CheckObject(json, "a statement")) return stmt;
  stmt.at = ReadPosition(json);
  if (stmt.at.line == 0) stmt.path = path_;
  const std::string type = String(json, "type");
  if (type.empty()) return stmt;
  if (!ReadAssignment(type, json, stmt) && !ReadControl(type, json, stmt)) {
    Fail("statement \"" + type + "\" is not known");
  }
  return stmt;
}

bool Reader::ReadAssignment(const std::string& type, const Json& json, Stmt& stmt) {
  if (type == "let") {
    stmt.kind = StmtKind::kAssign;
    stmt.target = Make(ExprKind::kVar);
    stmt.target->at = stmt.at;
    stmt.target->name = Identifier(json, "name");
    if (OptionalField(json, "declared") != nullptr) stmt.declared = String(json, "declared");
  } else if (type == "assign") {
    stmt.kind = StmtKind::kAssign;
    stmt.target = ReadField(json, "target");
  } else if (type == "aug_assign") {
    stmt.kind = StmtKind::kAugAssign;
    if (const auto op = ReadOperator(json)) stmt.op = *op;
    if (IsComparison(stmt.op)) Fail("a comparison cannot be an augmented assignment");
    stmt.target = ReadField(json, "target");
  } else {
    return false;
  }
  if (stmt.target->kind != ExprKind::kVar && stmt.target->kind != ExprKind::kIndex) {
    const Step step(*this, "target");
    Fail("expected a var or an index");
  }
  stmt.value = ReadField(json, "value");
  return true;
}

bool Reader::ReadControl(const std::string& type, const Json& json, Stmt& stmt) {
  if (type == "if") {
    stmt.kind = StmtKind::kIf;
    stmt.condition = ReadField(json, "condition");
    stmt.body = ReadBody(json, "then_body");
    if (OptionalField(json, "else_body") != nullptr) stmt.else_body = ReadBody(json, "else_body");
  } else if (type == "for") {
    stmt.kind = StmtKind::kFor;
    stmt.name = Identifier(json, "var");
    stmt.start = ReadField(json, "start");
    stmt.stop = ReadField(json, "stop");
    stmt.step = ReadField(json, "step");
    stmt.body = ReadBody(json, "body");
  } else if (type == "while") {
    stmt.kind = StmtKind::kWhile;
    stmt.condition = ReadField(json, "condition");
    stmt.body = ReadBody(json, "body");
  } else if (type == "break") {
    stmt.kind = StmtKind::kBreak;
  } else if (type == "continue") {
    stmt.kind = StmtKind::kContinue;
  } else if (type == "return") {
    stmt.kind = StmtKind::kReturn;
    if (OptionalField(json, "value") != nullptr) stmt.value = ReadField(json, "value");
  } else if (type == "expr" || type == "call") {
    stmt.kind = StmtKind::kCall;
    stmt.value = type == "call" ? ReadExpr(json) : ReadField(json, "value");
  } else {
    return false;
  }
  return true;
}

// ---- Expressions

ExprPtr Reader::ReadField(const Json& object, const char* name) {
  const Json* field = Field(object, name);
  if (field == nullptr) return Make(ExprKind::kLiteral);
  const Step step(*this, name);
  return ReadExpr(*field);
}

ExprPtr Reader::ReadExpr(const Json& json) {
  if (json.is_string()) {  // the shorthand of version 1.0
    ExprPtr expr = Make(ExprKind::kVar);
    expr->name = *json.get_ptr<const std::string*>();
    if (!IsIdentifier(expr->name)) Fail("expected an identifier");
    return expr;
  }
  if (!CheckObject(json, "an expression")) return Make(ExprKind::kLiteral);
  const std::string type = String(json, "type");
  if (type.empty()) return Make(ExprKind::kLiteral);
  if (depth_ >= kMaxNesting) {
    if (!too_deep_) Fail("nested more than " + std::to_string(kMaxNesting) + " levels deep");
    too_deep_ = true;
    return Make(ExprKind::kLiteral);
  }
  ++depth_;
  ExprPtr expr = ReadExprOfType(type, json);
  --depth_;
  expr->at = ReadPosition(json);
  return expr;
}

ExprPtr Reader::ReadExprOfType(const std::string& type, const Json& json) {
  if (type == "var") {
    ExprPtr expr = Make(ExprKind::kVar);
    expr->name = Identifier(json, "name");
    return expr;
  }
  if (type == "literal") return ReadLiteral(json);
  if (type == "binary_op") return ReadBinary(json);
  if (type == "compare_chain") return ReadChain(json);
  if (type == "bool_op") return ReadBool(json);
  if (type == "unary_op") return ReadUnary(json);
  if (type == "index") return ReadIndex(json);
  if (type == "call") return ReadCall(json);
  if (type == "if_expr") {
    ExprPtr expr = Make(ExprKind::kIfExpr);
    for (const char* name : {"condition", "then", "else"}) {
      expr->operands.push_back(ReadField(json, name));
    }
    return expr;
  }
  Fail("expression \"" + type + "\" is not known");
  return Make(ExprKind::kLiteral);
}

std::optional<Constant> Reader::ReadNumber(const Json& json, const std::string& kind) {
  if (json.is_boolean() && (kind.empty() || kind == "bool")) {
    return Constant::Bool(*json.get_ptr<const bool*>());
  }
  if (json.is_number_integer() && kind != "bool") {
    const __int128 value = json.is_number_unsigned()
                               ? static_cast<__int128>(*json.get_ptr<const uint64_t*>())
                               : static_cast<__int128>(*json.get_ptr<const int64_t*>());
    if (kind == "float") return Constant::Float(static_cast<double>(value));
    return Constant::Int(value);
  }
  if (json.is_number_float() && (kind.empty() || kind == "float")) {
    const double value = *json.get_ptr<const double*>();
    if (std::isfinite(value)) return Constant::Float(value);
    Fail("the number is too large for f64");
    return std::nullopt;
  }
  if (json.is_number_float() && kind == "int") {
    Fail("the integer does not fit in 64 bits");
    return std::nullopt;
  }
  Fail("expected a " + (kind.empty() ? std::string("number or bool") : kind + " value") +
       ", found " + json.type_name());
  return std::nullopt;
}

ExprPtr Reader::ReadLiteral(const Json& json) {
  ExprPtr expr = Make(ExprKind::kLiteral);
  const Json* value = Field(json, "value");
  if (value == nullptr) return expr;
  std::string kind;
  if (OptionalField(json, "kind") != nullptr) kind = String(json, "kind");
  if (!kind.empty() && kind != "int" && kind != "float" && kind != "bool") {
    Fail("literal kind \"" + kind + "\" is not known");
    return expr;
  }
  const Step step(*this, "value");
  if (const auto number = ReadNumber(*value, kind)) expr->constant = *number;
  return expr;
}

std::optional<BinaryOp> Reader::ReadOperator(const Json& json) {
  const std::string name = String(json, "op");
  if (name.empty()) return std::nullopt;
  const std::optional<BinaryOp> op = ParseBinaryOp(name);
  if (!op) Fail("operator \"" + name + "\" is not known");
  return op;
}

ExprPtr Reader::ReadBinary(const Json& json) {
  ExprPtr expr = Make(ExprKind::kBinary);
  const auto op = json.find("op");
  if (op != json.end() && (*op == "and" || *op == "or")) {
    expr->kind = *op == "and" ? ExprKind::kAnd : ExprKind::kOr;
  } else if (const auto known = ReadOperator(json)) {
    expr->binary = *known;
  }
  expr->operands.push_back(ReadField(json, "left"));
  expr->operands.push_back(ReadField(json, "right"));
  return expr;
}

ExprPtr Reader::ReadChain(const Json& json) {
  ExprPtr expr = Make(ExprKind::kCompareChain);
  expr->operands.push_back(ReadField(json, "first"));
  const Json* rest = Array(json, "rest");
  for (size_t i = 0; rest != nullptr && i < rest->size(); ++i) {
    const Step step(*this, "rest[" + std::to_string(i) + "]");
    if (!CheckObject((*rest)[i], "an object")) continue;
    const std::optional<BinaryOp> op = ReadOperator((*rest)[i]);
    if (op && !IsComparison(*op)) Fail("operator is no comparison");
    expr->chain.push_back(op.value_or(BinaryOp::kLt));
    expr->operands.push_back(ReadField((*rest)[i], "operand"));
  }
  if (rest != nullptr && rest->empty()) Fail("a comparison needs a second operand");
  return expr;
}

void Reader::ReadOperands(const Json& array, Expr& expr) {
  for (size_t i = 0; i < array.size(); ++i) {
    const Step step(*this, "[" + std::to_string(i) + "]");
    expr.operands.push_back(ReadExpr(array[i]));
  }
}

ExprPtr Reader::ReadBool(const Json& json) {
  const std::string op = String(json, "op");
  if (!op.empty() && op != "and" && op != "or") Fail("operator \"" + op + "\" is not known");
  ExprPtr expr = Make(op == "or" ? ExprKind::kOr : ExprKind::kAnd);
  if (const Json* values = Array(json, "values")) {
    const Step step(*this, "values");
    if (values->empty()) Fail("expected at least one value");
    ReadOperands(*values, *expr);
  }
  return expr;
}

ExprPtr Reader::ReadUnary(const Json& json) {
  ExprPtr expr = Make(ExprKind::kUnary);
  const std::string op = String(json, "op");
  if (op == "neg") {
    expr->unary = UnaryOp::kNeg;
  } else if (op == "pos") {
    expr->unary = UnaryOp::kPos;
  } else if (op == "not") {
    expr->unary = UnaryOp::kNot;
  } else if (op == "inv") {
    expr->unary = UnaryOp::kInvert;
  } else if (!op.empty()) {
    Fail("operator \"" + op + "\" is not known");
  }
  expr->operands.push_back(ReadField(json, "operand"));
  return expr;
}

ExprPtr Reader::ReadIndex(const Json& json) {
  ExprPtr expr = Make(ExprKind::kIndex);
  const ExprPtr array = ReadField(json, "array");
  if (array->kind != ExprKind::kVar) {
    const Step step(*this, "array");
    Fail("only an array that has a name can be indexed");
  }
  expr->name = array->name;
  if (OptionalField(json, "text") != nullptr) expr->text = String(json, "text");
  expr->operands.push_back(ReadField(json, "index"));
  return expr;
}

ExprPtr Reader::ReadCall(const Json& json) {
  ExprPtr expr = Make(ExprKind::kCall);
  expr->name = Identifier(json, "function");
  if (OptionalField(json, "args") != nullptr) {
    if (const Json* args = Array(json, "args")) {
      const Step step(*this, "args");
      ReadOperands(*args, *expr);
    }
  }
  const Json* kwargs = OptionalField(json, "kwargs");
  if (kwargs == nullptr) return expr;
  const Step step(*this, "kwargs");
  if (!CheckObject(*kwargs, "an object")) return expr;
  for (const auto& [name, value] : kwargs->items()) {
    const Step inner(*this, name.empty() ? "\"\"" : name);
    expr->keywords.push_back({name, ReadExpr(value)});
  }
  return expr;
}

}  // namespace

Result<std::vector<Document>> ReadJson(std::string_view text, const std::string& source_file) {
  HOLOGRAM_ASSIGN_OR_RETURN(const Json json, ParseJson(text, source_file));
  Diagnostics errors;
  std::vector<Document> documents;
  if (json.is_array()) {
    for (size_t i = 0; i < json.size(); ++i) {
      const std::string path = "[" + std::to_string(i) + "]";
      documents.push_back(Reader(source_file, path, errors).Read(json[i]));
    }
  } else {
    documents.push_back(Reader(source_file, "", errors).Read(json));
  }
  if (!errors.empty()) return errors;
  return documents;
}

}  // namespace hologram::frontend
