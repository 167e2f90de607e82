// Remarks, and the words that several forms share: why there is a mask, where lanes part.
#include "codegen/remarks.h"

#include <algorithm>

#include "codegen/lowering.h"

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

void Lowering::Remark(Remarks::About about, uint32_t pc, const llvm::Twine& words) {
  if (remarks_ != nullptr) remarks_->Add(about, pc, words.str());
}

// Of an access in the version that runs most lanes.
void Lowering::RemarkAccess(uint32_t pc, const llvm::Twine& words) {
  if (remarks_ == nullptr || !main_version_) return;
  const llvm::Twine agree = together_ ? "where the lanes of a chunk agree: " : "";
  Remark(Remarks::About::kAccess, pc, agree + words + MaskWords());
}

std::string Lowering::LineOf(uint32_t pc) const {
  const Location where = plan_.program().LocationOf(pc);
  if (where.line != 0) return "line " + std::to_string(where.line);
  return "instruction " + std::to_string(plan_.verified->SourcePc(pc));
}

std::string Lowering::PartingWords(uint32_t block) const {
  return "lanes part at " + LineOf(plan_.block(plan_.parted_by[block]).end - 1);
}

// Why some lanes of the chunk take no part, where that is so.
std::string Lowering::MaskWords() const {
  if (all_ || plan_.scalar) return "";
  if (plan_.divergent[block_] != 0) return ", under a mask: " + PartingWords(block_);
  if (!full_) return ", under the mask of the chunk";
  return ", under a mask: lanes that fault leave";
}

// A gather or a scatter, or what LLVM makes of it where the processor has none.
std::string Lowering::ScatterWords(llvm::Type* vector, llvm::Align align, bool load) const {
  const llvm::TargetTransformInfo costs = machine_.getTargetTransformInfo(*function_);
  const bool whole =
      load ? costs.isLegalMaskedGather(vector, align) &&
                 !costs.forceScalarizeMaskedGather(llvm::cast<llvm::VectorType>(vector), align)
           : costs.isLegalMaskedScatter(vector, align) &&
                 !costs.forceScalarizeMaskedScatter(llvm::cast<llvm::VectorType>(vector), align);
  if (whole) return load ? "gather" : "scatter";
  return load ? "loads lane by lane (no fast gather here)"
              : "stores lane by lane (no scatter here)";
}

void Lowering::RemarkScattered(uint32_t pc, const Place& place, const llvm::Twine& why) {
  if (remarks_ == nullptr || !main_version_) return;
  const bool load = isa::IsLoad(plan_.program().code[pc].op);
  RemarkAccess(pc, ScatterWords(VectorOf(place.type), llvm::Align(place.size), load) + ": " + why);
}

// An edge that was emitted, if it leads back to the start of a loop.
void Lowering::RemarkEdge(uint32_t from, uint32_t to, bool lanes_together) {
  if (remarks_ == nullptr || !main_version_) return;
  for (const verify::LoopFact& loop : plan_.verified->loops()) {
    const std::vector<uint32_t>& back = loop.back_edges;
    if (loop.header != to || std::find(back.begin(), back.end(), from) == back.end()) continue;
    const std::string budget = plan_.IsCountedEdge(from, to) ? "; rounds count on the budget" : "";
    if (lanes_together || plan_.scalar) {
      const std::string vectors = unroll_ == 1 ? "" : ", " + std::to_string(unroll_) + " vectors";
      Remark(Remarks::About::kLoop, plan_.block(to).begin,
             "all lanes go round together" + vectors + (plan_.scalar ? "" : ", no mask") + budget);
    } else {
      Remark(Remarks::About::kLoop, plan_.block(to).begin,
             "under masks until its last lane leaves: " + PartingWords(to) + budget);
    }
  }
}

// Of the loop over the lanes of the kernel, or of the region that is being emitted.
void Lowering::RemarkLanes(const llvm::Twine& words) {
  const bool later = !region_entries_.empty() && region_ != 0;
  Remark(later ? Remarks::About::kRegion : Remarks::About::kKernel,
         later ? plan_.block(region_entries_[region_]).begin : 0,
         llvm::Twine(target_.width) + " lanes to a vector, " + words);
}

}  // namespace hologram::codegen
