// Programs that C++ code writes, one instruction after the other, instead of text: registers have
// types, labels are values. The result is the text form of docs/assembly.md, so every instruction
// of docs/isa.md is there, and parts that do not fit together are an error of the assembler or of
// the verifier, as for any other program.
//
//   hologram::Program p("negate");
//   const auto x = p.input<float>("x");
//   const auto y = p.output<float>("y");
//   const auto n = p.scalar<std::uint32_t>("n");
//   const auto i = p.global_id();
//   const auto done = p.label();
//   p.branch_if(p.compare("ge", i, n), done);
//   p.store(y, i, p.operation("neg", p.load(x, i)));
//   p.place(done);
//   exec.load(p.bundle().data());
//   exec.kernel("negate")(x_data, y_data, 1000u);
//
// Tested by tests/capi/program_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "hologram/hologram.hpp"

namespace hologram {

// A program as it grows. Copies are independent; one object is for one thread at a time. Registers,
// labels and the rest belong to the program that made them. All functions throw std::bad_alloc; the
// errors of what was written come from bundle().
class Program {
 public:
  // A value: the register that holds it, and its type as the text form has it ("f32").
  struct Value {
    unsigned number = 0;
    std::string type;
  };
  // A buffer parameter, with the type of its elements.
  struct Buffer {
    unsigned number = 0;
    std::string type;
    std::size_t size = 0;  // bytes of an element
  };
  // A truth value of each lane.
  struct Predicate {
    unsigned number = 0;
  };
  struct Label {
    unsigned number = 0;
  };

  // A kernel of that name, without parameters and instructions. `block`: lanes of a block when a
  // launch does not say; 0: 256.
  explicit Program(const std::string& name, unsigned block = 0);

  // ---- Parameters, in the order of a launch. Element types are those of a launch: float, double,
  // integers of 8 to 64 bits. Throws INVALID_ARGUMENT after the first instruction.

  // An array that lanes read; storing into it is refused by the verifier.
  template <class T>
  Buffer input(const std::string& name) {
    return add_buffer<T>(name, "in");
  }
  // One that they write, and do not read.
  template <class T>
  Buffer output(const std::string& name) {
    return add_buffer<T>(name, "out");
  }
  // One that they read and write, atomic updates included.
  template <class T>
  Buffer in_and_out(const std::string& name) {
    return add_buffer<T>(name, "inout");
  }
  // A number that is the same for all lanes.
  template <class T>
  Value scalar(const std::string& name);

  // ---- Values, each in a new register. A program has 255 of them; the assembler refuses more.

  // The number of the lane in the launch, u32.
  Value global_id() { return special("global.x"); }
  // Another number of the lane or the launch, u32, as docs/isa.md calls it: "lane.x", "block.y".
  Value special(const std::string& name);
  // A number of type T, with its exact bits.
  template <class T>
  Value constant(T value);
  // An instruction that makes a value of the type of its first operand: "add", "fma", "exp", "shl".
  template <class... Values>
  Value operation(const std::string& mnemonic, const Value& first, const Values&... rest);
  // The value as a T: rounded, extended or cut as by cvt in docs/isa.md.
  template <class T>
  Value convert(const Value& value);
  // `if_true` where the predicate holds.
  Value select(Predicate predicate, const Value& if_true, const Value& if_false);
  // Element `index` of a buffer; a lane that leaves the buffer is a fault of the launch.
  Value load(const Buffer& buffer, const Value& index);
  // Sets it. Launches in which two lanes may store different values into one element are refused,
  // unless they say that they allow it (LaunchConfig::deterministic).
  void store(const Buffer& buffer, const Value& index, const Value& value);
  // Gives a register, one that changes in a loop, another value of its type.
  void assign(const Value& target, const Value& value);

  // ---- Control flow

  // "eq", "ne", "lt", "le", "gt" or "ge" of two values of one type. A program has 16 predicates.
  Predicate compare(const std::string& condition, const Value& a, const Value& b);
  // A place that branches go to; place() puts it here, once.
  Label label() { return {next_label_++}; }
  void place(Label label) { text_ += name_of(label) + ":\n"; }
  // All lanes that come here go on at the label.
  void branch(Label label) { instruction("bra @" + name_of(label)); }
  // Those in which the predicate holds do.
  void branch_if(Predicate predicate, Label label);
  // The lane is done. A program that does not end with it gets one.
  void exit() { instruction("exit"); }
  // A line of the text form: for instructions that have no function above, as
  // "atg.add.u32 r9, [r1 + r5*4], r6". Registers are those of Value::number.
  void instruction(const std::string& line);
  // A register that no other value has, for such lines.
  template <class T>
  Value new_value();

  // ---- Results

  // As given.
  const std::string& name() const { return name_; }
  // The program in the text form, for Bundle::compile_assembly and to look at.
  std::string text() const;
  // Assembled and verified. Throws INVALID_TEXT with line and column of text(), INVALID_PROGRAM,
  // and for levels other than "none" what Bundle throws.
  Bundle bundle(const std::string& levels = "none") const;

 private:
  template <class T>
  Buffer add_buffer(const std::string& name, const char* direction);
  unsigned add_parameter(const std::string& name, const std::string& type);
  Value new_register(const std::string& type) { return {next_register_++, type}; }
  static std::string name_of(const Value& value) { return "r" + std::to_string(value.number); }
  static std::string name_of(Predicate predicate) { return "p" + std::to_string(predicate.number); }
  static std::string name_of(Label label) { return "L" + std::to_string(label.number); }
  static std::string address(const Buffer& buffer, const Value& index);

  std::string name_;  // messages call the text by it
  std::string head_;
  std::string text_;
  unsigned count_ = 0;  // of parameters
  unsigned next_register_ = 1;
  unsigned next_predicate_ = 0;
  unsigned next_label_ = 1;
};

// Kernels that a program writes when it first needs them, under keys that it chooses: the
// operation, types, sizes that the code depends on.
//
//   hologram::ProgramCache cache;
//   const hologram::Kernel& mul = cache.find_or_build("mul f32", [] { return elementwise("mul");
//   });
//
// Any thread may ask; one makes what is missing, while others that ask for anything wait. A kernel
// stays until the cache is destroyed; copies of it stay longer.
class ProgramCache {
 public:
  // Empty. Throws RESOURCE_LIMIT alone.
  ProgramCache() : executor_(Executor::make_private()) {}

  // The kernel of that key. The first call for it makes the Program by make(), which may not use
  // this cache. Throws what make(), Program::bundle and Executor::load throw; the next call for
  // the key tries again.
  template <class Make>
  const Kernel& find_or_build(std::string_view key, Make make);
  // How many keys have a kernel.
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  Executor executor_;
  std::map<std::string, Kernel, std::less<>> kernels_;
};

}  // namespace hologram

#include "hologram/detail/program_bodies.hpp"
