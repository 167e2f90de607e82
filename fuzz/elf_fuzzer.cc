// Bytes -> native object: sections, symbols, lines of source, and the loader, which maps it and
// applies its relocations; as they are, and with the version of this library. Nothing of it is
// called: a changed byte may be code. Promises: every name lies in the file, and what is loaded
// describes itself.
#include "base/check.h"
#include "fuzzer.h"
#include "native_version.h"
#include "runtime/native/debug_lines.h"
#include "runtime/native/elf_file.h"
#include "runtime/native/elf_loader.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  return {};
}

namespace {

bool LiesIn(std::string_view part, std::span<const uint8_t> whole) {
  const char* begin = reinterpret_cast<const char*>(whole.data());
  return part.empty() ||
         (part.data() >= begin && part.data() + part.size() <= begin + whole.size());
}

void UseFile(std::span<const uint8_t> bytes) {
  const Result<runtime::ElfFile> read = runtime::ElfFile::Read(bytes);
  if (!read.ok()) return;
  const runtime::ElfFile& file = read.value();
  std::vector<uint64_t> addresses;
  for (size_t i = 0; i < file.sections().size(); ++i) {
    HOLOGRAM_CHECK(LiesIn(file.SectionName(i), bytes));
    HOLOGRAM_CHECK(file.Contents(i).size() <= bytes.size());
    addresses.push_back(uint64_t{0x1000} * (i + 1));
  }
  for (size_t i = 0; i < file.num_symbols(); ++i) {
    HOLOGRAM_CHECK(LiesIn(file.SymbolName(file.SymbolAt(i)), bytes));
  }
  uint64_t lines = 0;
  for (const runtime::SourceLine& line : runtime::ReadDebugLines(file, addresses)) {
    lines += line.line + line.file.size();
  }
  read_sum = lines;
}

void RunOne(std::span<const uint8_t> object) {
  UseFile(object);
  const Result<runtime::NativeCode> code = runtime::NativeCode::Load(object);
  if (!code.ok()) {
    HOLOGRAM_CHECK(!code.errors()[0].message.empty());
    return;
  }
  const hologram_kernel_info& info = *code.value().info();
  HOLOGRAM_CHECK(info.abi_version == HOLOGRAM_NATIVE_ABI_VERSION && info.entry != nullptr);
}

}  // namespace
}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram::fuzz;
  Bytes object(data, data + size);
  RunOne(object);
  const Bytes before = object;
  SetCurrentVersion(object);
  if (object != before) RunOne(object);
  return 0;
}
