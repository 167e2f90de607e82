"""Two clusters of stars pass through each other: n-body gravity in float32, with a plot.

usage: nbody.py [PICTURE.svg]

Leapfrog steps (kick, drift, kick) keep the energy; what is lost shows how good step and arithmetic
are. Prints that, and draws the paths of some stars into PICTURE.svg (default: nbody.svg in the
folder for temporary files).
"""

import sys
import tempfile
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import hologram as hg
from hologram.lang import DeviceArray, f32, fma, get_global_id, rsqrt

STARS = 512  # of both clusters
STEPS, DT = 800, 0.005
SOFTENING = 0.05**2  # no star feels another as nearer than 0.05
DRAWN, SIDE, HALF = 64, 800, 4.0  # stars, pixels, and half of the side of the plane that is seen
MARGIN = 60  # pixels around it, for the title and the axes
GOAL = 1e-4


@hg.kernel
def kick(
    x: DeviceArray[f32, Literal[2]],
    v: DeviceArray[f32, Literal[2]],
    mass: f32,
    softening: f32,
    dt: f32,
) -> None:
    i = get_global_id()
    if i < x.shape[0]:
        ax: f32 = 0.0
        ay: f32 = 0.0
        az: f32 = 0.0
        for j in range(x.shape[0]):
            dx = x[j, 0] - x[i, 0]
            dy = x[j, 1] - x[i, 1]
            dz = x[j, 2] - x[i, 2]
            inverse = rsqrt(fma(dx, dx, fma(dy, dy, fma(dz, dz, softening))))
            pull = mass * inverse * inverse * inverse
            ax = fma(pull, dx, ax)
            ay = fma(pull, dy, ay)
            az = fma(pull, dz, az)
        v[i, 0] = fma(dt, ax, v[i, 0])
        v[i, 1] = fma(dt, ay, v[i, 1])
        v[i, 2] = fma(dt, az, v[i, 2])


def clusters() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Places and velocities: two balls that are held together by their gravity and meet."""
    rng = np.random.default_rng(5)
    place = rng.normal(size=(STARS, 3)) * 0.4
    speed = rng.normal(size=(STARS, 3)) * 0.35
    side = np.where(np.arange(STARS) % 2 == 0, 1.0, -1.0)[:, None]
    place += side * [1.6, 0.3, 0.0]
    speed += side * [-0.4, 0.0, 0.1]
    return place.astype(np.float32), speed.astype(np.float32)


def energy(x: NDArray[np.float32], v: NDArray[np.float32]) -> float:
    """Of all stars, in float64; the whole mass is 1, and so is the constant of gravity."""
    place, speed = x.astype(np.float64), v.astype(np.float64)
    squares = ((place[:, None] - place) ** 2).sum(2) + SOFTENING
    pairs = np.triu(1 / np.sqrt(squares), 1).sum()
    return float((speed**2).sum() / 2 / STARS - pairs / STARS**2)


COLOURS = ("#ffb454", "#6cb6ff")  # of the two clusters


def text(x: float, y: float, words: str, anchor: str = "middle", colour: str = "#333") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def frame(paths: int) -> list[str]:
    """The title, the axes with their numbers, and a legend."""
    whole, low = SIDE + 2 * MARGIN, SIDE + MARGIN
    title = f"{paths} of {STARS} stars in two clusters, {STEPS * DT:g} units of time"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" '
        'font-family="sans-serif" font-size="16">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<rect x="{MARGIN}" y="{MARGIN}" width="{SIDE}" height="{SIDE}" fill="#0b1021"/>',
        text(whole / 2, MARGIN / 2, title),
        text(whole / 2, whole - 10, "x"),
        text(14, whole / 2, "y"),
    ]
    for mark in np.linspace(-HALF, HALF, 5):
        place = MARGIN + (mark + HALF) * SIDE / (2 * HALF)
        lines.append(text(place, low + 22, f"{mark:g}"))
        lines.append(text(MARGIN - 8, place + 5, f"{0 - mark:g}", "end"))
    for k, colour in enumerate(COLOURS):
        lines.append(text(MARGIN + 16, MARGIN + 28 + 22 * k, f"cluster {k + 1}", "start", colour))
    lines.append(text(low - 16, MARGIN + 28, "line: path; dot: last position", "end", "#ccc"))
    return lines


def draw(path: Path, ways: NDArray[np.float32]) -> None:
    """The paths of the stars [times, stars, 2] as lines, with a dot where they end."""
    scale = SIDE / (2 * HALF)
    pixels = (np.stack([ways[..., 0] + HALF, HALF - ways[..., 1]], -1) * scale + MARGIN).round(1)
    lines = frame(pixels.shape[1])
    for star in range(pixels.shape[1]):
        colour = COLOURS[star % 2]
        points = " ".join(f"{x:g},{y:g}" for x, y in pixels[:, star])
        x, y = pixels[-1, star]
        lines.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-opacity="0.45"/>'
            f'<circle cx="{x:g}" cy="{y:g}" r="2.5" fill="{colour}"/>'
        )
    path.write_text("\n".join([*lines, "</svg>"]) + "\n", encoding="ascii")


def main() -> int:
    path = Path(sys.argv[1] if len(sys.argv) > 1 else Path(tempfile.gettempdir(), "nbody.svg"))
    x, v = clusters()
    start = energy(x, v)
    ways = [x[:DRAWN, :2].copy()]
    for step in hg.progress(range(STEPS), "moving stars"):
        kick[-(-STARS // 64), 64](x, v, 1 / STARS, SOFTENING, DT / 2)
        hg.ops.add(x, hg.ops.scalar_mul(v, DT), out=x)
        kick[-(-STARS // 64), 64](x, v, 1 / STARS, SOFTENING, DT / 2)
        if step % 8 == 7:
            ways.append(x[:DRAWN, :2].copy())
    draw(path, np.stack(ways))
    lost = abs(energy(x, v) / start - 1)
    print(
        f"{STARS} stars, {STEPS} steps: energy {start:.6f}, changed by {lost:.1e} (goal {GOAL:g})"
    )
    print(f"{path}: paths of {DRAWN} stars")
    return 0 if lost <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
