"""exp, log, sin and the others: evaluated by libhologram, where each algorithm is defined once.

The library is that of HOLOGRAM_LIBRARY, else the one in this package, in the build folder of the
source tree, beside the `hologram` command, or where the system keeps libraries.
"""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from hologram.simulator.conversions import Value, bits_of, from_bits
from hologram.simulator.errors import LaunchError

# As in hologram.h.
_TYPES = {"f16": 8, "bf16": 9, "f32": 10, "f64": 11}
_NAME = "libhologram.so"
_SONAME = "libhologram.so.0"


def _candidates() -> Iterator[str]:
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    yield os.path.join(package, _NAME)
    yield os.path.join(package, "lib", _NAME)
    root = os.path.dirname(os.path.dirname(package))  # of a source tree, or of a build folder
    yield os.path.join(root, "lib", _NAME)
    yield os.path.join(root, "build", "release", "lib", _NAME)
    command = shutil.which("hologram")
    if command is not None:
        folder = os.path.dirname(os.path.realpath(command))
        yield os.path.join(folder, _NAME)
        yield os.path.join(os.path.dirname(folder), "lib", _NAME)


def _open() -> ctypes.CDLL:
    chosen = os.environ.get("HOLOGRAM_LIBRARY")
    if chosen:
        try:
            return ctypes.CDLL(chosen)
        except OSError as error:
            raise LaunchError(
                f"HOLOGRAM_LIBRARY names {chosen}, which cannot be loaded: {error}"
            ) from None
    for path in _candidates():
        if os.path.exists(path):
            return ctypes.CDLL(path)
    try:
        return ctypes.CDLL(_SONAME)
    except OSError:
        raise LaunchError(
            f"exp, log and the like are computed by {_NAME}, which was not found; build it "
            "(`ninja -C build/release hologram`) or set HOLOGRAM_LIBRARY to its path"
        ) from None


@cache
def _library() -> Any:
    library = _open()
    if not hasattr(library, "hologram_math"):
        raise LaunchError(
            f"{library._name} is too old: it has no hologram_math; build it again or set "
            "HOLOGRAM_LIBRARY to a newer one"
        )
    words = ctypes.POINTER(ctypes.c_uint64)
    library.hologram_math.argtypes = [
        *(ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint32),
        *(words, ctypes.c_size_t, words),
    ]
    library.hologram_math.restype = ctypes.c_void_p
    library.hologram_error_text.argtypes = [ctypes.c_void_p]
    library.hologram_error_text.restype = ctypes.c_char_p
    library.hologram_error_destroy.argtypes = [ctypes.c_void_p]
    return library


def function(name: str, kind: str, fast: bool) -> Callable[..., Value]:
    """The function of the instruction set with this mnemonic, for values of one float type."""

    def compute(*operands: Value) -> Value:
        library = _library()
        words = (ctypes.c_uint64 * len(operands))(*(bits_of(x, kind) for x in operands))
        result = ctypes.c_uint64()
        error = library.hologram_math(
            name.encode(), _TYPES[kind], fast, words, len(operands), ctypes.byref(result)
        )
        if error:
            text = library.hologram_error_text(error).decode()
            library.hologram_error_destroy(error)
            raise LaunchError(text)
        return from_bits(result.value, kind)

    return compute
