#include "machine.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace fakecuda {
namespace {

constexpr int kIllegalAddress = 700;
constexpr int kTimeout = 702;
constexpr int kMisaligned = 716;
constexpr int kLaunchFailed = 719;

// A frame whose registers nobody has written, with the numbers in their places.
std::unique_ptr<std::byte[]> NewFrame(const Code& code) {
  const size_t bytes = size_t{code.slots} * kSlot;
  auto frame = std::make_unique<std::byte[]>(bytes);
  std::memset(frame.get(), 0xA5, bytes);
  for (const auto& [slot, bits] : code.constants) {
    for (uint32_t i = 0; i < kLanes; ++i) std::memcpy(frame.get() + slot + 8 * i, &bits, 8);
  }
  return frame;
}

template <class T>
T& At(std::byte* frame, uint32_t slot, uint32_t lane) {
  return reinterpret_cast<T*>(frame + slot)[lane];
}

uint64_t Read(std::byte* frame, uint32_t slot, uint32_t lane, uint32_t size) {
  return size == 8 ? At<uint64_t>(frame, slot, lane) : At<uint32_t>(frame, slot, lane);
}

void Write(std::byte* frame, uint32_t slot, uint32_t lane, uint32_t size, uint64_t value) {
  if (size == 8) {
    At<uint64_t>(frame, slot, lane) = value;
  } else {
    At<uint32_t>(frame, slot, lane) = static_cast<uint32_t>(value);
  }
}

}  // namespace

Machine::Machine(const Program& program, DeviceMemory& memory, int device, const Order& order)
    : program_(program), memory_(memory), device_(device), order_(order), random_(order.seed) {
  for (const Code& code : program.functions) frames_.push_back(NewFrame(code));
}

Machine::~Machine() = default;

void Machine::Fail(int code, const std::string& text) const {
  std::string where = program_.kernel().name;
  if (warp_ != nullptr) where += ", block " + std::to_string(warp_->block->number);
  throw Fault{code, where + ": " + text};
}

// ---- Blocks

void Machine::SetIds(Warp& warp) {
  for (const auto& [slot, id] : program_.kernel().ids) {
    const size_t d = static_cast<size_t>(id.back() - 'x');
    for (uint32_t i = 0; i < kLanes; ++i) {
      uint64_t lane = warp.first_lane + i;
      uint64_t block = warp.block->number;
      for (size_t k = 0; k < d; ++k) {
        lane /= grid_.block[k];
        block /= grid_.grid[k];
      }
      const uint64_t value = id.starts_with("tid")     ? lane % grid_.block[d]
                             : id.starts_with("ctaid") ? block % grid_.grid[d]
                             : id.starts_with("ntid")  ? grid_.block[d]
                                                       : grid_.grid[d];
      At<uint32_t>(warp.front.frame, slot, i) = static_cast<uint32_t>(value);
    }
  }
}

std::unique_ptr<Machine::Warp> Machine::MakeWarp(Block& block, uint32_t first, uint32_t lanes) {
  const Code& code = program_.kernel();
  auto warp = std::make_unique<Warp>();
  warp->frame = NewFrame(code);
  warp->front.code = &code;
  warp->front.frame = warp->frame.get();
  warp->block = &block;
  warp->first_lane = first;
  const size_t bytes = size_t{code.local_bytes} * kLanes;
  if (bytes != 0) {
    warp->local = std::make_unique<uint8_t[]>(bytes);
    std::memset(warp->local.get(), 0xA5, bytes);
  }
  for (uint32_t i = 0; i < kLanes; ++i) warp->front.at[i] = first + i < lanes ? 0 : kDone;
  for (size_t k = 0; k < code.parameter_slots.size(); ++k) {
    const uint32_t size = SizeOfType(code.parameters[k].type);
    for (uint32_t i = 0; i < kLanes; ++i) {
      Write(warp->front.frame, code.parameter_slots[k], i, size, parameters_[k]);
    }
  }
  SetIds(*warp);
  return warp;
}

std::unique_ptr<Machine::Block> Machine::MakeBlock(uint64_t number) {
  auto block = std::make_unique<Block>();
  block->number = number;
  block->shared.assign(program_.kernel().shared_bytes, 0xA5);
  const uint32_t lanes = grid_.block[0] * grid_.block[1] * grid_.block[2];
  for (uint32_t first = 0; first < lanes; first += kLanes) {
    block->warps.push_back(MakeWarp(*block, first, lanes));
  }
  if (order_.pick == Order::Pick::kLast) std::reverse(block->warps.begin(), block->warps.end());
  return block;
}

void Machine::Run(const Grid& grid, const std::vector<uint64_t>& parameters) {
  grid_ = grid;
  parameters_ = parameters;
  const uint64_t count = uint64_t{grid.grid[0]} * grid.grid[1] * grid.grid[2];
  const size_t most = is_random() ? 3 : 1;
  const uint64_t rotation = is_random() ? random_() % count : 0;
  std::vector<std::unique_ptr<Block>> blocks;
  for (uint64_t made = 0; made < count || !blocks.empty();) {
    while (made < count && blocks.size() < most) {
      const uint64_t number =
          order_.pick == Order::Pick::kLast ? count - 1 - made : (made + rotation) % count;
      blocks.push_back(MakeBlock(number));
      ++made;
    }
    const size_t k = blocks.size() == 1 ? 0 : Random(static_cast<uint32_t>(blocks.size()));
    if (!Advance(*blocks[k])) blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(k));
  }
  warp_ = nullptr;
}

// One warp goes on as far as it can, or, in a random order, for one piece. False: the block is
// done.
bool Machine::Advance(Block& block) {
  const size_t count = block.warps.size();
  const size_t first = is_random() ? Random(static_cast<uint32_t>(count)) : block.next;
  Mask mask;
  uint32_t piece = 0;
  for (size_t k = 0; k < count; ++k) {
    block.next = (first + k) % count;
    Warp& warp = *block.warps[block.next];
    if (!Pick(warp.front, mask, piece)) continue;
    warp_ = &warp;
    do {
      RunPiece(warp.front, piece, mask);
    } while (!is_random() && Pick(warp.front, mask, piece));
    if (is_random()) DrainSome(warp);
    return true;
  }
  return Release(block);
}

// All lanes have ended, or all wait at one barrier.
bool Machine::Release(Block& block) {
  uint32_t waiting = 0;
  uint32_t ended = 0;
  uint32_t place = kDone;
  bool differ = false;
  const uint32_t lanes = grid_.block[0] * grid_.block[1] * grid_.block[2];
  for (const std::unique_ptr<Warp>& warp : block.warps) {
    for (uint32_t i = 0; i < kLanes && warp->first_lane + i < lanes; ++i) {
      const uint32_t at = warp->front.at[i];
      if (!warp->front.waits[i]) {
        ++ended;
        continue;
      }
      ++waiting;
      differ = differ || (place != kDone && place != at);
      place = at;
      warp->front.waits[i] = false;
    }
  }
  if (waiting == 0) return false;
  if (ended != 0) {
    Fail(kLaunchFailed, std::to_string(waiting) + " threads wait at a barrier that " +
                            std::to_string(ended) + " do not reach");
  }
  if (differ) Fail(kLaunchFailed, "threads wait at different barriers");
  return true;
}

// ---- Lanes

bool Machine::Pick(const Front& front, Mask& mask, uint32_t& piece) {
  uint32_t runnable[kLanes];
  uint32_t count = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (front.at[i] != kDone && !front.waits[i]) runnable[count++] = i;
  }
  if (count == 0) return false;
  piece = front.at[runnable[is_random() ? Random(count) : 0]];
  for (uint32_t k = 0; k < count && !is_random(); ++k) {
    const uint32_t at = front.at[runnable[k]];
    piece = order_.pick == Order::Pick::kFirst ? std::min(piece, at) : std::max(piece, at);
  }
  const bool some = is_random() && Random(4) == 0;
  mask = {};
  for (uint32_t k = 0; k < count; ++k) {
    const uint32_t i = runnable[k];
    if (front.at[i] != piece || (some && mask.count != 0 && Random(2) == 0)) continue;
    mask.on[i] = ~0U;
    ++mask.count;
  }
  return true;
}

template <class Body>
void Machine::EachLane(const Mask& mask, const Body& body) {
  const bool last_first = order_.pick == Order::Pick::kLast;
  const uint32_t start = is_random() ? Random(kLanes) : 0;
  for (uint32_t k = 0; k < kLanes; ++k) {
    const uint32_t i = last_first ? kLanes - 1 - k : (k + start) % kLanes;
    if (mask.on[i] != 0) body(i);
  }
}

void Machine::RunPiece(Front& front, uint32_t piece, const Mask& mask) {
  if (pieces_left_-- == 0) Fail(kTimeout, "it does not end");
  const uint32_t next = piece + 1;
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (mask.on[i] != 0) front.at[i] = next;
  }
  for (const Inst& in : front.code->pieces[piece].code) {
    switch (in.kind) {
      case Kind::kStep:
        in.step(in, front.frame, mask);
        break;
      case Kind::kLoad:
        Load(front, in, mask);
        break;
      case Kind::kStore:
        Store(front, in, mask);
        break;
      case Kind::kAtomic:
        Atomic(front, in, mask);
        break;
      case Kind::kBranch:
        Branch(front, in, piece, mask);
        break;
      case Kind::kCall:
        Call(front, in, mask);
        break;
      case Kind::kFence:
        EachLane(mask, [&](uint32_t i) { DrainAll(i); });
        break;
      case Kind::kReturn:
        EachLane(mask, [&](uint32_t i) {
          front.at[i] = kDone;
          if (&front == &warp_->front) DrainAll(i);
        });
        break;
      case Kind::kBarrier:
        EachLane(mask, [&](uint32_t i) {
          front.waits[i] = true;
          DrainAll(i);
        });
        break;
    }
  }
}

void Machine::Branch(Front& front, const Inst& in, uint32_t piece, const Mask& mask) {
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (mask.on[i] == 0) continue;
    const bool taken = in.guard == 0 || (At<uint32_t>(front.frame, in.guard, i) != 0) != in.negated;
    front.at[i] = taken ? in.target : piece + 1;
  }
}

// To its end, for these lanes.
void Machine::Call(Front& front, const Inst& in, const Mask& mask) {
  const Code& code = program_.functions[in.target];
  Front inner;
  inner.code = &code;
  inner.frame = frames_[in.target].get();
  for (uint32_t i = 0; i < kLanes; ++i) inner.at[i] = mask.on[i] != 0 ? 0 : kDone;
  for (size_t k = 0; k < in.arguments.size(); ++k) {
    std::memcpy(inner.frame + code.parameter_slots[k], front.frame + in.arguments[k], kSlot);
  }
  Mask some;
  uint32_t piece = 0;
  while (Pick(inner, some, piece)) RunPiece(inner, piece, some);
  // Of a call: what other lanes have there is for nobody.
  std::memcpy(front.frame + in.d, inner.frame + code.result_slot, kSlot);
}

// ---- Memory

uint64_t Machine::AddressOf(const Front& front, const Inst& in, uint32_t lane, bool writes) {
  const uint64_t address =
      in.narrow ? At<uint32_t>(front.frame, in.a, lane) + static_cast<uint32_t>(in.distance)
                : At<uint64_t>(front.frame, in.a, lane) + static_cast<uint64_t>(in.distance);
  const auto fail = [&](int code, const std::string& what) {
    Fail(code, "thread " + std::to_string(warp_->first_lane + lane) + ", line " +
                   std::to_string(in.line) + ": " + what);
  };
  if (address % in.size != 0) {
    fail(kMisaligned, std::to_string(in.size) + " bytes at " + std::to_string(address));
  }
  if (in.where == Where::kGlobal) {
    const std::string wrong = memory_.WhyNot(address, in.size, device_, writes);
    if (!wrong.empty()) fail(kIllegalAddress, wrong);
    return address;
  }
  const Code& kernel = program_.kernel();
  const uint64_t size = in.where == Where::kShared ? kernel.shared_bytes : kernel.local_bytes;
  if (address > size || in.size > size - address) {
    fail(kIllegalAddress, "outside the arrays of a block or a thread");
  }
  return address;
}

uint8_t* Machine::HostOf(Where where, uint64_t address, uint32_t lane) {
  if (where == Where::kGlobal) return reinterpret_cast<uint8_t*>(address);
  if (where == Where::kShared) return warp_->block->shared.data() + address;
  return warp_->local.get() + size_t{lane} * program_.kernel().local_bytes + address;
}

void Machine::Load(Front& front, const Inst& in, const Mask& mask) {
  EachLane(mask, [&](uint32_t i) {
    const uint64_t address = AddressOf(front, in, i, false);
    uint64_t value = 0;
    const std::vector<Pending>& pending = warp_->pending[i];
    const auto own = std::find_if(pending.rbegin(), pending.rend(), [&](const Pending& one) {
      return one.Meets(in.where, address, in.size);
    });
    if (own != pending.rend() && own->address == address && own->size == in.size) {
      value = own->value;
    } else {
      DrainWhere(i, in.where, address, in.size);
      std::memcpy(&value, HostOf(in.where, address, i), in.size);
    }
    Write(front.frame, in.d, i, in.size, value);
  });
}

void Machine::Store(Front& front, const Inst& in, const Mask& mask) {
  EachLane(mask, [&](uint32_t i) {
    const uint64_t address = AddressOf(front, in, i, true);
    const uint64_t value = Read(front.frame, in.d, i, in.size);
    if (is_random() && in.where != Where::kLocal) {
      warp_->pending[i].push_back({address, value, in.where, in.size});
    } else {
      std::memcpy(HostOf(in.where, address, i), &value, in.size);
    }
  });
}

template <class T, class Signed>
uint64_t Machine::Changed(const Inst& in, uint64_t old_bits, uint64_t value_bits,
                          uint64_t desired) {
  const T old = static_cast<T>(old_bits);
  const T value = static_cast<T>(value_bits);
  const bool less =
      in.is_signed ? static_cast<Signed>(value) < static_cast<Signed>(old) : value < old;
  switch (in.change) {
    case Change::kAdd:
      return static_cast<T>(old + value);
    case Change::kMin:
      return less ? value : old;
    case Change::kMax:
      return less ? old : value;
    case Change::kAnd:
      return old & value;
    case Change::kOr:
      return old | value;
    case Change::kXor:
      return old ^ value;
    case Change::kExchange:
      return value;
    case Change::kSwap:
      return old == value ? static_cast<T>(desired) : old;
  }
  return 0;
}

void Machine::Atomic(Front& front, const Inst& in, const Mask& mask) {
  EachLane(mask, [&](uint32_t i) {
    const uint64_t address = AddressOf(front, in, i, true);
    DrainWhere(i, in.where, address, in.size);
    uint8_t* const place = HostOf(in.where, address, i);
    uint64_t old = 0;
    std::memcpy(&old, place, in.size);
    const uint64_t value = Read(front.frame, in.b, i, in.size);
    const uint64_t desired = in.change == Change::kSwap ? Read(front.frame, in.c, i, in.size) : 0;
    const uint64_t next = in.size == 8 ? Changed<uint64_t, int64_t>(in, old, value, desired)
                                       : Changed<uint32_t, int32_t>(in, old, value, desired);
    std::memcpy(place, &next, in.size);
    Write(front.frame, in.d, i, in.size, old);
  });
}

// ---- Stores that others do not see yet

void Machine::Drain(uint32_t lane, size_t k) {
  std::vector<Pending>& pending = warp_->pending[lane];
  const Pending one = pending[k];
  pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(k));
  std::memcpy(HostOf(one.where, one.address, lane), &one.value, one.size);
}

void Machine::DrainWhere(uint32_t lane, Where where, uint64_t address, uint64_t bytes) {
  std::vector<Pending>& pending = warp_->pending[lane];
  for (size_t k = 0; k < pending.size();) {
    if (pending[k].Meets(where, address, bytes)) {
      Drain(lane, k);
    } else {
      ++k;
    }
  }
}

void Machine::DrainAll(uint32_t lane) {
  while (!warp_->pending[lane].empty()) Drain(lane, 0);
}

// In any order, but for those of one element.
void Machine::DrainSome(Warp& warp) {
  const uint32_t lane = Random(kLanes);
  const std::vector<Pending>& pending = warp.pending[lane];
  if (pending.empty()) return;
  const Pending& chosen = pending[Random(static_cast<uint32_t>(pending.size()))];
  for (size_t k = 0;; ++k) {
    if (!pending[k].Meets(chosen.where, chosen.address, chosen.size)) continue;
    return Drain(lane, k);
  }
}

}  // namespace fakecuda
