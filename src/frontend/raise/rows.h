// The walk over kernels in which the lanes of a block have a row of the arrays: lane t the elements
// t, t + B, t + 2 B, ... in this order, folded into locals that block_reduce_*() combines. Such a
// kernel is a circuit `over n by B`, whose reductions are in that order too, so that every bit
// stays. See kernel_circuit.h. Not a public header.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "frontend/raise/analysis.h"
#include "frontend/raise/subscript.h"

namespace hologram::frontend {

class RowAnalysis : public KernelAnalysis {
 public:
  using KernelAnalysis::KernelAnalysis;

  std::optional<Diagnostic> Run(const Roles* roles) override;
  bool IsShared(int parameter) const override;
  uint32_t lanes() const override { return lanes_; }
  uint32_t cut() const override { return cut_; }
  // The kernel works on rows: it combines them, or asks for its lane and not
  // for an element of its own.
  bool is_about_rows() const { return combines_lanes_ || (uses_lanes_ && !uses_elements_); }

 protected:
  bool RunGuard(const Stmt& stmt, Rest& rest) override;
  void RunIf(const Stmt& stmt) override;
  void RunFor(const Stmt& stmt) override;
  void RunUnpack(const Stmt& stmt) override;
  void Assign(const Stmt& stmt) override;
  void Store(const Expr& target, NodeId value) override;
  NodeId Load(const Expr& expr) override;
  NodeId Variable(const Expr& expr) override;
  NodeId CallOf(const Expr& expr) override;

 private:
  // How the elements of an array are named.
  enum class Use : uint8_t {
    kBare,    // x[j]: of the only row, or shared by all rows
    kRow,     // x[row + j]
    kNumber,  // y[row] or y[0]: one number for each row
  };
  // A loop in which each lane goes over its elements.
  struct LaneLoop {
    Subscript counter;
    bool is_element = false;  // the counter is the number of an element: no guard is needed
  };
  // Placeholders used while analysing; none survives into the circuit.
  enum class Marker : uint8_t { kFirst, kRunning, kElement, kPart };
  // Effect of a loop's rounds on a local.
  struct Fold {
    sigmatics::CallKind reduction = sigmatics::CallKind::kReduceSum;
    NodeId value = 0;
    NodeId other = 0;  // the second factor of ReduceFma
    NodeId start = 0;
  };

  // kernel_rows.cc: places and statements.
  std::optional<Subscript> SubscriptOf(const Expr& expr);
  std::optional<Subscript> SubscriptOfCall(const Expr& expr);
  void AssignSubscript(int local, const Subscript& place, const Expr& expr);
  // `size` is the parameter with the number of elements. False if there is another one.
  bool IsSize(int parameter);
  bool SetLanes(int64_t lanes);
  std::optional<LaneLoop> AsLaneLoop(const Stmt& stmt);
  void RunLaneLoop(const Stmt& stmt, const LaneLoop& loop);
  void RunRound(std::span<const Stmt> body);
  // Of the elements for which `conditions` hold too.
  void RunElements(std::span<const Stmt> body, std::span<const ExprPtr> conditions = {});
  void RunUnder(std::span<const ExprPtr> conditions, std::span<const Stmt> body);
  bool IsElementGuard(const Expr& condition, bool inside);
  bool IsFirstLane(const Expr& condition, bool first);
  // The array's element at a place, if it is the lane's own.
  bool IsElement(const Expr& access, const Subscript& place);
  bool UseArray(int array, Use use);
  void CheckOutputs();

  // kernel_folds.cc: what becomes of locals in a lane loop.
  NodeId NewMarker(Marker marker, isa::Type type);
  bool IsMarker(NodeId id, Marker marker) const;
  std::optional<Fold> FoldOfRounds(NodeId running, NodeId value, NodeId start);
  // One step: `value` in terms of the running local. `depth` conditions are around it.
  std::optional<Fold> StepOf(NodeId running, NodeId value, int depth);
  std::optional<Fold> NewStepOf(NodeId running, NodeId value, int depth);
  bool MayStart(const Fold& fold) const;
  NodeId Reduce(const Expr& expr);
  // The marker that a value is made of, if any.
  std::optional<Marker> MarkerIn(NodeId root) const;

  std::map<int, Subscript> places_;  // of locals
  std::map<int, Use> uses_;          // of arrays
  std::map<int, Position> stored_at_;
  std::map<NodeId, Marker> markers_;
  std::map<NodeId, int> first_of_;               // of kFirst: the array
  std::map<NodeId, Fold> parts_;                 // of kPart
  std::map<NodeId, std::optional<Fold>> steps_;  // of one local
  std::map<int, NodeId> in_elements_;  // locals that the guarded statements of a round changed
  std::set<int> at_zero_;              // arrays with a number at element 0
  std::set<int> at_block_;             // and at that of the block
  int64_t first_at_ = 0;               // where a block's first element was read, times the block
  bool in_loop_ = false;
  bool in_element_ = false;
  bool in_first_lane_ = false;
  bool uses_lanes_ = false;
  bool uses_elements_ = false;
  bool combines_lanes_ = false;
  uint32_t lanes_ = 0;
  uint32_t cut_ = 0;
};

}  // namespace hologram::frontend
