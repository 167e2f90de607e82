#!/usr/bin/env bash
# Sobel edges of a photograph through `hologram run`, and both beside each other in edges.png.
# usage: run_sobel.sh BIN_DIR OUT_DIR
set -euo pipefail
bin=$1
out=$2
cd "$(dirname "$0")/.."
photograph=examples/sobel/data/astronaut.png
"$bin/hologram" run kernels/image/sobel.py --in "src=$photograph" \
  --out "dst=$out/sobel.png:u8:512x512" --set width=512 --set height=512 \
  --grid 2,512,1 --block 256,1,1 --time
"$bin/side_by_side" "$photograph" "Photograph" "$out/sobel.png" "Edges: kernels/image/sobel.py" \
  "$out/edges.png"
