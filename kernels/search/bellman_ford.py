"""Shortest paths from one vertex along edges of any weights, by the method of Bellman and Ford.

Arrays: starts u32[n + 1], ends u32[edges], weights f64[edges], as in breadth_first; distance f64[n], +inf but
for the start; parent u32[n], 4294967295 at first; queue, next u32[n]; queued, mark u32[n], zeros;
state u32[2].
Launch: one lane.
Accuracy: each distance is a sum along a path, rounded once for each edge.

A round relaxes the edges of the vertices whose distance the last round has changed: O(n * edges) at
worst, O(edges) for each round that is needed. Whenever n distances have changed, the parents are searched for
a cycle, which is then one of negative weight: state becomes (1, a vertex of it), else (0, rounds).
"""

from hologram.lang import DeviceArray, f64, get_global_id, inline, u32

NONE = 4294967295


@inline
def vertex_of_cycle(parent, mark, n: u32) -> u32:
    """A vertex from which the parents lead back to it, or NONE. The marks are used up."""
    for v in range(n):
        mark[v] = 0
    for v in range(n):
        u = v
        stamp = v + 1
        while u < n and mark[u] == 0:
            mark[u] = stamp
            u = parent[u]
        if u < n and mark[u] == stamp:
            return u
    return NONE


def bellman_ford(
    starts: DeviceArray[u32],
    ends: DeviceArray[u32],
    weights: DeviceArray[f64],
    distance: DeviceArray[f64],
    parent: DeviceArray[u32],
    queue: DeviceArray[u32],
    next: DeviceArray[u32],
    queued: DeviceArray[u32],
    mark: DeviceArray[u32],
    state: DeviceArray[u32],
    start: u32,
    n: u32,
):
    if get_global_id() == 0:
        queue[0] = start
        size: u32 = 1
        rounds: u32 = 0
        changes: u32 = 0
        found: u32 = NONE
        while size > 0 and found == NONE:
            rounds += 1
            following: u32 = 0
            for q in range(size):
                u = queue[q]
                queued[u] = 0
                near = distance[u]
                for e in range(starts[u], starts[u + 1]):
                    v = ends[e]
                    length = near + weights[e]
                    if length < distance[v]:
                        distance[v] = length
                        parent[v] = u
                        changes += 1
                        if queued[v] == 0:
                            queued[v] = 1
                            next[following] = v
                            following += 1
            if changes >= n:
                changes = 0
                found = vertex_of_cycle(parent, mark, n)
            for q in range(following):
                queue[q] = next[q]
            size = following
        state[0] = 0 if found == NONE else 1
        state[1] = rounds if found == NONE else found
