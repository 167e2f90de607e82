"""Pictures of arrays for the gallery: an image of two dimensions, else a plot."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np

# As in web/playground/results.js.
STOPS = np.array(
    [[32, 20, 72], [49, 84, 140], [33, 145, 140], [94, 201, 98], [253, 231, 37]], float
)
LINES = ([63, 81, 181], [217, 95, 2], [27, 158, 119])
WIDTH, HEIGHT, MARGIN = 400, 300, 24


def png_of(pixels: np.ndarray) -> bytes:
    """`pixels`: u8[height, width, 3], or [height, width] for gray."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", width, height, 8, 2 if pixels.ndim == 3 else 0, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def write_png(pixels: np.ndarray, path: Path) -> None:
    path.write_bytes(png_of(pixels))


def image(array: np.ndarray) -> np.ndarray:
    low, high = array.min(), array.max()
    at = (array - low) / ((high - low) or 1) * (len(STOPS) - 1)
    first = np.minimum(at.astype(int), len(STOPS) - 2)
    part = (at - first)[..., None]
    return np.uint8(STOPS[first] + (STOPS[first + 1] - STOPS[first]) * part + 0.5)


def plot(arrays: list[np.ndarray]) -> np.ndarray:
    pixels = np.full((HEIGHT, WIDTH, 3), 250, np.uint8)
    low, high = min(a.min() for a in arrays), max(a.max() for a in arrays)
    pixels[:: HEIGHT // 6] = 232
    for array, colour in zip(arrays, LINES, strict=False):
        x = np.linspace(0, array.size - 1, (WIDTH - 2 * MARGIN) * 4)
        y = np.interp(x, np.arange(array.size), array)
        rows = HEIGHT - MARGIN - (y - low) / ((high - low) or 1) * (HEIGHT - 2 * MARGIN)
        columns = MARGIN + np.arange(x.size) // 4
        # A line without gaps: all rows from each point to the next.
        for column, here, there in zip(columns[1:], rows[:-1], rows[1:], strict=True):
            first, last = sorted((int(here), int(there)))
            pixels[first - 1 : last + 2, column - 1 : column + 1] = colour
    return pixels


def draw(arrays: list[np.ndarray], path: Path) -> None:
    flat = [array.astype(float) for array in arrays]
    write_png(image(flat[0]) if flat[0].ndim == 2 else plot(flat), path)
