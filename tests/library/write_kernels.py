"""Writes the kernels of engines_test.py: all functions of the library for each type of arguments.

Result k of element i is in out[k * n + i].
"""

from __future__ import annotations

ONE_FLOAT = (
    *("asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "cbrt", "erfc", "lgamma"),
    "sign",
)
TWO_FLOATS = ("hypot", "fmod", "copysign")
TRUTHS = ("isnan", "isinf", "isfinite")
FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")


def kernel(name: str, kind: str, arrays: str, result: str, values: list[str]) -> str:
    rows = "".join(f", {array}: DeviceArray[{kind}]" for array in arrays)
    lines = [f"def {name}(out: DeviceArray[{result}]{rows}, n: u32):"]
    lines += ["    i = get_global_id()", "    if i < n:"]
    lines += [f"        out[{k} * n + i] = {value}" for k, value in enumerate(values)]
    return "\n".join(lines) + "\n"


def functions() -> dict[str, tuple[str, str, str, list[str]]]:
    """Name of a kernel -> type, its arrays, type of the results, the results."""
    found = {}
    for kind in FLOATS:
        found[f"one_{kind}"] = (kind, "x", kind, [f"{f}(x[i])" for f in ONE_FLOAT])
        values = [f"{f}(x[i], y[i])" for f in TWO_FLOATS]
        found[f"two_{kind}"] = (kind, "xy", kind, [*values, "clamp(x[i], y[i], 2)"])
        found[f"truth_{kind}"] = (kind, "x", "u8", [f"1 if {f}(x[i]) else 0" for f in TRUTHS])
    for kind in INTEGERS:
        values = [f"{f}(x[i])" for f in ("popc", "clz", "ctz", "sign")]
        values += ["mulhi(x[i], y[i])", "clamp(x[i], 3, y[i])"]
        if kind[0] == "u":
            values += ["rotl(x[i], u32(y[i]))", "rotr(x[i], u32(y[i]))", "rotl(x[i], 5)"]
        found[f"integer_{kind}"] = (kind, "xy", kind, values)
    for source, target in (("f32", "u32"), ("f64", "i64"), ("i32", "f32"), ("u16", "f16")):
        found[f"bits_{source}"] = (source, "x", target, [f"bitcast({target}, x[i])"])
    return found


def text() -> str:
    rows = [kernel(name, *row) for name, row in functions().items()]
    return "from hologram.lang import *\n\n\n" + "\n\n".join(rows)
