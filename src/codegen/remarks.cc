#include "codegen/remarks.h"

#include <algorithm>

namespace hologram::codegen {

void Remarks::Add(About about, uint32_t pc, std::string words) {
  std::vector<std::string>& known = by_place_[{pc, about}];
  if (std::find(known.begin(), known.end(), words) == known.end()) {
    known.push_back(std::move(words));
  }
}

std::string Remarks::Text() const {
  constexpr const char* kNames[] = {"kernel", "limit", "region", "loop", "access", "reduction"};
  std::string text;
  for (const auto& [place, all] : by_place_) {
    const auto& [pc, about] = place;
    text += kNames[static_cast<size_t>(about)];
    text += '\t' + std::to_string(pc) + '\t';
    for (size_t k = 0; k < all.size(); ++k) {
      const bool condition = k > 0 && all[k - 1].compare(0, 6, "where ") == 0;
      text += (k == 0 ? "" : condition ? "; else " : "; ") + all[k];
    }
    text += '\n';
  }
  return text;
}

}  // namespace hologram::codegen
