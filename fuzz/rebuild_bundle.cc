#include "rebuild_bundle.h"

#include <algorithm>
#include <map>

#include "base/blake3.h"
#include "base/bytes.h"
#include "bundle/bundle.h"

namespace hologram::fuzz {
namespace {

constexpr size_t kRow = 64;  // bytes of the header and of a row of the section table
constexpr size_t kMostSections = 64;

struct Row {
  uint32_t type = 0;
  uint32_t flags = 0;
  uint32_t program = 0;
  uint32_t level = 0;
  std::vector<uint8_t> bytes;
};

std::vector<Row> ReadRows(std::span<const uint8_t> file, uint32_t count) {
  std::vector<Row> rows;
  ByteReader in(file);
  in.Bytes(kRow);
  for (uint32_t i = 0; i < std::min<size_t>(count, kMostSections); ++i) {
    Row row;
    row.type = in.U32();
    row.flags = in.U32();
    const uint64_t offset = std::min<uint64_t>(in.U64(), file.size());
    const uint64_t size = std::min<uint64_t>(in.U64(), file.size() - offset);
    row.program = in.U32();
    row.level = in.U32();
    in.Bytes(sizeof(Hash::bytes));
    if (in.failed()) break;
    const auto bytes = file.subspan(offset, size);
    row.bytes.assign(bytes.begin(), bytes.end());
    rows.push_back(std::move(row));
  }
  return rows;
}

// An entry of a manifest: the identity of a program, then its name.
void WriteIdentities(std::vector<Row>& rows) {
  std::map<uint32_t, Hash> identities;
  for (const Row& row : rows) {
    if (row.type == static_cast<uint32_t>(bundle::SectionType::kCode)) {
      identities.emplace(row.program, Blake3(row.bytes));
    }
  }
  for (Row& row : rows) {
    if (row.type != static_cast<uint32_t>(bundle::SectionType::kManifest)) continue;
    ByteReader in(row.bytes);
    for (const auto& [program, identity] : identities) {
      const size_t at = in.position();
      if (in.Bytes(sizeof(Hash::bytes)).empty()) break;
      in.SizedText();
      std::copy(identity.bytes.begin(), identity.bytes.end(),
                row.bytes.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

}  // namespace

std::vector<uint8_t> RebuildBundle(std::span<const uint8_t> file) {
  constexpr size_t kBeforeSize = 16;
  ByteReader header(file);
  const std::span<const uint8_t> start = header.Bytes(kBeforeSize);
  header.U64();
  const uint32_t count = header.U32();
  const uint32_t programs = header.U32();
  if (header.failed()) return {file.begin(), file.end()};
  std::vector<Row> rows = ReadRows(file, count);
  WriteIdentities(rows);
  const auto align = [](uint64_t at) { return (at + kRow - 1) / kRow * kRow; };
  const uint64_t table_end = kRow * (1 + rows.size());
  uint64_t end = table_end;
  for (const Row& row : rows) end = align(end + row.bytes.size());

  ByteWriter out;
  out.Bytes(start);
  out.U64(end);
  out.U32(static_cast<uint32_t>(rows.size()));
  out.U32(programs);
  out.PadTo(kRow);
  uint64_t offset = table_end;
  for (const Row& row : rows) {
    out.U32(row.type);
    out.U32(row.flags);
    out.U64(offset);
    out.U64(row.bytes.size());
    out.U32(row.program);
    out.U32(row.level);
    out.Bytes(Blake3(row.bytes).bytes);
    offset = align(offset + row.bytes.size());
  }
  for (const Row& row : rows) {
    out.Bytes(row.bytes);
    out.PadTo(kRow);
  }
  return std::move(out).Take();
}

}  // namespace hologram::fuzz
