// Remarks of the lowering, in words, for `hologram verify --explain`. A remark is added
// where the form is emitted, in the version of the loop over lanes that runs most of them, so it
// describes the emitted code, not the intended code.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace hologram::codegen {

class Remarks {
 public:
  enum class About : uint8_t { kKernel, kLimit, kRegion, kLoop, kAccess, kReduction };

  // `pc`: an instruction of VerifiedProgram::program(); 0 for the kernel. A remark about a place
  // twice is kept once.
  void Add(About about, uint32_t pc, std::string words);

  // A line for each place, in program order: about, pc and words, with tabs between them
  // (plugin.h).
  std::string Text() const;

 private:
  std::map<std::pair<uint32_t, About>, std::vector<std::string>> by_place_;
};

}  // namespace hologram::codegen
