#include "codegen/emit/agreement.h"

#include "codegen/instructions/lanewise.h"

namespace hologram::codegen {

using llvm::ConstantInt;
using llvm::Value;

void Agreement::Note(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  const bool exact = isa::IsInteger(in.type) && in.type != isa::Type::kU64;
  if (!exact || !chunk_.all() || plan_.scalar) return;
  if (in.condition() == isa::Condition::kEq || in.condition() == isa::Condition::kNe) return;
  const OperandId sides[] = {plan_.operands[pc].reads[0], plan_.operands[pc].reads[1]};
  std::array<Value*, 2> first{};
  std::array<Value*, 2> last{};
  for (size_t k = 0; k < 2; ++k) {
    const OperandId id = sides[k];
    const Kind kind = plan_.KindOf(id);
    if (id == kNoOperand || kind == Kind::kVarying) return;
    const int64_t stride = kind == Kind::kUniform ? 0
                           : IsFixed(id)          ? 1
                                                  : plan_.webs[static_cast<size_t>(id)].stride;
    const int64_t lanes = int64_t{f_.target().width} * chunk_.unroll();
    first[k] = registers_.Exact(id);
    last[k] = b_.CreateAdd(first[k], ConstantInt::getSigned(b_.getInt64Ty(), stride * (lanes - 1)));
  }
  isa::Instruction wide = in;
  wide.type = isa::Type::kI64;
  predicate_ = plan_.operands[pc].write;
  first_ = lanewise::Set(f_, wide, {first[0], first[1]});
  last_ = lanewise::Set(f_, wide, {last[0], last[1]});
}

}  // namespace hologram::codegen
