// Drawings: what is in them, and that pixels and SVG show the same shapes.
#include "statevector/drawing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "statevector/qasm.h"

namespace hologram::statevector {
namespace {

Circuit Version3(const std::string& body) {
  return ParseQasm("OPENQASM 3.0;include \"stdgates.inc\";" + body, "f.qasm").value();
}

size_t CountOf(const Drawing& drawing, Shape::Kind kind) {
  return static_cast<size_t>(std::count_if(drawing.shapes.begin(), drawing.shapes.end(),
                                           [&](const Shape& shape) { return shape.kind == kind; }));
}

bool HasText(const Drawing& drawing, const std::string& text) {
  return std::any_of(drawing.shapes.begin(), drawing.shapes.end(),
                     [&](const Shape& shape) { return shape.text == text; });
}

TEST(Drawing, Circuit) {
  const Circuit circuit = Version3(
      "qubit[3] q;bit[3] c;h q[0];ctrl(2) @ x q[0],q[1],q[2];cu(1,2,3,4) q[0],q[1];"
      "swap q[0],q[2];reset q[1];c = measure q;if (c == 5) z q[1];");
  const Drawing drawing = DrawCircuit(circuit);
  EXPECT_EQ(CountOf(drawing, Shape::Kind::kDot), 3U);   // of the controls
  EXPECT_EQ(CountOf(drawing, Shape::Kind::kRing), 1U);  // of the x under them
  EXPECT_EQ(CountOf(drawing, Shape::Kind::kBox), 7U);   // h, u, reset, three measurements, z
  for (const char* text : {"Q0", "Q2", "H", "U", "M0", "M2", "0", "Z", "C=5"}) {
    EXPECT_TRUE(HasText(drawing, text)) << text;
  }
  const std::string svg = ToSvg(drawing);
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find(">C=5</text>"), std::string::npos);
}

TEST(Drawing, GatesSideBySideShareAColumn) {
  const Drawing two = DrawCircuit(Version3("qubit[2] q;h q;"));
  const Drawing one = DrawCircuit(Version3("qubit[2] q;h q[0];"));
  const Drawing after = DrawCircuit(Version3("qubit[2] q;h q[0];z q[0];"));
  EXPECT_EQ(two.width, one.width);
  EXPECT_GT(after.width, one.width);
}

TEST(Drawing, LongCircuitsEnd) {
  std::string body = "qubit q;";
  for (uint32_t k = 0; k < kMaxColumns + 25; ++k) body += "h q;";
  const Drawing drawing = DrawCircuit(Version3(body));
  EXPECT_TRUE(HasText(drawing, "+25"));
  EXPECT_EQ(CountOf(drawing, Shape::Kind::kBox), kMaxColumns);
}

TEST(Drawing, Histogram) {
  const Circuit circuit = Version3("qubit[7] q;bit[7] c;h q;c = measure q;");
  const std::vector<Count> counts = CountShots(circuit, 5000, 1).value();
  ASSERT_EQ(counts.size(), 128U);
  const Drawing drawing = DrawHistogram(circuit, counts);
  EXPECT_EQ(CountOf(drawing, Shape::Kind::kFilledBox), kMaxBars);
  const auto most = std::max_element(
      counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.shots < b.shots; });
  EXPECT_TRUE(HasText(drawing, TextOf(circuit, most->outcome)));
  EXPECT_TRUE(HasText(drawing, std::to_string(most->shots)));
}

TEST(Drawing, PixelsShowTheShapes) {
  const Drawing drawing = DrawCircuit(Version3("qubit[2] q;h q[0];cx q[0],q[1];"));
  const std::vector<uint8_t> pixels = ToPixels(drawing);
  const auto width = static_cast<size_t>(drawing.width);
  ASSERT_EQ(pixels.size(), width * static_cast<size_t>(drawing.height));
  for (const Shape& shape : drawing.shapes) {
    const auto x = static_cast<size_t>(shape.x);
    const auto y = static_cast<size_t>(shape.y);
    if (shape.kind == Shape::Kind::kBox || shape.kind == Shape::Kind::kDot) {
      EXPECT_EQ(pixels[y * width + x], 0);
    }
  }
  EXPECT_EQ(pixels[0], 255);
}

}  // namespace
}  // namespace hologram::statevector
