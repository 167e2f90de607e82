"""hologram profile: the listing of docs/seeing.md, counts that can be known, results and errors.

usage: profile_test.py HOLOGRAM DOCUMENT
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

LISTING = re.compile(
    r"^```python\n(from hologram.lang.*?)^```\n\n```\n\$ hologram (profile .*?)\n(.*?)^```$",
    re.M | re.S,
)


def npy(count: int) -> bytes:
    """An array of the numbers from 0, in the format of NumPy."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count},), }}"
    header = header.ljust(117) + "\n"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
    return head + header.encode() + struct.pack(f"<{count}f", *range(count))


def masked(text: str) -> str:
    """Without what differs from run to run: times and rates."""
    text = re.sub(r"(\d%) +\d+\.\d%  ", r"\1 TIME  ", text)
    text = re.sub(
        r"^(native +)x86-64-v\d(, one thread: )\S+( us a launch, median of )\d+$",
        r"\1\2\3",
        text,
        flags=re.M,
    )
    text = re.sub(r"^(reached|possible) +\S+ GFLOP/s +\S+ GB/s$", r"\1", text, flags=re.M)
    return re.sub(r"^(limit +)(?:memory|arithmetic), of which \d+%", r"\1", text, flags=re.M)


def check_times(text: str) -> None:
    """What can be known of them."""
    shares = [float(share) for share in re.findall(r"\d% +(\d+\.\d)%  ", text)]
    assert len(shares) == 9 and 80 <= sum(shares) <= 100.5, shares
    loop = text.splitlines().index(next(x for x in text.splitlines() if "(i + k) % n" in x)) - 2
    assert shares[loop] == max(shares), shares
    rates = {}
    for name in ("reached", "possible"):
        row = re.search(rf"^{name} +(\S+) GFLOP/s +(\S+) GB/s$", text, re.M)
        assert row, text
        rates[name] = (float(row[1]), float(row[2]))
    assert 0 < rates["reached"][0] < rates["possible"][0] < 10_000, rates
    assert 0 < rates["reached"][1] < rates["possible"][1] < 10_000, rates


def check_picture(path: Path) -> None:
    root = ElementTree.parse(path).getroot()
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "Roofline of work" in texts and any("GFLOP/s, " in str(text) for text in texts), texts
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    [dot] = root.iter("{http://www.w3.org/2000/svg}circle")
    assert 0 < float(dot.attrib["cx"]) < width and 0 < float(dot.attrib["cy"]) < height


def check_lines(path: Path, source: str) -> None:
    """Every line that ran, its count, its lanes as a scale, and its share of the time as a bar."""
    root = ElementTree.parse(path).getroot()
    svg = "{http://www.w3.org/2000/svg}"
    texts = [str(node.text) for node in root.iter(svg + "text")]
    for line in source.splitlines()[3:]:
        assert line[:50] in texts or any(t.startswith(line[:30]) for t in texts), (line, texts)
    assert {"334", "11 k", "40 k", "4 k", "work.py"} <= set(texts), texts
    boxes = [node.attrib for node in root.iter(svg + "rect") if "x" in node.attrib]
    lanes = [float(box["width"]) for box in boxes if box["class"] == "dot"]
    assert len(lanes) == 9 and min(lanes) == 4 * 5.3 and max(lanes) == 64, lanes
    shares = [float(text[:-1]) for text in texts if text.endswith("%")]
    heats = [float(box["opacity"]) for box in boxes if box["class"] == "heat"]
    assert len(shares) == len(heats) == 9 and shares.index(max(shares)) == heats.index(max(heats))
    width = float(root.attrib["viewBox"].split()[2])
    assert all(float(box["x"]) + float(box["width"]) <= width for box in boxes)


LEVELS = {"x86-64-v2": 4, "x86-64-v3": 8, "x86-64-v4": 16, "aarch64": 4}


def check_native(text: str, of_interpreter: str) -> None:
    """All but its times, its vectors and the lines about it."""

    def cells(listing: str) -> list[list[str]]:
        rows = [line.split() for line in listing.splitlines()[2:11]]
        return [[*row[:2], *row[3:6]] for row in rows]

    assert cells(text) == cells(of_interpreter), text
    level = re.search(r"^counts    by instrumented code, (\S+)$", text, re.M)
    assert level, text
    width = LEVELS[level[1]]
    assert f" lanes/{width} " in text.splitlines()[0], text
    lanes = [float(line.split()[2]) for line in text.splitlines()[2:11]]
    assert max(lanes) == width and 1 <= min(lanes) <= width / 2, lanes
    # 4000 bytes are read by one line and 40000 by another, of an array of 4000; as many are written.
    assert re.search(r"^work +\d+ operations on floats, at most 8000 bytes", text, re.M), text


def main() -> int:
    hologram, document = sys.argv[1:]
    source, command, expected = LISTING.findall(Path(document).read_text(encoding="utf-8"))[0]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "work.py").write_text(source, encoding="utf-8")
        (place / "x.npy").write_bytes(npy(1000))

        def run(
            *words: str, environment: dict[str, str] | None = None
        ) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [hologram, *words], cwd=place, capture_output=True, text=True, env=environment
            )

        shown = run(*command.split())
        assert (shown.returncode, shown.stderr) == (0, ""), shown.stderr
        found, expected = masked(shown.stdout), masked(expected)
        assert found == expected, f"expected:\n{expected}\nfound:\n{found}"
        check_times(shown.stdout)
        check_picture(place / "roofline.svg")
        check_lines(place / "lines.svg", source)
        words = [word for word in command.split() if "svg" not in word and word != "--lines"]
        # The launch is a launch: its results are those of the compiled kernel.
        profiled = (place / "y.npy").read_bytes()
        (place / "y.npy").unlink()
        assert run("run", *words[1:]).returncode == 0
        assert (place / "y.npy").read_bytes() == profiled
        # Native code counts the same; its vectors have the lanes of its level.
        natively = run(*words, "--backend", "cpu")
        assert (natively.returncode, natively.stderr) == (0, ""), natively.stderr
        assert (place / "y.npy").read_bytes() == profiled
        check_native(natively.stdout, shown.stdout)
        # Every third lane takes the branch, whatever the block is.
        line = next(k for k, text in enumerate(source.splitlines(), 1) if "sqrt(total)" in text)
        for block in ("32", "96"):
            shape = ["--grid", str(-(-1000 // int(block))), "--block", block]
            rows = [row.split() for row in run(*words, *shape).stdout.splitlines()]
            [row] = [row for row in rows if row[0] == str(line)]
            assert row[1] == "334", (block, row)
        # A fault has its line, and nothing is written.
        (place / "y.npy").unlink()
        wrong = run(*[word if "n=" not in word else "n=1020" for word in words])
        assert (
            wrong.returncode == 1 and "work.py:11:29: error: x[(i + k) % n]" in wrong.stderr
        ), wrong.stderr
        assert wrong.stdout == "" and not (place / "y.npy").exists()
        assert run("profile").returncode == 2
        wrong = run(*[word if "n=" not in word else "n=1020" for word in words], "--backend", "cpu")
        assert (
            wrong.returncode == 1 and "work.py:11:29: error: x[(i + k) % n]" in wrong.stderr
        ), wrong.stderr
        elsewhere = run(*words, "--backend", "cuda")
        assert elsewhere.returncode == 1 and "cuda" in elsewhere.stderr.lower(), elsewhere.stderr
        missing = run(
            *words, "--backend", "cpu", environment={**os.environ, "HOLOGRAM_JIT": "/nonexistent"}
        )
        assert missing.returncode == 1 and "no compiler plugin: " in missing.stderr, missing.stderr
        assert missing.stdout == "" and not (place / "y.npy").exists()
        # Without native code there are counts, and a line that says why there is no more.
        alone = run(*words, environment={**os.environ, "HOLOGRAM_JIT": "/nonexistent"})
        assert alone.returncode == 0 and "no native code, so no times: " in alone.stdout, alone
        assert "lanes/16" in alone.stdout and "GFLOP" not in alone.stdout
    print("profile: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
