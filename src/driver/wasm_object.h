// The output of the code generator for WebAssembly: a relocatable object of LLVM ("Linking" in
// WebAssembly's tool conventions), read for the writer of modules (wasm_module.h). Such an object
// has no symbols from outside but the memory, the base of its data and the stack pointer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace hologram::driver::wasm {

using Bytes = std::vector<uint8_t>;

enum class SymbolKind : uint8_t { kFunction, kData, kGlobal, kOther };

struct Symbol {
  SymbolKind kind = SymbolKind::kOther;
  bool defined = false;
  bool local = false;
  std::string name;
  uint32_t index = 0;   // of the function or global, or of the segment
  uint32_t offset = 0;  // of data, in the segment
};

struct Relocation {
  uint8_t type = 0;
  uint32_t offset = 0;  // in the contents of its section
  uint32_t index = 0;   // of the symbol, or of the type
  int32_t addend = 0;
};

struct Segment {
  uint32_t alignment = 1;  // in bytes
  uint32_t at = 0;         // where its bytes begin in the contents of the section
  Bytes bytes;
};

struct Object {
  std::vector<Bytes> types;
  std::vector<uint32_t> functions;   // of each that is defined, its type
  std::vector<std::string> globals;  // imported, by index
  Bytes code;                        // contents of the section
  uint32_t bodies = 0;               // where they begin in it
  std::vector<Segment> segments;
  std::vector<Symbol> symbols;
  std::vector<Relocation> code_relocations;
  std::vector<Relocation> data_relocations;
  uint32_t scratch_bytes = 0;  // of the info: as hologram_kernel_info has it
  uint32_t unit = 0;
  bool may_fault = true;
};

// Errors: kInternal, for an object that has what a kernel never has.
Result<Object> ReadObject(std::span<const uint8_t> bytes);

Diagnostic NotOurs(const std::string& what);

}  // namespace hologram::driver::wasm
