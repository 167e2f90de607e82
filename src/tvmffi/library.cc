#include "tvmffi/library.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "bundle/bundle.h"
#include "bundle/bundle_library.h"
#include "tvmffi/abi.h"
#include "tvmffi/entries.h"
#include "tvmffi/programs.h"
#include "tvmffi/symbol_hashes.h"

namespace hologram::tvmffi {
namespace {

using Bytes = std::vector<uint8_t>;

Diagnostic Unfit(const char* what) {
  return Error(ErrorCode::kInternal, std::string("the runtime for tvm-ffi ") + what);
}

constexpr uint64_t kBundleAlignment = 64;

uint64_t RoundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

template <class T>
bool Get(std::span<const uint8_t> file, uint64_t at, T& value) {
  if (at > file.size() || file.size() - at < sizeof value) return false;
  std::memcpy(&value, file.data() + at, sizeof value);
  return true;
}

template <class T>
bool GetAll(std::span<const uint8_t> file, uint64_t at, size_t count, std::vector<T>& values) {
  if (at > file.size() || (file.size() - at) / sizeof(T) < count) return false;
  values.resize(count);
  if (count != 0) std::memcpy(values.data(), file.data() + at, count * sizeof(T));
  return true;
}

// Appends at the next multiple of `unit`, and gives where.
template <class T>
uint64_t Append(Bytes& to, std::span<const T> values, uint64_t unit) {
  to.resize(RoundUp(to.size(), unit));
  const uint64_t at = to.size();
  const auto* first = reinterpret_cast<const uint8_t*>(values.data());
  to.insert(to.end(), first, first + values.size_bytes());
  return at;
}

// The file of the runtime, and the parts of it that are written anew.
struct Runtime {
  Bytes file;
  Elf64_Ehdr header{};
  std::vector<Elf64_Phdr> segments;
  std::vector<Elf64_Shdr> sections;
  std::vector<Elf64_Sym> symbols;
  std::vector<Elf64_Half> versions;
  Bytes names;   // of symbols
  Bytes titles;  // of sections
  size_t symbol_section = 0;
  uint64_t end = 0;   // the first address behind it
  uint64_t page = 1;  // the largest alignment of its segments
};

Status ReadSymbols(Runtime& runtime) {
  const Elf64_Shdr* versions = nullptr;
  for (size_t k = 0; k < runtime.sections.size(); ++k) {
    if (runtime.sections[k].sh_type == SHT_DYNSYM) runtime.symbol_section = k;
    if (runtime.sections[k].sh_type == SHT_GNU_versym) versions = &runtime.sections[k];
  }
  const Elf64_Shdr& symbols = runtime.sections[runtime.symbol_section];
  const size_t count = symbols.sh_size / sizeof(Elf64_Sym);
  if (runtime.symbol_section == 0 || versions == nullptr ||
      symbols.sh_link >= runtime.sections.size()) {
    return Unfit("has no dynamic symbols with versions");
  }
  const Elf64_Shdr& names = runtime.sections[symbols.sh_link];
  if (!GetAll(runtime.file, symbols.sh_offset, count, runtime.symbols) ||
      !GetAll(runtime.file, names.sh_offset, names.sh_size, runtime.names) ||
      !GetAll(runtime.file, versions->sh_offset, count, runtime.versions)) {
    return Unfit("has symbols that are cut off");
  }
  for (const Elf64_Sym& symbol : runtime.symbols) {
    // The hash table, which is made anew, has those alone.
    if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL) {
      return Unfit("exports symbols of its own");
    }
  }
  return Success{};
}

Result<Runtime> ReadRuntime(std::span<const uint8_t> file) {
  Runtime runtime;
  runtime.file.assign(file.begin(), file.end());
  Elf64_Ehdr& header = runtime.header;
  if (!Get(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_phentsize != sizeof(Elf64_Phdr) || header.e_shentsize != sizeof(Elf64_Shdr) ||
      !GetAll(file, header.e_phoff, header.e_phnum, runtime.segments) ||
      !GetAll(file, header.e_shoff, header.e_shnum, runtime.sections) ||
      header.e_shstrndx >= runtime.sections.size()) {
    return Unfit("is not ELF of 64 bits");
  }
  const Elf64_Shdr& titles = runtime.sections[header.e_shstrndx];
  if (!GetAll(file, titles.sh_offset, titles.sh_size, runtime.titles)) {
    return Unfit("has no names of sections");
  }
  if (header.e_entry == 0) return Unfit("has no entry");
  for (const Elf64_Phdr& segment : runtime.segments) {
    if (segment.p_type != PT_LOAD) continue;
    runtime.end = std::max(runtime.end, segment.p_vaddr + segment.p_memsz);
    runtime.page = std::max(runtime.page, segment.p_align);
  }
  HOLOGRAM_RETURN_IF_ERROR(ReadSymbols(runtime));
  return runtime;
}

// What is added, at `offset` of the file and `address` of the library.
struct Part {
  uint64_t offset = 0;
  uint64_t address = 0;
  Bytes bytes;
};

// Where the tables of symbols are in the new file: offsets in the part.
struct Tables {
  uint64_t symbols;
  uint64_t names;
  uint64_t hashes;
  uint64_t versions;
  uint64_t hash_bytes;
};

// The symbols of the runtime, which stay where relocations expect them, and those of the kernels.
Tables AddSymbols(Runtime& runtime, const bundle::BundleReader& bundle, uint64_t entries,
                  uint16_t section, Part& part) {
  const auto first = static_cast<uint32_t>(runtime.symbols.size());
  std::vector<std::string> names;
  std::vector<uint32_t> hashes;
  for (size_t k = 0; k < bundle.size(); ++k) {
    names.push_back(kFunctionPrefix + bundle.NameOf(k));
    hashes.push_back(HashOfSymbol(names.back()));
  }
  std::vector<size_t> order(bundle.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const uint32_t lists = ListsOf(order.size());
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(hashes[a] % lists, a) < std::pair(hashes[b] % lists, b);
  });
  std::vector<uint32_t> sorted;
  for (const size_t k : order) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<uint32_t>(runtime.names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = section;
    symbol.st_value = entries + k * kEntryBytes;
    symbol.st_size = kEntryBytes;
    runtime.symbols.push_back(symbol);
    runtime.versions.push_back(VER_NDX_GLOBAL);
    runtime.names.insert(runtime.names.end(), names[k].begin(), names[k].end());
    runtime.names.push_back(0);
    sorted.push_back(hashes[k]);
  }
  const Bytes table = HashTable(sorted, first);
  Tables tables{};
  tables.hash_bytes = table.size();
  tables.symbols = Append(part.bytes, std::span<const Elf64_Sym>(runtime.symbols), 8);
  tables.hashes = Append(part.bytes, std::span<const uint8_t>(table), 8);
  tables.versions = Append(part.bytes, std::span<const Elf64_Half>(runtime.versions), 2);
  tables.names = Append(part.bytes, std::span<const uint8_t>(runtime.names), 1);
  return tables;
}

// Programs, names and the bundle. Gives the offsets of the first and the last in the part.
std::pair<uint64_t, uint64_t> AddPrograms(const bundle::BundleReader& reader,
                                          std::span<const uint8_t> bundle, Part& part) {
  Programs programs{};
  const uint64_t place = Append(part.bytes, std::span<const Programs>(&programs, 1), 8);
  programs.num_kernels = reader.size();
  programs.names = part.bytes.size() - place;
  for (size_t k = 0; k < reader.size(); ++k) {
    const std::string& name = reader.NameOf(k);
    part.bytes.insert(part.bytes.end(), name.begin(), name.end());
    part.bytes.push_back(0);
  }
  const uint64_t at = Append(part.bytes, bundle, kBundleAlignment);
  programs.bundle = at - place;
  programs.bundle_bytes = bundle.size();
  const std::string hash = ToHex(reader.trust_hash());
  std::copy(hash.begin(), hash.end(), programs.hash);
  std::memcpy(part.bytes.data() + place, &programs, sizeof programs);
  return {place, at};
}

// The dynamic section, which the loader reads, names the new tables.
Status PointToTables(Runtime& runtime, const Part& part, const Tables& tables) {
  for (const Elf64_Phdr& segment : runtime.segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    std::vector<Elf64_Dyn> entries;
    if (!GetAll(runtime.file, segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn), entries)) {
      break;
    }
    uint32_t found = 0;
    for (Elf64_Dyn& entry : entries) {
      if (entry.d_tag == DT_HASH) return Unfit("has another table of hashes");
      const uint64_t before = entry.d_un.d_val;
      if (entry.d_tag == DT_SYMTAB) entry.d_un.d_ptr = part.address + tables.symbols;
      if (entry.d_tag == DT_STRTAB) entry.d_un.d_ptr = part.address + tables.names;
      if (entry.d_tag == DT_STRSZ) entry.d_un.d_val = runtime.names.size();
      if (entry.d_tag == DT_GNU_HASH) entry.d_un.d_ptr = part.address + tables.hashes;
      if (entry.d_tag == DT_VERSYM) entry.d_un.d_ptr = part.address + tables.versions;
      if (entry.d_un.d_val != before) ++found;
    }
    if (found != 5) break;
    std::memcpy(runtime.file.data() + segment.p_offset, entries.data(),
                entries.size() * sizeof(Elf64_Dyn));
    return Success{};
  }
  return Unfit("has no dynamic section with all tables");
}

// Where it is among those of sections.
uint32_t AddTitle(Runtime& runtime, std::string_view title) {
  const auto at = static_cast<uint32_t>(runtime.titles.size());
  runtime.titles.insert(runtime.titles.end(), title.begin(), title.end());
  runtime.titles.push_back(0);
  return at;
}

// Appends a section, and gives its number.
uint32_t AddSection(Runtime& runtime, std::string_view title, Elf64_Shdr section, const Part& part,
                    uint64_t at, uint64_t bytes) {
  section.sh_name = AddTitle(runtime, title);
  section.sh_addr = part.address + at;
  section.sh_offset = part.offset + at;
  section.sh_size = bytes;
  runtime.sections.push_back(section);
  return static_cast<uint32_t>(runtime.sections.size()) - 1;
}

// For tools, which expect sections in the order of their addresses: the tables of the runtime
// become plain data by another name, and the new ones are behind all others.
void AddTableSections(Runtime& runtime, const Part& part, const Tables& tables) {
  const uint32_t unused = AddTitle(runtime, ".hologram.unused");
  const auto move = [&](size_t number, std::string_view title, uint64_t at, uint64_t bytes) {
    const Elf64_Shdr before = runtime.sections[number];
    Elf64_Shdr& left = runtime.sections[number];
    left.sh_name = unused;
    left.sh_type = SHT_PROGBITS;
    left.sh_link = left.sh_info = 0;
    left.sh_entsize = 0;
    const uint32_t now = AddSection(runtime, title, before, part, at, bytes);
    for (Elf64_Shdr& section : runtime.sections) {
      if (section.sh_type != SHT_PROGBITS && section.sh_link == number) section.sh_link = now;
    }
  };
  const std::vector<Elf64_Shdr> before = runtime.sections;
  const auto number_of = [&](uint32_t type) {
    return static_cast<size_t>(
        std::find_if(before.begin(), before.end(),
                     [&](const Elf64_Shdr& section) { return section.sh_type == type; }) -
        before.begin());
  };
  const size_t symbols = number_of(SHT_DYNSYM);
  move(symbols, ".dynsym", tables.symbols, runtime.symbols.size() * sizeof(Elf64_Sym));
  move(number_of(SHT_GNU_HASH), ".gnu.hash", tables.hashes, tables.hash_bytes);
  move(number_of(SHT_GNU_versym), ".gnu.version", tables.versions,
       runtime.versions.size() * sizeof(Elf64_Half));
  move(before[symbols].sh_link, ".dynstr", tables.names, runtime.names.size());
}

Elf64_Shdr DataSection(uint64_t flags, uint64_t unit) {
  Elf64_Shdr section{};
  section.sh_type = SHT_PROGBITS;
  section.sh_flags = SHF_ALLOC | flags;
  section.sh_addralign = unit;
  return section;
}

// The part is a segment behind those of the runtime. It takes the place of a note, of which there
// is no need, in the table: that stays as long as it is.
Status AddSegment(Runtime& runtime, const Part& part) {
  std::vector<Elf64_Phdr>& segments = runtime.segments;
  const auto note = std::find_if(segments.begin(), segments.end(), [](const Elf64_Phdr& segment) {
    return segment.p_type == PT_NOTE;
  });
  if (note == segments.end()) return Unfit("has no note, whose place a segment takes");
  segments.erase(note);
  const auto last = std::find_if(segments.rbegin(), segments.rend(), [](const Elf64_Phdr& segment) {
    return segment.p_type == PT_LOAD;
  });
  const uint64_t bytes = part.bytes.size();
  segments.insert(last.base(), {PT_LOAD, PF_R | PF_X, part.offset, part.address, part.address,
                                bytes, bytes, runtime.page});
  std::memcpy(runtime.file.data() + runtime.header.e_phoff, segments.data(),
              segments.size() * sizeof(Elf64_Phdr));
  return Success{};
}

// The file: the runtime, the part, the titles and the table of sections.
Bytes Assemble(Runtime runtime, const Part& part) {
  Bytes file = std::move(runtime.file);
  file.resize(part.offset);
  file.insert(file.end(), part.bytes.begin(), part.bytes.end());
  Elf64_Shdr& titles = runtime.sections[runtime.header.e_shstrndx];
  titles.sh_offset = Append(file, std::span<const uint8_t>(runtime.titles), 1);
  titles.sh_size = runtime.titles.size();
  runtime.header.e_shoff = Append(file, std::span<const Elf64_Shdr>(runtime.sections), 8);
  runtime.header.e_shnum = static_cast<Elf64_Half>(runtime.sections.size());
  runtime.header.e_entry = 0;
  std::memcpy(file.data(), &runtime.header, sizeof runtime.header);
  return file;
}

// Of names that begin with '_', tvm-ffi makes symbols that are no functions.
Status CheckNames(const bundle::BundleReader& bundle) {
  if (bundle.size() == 0) return Error(ErrorCode::kInvalidBundle, "the bundle has no kernels");
  for (size_t k = 0; k < bundle.size(); ++k) {
    const std::string& name = bundle.NameOf(k);
    if (!name.starts_with('_')) continue;
    return Error(ErrorCode::kInvalidArgument,
                 "kernel '" + name +
                     "' cannot be a function of tvm-ffi, which has names that begin "
                     "with '_' for itself; rename it");
  }
  return Success{};
}

}  // namespace

Result<std::vector<uint8_t>> WriteLibrary(std::span<const uint8_t> runtime_file,
                                          std::span<const uint8_t> bundle) {
  HOLOGRAM_ASSIGN_OR_RETURN(const bundle::BundleReader reader, bundle::BundleReader::Open(bundle));
  HOLOGRAM_RETURN_IF_ERROR(CheckNames(reader));
  HOLOGRAM_ASSIGN_OR_RETURN(Runtime runtime, ReadRuntime(runtime_file));
  const auto count = static_cast<uint32_t>(reader.size());
  Part part;
  part.offset = RoundUp(runtime.file.size(), runtime.page);
  part.address = RoundUp(runtime.end, runtime.page);
  part.bytes.resize(count * kEntryBytes);
  const auto calls = static_cast<uint16_t>(runtime.sections.size());
  const Tables tables = AddSymbols(runtime, reader, part.address, calls, part);
  const auto [programs, bundle_at] = AddPrograms(reader, bundle, part);
  HOLOGRAM_ASSIGN_OR_RETURN(const Bytes entries,
                            WriteEntries(runtime.header.e_machine, part.address,
                                         part.address + programs, runtime.header.e_entry, count));
  std::copy(entries.begin(), entries.end(), part.bytes.begin());
  HOLOGRAM_RETURN_IF_ERROR(PointToTables(runtime, part, tables));
  AddSection(runtime, ".hologram.calls", DataSection(SHF_EXECINSTR, kEntryBytes), part, 0,
             entries.size());
  AddTableSections(runtime, part, tables);
  AddSection(runtime, ".hologram.programs", DataSection(0, 8), part, programs,
             bundle_at - programs);
  AddSection(runtime, bundle::kBundleSection, DataSection(0, kBundleAlignment), part, bundle_at,
             bundle.size());
  HOLOGRAM_RETURN_IF_ERROR(AddSegment(runtime, part));
  return Assemble(std::move(runtime), part);
}

}  // namespace hologram::tvmffi
