"""Every kernel of the tree gives PTX that NVIDIA's assembler takes: LLVM's for sm_80 and sm_90, that of src/device for
sm_70 and sm_90.

usage: ptxas_test.py HOLOGRAM KERNELS PTXAS [cuda]
With "cuda" that of src/device.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PRINTS = """from hologram.lang import DeviceArray, f32, get_global_id


def talk(x: DeviceArray[f32]):
    print("x")
    x[get_global_id()] = 1.0
"""
LEVELS = ("sm_80", "sm_90")
DEVICE_LEVELS = ("sm_70", "sm_90")


def run(*command: str) -> str:
    """Empty, or what the command complained about."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if result.returncode == 0 else result.stdout.strip() or "no message"


def kernels_of(hologram: str, source: pathlib.Path, folder: str) -> tuple[str, list[str]]:
    path = os.path.join(folder, source.stem + ".json")
    complaint = run(hologram, "compile", str(source), "--emit", "json", "-o", path)
    if complaint:
        raise SystemExit(f"{source}: {complaint}")
    text = subprocess.run(
        [hologram, "compile", path, "--emit", "asm"], capture_output=True, text=True, check=True
    ).stdout
    return path, re.findall(r"^\.kernel (\w+)", text, re.MULTILINE)  # a generic one for each type


def assemble_device(hologram: str, ptxas: str, path: str, kernel: str) -> list[str]:
    text = f"{path}.{kernel}.cuda"
    complaint = run(hologram, "compile", path, "--entry", kernel, "--emit", "cuda", "-o", text)
    for level in DEVICE_LEVELS:
        complaint = complaint or run(ptxas, f"-arch={level}", text, "-o", f"{text}.cubin")
    return [f"{kernel}, of src/device: {complaint}"] if complaint else []


def assemble(hologram: str, ptxas: str, path: str, kernel: str) -> list[str]:
    complaints = []
    for level in LEVELS:
        text, code = f"{path}.{kernel}.{level}.ptx", f"{path}.{kernel}.{level}.cubin"
        complaint = run(
            *(hologram, "compile", path, "--entry", kernel, "--emit", "ptx"),
            *("--arch", level, "-o", text),
        ) or run(ptxas, f"-arch={level}", text, "-o", code)
        if complaint:
            complaints.append(f"{kernel}, {level}: {complaint}")
        elif os.path.getsize(code) == 0:
            complaints.append(f"{kernel}, {level}: no code")
        elif f".target {level}\n" not in pathlib.Path(text).read_text(encoding="utf-8"):
            complaints.append(f"{kernel}, {level}: a debug target, which is not optimised")
    return complaints


def main() -> int:
    hologram, kernels, ptxas = sys.argv[1:4]
    assembled, levels = assemble, LEVELS
    if sys.argv[4:] == ["cuda"]:
        assembled, levels = assemble_device, DEVICE_LEVELS
    sources = [s for s in sorted(pathlib.Path(kernels).rglob("*.py")) if s.parent.name != "ops"]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        files = list(pool.map(lambda s: kernels_of(hologram, s, folder), sources))
        work = [(path, kernel) for path, names in files for kernel in names]
        complaints = [
            c for found in pool.map(lambda w: assembled(hologram, ptxas, *w), work) for c in found
        ]
        refused = os.path.join(folder, "talk.py")
        pathlib.Path(refused).write_text(PRINTS, encoding="utf-8")
        complaint = run(hologram, "compile", refused, "--emit", "ptx")
        if "uses print.text, for which there is no PTX" not in complaint:
            complaints.append(f"a kernel that prints: {complaint or 'compiled'}")
    for complaint in complaints:
        print("FAIL", complaint)
    print(f"{len(work)} kernels of {len(files)} files, each for {' and '.join(levels)}")
    return 1 if complaints or not work else 0


if __name__ == "__main__":
    sys.exit(main())
