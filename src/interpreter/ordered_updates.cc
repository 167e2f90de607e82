#include "interpreter/ordered_updates.h"

#include <algorithm>
#include <cstring>

#include "interpreter/atomic_operations.h"
#include "interpreter/columns.h"

namespace hologram::interpreter {

void OrderedUpdates::Make() {
  const auto lower = [](const Update& a, const Update& b) { return a.lane < b.lane; };
  if (!std::is_sorted(kept_.begin(), kept_.end(), lower)) {
    std::stable_sort(kept_.begin(), kept_.end(), lower);
  }
  for (const Update& update : kept_) {
    const isa::Instruction& in = program_.code[update.pc];
    ForType(in.type, [&]<class T>() {
      T old;
      T value;
      std::memcpy(&old, update.element, sizeof(T));
      std::memcpy(&value, &update.bits, sizeof(T));
      const T replaced = Combine(in.atomic_op(), old, value);
      std::memcpy(update.element, &replaced, sizeof(T));
    });
  }
  kept_.clear();
}

}  // namespace hologram::interpreter
