// The parts of a module of PTX: arrays, blocks, functions, and their text in the end.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "device/ptx.h"

namespace hologram::device {
namespace {

// By type, as parameters and arrays have it.
constexpr std::string_view kStoredName[kNumScalars] = {"", "b8", "b16", "b32", "b64", "b32", "b64"};
constexpr std::string_view kLoadedName[kNumScalars] = {"", "u8", "u16", "u32", "u64", "f32", "f64"};

// As MOV has it.
constexpr std::string_view kMovedName[kNumScalars] = {"pred", "b32", "b32", "b32",
                                                      "b64",  "f32", "f64"};

std::string SizeOf(Scalar type) {
  return std::to_string(BitsOf(type) / 8);
}

}  // namespace

PtxWriter::PtxWriter(std::string name) : name_(std::move(name)) {
  functions_.emplace_back().name = name_;
  // The kernel starts in a block that nothing jumps to.
  Begin(NewBlock());
}

// ---- Control flow

void PtxWriter::Begin(Label block) {
  FunctionCode& code = function();
  Block made;
  made.label = block;
  made.begin = code.code.size();
  code.block_of.emplace(block, code.blocks.size());
  code.blocks.push_back(std::move(made));
}

Label PtxWriter::Current() const {
  return functions_.back().blocks.back().label;
}

void PtxWriter::EndBlock(End end, Value condition, Label yes, Label no) {
  Block& block = function().blocks.back();
  HOLOGRAM_CHECK(block.end == End::kOpen);
  block.end = end;
  block.condition = condition;
  block.yes = yes;
  block.no = no;
}

void PtxWriter::Jump(Label to) {
  EndBlock(End::kJump, 0, to, 0);
}

void PtxWriter::Branch(Value condition, Label yes, Label no) {
  condition = Held(condition);
  EndBlock(End::kBranch, condition, yes, no);
}

void PtxWriter::Return() {
  EndBlock(End::kReturn, 0, 0, 0);
}

// Halves the cases until one is left.
void PtxWriter::PutCases(std::string& text, Value value, std::span<const Label> cases,
                         uint32_t first) {
  if (cases.size() == 1) return Line(text, "bra ", To(cases[0]));
  const size_t half = cases.size() / 2;
  const uint32_t middle = first + static_cast<uint32_t>(half);
  const Value below = NewRegister(Scalar::kBool);
  const Label low = NewBlock();
  Line(text, "setp.lt.u32 ", V(below), ",", V(value), ",", std::to_string(middle));
  text += '@';
  Put(text, V(below));
  Line(text, " bra ", To(low));
  PutCases(text, value, cases.subspan(half), middle);
  Put(text, To(low));
  text += ":\n";
  PutCases(text, value, cases.first(half), first);
}

void PtxWriter::Switch(Value value, std::span<const Label> cases) {
  value = Held(value);
  std::string text;
  PutCases(text, value, cases, 0);
  Block& block = function().blocks.back();
  block.text = std::move(text);
  block.named.assign(cases.begin(), cases.end());
  EndBlock(End::kText, 0, 0, 0);
}

// What leads to a phi writes a register that only the phi reads, at its start: so phis may be the
// operands of each other, and a branch may write for a block that it does not take.
Value PtxWriter::Phi(Scalar type, uint32_t /*count*/) {
  const Value incoming = NewRegister(type);
  const Value phi = NewRegister(type);
  incoming_[phi] = incoming;
  Code("mov.", kMovedName[static_cast<size_t>(type)], " ", V(phi), ",", V(incoming));
  return phi;
}

void PtxWriter::SetIncoming(Value phi, uint32_t /*k*/, Value value, Label from) {
  FunctionCode& code = function();
  std::string& moves = code.blocks[code.block_of.at(from)].moves;
  const Value incoming = incoming_.at(phi);
  const ValueFact fact = values_[value];
  if (fact.type == Scalar::kBool && fact.kind == Kind::kConstant) {
    return Line(moves, "setp.eq.u32 ", V(incoming), ",0,", fact.bits != 0 ? "0" : "1");
  }
  Line(moves, "mov.", kMovedName[static_cast<size_t>(fact.type)], " ", V(incoming), ",", V(value));
}

// ---- Arrays

// Its address, which `text` puts into a register.
Value PtxWriter::Base(Space space, Scalar type, const std::string& symbol, std::string& text) {
  const bool shared = space == Space::kShared;
  const Value pointer = NewRegister(shared ? Scalar::kI32 : Scalar::kI64);
  const Value base = NewValue(type, Kind::kAddress);
  values_[base].space = space;
  values_[base].number = values_[pointer].number;
  Line(text, shared ? "mov.u32 " : "mov.u64 ", V(pointer), ",", symbol);
  return base;
}

Value PtxWriter::Array(Space space, Scalar type, uint32_t count) {
  if (space == Space::kPrivate && count == 1) {
    const Value variable = NewRegister(type);
    values_[variable].kind = Kind::kVariable;
    values_[variable].space = space;
    return variable;
  }
  FunctionCode& code = function();
  const bool shared = space == Space::kShared;
  const uint32_t bytes = count * (BitsOf(type) / 8);
  if (shared) shared_bytes_ += bytes;
  const std::string symbol = (shared ? "$s" : "$l") + std::to_string(values_.size());
  code.variables += (shared ? ".shared .align " : ".local .align ") + SizeOf(type) + " .b8 " +
                    symbol + "[" + std::to_string(bytes) + "];\n";
  return Base(space, type, symbol, code.start);
}

Value PtxWriter::Table(Scalar type, std::span<const uint64_t> entries) {
  std::vector<uint64_t> key(entries.begin(), entries.end());
  key.push_back(static_cast<uint64_t>(type));
  std::string& symbol = tables_[key];
  if (symbol.empty()) {
    symbol = "$t" + std::to_string(tables_.size());
    globals_ += ".global .align " + SizeOf(type) + " ." +
                std::string(kStoredName[static_cast<size_t>(type)]) + " " + symbol + "[" +
                std::to_string(entries.size()) + "] = {";
    for (size_t k = 0; k < entries.size(); ++k) {
      globals_ += (k == 0 ? "" : ",") + std::to_string(static_cast<int64_t>(entries[k]));
    }
    globals_ += "};\n";
  }
  return Base(Space::kConstant, type, symbol, function().code);
}

// ---- Functions

Value PtxWriter::BufferParameter(Scalar type) {
  FunctionCode& code = function();
  const std::string name = "p" + std::to_string(code.num_parameters++);
  code.head += (code.head.empty() ? "" : ",") +
               (".param .u64 .ptr .global .align " + SizeOf(type) + " " + name);
  const Value pointer = NewRegister(Scalar::kI64);
  const Value base = NewValue(type, Kind::kAddress);
  values_[base].number = values_[pointer].number;
  Line(code.start, "ld.param.u64 ", V(pointer), ",[", name, "]");
  return base;
}

Value PtxWriter::ScalarParameter(Scalar type) {
  FunctionCode& code = function();
  const std::string name = "p" + std::to_string(code.num_parameters++);
  const std::string_view of = kLoadedName[static_cast<size_t>(type)];
  code.head += (code.head.empty() ? "" : ",") + (".param ." + std::string(of) + " " + name);
  const Value value = NewRegister(type);
  Line(code.start, "ld.param.", of, " ", V(value), ",[", name, "]");
  return value;
}

Function PtxWriter::BeginFunction(Scalar type, std::span<Value> parameters) {
  results_.push_back(type);
  const auto number = static_cast<Function>(results_.size());
  const std::string_view of = kStoredName[static_cast<size_t>(type)];
  FunctionCode made;
  made.name = "$f" + std::to_string(number);
  functions_.push_back(std::move(made));
  FunctionCode& code = function();
  for (Value& parameter : parameters) {
    const std::string name = "p" + std::to_string(code.num_parameters++);
    code.head += (code.head.empty() ? "" : ",") + (".param ." + std::string(of) + " " + name);
    parameter = NewRegister(type);
    Line(code.start, "ld.param.", kLoadedName[static_cast<size_t>(type)], " ", V(parameter), ",[",
         name, "]");
  }
  code.head.insert(0, "(.param ." + std::string(of) + " r) " + code.name + "(");
  Begin(NewBlock());
  return number;
}

void PtxWriter::EndFunction(Value result) {
  Code("st.param.", kLoadedName[static_cast<size_t>(TypeOf(result))], " [r],", V(result));
  EndBlock(End::kReturn, 0, 0, 0);
  ended_ += ".func ";
  PutFunction(ended_, function());
  functions_.pop_back();
}

Value PtxWriter::Call(Function function_number, std::span<const Value> arguments) {
  const Scalar type = results_[function_number - 1];
  const std::string_view stored = kStoredName[static_cast<size_t>(type)];
  const std::string_view loaded = kLoadedName[static_cast<size_t>(type)];
  const Value result = NewRegister(type);
  std::string& text = function().code;
  std::string names;
  text += "\t{\n";
  for (size_t k = 0; k < arguments.size(); ++k) {
    const std::string name = "a" + std::to_string(k);
    Line(text, ".param .", stored, " ", name);
    Line(text, "st.param.", loaded, " [", name, "],", V(arguments[k]));
    names += (k == 0 ? "" : ",") + name;
  }
  Line(text, ".param .", stored, " c");
  Line(text, "call (c),$f", std::to_string(function_number), ",(", names, ")");
  Line(text, "ld.param.", loaded, " ", V(result), ",[c]");
  text += "\t}\n";
  return result;
}

// ---- The text

void PtxWriter::PutBlock(std::string& out, const FunctionCode& function, size_t k,
                         const std::vector<bool>& used) {
  const Block& block = function.blocks[k];
  const bool is_last = k + 1 == function.blocks.size();
  const size_t end = is_last ? function.code.size() : function.blocks[k + 1].begin;
  if (used[block.label]) {
    Put(out, To(block.label));
    out += ":\n";
  }
  if (k == 0) out += function.start;
  out.append(function.code, block.begin, end - block.begin);
  out += block.moves;
  const Label next = is_last ? 0 : function.blocks[k + 1].label;
  const auto jump = [&](const char* guard, Label to) {
    out += guard;
    if (guard[0] != '\0') Put(out, V(block.condition));
    Line(out, guard[0] != '\0' ? " bra " : "bra ", To(to));
  };
  switch (block.end) {
    case End::kOpen:
      HOLOGRAM_CHECK(false);
      return;
    case End::kJump:
      if (block.yes != next) jump("", block.yes);
      return;
    case End::kBranch:
      if (block.yes == next) return jump("@!", block.no);
      jump("@", block.yes);
      if (block.no != next) jump("", block.no);
      return;
    case End::kText:
      out += block.text;
      return;
    case End::kReturn:
      return Line(out, "ret");
  }
}

void PtxWriter::PutFunction(std::string& out, const FunctionCode& function) {
  constexpr std::string_view kFiles[kNumFiles] = {
      ".reg .pred %p<", ".reg .b32 %r<", ".reg .b64 %d<", ".reg .f32 %f<", ".reg .f64 %g<"};
  out += function.head;
  out += ")\n{\n";
  for (size_t k = 0; k < kNumFiles; ++k) {
    if (function.registers[k] != 0) {
      Line(out, kFiles[k], std::to_string(function.registers[k]), ">");
    }
  }
  out += function.variables;
  std::vector<bool> used(last_label_ + 1, false);
  for (size_t k = 0; k < function.blocks.size(); ++k) {
    const Block& block = function.blocks[k];
    const Label next = k + 1 < function.blocks.size() ? function.blocks[k + 1].label : 0;
    if (block.yes != next) used[block.yes] = true;
    if (block.no != next) used[block.no] = true;
    for (const Label label : block.named) used[label] = true;
  }
  for (size_t k = 0; k < function.blocks.size(); ++k) PutBlock(out, function, k, used);
  out += "}\n";
}

std::string PtxWriter::Finish(const std::string& heading) {
  HOLOGRAM_CHECK(functions_.size() == 1);
  std::string out = heading;
  out += ".version 6.0\n.target sm_70\n.address_size 64\n";
  out += globals_;
  out += ended_;
  out += ".visible .entry " + name_ + "(";
  PutFunction(out, function());
  return out;
}

}  // namespace hologram::device
