"""Dynamic programming and graphs: pathfinder, Needleman and Wunsch, bfs, edit distance."""

import numpy as np
from common import Launches, blocks, njit, tried

import hologram as hg
from hologram.lang import (
    DeviceArray,
    barrier,
    get_block_id,
    get_global_id,
    get_local_id,
    i32,
    shared,
    u8,
)

BLOCK = 256
HALO = 1
NW = 16


@hg.kernel(block=BLOCK)
def pyramid(
    iteration: i32,
    wall: DeviceArray[i32],
    source: DeviceArray[i32],
    result: DeviceArray[i32],
    cols: i32,
    rows: i32,
    start_step: i32,
    border: i32,
):
    """Some rows at once: a block loses a column at each side with every row."""
    prev = shared(i32, BLOCK)
    current = shared(i32, BLOCK)
    bx = int(get_block_id())
    tx = int(get_local_id())
    small_block = BLOCK - iteration * HALO * 2
    first = small_block * bx - border
    last = first + BLOCK - 1
    x = first + tx
    valid_min = -first if first < 0 else 0
    valid_max = BLOCK - 1 - (last - cols + 1) if last > cols - 1 else BLOCK - 1
    w = max(tx - 1, valid_min)
    e = min(tx + 1, valid_max)
    is_valid = tx >= valid_min and tx <= valid_max
    if x >= 0 and x <= cols - 1:
        prev[tx] = source[x]
    barrier()
    computed = False
    for i in range(iteration):
        computed = False
        if tx >= i + 1 and tx <= BLOCK - i - 2 and is_valid:
            computed = True
            shortest = min(min(prev[w], prev[tx]), prev[e])
            current[tx] = shortest + wall[cols * (start_step + i) + x]
        barrier()
        if i == iteration - 1:
            break
        if computed:
            prev[tx] = current[tx]
        barrier()
    if computed:
        result[x] = current[tx]


dynproc = tried(pyramid)


def pathfinder(wall, work, result, rows, cols, height):
    work[0] = wall[:cols]
    source = 0
    border = height * HALO
    grid = blocks(cols, BLOCK - height * HALO * 2), BLOCK
    for t in range(0, rows - 1, height):
        step = min(height, rows - t - 1)
        dynproc[grid](step, wall[cols:], work[source], work[1 - source], cols, rows, t, border)
        source = 1 - source
    result[:] = work[source]


@njit
def pathfinder_twin(wall, work, result, rows, cols, height):
    source, other = work[0], work[1]
    grid = wall.reshape(rows, cols)
    for x in range(cols):
        source[x] = grid[0, x]
    for t in range(1, rows):
        row = grid[t]
        for x in range(cols):
            shortest = source[x]
            if x > 0:
                shortest = min(shortest, source[x - 1])
            if x < cols - 1:
                shortest = min(shortest, source[x + 1])
            other[x] = shortest + row[x]
        source, other = other, source
    for x in range(cols):
        result[x] = source[x]


def check_pathfinder(wall, work, result, rows, cols, height):
    grid = wall.reshape(rows, cols).astype(int)
    row = grid[0]
    for t in range(1, rows):
        p = np.pad(row, 1, constant_values=1 << 30)
        row = np.minimum(np.minimum(p[:-2], p[1:-1]), p[2:]) + grid[t]
    np.testing.assert_array_equal(result, row)


@hg.kernel(block=NW)
def nw_tiles(
    reference: DeviceArray[i32],
    items: DeviceArray[i32],
    cols: i32,
    penalty: i32,
    diagonal: i32,
    first_x: i32,
):
    """The tiles of one diagonal of tiles; inside of one the lanes go along its diagonals."""
    temp = shared(i32, (NW + 1, NW + 1))
    ref = shared(i32, (NW, NW))
    tx = int(get_local_id())
    bx = first_x + int(get_block_id())
    by = diagonal - bx
    base = cols * NW * by + NW * bx
    for ty in range(NW):
        ref[ty, tx] = reference[base + cols * (ty + 1) + tx + 1]
    temp[tx + 1, 0] = items[base + cols * (tx + 1)]
    temp[0, tx + 1] = items[base + tx + 1]
    if tx == 0:
        temp[0, 0] = items[base]
    barrier()
    for m in range(NW):
        if tx <= m:
            x = tx + 1
            y = m - tx + 1
            temp[y, x] = max(
                max(temp[y - 1, x - 1] + ref[y - 1, x - 1], temp[y, x - 1] - penalty),
                temp[y - 1, x] - penalty,
            )
        barrier()
    for m in range(NW - 2, -1, -1):
        if tx <= m:
            x = tx + NW - m
            y = NW - tx
            temp[y, x] = max(
                max(temp[y - 1, x - 1] + ref[y - 1, x - 1], temp[y, x - 1] - penalty),
                temp[y - 1, x] - penalty,
            )
        barrier()
    for ty in range(NW):
        items[base + cols * (ty + 1) + tx + 1] = temp[ty + 1, tx + 1]


tile_step = tried(nw_tiles)


def needleman(reference, items, cols, penalty):
    tiles = (cols - 1) // NW
    for diagonal in range(2 * tiles - 1):
        first = max(0, diagonal - tiles + 1)
        count = min(diagonal, tiles - 1) - first + 1
        tile_step[count, NW](reference, items, cols, penalty, diagonal, first)


@njit
def needleman_twin(reference, items, cols, penalty):
    for i in range(1, cols):
        for j in range(1, cols):
            at = i * cols + j
            items[at] = max(
                max(items[at - cols - 1] + reference[at], items[at - 1] - penalty),
                items[at - cols] - penalty,
            )


def check_needleman(reference, items, cols, penalty):
    score, table = reference.reshape(cols, cols), items.reshape(cols, cols)
    row, steps = -penalty * np.arange(cols), penalty * np.arange(cols)
    for i in range(1, cols):
        new = np.maximum(row[:-1] + score[i, 1:], row[1:] - penalty)
        new = np.concatenate(([-penalty * i], new))
        row = np.maximum.accumulate(new + steps) - steps
        np.testing.assert_array_equal(table[i], row)


@hg.kernel
def visit(
    starting: DeviceArray[i32],
    degree: DeviceArray[i32],
    edges: DeviceArray[i32],
    mask: DeviceArray[i32],
    updating: DeviceArray[i32],
    visited: DeviceArray[i32],
    cost: DeviceArray[i32],
    n: i32,
):
    tid = int(get_global_id())
    if tid < n and mask[tid] != 0:
        mask[tid] = 0
        for i in range(starting[tid], starting[tid] + degree[tid]):
            other = edges[i]
            if visited[other] == 0:
                cost[other] = cost[tid] + 1
                updating[other] = 1


@hg.kernel
def advance(
    mask: DeviceArray[i32],
    updating: DeviceArray[i32],
    visited: DeviceArray[i32],
    over: DeviceArray[i32],
    n: i32,
):
    tid = int(get_global_id())
    if tid < n and updating[tid] != 0:
        mask[tid] = 1
        visited[tid] = 1
        over[0] = 1
        updating[tid] = 0


visit_step, advance_step = tried(visit), tried(advance)


def bfs(starting, degree, edges, flags, cost, over, source):
    mask, updating, visited = flags
    n = len(cost)
    flags[:] = 0
    cost[:] = -1
    mask[source] = visited[source] = 1
    cost[source] = 0
    over[0] = 1
    grid = blocks(n, 256), 256
    while over[0]:
        over[0] = 0
        visit_step[grid](starting, degree, edges, mask, updating, visited, cost, n)
        advance_step[grid](mask, updating, visited, over, n)


@njit
def bfs_twin(starting, degree, edges, flags, cost, over, source):
    mask, updating, visited = flags[0], flags[1], flags[2]
    n = len(cost)
    flags[:] = 0
    cost[:] = -1
    mask[source] = visited[source] = 1
    cost[source] = 0
    over[0] = 1
    while over[0]:
        over[0] = 0
        for tid in range(n):
            if mask[tid] != 0:
                mask[tid] = 0
                for i in range(starting[tid], starting[tid] + degree[tid]):
                    other = edges[i]
                    if visited[other] == 0:
                        cost[other] = cost[tid] + 1
                        updating[other] = 1
        for tid in range(n):
            if updating[tid] != 0:
                mask[tid] = 1
                visited[tid] = 1
                over[0] = 1
                updating[tid] = 0


def check_bfs(starting, degree, edges, flags, cost, over, source):
    want, front, level = np.full(len(cost), -1), np.array([source]), 0
    source_of = np.repeat(np.arange(len(cost)), degree)
    while len(front):
        want[front] = level
        level += 1
        reached = edges[np.isin(source_of, front)]
        front = np.unique(reached[want[reached] < 0])
    np.testing.assert_array_equal(cost, want)


@hg.kernel
def edit_diagonal(
    s: DeviceArray[u8],
    t: DeviceArray[u8],
    before: DeviceArray[i32],
    last: DeviceArray[i32],
    now: DeviceArray[i32],
    d: i32,
):
    """Cells (i, d - i) of the table of distances, from the two diagonals before."""
    m, n = int(len(s)), int(len(t))
    i = int(get_global_id()) + max(0, d - n)
    if i > min(d, m):
        return
    j = d - i
    if i == 0:
        now[i] = j
    elif j == 0:
        now[i] = i
    else:
        cost = 0 if s[i - 1] == t[j - 1] else 1
        now[i] = min(min(last[i - 1] + 1, last[i] + 1), before[i - 1] + cost)


def edit_distance(s, t, table, out):
    m, n = len(s), len(t)
    for d in range(m + n + 1):
        count = min(d, m) - max(0, d - n) + 1
        kernel = edit_diagonal[blocks(count, 256), 256]
        kernel(s, t, table[(d + 1) % 3], table[(d + 2) % 3], table[d % 3], d)
    out[0] = table[(m + n) % 3][m]


@njit
def edit_twin(s, t, table, out):
    m, n = len(s), len(t)
    for d in range(m + n + 1):
        now, last, before = table[d % 3], table[(d + 2) % 3], table[(d + 1) % 3]
        for i in range(max(0, d - n), min(d, m) + 1):
            j = d - i
            if i == 0:
                now[i] = j
            elif j == 0:
                now[i] = i
            else:
                cost = 0 if s[i - 1] == t[j - 1] else 1
                now[i] = min(min(last[i - 1] + 1, last[i] + 1), before[i - 1] + cost)
    out[0] = table[(m + n) % 3][m]


def check_edit(s, t, table, out):
    row = np.arange(len(t) + 1)
    for i, a in enumerate(s):
        new = np.minimum(row[1:] + 1, row[:-1] + (t != a))
        new = np.concatenate(([i + 1], new))
        row = np.minimum.accumulate(new - np.arange(len(new))) + np.arange(len(new))
    assert out[0] == row[-1]


def programs(rng, small=False):
    rows, cols, height = (13, 600, 5) if small else (100, 20_000, 20)
    wall = rng.integers(0, 10, rows * cols).astype(np.int32)
    data = (wall, np.zeros((2, cols), np.int32), np.zeros(cols, np.int32), rows, cols, height)
    program = Launches(pathfinder, dynproc)
    yield "pathfinder", "Rodinia", program, pathfinder_twin, data, check_pathfinder

    cols = (64 if small else 1024) + 1
    reference = rng.integers(-4, 10, cols * cols).astype(np.int32)
    items = np.zeros((cols, cols), np.int32)
    items[0] = items[:, 0] = -10 * np.arange(cols)
    data = (reference, items.ravel(), cols, 10)
    program = Launches(needleman, tile_step)
    yield "needleman", "Rodinia", program, needleman_twin, data, check_needleman

    n = 500 if small else 50_000
    degree = rng.integers(1, 8, n).astype(np.int32)
    starting = (np.cumsum(degree) - degree).astype(np.int32)
    edges = rng.integers(0, n, degree.sum()).astype(np.int32)
    data = (starting, degree, edges, np.zeros((3, n), np.int32), np.zeros(n, np.int32))
    data += (np.zeros(1, np.int32), 0)
    program = Launches(bfs, visit_step, advance_step)
    yield "bfs", "Rodinia", program, bfs_twin, data, check_bfs

    m, n = (37, 50) if small else (2000, 1800)
    s, t = (rng.integers(0, 4, k).astype(np.uint8) for k in (m, n))
    data = (s, t, np.zeros((3, m + 1), np.int32), np.zeros(1, np.int32))
    yield (
        "levenshtein",
        "Numba",
        Launches(edit_distance, edit_diagonal),
        edit_twin,
        data,
        check_edit,
    )
