#include "driver/wasm_object.h"

#include <cstdlib>
#include <string_view>

#include "base/bytes.h"

namespace hologram::driver::wasm {

Diagnostic NotOurs(const std::string& what) {
  return Error(ErrorCode::kInternal,
               "the compiler plugin made a WebAssembly object that cannot be linked: " + what);
}

namespace {

enum Section : uint8_t {
  kCustom = 0,
  kType = 1,
  kImport = 2,
  kFunction = 3,
  kCode = 10,
  kData = 11,
  kDataCount = 12
};

constexpr uint32_t kLocal = 0x2;          // WASM_SYM_BINDING_LOCAL
constexpr uint32_t kUndefined = 0x10;     // WASM_SYM_UNDEFINED
constexpr uint32_t kExplicitName = 0x40;  // WASM_SYM_EXPLICIT_NAME

// Numbers in LEB128 beside those of ByteReader.
class Reader : public ByteReader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : ByteReader(bytes) {}

  uint32_t Leb() {
    uint32_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      const uint8_t byte = U8();
      value |= static_cast<uint32_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  int32_t SignedLeb() {
    uint32_t value = 0;
    int shift = 0;
    uint8_t byte = 0x80;
    while ((byte & 0x80) != 0 && shift < 35) {
      byte = U8();
      value |= static_cast<uint32_t>(byte & 0x7f) << shift;
      shift += 7;
    }
    if (shift < 32 && (byte & 0x40) != 0) value |= ~uint32_t{0} << shift;
    return static_cast<int32_t>(value);
  }
  std::string Name() {
    const std::span<const uint8_t> text = Bytes(Leb());
    return {text.begin(), text.end()};
  }
};

// Sections of objects are few; each has its function.
class ObjectReader {
 public:
  Result<Object> Read(std::span<const uint8_t> bytes) {
    constexpr uint32_t kMagic = 0x6d736100;
    Reader file(bytes);
    if (file.U32() != kMagic || file.U32() != 1) return NotOurs("it has no header");
    while (file.remaining() != 0 && !file.failed() && problem_.empty()) {
      const uint8_t id = file.U8();
      sections_.push_back(id);
      const std::span<const uint8_t> contents = file.Bytes(file.Leb());
      Reader section(contents);
      ReadSection(id, section, contents);
      if (section.failed()) problem_ = "section " + std::to_string(id) + " is cut off";
    }
    if (file.failed()) problem_ = "it is cut off";
    if (!problem_.empty()) return NotOurs(problem_);
    return std::move(object_);
  }

 private:
  void ReadSection(uint8_t id, Reader& in, std::span<const uint8_t> contents) {
    switch (id) {
      case kCustom:
        return ReadCustom(in);
      case kType:
        return ReadTypes(in, contents);
      case kImport:
        return ReadImports(in);
      case kFunction:
        for (uint32_t count = in.Leb(); count > 0 && !in.failed(); --count) {
          object_.functions.push_back(in.Leb());
        }
        return;
      case kCode:
        object_.code.assign(contents.begin(), contents.end());
        in.Leb();
        object_.bodies = static_cast<uint32_t>(in.position());
        return;
      case kData:
        return ReadSegments(in);
      case kDataCount:
        return;
      default:
        problem_ = "section " + std::to_string(id) + " is not expected";
    }
  }

  void ReadTypes(Reader& in, std::span<const uint8_t> contents) {
    for (uint32_t count = in.Leb(); count > 0 && !in.failed(); --count) {
      const size_t first = in.position();
      if (in.U8() != 0x60) problem_ = "a type has another kind than functions";
      in.Bytes(in.Leb());
      in.Bytes(in.Leb());
      const auto type = contents.subspan(first, in.position() - first);
      object_.types.emplace_back(type.begin(), type.end());
    }
  }

  void ReadImports(Reader& in) {
    enum : uint8_t { kMemory = 2, kGlobal = 3 };
    for (uint32_t count = in.Leb(); count > 0 && !in.failed(); --count) {
      in.Name();
      const std::string name = in.Name();
      const uint8_t kind = in.U8();
      if (kind == kMemory) {
        if ((in.U8() & 1) != 0) in.Leb();
        in.Leb();
      } else if (kind == kGlobal) {
        in.Bytes(2);
        object_.globals.push_back(name);
      } else {
        problem_ = "it needs '" + name + "' from outside";
        return;
      }
    }
  }

  void ReadSegments(Reader& in) {
    for (uint32_t count = in.Leb(); count > 0 && !in.failed(); --count) {
      if (in.Leb() != 0) problem_ = "a segment of data is passive";
      while (in.U8() != 0x0b && !in.failed()) {  // up to the end of its offset, which means nothing
      }
      Segment segment;
      const uint32_t size = in.Leb();
      segment.at = static_cast<uint32_t>(in.position());
      const std::span<const uint8_t> bytes = in.Bytes(size);
      segment.bytes.assign(bytes.begin(), bytes.end());
      object_.segments.push_back(std::move(segment));
    }
  }

  void ReadCustom(Reader& in) {
    const std::string name = in.Name();
    if (name == "linking") return ReadLinking(in);
    if (name == "hologram_info") {
      const std::span<const uint8_t> rest = in.Bytes(in.remaining());
      const std::string text(rest.begin(), rest.end());
      char* next = nullptr;
      object_.scratch_bytes = static_cast<uint32_t>(std::strtoul(text.c_str(), &next, 10));
      object_.unit = static_cast<uint32_t>(std::strtoul(next, nullptr, 10));
      object_.may_fault = text.ends_with('1');
      return;
    }
    if (!name.starts_with("reloc.")) return;
    const uint32_t section = in.Leb();
    const uint8_t id = section < sections_.size() ? sections_[section] : uint8_t{kCustom};
    if (id == kCode) ReadRelocations(in, object_.code_relocations);
    if (id == kData) ReadRelocations(in, object_.data_relocations);
  }

  static void ReadRelocations(Reader& in, std::vector<Relocation>& list) {
    for (uint32_t count = in.Leb(); count > 0 && !in.failed(); --count) {
      Relocation one;
      one.type = in.U8();
      one.offset = in.Leb();
      one.index = in.Leb();
      // Those of addresses, in the order of their numbers.
      constexpr std::string_view kWithAddend = "\3\4\5\10\11\13\16\17\20\21\25\26\27\31";
      const bool has = kWithAddend.find(static_cast<char>(one.type)) != std::string_view::npos;
      if (has) one.addend = in.SignedLeb();
      list.push_back(one);
    }
  }

  void ReadLinking(Reader& in) {
    enum : uint8_t { kSegments = 5, kSymbols = 8 };
    if (in.Leb() != 2) problem_ = "its symbols are of another version";
    while (in.remaining() != 0 && !in.failed()) {
      const uint8_t type = in.U8();
      Reader part(in.Bytes(in.Leb()));
      if (type == kSegments) ReadSegmentInfo(part);
      if (type == kSymbols) ReadSymbols(part);
      if (part.failed()) problem_ = "its symbols are cut off";
    }
  }

  void ReadSegmentInfo(Reader& in) {
    const uint32_t count = in.Leb();
    for (uint32_t k = 0; k < count && k < object_.segments.size(); ++k) {
      in.Name();
      object_.segments[k].alignment = 1U << (in.Leb() & 31);
      in.Leb();
    }
  }

  void ReadSymbols(Reader& in) {
    enum : uint8_t { kFunctions = 0, kDatas = 1, kGlobals = 2, kSections = 3 };
    for (uint32_t count = in.Leb(); count > 0 && !in.failed(); --count) {
      Symbol symbol;
      const uint8_t kind = in.U8();
      const uint32_t flags = in.Leb();
      symbol.defined = (flags & kUndefined) == 0;
      symbol.local = (flags & kLocal) != 0;
      if (kind == kSections) {
        in.Leb();
      } else if (kind == kDatas) {
        symbol.kind = SymbolKind::kData;
        symbol.name = in.Name();
        if (symbol.defined) {
          symbol.index = in.Leb();
          symbol.offset = in.Leb();
          in.Leb();
        }
      } else {
        if (kind == kFunctions) symbol.kind = SymbolKind::kFunction;
        if (kind == kGlobals) symbol.kind = SymbolKind::kGlobal;
        symbol.index = in.Leb();
        if (symbol.defined || (flags & kExplicitName) != 0) symbol.name = in.Name();
      }
      object_.symbols.push_back(std::move(symbol));
    }
  }

  Object object_;
  std::vector<uint8_t> sections_;  // ids, in their order
  std::string problem_;
};

}  // namespace

Result<Object> ReadObject(std::span<const uint8_t> bytes) {
  return ObjectReader().Read(bytes);
}

}  // namespace hologram::driver::wasm
