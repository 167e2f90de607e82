// A picture with labels, for the examples: pixels, rectangles, a small font, PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pictures {

struct Colour {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;
};

inline constexpr Colour kWhite{255, 255, 255};
inline constexpr Colour kBlack{20, 20, 20};
inline constexpr Colour kGrey{110, 110, 110};

// `share` of the way from a to b, 0 to 1.
Colour Blend(Colour a, Colour b, double share);

struct Grey {
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint8_t> pixels;  // row-major
};

// False if the file is missing or not a PNG.
bool ReadGreyPng(const std::string& path, Grey& picture);

// White at first. Everything drawn is clipped to the canvas.
class Canvas {
 public:
  Canvas(uint32_t width, uint32_t height);

  void Set(uint32_t x, uint32_t y, Colour colour);
  void Fill(uint32_t x, uint32_t y, uint32_t width, uint32_t height, Colour colour);
  void Copy(uint32_t x, uint32_t y, const Grey& picture);
  // Capitals, digits and ".,:%-+()/='" of 5 x 7 pixels times `zoom`; lower case is drawn as
  // capitals, any other character as a space. x, y: the upper left corner.
  void Text(uint32_t x, uint32_t y, std::string_view text, uint32_t zoom, Colour colour = kBlack);
  // The same, centred on x.
  void Centre(uint32_t x, uint32_t y, std::string_view text, uint32_t zoom, Colour colour = kBlack);

  // False if the file cannot be written.
  bool WritePng(const std::string& path) const;

 private:
  uint32_t width_;
  uint32_t height_;
  std::vector<uint8_t> rgb_;
};

}  // namespace pictures
