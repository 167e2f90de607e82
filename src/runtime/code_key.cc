#include "runtime/code_key.h"

#include <cstdint>

#include "engines/code_cache.h"
#include "isa/program.h"

namespace hologram::runtime {

Hash CodeKey(const verify::VerifiedProgram& program, Target target, const std::string& compiler,
             CompileOutput object) {
  KeyHasher key;
  const auto number = static_cast<uint8_t>(target);
  constexpr uint8_t kAbi[] = {HOLOGRAM_NATIVE_ABI_VERSION & 0xff, HOLOGRAM_NATIVE_ABI_VERSION >> 8};
  key.Add(kAbi);
  key.Add(isa::EncodeCode(program.source()));
  key.Add(isa::EncodeDebug(program.source()));
  key.Add({&number, 1});
  key.Add(compiler);
  if (object == CompileOutput::kCheckedObject) key.Add("checked");
  return key.Finish();
}

}  // namespace hologram::runtime
