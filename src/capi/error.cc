#include "capi/error.h"

#include <cxxabi.h>

#include <algorithm>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "capi/guard.h"

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
    case ErrorCode::kCancelled:
      return HOLOGRAM_ERROR_CANCELLED;
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

// Errors that exist before they are needed: there may be no memory for one then. Nobody writes
// them, and to destroy one does nothing.
hologram_error Fixed(int32_t code, const char* message, const char* text) {
  hologram_error error;
  error.code = code;
  error.fixed_message = message;
  error.fixed_text = text;
  return error;
}

hologram_error no_memory =
    Fixed(HOLOGRAM_ERROR_RESOURCE_LIMIT, "out of memory", "hologram: error: out of memory");
hologram_error unknown_exception =
    Fixed(HOLOGRAM_ERROR_INTERNAL, "an exception of an unknown type was thrown",
          "hologram: error: an exception of an unknown type was thrown");

hologram_error* Described(ErrorCode code, const char* prefix, const std::exception& exception) {
  try {
    return MakeError(code, std::string(prefix) + exception.what());
  } catch (const std::bad_alloc&) {
    return &no_memory;
  }
}

}  // namespace

hologram_error* MakeError(const Diagnostics& errors) {
  const Diagnostic& first = errors.front();
  auto error = std::make_unique<hologram_error>();
  error->code = CodeOf(first.code);
  error->message = first.message;
  error->file = first.where.file;
  error->line = first.where.line;
  error->column = first.where.column;
  SetFault(first.fault, error.get());
  for (const Diagnostic& diagnostic : errors) {
    if (!error->text.empty()) error->text += '\n';
    error->text += ToString(diagnostic);
  }
  return error.release();
}

hologram_error* MakeError(ErrorCode code, std::string message) {
  return MakeError({Error(code, std::move(message))});
}

hologram_error* FromException() {
  try {
    throw;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (const std::bad_alloc&) {
    return &no_memory;
  } catch (const std::length_error&) {  // a size that no memory has
    return &no_memory;
  } catch (const std::system_error& error) {
    return Described(ErrorCode::kResourceLimit, "", error);
  } catch (const std::exception& error) {
    return Described(ErrorCode::kInternal, "a mistake of this library: ", error);
  } catch (...) {
    return &unknown_exception;
  }
}

void DropException() {
  try {
    throw;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return;
  }
}

hologram_error* NullArgument(const char* function, const char* argument) {
  return MakeError(ErrorCode::kInvalidArgument,
                   std::string(function) + ": " + argument + " is NULL");
}

}  // namespace hologram::capi

int32_t hologram_error_code(const hologram_error* error) {
  if (error == nullptr) return 0;
  return error->code;
}
const char* hologram_error_message(const hologram_error* error) {
  if (error == nullptr) return "";
  return error->fixed_message != nullptr ? error->fixed_message : error->message.c_str();
}
const char* hologram_error_text(const hologram_error* error) {
  if (error == nullptr) return "";
  return error->fixed_text != nullptr ? error->fixed_text : error->text.c_str();
}
const char* hologram_error_file(const hologram_error* error) {
  if (error == nullptr) return "";
  return error->file.c_str();
}
uint32_t hologram_error_line(const hologram_error* error) {
  if (error == nullptr) return 0;
  return error->line;
}
uint32_t hologram_error_column(const hologram_error* error) {
  if (error == nullptr) return 0;
  return error->column;
}
const hologram_fault* hologram_error_fault(const hologram_error* error) {
  if (error == nullptr) return nullptr;
  return error->record == nullptr ? nullptr : &error->fault;
}
void hologram_error_destroy(hologram_error* error) {
  if (error != nullptr && error->fixed_text == nullptr) delete error;
}
