#define HOLOGRAM_TILES_LEVEL TilesV2
#define HOLOGRAM_TILES_BYTES 16
#include "statevector/tiles.inc"
