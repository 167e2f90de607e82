"""Shortest paths from one vertex along edges whose weights are not negative, with a heap.

Arrays: starts u32[n + 1], ends u32[edges], weights f64[edges], as in breadth_first; distance f64[n], +inf but
for the start; parent u32[n], 4294967295 at first; keys f64[room], vertices u32[room]; state u32[1].
Launch: one lane; room is 1 + edges, since each edge puts at most one entry into the heap.
Accuracy: each distance is a sum along a path, rounded once for each edge.

O((n + edges) log edges). It ends early where it takes `target` from the heap; 4294967295 is no target.
The state becomes the number of vertices that were settled.
"""

from hologram.lang import DeviceArray, f64, get_global_id, u32

NONE = 4294967295


def dijkstra(
    starts: DeviceArray[u32],
    ends: DeviceArray[u32],
    weights: DeviceArray[f64],
    distance: DeviceArray[f64],
    parent: DeviceArray[u32],
    keys: DeviceArray[f64],
    vertices: DeviceArray[u32],
    state: DeviceArray[u32],
    start: u32,
    target: u32,
):
    if get_global_id() == 0:
        keys[0] = 0.0
        vertices[0] = start
        size: u32 = 1
        settled: u32 = 0
        while size > 0:
            key = keys[0]
            u = vertices[0]
            size -= 1
            # The last entry sinks from the root; each node has four children.
            last_key = keys[size]
            last = vertices[size]
            hole: u32 = 0
            child: u32 = 1
            while child < size:
                least = child
                least_key = keys[child]
                end = child + 4 if child + 4 < size else size
                for c in range(child + 1, end):
                    if keys[c] < least_key:
                        least = c
                        least_key = keys[c]
                if least_key >= last_key:
                    break
                keys[hole] = least_key
                vertices[hole] = vertices[least]
                hole = least
                child = 4 * hole + 1
            keys[hole] = last_key
            vertices[hole] = last
            if key > distance[u]:
                continue  # an entry that a shorter path has made worthless
            settled += 1
            if u == target:
                break
            for e in range(starts[u], starts[u + 1]):
                v = ends[e]
                length = key + weights[e]
                if length < distance[v]:
                    distance[v] = length
                    parent[v] = u
                    place = size
                    size += 1
                    while place > 0:
                        above = (place - 1) // 4
                        if keys[above] <= length:
                            break
                        keys[place] = keys[above]
                        vertices[place] = vertices[above]
                        place = above
                    keys[place] = length
                    vertices[place] = v
        state[0] = settled
