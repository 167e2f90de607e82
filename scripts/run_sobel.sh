#!/usr/bin/env bash
# Sobel edges of a photograph through `hologram run`. usage: run_sobel.sh HOLOGRAM OUT_DIR
set -euo pipefail
hologram=$1
out=$2
cd "$(dirname "$0")/.."
"$hologram" run kernels/image/sobel.py --in src=examples/sobel/data/astronaut.png \
  --out "dst=$out/sobel.png:u8:512x512" --set width=512 --set height=512 \
  --grid 2,512,1 --block 256,1,1 --time
