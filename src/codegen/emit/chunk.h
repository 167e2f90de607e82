// The lanes that are written at once, some vectors of them, and which of them run: all, those that
// a mask of the current block has, or those that are left after faults.
#pragma once

#include "codegen/emit/function.h"

namespace hologram::codegen {

class Chunk {
 public:
  explicit Chunk(FunctionState& f) : f_(f), b_(f.builder()) {}

  // `remaining` is null when all lanes of the chunk exist.
  void Begin(unsigned unroll, llvm::Value* remaining);
  // One vector all of whose lanes run: for what is written outside of the loop over lanes.
  void BeginOutside() { Begin(1, nullptr); }
  // Lanes may leave it: those that exist are live.
  void TrackLive();
  // Makes the block that lanes go to at their end.
  void MakeEnd() { end_ = f_.NewBlock("done"); }

  unsigned unroll() const { return unroll_; }                     // vectors
  bool full() const { return full_; }                             // all its lanes exist
  llvm::Value* existing(size_t u) const { return existing_[u]; }  // REQUIRES: !full()
  llvm::BasicBlock* end() const { return end_; }

  // ---- Lanes that run
  bool all() const { return all_; }                             // statically all of them
  llvm::Value* running(size_t u) const { return running_[u]; }  // REQUIRES: !all()
  llvm::Value* Mask(size_t u) const;                            // of either
  Values Masks() const;
  void Run(Values mask);
  void RunAll() { all_ = true; }
  // All that have not left.
  void RunLive();
  // The running lanes, to return to them.
  struct Running {
    Values mask;
    bool all;
  };
  Running running() const { return {running_, all_}; }
  void Restore(Running before);

  // ---- Lanes that have not faulted
  bool tracks_live() const { return !live_.empty(); }
  Values Live();
  void SetLive(const Values& live);
  void Leave(size_t u, llvm::Value* stay);

  // Stores go past the caches.
  bool streams() const { return streams_; }
  void SetStreams(bool streams) { streams_ = streams; }

 private:
  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  unsigned unroll_ = 1;
  bool full_ = false;
  bool all_ = true;
  bool streams_ = false;
  Values existing_;  // empty if full_
  Values running_;
  Slots live_;
  llvm::BasicBlock* end_ = nullptr;
};

}  // namespace hologram::codegen
