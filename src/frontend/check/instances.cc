#include "frontend/check/instances.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace hologram::frontend {
namespace {

// A kernel over two variables of all twelve types has 144.
constexpr size_t kMaxInstances = 256;

// 3, -0.5, 1e-3, True, inf: what a literal may be, with a sign.
std::optional<Constant> ParseConstant(const std::string& text) {
  if (text == "True" || text == "true") return Constant::Bool(true);
  if (text == "False" || text == "false") return Constant::Bool(false);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "inf") return Constant::Float(kInfinity);
  if (text == "-inf") return Constant::Float(-kInfinity);
  if (text == "nan") return Constant::Float(std::numeric_limits<double>::quiet_NaN());
  const char* end = text.data() + text.size();
  const bool is_float = text.find_first_of(".eE") != std::string::npos;
  if (is_float) {
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
    return Constant::Float(value);
  }
  if (text.starts_with("-")) {
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return Constant::Int(value);
  }
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return Constant::Int(value);
}

// The value as a part of a name: -0.5 is m0p5.
std::string Spelled(const Constant& constant) {
  std::string text = ToString(constant);
  std::erase(text, '+');
  std::replace(text.begin(), text.end(), '-', 'm');
  std::replace(text.begin(), text.end(), '.', 'p');
  return text;
}

ValueType SoftTypeOf(const Constant& constant) {
  if (constant.is_bool()) return ValueType::Bool();
  return constant.is_int() ? ValueType::SoftInt() : ValueType::SoftFloat();
}

// What one variable or parameter can be, and how that is part of the name.
struct Choice {
  std::string suffix;
  std::optional<isa::Type> type;
  std::optional<Constant> value;
};
struct Dimension {
  std::string name;
  std::vector<Choice> choices;
};

// All types of a variable, or those that are given for it.
Dimension TypesOf(const TypeVariable& variable, const Kernel& kernel,
                  std::vector<CompileTimeValue>& constants, Reporter& reporter) {
  Dimension dimension{variable.name, {}};
  std::vector<isa::Type> types = variable.types;
  for (CompileTimeValue& constant : constants) {
    if (constant.name != variable.name) continue;
    constant.used = true;
    types.clear();
    for (const std::string& text : constant.values) {
      const std::optional<isa::Type> type = ParseScalar(text);
      if (type && variable.Has(*type)) {
        types.push_back(*type);
      } else {
        reporter.Error(kernel.at, "'" + text + "' is given for " + variable.name + " of " +
                                      kernel.name + ", which is " + variable.Choices());
      }
    }
  }
  for (const isa::Type type : types) {
    dimension.choices.push_back({"_" + std::string(isa::NameOf(type)), type, std::nullopt});
  }
  return dimension;
}

Dimension ValuesOf(const KernelParameter& parameter, const Kernel& kernel,
                   std::vector<CompileTimeValue>& constants, Reporter& reporter) {
  Dimension dimension{parameter.name, {}};
  // The default is no part of the name.
  const auto add = [&](const Constant& value) {
    const bool preset = parameter.preset && Spelled(*parameter.preset) == Spelled(value);
    const std::string suffix = preset ? "" : "_" + parameter.name + Spelled(value);
    for (const Choice& choice : dimension.choices) {
      if (choice.suffix != suffix) continue;
      return reporter.Error(parameter.at, "the value " + ToString(value) + " is given for '" +
                                              parameter.name + "' twice; remove one");
    }
    dimension.choices.push_back({suffix, std::nullopt, value});
  };
  bool given = false;
  for (CompileTimeValue& constant : constants) {
    if (constant.name != parameter.name) continue;
    given = constant.used = true;
    for (const std::string& text : constant.values) {
      if (const std::optional<Constant> value = ParseConstant(text)) {
        add(*value);
      } else {
        reporter.Error(parameter.at, "the value given for '" + parameter.name +
                                         "' is no number: '" + text +
                                         "'; write an integer, a float, True or False");
      }
    }
  }
  if (!given && parameter.preset) add(*parameter.preset);
  if (!given && !parameter.preset) {
    reporter.Error(parameter.at,
                   "'" + parameter.name + "' of " + kernel.name +
                       " is known at compile time only; give it a value, --set-const " +
                       parameter.name + "=VALUE, or a default");
  }
  return dimension;
}

std::vector<Dimension> DimensionsOf(const Document& document, const Kernel& kernel,
                                    std::vector<CompileTimeValue>& constants, Reporter& reporter) {
  std::vector<Dimension> types;
  std::vector<Dimension> values;
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.is_constexpr) {
      values.push_back(ValuesOf(parameter, kernel, constants, reporter));
      continue;
    }
    const TypeVariable* variable = document.FindTypeVariable(parameter.type);
    const bool known = variable == nullptr ||
                       std::any_of(types.begin(), types.end(), [&](const Dimension& dimension) {
                         return dimension.name == variable->name;
                       });
    if (!known) types.push_back(TypesOf(*variable, kernel, constants, reporter));
  }
  types.insert(types.end(), std::make_move_iterator(values.begin()),
               std::make_move_iterator(values.end()));
  return types;
}

}  // namespace

std::vector<Instance> InstancesOf(const Document& document, const Kernel& kernel,
                                  std::vector<CompileTimeValue>& constants, Reporter& reporter) {
  const size_t before = reporter.count();
  const std::vector<Dimension> dimensions = DimensionsOf(document, kernel, constants, reporter);
  if (reporter.count() != before) return {};
  std::vector<Instance> instances = {{kernel.name, {}}};
  for (const Dimension& dimension : dimensions) {
    if (instances.size() * dimension.choices.size() > kMaxInstances) {
      reporter.Error(kernel.at, "kernel '" + kernel.name + "' has more than " +
                                    std::to_string(kMaxInstances) +
                                    " instances; give its type variables fewer types");
      return {};
    }
    std::vector<Instance> next;
    for (const Instance& instance : instances) {
      for (const Choice& choice : dimension.choices) {
        Instance one = instance;
        one.name += choice.suffix;
        if (choice.type) one.names.types[dimension.name] = *choice.type;
        if (choice.value) {
          one.names.literals[dimension.name] = {*choice.value, SoftTypeOf(*choice.value)};
        }
        next.push_back(std::move(one));
      }
    }
    instances = std::move(next);
  }
  return instances;
}

bool IsMeant(const Instance& instance, const Kernel& kernel, const std::string& entry) {
  return entry.empty() || entry == kernel.name || entry == instance.name;
}

Kernel CloneForInstance(const Kernel& kernel) {
  Kernel copy;
  copy.name = kernel.name;
  copy.at = kernel.at;
  copy.block = kernel.block;
  copy.contract = kernel.contract;
  copy.arguments = kernel.arguments;
  std::copy_if(kernel.parameters.begin(), kernel.parameters.end(),
               std::back_inserter(copy.parameters),
               [](const KernelParameter& parameter) { return !parameter.is_constexpr; });
  copy.body = Clone(kernel.body);
  return copy;
}

}  // namespace hologram::frontend
