"""A round of Bellman and Ford: after[v] = min(before[v], the smallest before[u] + weights[u][v]).

Arrays: weights f32[n * n], row-major, an edge where the weight is above 0; before, after f32[n], two
different arrays that change places from round to round; changed u32[1], set to 0 before each round.
Launch: one lane per vertex, at most n - 1 rounds, or until changed stays 0.
Accuracy: each distance is a sum along a path, rounded once for each edge.

Distances start as 0 at the start and +inf elsewhere. All lanes read the distances of the last round,
so the result of a round does not depend on the order of lanes.
"""

from hologram.lang import DeviceArray, atomic_max, f32, get_global_id, min, u32


def shortest_paths(
    weights: DeviceArray[f32],
    before: DeviceArray[f32],
    after: DeviceArray[f32],
    changed: DeviceArray[u32],
    n: u32,
):
    v = get_global_id()
    if v < n:
        best = before[v]
        for u in range(n):
            weight = weights[u * n + v]
            if weight > 0.0:
                best = min(best, before[u] + weight)
        after[v] = best
        if best < before[v]:
            atomic_max(changed, 0, 1)
