// The values of source variables in a lane that faulted. The lane has not run since, so its
// registers are as they were; what is missing is the type of each register at that instruction,
// found by following the writes from the start of the program.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <vector>

#include "interpreter/columns.h"
#include "interpreter/instructions.h"
#include "isa/value_format.h"
#include "isa/value_text.h"

namespace hologram::interpreter {
namespace {

using isa::Type;

// kUnset < a type < kMixed
using RegisterTypes = std::array<uint8_t, isa::kNumRegisters>;
constexpr uint8_t kUnset = 254;
constexpr uint8_t kMixed = 255;

RegisterTypes TypesAtStart(const isa::Program& program) {
  RegisterTypes types;
  types.fill(kUnset);
  for (size_t k = 0; k < program.parameters.size(); ++k) {
    const isa::Parameter& parameter = program.parameters[k];
    types[isa::Program::RegisterOfParameter(k)] =
        static_cast<uint8_t>(parameter.is_buffer ? Type::kU64 : parameter.type);
  }
  for (size_t reg = isa::kFirstSpecialRegister; reg < 255; ++reg) {
    types[reg] = static_cast<uint8_t>(Type::kU32);
  }
  types[255] = static_cast<uint8_t>(Type::kU64);
  return types;
}

void ApplyWrite(const isa::Instruction& in, RegisterTypes* types) {
  const isa::Uses uses = isa::UsesOf(in);
  if (uses.write) (*types)[uses.write->reg] = static_cast<uint8_t>(*uses.write->type);
}

// Returns true if `into` changed.
bool Join(const RegisterTypes& from, RegisterTypes* into) {
  bool changed = false;
  for (size_t reg = 0; reg < from.size(); ++reg) {
    uint8_t& to = (*into)[reg];
    if (from[reg] == to || from[reg] == kUnset || to == kMixed) continue;
    to = to == kUnset ? from[reg] : kMixed;
    changed = true;
  }
  return changed;
}

RegisterTypes TypesAt(const verify::VerifiedProgram& verified, uint32_t pc) {
  const isa::Program& program = verified.program();
  RegisterTypes unset;
  unset.fill(kUnset);
  std::vector<RegisterTypes> entry(verified.blocks().size(), unset);
  entry[0] = TypesAtStart(program);
  std::vector<uint32_t> work = {0};
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    const verify::BasicBlock& block = verified.blocks()[b];
    RegisterTypes types = entry[b];
    for (uint32_t i = block.begin; i < block.end; ++i) ApplyWrite(program.code[i], &types);
    for (const uint32_t next : block.successors) {
      if (next != verify::kExitBlock && Join(types, &entry[next])) work.push_back(next);
    }
  }
  const uint32_t b = verified.BlockOf(pc);
  RegisterTypes types = entry[b];
  for (uint32_t i = verified.blocks()[b].begin; i < pc; ++i) ApplyWrite(program.code[i], &types);
  return types;
}

// A place in the text of the line, and what it shows.
struct Shown {
  std::string place;
  std::string value;
};

bool IsPlace(const std::string& name) {
  return name.size() > 2 && name.front() == '{' && name.back() == '}';
}

// "{x[i]:.3f}" has a format behind its last colon, "{x[i]}" has none.
std::string TextInPlace(const std::string& name, Type type, uint64_t bits) {
  const size_t colon = name.rfind(':');
  const std::string format =
      colon == std::string::npos ? "" : name.substr(colon + 1, name.size() - colon - 2);
  return isa::FormattedText(type, bits, isa::FormatError(type, format) ? "" : format);
}

std::string WithValues(const std::string& text, const std::vector<Shown>& places) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const auto found = std::find_if(places.begin(), places.end(), [&](const Shown& shown) {
      return text.compare(at, shown.place.size(), shown.place) == 0;
    });
    result += found == places.end() ? text.substr(at, 1) : found->value;
    at += found == places.end() ? 1 : found->place.size();
  }
  return result;
}

}  // namespace

void DescribeVariables(const Chunk& chunk, launch::Fault& fault) {
  const isa::Program& program = chunk.program();
  if (fault.pc >= program.debug.size() || program.debug[fault.pc].variables.empty()) return;
  const RegisterTypes types = TypesAt(chunk.verified(), fault.pc);
  const uint64_t lane = fault.lane - chunk.first_lane();
  std::vector<Shown> places;
  for (const isa::DebugVariable& variable : program.debug[fault.pc].variables) {
    if (types[variable.reg] >= kUnset) continue;
    const Type type = static_cast<Type>(types[variable.reg]);
    const void* const column = chunk.ColumnOfSize(variable.reg, isa::SizeOf(type));
    if (column == nullptr) continue;
    uint64_t bits = 0;
    const uint32_t size = isa::SizeOf(type);
    std::memcpy(&bits, static_cast<const std::byte*>(column) + lane * size, size);
    if (IsPlace(variable.name)) {
      places.push_back({variable.name, TextInPlace(variable.name, type, bits)});
      continue;
    }
    if (!fault.variables.empty()) fault.variables += ", ";
    fault.variables += variable.name + " = " + isa::ValueText(type, bits);
  }
  if (!places.empty()) fault.text = WithValues(program.debug[fault.pc].text, places);
}

}  // namespace hologram::interpreter
