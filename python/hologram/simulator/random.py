"""The random numbers of lang_library/random.py, once more, on Python integers."""

from __future__ import annotations

from hologram.simulator import mathematics
from hologram.simulator.conversions import Value, rounded
from hologram.simulator.scalars import OPS

_WORD = 0xFFFFFFFF


def philox(seed: int, index: int, stream: int) -> tuple[int, int, int, int]:
    """Philox-4x32-10 of the counter `index` below `stream`, with the key `seed`; all are u64."""
    counter = [index & _WORD, index >> 32, stream & _WORD, stream >> 32]
    keys = [seed & _WORD, seed >> 32]
    for _ in range(10):
        first, second = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [
            (second >> 32) ^ counter[1] ^ keys[0],
            second & _WORD,
            (first >> 32) ^ counter[3] ^ keys[1],
            first & _WORD,
        ]
        keys = [(keys[0] + 0x9E3779B9) & _WORD, (keys[1] + 0xBB67AE85) & _WORD]
    return counter[0], counter[1], counter[2], counter[3]


def random_uniform(seed: int, index: int, stream: int) -> Value:
    word = philox(seed, index >> 2, stream)[index & 3]
    return OPS["f32"].make((word >> 8) * 2.0**-24)


def random_normal(seed: int, index: int, stream: int) -> Value:
    words = philox(seed, index >> 2, stream)
    first, second = words[index & 2], words[(index & 2) + 1]
    ops = OPS["f32"]
    # A word rounds to f32 before it is scaled.
    uniform = ops.add(_rounded(first * 2.0**-32), ops.make(2.0**-33))
    logarithm = mathematics.function("log", "f32", False)(uniform)
    radius = ops.sqrt(ops.mul(ops.make(-2.0), logarithm))
    turn = ops.sub(ops.make((second >> 8) * 2.0**-24), ops.make((index & 1) * 0.25))
    angle = ops.mul(turn, _rounded(6.283185307179586))
    return ops.mul(radius, mathematics.function("cos", "f32", False)(angle))


def _rounded(value: float) -> Value:
    return OPS["f32"].make(rounded(value, "f32"))


FUNCTIONS = {
    "philox": (philox, ["u32"] * 4),
    "random_uniform": (random_uniform, ["f32"]),
    "random_normal": (random_normal, ["f32"]),
}
