// Shared by the parts of a lowering: how lanes fault, and loops.
#pragma once

#include "device/arithmetic.h"
#include "device/barriers.h"
#include "device/facts.h"
#include "device/parameters.h"
#include "device/registers.h"

namespace hologram::device {

class Faults {
 public:
  Faults(Builder& builder, Barriers& barriers, const Parameters& parameters)
      : b_(builder), barriers_(barriers), parameters_(parameters) {}
  // The lane faults if `bad` holds; else it goes on, in another block.
  void If(Value bad);
  void Always();
  // After the last block.
  void End();

 private:
  Label Block();

  Builder& b_;
  Barriers& barriers_;
  const Parameters& parameters_;
  Label block_ = 0;
};

// for i = first; i < limit; i = i + step: body(i), of i32. Ends in another block.
template <class Body>
void EmitLoop(Builder& b, Value first, Value step, Value limit, const Body& body) {
  const Label before = b.Current();
  const Label head = b.NewBlock();
  const Label inside = b.NewBlock();
  const Label after = b.NewBlock();
  b.Jump(head);
  b.Begin(head);
  Value i = b.Phi(Scalar::kI32, 2);
  b.Branch(b.Emit(Compare::kULt, i, limit), inside, after);
  b.Begin(inside);
  body(i);
  Value next = b.Emit(Binary::kAdd, i, step);
  b.SetIncoming(i, 0, first, before);
  b.SetIncoming(i, 1, next, b.Current());
  b.Jump(head);
  b.Begin(after);
}

}  // namespace hologram::device
