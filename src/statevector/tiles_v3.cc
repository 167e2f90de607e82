#define HOLOGRAM_TILES_LEVEL TilesV3
#define HOLOGRAM_TILES_BYTES 32
#include "statevector/tiles.inc"
