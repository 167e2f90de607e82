#include "interpreter/chunk.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "interpreter/instructions.h"

namespace hologram::interpreter {
namespace {

using isa::Type;

constexpr size_t kAlignment = 64;
// Columns of one chunk should stay in the second-level cache.
constexpr uint32_t kColumnBytes = 512 * 1024;
constexpr uint32_t kMinChunkLanes = 256;
// Of a program that keeps updates in loops: as many for each lane as it goes round.
constexpr uint32_t kKeepingLanes = 64;

uint32_t RoundUpToWord(uint32_t lanes) {
  return (lanes + kWordBits - 1) / kWordBits * kWordBits;
}

// Maximal runs of set bits.
void AppendRanges(const LaneMask& mask, std::vector<Range>* ranges) {
  for (size_t w = 0; w < mask.size(); ++w) {
    uint64_t word = mask[w];
    const uint32_t base = static_cast<uint32_t>(w) * kWordBits;
    uint32_t position = 0;
    while (word != 0) {
      const auto skip = static_cast<uint32_t>(std::countr_zero(word));
      word >>= skip;
      position += skip;
      const auto length = static_cast<uint32_t>(std::countr_one(word));
      const uint32_t begin = base + position;
      if (!ranges->empty() && ranges->back().end == begin) {
        ranges->back().end += length;
      } else {
        ranges->push_back({begin, begin + length});
      }
      position += length;
      word = length == kWordBits ? 0 : word >> length;
    }
  }
}

}  // namespace

bool IsEmpty(const LaneMask& mask) {
  return std::all_of(mask.begin(), mask.end(), [](uint64_t word) { return word == 0; });
}

Result<std::unique_ptr<Chunk>> Chunk::Create(const verify::VerifiedProgram& program,
                                             const launch::Launch& launch) {
  std::unique_ptr<Chunk> chunk(new (std::nothrow) Chunk(program, launch));
  if (chunk == nullptr || !chunk->Allocate()) {
    return Error(ErrorCode::kResourceLimit, "not enough memory for the registers of a block");
  }
  return chunk;
}

void Chunk::AddColumn(uint8_t reg, Type type) {
  used_[reg][SizeClass(isa::SizeOf(type))] = true;
}

void Chunk::FindColumns() {
  const isa::Program& program = verified_.program();
  uint32_t buffers = 0;
  for (size_t k = 0; k < program.parameters.size(); ++k) {
    const isa::Parameter& parameter = program.parameters[k];
    if (!parameter.is_buffer) AddColumn(isa::Program::RegisterOfParameter(k), parameter.type);
    buffer_of_parameter_.push_back(parameter.is_buffer ? buffers++ : 0);
  }
  for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const isa::Uses uses = isa::UsesOf(program.code[pc]);
    if (uses.write) {
      AddColumn(uses.write->reg, *uses.write->type);
      written_[uses.write->reg] = true;
    }
    // The slot handle of an access, its first operand, is a fact of the verifier.
    const int first_value = isa::IsGlobalAccess(program.code[pc].op) ? 1 : 0;
    for (int i = first_value; i < uses.num_reads; ++i) {
      const isa::RegisterUse& read = uses.reads[static_cast<size_t>(i)];
      if (read.type) AddColumn(read.reg, *read.type);
    }
    for (uint32_t i = 0; i < uses.run.count; ++i) {
      AddColumn(static_cast<uint8_t>(uses.run.first + i), uses.run.type);
    }
    const verify::AccessFact* access = verified_.AccessAt(pc);
    if (access != nullptr) AddColumn(program.code[pc].b, access->index_type);
  }
}

bool Chunk::Allocate() {
  FindColumns();
  uint32_t bytes_per_lane = isa::kNumPredicates;
  for (const auto& sizes : used_) {
    for (uint32_t s = 0; s < sizes.size(); ++s) bytes_per_lane += sizes[s] ? 1U << s : 0;
  }
  bytes_per_lane += program().LocalBytes();
  shared_bytes_ = program().SharedBytes();
  by_block_ = verified_.uses_barrier() || shared_bytes_ != 0;
  const uint32_t fitting = kColumnBytes / bytes_per_lane / kWordBits * kWordBits;
  capacity_ = by_block_ ? RoundUpToWord(static_cast<uint32_t>(launch::LanesPerBlock(launch_.shape)))
                        : std::clamp(fitting, kMinChunkLanes, kMaxChunkLanes);
  const bool keeps = !verified_.ordered_updates().empty() && !verified_.loops().empty();
  if (keeps && !by_block_) capacity_ = kKeepingLanes;

  // Columns are multiples of 64 bytes because capacity is a multiple of 64 lanes.
  const size_t bytes = size_t{bytes_per_lane} * capacity_ + shared_bytes_ + kAlignment;
  memory_.reset(static_cast<uint8_t*>(
      std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment)));
  if (memory_ == nullptr) return false;
  std::memset(memory_.get(), 0, bytes);
  uint8_t* next = memory_.get();
  for (size_t reg = 0; reg < used_.size(); ++reg) {
    for (size_t s = 0; s < used_[reg].size(); ++s) {
      if (!used_[reg][s]) continue;
      columns_[reg][s] = next;
      next += size_t{capacity_} << s;
    }
  }
  for (uint8_t*& predicate : predicates_) {
    predicate = next;
    next += capacity_;
  }
  local_ = next;
  shared_ = next + size_t{program().LocalBytes()} * capacity_;

  const size_t words = capacity_ / kWordBits;
  active_.assign(words, 0);
  control_.Allocate(verified_, launch_.guarded, capacity_);
  if (verified_.uses_stream()) stream_.emplace(program(), launch_.stream, capacity_);
  if (!verified_.launch_sums().empty()) kept_.sums.emplace(verified_);
  return true;
}

void Chunk::Start(uint64_t first, uint32_t count) {
  first_lane_ = first;
  count_ = count;
  fault_.reset();
  faulted_.clear();
  kept_.ordered.Forget();
  control_.Start();
  if (stream_) stream_->Start(first);
  std::memset(local_, 0, size_t{program().LocalBytes()} * capacity_);
  if (shared_bytes_ != 0) std::memset(shared_, 0, shared_bytes_);
  FillParameters(!started_);
  started_ = true;
  FillSpecialRegisters();

  LaneMask all(active_.size(), 0);
  for (uint32_t lane = 0; lane < count; lane += kWordBits) {
    const uint32_t rest = count - lane;
    all[lane / kWordBits] = rest >= kWordBits ? ~uint64_t{0} : (uint64_t{1} << rest) - 1;
  }
  Activate(std::move(all));
}

// A register that no instruction writes keeps its value from chunk to chunk.
void Chunk::FillParameters(bool first_chunk) {
  size_t scalar = 0;
  for (size_t k = 0; k < program().parameters.size(); ++k) {
    const isa::Parameter& parameter = program().parameters[k];
    const uint8_t reg = isa::Program::RegisterOfParameter(k);
    const uint64_t value = parameter.is_buffer ? k : launch_.scalars[scalar++];
    const Type type = parameter.is_buffer ? Type::kU64 : parameter.type;
    const bool used = used_[reg][SizeClass(isa::SizeOf(type))];
    if (used && (first_chunk || written_[reg])) FillColumn(*this, reg, type, value);
  }
}

void Chunk::FillSpecialRegisters() {
  using isa::Sreg;
  constexpr Sreg kSpecial[] = {Sreg::kLaneX, Sreg::kBlockX, Sreg::kBlockDimX};
  for (uint8_t i = 0; i < 3; ++i) {
    const auto reg = static_cast<uint8_t>(isa::kFirstSpecialRegister + i);
    if (used_[reg][SizeClass(4)]) FillIds(*this, kSpecial[i], Column<uint32_t>(reg));
  }
  if (used_[255][SizeClass(8)]) {
    std::iota(Column<uint64_t>(255), Column<uint64_t>(255) + count_, first_lane_);
  }
}

void Chunk::Activate(LaneMask mask) {
  active_ = std::move(mask);
  ranges_.clear();
  AppendRanges(active_, &ranges_);
}

void Chunk::Deactivate() {
  std::fill(active_.begin(), active_.end(), 0);
  ranges_.clear();
}

void Chunk::Fault(uint32_t lane, uint32_t code, int64_t index, uint64_t other) {
  faulted_.push_back(lane);
  const uint64_t linear = first_lane_ + lane;
  if (fault_ && fault_->lane < linear) return;
  fault_ = launch::Fault{code, pc_, linear, index, {}, other};
}

void Chunk::DropFaulted() {
  if (faulted_.empty()) return;
  LaneMask rest = active_;
  for (const uint32_t lane : faulted_) {
    rest[lane / kWordBits] &= ~(uint64_t{1} << (lane % kWordBits));
  }
  faulted_.clear();
  Activate(std::move(rest));
}

}  // namespace hologram::interpreter
