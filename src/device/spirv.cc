#include "device/spirv.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace hologram::device {
namespace {

// Numbers of the SPIR-V specification.
namespace op {
enum : uint32_t {
  kExtInstImport = 11,
  kExtInst = 12,
  kMemoryModel = 14,
  kEntryPoint = 15,
  kExecutionMode = 16,
  kCapability = 17,
  kTypeVoid = 19,
  kTypeBool = 20,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kTypeArray = 28,
  kTypePointer = 32,
  kTypeFunction = 33,
  kConstantTrue = 41,
  kConstantFalse = 42,
  kConstant = 43,
  kConstantComposite = 44,
  kFunction = 54,
  kFunctionParameter = 55,
  kFunctionEnd = 56,
  kFunctionCall = 57,
  kVariable = 59,
  kLoad = 61,
  kStore = 62,
  kInBoundsAccessChain = 66,
  kInBoundsPtrAccessChain = 70,
  kDecorate = 71,
  kCompositeExtract = 81,
  kUConvert = 113,
  kSelect = 169,
  kNot = 200,
  kControlBarrier = 224,
  kMemoryBarrier = 225,
  kAtomicCompareExchange = 230,
  kPhi = 245,
  kLabel = 248,
  kBranch = 249,
  kBranchConditional = 250,
  kSwitch = 251,
  kReturn = 253,
  kReturnValue = 254,
};
}  // namespace op

// Of the extended instructions of OpenCL.
constexpr uint32_t kExtendedFma = 26;
constexpr uint32_t kExtendedMulHigh = 203;

constexpr uint32_t kKernelModel = 6;
constexpr uint32_t kVolatile = 1;
constexpr uint32_t kAligned = 2;
constexpr uint32_t kDeviceScope = 1;
constexpr uint32_t kWorkgroupScope = 2;
constexpr uint32_t kRelaxed = 0;
// Sequentially consistent, of the memory of a block and of buffers.
constexpr uint32_t kAllMemory = 0x310;

uint32_t StorageClass(Space space) {
  constexpr uint32_t kClasses[] = {5, 4, 7, 0};
  return kClasses[static_cast<size_t>(space)];
}

// Bytes of an element, which is its alignment too.
uint32_t BytesOf(Scalar type) {
  return std::max(BitsOf(type) / 8, 1U);
}

// A text of the specification: bytes in words, with a zero at the end.
std::vector<uint32_t> TextWords(const std::string& text) {
  std::vector<uint32_t> words(text.size() / 4 + 1, 0);
  for (size_t i = 0; i < text.size(); ++i) {
    words[i / 4] |= static_cast<uint32_t>(static_cast<uint8_t>(text[i])) << (i % 4 * 8);
  }
  return words;
}

}  // namespace

SpirvWriter::SpirvWriter(std::string name) : name_(std::move(name)), values_(1) {
  imported_ = NewId();
  FunctionCode kernel;
  kernel.id = NewId();
  kernel.first = kernel.current = NewId();
  kernel.result = TypeOnce(op::kTypeVoid, {});
  functions_.push_back(std::move(kernel));
}

uint32_t SpirvWriter::NewId() {
  values_.emplace_back();
  return static_cast<uint32_t>(values_.size() - 1);
}

Value SpirvWriter::NewValue(Scalar type) {
  const Value value = NewId();
  values_[value].type = type;
  return value;
}

Value SpirvWriter::NewAddress(Scalar type, Space space, bool is_array) {
  const Value value = NewValue(type);
  values_[value].space = space;
  values_[value].is_array = is_array;
  return value;
}

void SpirvWriter::Put(Words& words, uint32_t op, std::span<const uint32_t> operands) {
  words.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | op);
  words.insert(words.end(), operands.begin(), operands.end());
}

void SpirvWriter::Code(uint32_t op, std::initializer_list<uint32_t> operands) {
  Put(functions_.back().code, op, {operands.begin(), operands.size()});
}

void SpirvWriter::Global(uint32_t op, std::initializer_list<uint32_t> operands) {
  Put(globals_, op, {operands.begin(), operands.size()});
}

Value SpirvWriter::CodeValue(uint32_t op, Scalar type, std::initializer_list<uint32_t> operands) {
  const uint32_t type_id = TypeId(type);
  const Value value = NewValue(type);
  Words& code = functions_.back().code;
  code.push_back(static_cast<uint32_t>(operands.size() + 3) << 16 | op);
  code.push_back(type_id);
  code.push_back(value);
  code.insert(code.end(), operands.begin(), operands.end());
  return value;
}

Value SpirvWriter::Extended(uint32_t number, Scalar type,
                            std::initializer_list<uint32_t> operands) {
  const uint32_t type_id = TypeId(type);
  const Value value = NewValue(type);
  Words& code = functions_.back().code;
  code.push_back(static_cast<uint32_t>(operands.size() + 5) << 16 | op::kExtInst);
  code.insert(code.end(), {type_id, value, imported_, number});
  code.insert(code.end(), operands.begin(), operands.end());
  return value;
}

// ---- Types and constants

uint32_t SpirvWriter::TypeOnce(uint32_t op, std::vector<uint32_t> operands) {
  std::vector<uint32_t> key = operands;
  key.push_back(op);
  const auto [found, is_new] = types_.try_emplace(std::move(key), 0);
  if (!is_new) return found->second;
  const uint32_t id = found->second = NewId();
  operands.insert(operands.begin(), id);
  Put(globals_, op, operands);
  return id;
}

uint32_t SpirvWriter::TypeId(Scalar type) {
  uint32_t& id = scalar_types_[static_cast<size_t>(type)];
  if (id != 0) return id;
  if (type == Scalar::kBool) return id = TypeOnce(op::kTypeBool, {});
  if (IsFloat(type)) return id = TypeOnce(op::kTypeFloat, {BitsOf(type)});
  return id = TypeOnce(op::kTypeInt, {BitsOf(type), 0});
}

uint32_t SpirvWriter::PointerType(Space space, uint32_t to) {
  return TypeOnce(op::kTypePointer, {StorageClass(space), to});
}

uint32_t SpirvWriter::ArrayType(Scalar type, uint32_t count) {
  const uint32_t element = TypeId(type);
  return TypeOnce(op::kTypeArray, {element, Word(count)});
}

uint32_t SpirvWriter::FunctionType(uint32_t result, std::span<const uint32_t> parameters) {
  std::vector<uint32_t> words{result};
  words.insert(words.end(), parameters.begin(), parameters.end());
  return TypeOnce(op::kTypeFunction, std::move(words));
}

Value SpirvWriter::Constant(Scalar type, uint64_t bits) {
  const uint32_t width = BitsOf(type);
  if (width < 64) bits &= (uint64_t{1} << width) - 1;
  const auto [found, is_new] = constants_[static_cast<size_t>(type)].try_emplace(bits, 0);
  if (!is_new) return found->second;
  const uint32_t type_id = TypeId(type);
  const Value value = found->second = NewValue(type);
  const auto low = static_cast<uint32_t>(bits);
  if (type == Scalar::kBool) {
    Global(bits != 0 ? op::kConstantTrue : op::kConstantFalse, {type_id, value});
  } else if (width == 64) {
    Global(op::kConstant, {type_id, value, low, static_cast<uint32_t>(bits >> 32)});
  } else {
    Global(op::kConstant, {type_id, value, low});
  }
  return value;
}

// ---- Operations

Value SpirvWriter::Emit(Unary op, Value a) {
  // Of the extended instructions; 0: it has one of its own.
  constexpr uint32_t kNumbers[kNumUnary] = {0, 166, 151, 0, 61, 25, 12, 66, 53};
  constexpr uint32_t kFNegate = 127;
  constexpr uint32_t kLogicalNot = 168;
  const Scalar type = TypeOf(a);
  if (op == Unary::kNegate) return CodeValue(kFNegate, type, {a});
  if (op == Unary::kNot) {
    return CodeValue(type == Scalar::kBool ? kLogicalNot : op::kNot, type, {a});
  }
  return Extended(kNumbers[static_cast<size_t>(op)], type, {a});
}

Value SpirvWriter::Emit(Binary op, Value a, Value b) {
  constexpr uint32_t kCodes[kNumBinary] = {128, 130, 132, 0,   135, 134, 138, 137, 199,
                                           197, 198, 196, 194, 195, 129, 131, 133, 136};
  const Scalar type = TypeOf(a);
  if (op == Binary::kMulHigh) return Extended(kExtendedMulHigh, type, {a, b});
  uint32_t code = kCodes[static_cast<size_t>(op)];
  if (type == Scalar::kBool) {
    constexpr uint32_t kLogicalNotEqual = 165;
    constexpr uint32_t kLogicalOr = 166;
    constexpr uint32_t kLogicalAnd = 167;
    code = op == Binary::kAnd ? kLogicalAnd : op == Binary::kOr ? kLogicalOr : kLogicalNotEqual;
  }
  return CodeValue(code, type, {a, b});
}

Value SpirvWriter::Emit(Compare op, Value a, Value b) {
  constexpr uint32_t kCodes[kNumCompare] = {170, 171, 177, 179, 173, 175, 176, 178,
                                            172, 174, 180, 183, 184, 188, 186, 190};
  return CodeValue(kCodes[static_cast<size_t>(op)], Scalar::kBool, {a, b});
}

Value SpirvWriter::Emit(Cast op, Value a, Scalar to) {
  constexpr uint32_t kCodes[kNumCast] = {113, 114, 113, 124, 111, 112, 110, 109, 115};
  if (TypeOf(a) == to) return a;
  return CodeValue(kCodes[static_cast<size_t>(op)], to, {a});
}

Value SpirvWriter::Fma(Value a, Value b, Value c) {
  return Extended(kExtendedFma, TypeOf(a), {a, b, c});
}

Value SpirvWriter::Select(Value condition, Value yes, Value no) {
  return yes == no ? yes : CodeValue(op::kSelect, TypeOf(yes), {condition, yes, no});
}

// ---- Control flow

void SpirvWriter::Begin(Label block) {
  functions_.back().current = block;
  Code(op::kLabel, {block});
}

void SpirvWriter::Jump(Label to) {
  Code(op::kBranch, {to});
}

void SpirvWriter::Branch(Value condition, Label yes, Label no) {
  Code(op::kBranchConditional, {condition, yes, no});
}

void SpirvWriter::Switch(Value value, std::span<const Label> cases) {
  std::vector<uint32_t> operands{value, cases[0]};
  for (size_t k = 1; k < cases.size(); ++k) {
    operands.push_back(static_cast<uint32_t>(k));
    operands.push_back(cases[k]);
  }
  Put(functions_.back().code, op::kSwitch, operands);
}

void SpirvWriter::Return() {
  Code(op::kReturn, {});
}

Value SpirvWriter::Phi(Scalar type, uint32_t count) {
  const Value phi = CodeValue(op::kPhi, type, {});
  Words& code = functions_.back().code;
  code[code.size() - 3] = (count * 2 + 3) << 16 | op::kPhi;
  values_[phi].phi_at = static_cast<uint32_t>(code.size());
  code.resize(code.size() + size_t{count} * 2);
  return phi;
}

void SpirvWriter::SetIncoming(Value phi, uint32_t k, Value value, Label from) {
  Words& code = functions_.back().code;
  const size_t at = values_[phi].phi_at + size_t{k} * 2;
  code[at] = value;
  code[at + 1] = from;
}

// ---- Memory

Value SpirvWriter::Array(Space space, Scalar type, uint32_t count) {
  const uint32_t array = count == 1 ? TypeId(type) : ArrayType(type, count);
  const uint32_t pointer = PointerType(space, array);
  const Value value = NewAddress(type, space, count != 1);
  if (space == Space::kShared) {
    shared_bytes_ += count * BytesOf(type);
    Global(op::kVariable, {pointer, value, StorageClass(space)});
    return value;
  }
  const uint32_t operands[] = {pointer, value, StorageClass(space)};
  Put(functions_.back().variables, op::kVariable, operands);
  return value;
}

Value SpirvWriter::Volatile(Scalar type) {
  const Value value = Array(Space::kPrivate, type, 1);
  values_[value].is_volatile = true;
  return value;
}

Value SpirvWriter::Table(Scalar type, std::span<const uint64_t> entries) {
  std::vector<uint64_t> key(entries.begin(), entries.end());
  key.push_back(static_cast<uint64_t>(type));
  if (const auto found = tables_.find(key); found != tables_.end()) return found->second;
  const uint32_t array = ArrayType(type, static_cast<uint32_t>(entries.size()));
  std::vector<uint32_t> words{array, 0};
  for (const uint64_t entry : entries) words.push_back(Constant(type, entry));
  const uint32_t contents = words[1] = NewId();
  Put(globals_, op::kConstantComposite, words);
  const uint32_t pointer = PointerType(Space::kConstant, array);
  const Value value = NewAddress(type, Space::kConstant, true);
  Global(op::kVariable, {pointer, value, StorageClass(Space::kConstant), contents});
  tables_.emplace(std::move(key), value);
  return value;
}

Value SpirvWriter::Element(Value base, Value index) {
  const ValueFact fact = values_[base];
  // An array of one element is a variable.
  if (!fact.is_array && fact.space != Space::kGlobal) return base;
  const uint32_t type = PointerType(fact.space, TypeId(fact.type));
  const Value address = NewAddress(fact.type, fact.space, false);
  Code(fact.is_array ? op::kInBoundsAccessChain : op::kInBoundsPtrAccessChain,
       {type, address, base, index});
  return address;
}

Value SpirvWriter::OfInteger(Value address) {
  constexpr uint32_t kBitcast = 124;
  const ValueFact fact = values_[address];
  const Scalar to = IntegerOf(fact.type);
  if (to == fact.type) return address;
  const uint32_t type = PointerType(fact.space, TypeId(to));
  const Value value = NewAddress(to, fact.space, false);
  Code(kBitcast, {type, value, address});
  return value;
}

Value SpirvWriter::Load(Value address) {
  const Scalar type = TypeOf(address);
  const uint32_t access = kAligned | (values_[address].is_volatile ? kVolatile : 0);
  return CodeValue(op::kLoad, type, {address, access, BytesOf(type)});
}

void SpirvWriter::Store(Value address, Value value) {
  const uint32_t access = kAligned | (values_[address].is_volatile ? kVolatile : 0);
  Code(op::kStore, {address, value, access, BytesOf(TypeOf(address))});
}

void SpirvWriter::StoreAlone(Value address, Value value) {
  Code(op::kStore, {address, value, kAligned | kVolatile, BytesOf(TypeOf(address))});
}

Value SpirvWriter::Update(Atomic op, Value address, Value value) {
  constexpr uint32_t kCodes[kNumAtomic] = {234, 236, 237, 238, 239, 240, 241, 242, 229};
  const Scalar type = TypeOf(address);
  uses_atomics64_ |= type == Scalar::kI64;
  const bool shared = values_[address].space == Space::kShared;
  const uint32_t scope = Word(shared ? kWorkgroupScope : kDeviceScope);
  return CodeValue(kCodes[static_cast<size_t>(op)], type, {address, scope, Word(kRelaxed), value});
}

Value SpirvWriter::CompareAndSwap(Value address, Value expected, Value desired) {
  const Scalar type = TypeOf(address);
  uses_atomics64_ |= type == Scalar::kI64;
  const bool shared = values_[address].space == Space::kShared;
  const uint32_t scope = Word(shared ? kWorkgroupScope : kDeviceScope);
  const uint32_t relaxed = Word(kRelaxed);
  return CodeValue(op::kAtomicCompareExchange, type,
                   {address, scope, relaxed, relaxed, desired, expected});
}

void SpirvWriter::Barrier() {
  const uint32_t scope = Word(kWorkgroupScope);
  Code(op::kControlBarrier, {scope, scope, Word(kAllMemory)});
}

void SpirvWriter::Fence(FenceScope scope) {
  constexpr uint32_t kScopes[] = {kWorkgroupScope, kDeviceScope, 0};
  const uint32_t id = Word(kScopes[static_cast<size_t>(scope)]);
  Code(op::kMemoryBarrier, {id, Word(kAllMemory)});
}

Value SpirvWriter::Read(Id id, unsigned dimension) {
  constexpr uint32_t kBuiltIns[kNumIds] = {27, 26, 25, 24};
  constexpr uint32_t kInputClass = 1;
  constexpr uint32_t kBuiltIn = 11;
  const auto number = static_cast<size_t>(id);
  const uint32_t vector = TypeOnce(op::kTypeVector, {TypeId(Scalar::kI64), 3});
  if (id_variables_[number] == 0) {
    const uint32_t pointer = TypeOnce(op::kTypePointer, {kInputClass, vector});
    const uint32_t variable = id_variables_[number] = NewId();
    Global(op::kVariable, {pointer, variable, kInputClass});
    const uint32_t decoration[] = {variable, kBuiltIn, kBuiltIns[number]};
    Put(decorations_, op::kDecorate, decoration);
    id_vectors_[number] = NewId();
    Code(op::kLoad, {vector, id_vectors_[number], variable, kAligned, 32});
  }
  const Value wide =
      CodeValue(op::kCompositeExtract, Scalar::kI64, {id_vectors_[number], dimension});
  return CodeValue(op::kUConvert, Scalar::kI32, {wide});
}

// ---- Functions

Value SpirvWriter::BufferParameter(Scalar type) {
  const uint32_t pointer = PointerType(Space::kGlobal, TypeId(type));
  const Value value = NewAddress(type, Space::kGlobal, false);
  parameter_types_.push_back(pointer);
  const uint32_t operands[] = {pointer, value};
  Put(functions_.front().parameters, op::kFunctionParameter, operands);
  return value;
}

Value SpirvWriter::ScalarParameter(Scalar type) {
  const uint32_t type_id = TypeId(type);
  const Value value = NewValue(type);
  parameter_types_.push_back(type_id);
  const uint32_t operands[] = {type_id, value};
  Put(functions_.front().parameters, op::kFunctionParameter, operands);
  return value;
}

Function SpirvWriter::BeginFunction(Scalar type, std::span<Value> parameters) {
  FunctionCode function;
  function.result = TypeId(type);
  function.type =
      FunctionType(function.result, std::vector<uint32_t>(parameters.size(), function.result));
  function.id = NewValue(type);
  function.first = function.current = NewId();
  for (Value& parameter : parameters) {
    parameter = NewValue(type);
    const uint32_t operands[] = {function.result, parameter};
    Put(function.parameters, op::kFunctionParameter, operands);
  }
  functions_.push_back(std::move(function));
  return functions_.back().id;
}

void SpirvWriter::EndFunction(Value result) {
  Code(op::kReturnValue, {result});
  PutFunction(ended_, functions_.back(), 0);
  functions_.pop_back();
}

Value SpirvWriter::Call(Function function, std::span<const Value> arguments) {
  const Scalar type = TypeOf(function);
  const uint32_t type_id = TypeId(type);
  const Value value = NewValue(type);
  std::vector<uint32_t> operands{type_id, value, function};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  Put(functions_.back().code, op::kFunctionCall, operands);
  return value;
}

void SpirvWriter::PutFunction(Words& out, const FunctionCode& function, uint32_t control) {
  const uint32_t head[] = {function.result, function.id, control, function.type};
  Put(out, op::kFunction, head);
  out.insert(out.end(), function.parameters.begin(), function.parameters.end());
  const uint32_t label[] = {function.first};
  Put(out, op::kLabel, label);
  out.insert(out.end(), function.variables.begin(), function.variables.end());
  out.insert(out.end(), function.code.begin(), function.code.end());
  Put(out, op::kFunctionEnd, {});
}

std::vector<uint32_t> SpirvWriter::Finish() {
  HOLOGRAM_CHECK(functions_.size() == 1);
  FunctionCode& kernel = functions_.front();
  kernel.type = FunctionType(kernel.result, parameter_types_);
  constexpr uint32_t kMagic = 0x07230203;
  constexpr uint32_t kVersion = 0x00010000;
  Words words{kMagic, kVersion, 0, 0, 0};
  const auto put = [&](uint32_t op, std::vector<uint32_t> operands) { Put(words, op, operands); };
  constexpr uint32_t kAddresses = 4;
  constexpr uint32_t kKernel = 6;
  constexpr uint32_t kInt64Atomics = 12;
  put(op::kCapability, {kAddresses});
  put(op::kCapability, {kKernel});
  // Of the types that need one.
  constexpr uint32_t kCapabilities[kNumScalars] = {0, 39, 22, 0, 11, 0, 10};
  for (size_t k = 0; k < kNumScalars; ++k) {
    if (scalar_types_[k] != 0 && kCapabilities[k] != 0) put(op::kCapability, {kCapabilities[k]});
  }
  if (uses_atomics64_) put(op::kCapability, {kInt64Atomics});
  std::vector<uint32_t> import{imported_};
  for (const uint32_t word : TextWords("OpenCL.std")) import.push_back(word);
  put(op::kExtInstImport, import);
  constexpr uint32_t kPhysical64 = 2;
  constexpr uint32_t kOpenCl = 2;
  put(op::kMemoryModel, {kPhysical64, kOpenCl});
  std::vector<uint32_t> entry{kKernelModel, kernel.id};
  for (const uint32_t word : TextWords(name_)) entry.push_back(word);
  for (const uint32_t variable : id_variables_) {
    if (variable != 0) entry.push_back(variable);
  }
  put(op::kEntryPoint, entry);
  constexpr uint32_t kContractionOff = 31;
  put(op::kExecutionMode, {kernel.id, kContractionOff});
  words.insert(words.end(), decorations_.begin(), decorations_.end());
  words.insert(words.end(), globals_.begin(), globals_.end());
  PutFunction(words, kernel, 0);
  words.insert(words.end(), ended_.begin(), ended_.end());
  words[3] = static_cast<uint32_t>(values_.size());
  return words;
}

}  // namespace hologram::device
