// Puts two grey pictures of one size beside each other, with a caption below each.
//
// usage: side_by_side LEFT.png CAPTION RIGHT.png CAPTION OUT.png
#include <cstdio>

#include "canvas.h"

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: side_by_side LEFT.png CAPTION RIGHT.png CAPTION OUT.png\n");
    return 2;
  }
  pictures::Grey sides[2];
  for (int side = 0; side < 2; ++side) {
    const char* path = argv[1 + 2 * side];
    if (!pictures::ReadGreyPng(path, sides[side])) {
      std::fprintf(stderr, "side_by_side: %s: cannot be read as a PNG\n", path);
      return 1;
    }
  }
  constexpr uint32_t kGap = 16;
  constexpr uint32_t kCaption = 40;
  const uint32_t width = sides[0].width;
  const uint32_t height = sides[0].height;
  if (sides[1].width != width || sides[1].height != height) {
    std::fprintf(stderr, "side_by_side: the pictures have different sizes\n");
    return 1;
  }
  pictures::Canvas canvas(2 * width + 3 * kGap, height + kGap + kCaption);
  for (uint32_t side = 0; side < 2; ++side) {
    const uint32_t x = kGap + side * (width + kGap);
    canvas.Copy(x, kGap, sides[side]);
    canvas.Centre(x + width / 2, kGap + height + 13, argv[2 + 2 * side], 2);
  }
  if (!canvas.WritePng(argv[5])) {
    std::fprintf(stderr, "side_by_side: %s: cannot be written\n", argv[5]);
    return 1;
  }
  return 0;
}
