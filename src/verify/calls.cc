// A function is what can be reached from the target of a call, where a call in it goes on behind
// itself if what it calls can return. Functions may share code and need not be contiguous: the copy
// holds the instructions of the function in their order, with the copies for its calls between
// them. How far an instruction is from the start of a copy is the same in all copies.
#include "verify/calls.h"

#include <algorithm>

#include "base/check.h"

namespace hologram::verify {
namespace {

using isa::Instruction;
using isa::Opcode;

constexpr uint32_t kNowhere = UINT32_MAX;

struct Function {
  uint32_t entry = 0;
  std::vector<uint32_t> code;     // ascending
  std::vector<uint32_t> offset;   // of each, from the start of a copy
  std::vector<uint32_t> callees;  // functions, once per call, in order
  uint32_t depth = 0;             // the most calls that lead here
  uint64_t size = 0;              // of a copy
  bool falls_off = false;         // the last instruction goes on to the end of the program
};

class Expander {
 public:
  explicit Expander(const isa::Program& program)
      : program_(program), code_(program.code), size_(static_cast<uint32_t>(program.code.size())) {}

  Result<Expansion> Run() {
    FindReturning();
    HOLOGRAM_RETURN_IF_ERROR(FindFunctions());
    HOLOGRAM_RETURN_IF_ERROR(CheckTop());
    Expansion result;
    if (!Order()) {
      HOLOGRAM_RETURN_IF_ERROR(CheckEdges());
      result.program = program_;
      result.recursive = true;
      return result;
    }
    HOLOGRAM_RETURN_IF_ERROR(Measure());
    result.program = program_;
    result.program.code.assign(functions_[0].size, Instruction{});
    result.source.assign(functions_[0].size, 0);
    end_ = static_cast<uint32_t>(functions_[0].size);
    out_ = &result;
    Copy(0, 0, end_);
    if (!program_.debug.empty()) {
      result.program.debug.clear();
      for (const uint32_t pc : result.source) result.program.debug.push_back(program_.debug[pc]);
    }
    return result;
  }

  // REQUIRES: a program that Run() takes.
  std::optional<isa::Program> Ways() {
    FindReturning();
    HOLOGRAM_CHECK(FindFunctions().ok());
    std::optional<uint32_t> end;  // an EXIT of something that is called
    for (size_t f = 1; f < functions_.size(); ++f) {
      if (functions_[f].falls_off) return std::nullopt;
      for (const uint32_t pc : functions_[f].code) {
        if (isa::IsBarrier(code_[pc].op)) return std::nullopt;
        if (code_[pc].op == Opcode::kExit) end = pc;
      }
    }
    isa::Program ways = program_;
    for (const uint32_t pc : functions_[0].code) {
      if (code_[pc].op != Opcode::kCall) continue;
      const bool returns = returns_[code_[pc].target()];
      if (!returns && !end) return std::nullopt;
      Instruction& jump = ways.code[pc];
      jump = Instruction{};
      jump.op = Opcode::kBra;
      jump.mod = returns && end ? 1 : 0;  // with a predicate, whichever
      jump.imm = end ? *end : pc + 1;
    }
    return ways;
  }

 private:
  Diagnostics ErrorAt(uint32_t pc, const std::string& message) const {
    return Diagnostics{{ErrorCode::kInvalidProgram, program_.LocationOf(pc),
                        "instruction " + std::to_string(pc) + ": " + message}};
  }

  bool GoesOn(uint32_t pc) const {
    const Instruction& i = code_[pc];
    if (i.op == Opcode::kCall) return returns_[i.target()];
    return !isa::IsJump(i.op) || i.branches();
  }

  // returns_[pc]: a lane that is at `pc` may come to the RET of the same call. A call counts when
  // both what it calls and what follows it may.
  void FindReturning() {
    returns_.assign(size_ + 1, false);
    std::vector<std::vector<uint32_t>> from(size_ + 1);
    std::vector<uint32_t> work;
    for (uint32_t pc = 0; pc < size_; ++pc) {
      const Instruction& i = code_[pc];
      if (isa::HasTarget(i.op)) from[i.target()].push_back(pc);
      if (i.op == Opcode::kCall || !isa::IsJump(i.op) || i.branches()) from[pc + 1].push_back(pc);
      if (i.op == Opcode::kRet) work.push_back(pc);
    }
    while (!work.empty()) {
      const uint32_t pc = work.back();
      work.pop_back();
      if (returns_[pc]) continue;
      returns_[pc] = true;
      for (const uint32_t p : from[pc]) {
        const Instruction& i = code_[p];
        if (i.op != Opcode::kCall || (returns_[i.target()] && returns_[p + 1])) work.push_back(p);
      }
    }
  }

  Status FindFunctions() {
    function_at_.assign(size_ + 1, kNowhere);
    AddFunction(0);
    std::vector<uint32_t> seen(size_, kNowhere);
    size_t total = 0;
    for (uint32_t f = 0; f < functions_.size(); ++f) {
      std::vector<uint32_t> code = Reach(functions_[f].entry, f, seen);
      std::sort(code.begin(), code.end());
      total += code.size() + 1;
      if (total > kMaxWork) {
        return Error(ErrorCode::kInvalidProgram,
                     "the functions of the program are together larger "
                     "than " +
                         std::to_string(kMaxWork) + " instructions");
      }
      for (const uint32_t pc : code) {
        if (code_[pc].op != Opcode::kCall) continue;
        const uint32_t callee = AddFunction(code_[pc].target());
        functions_[f].callees.push_back(callee);
      }
      functions_[f].falls_off = !code.empty() && code.back() + 1 == size_ &&
                                code_[code.back()].op != Opcode::kCall && GoesOn(code.back());
      functions_[f].code = std::move(code);
    }
    return Success{};
  }

  uint32_t AddFunction(uint32_t entry) {
    if (function_at_[entry] == kNowhere) {
      function_at_[entry] = static_cast<uint32_t>(functions_.size());
      functions_.emplace_back();
      functions_.back().entry = entry;
    }
    return function_at_[entry];
  }

  std::vector<uint32_t> Reach(uint32_t entry, uint32_t mark, std::vector<uint32_t>& seen) const {
    std::vector<uint32_t> found;
    const auto visit = [&](uint32_t pc) {
      if (pc >= size_ || seen[pc] == mark) return;
      seen[pc] = mark;
      found.push_back(pc);
    };
    visit(entry);
    for (size_t k = 0; k < found.size(); ++k) {
      const uint32_t pc = found[k];
      if (GoesOn(pc)) visit(pc + 1);
      if (code_[pc].op != Opcode::kCall && isa::HasTarget(code_[pc].op)) visit(code_[pc].target());
    }
    return found;
  }

  Status CheckTop() const {
    for (const uint32_t pc : functions_[0].code) {
      if (code_[pc].op == Opcode::kRet) {
        return ErrorAt(pc, "ret is reached without a call; end the lane with exit");
      }
    }
    return Success{};
  }

  // From every RET control may go on behind every call.
  Status CheckEdges() const {
    constexpr uint64_t kMaxEdges = 65536;
    uint64_t calls = 0;
    uint64_t returns = 0;
    for (const Instruction& i : code_) {
      calls += i.op == Opcode::kCall ? 1 : 0;
      returns += i.op == Opcode::kRet ? 1 : 0;
    }
    if (calls * returns <= kMaxEdges) return Success{};
    return Error(ErrorCode::kInvalidProgram,
                 "a program in which a function calls itself has " + std::to_string(calls) +
                     " calls and " + std::to_string(returns) +
                     " returns; their product is above the limit of " + std::to_string(kMaxEdges));
  }

  // Callers before what they call. False if a function may call itself.
  bool Order() {
    std::vector<uint32_t> callers(functions_.size(), 0);
    for (const Function& f : functions_) {
      for (const uint32_t callee : f.callees) ++callers[callee];
    }
    if (callers[0] == 0) order_.push_back(0);
    for (size_t k = 0; k < order_.size(); ++k) {
      for (const uint32_t callee : functions_[order_[k]].callees) {
        if (--callers[callee] == 0) order_.push_back(callee);
      }
    }
    return order_.size() == functions_.size();
  }

  Status Measure() {
    for (const uint32_t f : order_) {
      for (const uint32_t callee : functions_[f].callees) {
        functions_[callee].depth = std::max(functions_[callee].depth, functions_[f].depth + 1);
      }
      if (functions_[f].depth > isa::kMaxCallDepth) {
        return ErrorAt(std::min(functions_[f].entry, size_ - 1),
                       "calls are nested " + std::to_string(functions_[f].depth) +
                           " deep here, the limit is " + std::to_string(isa::kMaxCallDepth));
      }
    }
    for (size_t k = order_.size(); k-- > 0;) {
      Function& f = functions_[order_[k]];
      size_t call = 0;
      for (const uint32_t pc : f.code) {
        f.offset.push_back(static_cast<uint32_t>(f.size++));
        if (code_[pc].op == Opcode::kCall) f.size += functions_[f.callees[call++]].size;
        if (f.size > isa::kMaxInstructions) {
          return Error(ErrorCode::kInvalidProgram, "calls expand the program to more than " +
                                                       std::to_string(isa::kMaxInstructions) +
                                                       " instructions");
        }
      }
      if (f.falls_off && order_[k] != 0) ++f.size;
    }
    return Success{};
  }

  uint32_t Place(const Function& f, uint32_t base, uint32_t pc) const {
    if (pc >= size_) return end_;
    const auto found = std::lower_bound(f.code.begin(), f.code.end(), pc);
    HOLOGRAM_CHECK(found != f.code.end() && *found == pc);
    return base + f.offset[static_cast<size_t>(found - f.code.begin())];
  }

  // `back`: where a RET continues. As deep as calls are nested.
  void Copy(uint32_t number, uint32_t base, uint32_t back) {
    const Function& f = functions_[number];
    size_t call = 0;
    for (size_t k = 0; k < f.code.size(); ++k) {
      const uint32_t pc = f.code[k];
      const uint32_t at = base + f.offset[k];
      Instruction i = code_[pc];
      if (i.op == Opcode::kCall) {
        const uint32_t callee = f.callees[call++];
        const Function& g = functions_[callee];
        Copy(callee, at + 1, returns_[i.target()] ? Place(f, base, pc + 1) : end_);
        i = Jump(Place(g, at + 1, g.entry));
      } else if (i.op == Opcode::kRet) {
        i = Jump(back);
      } else if (isa::HasTarget(i.op)) {
        i.imm = Place(f, base, i.target());
      }
      Put(at, i, pc);
    }
    if (f.falls_off && number != 0) {
      Put(base + static_cast<uint32_t>(f.size) - 1, Jump(end_), f.code.back());
    }
  }

  static Instruction Jump(uint32_t target) {
    Instruction jump;
    jump.op = Opcode::kBra;
    jump.imm = target;
    return jump;
  }

  void Put(uint32_t at, const Instruction& i, uint32_t pc) {
    out_->program.code[at] = i;
    out_->source[at] = pc;
  }

  static constexpr size_t kMaxWork = size_t{1} << 20;

  const isa::Program& program_;
  const std::vector<Instruction>& code_;
  uint32_t size_;
  std::vector<bool> returns_;
  std::vector<uint32_t> function_at_;
  std::vector<Function> functions_;
  std::vector<uint32_t> order_;
  uint32_t end_ = 0;
  Expansion* out_ = nullptr;
};

}  // namespace

bool HasCalls(const isa::Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& i) {
    return i.op == Opcode::kCall || i.op == Opcode::kRet;
  });
}

Result<Expansion> ExpandCalls(const isa::Program& program) {
  return Expander(program).Run();
}

std::optional<isa::Program> WaysOutsideOfCalls(const isa::Program& program) {
  return Expander(program).Ways();
}

}  // namespace hologram::verify
