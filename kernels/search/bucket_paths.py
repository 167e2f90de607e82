"""Shortest paths from one vertex along edges whose weights are not negative, with buckets of distances.

Arrays: starts u32[n + 1], ends u32[edges], weights f64[edges], as in breadth_first; distance f64[n], +inf but
for the start; parent u32[n], 4294967295 at first; done u32[n], zeros; first u32[b], b a power of 2, 4294967295 but for
0 in first[0]; vertex, next u32[edges + 2], vertex[0] the start and next[0] 4294967295; state u32[2].
Launch: one lane; inverse is 1 / width of a bucket, and no weight is above (b - 2) / inverse.
Accuracy: each distance is a sum along a path, rounded once for each edge.

Bucket k has the vertices whose distance is k to k + 1 widths, in a list, and buckets are emptied in their order. Where
no weight is below the width each vertex is visited once: O(n + edges) and a step for each bucket. Else a vertex may be
visited again, and after `most` edges, or where there is no room left, state becomes (1, ..): the distances are not the
shortest then, and dijkstra has to be run from the beginning. It ends early behind the bucket of `target`; 4294967295 is
no target.
"""

from hologram.lang import DeviceArray, f64, get_global_id, i64, u32, u64


def bucket_paths(
    starts: DeviceArray[u32],
    ends: DeviceArray[u32],
    weights: DeviceArray[f64],
    distance: DeviceArray[f64],
    parent: DeviceArray[u32],
    done: DeviceArray[u32],
    first: DeviceArray[u32],
    vertex: DeviceArray[u32],
    next: DeviceArray[u32],
    state: DeviceArray[u32],
    target: u32,
    inverse: f64,
    most: u64,
):
    if get_global_id() == 0:
        last: i64 = i64(len(first)) - 1
        size: u32 = 1
        waiting: u32 = 1
        slot: u32 = 0
        visited: u64 = 0
        while waiting > 0 and visited <= most and size < len(next):
            entry = first[slot]
            if entry >= len(next):  # none
                if target < len(done) and done[target] == 1:
                    break
                slot = u32((i64(slot) + 1) & last)
                continue
            first[slot] = next[entry]
            waiting -= 1
            u = vertex[entry]
            if done[u] == 1:
                continue  # an entry that a shorter path has made worthless
            done[u] = 1
            near = distance[u]
            begin = starts[u]
            end = starts[u + 1]
            visited += u64(end - begin)
            for e in range(begin, end):
                v = ends[e]
                length = near + weights[e]
                if length < distance[v]:
                    at = u32(i64(length * inverse) & last)
                    if size >= len(next) or at >= len(first):
                        size = len(next)
                        break
                    distance[v] = length
                    parent[v] = u
                    done[v] = 0
                    vertex[size] = v
                    next[size] = first[at]
                    first[at] = size
                    size += 1
                    waiting += 1
        state[0] = 0 if visited <= most and size < len(next) else 1
        state[1] = size
