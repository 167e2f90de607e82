// How an expression becomes the text of a circuit (docs/sigmatics.md), and the text a kernel, once
// in a process. Part of expression.hpp, which tests it. Nothing here is on the path of a call.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "../hologram.hpp"
#include "type_names.hpp"

namespace hologram::detail {

// Operands and results of a step.
struct CircuitValue {
  int step = -1;     // that computes it, or -1:
  std::string text;  // an array, a scalar or a literal
  std::uint32_t type = 0;
};

// The steps of one expression. Arrays and numbers are asked for in the order of the expression;
// those arrays that are the same memory have one number.
class CircuitWriter {
 public:
  explicit CircuitWriter(std::vector<std::uint8_t> same) : same_(std::move(same)) {}

  CircuitValue array(std::uint32_t type) {
    const std::uint8_t number = same_[next_array_++];
    if (number == arrays_.size()) arrays_.push_back(type);
    return {-1, class_text(number), type};
  }
  CircuitValue number(std::uint32_t type) {
    scalars_.push_back(type);
    return {-1, "$s" + std::to_string(scalars_.size() - 1), type};
  }
  CircuitValue literal(const std::string& text, std::uint32_t type) const {
    return {-1, "#" + text + ":" + type_names[type], type};
  }
  CircuitValue step(const std::string& word, std::uint32_t type,
                    std::initializer_list<CircuitValue> sources) {
    steps_.push_back({word, sources});
    return {static_cast<int>(steps_.size()) - 1, {}, type};
  }
  CircuitValue cast(const CircuitValue& x, std::uint32_t type) {
    return x.type == type ? x : step(std::string("merge:") + type_names[type], type, {x});
  }

  // REQUIRES: everything was asked for.
  std::string finish(const CircuitValue& result) const {
    std::vector<std::size_t> last(steps_.size(), 0);  // the last step that reads a step
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      for (const CircuitValue& source : steps_[s].sources) {
        if (source.step >= 0) last[static_cast<std::size_t>(source.step)] = s;
      }
    }
    if (result.step >= 0) last[static_cast<std::size_t>(result.step)] = steps_.size();
    std::vector<std::size_t> place(steps_.size());
    std::vector<std::size_t> free;
    std::size_t next_class = arrays_.size() + 1;  // behind the arrays and the result
    const auto text_of = [&](const CircuitValue& value) {
      return value.step < 0 ? value.text : class_text(place[static_cast<std::size_t>(value.step)]);
    };
    std::string terms;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      const auto& sources = steps_[s].sources;
      std::string term = steps_[s].word + "@" + text_of(sources[0]) + "[";
      // One operand occurs twice, as source and as context.
      for (std::size_t k = sources.size() == 1 ? 0 : 1; k < sources.size(); ++k) {
        term += text_of(sources[k]) + ",";
      }
      for (std::size_t k = 0; k < sources.size(); ++k) {
        const int read = sources[k].step;
        const bool again = std::any_of(sources.begin(), sources.begin() + static_cast<int>(k),
                                       [&](const auto& other) { return other.step == read; });
        if (read >= 0 && !again && last[static_cast<std::size_t>(read)] == s) {
          free.push_back(place[static_cast<std::size_t>(read)]);
        }
      }
      if (free.empty()) {
        place[s] = next_class++;
      } else {
        place[s] = free.back();
        free.pop_back();
      }
      terms += term + class_text(place[s]) + "] . ";
    }
    if (next_class > 96) {
      throw Error(HOLOGRAM_ERROR_RESOURCE_LIMIT,
                  "an expression with more than 96 values at a time; compute a part of it first");
    }
    std::string header;
    const auto add = [&](std::uint32_t type, const std::string& name) {
      header += (header.empty() ? "" : ", ") + std::string(type_names[type]) + " " + name;
    };
    for (std::size_t k = 0; k < arrays_.size(); ++k) add(arrays_[k], class_text(k));
    for (std::size_t k = 0; k < scalars_.size(); ++k) add(scalars_[k], "$s" + std::to_string(k));
    const std::string out = class_text(arrays_.size());
    return "(" + header + ") -> (" + type_names[result.type] + " " + out + ") over n " + terms +
           "copy@" + text_of(result) + "->" + out;
  }

 private:
  struct Step {
    std::string word;
    std::vector<CircuitValue> sources;
  };

  static std::string class_text(std::size_t number) {
    return (number < 10 ? "c0" : "c") + std::to_string(number);
  }

  std::vector<std::uint8_t> same_;
  std::size_t next_array_ = 0;
  std::vector<std::uint32_t> arrays_;
  std::vector<std::uint32_t> scalars_;
  std::vector<Step> steps_;
};

// Of the process: expressions of equal canonical circuits have one kernel. Thread-safe. Throws.
inline Kernel circuit_kernel(const std::string& circuit) {
  static std::mutex mutex;
  static Executor executor;
  static std::map<std::string, Kernel> kernels;  // by what they compute
  const std::lock_guard lock(mutex);
  executor.load_circuit(circuit, "expression");
  Kernel kernel = executor.kernel("expression");
  return kernels.try_emplace(kernel.id(), kernel).first->second;
}

}  // namespace hologram::detail
