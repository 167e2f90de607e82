"""Forms of loops and accesses that the code generator has to recognise, by what --explain says.

usage: forms_test.py HOLOGRAM

Each kernel is written in the way of many programs, not of one. What must not be taken for such a
form has a kernel too: there the other form is several times as fast.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

ALONE = "one lane after another, as its loops end apart, reach far apart or run in one lane"
VECTORS = "lanes to a vector"
RUN = "compared with the length first; where a chunk reads a run"
RECORDS = "a run, records of 2 to 4, or one element, vectors"
STORED_RECORDS = "where it is a run, or records of 2 to 4, vectors"
STORED_RUN = "compared with the length first; where it is a run"

COLUMNS = "where many rows are run, lanes along y, whose accesses are contiguous"
TURNED = "contiguous vectors, as rows and columns are exchanged"
FEWER = "8 vectors a round, then 4, what is left under one mask"

# name, parameters and body of a kernel, what is said of it, what is not
KERNELS = [
    # ---- Loops over memory take fewer vectors at the end of a row
    ("product", "a: DeviceArray[f32, 2], b: DeviceArray[f32, 2], c: DeviceArray[f32, 2]", """
    j, i = get_global_id(0), get_global_id(1)
    if i < c.shape[0] and j < c.shape[1]:
        total: f32 = 0
        for k in range(b.shape[0]):
            total += a[i, k] * b[k, j]
        c[i, j] = total
""", FEWER, COLUMNS),
    # ---- Shared arrays
    ("row_of_a_lane", "x: DeviceArray[f32, 2], out: DeviceArray[f32, 2]", """
    kept = shared(f32, (64, 32))
    lane = get_local_id()
    row = get_global_id()
    for k in range(x.shape[1]):
        for d in range(32):
            kept[lane, d] += x[k, d]
    barrier()
    if row < out.shape[0]:
        for d in range(32):
            out[row, d] = kept[lane, d]
""", TURNED, "gather: stride 32"),
    ("tile_of_a_block", "x: DeviceArray[f32, 2], out: DeviceArray[f32, 2]", """
    tile = shared(f32, (32, 32))
    tx, ty = get_local_id(0), get_local_id(1)
    i, j = get_global_id(1), get_global_id(0)
    tile[ty, tx] = x[i, j] if i < x.shape[0] and j < x.shape[1] else 0.0
    barrier()
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = tile[tx, ty]
""", "stride 32", TURNED),
    # ---- Ids that count rows of an array along x
    ("product_of_columns", "a: DeviceArray[f32, 2], b: DeviceArray[f32, 2], c: DeviceArray[f32, 2]", """
    i, j = get_global_id(0), get_global_id(1)
    if i < c.shape[0] and j < c.shape[1]:
        total: f32 = 0
        for k in range(b.shape[0]):
            total += a[i, k] * b[k, j]
        c[i, j] = total
""", COLUMNS, ALONE),
    ("transpose", "a: DeviceArray[f32, 2], c: DeviceArray[f32, 2]", """
    i, j = get_global_id(0), get_global_id(1)
    if i < a.shape[0] and j < a.shape[1]:
        c[j, i] = a[i, j]
""", VECTORS, COLUMNS),
    ("columns_in_data", "a: DeviceArray[f32, 2], p: DeviceArray[u32], c: DeviceArray[f32, 2]", """
    i, j = get_global_id(0), get_global_id(1)
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = a[p[i], j]
""", VECTORS, COLUMNS),
    ("columns_updated", "a: DeviceArray[f32, 2], c: DeviceArray[i32, 2]", """
    i, j = get_global_id(0), get_global_id(1)
    if i < a.shape[0] and j < a.shape[1]:
        atomic_add(c, (i, j), int(a[i, j]))
""", VECTORS, COLUMNS),
    # ---- A lane at a time
    ("first_lane", "x: DeviceArray[f32], y: DeviceArray[f32], n: u32", """
    if get_global_id() == 0:
        for i in range(n):
            if x[i] > 0.0:
                y[i] = x[i]
""", ALONE, VECTORS),
    ("nth_lane", "x: DeviceArray[f32], y: DeviceArray[f32], k: u32, n: u32", """
    if get_global_id() != k:
        return
    for i in range(n):
        y[i] += x[i]
""", ALONE, VECTORS),
    ("all_but_the_first", "x: DeviceArray[f32, 2], y: DeviceArray[f32]", """
    i = get_global_id()
    if i != 0:
        if i < x.shape[0]:
            total: f32 = 0
            for k in range(x.shape[1]):
                total += x[i, k]
            y[i] = total
""", VECTORS, ALONE),
    ("stack", "child: DeviceArray[i32, 2], value: DeviceArray[f32], out: DeviceArray[f32], n: u32", """
    todo = local(i32, 32)
    i = get_global_id()
    if i < n:
        todo[0] = int(i)
        top = 1
        total = 0.0
        while top > 0:
            top -= 1
            node = todo[top]
            total += value[node]
            if child[node, 0] >= 0:
                todo[top] = child[node, 0]
                todo[top + 1] = child[node, 1]
                top += 2
        out[i] = total
""", ALONE, VECTORS),
    ("sorted_list", "x: DeviceArray[f32, 2], out: DeviceArray[f32, 2]", """
    best = local(f32, 4)
    c, r = int(get_global_id(0)), int(get_global_id(1))
    if c < int(x.shape[1]) and r < int(x.shape[0]):
        for j in range(4):
            value = x[(r + j) % int(x.shape[0]), c]
            k = j
            while k > 0 and best[k - 1] > value:
                best[k] = best[k - 1]
                k -= 1
            best[k] = value
        out[r, c] = best[2]
""", ALONE, VECTORS),
    ("smallest_divisor", "out: DeviceArray[i32], n: i32", """
    i = int(get_global_id())
    if i < n:
        d = 2
        while d * d <= i:
            if i % d == 0:
                break
            d += 1
        out[i] = d
""", ALONE, VECTORS),
    ("probe", "words: DeviceArray[u32], table: DeviceArray[u32], out: DeviceArray[u32], mask: u32", """
    i = get_global_id()
    if i < len(words):
        slot = words[i] & mask
        while True:
            seen = atomic_cas(table, slot, 0, words[i])
            if seen == 0 or seen == words[i]:
                break
            slot = (slot + 1) & mask
        out[i] = slot
""", ALONE, VECTORS),
    ("neighbours", "first: DeviceArray[i32], x: DeviceArray[f32], out: DeviceArray[f32], h: f32, n: u32", """
    i = get_global_id()
    if i < n:
        total = 0.0
        for j in range(first[i], first[i + 1]):
            d = x[i] - x[j]
            if d * d < h:
                total += d
        out[i] = total
""", ALONE, VECTORS),
    ("row_of_lane", "x: DeviceArray[f32], out: DeviceArray[f32], width: i32, height: i32", """
    y = int(get_global_id())
    if y < height:
        total = 0.0
        for k in range(width):
            total += x[y * width + k]
            out[y * width + k] = total
""", ALONE, VECTORS),
    # ---- Vectors
    ("gcd", "x: DeviceArray[i32], y: DeviceArray[i32], out: DeviceArray[i32], n: u32", """
    i = get_global_id()
    if i < n:
        a, b = x[i], y[i]
        while b != 0:
            a, b = b, a % b
        out[i] = a
""", VECTORS, ALONE),
    ("bisection", "keys: DeviceArray[i32], wanted: DeviceArray[i32], out: DeviceArray[i32]", """
    i = get_global_id()
    if i < len(wanted):
        low = 0
        high = int(len(keys))
        while low < high:
            middle = (low + high) // 2
            if keys[middle] < wanted[i]:
                low = middle + 1
            else:
                high = middle
        out[i] = low
""", VECTORS, ALONE),
    ("both_triangles", "x: DeviceArray[f32, 2], c: DeviceArray[f32, 2], n: i32", """
    i = int(get_global_id())
    if i < n:
        for k in range(n):
            c[i, k] = x[k, i] * x[k, i]
""", VECTORS, ALONE),
    ("channels", "x: DeviceArray[u8], a: DeviceArray[u8], out: DeviceArray[u8], n: i32", """
    p = int(get_global_id())
    if p < n:
        for c in range(3):
            out[3 * p + c] = u8((i32(x[3 * p + c]) * i32(a[p]) + 127) // 255)
""", VECTORS, ALONE),
    # ---- Rows that begin where data say
    ("bag", "x: DeviceArray[f32, 2], rows: DeviceArray[i32], out: DeviceArray[f32, 2], n: i32", """
    c = int(get_local_id())
    if c < int(x.shape[1]):
        total = 0.0
        for k in range(n):
            total += x[rows[k], c]
        out[get_block_id(), c] = total
""", RUN, "length first, under"),
    ("row_of_block", "first: DeviceArray[i32], x: DeviceArray[f64], out: DeviceArray[f64]", """
    row = get_block_id()
    total = f64(0.0)
    for k in range(first[row] + int(get_local_id()), first[row + 1], 32):
        total += x[k]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[row] = total
""", RUN, "length first, under"),
    ("append", "start: DeviceArray[i32], x: DeviceArray[f32], out: DeviceArray[f32]", """
    i = int(get_local_id())
    out[start[get_block_id()] + i] = x[i]
""", STORED_RUN, "length first, under"),
    # ---- Records, whose length is known at launch, where lanes part
    ("pixels", "x: DeviceArray[u8, 3], out: DeviceArray[u8, 2]", """
    c, r = int(get_global_id(0)), int(get_global_id(1))
    if c < int(out.shape[1]) and r < int(out.shape[0]):
        if c == 0 or r == 0:
            out[r, c] = 0
            return
        out[r, c] = max(x[r, c, 0], x[r, c, 1])
""", RECORDS, "element by element"),
    ("swizzle", "x: DeviceArray[f32, 2], out: DeviceArray[f32, 2], n: u32", """
    i = get_global_id()
    if i < n and i != 7:
        out[i, 0] = x[i, 1]
""", STORED_RECORDS, "element by element"),
    ("triples", "x: DeviceArray[f32], out: DeviceArray[f32], n: u32", """
    i = get_global_id()
    if i < n:
        out[3 * i] = x[i]
        out[3 * i + 2] = x[i] + 1.0
""", "stride 3: vectors", "element by element"),
]  # fmt: skip


def main() -> int:
    hologram = sys.argv[1]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for name, parameters, body, said, not_said in KERNELS:
            path = os.path.join(folder, f"{name}.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"from hologram.lang import *\n\ndef {name}({parameters}):\n{body}")
            command = [hologram, "verify", "--explain", "--level", "v4", path]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                failures.append(f"{name}: {done.stderr}")
            elif said not in done.stdout or not_said in done.stdout:
                failures.append(f"{name}: not {said!r}, or {not_said!r}, in\n{done.stdout}")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{len(KERNELS)} kernels, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
