#!/usr/bin/env python3
"""The package for Python programs of the page, as package.zip: its sources, the binding of
web/native, and the standard library without native code. Then the programs of examples.json know
what they load.

usage: package.py HOLOGRAM STDLIB.HOLO OUT
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from whole import LOADS_NUMPY, LOADS_PYTHON

ROOT = Path(__file__).resolve().parents[1]
ENDS = (".py", ".txt")


def write_zip(hologram: str, stdlib: str, out: Path) -> None:
    package = ROOT / "python/hologram"
    sources = {path.relative_to(package.parent): path for path in package.rglob("*")}
    files = {name.as_posix(): p.read_bytes() for name, p in sources.items() if p.suffix in ENDS}
    for path in (ROOT / "web/native").glob("*.py"):
        files[f"hologram/_native/{path.name}"] = path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        generator = str(ROOT / "operations/generator")
        subprocess.run([sys.executable, "-I", "-S", generator, "python", folder], check=True)
        files |= {f"hologram/{path.name}": path.read_bytes() for path in Path(folder).glob("*.py")}
        made = Path(folder, "stdlib.holo")
        subprocess.run([hologram, "compile", stdlib, "--native", "none", "-o", made], check=True)
        files["hologram/stdlib.holo"] = made.read_bytes()
    listed = subprocess.run(
        [hologram, "inspect", "--json", stdlib], check=True, stdout=subprocess.PIPE, text=True
    )
    files["hologram/_stdlib.py"] = f'HASH = "{json.loads(listed.stdout)["trust_hash"]}"\n'.encode()
    with zipfile.ZipFile(out / "package.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        for name in sorted(files):
            target.writestr(
                zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), files[name], compresslevel=9
            )


def megabytes(out: Path, numpy: bool) -> str:
    """Of what a program loads, compressed as servers do."""
    files = [*(out / "pyodide").iterdir(), out / "package.zip", out / "hologram-library.wasm"]
    wanted = [path for path in files if numpy or not path.name.startswith("numpy")]
    return f"{sum(len(gzip.compress(path.read_bytes(), 9)) for path in wanted) / 1e6:.1f} MB"


def main() -> int:
    hologram, stdlib, out = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    write_zip(hologram, stdlib, out)
    path = out / "examples.json"
    programs = json.loads(path.read_text(encoding="utf-8"))
    sizes = {name: megabytes(out, name == LOADS_NUMPY) for name in (LOADS_PYTHON, LOADS_NUMPY)}
    for program in programs:
        if program.get("program"):
            program["loads"] = f"{program['loads']}, {sizes[program['loads']]}"
    path.write_text(json.dumps(programs), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
