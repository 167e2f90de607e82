#!/usr/bin/env python3
"""The engine cuda where things go wrong, and the stand-in for NVIDIA's driver that shows it.

usage: fakecuda_test.py HOLOGRAM FAKECUDA
HOLOGRAM is the command, FAKECUDA the stand-in's libcuda.so.1.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

HOLOGRAM, FAKECUDA = "", ""
SUMS = """from hologram.lang import DeviceArray, barrier, f32, get_block_id, get_local_id, shared, u32


def sums(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    part = shared(f32, 64)
    i = get_local_id()
    at = get_block_id() * 64 + i
    if at < n:
        part[i] = x[at] * x[at]
    barrier()
    if at < n:
        out[at] = part[(i + 1) % 64] + sqrt(x[at])
"""
PICK = """from hologram.lang import DeviceArray, get_global_id, i32, u32


def pick(x: DeviceArray[i32], at: DeviceArray[i32], out: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = x[at[i]]
"""
SIZE = 200


class Run:
    """One run of the command with the stand-in, in a process of its own."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        Path(f"{folder}/sums.py").write_text(SUMS.replace("shared, u32", "shared, sqrt, u32"))
        Path(f"{folder}/pick.py").write_text(PICK)
        for name in ("sums", "pick"):  # once, as each run of Python takes a while
            done = self.command("compile", f"{name}.py", "-o", f"{name}.holo", "--native", "none")
            done.check_returncode()
        np.save(f"{folder}/x.npy", np.arange(SIZE, dtype=np.float32))

    def command(self, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "HOLOGRAM_CUDA": FAKECUDA,
            "HOLOGRAM_OPENCL": "none",
            **settings,
        }
        return subprocess.run(
            [HOLOGRAM, *words], cwd=self.folder, env=environment, capture_output=True, text=True
        )

    def sums(self, backend: str = "cuda", block: str = "64", **settings: str):
        Path(f"{self.folder}/out.npy").unlink(missing_ok=True)
        return self.command(
            *("run", "sums.holo", "--backend", backend, "--in", "x=x.npy", "--set", f"n={SIZE}"),
            *("--out", f"out=out.npy:f32:{SIZE}", "--grid", "4", "--block", block),
            **settings,
        )

    def result(self) -> np.ndarray:
        return np.load(f"{self.folder}/out.npy")


class EngineTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.run_of = Run(self.folder.name)

    def device_line(self, **settings: str) -> str:
        text = self.run_of.command("devices", **settings).stdout
        return next(line for line in text.splitlines() if line.startswith("cuda "))

    def test_a_launch_has_the_bits_of_the_interpreter(self) -> None:
        self.assertEqual(self.run_of.sums("interpreter").returncode, 0)
        expected = self.run_of.result().tobytes()
        for order in ("first", "last", "1", "2", "3"):
            done = self.run_of.sums(FAKECUDA_ORDER=order)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.run_of.result().tobytes(), expected)

    def test_devices_are_refused_by_name(self) -> None:
        name = "stand-in for a GPU, sm_90, driver 12.4"
        self.assertEqual(self.device_line(), f"cuda         {name}")
        for settings, expected in (
            ({"FAKECUDA_DEVICES": "0"}, "no: no CUDA device was found"),
            ({"FAKECUDA_BREAK": "fma"}, f"no: {name}: its fma of f32 has other bits"),
            (
                {"FAKECUDA_VERSION": "8000"},
                f"no: {name.replace('12.4', '8.0')}: its driver is that of CUDA 8.0, and kernels need 9.0",
            ),
            (
                {"FAKECUDA_CAPABILITY": "61"},
                f"no: {name.replace('sm_90', 'sm_61')}: kernels need sm_70",
            ),
            (
                {"HOLOGRAM_CUDA": "/none.so"},
                "no: no CUDA driver: /none.so: cannot open shared object file: No such file or directory",
            ),
        ):
            self.assertEqual(self.device_line(**settings), f"cuda         {expected}")
            done = self.run_of.sums(**settings)
            self.assertEqual(done.returncode, 1)
            self.assertIn(expected.split(": ")[-1], done.stderr)

    def test_of_several_devices_each_has_a_line(self) -> None:
        text = self.run_of.command("devices", FAKECUDA_DEVICES="3").stdout
        lines = [line for line in text.splitlines() if line.startswith("cuda ")]
        self.assertEqual(lines, [self.device_line()] * 3)
        self.assertEqual(self.run_of.sums(FAKECUDA_DEVICES="3").returncode, 0)

    def test_the_oldest_driver_and_device_do(self) -> None:
        oldest = {"FAKECUDA_VERSION": "9000", "FAKECUDA_CAPABILITY": "70"}
        self.assertEqual(self.run_of.sums(**oldest).returncode, 0)
        self.assertEqual(self.run_of.sums(FAKECUDA_POOLS="0").returncode, 0)

    def test_each_call_that_fails_is_an_error_and_changes_nothing(self) -> None:
        """Of each function of the driver, the first call fails, the second, until none does."""
        functions = re.findall(
            r'Find(?:Newer)?\("(cu\w+)"', (ROOT / "src/engines/cuda/api.cc").read_text()
        )
        self.assertGreater(len(functions), 20)
        failures = 0
        for function in set(functions) - {
            "cuGetErrorName",
            "cuModuleUnload",
            "cuMemFree_v2",
            "cuMemFreeAsync",
        }:
            for call in range(1, 40):
                fails = f"{function}:{call}:2"
                done = self.run_of.sums(FAKECUDA_FAIL=fails)
                written = Path(f"{self.folder.name}/out.npy").exists()
                self.assertEqual(written, done.returncode == 0, fails)
                if done.returncode == 0:
                    break
                failures += 1
                self.assertEqual(done.returncode, 1, f"{fails}: {done.stderr}")
                self.assertIn("hologram: error: ", done.stderr, fails)
            else:
                self.fail(f"{function} is called without end")
        print(f"{failures} calls failed in turn")

    def test_a_launch_is_none_the_worse_for_a_trace_without_times(self) -> None:
        self.assertEqual(self.run_of.sums().returncode, 0)
        expected = self.run_of.result().tobytes()
        trace = Path(f"{self.folder.name}/t.json")
        for function in ("cuEventCreate", "cuEventRecord", "cuEventElapsedTime"):
            settings = {"HOLOGRAM_TRACE": str(trace), "FAKECUDA_FAIL": f"{function}:2:999"}
            done = self.run_of.sums(**settings)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.run_of.result().tobytes(), expected)
            events = json.loads(trace.read_text())["traceEvents"]
            queue = [event for event in events if event.get("cat") == "queue"]
            why = [event["args"]["why"] for event in queue if event["name"] == "no times"]
            self.assertEqual(why, [f"cuda: {function} failed with 999"])
            # The probes before it, or the launch after it, have theirs.
            self.assertGreater(len(queue), 8)

    def test_a_block_with_too_few_registers_is_compiled_again(self) -> None:
        self.assertEqual(self.run_of.sums("interpreter").returncode, 0)
        expected = self.run_of.result().tobytes()
        for threads in ("64", "32"):
            self.assertEqual(self.run_of.sums(FAKECUDA_THREADS=threads).returncode, 0)
            self.assertEqual(self.run_of.result().tobytes(), expected)

    def test_faults_have_the_words_of_every_engine(self) -> None:
        folder = self.folder.name
        np.save(f"{folder}/i.npy", np.arange(SIZE, dtype=np.int32))
        np.save(f"{folder}/at.npy", np.where(np.arange(SIZE) < 77, 5, 1000).astype(np.int32))
        said = []
        for backend in ("interpreter", "cuda"):
            done = self.run_of.command(
                *("run", "pick.holo", "--backend", backend, "--in", "x=i.npy", "--in", "at=at.npy"),
                *("--out", f"out=o.npy:i32:{SIZE}", "--set", f"n={SIZE}"),
            )
            self.assertEqual(done.returncode, 1)
            self.assertFalse(Path(f"{folder}/o.npy").exists())
            said.append(done.stderr)
        self.assertIn("i = 77", said[0])
        self.assertEqual(said[0], said[1])


class StandInTest(unittest.TestCase):
    """What the stand-in finds in PTX that is wrong; each in a process of its own, as errors stay."""

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        run = Run(self.folder.name)
        done = run.command("compile", "sums.py", "--emit", "cuda", "-o", "sums.cuda")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.text = Path(f"{self.folder.name}/sums.cuda").read_text()

    def launched(self, text: str, order: str = "first") -> tuple[int, str, bytes]:
        """(the driver's code, what the stand-in said, the output) of sums of 200 elements."""
        path = f"{self.folder.name}/text.ptx"
        Path(path).write_text(text)
        command = [sys.executable, __file__, "--launch", FAKECUDA, path]
        environment = {**os.environ, "FAKECUDA_ORDER": order}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        code, _, data = done.stdout.partition(" ")
        return int(code), done.stderr, bytes.fromhex(data)

    def replaced(self, old: str, new: str) -> str:
        self.assertIn(old, self.text)
        return self.text.replace(old, new)

    def test_what_is_right_runs(self) -> None:
        right = self.launched(self.text)
        self.assertEqual(right[:2], (0, ""))
        for order in ("last", "1", "2", "3"):
            self.assertEqual(self.launched(self.text, order), right)

    def test_a_missing_barrier_shows(self) -> None:
        wrong = re.sub(r"barrier.sync 0;\n", "", self.text)
        self.assertNotEqual(wrong, self.text)
        results = {self.launched(wrong, order)[2] for order in ("first", "last", "1", "2", "3")}
        self.assertGreater(len(results), 1)

    def test_a_barrier_that_some_do_not_reach_is_an_error(self) -> None:
        [lane, *_] = re.findall(r"mov.u32 (%r\d+),%tid.x;", self.text)
        leaves = f"setp.gt.u32 %p0,{lane},9;\n@%p0 bra $L900;\nbarrier.sync 0;\n$L900:\n"
        wrong = leaves.join(self.text.rsplit("barrier.sync 0;\n", 1))
        code, said, _ = self.launched(wrong)
        self.assertEqual(code, 719)
        self.assertRegex(said, "wait at (a barrier|different barriers)")

    def test_an_access_outside_is_an_error(self) -> None:
        wrong = self.replaced("setp.ge.u32", "setp.gt.u32")
        code, said, _ = self.launched(wrong)
        self.assertEqual(code, 700)
        self.assertIn("4 bytes outside every allocation", said)

    def test_an_instruction_that_it_does_not_know_is_an_error(self) -> None:
        for old, new in (("mul.rn.f32", "mul.rz.f32"), ("sqrt.rn.f32", "sqrt.approx.f32")):
            self.assertEqual(self.launched(self.replaced(old, new))[0], 218)

    def test_the_host_may_not_touch_memory_of_the_device(self) -> None:
        command = [sys.executable, __file__, "--touch", FAKECUDA]
        self.assertEqual(subprocess.run(command, capture_output=True).returncode, -11)


class Driver:
    """The driver's interface, by hand."""

    def __init__(self, path: str) -> None:
        self.cuda = ctypes.CDLL(path)
        self.stream = ctypes.c_void_p()
        context = ctypes.c_void_p()
        assert self.cuda.cuInit(0) == 0
        assert self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
        assert self.cuda.cuCtxPushCurrent_v2(context) == 0
        assert self.cuda.cuStreamCreate(ctypes.byref(self.stream), 1) == 0

    def memory(self, data: bytes) -> ctypes.c_uint64:
        at = ctypes.c_uint64()
        size = ctypes.c_size_t(len(data))
        assert self.cuda.cuMemAlloc_v2(ctypes.byref(at), size) == 0
        assert self.cuda.cuMemcpyHtoDAsync_v2(at, data, size, self.stream) == 0
        return at


def launch_by_hand(path: str, ptx: str) -> None:
    driver = Driver(path)
    cuda, module, function = driver.cuda, ctypes.c_void_p(), ctypes.c_void_p()
    text = Path(ptx).read_bytes()
    code = cuda.cuModuleLoadDataEx(ctypes.byref(module), text, 0, None, None)
    if code == 0:
        assert cuda.cuModuleGetFunction(ctypes.byref(function), module, b"sums") == 0
        x = driver.memory(np.arange(SIZE, dtype=np.float32).tobytes())
        out = driver.memory(bytes(4 * SIZE))
        arguments = [x, out, ctypes.c_uint32(SIZE)]
        given = (ctypes.c_void_p * 3)(*(ctypes.addressof(one) for one in arguments))
        shape = (4, 1, 1, 64, 1, 1)
        assert cuda.cuLaunchKernel(function, *shape, 0, driver.stream, given, None) == 0
        back = ctypes.create_string_buffer(4 * SIZE)
        size = ctypes.c_size_t(4 * SIZE)
        assert cuda.cuMemcpyDtoHAsync_v2(back, out, size, driver.stream) == 0
        assert back.raw[:4] == b"\xdb\xdb\xdb\xdb"  # nobody has waited
        code = cuda.cuStreamSynchronize(driver.stream)
        if code != 0:
            assert cuda.cuMemAlloc_v2(ctypes.byref(out), size) == code  # it stays
        print(code, back.raw.hex() if code == 0 else "")
    else:
        print(code, "")


def touch(path: str) -> None:
    at = Driver(path).memory(bytes(64))
    ctypes.string_at(at.value, 1)


ROOT = Path(__file__).resolve().parents[2]

if __name__ == "__main__":
    if sys.argv[1] == "--launch":
        launch_by_hand(*sys.argv[2:])
    elif sys.argv[1] == "--touch":
        touch(sys.argv[2])
    else:
        HOLOGRAM, FAKECUDA = sys.argv[1:3]
        unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=1)
