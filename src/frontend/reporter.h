// Collects the errors of one document, each with its place.
#pragma once

#include <set>
#include <string>
#include <tuple>
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

  // The file that positions are in, which that of a helper may change; gives the one before.
  std::string set_file(std::string file) { return std::exchange(file_, std::move(file)); }

  // The current kernel or helper, for messages; empty: the kernel itself.
  void set_instance(std::string instance) { instance_ = std::move(instance); }

  // `where` is added to the message. A message is said once in one place: helpers and instances
  // are checked many times.
  void Error(Position at, std::string message, const std::string& where = "") {
    ++count_;
    if (errors_.size() >= kMaxErrors) return;
    if (!said_.insert({at.line, at.column, file_ + path_, message}).second) return;
    message += where;
    if (!instance_.empty()) message += "; in " + instance_;
    if (at.line == 0 && !path_.empty()) message = path_ + ": " + message;
    errors_.push_back({ErrorCode::kInvalidKernel, {file_, at.line, at.column}, std::move(message)});
  }

  // Errors so far, with those beyond the limit, which are not kept.
  size_t count() const { return count_; }
  Diagnostics& errors() { return errors_; }

 private:
  std::string file_;
  std::string path_;
  std::string instance_;
  std::set<std::tuple<uint32_t, uint32_t, std::string, std::string>> said_;
  size_t count_ = 0;
  Diagnostics errors_;
};

}  // namespace hologram::frontend
