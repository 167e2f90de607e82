#include "runtime/native/profile.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "base/environment.h"
#include "base/fork_gate.h"
#include "base/quote.h"
#include "runtime/native/debug_lines.h"
#include "runtime/native/relocations.h"

// The interface that GDB and LLDB know, by these names ("JIT Compilation Interface" in GDB's
// manual): a list of objects, and an empty function in which the debugger has a breakpoint. GDB
// finds the names in the dynamic symbols also where a library is stripped, so they are exported.
extern "C" {
struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  uint64_t symfile_size;
};
struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;  // 1: registered, 2: about to go
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};
__attribute__((visibility("default"))) jit_descriptor __jit_debug_descriptor = {1, 0, nullptr,
                                                                                nullptr};
__attribute__((visibility("default"), noinline)) void __jit_debug_register_code() {
  asm volatile("" ::: "memory");  // not to be optimised away
}
}

namespace hologram::runtime {

struct Announced::Entry {
  jit_code_entry listed{};
  std::vector<uint8_t> object;
};

namespace {

// Guards the debugger's list and both files.
constinit Mutex mutex;

struct Wanted {
  bool perf = false;
  bool jitdump = false;
  bool gdb = false;
};

Result<Wanted> ReadWanted(std::string_view words) {
  Wanted wanted;
  while (!words.empty()) {
    const size_t comma = words.find(',');
    std::string_view word = words.substr(0, comma);
    words = comma == std::string_view::npos ? std::string_view() : words.substr(comma + 1);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (word.empty()) continue;
    if (word == "perf") {
      wanted.perf = true;
    } else if (word == "jitdump") {
      wanted.jitdump = true;
    } else if (word == "gdb") {
      wanted.gdb = true;
    } else {
      return Error(ErrorCode::kInvalidArgument,
                   "HOLOGRAM_PROFILE: expected perf, jitdump or gdb, found " + Shown(word));
    }
  }
  return wanted;
}

struct Function {
  std::string name;
  uint64_t address;
  uint64_t size;
};

// Those with names of their own.
std::vector<Function> NamedFunctions(const ElfFile& object, std::span<const uint64_t> addresses) {
  std::vector<Function> found;
  for (size_t i = 0; i < object.num_symbols(); ++i) {
    const Elf64_Sym symbol = object.SymbolAt(i);
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx >= addresses.size() ||
        addresses[symbol.st_shndx] == 0) {
      continue;
    }
    const uint64_t room = object.sections()[symbol.st_shndx].sh_size;
    if (symbol.st_value > room || symbol.st_size > room - symbol.st_value) continue;
    found.push_back({std::string(object.SymbolName(symbol)),
                     addresses[symbol.st_shndx] + symbol.st_value, symbol.st_size});
  }
  return found;
}

// Code without source lines has none: all of it goes under the name of the object, which is the
// kernel's. A symbol for each of its sections, with the offset of that name.
std::vector<Elf64_Sym> SymbolsOfSections(const ElfFile& object,
                                         std::span<const uint64_t> addresses) {
  std::vector<Elf64_Sym> found;
  Elf64_Sym made{};
  for (size_t i = 0; i < object.num_symbols(); ++i) {
    const Elf64_Sym symbol = object.SymbolAt(i);
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FILE) made.st_name = symbol.st_name;
  }
  if (object.SymbolName(made).empty()) return found;
  made.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  for (size_t i = 0; i < addresses.size(); ++i) {
    const Elf64_Shdr& section = object.sections()[i];
    if (addresses[i] == 0 || (section.sh_flags & SHF_EXECINSTR) == 0) continue;
    made.st_shndx = static_cast<Elf64_Section>(i);
    made.st_size = section.sh_size;
    found.push_back(made);
  }
  return found;
}

std::vector<Function> FunctionsOf(const ElfFile& object, std::span<const uint64_t> addresses) {
  std::vector<Function> found = NamedFunctions(object, addresses);
  if (!found.empty()) return found;
  for (const Elf64_Sym& symbol : SymbolsOfSections(object, addresses)) {
    found.push_back(
        {std::string(object.SymbolName(symbol)), addresses[symbol.st_shndx], symbol.st_size});
  }
  return found;
}

// A file of this process, that no other user has put there: a link is not followed.
Result<Descriptor> OpenOwn(const std::string& path, int flags) {
  Descriptor file(open(path.c_str(), flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) {
    return Error(ErrorCode::kUnsupported,
                 "HOLOGRAM_PROFILE: cannot write " + path + ": " + std::strerror(errno));
  }
  struct stat status{};
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid()) {
    return Error(ErrorCode::kUnsupported,
                 "HOLOGRAM_PROFILE: " + path + " is not a file of this user");
  }
  return file;
}

Status Write(int file, std::span<const uint8_t> bytes) {
  if (WriteAll(file, bytes)) return Success{};
  return Error(ErrorCode::kUnsupported,
               std::string("HOLOGRAM_PROFILE: the disk refuses: ") + std::strerror(errno));
}

// "start size name" in hexadecimal, a line for each function. perf fixes the folder.
Status AddToPerfMap(const std::vector<Function>& functions) {
  HOLOGRAM_ASSIGN_OR_RETURN(
      const Descriptor file,
      OpenOwn("/tmp/perf-" + std::to_string(getpid()) + ".map", O_WRONLY | O_APPEND));
  std::string text;
  for (const Function& function : functions) {
    char numbers[40];
    std::snprintf(numbers, sizeof numbers, "%llx %llx ",
                  static_cast<unsigned long long>(function.address),
                  static_cast<unsigned long long>(function.size));
    text += numbers + function.name + "\n";
  }
  return Write(file.get(), {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// tools/perf/Documentation/jitdump-specification.txt of Linux
namespace jitdump {

constexpr uint32_t kMagic = 0x4A695444;
constexpr uint32_t kVersion = 1;
constexpr uint32_t kHeaderBytes = 40;
constexpr uint32_t kLoad = 0;
constexpr uint32_t kLines = 2;
constexpr size_t kPrefixBytes = 16;

// As perf's clock under `perf record -k 1`.
uint64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

std::vector<uint8_t> Record(uint32_t kind, std::vector<uint8_t> body) {
  ByteWriter out;
  out.U32(kind);
  out.U32(static_cast<uint32_t>(kPrefixBytes + body.size()));
  out.U64(Now());
  out.Bytes(body);
  return std::move(out).Take();
}

// The file of this process; -1 until the first code, and again in a child after fork.
struct Dump {
  int descriptor = -1;
  pid_t process = 0;
  uint64_t count = 0;
};

Result<Dump*> Open() {
  static constinit Dump file;
  if (file.descriptor >= 0 && file.process == getpid()) return &file;
  file = {-1, getpid(), 0};
  const char* folder = ReadNonEmpty(Variable::kProfileDir);
  const std::string path = std::string(folder == nullptr ? "/tmp" : folder) + "/jit-" +
                           std::to_string(getpid()) + ".dump";
  HOLOGRAM_ASSIGN_OR_RETURN(Descriptor opened, OpenOwn(path, O_RDWR | O_TRUNC));
  ByteWriter header;
  for (const uint32_t word : {kMagic, kVersion, kHeaderBytes, uint32_t{kHostMachine}, uint32_t{0},
                              static_cast<uint32_t>(getpid())}) {
    header.U32(word);
  }
  header.U64(Now());
  header.U64(0);
  HOLOGRAM_RETURN_IF_ERROR(Write(opened.get(), std::move(header).Take()));
  // perf records that this page is mapped and so learns of the file. It stays for the process.
  mmap(nullptr, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_READ | PROT_EXEC, MAP_PRIVATE,
       opened.get(), 0);
  file.descriptor = opened.Release();
  return &file;
}

std::vector<uint8_t> LinesRecord(const Function& function, std::span<const SourceLine> lines) {
  ByteWriter entries;
  uint64_t count = 0;
  for (const SourceLine& line : lines) {
    if (line.line == 0 || line.file.empty() || line.address < function.address ||
        line.address - function.address >= function.size) {
      continue;
    }
    ++count;
    entries.U64(line.address);
    entries.U32(line.line);
    entries.U32(0);
    entries.Text(line.file);
    entries.U8(0);
  }
  if (count == 0) return {};
  ByteWriter body;
  body.U64(function.address);
  body.U64(count);
  body.Bytes(std::move(entries).Take());
  return Record(kLines, std::move(body).Take());
}

Status Add(const std::vector<Function>& functions, std::span<const SourceLine> lines) {
  HOLOGRAM_ASSIGN_OR_RETURN(Dump * file, Open());
  for (const Function& function : functions) {
    HOLOGRAM_RETURN_IF_ERROR(Write(file->descriptor, LinesRecord(function, lines)));
    ByteWriter body;
    body.U32(static_cast<uint32_t>(getpid()));
    body.U32(static_cast<uint32_t>(syscall(SYS_gettid)));
    body.U64(function.address);
    body.U64(function.address);
    body.U64(function.size);
    body.U64(file->count++);
    body.Text(function.name);
    body.U8(0);
    body.Bytes({reinterpret_cast<const uint8_t*>(function.address), function.size});
    HOLOGRAM_RETURN_IF_ERROR(Write(file->descriptor, Record(kLoad, std::move(body).Take())));
  }
  return Success{};
}

}  // namespace jitdump

// Moves the table of symbols to the end of the object's bytes, where it is longer by these.
void AddSymbols(const ElfFile& object, std::span<const Elf64_Sym> added,
                std::vector<uint8_t>& bytes) {
  for (size_t i = 0; i < object.sections().size(); ++i) {
    Elf64_Shdr section = object.sections()[i];
    if (section.sh_type != SHT_SYMTAB) continue;
    const std::span<const uint8_t> symbols = object.Contents(i);
    const auto* const more = reinterpret_cast<const uint8_t*>(added.data());
    bytes.resize((bytes.size() + alignof(Elf64_Sym) - 1) / alignof(Elf64_Sym) * alignof(Elf64_Sym));
    section.sh_offset = bytes.size();
    section.sh_size += added.size_bytes();
    bytes.insert(bytes.end(), symbols.begin(), symbols.end());
    bytes.insert(bytes.end(), more, more + added.size_bytes());
    const uint64_t at = object.header().e_shoff + i * sizeof section;
    std::memcpy(bytes.data() + at, &section, sizeof section);
  }
}

// The object with the addresses of its sections: the debugger applies the relocations.
std::unique_ptr<Announced::Entry> ForDebugger(const ElfFile& object,
                                              std::span<const uint64_t> addresses) {
  auto entry = std::make_unique<Announced::Entry>();
  entry->object.assign(object.bytes().begin(), object.bytes().end());
  for (size_t i = 0; i < addresses.size(); ++i) {
    const uint64_t at =
        object.header().e_shoff + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr);
    std::memcpy(entry->object.data() + at, &addresses[i], sizeof addresses[i]);
  }
  if (NamedFunctions(object, addresses).empty()) {
    AddSymbols(object, SymbolsOfSections(object, addresses), entry->object);
  }
  entry->listed.symfile_addr = reinterpret_cast<const char*>(entry->object.data());
  entry->listed.symfile_size = entry->object.size();
  jit_code_entry* first = __jit_debug_descriptor.first_entry;
  entry->listed.next_entry = first;
  if (first != nullptr) first->prev_entry = &entry->listed;
  __jit_debug_descriptor.first_entry = &entry->listed;
  __jit_debug_descriptor.relevant_entry = &entry->listed;
  __jit_debug_descriptor.action_flag = 1;
  __jit_debug_register_code();
  return entry;
}

void Withdraw(Announced::Entry& entry) {
  jit_code_entry& listed = entry.listed;
  if (listed.prev_entry != nullptr) {
    listed.prev_entry->next_entry = listed.next_entry;
  } else {
    __jit_debug_descriptor.first_entry = listed.next_entry;
  }
  if (listed.next_entry != nullptr) listed.next_entry->prev_entry = listed.prev_entry;
  __jit_debug_descriptor.relevant_entry = &listed;
  __jit_debug_descriptor.action_flag = 2;
  __jit_debug_register_code();
}

}  // namespace

Announced::Announced() = default;
Announced::Announced(std::unique_ptr<Entry> entry) : entry_(std::move(entry)) {}
Announced::Announced(Announced&& other) noexcept = default;

Announced& Announced::operator=(Announced&& other) noexcept {
  Announced old(std::move(*this));
  entry_ = std::move(other.entry_);
  return *this;
}

Announced::~Announced() {
  if (entry_ == nullptr) return;
  const std::lock_guard lock(mutex);
  Withdraw(*entry_);
}

Result<Announced> Announce(const ElfFile& object, std::span<const uint64_t> addresses) {
  const char* words = ReadNonEmpty(Variable::kProfile);
  if (words == nullptr) return Announced();
  HOLOGRAM_ASSIGN_OR_RETURN(const Wanted wanted, ReadWanted(words));
  const std::lock_guard lock(mutex);
  const std::vector<Function> functions = FunctionsOf(object, addresses);
  if (wanted.perf) HOLOGRAM_RETURN_IF_ERROR(AddToPerfMap(functions));
  if (wanted.jitdump) {
    HOLOGRAM_RETURN_IF_ERROR(jitdump::Add(functions, ReadDebugLines(object, addresses)));
  }
  if (!wanted.gdb) return Announced();
  return Announced(ForDebugger(object, addresses));
}

}  // namespace hologram::runtime
