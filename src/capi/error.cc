#include "capi/error.h"

#include <algorithm>

namespace hologram::capi {
namespace {

int32_t CodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidText:
      return HOLOGRAM_ERROR_INVALID_TEXT;
    case ErrorCode::kInvalidKernel:
      return HOLOGRAM_ERROR_INVALID_KERNEL;
    case ErrorCode::kInvalidProgram:
      return HOLOGRAM_ERROR_INVALID_PROGRAM;
    case ErrorCode::kInvalidBundle:
      return HOLOGRAM_ERROR_INVALID_BUNDLE;
    case ErrorCode::kInvalidArgument:
      return HOLOGRAM_ERROR_INVALID_ARGUMENT;
    case ErrorCode::kFault:
      return HOLOGRAM_ERROR_FAULT;
    case ErrorCode::kNotFound:
      return HOLOGRAM_ERROR_NOT_FOUND;
    case ErrorCode::kUnsupported:
      return HOLOGRAM_ERROR_UNSUPPORTED;
    case ErrorCode::kResourceLimit:
      return HOLOGRAM_ERROR_RESOURCE_LIMIT;
    case ErrorCode::kInternal:
      return HOLOGRAM_ERROR_INTERNAL;
  }
  return HOLOGRAM_ERROR_INVALID_ARGUMENT;
}

void SetFault(std::shared_ptr<const FaultRecord> record, hologram_error* error) {
  if (record == nullptr) return;
  for (const OperandRecord& operand : record->operands) {
    error->operands.push_back({operand.name.c_str(), operand.reg, operand.type.c_str(),
                               operand.bits, operand.value.c_str()});
  }
  hologram_fault& fault = error->fault;
  fault.code = record->code;
  fault.instruction = record->instruction;
  fault.lane = record->lane;
  std::copy(record->block.begin(), record->block.end(), fault.block);
  std::copy(record->lane_in_block.begin(), record->lane_in_block.end(), fault.lane_in_block);
  fault.index = record->index;
  fault.extent = record->extent;
  fault.num_operands = error->operands.size();
  fault.operands = error->operands.data();
  error->record = std::move(record);
}

}  // namespace

hologram_error* MakeError(const Diagnostics& errors) {
  const Diagnostic& first = errors.front();
  auto* error = new hologram_error;
  error->code = CodeOf(first.code);
  error->message = first.message;
  error->file = first.where.file;
  error->line = first.where.line;
  error->column = first.where.column;
  SetFault(first.fault, error);
  for (const Diagnostic& diagnostic : errors) {
    if (!error->text.empty()) error->text += '\n';
    error->text += ToString(diagnostic);
  }
  return error;
}

hologram_error* MakeError(ErrorCode code, std::string message) {
  return MakeError({Error(code, std::move(message))});
}

}  // namespace hologram::capi

int32_t hologram_error_code(const hologram_error* error) {
  return error->code;
}
const char* hologram_error_message(const hologram_error* error) {
  return error->message.c_str();
}
const char* hologram_error_text(const hologram_error* error) {
  return error->text.c_str();
}
const char* hologram_error_file(const hologram_error* error) {
  return error->file.c_str();
}
uint32_t hologram_error_line(const hologram_error* error) {
  return error->line;
}
uint32_t hologram_error_column(const hologram_error* error) {
  return error->column;
}
const hologram_fault* hologram_error_fault(const hologram_error* error) {
  return error->record == nullptr ? nullptr : &error->fault;
}
void hologram_error_destroy(hologram_error* error) {
  delete error;
}
