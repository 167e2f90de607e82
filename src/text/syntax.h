// Text form of operand kinds, shared by printer and parser: which kinds are
// suffixes of the mnemonic ("atg.add", "setlt", "exp.fast") and which are operands after it.
#pragma once

#include <string_view>
#include <vector>

#include "isa/instruction.h"

namespace hologram::text {

// Before the type in the mnemonic: condition (glued on), atomic operation, accuracy, scope, block
// operation.
inline bool IsLeadingSuffix(isa::OperandKind kind) {
  return kind == isa::OperandKind::kCondition || kind == isa::OperandKind::kAtomicOp ||
         kind == isa::OperandKind::kAccuracy || kind == isa::OperandKind::kScope ||
         kind == isa::OperandKind::kBlockOp;
}

inline bool IsTextOperand(isa::OperandKind kind) {
  return !IsLeadingSuffix(kind) && kind != isa::OperandKind::kOptPred;
}

// The words for the values 0, 1, ... of a kind that is written as a word.
inline std::vector<std::string_view> WordsOf(isa::OperandKind kind) {
  std::vector<std::string_view> words;
  if (kind == isa::OperandKind::kCondition) {
    for (int i = 0; i < isa::kNumConditions; ++i) {
      words.push_back(NameOf(static_cast<isa::Condition>(i)));
    }
  } else if (kind == isa::OperandKind::kAtomicOp) {
    for (int i = 0; i < isa::kNumAtomicOps; ++i) {
      words.push_back(NameOf(static_cast<isa::AtomicOp>(i)));
    }
  } else if (kind == isa::OperandKind::kBlockOp) {
    for (int i = 0; i < isa::kNumBlockForms; ++i) words.push_back(isa::NameOfBlockForm(i));
  } else if (kind == isa::OperandKind::kScope) {
    for (int i = 0; i < isa::kNumScopes; ++i) words.push_back(NameOf(static_cast<isa::Scope>(i)));
  } else if (kind == isa::OperandKind::kSreg) {
    for (int i = 0; i < isa::kNumSregs; ++i) words.push_back(NameOf(static_cast<isa::Sreg>(i)));
  }
  return words;
}

}  // namespace hologram::text
