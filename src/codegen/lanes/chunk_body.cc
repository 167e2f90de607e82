#include "codegen/lanes/chunk_body.h"

namespace hologram::codegen {

ChunkBody::ChunkBody(LaneIds& ids, Chunk& chunk, Registers& registers, Faults& faults,
                     LocalArrays& local, RemarkWriter& remarks, BackEdges& back_edges,
                     ControlFlow& control, UpdateLog& log, bool tracks_alive)
    : ids_(ids),
      chunk_(chunk),
      registers_(registers),
      faults_(faults),
      local_(local),
      remarks_(remarks),
      back_edges_(back_edges),
      control_(control),
      log_(log),
      tracks_alive_(tracks_alive) {}

void ChunkBody::Emit(llvm::Value* x, unsigned unroll, llvm::Value* remaining, const Body& body) {
  registers_.Forget();
  ids_.StartChunk(x);
  chunk_.Begin(unroll, remaining);
  if (faults_.LanesLeave() || (tracks_alive_ && body.contexts != nullptr)) chunk_.TrackLive();
  local_.StartChunk();
  back_edges_.Begin();
  log_.Begin();
  chunk_.MakeEnd();
  if (body.contexts != nullptr) body.contexts->Load(body.entry);
  control_.Emit(body.blocks, body.entry, body.barriers);
  log_.Make();
  if (body.contexts != nullptr) body.contexts->Store();
  remarks_.EndMainVersion();
}

}  // namespace hologram::codegen
