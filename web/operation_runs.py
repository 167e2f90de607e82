"""Runs of the kernels of operations in f32 by the native command, for pictures."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
LANES = 64  # of a block of the kernels that reduce
CHUNK = 32768  # elements of a block: one for all that is drawn


class Runs:
    def __init__(self, hologram: str) -> None:
        self._hologram = hologram
        self._made = tempfile.TemporaryDirectory()  # of the kernels that the build writes
        generator = str(ROOT / "operations/generator")
        command = [sys.executable, "-I", "-S", generator, "kernels", self._made.name]
        subprocess.run(command, check=True)

    def _path(self, file: str) -> Path:
        path = ROOT / f"kernels/ops/{file}.py"
        return path if path.is_file() else Path(self._made.name, f"{file}.py")

    def kernel(  # noqa: PLR0913
        self,
        file: str,
        entry: str,
        arrays: dict[str, np.ndarray],
        out: np.ndarray,
        scalars: dict[str, float],
        grid: tuple[int, int] | None = None,
    ) -> np.ndarray:
        """What the kernel file of an operation writes over `out`. `grid`: of blocks of LANES."""
        with tempfile.TemporaryDirectory() as folder:
            command = [self._hologram, "run", str(self._path(file))]
            command += ["--entry", entry, "--out", "out=result.npy"]
            for name, array in {**arrays, "out": out}.items():
                np.save(f"{folder}/{name}.npy", array)
                command += ["--in", f"{name}={name}.npy"]
            for name, value in scalars.items():
                command += ["--set", f"{name}={value}"]
            if grid is not None:
                command += ["--grid", f"{grid[0]},{grid[1]},1", "--block", f"{LANES},1,1"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(f"{entry}: {done.stderr}")
            return np.load(f"{folder}/result.npy")

    def pointwise(
        self, file: str, entry: str, arrays: dict[str, np.ndarray], scalars: dict[str, float]
    ) -> np.ndarray:
        shape = next(iter(arrays.values())).shape
        scalars = {"n": int(np.prod(shape)), **scalars}
        return self.kernel(file, entry, arrays, np.zeros(shape, np.float32), scalars)

    # ---- Along rows

    def reduce(self, name: str, rows: np.ndarray) -> np.ndarray:
        """One result for each row."""
        count, n = rows.shape
        if name in ("argmin", "argmax"):
            arrays = {"src": np.ascontiguousarray(rows.T)}
            scalars = {"n": n, "outer": 1, "columns": count, "plane": rows.size, "stride": count}
            out, grid = np.zeros(count, np.int64), (-(-count // LANES), 1)
            return self.kernel(name, f"op_{name}_columns_f32", arrays, out, scalars, grid)
        file = {"mean": "sum", "norm": "sum_squares"}.get(name, name)
        out = np.zeros(count, np.uint8 if name in ("any", "all") else np.float32)
        scalars = {"n": n, "stride": n, "chunk": CHUNK}
        return self.kernel(file, f"op_{file}_rows_f32", {"src": rows}, out, scalars, (1, count))

    def layer(self, name: str, row: np.ndarray) -> np.ndarray:
        """The row that a normalization, a softmax or a running sum makes of a row."""
        if name == "cumsum":
            scalars = {"n": row.size, "stride": row.size}
            command = ("cumsum", "op_cumsum_rows_f32", {"src": row}, np.zeros_like(row), scalars)
            return self.kernel(*command)
        arrays = {"x": row}
        scalars = {"columns": row.size, "x_stride": row.size, "out_stride": row.size}
        if name in ("layer_norm", "rms_norm"):
            arrays["gamma"] = np.ones_like(row)
            scalars["epsilon"] = 1e-5
        if name == "layer_norm":
            arrays["beta"] = np.zeros_like(row)
        return self.kernel(name, f"op_{name}_f32", arrays, np.zeros_like(row), scalars, (1, 1))

    def loss(self, name: str, prediction: np.ndarray, target: np.ndarray) -> float:
        """The sum of the terms, which the operation divides by their number."""
        arrays = {"prediction": prediction, "target": target}
        scalars = {"n": target.size, "chunk": CHUNK} | ({} if name == "mse" else {"eps": 1e-7})
        out = np.zeros(1, np.float32)
        return float(self.kernel(name, f"op_{name}_f32", arrays, out, scalars, (1, 1))[0])

    # ---- Products

    def product(self, name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """a[m, k] b[k, n]; of dot m and n are 1, of matvec n."""
        m, k = a.shape
        n = b.shape[1]
        if name == "dot":
            out, scalars = np.zeros(1, np.float32), {"n": k, "chunk": CHUNK}
            arrays = {"x": a[0], "y": b[:, 0].copy()}
            return self.kernel(name, "op_dot_f32", arrays, out, scalars, (1, 1)).reshape(1, 1)
        if name == "matvec":
            arrays, scalars = {"a": a, "x": b[:, 0].copy()}, {"columns": k, "stride": k}
            out = np.zeros(m, np.float32)
            return self.kernel(name, "op_matvec_f32", arrays, out, scalars, (m, 1)).reshape(m, 1)
        scalars = {"m": m, "n": n, "k": k, "a_row": k, "a_column": 1, "b_row": n, "out_row": n}
        grid = (-(-n // LANES), -(-m // 4))
        out = np.zeros((m, n), np.float32)
        return self.kernel(name, "op_gemm_f32", {"a": a, "b": b}, out, scalars, grid)

    def sums(self, name: str, rows: np.ndarray) -> np.ndarray:
        """The sums of many rows, as the operation adds them: of products, the other factor is 1."""
        count, n = rows.shape
        if name in ("matvec", "gemm"):
            return self.product(name, rows, np.ones((n, 1), np.float32))[:, 0]
        if name != "dot":
            return self.reduce(name, rows)
        # A chunk for each row; a block takes the whole of its lanes, so zeros follow.
        padded = np.zeros((count, -(-n // LANES) * LANES), np.float32)
        padded[:, :n] = rows
        arrays = {"x": padded, "y": np.ones_like(padded)}
        scalars = {"n": padded.size, "chunk": padded.shape[1]}
        out = np.zeros(count, np.float32)
        return self.kernel(name, "op_dot_f32", arrays, out, scalars, (count, 1))

    # ---- Movement

    def move(self, name: str, arrays: dict[str, np.ndarray]) -> np.ndarray:
        x = next(iter(arrays.values()))
        if name == "transpose":
            rows, columns = x.shape
            scalars = {"planes": 1, "rows": columns, "columns": rows, "x0": 0, "x1": x.size}
            scalars |= {"x2": 1, "x3": columns, "out1": x.size, "out2": rows, "out3": 1}
            out, entry = np.zeros((columns, rows), np.uint32), "op_copy_strided_u32"
            bits = {"x": x.view(np.uint32)}
            return self.kernel("copy", entry, bits, out, scalars, (1, columns)).view(np.float32)
        if name == "cast":
            out = np.zeros(x.shape, np.int32)
            return self.kernel(name, "op_cast_f32_i32", {"x": x}, out, {"n": x.size})
        # These take bits.
        bits = {key: a.view(np.uint32) if a.itemsize == 4 else a for key, a in arrays.items()}
        scalars = {"n": x.size}
        if name == "fill":
            scalars["value"] = int(np.float32(2.5).view(np.uint32))
            bits = {}
        out = np.zeros(x.shape, np.uint32)
        return self.kernel(name, f"op_{name}_u32", bits, out, scalars).view(np.float32)
