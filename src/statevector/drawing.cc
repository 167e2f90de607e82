#include "statevector/drawing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "statevector/gates.h"

namespace hologram::statevector {
namespace {

using Kind = Shape::Kind;

constexpr int32_t kColumn = 44;
constexpr int32_t kRow = 36;
constexpr int32_t kLeft = 40;
constexpr int32_t kHalfBox = 14;
constexpr int32_t kBar = 22;
constexpr int32_t kBarHeight = 160;
constexpr int32_t kFontWidth = 5;
constexpr int32_t kFontHeight = 7;
constexpr int32_t kAdvance = kFontWidth + 1;

// Rows of five bits, the left one highest, for the signs of kSigns.
constexpr std::string_view kSigns = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ+=?";
constexpr std::array<std::array<uint8_t, kFontHeight>, 39> kFont = {
    {{14, 17, 19, 21, 25, 17, 14}, {4, 12, 4, 4, 4, 4, 14},      {14, 17, 1, 2, 4, 8, 31},
     {31, 2, 4, 2, 1, 17, 14},     {2, 6, 10, 18, 31, 2, 2},     {31, 16, 30, 1, 1, 17, 14},
     {6, 8, 16, 30, 17, 17, 14},   {31, 1, 2, 4, 8, 8, 8},       {14, 17, 17, 14, 17, 17, 14},
     {14, 17, 17, 15, 1, 2, 12},   {14, 17, 17, 31, 17, 17, 17}, {30, 17, 17, 30, 17, 17, 30},
     {14, 17, 16, 16, 16, 17, 14}, {28, 18, 17, 17, 17, 18, 28}, {31, 16, 16, 30, 16, 16, 31},
     {31, 16, 16, 30, 16, 16, 16}, {14, 17, 16, 23, 17, 17, 15}, {17, 17, 17, 31, 17, 17, 17},
     {14, 4, 4, 4, 4, 4, 14},      {7, 2, 2, 2, 2, 18, 12},      {17, 18, 20, 24, 20, 18, 17},
     {16, 16, 16, 16, 16, 16, 31}, {17, 27, 21, 21, 17, 17, 17}, {17, 17, 25, 21, 19, 17, 17},
     {14, 17, 17, 17, 17, 17, 14}, {30, 17, 17, 30, 16, 16, 16}, {14, 17, 17, 17, 21, 18, 13},
     {30, 17, 17, 30, 20, 18, 17}, {15, 16, 16, 14, 1, 1, 30},   {31, 4, 4, 4, 4, 4, 4},
     {17, 17, 17, 17, 17, 17, 14}, {17, 17, 17, 17, 17, 10, 4},  {17, 17, 17, 21, 21, 21, 10},
     {17, 17, 10, 4, 10, 17, 17},  {17, 17, 17, 10, 4, 4, 4},    {31, 1, 2, 4, 8, 16, 31},
     {0, 4, 4, 31, 4, 4, 0},       {0, 0, 31, 0, 31, 0, 0},      {14, 17, 1, 2, 4, 0, 4}}};

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

class CircuitDrawing {
 public:
  explicit CircuitDrawing(const Circuit& circuit) : circuit_(circuit), free_(circuit.qubits, 0) {}

  Drawing Made() {
    for (const Operation& operation : circuit_.operations) Add(operation);
    const int32_t columns = static_cast<int32_t>(std::min(used_, kMaxColumns) + (left_out_ > 0));
    drawing_.width = kLeft + kColumn * columns + kColumn / 2;
    drawing_.height = kRow * static_cast<int32_t>(circuit_.qubits) + kRow;
    std::vector<Shape> gates = std::move(drawing_.shapes);
    drawing_.shapes.clear();
    for (uint32_t q = 0; q < circuit_.qubits; ++q) {
      Put(Kind::kText, kLeft / 2 - 4, RowOf(q), 0, 0, "Q" + std::to_string(q));
      Put(Kind::kLine, kLeft - 8, RowOf(q), drawing_.width - kLeft - 4, 0, {});
    }
    drawing_.shapes.insert(drawing_.shapes.end(), gates.begin(), gates.end());
    if (left_out_ > 0) {
      Put(Kind::kText, ColumnOf(kMaxColumns), kRow / 3, 0, 0, "+" + std::to_string(left_out_));
    }
    return std::move(drawing_);
  }

 private:
  static int32_t RowOf(uint32_t qubit) { return kRow * static_cast<int32_t>(qubit) + kRow; }
  static int32_t ColumnOf(uint32_t column) {
    return kLeft + kColumn * static_cast<int32_t>(column) + kColumn / 2;
  }

  void Put(Kind kind, int32_t x, int32_t y, int32_t width, int32_t height, std::string text) {
    drawing_.shapes.push_back({kind, x, y, width, height, std::move(text)});
  }

  void Add(const Operation& operation) {
    uint32_t touched = operation.controls | uint32_t{1} << operation.target;
    if (operation.kind == Operation::Kind::kSwap) touched |= uint32_t{1} << operation.other;
    const auto low = static_cast<uint32_t>(std::countr_zero(touched));
    const auto high = 31 - static_cast<uint32_t>(std::countl_zero(touched));
    const auto first = free_.begin() + low;
    const auto last = free_.begin() + high + 1;
    const uint32_t column = *std::max_element(first, last);
    std::fill(first, last, column + 1);
    used_ = std::max(used_, column + 1);
    if (column >= kMaxColumns) {
      ++left_out_;
      return;
    }
    const int32_t x = ColumnOf(column);
    if (low != high) Put(Kind::kLine, x, RowOf(low), 0, RowOf(high) - RowOf(low), {});
    for (uint32_t q = low; q <= high; ++q) {
      if ((operation.controls >> q & 1) != 0) Put(Kind::kDot, x, RowOf(q), 4, 4, {});
    }
    Target(operation, x);
    if (operation.condition != kUnconditional) {
      const Condition& condition = circuit_.conditions[operation.condition];
      Put(Kind::kText, x, RowOf(high) + kHalfBox + 5, 0, 0,
          Upper(circuit_.registers[condition.which].name) + "=" + std::to_string(condition.value));
    }
  }

  void Target(const Operation& operation, int32_t x) {
    const int32_t y = RowOf(operation.target);
    switch (operation.kind) {
      case Operation::Kind::kMeasure:
        return Box(x, y, "M" + std::to_string(operation.bit));
      case Operation::Kind::kReset:
        return Box(x, y, "0");
      case Operation::Kind::kSwap:
        Put(Kind::kText, x, y, 0, 0, "X");
        return Put(Kind::kText, x, RowOf(operation.other), 0, 0, "X");
      case Operation::Kind::kMatrix:
        break;
    }
    const GateInfo& gate = AllGates()[operation.gate];
    if (gate.base == GateBase::kX && operation.controls != 0) {
      Put(Kind::kRing, x, y, 9, 9, {});
      Put(Kind::kLine, x - 9, y, 18, 0, {});
      return Put(Kind::kLine, x, y - 9, 0, 18, {});
    }
    // The controls are drawn, so they leave the name.
    std::string_view name = gate.name;
    for (uint8_t k = 0; k < gate.controls && name.size() > 1 && name[0] == 'c'; ++k) {
      name.remove_prefix(1);
    }
    Box(x, y, Upper(name));
  }

  void Box(int32_t x, int32_t y, std::string text) {
    const int32_t half = std::max(kHalfBox, kAdvance * static_cast<int32_t>(text.size()) / 2 + 3);
    Put(Kind::kBox, x - half, y - kHalfBox, 2 * half, 2 * kHalfBox, {});
    Put(Kind::kText, x, y, 0, 0, std::move(text));
  }

  const Circuit& circuit_;
  std::vector<uint32_t> free_;  // the first column where nothing is on a qubit
  uint32_t used_ = 0;
  uint64_t left_out_ = 0;
  Drawing drawing_;
};

class Pixels {
 public:
  explicit Pixels(const Drawing& drawing)
      : width_(drawing.width),
        height_(drawing.height),
        bytes_(static_cast<size_t>(width_) * static_cast<size_t>(height_), 255) {}

  void Draw(const Shape& s) {
    switch (s.kind) {
      case Kind::kLine:
        return Fill(s.x, s.y, s.width + 1, s.height + 1, 0);
      case Kind::kBox:
        Fill(s.x, s.y, s.width + 1, s.height + 1, 0);
        return Fill(s.x + 1, s.y + 1, s.width - 1, s.height - 1, 255);
      case Kind::kFilledBox:
        return Fill(s.x, s.y, s.width, s.height, 96);
      case Kind::kDot:
        return Disc(s, -1);
      case Kind::kRing:
        return Disc(s, s.width - 2);
      case Kind::kText:
        return Text(s);
    }
  }

  std::vector<uint8_t> Taken() { return std::move(bytes_); }

 private:
  void Set(int32_t x, int32_t y, uint8_t shade) {
    if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
    bytes_[static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x)] = shade;
  }
  void Fill(int32_t x, int32_t y, int32_t width, int32_t height, uint8_t shade) {
    for (int32_t j = y; j < y + height; ++j) {
      for (int32_t i = x; i < x + width; ++i) Set(i, j, shade);
    }
  }
  // Points whose distance is above `inner` and not above the radius.
  void Disc(const Shape& s, int32_t inner) {
    const int32_t r = s.width;
    for (int32_t j = -r; j <= r; ++j) {
      for (int32_t i = -r; i <= r; ++i) {
        const int32_t square = i * i + j * j;
        if (square <= r * r && (inner < 0 || square > inner * inner)) Set(s.x + i, s.y + j, 0);
      }
    }
  }
  void Text(const Shape& s) {
    int32_t x = s.x - kAdvance * static_cast<int32_t>(s.text.size()) / 2;
    for (const char sign : s.text) {
      const size_t at = std::min(kSigns.find(sign), kSigns.size());
      if (at < kSigns.size()) Sign(kFont[at], x, s.y - kFontHeight / 2);
      x += kAdvance;
    }
  }
  void Sign(const std::array<uint8_t, kFontHeight>& rows, int32_t x, int32_t y) {
    for (int32_t j = 0; j < kFontHeight; ++j) {
      for (int32_t i = 0; i < kFontWidth; ++i) {
        const bool dark = (rows[static_cast<size_t>(j)] >> (kFontWidth - 1 - i) & 1) != 0;
        if (dark) Set(x + i, y + j, 0);
      }
    }
  }

  int32_t width_, height_;
  std::vector<uint8_t> bytes_;
};

std::string Attribute(const char* name, int32_t value) {
  return std::string(" ") + name + "=\"" + std::to_string(value) + "\"";
}

// Texts are made of the signs of the font and spaces, so nothing in them needs an escape.
std::string SvgOf(const Shape& s) {
  const std::string place = Attribute("x", s.x) + Attribute("y", s.y);
  const std::string size = Attribute("width", s.width) + Attribute("height", s.height);
  const std::string round = Attribute("cx", s.x) + Attribute("cy", s.y) + Attribute("r", s.width);
  switch (s.kind) {
    case Kind::kLine:
      return "<line" + Attribute("x1", s.x) + Attribute("y1", s.y) +
             Attribute("x2", s.x + s.width) + Attribute("y2", s.y + s.height) + "/>";
    case Kind::kBox:
      return "<rect" + place + size + " fill=\"white\"/>";
    case Kind::kFilledBox:
      return "<rect" + place + size + " fill=\"#606060\" stroke=\"none\"/>";
    case Kind::kDot:
      return "<circle" + round + " fill=\"black\"/>";
    case Kind::kRing:
      return "<circle" + round + "/>";
    case Kind::kText:
      break;
  }
  return "<text" + Attribute("x", s.x) + Attribute("y", s.y + 4) + ">" + s.text + "</text>";
}

}  // namespace

Drawing DrawCircuit(const Circuit& circuit) {
  return CircuitDrawing(circuit).Made();
}

Drawing DrawHistogram(const Circuit& circuit, std::span<const Count> counts) {
  std::vector<Count> shown(counts.begin(), counts.end());
  const auto is_more = [](const Count& a, const Count& b) { return a.shots > b.shots; };
  if (shown.size() > kMaxBars) {
    std::vector<uint64_t> shots;
    for (const Count& count : shown) shots.push_back(count.shots);
    std::nth_element(shots.begin(), shots.begin() + kMaxBars - 1, shots.end(), std::greater<>());
    const uint64_t least = shots[kMaxBars - 1];
    std::erase_if(shown, [&](const Count& count) { return count.shots < least; });
    shown.resize(std::min(shown.size(), kMaxBars));
  }
  const auto most = std::min_element(shown.begin(), shown.end(), is_more);
  int32_t letters = 0;
  for (const Count& count : shown) {
    letters = std::max(letters, static_cast<int32_t>(TextOf(circuit, count.outcome).size()));
  }
  // Texts beside each other need room for their letters.
  const int32_t step = std::max(kBar + 10, kAdvance * (letters + 1));
  Drawing drawing;
  drawing.width = step * static_cast<int32_t>(shown.size()) + step;
  drawing.height = kBarHeight + 60;
  const int32_t ground = kBarHeight + 30;
  int32_t x = step;
  for (const Count& count : shown) {
    const auto height = static_cast<int32_t>(count.shots * kBarHeight / most->shots);
    drawing.shapes.push_back({Kind::kFilledBox, x - kBar / 2, ground - height, kBar, height, {}});
    drawing.shapes.push_back(
        {Kind::kText, x, ground - height - 8, 0, 0, std::to_string(count.shots)});
    drawing.shapes.push_back({Kind::kText, x, ground + 12, 0, 0, TextOf(circuit, count.outcome)});
    x += step;
  }
  drawing.shapes.push_back({Kind::kLine, step / 2, ground, drawing.width - step, 0, {}});
  return drawing;
}

std::string ToSvg(const Drawing& drawing) {
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
                    Attribute("width", drawing.width) + Attribute("height", drawing.height) +
                    " font-family=\"monospace\" font-size=\"11\" text-anchor=\"middle\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
                    "<g stroke=\"black\" fill=\"none\">\n";
  for (const Shape& shape : drawing.shapes) {
    if (shape.kind != Kind::kText) svg += SvgOf(shape) + "\n";
  }
  svg += "</g>\n";
  for (const Shape& shape : drawing.shapes) {
    if (shape.kind == Kind::kText) svg += SvgOf(shape) + "\n";
  }
  return svg + "</svg>\n";
}

std::vector<uint8_t> ToPixels(const Drawing& drawing) {
  Pixels pixels(drawing);
  for (const Shape& shape : drawing.shapes) pixels.Draw(shape);
  return pixels.Taken();
}

}  // namespace hologram::statevector
