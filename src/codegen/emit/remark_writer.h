// Remarks about what is being written, in the words that several forms share: why there is a mask,
// where lanes part. Does nothing unless remarks were requested.
#pragma once

#include "codegen/emit/chunk.h"
#include "codegen/emit/position.h"
#include "codegen/remarks.h"

namespace hologram::codegen {

class RemarkWriter {
 public:
  // `remarks` may be null.
  RemarkWriter(FunctionState& f, const Chunk& chunk, const Position& position, Remarks* remarks)
      : f_(f), plan_(f.plan()), chunk_(chunk), position_(position), remarks_(remarks) {}

  // A copy of the body that runs most lanes is being written: what remarks are about.
  void BeginMainVersion() { main_version_ = true; }
  void EndMainVersion() { main_version_ = false; }
  // The remarks that follow belong to the region that starts there, 0 for the kernel.
  void EnterRegion(uint32_t pc) { region_pc_ = pc; }
  bool wanted() const { return remarks_ != nullptr; }

  void Add(Remarks::About about, uint32_t pc, const llvm::Twine& words);
  // Of an access in the version that runs most lanes.
  void Access(uint32_t pc, const llvm::Twine& words);
  void Scattered(uint32_t pc, llvm::Type* element, unsigned size, const llvm::Twine& why);
  // An edge that was emitted, if it leads back to the start of a loop.
  void Edge(uint32_t from, uint32_t to, bool lanes_together);
  // Of the loop over the lanes of the kernel, or of a region.
  void Lanes(const llvm::Twine& words);

 private:
  std::string LineOf(uint32_t pc) const;
  std::string PartingWords(uint32_t block) const;
  std::string MaskWords() const;
  std::string ScatterWords(llvm::Type* vector, llvm::Align align, bool load) const;

  FunctionState& f_;
  const Plan& plan_;
  const Chunk& chunk_;
  const Position& position_;
  Remarks* remarks_;
  bool main_version_ = false;
  uint32_t region_pc_ = 0;
};

}  // namespace hologram::codegen
