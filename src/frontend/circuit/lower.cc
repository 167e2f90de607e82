#include "frontend/circuit/lower.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/circuit/lower_rows.h"
#include "frontend/circuit/values.h"
#include "isa/atlas.h"
#include "sigmatics/canonical.h"
#include "sigmatics/values/class_values.h"
#include "sigmatics/values/value_graph.h"

namespace hologram::frontend {
namespace {

using isa::Opcode;
using isa::Type;
using sigmatics::Node;
using sigmatics::NodeId;
using sigmatics::NodeKind;

CircuitValues::InputForm FormOf(const sigmatics::HeaderParameter& input) {
  if (input.is_shared) return CircuitValues::InputForm::kShared;
  return input.is_column ? CircuitValues::InputForm::kColumn : CircuitValues::InputForm::kPlain;
}

// The program's parameters, and which of them the circuit's are. Parameter k of the circuit becomes
// parameter order[k] of the program.
class Signature {
 public:
  // In class memory there are no buffers: scalars and the size are all.
  static Signature OfClasses(const sigmatics::Header& written) {
    Signature signature;
    signature.values.in_class_memory = true;
    uint32_t widest = 1;
    for (const sigmatics::HeaderParameter& input : written.inputs) {
      if (input.is_scalar) {
        signature.values.scalars.push_back(signature.parameters.size());
        signature.parameters.push_back({input.scalar, false, input.type, isa::Direction::kIn});
      } else {
        signature.values.inputs.push_back(input.buffer.index());
        signature.values.forms.push_back(FormOf(input));
        widest = std::max(widest, isa::SizeOf(input.type));
      }
    }
    for (const sigmatics::HeaderParameter& output : written.outputs) {
      signature.outputs.push_back(output.buffer.index());
      widest = std::max(widest, isa::SizeOf(output.type));
    }
    signature.values.size = signature.parameters.size();
    signature.parameters.push_back({written.size, false, Type::kU32, isa::Direction::kIn});
    signature.most_elements = isa::kBytesPerClass / widest;
    return signature;
  }

  Signature(const sigmatics::Header& header, const std::vector<size_t>& order) {
    parameters.resize(order.size());
    size_t next = 0;
    const auto add = [&](isa::Parameter parameter) {
      const size_t number = order[next++];
      parameters[number] = std::move(parameter);
      return number;
    };
    const auto buffer = [](const sigmatics::HeaderParameter& given, isa::Direction direction) {
      return isa::Parameter{Print(given.buffer), true, given.type, direction};
    };
    std::map<sigmatics::SigilClass, size_t> buffers;
    for (const sigmatics::HeaderParameter& input : header.inputs) {
      if (input.is_scalar) {
        values.scalars.push_back(add({input.scalar, false, input.type, isa::Direction::kIn}));
      } else {
        values.inputs.push_back(add(buffer(input, isa::Direction::kIn)));
        values.forms.push_back(FormOf(input));
        buffers[input.buffer] = values.inputs.back();
      }
    }
    for (const sigmatics::HeaderParameter& output : header.outputs) {
      const auto known = buffers.find(output.buffer);
      if (known == buffers.end()) {
        buffers[output.buffer] = add(buffer(output, isa::Direction::kOut));
      } else {
        parameters[known->second].direction = isa::Direction::kInOut;
      }
      outputs.push_back(buffers[output.buffer]);
    }
    values.size = add({header.size, false, Type::kU32, isa::Direction::kIn});
    values.lanes = header.lanes;
    values.cut = header.cut;
    HOLOGRAM_CHECK(next == order.size());
  }

  std::vector<isa::Parameter> parameters;
  CircuitValues::Parameters values;
  std::vector<size_t> outputs;
  uint32_t most_elements = 0;  // that a class holds; 0: any number

 private:
  Signature() = default;
};

// One loop: a lane for each element. False if there are not enough registers.
bool LowerElements(const sigmatics::ValueGraph& graph, const Signature& signature,
                   const std::vector<NodeId>& outputs, const std::vector<NodeId>& faulting,
                   isa::Program& program) {
  Emitter emitter(signature.parameters.size());
  CircuitValues values(graph, signature.values, emitter);
  const uint8_t index = emitter.Special(isa::Sreg::kGlobalX, kCircuitPlace);
  const auto size = isa::Program::RegisterOfParameter(signature.values.size);
  if (signature.most_elements != 0) {
    const uint8_t more = emitter.AllocatePredicate();
    values.Emit({.op = Opcode::kSet,
                 .type = Type::kU32,
                 .mod = static_cast<uint8_t>(isa::Condition::kGt),
                 .d = more,
                 .a = size,
                 .b = emitter.EntryConstant(Type::kU32, signature.most_elements, kCircuitPlace)});
    emitter.Emit(
        {.op = Opcode::kTrap, .mod = 1, .a = more},
        {1, 1, "at most " + std::to_string(signature.most_elements) + " elements fit a class", {}});
    emitter.FreePredicate(more);
  }
  const Emitter::Label exit = emitter.NewLabel();
  const uint8_t beyond = emitter.AllocatePredicate();
  values.Emit({.op = Opcode::kSet,
               .type = Type::kU32,
               .mod = static_cast<uint8_t>(isa::Condition::kGe),
               .d = beyond,
               .a = index,
               .b = size});
  emitter.BranchIf(beyond, exit, kCircuitPlace);
  emitter.FreePredicate(beyond);
  values.Compute(outputs, faulting, index);
  for (size_t k = 0; k < outputs.size(); ++k) {
    const Node& node = graph.node(outputs[k]);
    const bool unchanged = node.kind == NodeKind::kInput &&
                           signature.values.inputs[node.number] == signature.outputs[k];
    if (unchanged) continue;
    values.Access(Opcode::kStg, node.type, signature.outputs[k], index,
                  values.RegisterOf(outputs[k]));
  }
  emitter.Bind(exit);
  values.Emit({.op = Opcode::kExit});
  emitter.Finish(program);
  return !emitter.overflowed();
}

Diagnostic At(std::string_view text, const std::string& file,
              const sigmatics::CircuitError& error) {
  const size_t offset = error.column == 0 ? 0 : error.column - 1;
  uint32_t line = 1;
  size_t begin = 0;
  for (size_t i = 0; i < offset && i < text.size(); ++i) {
    if (text[i] != '\n') continue;
    ++line;
    begin = i + 1;
  }
  return {ErrorCode::kInvalidText,
          {file, line, static_cast<uint32_t>(offset - begin + 1)},
          error.message};
}

struct ReadText {
  sigmatics::Header written;
  sigmatics::Canonical canonical;
};

// The header as it stands, and the canonical form, so that programs depend on nothing else.
Result<ReadText> ReadCircuit(std::string_view text, const std::string& source_file) {
  const auto parsed = sigmatics::Parse(text);
  if (!parsed.ok()) return At(text, source_file, parsed.error());
  if (!parsed.value().header) {
    return At(text, source_file,
              {sigmatics::ErrorKind::kSemantic, 1,
               "a kernel's circuit begins with its parameters, as in (f32 c00) -> (f32 c01) over "
               "n ..."});
  }
  auto canonical = CanonicalForm(parsed.value(), sigmatics::Mode::kMemory);
  if (!canonical.ok()) return At(text, source_file, canonical.error());
  return ReadText{*parsed.value().header, std::move(canonical).value()};
}

Diagnostic AtStart(Diagnostic error, const std::string& source_file) {
  error.where = {source_file, 1, 1};
  return error;
}

}  // namespace

Result<isa::Program> CompileCircuit(std::string_view text, const std::string& source_file,
                                    const std::string& name) {
  HOLOGRAM_ASSIGN_OR_RETURN(CompiledKernel kernel, CompileCircuitFile(text, source_file, name));
  return std::move(kernel.program);
}

Result<CompiledKernel> CompileCircuitFile(std::string_view text, const std::string& source_file,
                                          const std::string& name) {
  HOLOGRAM_ASSIGN_OR_RETURN(ReadText read, ReadCircuit(text, source_file));
  const sigmatics::Header& written = read.written;
  // The names of the text, where the canonical form has its own.
  std::vector<std::string> names;
  for (const auto& input : written.inputs) {
    names.push_back(input.is_scalar ? input.scalar : Print(input.buffer));
  }
  for (const auto& output : written.outputs) {
    const bool in_place = std::any_of(
        written.inputs.begin(), written.inputs.end(),
        [&](const auto& input) { return !input.is_scalar && input.buffer == output.buffer; });
    if (!in_place) names.push_back(Print(output.buffer));
  }
  names.push_back(written.size);
  std::vector<size_t> order(names.size());
  std::iota(order.begin(), order.end(), size_t{0});
  Result<isa::Program> program = LowerCanonical(read.canonical, order, names, true);
  if (!program.ok()) return AtStart(program.errors()[0], source_file);
  CompiledKernel kernel;
  kernel.program = std::move(program).value();
  kernel.program.name = name;
  kernel.program.source_file = source_file;
  kernel.circuit.name = name;
  kernel.circuit.source_file = source_file;
  kernel.circuit.form = std::move(read.canonical);
  kernel.circuit.parameters = kernel.program.parameters;
  kernel.circuit.order = std::move(order);
  kernel.circuit.checks_lanes = true;
  return kernel;
}

namespace {

// The values of a canonical circuit.
struct Values {
  sigmatics::ValueGraph graph;
  std::vector<NodeId> outputs;
  std::vector<NodeId> faulting;
};

Result<Values> ValuesOf(const sigmatics::Canonical& canonical) {
  const sigmatics::Header& header = *canonical.circuit.header;
  Values found;
  found.graph.ExpandSoftmax();
  sigmatics::ClassValues values(found.graph, &header);
  const auto wrong = [](const std::string& what) {
    return Error(ErrorCode::kInternal, "the canonical form of the circuit is wrong: " + what);
  };
  for (const sigmatics::Call& call : canonical.calls) {
    if (const auto error = values.Run(call)) return wrong(error->message);
  }
  for (const auto& output : header.outputs) {
    const std::optional<NodeId> value = values.at(output.buffer);
    if (!value) return wrong(Print(output.buffer) + " is never written");
    found.outputs.push_back(*value);
  }
  found.faulting = values.faulting();
  return found;
}

Result<isa::Program> Lower(const sigmatics::Canonical& canonical, const Signature& signature) {
  HOLOGRAM_ASSIGN_OR_RETURN(const Values values, ValuesOf(canonical));
  const sigmatics::ValueGraph& graph = values.graph;
  const std::vector<NodeId>& outputs = values.outputs;
  isa::Program program;
  program.parameters = signature.parameters;
  const bool rows = canonical.circuit.header->lanes != 0 || HasReductions(graph, outputs);
  if (!rows) {
    for (const CircuitValues::InputForm form : signature.values.forms) {
      if (form == CircuitValues::InputForm::kPlain) continue;
      return Error(ErrorCode::kUnsupported, std::string(form == CircuitValues::InputForm::kShared
                                                            ? "an array that rows share"
                                                            : "a column") +
                                                " needs rows, as in over n by 64");
    }
    if (!LowerElements(graph, signature, outputs, values.faulting, program)) {
      return TooManyRegisters();
    }
  } else if (signature.values.in_class_memory) {
    return Error(ErrorCode::kUnsupported,
                 "a reduction in class memory does not compile to a kernel in this version");
  } else {
    HOLOGRAM_RETURN_IF_ERROR(CheckRows(graph, outputs, values.faulting));
    HOLOGRAM_RETURN_IF_ERROR(
        LowerRows(graph, signature.values, outputs, signature.outputs, program));
  }
  return program;
}

}  // namespace

Result<std::vector<size_t>> NumbersAmongOutputs(const sigmatics::Canonical& canonical) {
  HOLOGRAM_ASSIGN_OR_RETURN(const Values values, ValuesOf(canonical));
  std::vector<size_t> numbers;
  for (size_t k = 0; k < values.outputs.size(); ++k) {
    if (values.graph.IsNumber(values.outputs[k])) numbers.push_back(k);
  }
  return numbers;
}

Result<isa::Program> LowerCanonical(const sigmatics::Canonical& canonical,
                                    const std::vector<size_t>& order,
                                    const std::vector<std::string>& names, bool checks_lanes) {
  Signature signature(*canonical.circuit.header, order);
  signature.values.checks_lanes = checks_lanes;
  HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program, Lower(canonical, signature));
  for (size_t k = 0; k < order.size(); ++k) program.parameters[order[k]].name = names[k];
  for (size_t i = 0; i < program.code.size(); ++i) {
    if (!isa::IsGlobalAccess(program.code[i].op)) continue;
    program.debug[i].text = program.parameters[program.code[i].a - 1U].name + "[i]";
  }
  return program;
}

Result<isa::Program> CompileCircuitInClassMemory(std::string_view text,
                                                 const std::string& source_file,
                                                 const std::string& name) {
  const auto read = ReadCircuit(text, source_file);
  if (!read.ok()) return read.errors();
  Result<isa::Program> program =
      Lower(read.value().canonical, Signature::OfClasses(read.value().written));
  if (!program.ok()) return AtStart(program.errors()[0], source_file);
  program.value().name = name;
  program.value().source_file = source_file;
  return program;
}

}  // namespace hologram::frontend
