// Collects the errors of one document, each with its place.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "frontend/ast.h"

namespace hologram::frontend {

class Reporter {
 public:
  static constexpr size_t kMaxErrors = 20;

  explicit Reporter(std::string file) : file_(std::move(file)) {}

  // Where in the JSON the walk is, for nodes without a position.
  void set_path(std::string path) { path_ = std::move(path); }

  void Error(Position at, std::string message) {
    ++count_;
    if (errors_.size() >= kMaxErrors) return;
    if (at.line == 0 && !path_.empty()) message = path_ + ": " + message;
    errors_.push_back({ErrorCode::kInvalidKernel, {file_, at.line, at.column}, std::move(message)});
  }

  // An error that was said before.
  void Repeat() { ++count_; }

  // Errors so far, with those beyond the limit, which are not kept.
  size_t count() const { return count_; }
  Diagnostics& errors() { return errors_; }

 private:
  std::string file_;
  std::string path_;
  size_t count_ = 0;
  Diagnostics errors_;
};

}  // namespace hologram::frontend
