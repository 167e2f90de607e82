// Bodies of program.hpp. Not for users.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>

#include "type_names.hpp"

namespace hologram {
namespace detail {

template <class T>
std::string type_name() {
  return type_names[type_code<T>()];
}

// A name as the text form quotes it: bytes that are not plain as \xNN.
inline std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += {'\\', c};
    } else if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else {
      constexpr char digits[] = "0123456789abcdef";
      text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return text + '"';
}

}  // namespace detail

inline Program::Program(const std::string& name, unsigned block) : name_(name) {
  head_ = ".kernel " + detail::quoted(name) + "\n";
  if (block != 0) head_ += ".block " + std::to_string(block) + "\n";
}

template <class T>
Program::Buffer Program::add_buffer(const std::string& name, const char* direction) {
  const std::string type = detail::type_name<T>();
  return {add_parameter(name, type + "[] " + direction), type, sizeof(T)};
}

template <class T>
Program::Value Program::scalar(const std::string& name) {
  const std::string type = detail::type_name<T>();
  return {add_parameter(name, type), type};
}

inline unsigned Program::add_parameter(const std::string& name, const std::string& type) {
  if (!text_.empty() || next_predicate_ != 0 || next_register_ != count_ + 1) {
    detail::refuse("program " + detail::quoted(name_) + ": parameter " + detail::quoted(name) +
                   " comes after the first instruction");
  }
  head_ += ".param " + detail::quoted(name) + " " + type + "\n";
  ++count_;
  return next_register_++;
}

inline Program::Value Program::special(const std::string& name) {
  const Value value = new_register("u32");
  instruction("sreg.u32 " + name_of(value) + ", " + name);
  return value;
}

template <class T>
Program::Value Program::constant(T value) {
  static_assert(sizeof(T) <= 8);
  using bits_type = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  auto bits = static_cast<std::uint64_t>(std::bit_cast<bits_type>(value));
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[bits & 15]);
    bits >>= 4;
  } while (bits != 0);
  const Value made = new_register(detail::type_name<T>());
  instruction("mov_imm." + made.type + " " + name_of(made) + ", 0x" + digits);
  return made;
}

template <class... Values>
Program::Value Program::operation(const std::string& mnemonic, const Value& first,
                                  const Values&... rest) {
  const Value made = new_register(first.type);
  std::string line = mnemonic + "." + made.type + " " + name_of(made) + ", " + name_of(first);
  ((line += ", " + name_of(rest)), ...);
  instruction(line);
  return made;
}

template <class T>
Program::Value Program::convert(const Value& value) {
  const Value made = new_register(detail::type_name<T>());
  instruction("cvt." + made.type + "." + value.type + " " + name_of(made) + ", " + name_of(value));
  return made;
}

inline Program::Value Program::select(Predicate predicate, const Value& if_true,
                                      const Value& if_false) {
  const Value made = new_register(if_true.type);
  instruction("sel." + made.type + " " + name_of(made) + ", " + name_of(predicate) + ", " +
              name_of(if_true) + ", " + name_of(if_false));
  return made;
}

inline std::string Program::address(const Buffer& buffer, const Value& index) {
  const std::string size = std::to_string(buffer.size);
  return "[r" + std::to_string(buffer.number) + " + " + name_of(index) + "*" + size + "]";
}

inline Program::Value Program::load(const Buffer& buffer, const Value& index) {
  const Value made = new_register(buffer.type);
  instruction("ldg." + made.type + " " + name_of(made) + ", " + address(buffer, index));
  return made;
}

inline void Program::store(const Buffer& buffer, const Value& index, const Value& value) {
  instruction("stg." + buffer.type + " " + address(buffer, index) + ", " + name_of(value));
}

inline void Program::assign(const Value& target, const Value& value) {
  instruction("mov." + target.type + " " + name_of(target) + ", " + name_of(value));
}

inline Program::Predicate Program::compare(const std::string& condition, const Value& a,
                                           const Value& b) {
  const Predicate made{next_predicate_++};
  instruction("set" + condition + "." + a.type + " " + name_of(made) + ", " + name_of(a) + ", " +
              name_of(b));
  return made;
}

inline void Program::branch_if(Predicate predicate, Label label) {
  instruction("bra." + name_of(predicate) + " @" + name_of(label));
}

inline void Program::instruction(const std::string& line) {
  text_ += "  " + line + "\n";
}

template <class T>
Program::Value Program::new_value() {
  return new_register(detail::type_name<T>());
}

inline std::string Program::text() const {
  const std::string last = "  exit\n";
  return head_ + text_ + (text_.ends_with(last) ? "" : last);
}

template <class Make>
const Kernel& ProgramCache::find_or_build(std::string_view key, Make make) {
  const std::lock_guard lock(mutex_);
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return found->second;
  const Program program = make();
  executor_.load(program.bundle().data());
  return kernels_.emplace(key, executor_.kernel(program.name())).first->second;
}

inline std::size_t ProgramCache::size() const {
  const std::lock_guard lock(mutex_);
  return kernels_.size();
}

inline Bundle Program::bundle(const std::string& levels) const {
  return Bundle::compile_assembly(text(), name_ + ".hasm", levels);
}

}  // namespace hologram
