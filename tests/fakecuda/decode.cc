// PTX to what the machine runs: slots for registers and numbers, pieces for labels.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "code.h"

namespace fakecuda {
namespace {

constexpr uint32_t kArrayGap = 64;

class Decoder {
 public:
  Decoder(const PtxFunction& function, const std::map<std::string, uint64_t>& tables,
          const std::map<std::string, uint32_t>& numbers)
      : function_(function), tables_(tables), numbers_(numbers) {}

  Code Decode() {
    code_.name = function_.name;
    code_.parameters = function_.parameters;
    for (const auto& [prefix, count] : function_.registers) {
      bases_[prefix] = next_;
      next_ += count * kSlot;
    }
    for (const PtxParameter& parameter : function_.parameters) {
      code_.parameter_slots.push_back(parameters_[parameter.name] = NewSlot());
    }
    if (!function_.result.empty()) {
      code_.result_slot = parameters_[function_.result] = NewSlot();
    }
    for (const auto& [name, array] : function_.arrays) {
      uint32_t& bytes = array.is_shared ? code_.shared_bytes : code_.local_bytes;
      arrays_[name] = bytes;
      bytes += (array.bytes + 2 * kArrayGap - 1) / kArrayGap * kArrayGap;
    }
    SplitPieces();
    for (uint32_t k = 0; k < function_.statements.size(); ++k) {
      line_ = function_.statements[k].line;
      code_.pieces[piece_of_[k]].code.push_back(One(function_.statements[k]));
    }
    code_.slots = next_ / kSlot;
    return std::move(code_);
  }

 private:
  [[noreturn]] void Fail(const std::string& why) const {
    throw PtxError("line " + std::to_string(line_) + ": " + why);
  }

  uint32_t NewSlot() {
    next_ += kSlot;
    return next_ - kSlot;
  }

  static bool Moves(const Statement& statement) {
    const std::string& op = statement.op[0];
    return op == "bra" || op == "ret" || op == "barrier";
  }

  void SplitPieces() {
    const auto count = static_cast<uint32_t>(function_.statements.size());
    std::vector<bool> starts(count + 1, false);
    starts[0] = true;
    for (const auto& [name, place] : function_.labels) starts[place] = true;
    for (uint32_t k = 0; k < count; ++k)
      starts[k + 1] = starts[k + 1] || Moves(function_.statements[k]);
    piece_of_.resize(count + 1);
    uint32_t piece = 0;
    for (uint32_t k = 0; k < count; ++k) {
      if (starts[k])
        code_.pieces.emplace_back(), piece = static_cast<uint32_t>(code_.pieces.size() - 1);
      piece_of_[k] = piece;
    }
    piece_of_[count] = static_cast<uint32_t>(code_.pieces.size());
    if (count == 0 || !Moves(function_.statements[count - 1]) ||
        function_.statements[count - 1].op[0] == "barrier") {
      Fail("the function has no end");
    }
  }

  // ---- Operands

  uint32_t Register(const std::string& text) const {
    const auto base = bases_.find(text.substr(0, 2));
    const char* const first = text.data() + 2;
    const char* const last = text.data() + text.size();
    uint32_t number = 0;
    if (base == bases_.end() || std::from_chars(first, last, number).ptr != last ||
        number >= function_.registers.at(base->first)) {
      Fail("no register " + text);
    }
    return base->second + number * kSlot;
  }

  uint32_t Constant(uint64_t bits, uint32_t size) {
    const auto [found, is_new] = constants_.try_emplace({bits, size}, 0);
    if (!is_new) return found->second;
    const uint32_t slot = found->second = NewSlot();
    // The machine writes words of 64 bits; two of 32 are in each where lanes have 32.
    code_.constants[slot] = size == 8 ? bits : (bits & 0xffffffff) * 0x100000001;
    return slot;
  }

  // `size`: of a number.
  uint32_t Operand(const std::string& text, uint32_t size) {
    if (text.starts_with("%tid.") || text.starts_with("%ctaid.") || text.starts_with("%ntid.") ||
        text.starts_with("%nctaid.")) {
      const auto [found, is_new] = ids_.try_emplace(text, 0);
      if (is_new) code_.ids[found->second = NewSlot()] = text.substr(1);
      return found->second;
    }
    if (text.starts_with("%")) return Register(text);
    if (text.starts_with("0f") || text.starts_with("0d")) {
      return Constant(std::strtoull(text.c_str() + 2, nullptr, 16), size);
    }
    if (text.starts_with("$")) {
      if (const auto table = tables_.find(text); table != tables_.end()) {
        return Constant(table->second, 8);
      }
      // Those in shared memory may have addresses of 32 bits.
      if (const auto array = arrays_.find(text); array != arrays_.end()) {
        return Constant(array->second, size);
      }
    }
    int64_t number = 0;
    const char* const last = text.data() + text.size();
    if (text.empty() || std::from_chars(text.data(), last, number).ptr != last) {
      Fail("no operand: " + text);
    }
    return Constant(static_cast<uint64_t>(number), size);
  }

  // [%d1+8], or the name of a parameter.
  void Address(const std::string& text, Inst& in) {
    if (!text.starts_with("[%") || !text.ends_with("]")) Fail("no address: " + text);
    const size_t plus = std::min(text.find('+'), text.size() - 1);
    in.a = Register(text.substr(1, plus - 1));
    in.narrow = text[2] == 'r';
    if (in.narrow && in.where != Where::kShared) Fail("an address of 32 bits: " + text);
    if (plus + 1 < text.size()) in.distance = std::strtoll(text.c_str() + plus + 1, nullptr, 10);
  }

  uint32_t Parameter(const std::string& text) {
    const std::string name = text.substr(1, text.size() - 2);
    const auto [found, is_new] = parameters_.try_emplace(name, 0);
    if (is_new) found->second = NewSlot();  // of a call
    return found->second;
  }

  static Where SpaceOf(const std::string& name) {
    return name == "shared" ? Where::kShared : name == "local" ? Where::kLocal : Where::kGlobal;
  }

  // ---- Instructions

  Inst One(const Statement& s) {
    Inst in;
    in.line = s.line;
    const std::string& op = s.op[0];
    const std::string& type = s.op.back();
    if (op != "bra" && !s.guard.empty()) Fail("a guard of " + op);
    if (op == "bra") {
      in.kind = Kind::kBranch;
      in.guard = s.guard.empty() ? 0 : Register(s.guard);
      in.negated = s.negated;
      if (in.guard == 0 && !s.guard.empty()) Fail("the guard is in slot 0");
      const auto label = function_.labels.find(s.operands.at(0));
      if (label == function_.labels.end()) Fail("no label " + s.operands[0]);
      in.target = piece_of_[label->second];
    } else if (op == "ret") {
      in.kind = Kind::kReturn;
    } else if (op == "barrier" && s.op.size() == 2 && s.op[1] == "sync" && s.operands[0] == "0") {
      in.kind = Kind::kBarrier;
    } else if (op == "membar") {
      in.kind = Kind::kFence;
    } else if (op == "call") {
      Call(s, in);
    } else if (op == "ld" || op == "st") {
      Access(s, in);
    } else if (op == "atom") {
      Atomic(s, in);
    } else {
      in.step = FindStep(s.op);
      if (in.step == nullptr) Fail("unknown instruction " + Joined(s.op));
      const uint32_t size = SizeOfType(type);
      const bool wide = op == "mad" && s.op[1] == "wide";
      in.d = Register(s.operands.at(0));
      in.a = Operand(s.operands.at(1), size);
      const bool shifts = op == "shl" || op == "shr";
      if (s.operands.size() > 2) in.b = Operand(s.operands[2], shifts ? 4 : size);
      if (s.operands.size() > 3) in.c = Operand(s.operands[3], wide ? 8 : op == "selp" ? 4 : size);
    }
    return in;
  }

  static std::string Joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ".") + part;
    return text;
  }

  void Call(const Statement& s, Inst& in) {
    in.kind = Kind::kCall;
    in.d = Parameter(s.operands.at(0));
    const auto found = numbers_.find(s.operands.at(1));
    if (found == numbers_.end()) Fail("no function " + s.operands[1]);
    in.target = found->second;
    std::string inside = s.operands.at(2).substr(1, s.operands[2].size() - 2);
    for (size_t at = 0; at < inside.size();) {
      const size_t comma = std::min(inside.find(',', at), inside.size());
      in.arguments.push_back(Parameter("[" + inside.substr(at, comma - at) + "]"));
      at = comma + 1;
    }
  }

  void Access(const Statement& s, Inst& in) {
    const bool loads = s.op[0] == "ld";
    const std::string& space = s.op.at(1);
    const std::string& type = s.op.back();
    in.size = static_cast<uint8_t>(SizeOfType(type));
    if (space == "param") {
      in.step = FindStep({"mov", in.size == 8 ? "b64" : "b32"});
      in.d = loads ? Register(s.operands.at(0)) : Parameter(s.operands.at(0));
      in.a = loads ? Parameter(s.operands.at(1)) : Operand(s.operands.at(1), in.size);
      return;
    }
    const bool cached = s.op.size() == 4 && s.op[2] == "nc" && loads;
    if (s.op.size() != 3 && !cached) Fail("unknown instruction " + Joined(s.op));
    if (space != "global" && space != "shared" && space != "local") Fail("no space " + space);
    in.kind = loads ? Kind::kLoad : Kind::kStore;
    in.where = SpaceOf(space);
    if (loads) {
      in.d = Register(s.operands.at(0));
      Address(s.operands.at(1), in);
    } else {
      Address(s.operands.at(0), in);
      in.d = Operand(s.operands.at(1), in.size);
    }
  }

  void Atomic(const Statement& s, Inst& in) {
    static const std::map<std::string, Change> kChanges = {
        {"add", Change::kAdd},       {"min", Change::kMin}, {"max", Change::kMax},
        {"and", Change::kAnd},       {"or", Change::kOr},   {"xor", Change::kXor},
        {"exch", Change::kExchange}, {"cas", Change::kSwap}};
    const auto change = s.op.size() == 4 ? kChanges.find(s.op[2]) : kChanges.end();
    if (change == kChanges.end()) Fail("unknown instruction " + Joined(s.op));
    in.kind = Kind::kAtomic;
    in.where = SpaceOf(s.op[1]);
    in.change = change->second;
    in.is_signed = s.op[3][0] == 's';
    in.size = static_cast<uint8_t>(SizeOfType(s.op[3]));
    in.d = Register(s.operands.at(0));
    Address(s.operands.at(1), in);
    in.b = Operand(s.operands.at(2), in.size);
    if (in.change == Change::kSwap) in.c = Operand(s.operands.at(3), in.size);
  }

  const PtxFunction& function_;
  const std::map<std::string, uint64_t>& tables_;
  const std::map<std::string, uint32_t>& numbers_;
  Code code_;
  uint32_t next_ = kSlot;  // 0 is none
  uint32_t line_ = 0;
  std::vector<uint32_t> piece_of_;
  std::map<std::string, uint32_t> bases_;
  std::map<std::string, uint32_t> parameters_;
  std::map<std::string, uint32_t> arrays_;
  std::map<std::string, uint32_t> ids_;
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> constants_;
};

}  // namespace

uint32_t SizeOfType(const std::string& type) {
  if (type == "pred") return 4;
  const std::string bits = type.size() > 1 ? type.substr(1) : "";
  if (bits == "8") return 1;
  if (bits == "16") return 2;
  if (bits == "32") return 4;
  if (bits == "64") return 8;
  throw PtxError("unknown type " + type);
}

Program Decode(const PtxModule& module, const std::map<std::string, uint64_t>& tables) {
  Program program;
  std::map<std::string, uint32_t> numbers;
  for (const PtxFunction& function : module.functions) {
    program.functions.push_back(Decoder(function, tables, numbers).Decode());
    numbers.emplace(function.name, static_cast<uint32_t>(program.functions.size() - 1));
  }
  return program;
}

}  // namespace fakecuda
