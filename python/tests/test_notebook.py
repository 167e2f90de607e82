"""A notebook: imports, constants, helpers and kernels in cells of their own, run by a real Jupyter
kernel. Needs nbclient and ipykernel (scripts/venv.sh interop)."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import hologram

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("numpy")

CELLS = [
    "import hologram as hg\nimport numpy as np",
    "from hologram.lang import DeviceArray, f32, get_global_id, inline, u32",
    "WEIGHT = 0.5",
    "@inline\ndef smooth(a, b):\n    return WEIGHT * a + WEIGHT * b",
    "@hg.kernel\ndef blur(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):\n"
    "    i = get_global_id()\n    if i + 1 < n:\n        y[i] = smooth(x[i], x[i + 1])",
    "x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)\nblur(x, y, 4)\ny.tolist()",
    "WEIGHT = 1",  # of the kernel that is compiled nothing changes
    "blur(x, y, 4)\ny.tolist()",
    "@hg.kernel\ndef sums(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):\n"
    "    i = get_global_id()\n    if i + 1 < n:\n        y[i] = smooth(x[i], x[i + 1])",
    "sums(x, y, 4)\ny.tolist()",
    "blur",
    "print(blur.explain())",
    "@hg.kernel\ndef wrong(x: DeviceArray[f32]):\n    x[0] = undefined_here",
    "try:\n    wrong(x)\nexcept hg.CompileError as error:\n    print(error.line, error.message)",
    "blur.profile(x, y, 4)",
]


def outputs(cell: Any) -> str:
    shown = ""
    for output in cell.outputs:
        shown += output.get("text", "") + "".join(output.get("data", {}).get("text/plain", ""))
    return shown


def test_cells_of_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(hologram.__file__).parents[1]))
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    for folder in ("HOME", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(folder, str(tmp_path))
    # The kernel of this very Python, whatever kernels are installed for users.
    specs = tmp_path / "kernels" / "hologram_test"
    specs.mkdir(parents=True)
    (specs / "kernel.json").write_text(
        json.dumps(
            {
                "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
                "display_name": "test",
                "language": "python",
            }
        )
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="hologram_test")
    client.execute(cwd=os.fspath(tmp_path))
    cells = notebook.cells
    assert outputs(cells[5]) == "[0.5, 1.5, 2.5, 0.0]"
    assert outputs(cells[7]) == "[0.5, 1.5, 2.5, 0.0]"
    assert outputs(cells[9]) == "[1.0, 3.0, 5.0, 0.0]"
    assert outputs(cells[10]).startswith("<hologram.Kernel blur: ")
    html = cells[10].outputs[0]["data"]["text/html"]
    assert "def blur(" in html
    assert "<td>proved</td>" in html
    assert "proved  x[i + 1]" in outputs(cells[11])
    assert outputs(cells[13]).startswith("3 undefined name 'undefined_here'")
    assert "y[i] = smooth(x[i], x[i + 1])" in outputs(cells[14])
    html = cells[14].outputs[0]["data"]["text/html"]
    assert "<pre>" in html and 'src="data:image/svg+xml;base64,' in html
