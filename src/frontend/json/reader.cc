#include "frontend/json/reader.h"

#include <algorithm>

#include "base/quote.h"
#include "frontend/json/nodes.h"
#include "isa/program.h"

namespace hologram::frontend {

bool IsIdentifier(const std::string& name) {
  if (name.empty() || name.size() > 200 || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(c >= '0' && c <= '9') && static_cast<unsigned char>(c) < 0x80) return false;
  }
  return true;
}

const Json* Reader::Find(const Json& object, const char* name) {
  const auto it = object.find(name);
  if (it == object.end()) return nullptr;
  read_.insert(&*it);
  return &*it;
}

const Json* Reader::Field(const Json& object, const char* name) {
  if (const Json* field = Find(object, name)) return field;
  Fail(std::string("field \"") + name + "\" is missing");
  return nullptr;
}

const Json* Reader::OptionalField(const Json& object, const char* name) {
  const Json* field = Find(object, name);
  return field == nullptr || field->is_null() ? nullptr : field;
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

std::string Reader::Word(const Json& object, const char* name) {
  const size_t before = errors_.size();
  std::string text = String(object, name);
  if (errors_.size() == before && text.empty()) {
    const Step step(*this, name);
    Fail("expected a word, found an empty string");
  }
  return text;
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
  const auto read = [&](const char* name, uint32_t& value) {
    const Json* field = Find(object, name);
    if (field == nullptr || !field->is_number_unsigned()) return;
    const uint64_t number = *field->get_ptr<const uint64_t*>();
    if (number <= UINT32_MAX) value = static_cast<uint32_t>(number);
  };
  read("line", at.line);
  read("col", at.column);
  return at;
}

namespace {

// Any node may carry its place; few messages need its end.
bool IsPosition(const std::string& name) {
  return name == "line" || name == "col" || name == "end_line" || name == "end_col";
}

}  // namespace

void Reader::CheckAllRead(const Json& json) {
  if (json.is_array()) {
    for (size_t i = 0; i < json.size(); ++i) {
      const Step step(*this, "[" + std::to_string(i) + "]");
      CheckAllRead(json[i]);
    }
  } else if (json.is_object()) {
    for (const auto& [name, value] : json.items()) {
      if (IsPosition(name)) continue;
      if (read_.count(&value) == 0) {
        Fail("field \"" + name + "\" is not known");
        continue;
      }
      const Step step(*this, name.empty() ? "\"\"" : name);
      CheckAllRead(value);
    }
  }
}

// ---- Documents

Document Reader::Read(const Json& json) {
  Document document = ReadFields(json);
  if (errors_.empty()) CheckAllRead(json);
  return document;
}

Document Reader::ReadFields(const Json& json) {
  Document document;
  document.file = file_;
  if (!CheckObject(json, "an object")) return document;
  const bool unnumbered = Find(json, "version") == nullptr && Find(json, "kernel") != nullptr;
  const std::string version = unnumbered ? "1.0" : String(json, "version");
  if (unnumbered) document.note = "the document has no version and is read as 1.0";
  if (version == "1.0") {
    if (const Json* kernel = Field(json, "kernel")) {
      const Step step(*this, "kernel");
      document.kernels.push_back(ReadKernel(*kernel));
    }
    return document;
  }
  if (version != "1.1" && version != "1.2") {
    if (errors_.empty()) Fail("version \"" + version + "\" is not known, expected 1.0 to 1.2");
    return document;
  }
  document.exact_literals = version == "1.2";
  if (const Json* source = OptionalField(json, "source")) {
    const Step step(*this, "source");
    if (CheckObject(*source, "an object") && Find(*source, "file") != nullptr) {
      document.file = String(*source, "file");
    }
  }
  if (const Json* constants = OptionalField(json, "constants")) ReadConstants(*constants, document);
  if (const Json* types = OptionalField(json, "type_variables"))
    ReadTypeVariables(*types, document);
  const Json* helpers =
      OptionalField(json, "helpers") == nullptr ? nullptr : Array(json, "helpers");
  std::unordered_set<std::string> names;
  for (size_t i = 0; helpers != nullptr && i < helpers->size(); ++i) {
    const Step step(*this, "helpers[" + std::to_string(i) + "]");
    Helper helper = ReadHelper((*helpers)[i]);
    const bool twice = !names.insert(helper.name).second;
    if (twice && !helper.name.empty()) Fail("helper \"" + helper.name + "\" is there twice");
    document.helpers.push_back(std::move(helper));
  }
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

void Reader::ReadTypeVariables(const Json& json, Document& document) {
  const Step step(*this, "type_variables");
  if (!json.is_array()) return Fail(std::string("expected an array, found ") + json.type_name());
  for (size_t i = 0; i < json.size(); ++i) {
    const Step inner(*this, "[" + std::to_string(i) + "]");
    if (!CheckObject(json[i], "an object")) continue;
    TypeVariable variable;
    variable.name = Identifier(json[i], "name");
    variable.at = ReadPosition(json[i]);
    const Json* types = Array(json[i], "types");
    for (size_t k = 0; types != nullptr && k < types->size(); ++k) {
      const Step at(*this, "types[" + std::to_string(k) + "]");
      const std::string name = ReadScalarType((*types)[k]);
      const std::optional<isa::Type> type = ParseScalar(name);
      if (!type) {
        if (!name.empty()) Fail("\"" + name + "\" is not a type of an array");
      } else if (variable.Has(*type)) {
        Fail("type " + name + " is there twice");
      } else {
        variable.types.push_back(*type);
      }
    }
    if (types != nullptr && types->empty()) Fail("expected at least one type");
    if (ParseScalar(variable.name) || document.FindTypeVariable(variable.name) != nullptr) {
      Fail("type \"" + variable.name + "\" is there already");
    }
    document.type_variables.push_back(std::move(variable));
  }
}

Helper Reader::ReadHelper(const Json& json) {
  Helper helper;
  if (!CheckObject(json, "a helper")) return helper;
  helper.name = Identifier(json, "name");
  if (OptionalField(json, "file") != nullptr) helper.file = String(json, "file");
  helper.at = ReadPosition(json);
  helper.parameters = ReadParameters(json, /*needs_types=*/false);
  if (OptionalField(json, "returns") != nullptr) {
    helper.has_returns = true;
    const Json* returns = Array(json, "returns");
    for (size_t i = 0; returns != nullptr && i < returns->size(); ++i) {
      const Step step(*this, "returns[" + std::to_string(i) + "]");
      const std::string type = ReadScalarType((*returns)[i]);
      if (!ParseScalar(type) && type != "bool" && !type.empty()) {
        bool known = false;  // a type variable of a parameter, which a call gives a type
        for (const KernelParameter& parameter : helper.parameters) known |= parameter.type == type;
        if (!known) Fail("\"" + type + "\" is not a type, nor that of a parameter");
      }
      helper.returns.push_back(type);
    }
  }
  helper.body = ReadBody(json, "body");
  return helper;
}

std::vector<KernelParameter> Reader::ReadParameters(const Json& json, bool needs_types) {
  std::vector<KernelParameter> parameters;
  std::unordered_set<std::string> names;
  const Json* params = Array(json, "params");
  for (size_t i = 0; params != nullptr && i < params->size(); ++i) {
    const Step step(*this, "params[" + std::to_string(i) + "]");
    KernelParameter parameter = ReadParameter((*params)[i], needs_types);
    const bool twice = !names.insert(parameter.name).second;
    if (twice && !needs_types) Fail("parameter \"" + parameter.name + "\" is there twice");
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

Kernel Reader::ReadKernel(const Json& json) {
  Kernel kernel;
  if (!CheckObject(json, "a kernel")) return kernel;
  kernel.name = Identifier(json, "name");
  kernel.at = ReadPosition(json);
  if (const Json* decorator = OptionalField(json, "decorator")) ReadDecorator(*decorator, kernel);
  kernel.parameters = ReadParameters(json, /*needs_types=*/true);
  if (OptionalField(json, "arguments") != nullptr) {
    kernel.arguments = String(json, "arguments");
    if (!IsPlain(kernel.arguments)) Fail("arguments must be a text without control characters");
  }
  kernel.body = ReadBody(json, "body");
  return kernel;
}

void Reader::ReadDecorator(const Json& json, Kernel& kernel) {
  const Step step(*this, "decorator");
  if (!CheckObject(json, "an object")) return;
  if (const Json* block = OptionalField(json, "block")) {
    const Json sizes = block->is_array() ? *block : Json::array({*block});
    if (sizes.empty() || sizes.size() > kernel.block.size()) {
      return Fail("block must have one to three sizes");
    }
    for (size_t d = 0; d < sizes.size(); ++d) {
      const auto* const size = sizes[d].get_ptr<const uint64_t*>();
      const bool small = size != nullptr && *size - 1 < uint64_t{INT32_MAX};
      if (!small) return Fail("block must be a positive integer, or up to three of them");
      kernel.block[d] = static_cast<int64_t>(*size);
    }
  }
  if (const Json* contract = OptionalField(json, "contract")) {
    if (!contract->is_boolean()) return Fail("contract must be true or false");
    kernel.contract = *contract->get_ptr<const bool*>();
  }
}

std::string Reader::ReadScalarType(const Json& json) {
  if (json.is_string()) {
    const std::string& type = *json.get_ptr<const std::string*>();
    if (!IsIdentifier(type)) Fail("expected the name of a type");
    return type;
  }
  if (!CheckObject(json, "a type")) return "";
  const std::string kind = Word(json, "kind");
  if (kind != "scalar") {
    if (!kind.empty()) Fail("type kind \"" + kind + "\" is not known here");
    return "";
  }
  return Identifier(json, "type");
}

KernelParameter Reader::ReadParameter(const Json& json, bool needs_type) {
  KernelParameter parameter;
  if (!CheckObject(json, "a parameter")) return parameter;
  parameter.name = Identifier(json, "name");
  parameter.at = ReadPosition(json);
  const Json* type = needs_type ? Field(json, "type") : OptionalField(json, "type");
  if (type == nullptr) return parameter;
  const Step step(*this, "type");
  const auto is_kind = [&](const char* kind) {
    const Json* field = type->is_object() ? Find(*type, "kind") : nullptr;
    return field != nullptr && field->is_string() && *field == kind;
  };
  if (is_kind("constexpr")) {
    parameter.is_constexpr = true;
    if (const Json* preset = OptionalField(*type, "default")) {
      const Step inner(*this, "default");
      parameter.preset = ReadNumber(*preset, "");
    }
    return parameter;
  }
  if (!is_kind("device_array")) {
    parameter.type = ReadScalarType(*type);
    return parameter;
  }
  parameter.is_array = true;
  if (const Json* rank = OptionalField(*type, "rank")) {
    const Step inner(*this, "rank");
    const uint64_t value = rank->is_number_unsigned() ? *rank->get_ptr<const uint64_t*>() : 0;
    if (value < 1 || value > isa::kMaxRank) {
      Fail("expected a number of dimensions, 1 to " + std::to_string(isa::kMaxRank));
    } else {
      parameter.rank = static_cast<uint32_t>(value);
    }
  }
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
  const std::string type = Word(json, "type");
  if (type.empty()) return stmt;
  if (!ReadAssignment(type, json, stmt) && !ReadControl(type, json, stmt) &&
      !ReadParallel(type, json, stmt)) {
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
    if (OptionalField(json, "declared") != nullptr) stmt.declared = Identifier(json, "declared");
  } else if (type == "assign") {
    stmt.kind = StmtKind::kAssign;
    stmt.target = ReadField(json, "target");
  } else if (type == "unpack") {
    stmt.kind = StmtKind::kUnpack;
    stmt.target = ReadTuple(json, "targets");
  } else if (type == "aug_assign") {
    stmt.kind = StmtKind::kAugAssign;
    if (const auto op = ReadOperator(json)) stmt.op = *op;
    if (IsComparison(stmt.op)) Fail("a comparison cannot be an augmented assignment");
    stmt.target = ReadField(json, "target");
  } else {
    return false;
  }
  const auto check = [this](const Expr& target, const char* name) {
    if (target.kind == ExprKind::kVar || target.kind == ExprKind::kIndex) return;
    const Step step(*this, name);
    Fail("expected a var or an index");
  };
  if (stmt.kind == StmtKind::kUnpack) {
    for (const ExprPtr& part : stmt.target->operands) check(*part, "targets");
  } else {
    check(*stmt.target, "target");
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
    if (const Json* reversed = OptionalField(json, "reversed")) {
      if (!reversed->is_boolean()) Fail("reversed must be true or false");
      stmt.reversed = reversed->is_boolean() && *reversed->get_ptr<const bool*>();
    }
    stmt.body = ReadBody(json, "body");
  } else if (type == "while") {
    stmt.kind = StmtKind::kWhile;
    stmt.condition = ReadField(json, "condition");
    stmt.body = ReadBody(json, "body");
  } else if (type == "assert") {
    stmt.kind = StmtKind::kAssert;
    stmt.condition = ReadField(json, "condition");
    ReadMessage(json, stmt);
    stmt.text +=
        OptionalField(json, "text") != nullptr ? String(json, "text") : ToSource(*stmt.condition);
    stmt.text = EscapeLine(stmt.text);
  } else if (type == "print") {
    stmt.kind = StmtKind::kPrint;
    ReadParts(json, "parts", stmt);
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

// Of an assert: a string, or parts as of a print. A value has a placeholder in the text, its source
// in braces, which no other part of the message holds.
void Reader::ReadMessage(const Json& json, Stmt& stmt) {
  const Json* message = OptionalField(json, "message");
  if (message == nullptr) return;
  if (!message->is_array()) {
    stmt.text = String(json, "message") + ": ";
    return;
  }
  ReadParts(json, "message", stmt);
  std::string plain;
  for (const std::string& text : stmt.texts) plain += text + "\n";
  std::vector<std::string> placeholders;
  for (size_t i = 0; i < stmt.formats.size(); ++i) {
    const std::string& format = stmt.formats[i];
    std::string source = ToSource(*stmt.value->operands[i]);
    const auto written = [&] { return "{" + source + (format.empty() ? "" : ":" + format) + "}"; };
    while (plain.find(written()) != std::string::npos) source = "(" + source + ")";
    placeholders.push_back(EscapeLine(written()));
    stmt.text += stmt.texts[i] + placeholders.back();
  }
  stmt.text += stmt.texts.back() + ": ";
  stmt.texts = std::move(placeholders);
}

// Strings and expressions, in the order in which they are printed.
void Reader::ReadParts(const Json& json, const char* field, Stmt& stmt) {
  stmt.value = Make(ExprKind::kTuple);
  stmt.value->at = ReadPosition(json);
  stmt.texts.emplace_back();
  const Json* parts = Array(json, field);
  if (parts == nullptr) return;
  const Step step(*this, field);
  for (size_t i = 0; i < parts->size(); ++i) {
    const Step element(*this, "[" + std::to_string(i) + "]");
    const Json& part = (*parts)[i];
    if (!part.is_string()) {
      const bool formatted = part.is_object() && part.contains("format");
      stmt.value->operands.push_back(formatted ? ReadField(part, "value") : ReadExpr(part));
      stmt.formats.push_back(formatted ? String(part, "format") : "");
      if (formatted) CheckAllRead(part);
      stmt.texts.emplace_back();
      continue;
    }
    const auto& text = part.get_ref<const std::string&>();
    const bool control = std::any_of(text.begin(), text.end(), [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
    });
    if (control) Fail("expected text without control characters but \\n and \\t");
    stmt.texts.back() += text;
  }
}

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
