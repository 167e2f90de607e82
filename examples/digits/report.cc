#include "report.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

#include "canvas.h"
#include "dataset.h"

namespace digits {
namespace {

using pictures::Blend;
using pictures::Canvas;
using pictures::Colour;
using pictures::kBlack;
using pictures::kGrey;
using pictures::kWhite;

constexpr Colour kBlue{33, 102, 172};
constexpr Colour kRed{178, 24, 43};
constexpr Colour kOrange{217, 95, 14};
constexpr uint32_t kWidth = 1000;
constexpr uint32_t kHeight = 620;
constexpr uint32_t kMargin = 30;
constexpr uint32_t kMisreadShown = 12;

std::string Number(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// -1 is blue, 0 white, 1 red.
Colour Diverging(double value) {
  return value < 0 ? Blend(kWhite, kBlue, -value) : Blend(kWhite, kRed, value);
}

void DrawWeights(Canvas& canvas, uint32_t left, uint32_t top, const Report& report) {
  const uint32_t tile = 9 * report.zoom;
  const uint32_t inner = 8 * report.zoom;
  const uint32_t picture_width = kClasses * tile;
  canvas.Text(left, top, "Weight of each pixel for each digit", 2);
  top += 30;
  for (uint32_t digit = 0; digit < kClasses; ++digit) {
    const uint32_t x = left + digit % 5 * (inner + 12);
    const uint32_t y = top + digit / 5 * (inner + 40);
    for (uint32_t row = 0; row < inner; ++row) {
      for (uint32_t column = 0; column < inner; ++column) {
        const uint8_t shade = report.weights[size_t{row} * picture_width + digit * tile + column];
        canvas.Set(x + column, y + row, Diverging((shade - 128) / 127.0));
      }
    }
    canvas.Centre(x + inner / 2, y + inner + 8, std::to_string(digit), 2);
  }
  // The colour bar.
  const uint32_t bar = 5 * (inner + 12) - 12;
  const uint32_t y = top + 2 * (inner + 40);
  for (uint32_t x = 0; x < bar; ++x) {
    canvas.Fill(left + x, y, 1, 14, Diverging(2.0 * x / bar - 1));
  }
  const double largest = report.largest_weight;
  canvas.Text(left, y + 20, Number("%.2f: against", -largest), 2, kBlue);
  canvas.Centre(left + bar / 2, y + 20, "0", 2);
  const std::string most = Number("for: +%.2f", largest);
  canvas.Text(left + bar - 12 * static_cast<uint32_t>(most.size()), y + 20, most, 2, kRed);
}

void DrawMatrix(Canvas& canvas, uint32_t left, uint32_t top, const Report& report) {
  constexpr uint32_t kCell = 34;
  const uint32_t largest = *std::max_element(report.matrix.begin(), report.matrix.end());
  canvas.Text(left, top, "Confusion matrix", 2);
  const uint32_t x0 = left + 56;
  const uint32_t y0 = top + 50;
  canvas.Centre(x0 + kClasses * kCell / 2, top + 26, "read as", 2, kGrey);
  canvas.Text(left, y0 + kClasses * kCell / 2 - 7, "is", 2, kGrey);
  for (uint32_t is = 0; is < kClasses; ++is) {
    const std::string name = std::to_string(is);
    canvas.Text(x0 - 20, y0 + is * kCell + 10, name, 2);
    canvas.Centre(x0 + is * kCell + kCell / 2, y0 + kClasses * kCell + 8, name, 2);
    for (uint32_t read = 0; read < kClasses; ++read) {
      const uint32_t count = report.matrix[size_t{is} * kClasses + read];
      const double share = static_cast<double>(count) / largest;
      Colour colour = Blend({238, 238, 238}, kBlue, share);
      if (is != read && count > 0) colour = kOrange;
      const uint32_t x = x0 + read * kCell;
      const uint32_t y = y0 + is * kCell;
      canvas.Fill(x, y, kCell - 2, kCell - 2, colour);
      const bool dark = count > 0 && (is != read || share > 0.5);
      if (count > 0) {
        canvas.Centre(x + kCell / 2, y + 9, std::to_string(count), 2, dark ? kWhite : kBlack);
      }
    }
  }
}

void DrawMisread(Canvas& canvas, uint32_t left, uint32_t top, const Report& report) {
  constexpr uint32_t kZoom = 7;
  constexpr uint32_t kStep = 79;
  const auto shown =
      std::min<uint32_t>(kMisreadShown, static_cast<uint32_t>(report.misread.size()));
  canvas.Text(left, top,
              "Misread digits (" + std::to_string(shown) + " of " +
                  std::to_string(report.misread.size()) + "): true digit / read as",
              2);
  for (uint32_t i = 0; i < shown; ++i) {
    const Misread& digit = report.misread[i];
    const uint32_t x = left + i * kStep;
    for (uint32_t pixel = 0; pixel < kPixels; ++pixel) {
      canvas.Fill(x + pixel % 8 * kZoom, top + 24 + pixel / 8 * kZoom, kZoom, kZoom,
                  Blend(kWhite, kBlack, digit.pixels[pixel] / 16.0));
    }
    canvas.Centre(x + 4 * kZoom, top + 88,
                  std::to_string(digit.label) + "/" + std::to_string(digit.prediction), 2, kOrange);
  }
}

}  // namespace

bool WriteReport(const std::string& path, const Report& report) {
  Canvas canvas(kWidth, kHeight);
  canvas.Text(kMargin, 20,
              "Handwritten digits: " + Number("%.1f%%", 100 * report.accuracy) + " of " +
                  std::to_string(report.held_out) + " unseen pictures read correctly",
              2);
  DrawWeights(canvas, kMargin, 64, report);
  DrawMatrix(canvas, 560, 64, report);
  DrawMisread(canvas, kMargin, 500, report);
  return canvas.WritePng(path);
}

}  // namespace digits
