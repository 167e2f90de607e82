#include "driver/wasm_module.h"

#include <algorithm>
#include <string_view>

namespace hologram::driver::wasm {
namespace {

void PutLeb(Bytes& out, uint32_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<uint8_t>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<uint8_t>(value));
}

void PutBytes(Bytes& out, std::span<const uint8_t> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void PutName(Bytes& out, std::string_view name) {
  PutLeb(out, static_cast<uint32_t>(name.size()));
  out.insert(out.end(), name.begin(), name.end());
}

void PutSection(Bytes& out, uint8_t id, std::span<const uint8_t> contents) {
  out.push_back(id);
  PutLeb(out, static_cast<uint32_t>(contents.size()));
  PutBytes(out, contents);
}

// What a module imports, in the order of their indices.
constexpr uint32_t kBaseGlobal = 0;
constexpr uint32_t kStackGlobal = 1;
constexpr std::string_view kHost = "hologram";

Bytes Imports() {
  enum : uint8_t { kMemory = 2, kGlobal = 3, kI32 = 0x7f, kConstant = 0, kMutable = 1 };
  Bytes contents;
  PutLeb(contents, 3);
  PutName(contents, kHost);
  PutName(contents, "memory");
  PutBytes(contents, std::vector<uint8_t>{kMemory, 0, 1});  // one page or more
  PutName(contents, kHost);
  PutName(contents, "base");
  PutBytes(contents, std::vector<uint8_t>{kGlobal, kI32, kConstant});
  PutName(contents, kHost);
  PutName(contents, "stack");
  PutBytes(contents, std::vector<uint8_t>{kGlobal, kI32, kMutable});
  return contents;
}

// The places of an object in the module.
struct Place {
  uint32_t first_function = 0;
  std::vector<uint32_t> types;
  std::vector<uint32_t> segments;  // from the base
};

class Linker {
 public:
  Result<Module> Link(std::span<const Object> objects) {
    for (const Object& object : objects) {
      if (!AddTypesAndData(object)) return NotOurs("its data need a larger alignment");
    }
    for (size_t k = 0; k < objects.size(); ++k) {
      const Object& object = objects[k];
      Bytes code = object.code;
      for (const Relocation& one : object.code_relocations) {
        HOLOGRAM_RETURN_IF_ERROR(Apply(object, places_[k], one, code));
      }
      if (!object.data_relocations.empty()) return NotOurs("its data have addresses");
      PutBytes(code_, std::span(code).subspan(object.bodies));
      for (const Symbol& symbol : object.symbols) {
        const bool is_entry = symbol.kind == SymbolKind::kFunction && symbol.defined;
        if (is_entry && !symbol.local) {
          exports_.emplace_back(symbol.name, places_[k].first_function + symbol.index);
        }
      }
    }
    return Module{Write(), static_cast<uint32_t>(data_.size())};
  }

 private:
  uint32_t TypeOf(const Bytes& type) {
    const auto found = std::find(types_.begin(), types_.end(), type);
    const auto index = static_cast<uint32_t>(found - types_.begin());
    if (found == types_.end()) types_.push_back(type);
    return index;
  }

  // False: its data are aligned to more than the base is.
  bool AddTypesAndData(const Object& object) {
    Place place;
    place.first_function = static_cast<uint32_t>(functions_.size());
    for (const Bytes& type : object.types) place.types.push_back(TypeOf(type));
    for (const uint32_t type : object.functions) {
      functions_.push_back(type < place.types.size() ? place.types[type] : 0);
    }
    for (const Segment& segment : object.segments) {
      if (segment.alignment > kDataAlignment) return false;
      while (data_.size() % segment.alignment != 0) data_.push_back(0);
      place.segments.push_back(static_cast<uint32_t>(data_.size()));
      PutBytes(data_, segment.bytes);
    }
    places_.push_back(std::move(place));
    return true;
  }

  // A number that the object left room for, in five bytes.
  static Status Set(Bytes& code, uint32_t at, uint32_t value, bool is_signed) {
    constexpr uint32_t kRoom = 5;
    if (at > code.size() || code.size() - at < kRoom) return NotOurs("a place is outside");
    const auto wide =
        is_signed ? static_cast<int64_t>(static_cast<int32_t>(value)) : int64_t{value};
    for (uint32_t k = 0; k < kRoom; ++k) {
      const auto bits = static_cast<uint8_t>((wide >> (7 * k)) & 0x7f);
      code[at + k] = k + 1 < kRoom ? static_cast<uint8_t>(bits | 0x80) : bits;
    }
    return Success{};
  }

  static Status Apply(const Object& object, const Place& place, const Relocation& one,
                      Bytes& code) {
    enum : uint8_t { kFunctionIndex = 0, kTypeIndex = 6, kGlobalIndex = 7, kAddressFromBase = 11 };
    if (one.type == kTypeIndex && one.index < place.types.size()) {
      return Set(code, one.offset, place.types[one.index], false);
    }
    if (one.index >= object.symbols.size()) return NotOurs("it names no symbol");
    const Symbol& symbol = object.symbols[one.index];
    if (one.type == kFunctionIndex && symbol.kind == SymbolKind::kFunction && symbol.defined) {
      return Set(code, one.offset, place.first_function + symbol.index, false);
    }
    if (one.type == kGlobalIndex && symbol.kind == SymbolKind::kGlobal &&
        symbol.index < object.globals.size()) {
      const std::string& name = object.globals[symbol.index];
      if (name == "__memory_base") return Set(code, one.offset, kBaseGlobal, false);
      if (name == "__stack_pointer") return Set(code, one.offset, kStackGlobal, false);
      return NotOurs("it needs '" + name + "' from outside");
    }
    if (one.type == kAddressFromBase && symbol.kind == SymbolKind::kData && symbol.defined &&
        symbol.index < place.segments.size()) {
      const uint32_t address =
          place.segments[symbol.index] + symbol.offset + static_cast<uint32_t>(one.addend);
      return Set(code, one.offset, address, true);
    }
    return NotOurs("'" + symbol.name + "' is referred to by relocation " +
                   std::to_string(one.type));
  }

  Bytes Write() const {
    enum : uint8_t { kType = 1, kImport = 2, kFunction = 3, kExport = 7, kCode = 10, kData = 11 };
    Bytes module = {0, 'a', 's', 'm', 1, 0, 0, 0};
    Bytes contents;
    PutLeb(contents, static_cast<uint32_t>(types_.size()));
    for (const Bytes& type : types_) PutBytes(contents, type);
    PutSection(module, kType, contents);
    PutSection(module, kImport, Imports());
    contents.clear();
    PutLeb(contents, static_cast<uint32_t>(functions_.size()));
    for (const uint32_t type : functions_) PutLeb(contents, type);
    PutSection(module, kFunction, contents);
    contents.clear();
    PutLeb(contents, static_cast<uint32_t>(exports_.size()));
    for (const auto& [name, function] : exports_) {
      PutName(contents, name);
      contents.push_back(0);
      PutLeb(contents, function);
    }
    PutSection(module, kExport, contents);
    contents.clear();
    PutLeb(contents, static_cast<uint32_t>(functions_.size()));
    PutBytes(contents, code_);
    PutSection(module, kCode, contents);
    if (!data_.empty()) PutSection(module, kData, Data());
    return module;
  }

  // One segment, at the base that the host gives.
  Bytes Data() const {
    enum : uint8_t { kActive = 0, kGlobalGet = 0x23, kEnd = 0x0b };
    Bytes contents = {1, kActive, kGlobalGet, kBaseGlobal, kEnd};
    PutLeb(contents, static_cast<uint32_t>(data_.size()));
    PutBytes(contents, data_);
    return contents;
  }

  std::vector<Bytes> types_;
  std::vector<uint32_t> functions_;
  std::vector<Place> places_;
  std::vector<std::pair<std::string, uint32_t>> exports_;
  Bytes code_;
  Bytes data_;
};

}  // namespace

Result<Module> LinkModule(std::span<const Object> objects) {
  return Linker().Link(objects);
}

void AddSection(Bytes& module, std::string_view name, std::span<const uint8_t> contents) {
  Bytes section;
  PutName(section, name);
  PutBytes(section, contents);
  PutSection(module, 0, section);
}

}  // namespace hologram::driver::wasm
