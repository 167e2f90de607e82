"""Gates on a state vector, many of them for each time that the amplitudes are read.

Arrays: src, dst, out T[2 * 2^n], src and dst all real parts, then all imaginary ones, out pairs; offsets u32[2^tile];
spread u32[n - tile]; gates u32[4 * gates]; matrices T[8 * gates]; high u32[2^n / 2^m], low u32[2^m] for some m.
Launch: gate_pass with one lane for each of the 2^(n - tile) tiles, tile at most 10; gate_join with a lane per amplitude.
Accuracy: products and sums as written, each rounded.

A lane has a tile of its own, 2^tile amplitudes that differ in the qubits which gates of the pass change: amplitude k of
lane l is at offsets[k] plus the numbers of `spread` for the bits of l. The lane applies all gates and writes to k *
lanes + l, so qubits change their places from pass to pass. A gate is (kind, target, controls, conditions), its matrix
row by row with real and imaginary parts. Kinds: 0 a matrix, 1 a real one, 2 a diagonal one, 3 a diagonal one whose
target is a bit of the lane's number, 4 an exchange. Controls are qubits of the tile, conditions bits of the lane's
number that must be 1. gate_join takes amplitude i from high[i // len(low)] + low[i % len(low)]. `hologram.qsim` plans
the passes (docs/qsim.md).
"""

from typing import TypeVar

from hologram.lang import DeviceArray, f32, f64, get_global_id, inline, local, u32

T = TypeVar("T", f32, f64)
ROOM = 1024


@inline
def pairs(x, y, size: u32, target: u32, controls: u32, m, at: u32, is_real):
    """A matrix on the amplitudes that differ in the target."""
    a_re = m[at]
    a_im = m[at + 1]
    b_re = m[at + 2]
    b_im = m[at + 3]
    c_re = m[at + 4]
    c_im = m[at + 5]
    d_re = m[at + 6]
    d_im = m[at + 7]
    bit: u32 = 1 << target
    for p in range(size // 2):
        low = p & (bit - 1)
        i = (2 * p - low) & (ROOM - 1)
        j = (i | bit) & (ROOM - 1)
        if (i & controls) == controls:
            u = x[i]
            v = y[i]
            r = x[j]
            s = y[j]
            if is_real:
                x[i] = a_re * u + b_re * r
                y[i] = a_re * v + b_re * s
                x[j] = c_re * u + d_re * r
                y[j] = c_re * v + d_re * s
            else:
                x[i] = (a_re * u - a_im * v) + (b_re * r - b_im * s)
                y[i] = (a_re * v + a_im * u) + (b_re * s + b_im * r)
                x[j] = (c_re * u - c_im * v) + (d_re * r - d_im * s)
                y[j] = (c_re * v + c_im * u) + (d_re * s + d_im * r)


@inline
def scale(x, y, size: u32, controls: u32, where: u32, by_re, by_im):
    """A factor for the amplitudes that have 1 in `where` of `controls`, and 0 in the others."""
    for k in range(size):
        if (k & controls) == where:
            i = k & (ROOM - 1)
            u = x[i]
            v = y[i]
            x[i] = by_re * u - by_im * v
            y[i] = by_re * v + by_im * u


@inline
def exchange(x, y, size: u32, target: u32, controls: u32):
    bit: u32 = 1 << target
    for p in range(size // 2):
        low = p & (bit - 1)
        i = (2 * p - low) & (ROOM - 1)
        j = (i | bit) & (ROOM - 1)
        if (i & controls) == controls:
            u = x[i]
            v = y[i]
            x[i] = x[j]
            y[i] = y[j]
            x[j] = u
            y[j] = v


@inline
def apply(x, y, size: u32, kind: u32, target: u32, controls: u32, m, at: u32, lane: u32):
    if kind == 0:
        pairs(x, y, size, target, controls, m, at, False)
    elif kind == 1:
        pairs(x, y, size, target, controls, m, at, True)
    elif kind == 2:
        bit: u32 = 1 << target
        if m[at] != 1.0 or m[at + 1] != 0.0:
            scale(x, y, size, controls | bit, controls, m[at], m[at + 1])
        if m[at + 6] != 1.0 or m[at + 7] != 0.0:
            scale(x, y, size, controls | bit, controls | bit, m[at + 6], m[at + 7])
    elif kind == 3:
        one = (lane >> target) & 1 != 0
        by_re = m[at + 6] if one else m[at]
        by_im = m[at + 7] if one else m[at + 1]
        scale(x, y, size, controls, controls, by_re, by_im)
    else:
        exchange(x, y, size, target, controls)


def gate_pass(
    src: DeviceArray[T],
    dst: DeviceArray[T],
    offsets: DeviceArray[u32],
    spread: DeviceArray[u32],
    gates: DeviceArray[u32],
    matrices: DeviceArray[T],
    lanes: u32,
):
    x = local(T, ROOM)
    y = local(T, ROOM)
    lane = get_global_id()
    if lane < lanes:
        start: u32 = 0
        for b in range(len(spread)):
            start += spread[b] if (lane >> b) & 1 != 0 else 0
        half: u32 = len(src) // 2
        for k in range(len(offsets)):
            at = start + offsets[k]
            also = at + half
            x[k & (ROOM - 1)] = src[at] if at < len(src) else 0.0
            y[k & (ROOM - 1)] = src[also] if also < len(src) else 0.0
        size: u32 = len(offsets)
        for g in range(len(matrices) // 8):
            # In reach of the length that the loop knows, so that no lane can fault.
            kind: u32 = gates[4 * g] if 4 * g < len(gates) else 5
            target: u32 = gates[4 * g + 1] if 4 * g + 1 < len(gates) else 0
            controls: u32 = gates[4 * g + 2] if 4 * g + 2 < len(gates) else 0
            conditions: u32 = gates[4 * g + 3] if 4 * g + 3 < len(gates) else 0
            # In all lanes, or in some: the first loops need no masks.
            if conditions == 0:  # noqa: SIM114
                apply(x, y, size, kind, target, controls, matrices, 8 * g, lane)
            elif (lane & conditions) == conditions:
                apply(x, y, size, kind, target, controls, matrices, 8 * g, lane)
        # The real parts, then the imaginary ones.
        for k in range(size):
            dst[k * lanes + lane] = x[k & (ROOM - 1)]
        for k in range(size):
            dst[(size + k) * lanes + lane] = y[k & (ROOM - 1)]


def gate_join(
    src: DeviceArray[T],
    high: DeviceArray[u32],
    low: DeviceArray[u32],
    out: DeviceArray[T],
    n: u32,
):
    i = get_global_id()
    if i < n:
        width: u32 = len(low)
        at = high[i // width] + low[i % width]
        out[2 * i] = src[at]
        out[2 * i + 1] = src[at + len(src) // 2]
