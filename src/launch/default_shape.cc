#include "launch/default_shape.h"

#include <algorithm>
#include <string>

namespace hologram::launch {
namespace {

using Triple = std::array<uint32_t, 3>;

constexpr uint64_t kAllLanes = uint64_t{UINT32_MAX} + 1;
// Lanes in which no kernel has work that says how many lanes it is for.
constexpr uint64_t kFarLane = kAllLanes - (uint64_t{1} << 20);
// Questions about one launch; more are not worth the time.
constexpr int kMaxQuestions = 512;

std::string ToText(const Triple& t) {
  return std::to_string(t[0]) + "," + std::to_string(t[1]) + "," + std::to_string(t[2]);
}

// A launch as the caller writes it: "--grid 3,1,1 --block 256,1,1".
std::string LaunchText(Caller caller, const std::string& grid, const std::string& block,
                       const std::string& kernel) {
  switch (caller) {
    case Caller::kCommand:
      return "--grid " + grid + (block.empty() ? "" : " --block " + block);
    case Caller::kPython:
      return kernel + "[(" + grid + "), " + (block.empty() ? "block" : "(" + block + ")") +
             "](...)";
    case Caller::kLibrary:
      break;
  }
  return "grid " + grid + (block.empty() ? "" : " block " + block);
}

// "1 lane", "2 lanes"
std::string Counted(uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

uint64_t CeilDiv(uint64_t a, uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

// Functions of warps ask for a lane's number in a block of any shape, which asks for no such shape.
bool UsesWarps(const isa::Program& program) {
  const auto of_warp = [](const isa::Instruction& i) {
    return isa::IsBarrier(i.op) && i.op != isa::Opcode::kBarSync && i.is_of_warp();
  };
  const auto of_library = [](const isa::SharedArray& array) {
    return array.name.starts_with(isa::kLibraryArray);
  };
  return std::any_of(program.code.begin(), program.code.end(), of_warp) ||
         std::any_of(program.shared.begin(), program.shared.end(), of_library);
}

int HighestDimension(const VerifiedProgram& program) {
  const verify::IdsUsed& ids = program.ids();
  const bool lanes = !UsesWarps(program.program());
  for (int d = 2; d > 0; --d) {
    if (ids.global[d] || ids.block[d] || (lanes && ids.lane[d])) return d;
  }
  return 0;
}

// Of a launch without a grid.
Triple BlockFor(const isa::Program& code, const RequestedShape& requested, int highest_dimension) {
  if (requested.block) return *requested.block;
  if (highest_dimension == 0 || code.SaysBlock()) return code.DefaultBlock();
  return highest_dimension == 1 ? Triple{16, 16, 1} : Triple{8, 8, 4};
}

// Nothing in such a kernel depends on how large a block is.
bool UsesGlobalIdsAlone(const VerifiedProgram& program) {
  const verify::IdsUsed& ids = program.ids();
  const auto none = [](const bool(&used)[3]) { return !used[0] && !used[1] && !used[2]; };
  return none(ids.lane) && none(ids.block) && !ids.linear && !program.uses_barrier();
}

constexpr Range kAllIds = {0, UINT32_MAX};

LaneQuestion AnyLaunch(const Triple& block, std::span<const hologram_buffer_ref> buffers,
                       std::span<const uint64_t> scalars) {
  LaneQuestion question;
  question.block = block;
  question.grid = {Range{1, UINT32_MAX}, Range{1, UINT32_MAX}, Range{1, UINT32_MAX}};
  question.lanes = 1;
  question.buffers = buffers;
  question.scalars = scalars;
  return question;
}

// Finds the last lane, in one dimension, that has work.
class LastLane {
 public:
  LastLane(const VerifiedProgram& program, const LaneQuestion& question, size_t dimension)
      : evaluator_(program), question_(question), dimension_(dimension) {}

  // The last lane from `first` on; none if there is none or no end to them. Conditions come first:
  // what they admit is wanted even if it leaves the buffers, which is then the mistake to report.
  // Lanes that go on by the lanes of the launch need no others, whichever of them leave a buffer.
  std::optional<uint64_t> Find(uint64_t first) {
    for (const bool any_length : {true, false}) {
      question_.any_length = any_length;
      if (!any_length && evaluator_.strides()) continue;
      if (first >= kAllLanes || !Works(first, kAllLanes - 1)) continue;
      if (Works(std::max(first, kFarLane), kAllLanes - 1)) continue;
      if (const auto found = Search(first, kAllLanes - 1)) return found;
    }
    return std::nullopt;
  }

  // The conditions admit no lane, however long the buffers are, and none fails.
  bool HasNone() {
    question_.any_length = true;
    const LaneAnswer answer = Ask(0, kAllLanes - 1);
    return !answer.works && answer.idles && !answer.may_trap;
  }

  LaneAnswer Ask(uint64_t first, uint64_t last) {
    --questions_left_;
    question_.ids[dimension_] = {static_cast<__int128>(first), static_cast<__int128>(last)};
    return evaluator_.Ask(question_);
  }

 private:
  bool Works(uint64_t first, uint64_t last) {
    const LaneAnswer answer = Ask(first, last);
    return answer.works && (first != last || !answer.overruns);
  }

  std::optional<uint64_t> Search(uint64_t first, uint64_t last) {
    if (questions_left_ <= 0 || !Works(first, last)) return std::nullopt;
    if (first == last) return first;
    const uint64_t middle = first + (last - first) / 2;
    if (const auto found = Search(middle + 1, last)) return found;
    return Search(first, middle);
  }

  LaneEvaluator evaluator_;
  LaneQuestion question_;
  size_t dimension_;
  int questions_left_ = kMaxQuestions;
};

// What makes `lane` the last one: a branch that the next lane takes otherwise, or an access in
// which the next one leaves a buffer.
struct Limit {
  std::optional<uint32_t> branch;
  std::optional<uint32_t> access;
};

Limit LimitAt(LastLane& lanes, uint64_t lane) {
  const LaneAnswer last = lanes.Ask(lane, lane);
  const LaneAnswer next = lanes.Ask(lane + 1, lane + 1);
  constexpr uint8_t kBoth = LaneAnswer::kTaken | LaneAnswer::kNotTaken;
  Limit limit;
  for (uint32_t pc = 0; pc < last.ways.size() && !limit.branch; ++pc) {
    if ((last.ways[pc] ^ next.ways[pc]) == kBoth) limit.branch = pc;
  }
  if (next.overruns) limit.access = next.overrun_pc;
  return limit;
}

}  // namespace

DefaultShape::DefaultShape(const KernelFacts& facts)
    : program_(facts.program), bounds_(facts.bounds) {
  for (const isa::Parameter& parameter : program_.program().parameters) {
    if (!parameter.is_buffer) scalar_types_.push_back(parameter.type);
  }
}

DefaultShape::LargestOutput DefaultShape::FindLargestOutput(
    std::span<const hologram_buffer_ref> buffers) const {
  LargestOutput largest;
  size_t buffer = 0;
  for (const isa::Parameter& parameter : program_.program().parameters) {
    if (!parameter.is_buffer) continue;
    const uint64_t elements = buffers[buffer++].bytes / isa::SizeOf(parameter.type);
    if (parameter.direction == isa::Direction::kIn) continue;
    if (largest.found && elements <= largest.elements) continue;
    largest = {true, parameter.name, elements};
  }
  return largest;
}

bool DefaultShape::BoundsHold(uint64_t lanes, std::span<const uint64_t> scalars) const {
  if (!bounds_) return false;
  return std::all_of(bounds_->begin(), bounds_->end(), [&](const SizeBound& bound) {
    const uint32_t bits = isa::BitsOf(scalar_types_[bound.scalar]);
    const uint64_t value = scalars[bound.scalar] << (64 - bits) >> (64 - bits);
    const bool negative =
        isa::IsSignedInteger(scalar_types_[bound.scalar]) && (value >> (bits - 1)) != 0;
    return negative || (bound.inclusive ? value < lanes : value <= lanes);
  });
}

// Compares with the last complete launch, and remembers this one in its place, to be withdrawn by
// nobody: CheckComplete is a function of just these numbers.
bool DefaultShape::KnownToBeComplete(const LaneQuestion& question) const {
  const std::lock_guard lock(mutex_);
  const size_t scalars = question.scalars.size();
  if (last_complete_.size() != 2 + scalars + question.buffers.size()) return false;
  if (last_complete_[0] != question.lanes || last_complete_[1] != question.block[0]) return false;
  for (size_t s = 0; s < scalars; ++s) {
    if (isa::IsFloat(scalar_types_[s])) continue;
    if (last_complete_[2 + s] != question.scalars[s]) return false;
  }
  for (size_t b = 0; b < question.buffers.size(); ++b) {
    if (last_complete_[2 + scalars + b] != question.buffers[b].bytes) return false;
  }
  return true;
}

Status DefaultShape::CheckComplete(const LaneQuestion& question, const LargestOutput& largest,
                                   Caller caller) const {
  if (BoundsHold(question.lanes, question.scalars) || KnownToBeComplete(question)) {
    return Success{};
  }
  LastLane lanes(program_, question, 0);
  const std::optional<uint64_t> last = lanes.Find(question.lanes);
  if (!last) {
    std::vector<uint64_t> complete = {question.lanes, question.block[0]};
    complete.insert(complete.end(), question.scalars.begin(), question.scalars.end());
    for (const hologram_buffer_ref& buffer : question.buffers) complete.push_back(buffer.bytes);
    const std::lock_guard lock(mutex_);
    last_complete_ = std::move(complete);
    return Success{};
  }
  const isa::Program& code = program_.program();
  const Limit limit = LimitAt(lanes, *last);
  std::string what = "there is work for";
  Location where;
  if (limit.branch) {
    what = "this condition needs";
    // Of hand-written code the comparison may have a place where the branch has none.
    const uint32_t begin = program_.blocks()[program_.BlockOf(*limit.branch)].begin;
    for (uint32_t pc = *limit.branch + 1; pc > begin && where.line == 0; --pc) {
      where = code.LocationOf(pc - 1);
    }
  } else if (limit.access) {
    where = code.LocationOf(*limit.access);
    if (*limit.access < code.debug.size() && !code.debug[*limit.access].text.empty()) {
      what = code.debug[*limit.access].text + " has elements for";
    }
  }
  Diagnostic error = Error(
      ErrorCode::kInvalidArgument,
      "the largest output '" + largest.name + "' has " + Counted(largest.elements, "element") +
          ", so the launch has " + Counted(question.lanes, "lane") + ", but " + what + " " +
          Counted(*last + 1, "lane") + "; pass a grid: " +
          LaunchText(caller, std::to_string(CeilDiv(*last + 1, question.block[0])) + ",1,1",
                     std::to_string(question.block[0]) + ",1,1", code.name));
  error.where = where;
  return error;
}

// Of any launch: a kernel whose conditions admit no lane, as those of arrays without elements. What
// it prints is not counted as work.
bool DefaultShape::AdmitsNoLane(const Triple& block, std::span<const hologram_buffer_ref> buffers,
                                std::span<const uint64_t> scalars) const {
  const std::vector<isa::Instruction>& code = program_.program().code;
  if (std::any_of(code.begin(), code.end(),
                  [](const isa::Instruction& i) { return i.op == isa::Opcode::kPrint; })) {
    return false;
  }
  LaneQuestion question = AnyLaunch(block, buffers, scalars);
  for (Range& ids : question.ids) ids = kAllIds;
  return LastLane(program_, question, 0).HasNone();
}

// The blocks of each dimension, when the kernel's conditions give their number for all of them.
std::optional<Triple> DefaultShape::GuardedGrid(const Triple& block, int highest_dimension,
                                                std::span<const hologram_buffer_ref> buffers,
                                                std::span<const uint64_t> scalars) const {
  LaneQuestion question = AnyLaunch(block, buffers, scalars);
  for (int d = 0; d <= highest_dimension; ++d) question.ids[static_cast<size_t>(d)] = kAllIds;
  Triple grid = {1, 1, 1};
  for (int dimension = 0; dimension <= highest_dimension; ++dimension) {
    const auto d = static_cast<size_t>(dimension);
    const std::optional<uint64_t> last = LastLane(program_, question, d).Find(0);
    if (!last) return std::nullopt;
    grid[d] = static_cast<uint32_t>(CeilDiv(*last + 1, question.block[d]));
  }
  return grid;
}

// "--grid 3,2,1 --block 16,16,1"
std::string DefaultShape::GridToWrite(const Triple& block, int highest_dimension, Caller caller,
                                      std::span<const hologram_buffer_ref> buffers,
                                      std::span<const uint64_t> scalars) const {
  const std::optional<Triple> grid = GuardedGrid(block, highest_dimension, buffers, scalars);
  const char* const blocks[] = {"X,1,1", "X,Y,1", "X,Y,Z"};
  return LaunchText(caller, grid ? ToText(*grid) : blocks[highest_dimension], ToText(block),
                    program_.program().name);
}

// A launch of a kernel with ids of several dimensions covers what its conditions admit, if each
// lane is known by its global ids alone, so that it does not matter how large a block is, or if the
// kernel says its block.
Result<hologram_launch_shape> DefaultShape::ResolveSeveral(
    int highest_dimension, const RequestedShape& requested,
    std::span<const hologram_buffer_ref> buffers, std::span<const uint64_t> scalars) const {
  const isa::Program& code = program_.program();
  const Triple block = BlockFor(code, requested, highest_dimension);
  std::vector<uint64_t> inputs(block.begin(), block.end());
  for (size_t s = 0; s < scalars.size(); ++s) {
    inputs.push_back(isa::IsFloat(scalar_types_[s]) ? 0 : scalars[s]);
  }
  for (const hologram_buffer_ref& buffer : buffers) inputs.push_back(buffer.bytes);
  std::optional<Triple> grid;
  {
    const std::lock_guard lock(mutex_);
    if (last_inputs_ == inputs) grid = last_grid_;
  }
  // Else lanes and blocks are what the kernel says, which has several dimensions.
  const bool as_said = !code.HasFlatBlock() && block == code.DefaultBlock();
  if (!grid && (UsesGlobalIdsAlone(program_) || as_said))
    grid = GuardedGrid(block, highest_dimension, buffers, scalars);
  if (!grid && AdmitsNoLane(block, buffers, scalars)) grid = Triple{0, 1, 1};
  if (!grid) {
    return Error(ErrorCode::kInvalidArgument,
                 "kernel '" + code.name + "' uses ids of dimension " +
                     std::to_string(highest_dimension) + "; pass a grid: " +
                     GridToWrite(block, highest_dimension, requested.caller, buffers, scalars));
  }
  const std::lock_guard lock(mutex_);
  last_inputs_ = std::move(inputs);
  last_grid_ = *grid;
  return hologram_launch_shape{{(*grid)[0], (*grid)[1], (*grid)[2]},
                               {block[0], block[1], block[2]}};
}

Result<hologram_launch_shape> DefaultShape::Resolve(const RequestedShape& requested,
                                                    std::span<const hologram_buffer_ref> buffers,
                                                    std::span<const uint64_t> scalars) const {
  const isa::Program& code = program_.program();
  HOLOGRAM_CHECK(scalars.size() == scalar_types_.size() &&
                 buffers.size() + scalars.size() == code.parameters.size());
  const Triple block = requested.block.value_or(code.DefaultBlock());
  hologram_launch_shape shape{{1, 1, 1}, {block[0], block[1], block[2]}};
  if (requested.grid) {
    std::copy(requested.grid->begin(), requested.grid->end(), shape.grid);
    return shape;
  }
  if (const int d = HighestDimension(program_); d > 0) {
    return ResolveSeveral(d, requested, buffers, scalars);
  }
  if (block[0] == 0 || block[1] != 1 || block[2] != 1) {
    return Error(ErrorCode::kInvalidArgument,
                 "a block of " + ToText(block) + " needs a grid; say " +
                     LaunchText(requested.caller, "X,Y,Z", ToText(block), code.name));
  }
  const LargestOutput largest = FindLargestOutput(buffers);
  if (!largest.found) {
    return Error(ErrorCode::kInvalidArgument,
                 "kernel '" + code.name + "' writes no array, so the launch does not follow from " +
                     "its arguments; pass a grid: " +
                     GridToWrite(block, 0, requested.caller, buffers, scalars));
  }
  const uint64_t blocks = CeilDiv(largest.elements, block[0]);
  if (blocks * block[0] > kAllLanes) {
    return Error(ErrorCode::kInvalidArgument,
                 "a launch over the " + std::to_string(largest.elements) + " elements of '" +
                     largest.name + "' has more than 2^32 lanes");
  }
  shape.grid[0] = static_cast<uint32_t>(blocks);
  LaneQuestion question;
  question.block = block;
  question.grid = {Range{blocks, blocks}, Range{1, 1}, Range{1, 1}};
  question.lanes = blocks * block[0];
  question.buffers = buffers;
  question.scalars = scalars;
  HOLOGRAM_RETURN_IF_ERROR(CheckComplete(question, largest, requested.caller));
  return shape;
}

std::optional<hologram_launch_shape> DefaultShape::Wanted(
    const RequestedShape& requested, std::span<const hologram_buffer_ref> buffers,
    std::span<const uint64_t> scalars) const {
  const int highest_dimension = HighestDimension(program_);
  const Triple block = BlockFor(program_.program(), requested, highest_dimension);
  const std::optional<Triple> grid = GuardedGrid(block, highest_dimension, buffers, scalars);
  if (!grid) return std::nullopt;
  return hologram_launch_shape{{(*grid)[0], (*grid)[1], (*grid)[2]},
                               {block[0], block[1], block[2]}};
}

std::optional<std::string> DefaultShape::MissingLanes(const RequestedShape& requested,
                                                      std::span<const hologram_buffer_ref> buffers,
                                                      std::span<const uint64_t> scalars) const {
  if (!requested.grid) return std::nullopt;
  const Triple block = requested.block.value_or(program_.program().DefaultBlock());
  Triple wanted = *requested.grid;
  LaneQuestion question;
  question.block = block;
  question.buffers = buffers;
  question.scalars = scalars;
  const auto highest = static_cast<size_t>(HighestDimension(program_));
  for (size_t d = 0; d < wanted.size(); ++d) {
    question.grid[d] = {wanted[d], wanted[d]};
    if (d <= highest) question.ids[d] = {0, uint64_t{wanted[d]} * block[d] - 1};
  }
  bool missing = false;
  for (size_t d = 0; d <= highest; ++d) {
    question.lanes = uint64_t{wanted[d]} * block[d];
    const std::optional<uint64_t> last = LastLane(program_, question, d).Find(question.lanes);
    if (!last) continue;
    missing = true;
    wanted[d] = static_cast<uint32_t>(CeilDiv(*last + 1, block[d]));
  }
  if (!missing) return std::nullopt;
  return "the conditions of kernel '" + program_.program().name +
         "' admit lanes that this launch does not have; all of them: " +
         LaunchText(requested.caller, ToText(wanted), ToText(block), program_.program().name);
}

}  // namespace hologram::launch
