"""What `hologram verify --explain` says of native code against the code itself.

usage: remarks_test.py HOLOGRAM KERNELS

Objects have source lines, so each line of a kernel has its instructions: where the words say gather
there is one, where they say contiguous vectors there is none; the same for scatters, atomic
updates, stores past the caches and the lanes of a round.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict

FILES = [
    "elementwise/saxpy",
    "image/median5",
    "linalg/gemm_shared",
    "movement/gather",
    "movement/reverse_rows",
    "movement/transpose",
    "movement/transpose_shared",
    "reduce/block_sum",
    "reduce/histogram",
    "reduce/histogram_shared",
]
# Forms that no kernel of the tree has: with accesses that may fault, and without.
OWN = {
    "guarded": """\
from hologram.lang import *

def guarded(
    x: DeviceArray[f32], index: DeviceArray[u32], small: DeviceArray[u8], out: DeviceArray[f32],
    most: DeviceArray[u32], n: u32, m: u32
):
    i = get_global_id()
    if i < n:
        c = x[m]
        j = index[i]
        k = small[j]
        a: f32 = 0.0
        while j > 0:
            a = a + x[j]
            j = j // 2
        out[i] = a + c + k
        atomic_max(most, 0, j)
""",
    "ordered": """\
from hologram.lang import *

def ordered(p: DeviceArray[u32], w: DeviceArray[f32], h: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        for k in range(3):
            atomic_add(h, p[i] + k, w[i])
""",
    "counted": """\
from hologram.lang import *

def counted(first: DeviceArray[u32], p: DeviceArray[u32], h: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        for k in range(first[i], first[i + 1]):
            atomic_add(h, p[k], exp(f32(k)))
""",
    "one_by_one": """\
from hologram.lang import *

def one_by_one(p: DeviceArray[u32], h: DeviceArray[f32], n: u32, m: u32):
    i = get_global_id()
    if i < n:
        for k in range(m):
            atomic_add(h, p[i] + k, 1.0)
""",
    "proved": """\
from hologram.lang import *

def proved(x: DeviceArray[f32], out: DeviceArray[f32], n: u32, m: u32):
    i = get_global_id()
    if i < n:
        a = x[3 * i]
        b = x[5 * i]
        c = x[m]
        d = x[i * m]
        if i + 7 < m:
            a = a + x[i + 7]
        out[i] = a + b + c + d
""",
    "scattered": """\
from hologram.lang import *

def scattered(
    p: DeviceArray[u32], small: DeviceArray[u8], most: DeviceArray[u32], out: DeviceArray[f32], n: u32
):
    i = get_global_id()
    if i < n:
        out[i ^ 1] = f32(small[p[i]])
        atomic_max(most, 0, p[i])
""",
    "stride": """\
from hologram.lang import *

@kernel(block=64)
def stride(x: DeviceArray[f32, 2], y: DeviceArray[f32, 2], n: i32):
    row, lane = get_block_id(), int(get_local_id())
    total = 0.0
    for c in range(lane, n, 64):
        total += x[row, c]
    total = block_reduce_add(total)
    for c in range(lane, n, 64):
        y[row, c] = x[row, c] / total
""",
}
LEVELS = ("v3", "v4")
GATHER = re.compile(r"\bvp?gather")
SCATTER = re.compile(r"\bvp?scatter")
ATOMIC = re.compile(r"\block\b")
PAST = re.compile(r"\bvmovnt")
FIND_ROUND = re.compile(r"(\d+) lanes to a vector, (a|\d+) vectors? a round")

failures: list[str] = []
seen: dict[str, int] = defaultdict(int)


def check(holds: bool, what: str) -> None:
    if not holds:
        failures.append(what)


def run(*command: str) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{result.stderr}")
    return result.stdout


def instructions(path: str) -> tuple[dict[int, str], str]:
    """The instructions of the lanes by source line, and all of them."""
    by_line: dict[int, str] = defaultdict(str)
    line = 0
    text = run("objdump", "-d", "-l", "--no-show-raw-insn", path)
    for row in text.splitlines():
        if place := re.match(r"\S+\.py:(\d+)", row):
            line = int(place[1])
        elif re.match(r"\s+[0-9a-f]+:\t", row):
            by_line[line] += row + "\n"
    return by_line, text


def check_kernel(hologram: str, path: str, level: str, folder: str) -> None:
    name = f"{os.path.basename(path)} at {level}"
    explained = run(hologram, "verify", path, "--explain", "--level", level).splitlines()
    made = os.path.join(folder, "k.o")
    run(hologram, "compile", path, "--emit", "obj", "--level", level, "-o", made)
    by_line, text = instructions(made)
    words: dict[int, list[str]] = defaultdict(list)
    kernel = [line for line in explained if ": kernel  " in line]
    check(len(kernel) == 1, f"{name}: {len(kernel)} lines for the kernel")
    for line in explained:
        place = re.match(r".*?\.py:(\d+):\d+: (\w+)  (.*)", line)
        assert place is not None, line
        if place[2] in ("proved", "guarded"):
            said = place[3].partition("; ")[2]
            check(bool(said), f"{name}: no words for {line}")
            words[int(place[1])].append(said)
        elif place[2] == "loop":
            seen["loop " + place[3].split()[0]] += 1
    for line_number, all_words in words.items():
        said = "; ".join(all_words)
        where = f"{name}, line {line_number}: {said}"
        code = by_line[line_number]
        gathers = re.search(r"\bgather:", said) is not None
        scatters = re.search(r"\bscatter:", said) is not None
        # What a launch decides in whole chunks is a gather or a scatter in the tail.
        by_launch = "stride" in said
        if gathers or not by_launch:
            check(gathers == (GATHER.search(code) is not None), f"{where} (gather)")
        if scatters or not by_launch:
            check(scatters == (SCATTER.search(code) is not None), f"{where} (scatter)")
        atomics = re.search(r"\batomic\b", said) is not None
        check(atomics == (ATOMIC.search(code) is not None), f"{where} (atomic)")
        for word in ("gather:", "scatter:", "atomic", "contiguous", "one load", "here):",
                     "shuffles", "known at launch", "element by element", "under a mask",
                     "chunk agree", "on one thread", "when the chunk is done"):  # fmt: skip
            seen[f"{word} {level}"] += word in said
    past = "; stores past the caches" in kernel[0]
    check(past == (PAST.search(text) is not None), f"{name}: {kernel[0]} (caches)")
    seen[f"past {past}"] += 1
    for word in ("do not fit the log", "one lane after the other"):
        seen[word] += word in kernel[0]
    check_round(hologram, path, level, kernel[0])


def check_round(hologram: str, path: str, level: str, kernel: str) -> None:
    """The loop over the lanes steps by as many as the words say."""
    found = FIND_ROUND.search(kernel)
    if found is None:
        return
    lanes = int(found[1]) * (1 if found[2] == "a" else int(found[2]))
    code = run(hologram, "compile", path, "--emit", "llvm", "--level", level)
    check(re.search(rf"\badd (nuw )?nsw i64 .*, {lanes}\b", code) is not None,
          f"{path} at {level}: no loop of {lanes} lanes: {kernel}")  # fmt: skip
    seen[f"round {found[2]}"] += 1


def main() -> int:
    hologram, kernels = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(kernels, f"{name}.py") for name in FILES]
        for name, text in OWN.items():
            paths.append(os.path.join(folder, f"{name}.py"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(text)
        for path in paths:
            for level in LEVELS:
                check_kernel(hologram, path, level, folder)
            if path.endswith("/stride.py"):
                words = run(hologram, "verify", "--explain", "--level", "v4", path)
                check(words.count("no mask; then under masks until") == 2, f"two copies: {words}")
                check("gather" not in words and "scatter" not in words, f"whole vectors: {words}")
    wanted = ["gather: v4", "scatter: v4", "atomic v3", "atomic v4", "contiguous v3",
              "contiguous v4", "one load v4", "here): v3", "here): v4", "shuffles v4",
              "known at launch v4", "element by element v4", "under a mask v4", "chunk agree v4",
              "on one thread v4", "when the chunk is done v3", "when the chunk is done v4",
              "do not fit the log", "one lane after the other", "past True", "past False", "loop all", "loop under",
              "round 4"]  # fmt: skip
    for word in wanted:
        check(seen[word] > 0, f"nothing was explained by {word!r}")
    check(seen["gather: v3"] == 0, "a gather at v3, which has no fast one")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{len(paths)} files, {len(LEVELS)} levels, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
