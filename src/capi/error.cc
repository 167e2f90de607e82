#include "capi/error.h"

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
  }
  return HOLOGRAM_ERROR_INVALID_ARGUMENT;
}

}  // namespace

hologram_error* MakeError(const Diagnostics& errors) {
  const Diagnostic& first = errors.front();
  auto* error = new hologram_error{CodeOf(first.code), first.message,    "",
                                   first.where.file,   first.where.line, first.where.column};
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
void hologram_error_destroy(hologram_error* error) {
  delete error;
}
