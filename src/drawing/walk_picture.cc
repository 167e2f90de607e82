#include <algorithm>
#include <utility>

#include "drawing/drawing.h"
#include "interpreter/interpreter.h"
#include "isa/type.h"
#include "launch/fault_text.h"
#include "launch/unique.h"
#include "picture/svg.h"

namespace hologram::drawing {
namespace {

using picture::Point;
using picture::Svg;

constexpr size_t kMostBlocks = 1024;
constexpr double kPanel = 230;  // the longer side of an array
constexpr double kLeast = 6;
constexpr double kBetween = 44;
constexpr double kTop = 96;
constexpr double kEdge = 24;

// Rows and columns of an array, inclusive.
struct Part {
  bool any = false;
  uint64_t top = 0, bottom = 0, left = 0, right = 0;

  void Add(uint64_t row, uint64_t column) {
    top = any ? std::min(top, row) : row;
    bottom = any ? std::max(bottom, row) : row;
    left = any ? std::min(left, column) : column;
    right = any ? std::max(right, column) : column;
    any = true;
  }
};

// An array as a matrix, and what each block touches of it.
struct Matrix {
  std::string title;
  uint64_t rows = 1;
  uint64_t columns = 1;
  std::vector<Part> read;
  std::vector<Part> written;

  double scale = 1;  // pixels of an element

  uint64_t longer() const { return std::max(rows, columns); }
  double width() const { return std::max(kLeast, static_cast<double>(columns) * scale); }
  double height() const { return std::max(kLeast, static_cast<double>(rows) * scale); }
};

class Watcher : public interpreter::Observer {
 public:
  Watcher(const verify::VerifiedProgram& program, std::vector<Matrix>& matrices,
          std::vector<size_t> of_parameter, uint64_t lanes)
      : program_(program),
        matrices_(matrices),
        of_parameter_(std::move(of_parameter)),
        lanes_(lanes) {}

  void Access(uint32_t pc, uint64_t lane, uint64_t element) override {
    const verify::AccessFact* fact = program_.AccessAt(pc);
    if (fact == nullptr || !fact->global()) return;
    Matrix& matrix = matrices_[of_parameter_[fact->slot]];
    const isa::Opcode op = program_.program().code[pc].op;
    const size_t block = static_cast<size_t>(lane / lanes_);
    const uint64_t row = element / matrix.columns;
    const uint64_t column = element % matrix.columns;
    if (!isa::IsStore(op)) matrix.read[block].Add(row, column);
    if (!isa::IsLoad(op)) matrix.written[block].Add(row, column);
  }
  void Barrier(uint64_t /*lane*/) override {}
  bool GoesOn(uint64_t /*lanes*/) override { return true; }

 private:
  const verify::VerifiedProgram& program_;
  std::vector<Matrix>& matrices_;
  const std::vector<size_t> of_parameter_;
  const uint64_t lanes_;  // of a block
};

// One scale for all, so that rows and columns that belong together look alike; small ones have
// their own.
void Scale(std::vector<Matrix>& matrices) {
  uint64_t most = 1;
  for (const Matrix& matrix : matrices) most = std::max(most, matrix.longer());
  for (Matrix& matrix : matrices) {
    constexpr uint64_t kFar = 8;
    const bool small = matrix.longer() * kFar < most;
    matrix.scale = kPanel / static_cast<double>(small ? matrix.longer() : most);
  }
}

std::string TitleOf(const isa::Parameter& parameter, std::span<const uint64_t> shape) {
  std::string text = parameter.name + ": " + std::string(isa::NameOf(parameter.type)) + "[";
  for (const uint64_t extent : shape) {
    text += (text.back() == '[' ? "" : ", ") + std::to_string(extent);
  }
  return text + "]";
}

Point CornerOf(const Matrix& matrix, Point at, uint64_t row, uint64_t column) {
  return {at.x + static_cast<double>(column) * matrix.scale,
          at.y + static_cast<double>(row) * matrix.scale};
}

void DrawPart(Svg& svg, const Matrix& matrix, Point at, const Part& part, std::string_view style) {
  const Point from = CornerOf(matrix, at, part.top, part.left);
  const Point to = CornerOf(matrix, at, part.bottom + 1, part.right + 1);
  svg.Box(from, to.x - from.x, to.y - from.y, style, 0);
}

// The tiles in the order of their blocks, from cold to hot, and the way through their middles.
void DrawWritten(Svg& svg, const Matrix& matrix, Point at, size_t shown) {
  std::vector<Point> middles;
  for (size_t block = 0; block < matrix.written.size(); ++block) {
    const Part& part = matrix.written[block];
    if (!part.any) continue;
    const Point from = CornerOf(matrix, at, part.top, part.left);
    const Point to = CornerOf(matrix, at, part.bottom + 1, part.right + 1);
    svg.Heat(from, to.x - from.x, to.y - from.y,
             static_cast<double>(block + 1) / static_cast<double>(matrix.written.size()), 0);
    DrawPart(svg, matrix, at, part, "tile");
    middles.push_back({(from.x + to.x) / 2, (from.y + to.y) / 2});
  }
  svg.Curve(middles, "back", true);
  if (matrix.written[shown].any) DrawPart(svg, matrix, at, matrix.written[shown], "frame");
}

void DrawRead(Svg& svg, const Matrix& matrix, Point at, size_t shown) {
  if (matrix.read[shown].any) DrawPart(svg, matrix, at, matrix.read[shown], "soft");
  for (const Part& part : matrix.read) {
    if (part.any) DrawPart(svg, matrix, at, part, "tile");
  }
  if (matrix.read[shown].any) DrawPart(svg, matrix, at, matrix.read[shown], "frame");
}

bool AnyOf(const std::vector<Part>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.any; });
}

std::string Draw(const std::string& name, const std::vector<Matrix>& matrices, size_t blocks) {
  const size_t shown = blocks / 2;
  Svg svg("Tile walk of " + name);
  svg.Text({kEdge, 28}, "Tile walk of " + name, "title");
  svg.Text({kEdge, 46}, std::to_string(blocks) + " blocks, one after the other along the arrow",
           "small faint");
  Point at = {kEdge, kTop};
  double bottom = kTop;
  for (const Matrix& matrix : matrices) {
    svg.Text({at.x, kTop - 12}, matrix.title);
    svg.Box(at, matrix.width(), matrix.height(), "box", 0);
    if (AnyOf(matrix.read)) DrawRead(svg, matrix, at, shown);
    if (AnyOf(matrix.written)) DrawWritten(svg, matrix, at, shown);
    bottom = std::max(bottom, at.y + matrix.height());
    at.x += std::max(matrix.width(), picture::WidthOf(matrix.title)) + kBetween;
  }
  svg.Text({kEdge, bottom + 28},
           "framed: what block " + std::to_string(shown) + " reads and writes", "small faint");
  const double least = picture::WidthOf("Tile walk of " + name, 15) + 2 * kEdge;
  return svg.Finish(std::max(at.x - kBetween + kEdge, least), bottom + 46);
}

}  // namespace

Result<std::string> DrawWalk(const verify::VerifiedProgram& program, launch::Launch launch,
                             std::span<const std::vector<uint64_t>> shapes) {
  const auto& [grid, block] = launch.shape;
  const uint64_t blocks = uint64_t{grid[0]} * grid[1] * grid[2];
  if (blocks > kMostBlocks) {
    return Error(ErrorCode::kResourceLimit, "a walk has at most " + std::to_string(kMostBlocks) +
                                                " blocks, this launch has " +
                                                std::to_string(blocks));
  }
  std::vector<Matrix> matrices;
  std::vector<size_t> of_parameter;
  for (const isa::Parameter& parameter : program.program().parameters) {
    of_parameter.push_back(matrices.size());
    if (!parameter.is_buffer) continue;
    const std::vector<uint64_t>& shape = shapes[matrices.size()];
    Matrix matrix;
    matrix.title = TitleOf(parameter, shape);
    matrix.columns = std::max<uint64_t>(1, shape.empty() ? 1 : shape.back());
    for (size_t d = 0; d + 1 < shape.size(); ++d) matrix.rows *= std::max<uint64_t>(1, shape[d]);
    matrix.read.resize(blocks);
    matrix.written.resize(blocks);
    matrices.push_back(std::move(matrix));
  }
  HOLOGRAM_RETURN_IF_ERROR(launch::CheckUnique(program, launch));
  launch.guarded = launch::CheckLaunch(program, launch).value() != launch::LaunchTier::kProved;
  Watcher watcher(program, matrices, std::move(of_parameter),
                  uint64_t{block[0]} * block[1] * block[2]);
  HOLOGRAM_ASSIGN_OR_RETURN(const std::optional<launch::Fault> fault,
                            interpreter::Run(program, launch, nullptr, &watcher));
  if (fault) return launch::DescribeFault(program, launch, *fault);
  Scale(matrices);
  return Draw(program.program().name, matrices, blocks);
}

}  // namespace hologram::drawing
