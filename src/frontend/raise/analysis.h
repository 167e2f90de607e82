// The walk over a kernel's body that collects its values; see kernel_circuit.h. Nothing is
// computed: a statement changes which value a local or an element of an array has. Not a public
// header.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "frontend/ast.h"
#include "frontend/check/checker.h"
#include "sigmatics/values/value_graph.h"

namespace hologram::frontend {

class KernelAnalysis {
 public:
  using NodeId = sigmatics::NodeId;

  // Roles of the parameters. The first walk, which determines them, numbers
  // every array and every scalar.
  struct Roles {
    std::vector<bool> is_input;  // of each parameter
    int size = -1;               // the parameter with the number of elements
  };

  KernelAnalysis(const Kernel& kernel, const CheckedKernel& checked, std::string file);
  virtual ~KernelAnalysis() = default;
  KernelAnalysis(const KernelAnalysis&) = delete;
  KernelAnalysis& operator=(const KernelAnalysis&) = delete;

  // Before Run(): operations stay as they are written.
  void KeepOperations() { graph_.KeepOperations(); }
  // The place and name of the first construct that no circuit has, if any.
  virtual std::optional<Diagnostic> Run(const Roles* roles);

  // After a successful run.
  const sigmatics::ValueGraph& graph() const { return graph_; }
  int size() const { return size_; }
  size_t operations() const { return operations_; }
  const std::vector<NodeId>& faulting() const { return faulting_; }
  bool IsLoaded(int parameter) const { return loaded_.contains(parameter); }
  // New values of the array's elements; nothing if they are not written.
  std::optional<NodeId> StoredIn(int parameter) const;
  // Of rows (kernel_rows.h): an array that all rows share, how many lanes have a row, and the
  // elements of a row if that is not the size.
  virtual bool IsShared(int /*parameter*/) const { return false; }
  virtual uint32_t lanes() const { return 0; }
  virtual uint32_t cut() const { return 0; }

 protected:
  // A local: the number of the lane's element, or a value.
  struct Slot {
    bool is_index = false;
    NodeId value = 0;
    bool operator==(const Slot&) const = default;
  };
  struct Element {
    NodeId value = 0;
    bool stored = false;
  };
  struct State {
    std::map<int, Slot> locals;
    std::map<int, Element> elements;
  };
  // The statements that are left of the function, the innermost body last.
  using Rest = std::vector<std::span<const Stmt>>;

  // Gives parameters their values.
  void SetUp(const Roles* roles);
  // Fails if no array is written.
  void CheckStores();

  // kernel_analysis.cc: statements. To the end of the function.
  void RunRest(Rest rest);
  // A body without returns.
  void RunBody(std::span<const Stmt> body);
  void RunStatement(const Stmt& stmt);
  // Counts the statement. False if that is too much.
  bool MayRun(const Stmt& stmt);
  virtual bool RunGuard(const Stmt& stmt, Rest& rest);
  virtual void RunIf(const Stmt& stmt);
  virtual void RunFor(const Stmt& stmt);
  virtual void RunUnpack(const Stmt& stmt);
  void RunHelper(const Inlined& call);
  void Return(const Stmt& stmt);
  virtual void Assign(const Stmt& stmt);
  virtual void Store(const Expr& target, NodeId value);
  // The state after a branch: `condition` chose `state_`, its opposite the other one.
  void Merge(NodeId condition, const State& other, Position at);
  void MergeElements(NodeId condition, const State& other, Position at);
  bool IsGuard(const Expr& condition, bool inside);
  bool IsIndex(const Expr& expr) const;

  // kernel_values.cc: expressions.
  NodeId Value(const Expr& expr);
  virtual NodeId Load(const Expr& expr);
  virtual NodeId Variable(const Expr& expr);
  NodeId Local(int index, Position at);
  NodeId Binary(const Expr& expr);
  NodeId Divide(const Expr& expr);
  NodeId Power(const Expr& expr);
  NodeId Unary(const Expr& expr);
  NodeId Logic(const Expr& expr);
  NodeId Chain(const Expr& expr);
  NodeId IfExpr(const Expr& expr);
  virtual NodeId CallOf(const Expr& expr);
  NodeId Convert(const Expr& expr);
  NodeId Number(isa::Type type, Constant constant);
  NodeId Apply(const sigmatics::Variant& variant, isa::Type type, std::vector<NodeId> sources,
               Position at);
  NodeId Apply(isa::Opcode op, isa::Type type, std::vector<NodeId> sources, Position at);
  NodeId Select(NodeId condition, NodeId yes, NodeId no, Position at);
  // Records why the kernel is not a circuit, and gives any value to go on with.
  NodeId Fail(Position at, std::string message);

  const Symbol& symbol(int index) const { return checked_.symbols.at(index); }

  const Kernel& kernel_;
  const CheckedKernel& checked_;
  std::string file_;
  sigmatics::ValueGraph graph_;
  std::vector<NodeId> parameters_;  // the values of inputs and scalars
  std::optional<Diagnostic> obstacle_;
  State state_;
  std::set<int> loaded_;
  std::vector<NodeId> faulting_;
  std::vector<const Inlined*> helpers_;
  std::optional<NodeId> old_element_;
  int size_ = -1;
  bool guarded_ = false;
  int conditions_ = 0;  // around what is evaluated now
  size_t statements_ = 0;
  size_t operations_ = 0;
};

}  // namespace hologram::frontend
