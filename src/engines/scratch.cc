#include "engines/scratch.h"

#include <cstdlib>
#include <string>

#include "launch/launch.h"

namespace hologram::engines {

void Scratch::Free::operator()(void* memory) const {
  std::free(memory);
}

Result<Scratch> Scratch::Make(const hologram_kernel_info& info, const hologram_launch_shape& shape,
                              uint32_t threads) {
  Scratch scratch;
  if (info.scratch_bytes == 0) return scratch;
  const uint64_t lanes = launch::LanesPerBlock(shape);
  const uint64_t rounded = (lanes + HOLOGRAM_SCRATCH_LANES - 1) / HOLOGRAM_SCRATCH_LANES;
  const uint64_t bytes = rounded * HOLOGRAM_SCRATCH_LANES * info.scratch_bytes;
  scratch.pieces_ = std::make_unique<Pieces>();
  Pieces& pieces = *scratch.pieces_;
  // A multiple of the alignment, as each piece has whole groups of 64 lanes.
  pieces.memory.reset(std::aligned_alloc(HOLOGRAM_SCRATCH_ALIGNMENT, bytes * threads));
  if (pieces.memory == nullptr) {
    return Error(ErrorCode::kResourceLimit,
                 "no memory for the local arrays: " + std::to_string(bytes * threads) + " bytes");
  }
  for (uint32_t k = 0; k < threads; ++k) {
    pieces.free.push_back(static_cast<uint8_t*>(pieces.memory.get()) + k * bytes);
  }
  return scratch;
}

void* Scratch::Take() {
  if (pieces_ == nullptr) return nullptr;
  const std::lock_guard lock(pieces_->mutex);
  HOLOGRAM_CHECK(!pieces_->free.empty());
  void* piece = pieces_->free.back();
  pieces_->free.pop_back();
  return piece;
}

void Scratch::Give(void* piece) {
  if (piece == nullptr) return;
  const std::lock_guard lock(pieces_->mutex);
  pieces_->free.push_back(piece);
}

}  // namespace hologram::engines
