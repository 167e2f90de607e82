"""A step of simulated annealing for many chains, of an energy that another kernel computes between steps.

Arrays: start f64[d]; x, best f64[chains * d], a row for each chain; level, other, least, old f64[chains].
Launch: one lane per chain, steps + 1 times with step = 0, 1, ... steps; before each launch but the first, other is the
energy of each row of x.
Accuracy: exp is that of the instruction set; the rest is exact or rounded once.

Step 0 sets all rows to `start`. Step 1 takes `other` as the energy of the start, and changes one coordinate of each
chain by up to width * (1 - share), which shrinks to 0. Every later one keeps the last change if the energy fell, or else
with the probability e^(-rise / temperature), and takes it back otherwise; then it makes the next. least is the energy of
best, the best state of the chain. The random numbers are words of Philox-4x32-10 of (seed, step, chain), as in
`hologram.search.minimize_energy`.
"""

from hologram.lang import DeviceArray, exp, f64, get_global_id, philox, u32

UNIT = 2.0**-32


def anneal_step(
    start: DeviceArray[f64],
    x: DeviceArray[f64],
    best: DeviceArray[f64],
    level: DeviceArray[f64],
    other: DeviceArray[f64],
    least: DeviceArray[f64],
    old: DeviceArray[f64],
    hot: f64,
    width: f64,
    step: u32,
    steps: u32,
    seed: u32,
    dimensions: u32,
    chains: u32,
):
    chain = get_global_id()
    if chain < chains and dimensions > 0:
        if step == 0:
            for k in range(dimensions):
                x[chain * dimensions + k] = start[k]
        elif step == 1:
            level[chain] = other[chain]
            least[chain] = other[chain]
            for k in range(dimensions):
                best[chain * dimensions + k] = start[k]
        else:
            last = step - 2
            a, _b, c, _d = philox(seed, last, chain)
            rise = other[chain] - level[chain]
            share = 1.0 - f64(last) / f64(steps)
            if rise <= 0.0 or f64(c) * UNIT < exp(-rise / (hot * share)):
                level[chain] = other[chain]
                if other[chain] < least[chain]:
                    least[chain] = other[chain]
                    for k in range(dimensions):
                        best[chain * dimensions + k] = x[chain * dimensions + k]
            else:
                x[chain * dimensions + a % dimensions] = old[chain]
        if step > 0 and step <= steps:
            now = step - 1
            a, b, _c, _d = philox(seed, now, chain)
            j = a % dimensions
            old[chain] = x[chain * dimensions + j]
            share = 1.0 - f64(now) / f64(steps)
            x[chain * dimensions + j] = old[chain] + width * share * (f64(b) * UNIT * 2.0 - 1.0)
