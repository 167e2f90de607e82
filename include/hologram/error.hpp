// Errors of hologram.h as exceptions. Part of hologram.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "hologram.h"

namespace hologram {

class Error : public std::runtime_error {
 public:
  // Takes over `error`.
  explicit Error(hologram_error* error)
      : std::runtime_error(hologram_error_text(error)),
        code_(hologram_error_code(error)),
        message_(hologram_error_message(error)),
        file_(hologram_error_file(error)),
        line_(hologram_error_line(error)),
        column_(hologram_error_column(error)),
        error_(error, hologram_error_destroy) {}
  // What this header and tensor.hpp find themselves.
  Error(int code, const std::string& message)
      : std::runtime_error("hologram: error: " + message), code_(code), message_(message) {}
  int code() const { return code_; }  // HOLOGRAM_ERROR_*
  const std::string& message() const { return message_; }
  const std::string& file() const { return file_; }
  std::uint32_t line() const { return line_; }
  std::uint32_t column() const { return column_; }
  // Lane, block and operands of a fault; null: not a fault of a lane. Lives as long as the last
  // copy of this error.
  const hologram_fault* fault() const {
    return error_ == nullptr ? nullptr : hologram_error_fault(error_.get());
  }

 private:
  int code_;
  std::string message_;
  std::string file_;
  std::uint32_t line_ = 0;
  std::uint32_t column_ = 0;
  std::shared_ptr<hologram_error> error_;
};

namespace detail {

inline void check(hologram_error* error) {
  if (error != nullptr) [[unlikely]] {
    throw Error(error);
  }
}

// Throws what the headers find wrong themselves.
[[noreturn]] inline void refuse(const std::string& message) {
  throw Error(HOLOGRAM_ERROR_INVALID_ARGUMENT, message);
}

}  // namespace detail

}  // namespace hologram
