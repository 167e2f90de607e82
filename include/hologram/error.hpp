// Errors of hologram.h as exceptions. Part of hologram.hpp. Tested by tests/capi/cpp_test.cc.
//
//   try {
//     kernel(a, b, c, n);
//   } catch (const hologram::Error& error) {
//     if (error.code() != HOLOGRAM_ERROR_FAULT) throw;
//     std::fprintf(stderr, "%s\n", error.what());  // "blur.py:12:18: error: src[i + 2] reads ..."
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "hologram.h"

namespace hologram {

// The one exception that the headers throw for what the library refuses and for faults of kernels;
// only memory that the headers themselves cannot have is std::bad_alloc, and memory that the
// library cannot have is HOLOGRAM_ERROR_RESOURCE_LIMIT.
//
// A launch that is refused has written nothing. After a fault (HOLOGRAM_ERROR_FAULT) written
// buffers may hold part of the results, after HOLOGRAM_ERROR_CANCELLED anything.
//
// An error has its own copy of all texts: it needs neither the executor nor the kernel, and may go
// to another thread. Copies share the description of a fault.
class Error : public std::runtime_error {
 public:
  // Takes over `error`, which is destroyed with the last copy of this. REQUIRES: error != nullptr.
  explicit Error(hologram_error* error)
      : std::runtime_error(hologram_error_text(error)),
        code_(hologram_error_code(error)),
        message_(hologram_error_message(error)),
        file_(hologram_error_file(error)),
        line_(hologram_error_line(error)),
        column_(hologram_error_column(error)),
        error_(error, hologram_error_destroy) {}

  // An error that a header finds itself, without a place: what() is "hologram: error: " and the
  // message.
  Error(int code, const std::string& message)
      : std::runtime_error("hologram: error: " + message), code_(code), message_(message) {}

  // HOLOGRAM_ERROR_* (hologram.h): the kind of error, for programs. Messages are for people, and
  // may change from version to version.
  int code() const { return code_; }

  // The text without its place: "src[i + 2] reads element 500 of 500 (i = 498)". what() is all of
  // it, and has a line for each if there are several errors.
  const std::string& message() const { return message_; }

  // The source file of the kernel that the error is about, "blur.py"; "" if there is no place.
  const std::string& file() const { return file_; }

  // The line and column there, counted from 1; 0 if there is no place. Of several errors these are
  // of the first.
  std::uint32_t line() const { return line_; }
  std::uint32_t column() const { return column_; }

  // Lane, block and operands of a fault of a lane (hologram.h); null for any other error. It lives
  // as long as the last copy of this error.
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

// Throws `error`, which it takes over, unless it is null: success.
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
