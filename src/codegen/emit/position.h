// Which block of the program is being written, and in which of its forms. The values that waiting
// lanes will still read must not be overwritten by others: registers ask here.
#pragma once

#include "codegen/plan/plan.h"

namespace hologram::codegen {

class Position {
 public:
  enum class Form : uint8_t { kUsual, kTogether, kOutside };

  explicit Position(const Plan& plan) : plan_(plan) {}

  uint32_t block() const { return block_; }
  // A copy of a divergent block in which no lane waits.
  bool together() const { return form_ == Form::kTogether; }
  void Enter(uint32_t block) { block_ = block; }

  // The web's values of waiting lanes must survive a write to it.
  bool MustBlend(OperandId web) const {
    if (plan_.scalar || form_ != Form::kUsual || plan_.divergent[block_] == 0) return false;
    return plan_.WaitingLanesRead(block_, web);
  }

  // Until it is destroyed: another block, where all lanes are together.
  class Together {
   public:
    Together(Position& position, uint32_t block) : position_(position), before_(position.block_) {
      position_.block_ = block;
      position_.form_ = Form::kTogether;
    }
    ~Together() {
      position_.block_ = before_;
      position_.form_ = Form::kUsual;
    }
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;

   private:
    Position& position_;
    uint32_t before_;
  };

  // Until it is destroyed: no block, a value is computed that all lanes share.
  class Outside {
   public:
    explicit Outside(Position& position) : position_(position), before_(position.form_) {
      position_.form_ = Form::kOutside;
    }
    ~Outside() { position_.form_ = before_; }
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

   private:
    Position& position_;
    Form before_;
  };

 private:
  const Plan& plan_;
  uint32_t block_ = 0;
  Form form_ = Form::kUsual;
};

}  // namespace hologram::codegen
