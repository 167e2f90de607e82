#include "codegen/emit/remark_writer.h"

#include <algorithm>

#include "llvm/Analysis/TargetTransformInfo.h"

namespace hologram::codegen {

void RemarkWriter::Add(Remarks::About about, uint32_t pc, const llvm::Twine& words) {
  if (remarks_ != nullptr) remarks_->Add(about, plan_.PcInGiven(pc), words.str());
}

// Of an access in the version that runs most lanes.
void RemarkWriter::Access(uint32_t pc, const llvm::Twine& words) {
  if (remarks_ == nullptr || !main_version_ || plan_.IsRepeated(position_.block())) return;
  const llvm::Twine agree = position_.together() ? "where the lanes of a chunk agree: " : "";
  Add(Remarks::About::kAccess, pc, agree + words + MaskWords());
}

std::string RemarkWriter::LineOf(uint32_t pc) const {
  const Location where = plan_.program().LocationOf(pc);
  if (where.line != 0) return "line " + std::to_string(where.line);
  return "instruction " + std::to_string(plan_.verified->SourcePc(pc));
}

std::string RemarkWriter::PartingWords(uint32_t block) const {
  return "lanes part at " + LineOf(plan_.block(plan_.parted_by[block]).end - 1);
}

// Why some lanes of the chunk take no part, where that is so.
std::string RemarkWriter::MaskWords() const {
  if (chunk_.all() || plan_.scalar) return "";
  if (plan_.divergent[position_.block()] != 0)
    return ", under a mask: " + PartingWords(position_.block());
  if (!chunk_.full()) return ", under the mask of the chunk";
  return ", under a mask: lanes that fault leave";
}

// A gather or a scatter, or what LLVM makes of it where the processor has none.
std::string RemarkWriter::ScatterWords(llvm::Type* vector, llvm::Align align, bool load) const {
  const llvm::TargetTransformInfo costs =
      f_.kernel().machine.getTargetTransformInfo(*f_.function());
  const bool whole =
      load ? costs.isLegalMaskedGather(vector, align) &&
                 !costs.forceScalarizeMaskedGather(llvm::cast<llvm::VectorType>(vector), align)
           : costs.isLegalMaskedScatter(vector, align) &&
                 !costs.forceScalarizeMaskedScatter(llvm::cast<llvm::VectorType>(vector), align);
  if (whole) return load ? "gather" : "scatter";
  return load ? "loads lane by lane (no fast gather here)"
              : "stores lane by lane (no scatter here)";
}

void RemarkWriter::Scattered(uint32_t pc, llvm::Type* element, unsigned size,
                             const llvm::Twine& why) {
  if (remarks_ == nullptr || !main_version_) return;
  const bool load = isa::IsLoad(plan_.program().code[pc].op);
  Access(pc, ScatterWords(f_.VectorOf(element), llvm::Align(size), load) + ": " + why);
}

void RemarkWriter::Edge(uint32_t from, uint32_t to, bool lanes_together) {
  if (remarks_ == nullptr || !main_version_) return;
  for (const verify::LoopFact& loop : plan_.verified->loops()) {
    const std::vector<uint32_t>& back = loop.back_edges;
    if (loop.header != to || std::find(back.begin(), back.end(), from) == back.end()) continue;
    const std::string budget = plan_.IsCountedEdge(from, to) ? "; rounds count on the budget" : "";
    if (lanes_together || plan_.scalar) {
      const std::string vectors =
          chunk_.unroll() == 1 ? "" : ", " + std::to_string(chunk_.unroll()) + " vectors";
      Add(Remarks::About::kLoop, plan_.block(to).begin,
          "all lanes go round together" + vectors + (plan_.scalar ? "" : ", no mask") + budget);
    } else {
      const std::string when = plan_.IsRepeated(to) ? "then " : "";
      Add(Remarks::About::kLoop, plan_.block(to).begin,
          when + "under masks until its last lane leaves: " + PartingWords(to) + budget);
    }
  }
}

void RemarkWriter::Lanes(const llvm::Twine& words) {
  const Remarks::About about = region_pc_ != 0 ? Remarks::About::kRegion : Remarks::About::kKernel;
  if (plan_.order.lane_by_lane) {
    const bool ordered = !plan_.verified->ordered_updates().empty();
    return Add(
        about, region_pc_,
        ordered
            ? "one lane after the other, for the order of its float updates"
            : "one lane after another, as its loops end apart, reach far apart or run in one lane");
  }
  Add(about, region_pc_, llvm::Twine(f_.target().width) + " lanes to a vector, " + words);
}

}  // namespace hologram::codegen
