"""Breadth-first search of a graph in compressed rows: levels, parents and the order of visits.

Arrays: starts u32[n + 1] and ends u32[edges], the edges of vertex u being ends[starts[u] .. starts[u + 1]];
level, parent, queue u32[n], where 4294967295 is none; state u32[3], as below; before, after u32[n].
Launch: bfs_push with one lane; bfs_claim with one lane per vertex of the level; bfs_pull with one lane per vertex;
bfs_gather and bfs_settle with one lane.
Accuracy: exact.

state is (head of the queue, its tail, the level of what lies between). bfs_push visits level after level
and stops where one has more than `most` vertices. bfs_pull makes one step with all lanes, each looking for a
neighbour of the last level, along edges of the transposed graph, and bfs_gather adds what was found to
the queue. Without the transposed graph bfs_claim makes the step: each lane offers its vertex as a parent to those that have
no level, the smallest one wins, and bfs_settle adds them. `hologram.search.graph_traverse_optimal` drives them: O(n + edges) together.
"""

from hologram.lang import DeviceArray, atomic_min, get_global_id, u32

NONE = 4294967295


def bfs_push(
    starts: DeviceArray[u32],
    ends: DeviceArray[u32],
    level: DeviceArray[u32],
    parent: DeviceArray[u32],
    queue: DeviceArray[u32],
    state: DeviceArray[u32],
    most: u32,
):
    if get_global_id() == 0:
        head = state[0]
        tail = state[1]
        depth = state[2]
        while head < tail and tail - head <= most:
            last = tail
            depth += 1
            for q in range(head, last):
                u = queue[q]
                for e in range(starts[u], starts[u + 1]):
                    v = ends[e]
                    if level[v] == NONE:
                        level[v] = depth
                        parent[v] = u
                        queue[tail] = v
                        tail += 1
            head = last
        state[0] = head
        state[1] = tail
        state[2] = depth


def bfs_pull(
    starts: DeviceArray[u32],
    ends: DeviceArray[u32],
    before: DeviceArray[u32],
    after: DeviceArray[u32],
    parent: DeviceArray[u32],
    depth: u32,
    n: u32,
):
    v = get_global_id()
    if v < n:
        mine = before[v]
        if mine == NONE:
            for e in range(starts[v], starts[v + 1]):
                u = ends[e]
                if before[u] == depth:
                    mine = depth + 1
                    parent[v] = u
                    break
        after[v] = mine


def bfs_gather(level: DeviceArray[u32], queue: DeviceArray[u32], state: DeviceArray[u32], n: u32):
    if get_global_id() == 0:
        tail = state[1]
        depth = state[2] + 1
        state[0] = tail
        for v in range(n):
            if level[v] == depth:
                queue[tail] = v
                tail += 1
        state[1] = tail
        state[2] = depth


def bfs_claim(
    starts: DeviceArray[u32],
    ends: DeviceArray[u32],
    level: DeviceArray[u32],
    parent: DeviceArray[u32],
    queue: DeviceArray[u32],
    head: u32,
    tail: u32,
):
    q = head + get_global_id()
    if q < tail:
        u = queue[q]
        for e in range(starts[u], starts[u + 1]):
            v = ends[e]
            if level[v] == NONE:
                atomic_min(parent, v, u)


def bfs_settle(
    level: DeviceArray[u32],
    parent: DeviceArray[u32],
    queue: DeviceArray[u32],
    state: DeviceArray[u32],
    n: u32,
):
    if get_global_id() == 0:
        tail = state[1]
        depth = state[2] + 1
        state[0] = tail
        for v in range(n):
            if level[v] == NONE and parent[v] != NONE:
                level[v] = depth
                queue[tail] = v
                tail += 1
        state[1] = tail
        state[2] = depth
