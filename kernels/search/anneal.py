"""Simulated annealing on E(x) = (x^2 - 1)^2 + 0.3 x, one chain per lane.

Arrays: start, best, energy f32[n].
Launch: one lane per chain; then reduce_argmin over energy tells the best chain.
Accuracy: energy[i] is E(best[i]) as written; best is the best state the chain has met.

In step s of `steps`, at the temperature T = hot * (1 - s / steps), a chain moves by something in
[-1/2, 1/2) if that lowers E, or else with the probability e^(-dE / T). E has a local minimum near 0.96 and
the global one near -1.035, where it is -0.3055. The random numbers are words of Philox-4x32-10
of (seed, step, chain), so a run can be repeated to the bit.
"""

from hologram.lang import DeviceArray, exp, f32, get_global_id, philox, u32

UNIT = 2.0**-24


def anneal(
    start: DeviceArray[f32],
    best: DeviceArray[f32],
    energy: DeviceArray[f32],
    hot: f32,
    steps: u32,
    seed: u32,
    n: u32,
):
    i = get_global_id()
    if i < n:
        x = start[i]
        well = x * x - 1.0
        e = well * well + 0.3 * x
        best_x = x
        best_e = e
        for s in range(steps):
            a, b, _c, _d = philox(seed, s, i)
            other = x + (f32(a >> 8) * UNIT - 0.5)
            well = other * other - 1.0
            rise = well * well + 0.3 * other - e
            temperature = hot * (1.0 - f32(s) / f32(steps))
            if rise <= 0.0 or f32(b >> 8) * UNIT < exp(-rise / temperature):
                x = other
                e = well * well + 0.3 * other
                if e < best_e:
                    best_x = x
                    best_e = e
        best[i] = best_x
        energy[i] = best_e
