#include "merge/launches.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "merge/element_map.h"
#include "merge/forms.h"
#include "merge/inline.h"
#include "merge/registers.h"
#include "verify/verified_program.h"

namespace hologram::merge {
namespace {

using pipeline::Operand;
using pipeline::Plan;
using pipeline::Role;
using pipeline::Step;
using verify::VerifiedProgram;

// Each takes the compiler some time: launches beyond these stay as they are.
constexpr size_t kMostMerged = 512;
// With so few elements a launch costs more than they do, wherever they are computed.
constexpr uint64_t kFewElements = 16;
constexpr size_t kMostNames = 4;

struct Work {
  Step step;
  std::optional<Form> form;  // empty: not asked for yet, or it has none
  bool was_asked = false;
  bool is_merged = false;
  std::vector<std::string> names;
};

class Merger {
 public:
  Merger(Plan plan, std::vector<isa::Program> kernels)
      : plan_(std::move(plan)),
        kernels_(std::move(kernels)),
        verified_(kernels_.size()),
        was_verified_(kernels_.size()) {
    uint64_t address = uint64_t{1} << 46;
    for (const pipeline::Array& array : plan_.arrays) {
      addresses_.push_back(address);
      address += (array.bytes / pipeline::kAlignment + 2) * pipeline::kAlignment;
    }
    for (Step& step : plan_.steps) {
      const std::string& name = kernels_[step.kernel].name;
      works_.push_back({std::move(step), std::nullopt, false, false, {name}});
    }
  }

  Merged Run() {
    FindUses();
    for (size_t e = 0; e < works_.size();) {
      const std::optional<size_t> at = Merge(e);
      e = at ? *at : e + 1;
    }
    return Finish();
  }

 private:
  struct Uses {
    std::vector<size_t> writers;
    std::vector<size_t> readers;
  };

  std::span<const isa::Parameter> ParametersOf(const Work& work) const {
    return work.is_merged ? work.form->program->program().parameters
                          : kernels_[work.step.kernel].parameters;
  }

  template <class F>
  void ForEachOperand(const Work& work, F f) const {
    size_t next = 0;
    for (const isa::Parameter& parameter : ParametersOf(work)) {
      if (parameter.is_buffer) f(parameter, work.step.operands[next++]);
    }
  }

  void FindUses() {
    uses_.assign(plan_.arrays.size(), {});
    for (size_t k = 0; k < works_.size(); ++k) {
      ForEachOperand(works_[k], [&](const isa::Parameter& parameter, const Operand& operand) {
        if (operand.array == pipeline::kNoArray) return;
        Uses& uses = uses_[operand.array];
        if (Writes(parameter) && (uses.writers.empty() || uses.writers.back() != k)) {
          uses.writers.push_back(k);
        }
        if (Reads(parameter) && (uses.readers.empty() || uses.readers.back() != k)) {
          uses.readers.push_back(k);
        }
      });
    }
  }

  const Form* FormOf(size_t number) {
    Work& work = works_[number];
    if (work.was_asked) return work.form ? &*work.form : nullptr;
    work.was_asked = true;
    const size_t kernel = work.step.kernel;
    if (!was_verified_[kernel]) {
      was_verified_[kernel] = true;
      verified_[kernel] = WithoutCalls(kernels_[kernel]);
    }
    if (verified_[kernel] != nullptr) work.form = FormFor(verified_[kernel], work.step, addresses_);
    return work.form ? &*work.form : nullptr;
  }

  bool IsWhole(const Operand& operand) const {
    return operand.first == 0 && operand.bytes == plan_.arrays[operand.array].bytes;
  }
  // Nothing outside of the pipeline sees it.
  bool IsFree(uint32_t array) const { return plan_.arrays[array].role == Role::kTemporary; }
  bool HasWriterIn(uint32_t array, size_t first, size_t end) const {
    const auto& writers = uses_[array].writers;
    return std::any_of(writers.begin(), writers.end(),
                       [&](size_t k) { return first <= k && k < end; });
  }

  // Merges launch e with one that it reads from. The launch to go on with; nothing: it stays.
  std::optional<size_t> Merge(size_t e) {
    if (made_.size() >= kMostMerged) return std::nullopt;
    std::set<std::pair<size_t, uint32_t>> from;  // writer, array
    ForEachOperand(works_[e], [&](const isa::Parameter& parameter, const Operand& operand) {
      if (operand.array == pipeline::kNoArray || !Reads(parameter) || !IsWhole(operand)) return;
      const std::vector<size_t>& writers = uses_[operand.array].writers;
      if (writers.size() == 1 && writers[0] < e) from.emplace(writers[0], operand.array);
    });
    for (auto at = from.rbegin(); at != from.rend(); ++at) {
      if (Append(at->first, e, at->second)) return at->first;
    }
    for (auto at = from.rbegin(); at != from.rend(); ++at) {
      if (Prepend(at->first, e, at->second)) return e - 1;
    }
    return std::nullopt;
  }

  // The host's program with a parameter for each array of the guest that it does not have; the
  // sources of the guest's parameters, and the operands of all.
  struct Joint {
    std::shared_ptr<const VerifiedProgram> host;
    std::vector<Source> sources;
    Step step;
  };

  // `skipped`: this array of the guest gets no parameter. Nothing: too many registers.
  std::optional<Joint> Join(const Work& host, const Work& guest, uint32_t shared,
                            bool skips_shared) const {
    const isa::Program& host_program = host.form->program->program();
    const isa::Program& guest_program = guest.form->fixed->program();
    isa::Program joined = host_program;
    Joint joint;
    joint.step = host.step;
    for (size_t k = 0; k < guest_program.parameters.size(); ++k) {
      const isa::Parameter& parameter = guest_program.parameters[k];
      const Operand& operand = guest.step.operands[k];
      Source source;
      source.is_value = operand.array == shared && Reads(parameter);
      const bool is_skipped = operand.array == shared && (source.is_value || skips_shared);
      const size_t place = ParameterOfOperand(joined, joint.step, parameter.type, operand);
      source.parameter = static_cast<uint32_t>(place);
      if (!is_skipped && place == joined.parameters.size()) {
        if (place == isa::kMaxParameters) return std::nullopt;
        joined.parameters.push_back(parameter);
        joined.parameters.back().name += "_" + std::to_string(place);
        joint.step.operands.push_back(operand);
      }
      source.is_written = !is_skipped && place < host_program.parameters.size() &&
                          Writes(host_program.parameters[place]);
      joint.sources.push_back(source);
    }
    const size_t added = joined.parameters.size() - host_program.parameters.size();
    if (!MakeRoom(joined, host_program.parameters.size(), added)) return std::nullopt;
    joint.host = VerifiedOf(std::move(joined));
    return joint.host == nullptr ? std::nullopt : std::optional(std::move(joint));
  }

  // What a map reads at its number mod n is an array of n elements: so its index is proved to be
  // that.
  bool HasPeriods(const Work& guest) const {
    const std::vector<Node>& nodes = guest.form->map->nodes;
    return std::all_of(nodes.begin(), nodes.end(), [&](const Node& node) {
      if (!node.is_load() || node.place.kind != Place::Kind::kModulo) return true;
      const uint64_t size = isa::SizeOf(node.instruction.type);
      return guest.step.operands[node.parameter].bytes == node.place.number * size;
    });
  }

  // A parameter of the host whose operand is of the array.
  static std::optional<size_t> ParameterWith(const Work& work, uint32_t array, bool writes) {
    const auto& parameters = work.form->program->program().parameters;
    size_t next = 0;
    for (size_t k = 0; k < parameters.size(); ++k) {
      if (!parameters[k].is_buffer) continue;
      const bool fits = writes ? Writes(parameters[k]) : Reads(parameters[k]);
      if (work.step.operands[next++].array == array && fits) return k;
    }
    return std::nullopt;
  }
  static const Operand& OperandOf(const Work& work, size_t parameter) {
    return work.step.operands[BufferNumber(work.form->program->program(), parameter)];
  }

  bool CoversAll(const ElementMap& map, const isa::Parameter& parameter,
                 const Operand& operand) const {
    return IsWhole(operand) && operand.bytes == map.elements * isa::SizeOf(parameter.type);
  }

  // Every load of the array by the map, and every store, is of all elements in their order; those
  // of the array are of this type.
  bool GoesThrough(const Work& work, uint32_t array, isa::Type type) const {
    const ElementMap& map = *work.form->map;
    const auto& parameters = work.form->fixed->program().parameters;
    for (const Node& node : map.nodes) {
      if (!node.is_load() || work.step.operands[node.parameter].array != array) continue;
      if (node.place != Place{} || node.instruction.type != type ||
          !CoversAll(map, parameters[node.parameter], work.step.operands[node.parameter])) {
        return false;
      }
    }
    return std::all_of(map.stores.begin(), map.stores.end(), [&](const ElementStore& store) {
      const Operand& operand = work.step.operands[store.parameter];
      return CoversAll(map, parameters[store.parameter], operand) &&
             (operand.array != array || parameters[store.parameter].type == type);
    });
  }

  // Launch e becomes part of launch p, which writes the array.
  bool Append(size_t p, size_t e, uint32_t array) {
    const Form* host = FormOf(p);
    const Form* guest = FormOf(e);
    if (host == nullptr || guest == nullptr || !guest->map) return false;
    const std::optional<size_t> parameter = ParameterWith(works_[p], array, true);
    if (!parameter || HasTwice(works_[p], array)) return false;
    const isa::Parameter& stored = host->program->program().parameters[*parameter];
    if (stored.direction != isa::Direction::kOut || !IsWhole(OperandOf(works_[p], *parameter)) ||
        !GoesThrough(works_[e], array, stored.type) || !HasPeriods(works_[e]) || !CanMoveUp(p, e)) {
      return false;
    }
    if (!StoresInRows(*host->program, *parameter) && guest->map->elements > kFewElements) {
      return false;
    }
    std::optional<Joint> joint = Join(works_[p], works_[e], array, false);
    if (!joint) return false;
    std::optional<isa::Program> made = InlineBehindStores(
        {*joint->host, joint->step.scalars, host->map ? &*host->map : nullptr},
        static_cast<uint32_t>(*parameter), {*guest->map, guest->fixed->program(), joint->sources});
    if (!made) return false;
    WithoutDeadStores(*made, joint->step, e);
    return Replace(p, e, std::move(*made), std::move(joint->step), p);
  }

  // Launch p becomes part of launch e, which alone reads what it writes.
  bool Prepend(size_t p, size_t e, uint32_t array) {
    const Form* guest = FormOf(p);
    const Form* host = FormOf(e);
    if (host == nullptr || guest == nullptr || !guest->map || !host->map) return false;
    if (!IsFree(array) || uses_[array].readers != std::vector<size_t>{e}) return false;
    const std::optional<size_t> parameter = ParameterWith(works_[e], array, false);
    if (!parameter || HasTwice(works_[e], array) || guest->map->stores.size() != 1) return false;
    const isa::Type type = host->program->program().parameters[*parameter].type;
    if (!GoesThrough(works_[p], array, type) || !GoesThrough(works_[e], array, type) ||
        !HasPeriods(works_[p])) {
      return false;
    }
    bool stays = true;
    ForEachOperand(works_[p], [&](const isa::Parameter& own, const Operand& operand) {
      stays = stays && !(Reads(own) && HasWriterIn(operand.array, p, e + 1));
    });
    if (!stays) return false;
    std::optional<Joint> joint = Join(works_[e], works_[p], array, true);
    if (!joint) return false;
    std::optional<isa::Program> made = InlineAtLoads(
        {*joint->host, joint->step.scalars, &*host->map}, static_cast<uint32_t>(*parameter),
        {*guest->map, guest->fixed->program(), joint->sources});
    if (!made) return false;
    const size_t number = BufferNumber(joint->host->program(), *parameter);
    joint->step.operands.erase(joint->step.operands.begin() + static_cast<ptrdiff_t>(number));
    return Replace(p, e, std::move(*made), std::move(joint->step), e);
  }

  // By two parameters.
  static bool HasTwice(const Work& work, uint32_t array) {
    const auto& operands = work.step.operands;
    return std::count_if(operands.begin(), operands.end(),
                         [&](const Operand& operand) { return operand.array == array; }) != 1;
  }

  // Whether launch e may run with launch p: its inputs are there, and its outputs are its own.
  bool CanMoveUp(size_t p, size_t e) const {
    bool may = true;
    ForEachOperand(works_[e], [&](const isa::Parameter& parameter, const Operand& operand) {
      const Uses& uses = uses_[operand.array];
      if (Reads(parameter)) {
        const bool is_of_p = uses.writers.size() == 1 && uses.writers[0] == p;
        may = may && (is_of_p || !HasWriterIn(operand.array, p, e));
      }
      if (Writes(parameter)) {
        const bool is_own =
            uses.writers.size() == 1 && (uses.readers.empty() || uses.readers.front() > e);
        may = may && is_own && !Reads(parameter);
      }
    });
    return may;
  }

  // Stores to temporaries that no launch but e reads, which is part of this one now.
  void WithoutDeadStores(isa::Program& program, Step& step, size_t e) const {
    for (size_t k = program.parameters.size(); k-- > 0;) {
      if (!program.parameters[k].is_buffer) continue;
      const size_t number = BufferNumber(program, k);
      const uint32_t array = step.operands[number].array;
      const std::vector<size_t>& readers = uses_[array].readers;
      const bool is_dead =
          IsFree(array) && Writes(program.parameters[k]) &&
          std::all_of(readers.begin(), readers.end(), [&](size_t reader) { return reader == e; });
      // Arrays that nothing reads at all have a launch of their own, and stay.
      if (!is_dead || readers.empty()) continue;
      std::optional<isa::Program> made = WithoutStores(program, static_cast<uint32_t>(k));
      if (!made) continue;
      program = std::move(*made);
      step.operands.erase(step.operands.begin() + static_cast<ptrdiff_t>(number));
    }
  }

  // Launches p and e are one, which runs in place of launch `at`.
  bool Replace(size_t p, size_t e, isa::Program program, Step step, size_t at) {
    const size_t guarded = works_[p].form->guarded + works_[e].form->guarded;
    std::vector<std::string> names = works_[p].names;
    names.insert(names.end(), works_[e].names.begin(), works_[e].names.end());
    program.name = NameOf(names);
    const std::shared_ptr<const VerifiedProgram> verified = VerifiedOf(std::move(program));
    if (verified == nullptr) return false;
    std::optional<Form> form = FormFor(verified, step, addresses_);
    if (!form || form->guarded > guarded) return false;
    made_.insert(isa::EncodeCode(form->program->program()));
    works_[at] = {std::move(step), std::move(form), true, true, std::move(names)};
    works_.erase(works_.begin() + static_cast<ptrdiff_t>(at == p ? e : p));
    ++num_merged_;
    FindUses();
    return true;
  }

  static std::string NameOf(const std::vector<std::string>& names) {
    std::string text;
    for (size_t k = 0; k < std::min(names.size(), kMostNames); ++k) {
      text += (k == 0 ? "" : "+") + names[k];
    }
    const size_t more = names.size() - std::min(names.size(), kMostNames);
    return more == 0 ? text : text + "+" + std::to_string(more);
  }

  uint32_t KernelOf(const Work& work, Merged& merged,
                    std::map<std::vector<uint8_t>, uint32_t>& numbers,
                    std::set<std::string>& taken) const {
    isa::Program program =
        work.is_merged ? work.form->program->program() : kernels_[work.step.kernel];
    const auto next = static_cast<uint32_t>(merged.kernels.size());
    const auto [at, is_new] = numbers.emplace(isa::EncodeCode(program), next);
    if (!is_new) return at->second;
    const std::string name = program.name;
    for (int k = 2; !taken.insert(program.name).second; ++k) {
      program.name = name + "_" + std::to_string(k);
    }
    merged.kernels.push_back(std::move(program));
    return next;
  }

  Merged Finish() {
    Merged merged;
    merged.merged = num_merged_;
    std::map<std::vector<uint8_t>, uint32_t> numbers;
    std::set<std::string> taken;
    std::vector<uint32_t> array_numbers(plan_.arrays.size(), pipeline::kNoArray);
    std::vector<bool> is_used(plan_.arrays.size());
    for (const Work& work : works_) {
      for (const Operand& operand : work.step.operands) {
        if (operand.array != pipeline::kNoArray) is_used[operand.array] = true;
      }
    }
    merged.plan.name = plan_.name;
    for (size_t k = 0; k < plan_.arrays.size(); ++k) {
      if (!is_used[k] && !plan_.arrays[k].is_public()) continue;
      array_numbers[k] = static_cast<uint32_t>(merged.plan.arrays.size());
      merged.plan.arrays.push_back(std::move(plan_.arrays[k]));
    }
    for (Work& work : works_) {
      const uint32_t kernel = KernelOf(work, merged, numbers, taken);
      Step& step = merged.plan.steps.emplace_back(std::move(work.step));
      step.kernel = kernel;
      for (Operand& operand : step.operands) {
        if (operand.array != pipeline::kNoArray) operand.array = array_numbers[operand.array];
      }
    }
    merged.plan.num_kernels = static_cast<uint32_t>(merged.kernels.size());
    return merged;
  }

  Plan plan_;
  std::vector<isa::Program> kernels_;
  std::vector<std::shared_ptr<const VerifiedProgram>> verified_;  // of kernels_, as asked for
  std::vector<bool> was_verified_;
  std::vector<uint64_t> addresses_;  // of arrays, apart
  std::vector<Work> works_;
  std::vector<Uses> uses_;
  std::set<std::vector<uint8_t>> made_;  // programs of merged launches
  size_t num_merged_ = 0;
};

}  // namespace

Merged MergeLaunches(Plan plan, std::vector<isa::Program> kernels) {
  return Merger(std::move(plan), std::move(kernels)).Run();
}

}  // namespace hologram::merge
