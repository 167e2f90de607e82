#define HOLOGRAM_TILES_LEVEL TilesV4
#define HOLOGRAM_TILES_BYTES 64
#include "statevector/tiles.inc"
