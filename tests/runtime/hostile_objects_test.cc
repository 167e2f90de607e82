// Native objects whose relocations, sections and symbols are hostile, for both processors: nothing
// outside a place is written, what is written is what the processor's ABI says, and the loader
// refuses the rest without a crash.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <string>

#include "native_objects.h"
#include "runtime/native/debug_lines.h"
#include "runtime/native/elf_loader.h"
#include "runtime/native/relocations.h"

namespace hologram::runtime {
namespace {

constexpr uint16_t kMachines[] = {EM_X86_64, EM_AARCH64};
constexpr size_t kBefore = 16;
constexpr size_t kMostRoom = 16;

using Memory = std::array<uint8_t, kBefore + kMostRoom + 16>;

Memory Pattern() {
  Memory memory;
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<uint8_t>(0xa0 + i);
  return memory;
}

// Whether it was applied. Nothing outside of the room changes, and an error changes nothing.
bool Apply(uint16_t machine, uint32_t type, uint64_t room, uint64_t address, uint64_t value,
           Memory& memory) {
  const Memory before = memory;
  auto* place = reinterpret_cast<std::byte*>(memory.data() + kBefore);
  const bool applied = ApplyRelocation(machine, {type, place, room, address, value}).ok();
  const size_t first = kBefore;
  const size_t last = applied ? kBefore + room : kBefore;
  for (size_t i = 0; i < memory.size(); ++i) {
    if (i >= first && i < last) continue;
    if (memory[i] != before[i]) {
      ADD_FAILURE() << "machine " << machine << " type " << type << " room " << room << ": byte "
                    << i << " was written";
    }
  }
  return applied;
}

// Numbers at the edges of the fields that any relocation has.
std::vector<uint64_t> Edges() {
  std::vector<uint64_t> edges = {0, 1, 2, 3, 4, 7, 8, 15, 16};
  for (const int bit :
       {11, 12, 14, 15, 16, 19, 20, 21, 25, 26, 27, 28, 31, 32, 33, 47, 48, 62, 63}) {
    const uint64_t power = uint64_t{1} << bit;
    for (const uint64_t edge : {power - 1, power, power + 1}) {
      edges.push_back(edge);
      edges.push_back(0 - edge);
    }
  }
  return edges;
}

TEST(HostileRelocations, WriteNothingOutsideTheirRoom) {
  const std::vector<uint64_t> values = {0, 4, 0x1000, 0x7ffffff0, uint64_t{1} << 32, ~uint64_t{0}};
  std::set<std::pair<uint16_t, uint32_t>> applied;
  for (const uint16_t machine : kMachines) {
    for (uint32_t type = 0; type < 1200; ++type) {
      for (uint64_t room = 0; room <= kMostRoom; ++room) {
        for (const uint64_t value : values) {
          Memory memory = Pattern();
          if (Apply(machine, type, room, 0x1000, value, memory)) applied.emplace(machine, type);
        }
      }
    }
    for (const uint32_t type : {0x7fffffffu, 0x80000000u, 0xffffffffu, 0x10001u, 0x1000002u}) {
      Memory memory = Pattern();
      EXPECT_FALSE(Apply(machine, type, 8, 0, 0, memory)) << type;
    }
  }
  EXPECT_GE(applied.size(), 10u);
}

uint32_t WordAt(const Memory& memory) {
  uint32_t word;
  std::memcpy(&word, memory.data() + kBefore, sizeof word);
  return word;
}

int64_t Signed(uint64_t bits, int count) {
  const uint64_t sign = uint64_t{1} << (count - 1);
  const uint64_t low = bits & (2 * sign - 1);
  return static_cast<int64_t>((low ^ sign) - sign);
}

// What an instruction of AArch64 addresses whose immediate a relocation has set, by the manual of
// the processor: the number that the ABI calls X, as far as the field holds it.
struct Field {
  uint32_t type;
  uint32_t changes;  // the bits of the immediate
  std::function<bool(uint32_t word, uint64_t place, uint64_t value)> holds;
};

const std::vector<Field>& Fields() {
  const auto branch = [](int bits, int shift) {
    return [=](uint32_t word, uint64_t place, uint64_t value) {
      return static_cast<uint64_t>(Signed(word >> shift, bits) * 4) == value - place;
    };
  };
  const auto page = [](uint32_t word, uint64_t place, uint64_t value) {
    const uint64_t field = (uint64_t{word} >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);
    const uint64_t distance = static_cast<uint64_t>(Signed(field, 21)) << 12;
    return (place & ~uint64_t{0xfff}) + distance == (value & ~uint64_t{0xfff});
  };
  const auto near = [](uint32_t word, uint64_t place, uint64_t value) {
    const uint64_t field = (uint64_t{word} >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);
    return place + static_cast<uint64_t>(Signed(field, 21)) == value;
  };
  const auto low = [](int scale) {
    return [=](uint32_t word, uint64_t, uint64_t value) {
      return (uint64_t{word} >> 10 & 0xfff) << scale == (value & 0xfff);
    };
  };
  static const std::vector<Field> kFields = {{R_AARCH64_CALL26, 0x03ffffff, branch(26, 0)},
                                             {R_AARCH64_JUMP26, 0x03ffffff, branch(26, 0)},
                                             {R_AARCH64_CONDBR19, 0x00ffffe0, branch(19, 5)},
                                             {R_AARCH64_LD_PREL_LO19, 0x00ffffe0, branch(19, 5)},
                                             {R_AARCH64_TSTBR14, 0x0007ffe0, branch(14, 5)},
                                             {R_AARCH64_ADR_PREL_LO21, 0x60ffffe0, near},
                                             {R_AARCH64_ADR_PREL_PG_HI21, 0x60ffffe0, page},
                                             {R_AARCH64_ADD_ABS_LO12_NC, 0x003ffc00, low(0)},
                                             {R_AARCH64_LDST8_ABS_LO12_NC, 0x003ffc00, low(0)},
                                             {R_AARCH64_LDST16_ABS_LO12_NC, 0x003ffc00, low(1)},
                                             {R_AARCH64_LDST32_ABS_LO12_NC, 0x003ffc00, low(2)},
                                             {R_AARCH64_LDST64_ABS_LO12_NC, 0x003ffc00, low(3)},
                                             {R_AARCH64_LDST128_ABS_LO12_NC, 0x003ffc00, low(4)}};
  return kFields;
}

void ExpectField(const Field& field, uint64_t address, uint64_t value, uint32_t word) {
  Memory memory = Pattern();
  std::memcpy(memory.data() + kBefore, &word, sizeof word);
  if (!Apply(EM_AARCH64, field.type, 4, address, value, memory)) return;
  const uint32_t after = WordAt(memory);
  EXPECT_EQ(after & ~field.changes, word & ~field.changes) << "type " << field.type;
  EXPECT_TRUE(field.holds(after, address, value))
      << "type " << field.type << " at " << std::hex << address << " to " << value;
}

TEST(HostileRelocations, OfAArch64MeanWhatTheAbiSays) {
  std::mt19937_64 random(1);
  const std::vector<uint64_t> edges = Edges();
  for (const Field& field : Fields()) {
    for (const uint64_t address : edges) {
      for (const uint64_t value : edges) {
        const auto word = static_cast<uint32_t>(random());
        ExpectField(field, address, value, word);
        ExpectField(field, address, address + value, word);
      }
    }
    for (int i = 0; i < 20'000; ++i) {
      const uint64_t address = random();
      ExpectField(field, address, address + (random() >> random() % 64), 0);
      ExpectField(field, address, address - (random() >> random() % 64), ~0u);
    }
  }
}

TEST(HostileRelocations, OfWordsMeanWhatTheAbiSays) {
  const std::vector<uint64_t> edges = Edges();
  for (const auto& [machine, type] : {std::pair<uint16_t, uint32_t>{EM_X86_64, R_X86_64_PC32},
                                      {EM_X86_64, R_X86_64_PLT32},
                                      {EM_AARCH64, R_AARCH64_PREL32}}) {
    for (const uint64_t address : edges) {
      for (const uint64_t value : edges) {
        Memory memory = Pattern();
        const bool fits = static_cast<int64_t>(value - address) >= INT32_MIN &&
                          static_cast<int64_t>(value - address) <= INT32_MAX;
        const bool applied = Apply(machine, type, 4, address, value, memory);
        EXPECT_TRUE(fits || !applied) << machine << " " << type << " " << value << " " << address;
        if (machine == EM_X86_64) {
          EXPECT_EQ(applied, fits);
        }
        if (applied) {
          EXPECT_EQ(WordAt(memory), static_cast<uint32_t>(value - address));
        }
      }
    }
  }
}

// A loader that is asked for each of these must answer. What it loads describes itself.
void Load(const std::vector<uint8_t>& object) {
  std::vector<SourceLine> lines;
  const Result<NativeCode> code = NativeCode::Load(object, nullptr, &lines);
  if (!code.ok()) {
    EXPECT_FALSE(code.errors()[0].message.empty());
    return;
  }
  EXPECT_EQ(code.value().info()->abi_version, HOLOGRAM_NATIVE_ABI_VERSION);
  EXPECT_TRUE(code.value().Holds(reinterpret_cast<uintptr_t>(code.value().info())));
}

// Puts each number of `edges` into the field of so many bytes at `at`, alone.
void LoadWithEdges(const std::vector<uint8_t>& object, size_t at, size_t bytes,
                   const std::vector<uint64_t>& edges) {
  if (at + bytes > object.size()) return;
  std::vector<uint8_t> changed = object;
  for (const uint64_t edge : edges) {
    std::memcpy(changed.data() + at, &edge, bytes);
    Load(changed);
  }
}

struct Table {
  uint64_t offset = 0;
  uint64_t size = 0;
};

std::vector<std::pair<uint32_t, Table>> TablesOf(const std::vector<uint8_t>& object) {
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof header);
  std::vector<std::pair<uint32_t, Table>> tables;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, object.data() + header.e_shoff + i * sizeof section, sizeof section);
    tables.push_back({section.sh_type, {section.sh_offset, section.sh_size}});
  }
  return tables;
}

// Edges beside those of every field: the object's own sizes.
std::vector<uint64_t> EdgesOf(const std::vector<uint8_t>& object) {
  std::vector<uint64_t> edges = Edges();
  for (const auto& [type, table] : TablesOf(object)) {
    for (const uint64_t number : {table.size, table.offset, object.size() - table.offset}) {
      for (const uint64_t near : {number - 8, number - 4, number - 1, number, number + 1}) {
        edges.push_back(near);
      }
    }
  }
  for (uint64_t index = 0xff00; index <= 0xffff; index += 0x33) edges.push_back(index);
  return edges;
}

TEST(HostileObjects, EveryFieldAtItsEdges) {
  for (const char* path : {HOLOGRAM_NATIVE_ADD, HOLOGRAM_NATIVE_CALLS}) {
    const std::vector<uint8_t> object = test::ReadObject(path);
    const std::vector<uint64_t> edges = EdgesOf(object);
    size_t relocations = 0;
    for (const auto& [type, table] : TablesOf(object)) {
      if (type != SHT_RELA && type != SHT_SYMTAB) continue;
      for (uint64_t at = table.offset; at < table.offset + table.size; at += sizeof(Elf64_Sym)) {
        static_assert(sizeof(Elf64_Sym) == 24 && sizeof(Elf64_Rela) == 24);
        relocations += type == SHT_RELA;
        for (const size_t field : {0u, 8u, 16u}) LoadWithEdges(object, at + field, 8, edges);
        for (const size_t field : {0u, 4u, 8u, 12u}) LoadWithEdges(object, at + field, 4, edges);
        LoadWithEdges(object, at + 6, 2, edges);
      }
    }
    EXPECT_GT(relocations, 0u) << path;
    Elf64_Ehdr header;
    std::memcpy(&header, object.data(), sizeof header);
    for (size_t i = 0; i < header.e_shnum; ++i) {
      const size_t section = header.e_shoff + i * sizeof(Elf64_Shdr);
      for (const size_t field : {0u, 4u, 40u, 44u})
        LoadWithEdges(object, section + field, 4, edges);
      for (const size_t field : {8u, 16u, 24u, 32u, 48u, 56u}) {
        LoadWithEdges(object, section + field, 8, edges);
      }
    }
    for (size_t at = 0; at < sizeof header; at += 2) LoadWithEdges(object, at, 2, edges);
    for (size_t at = 0; at < sizeof header; at += 8) LoadWithEdges(object, at, 8, edges);
  }
}

}  // namespace
}  // namespace hologram::runtime
