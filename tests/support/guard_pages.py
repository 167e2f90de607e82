"""NumPy arrays beside untouchable pages: an access outside of an array ends the process.

    import guard_pages
    guard_pages.install()

install() makes NumPy take the memory of arrays made from then on from the library that the environment
variable HOLOGRAM_TEST_GUARD_PAGES names (guard_pages.c, built with the tests): an array ends where an
untouchable page begins, or begins where one ends, in turn. Without the variable it does nothing and
returns False. Linux has 65,530 mappings for a process, enough for some 13,000 arrays at once.
"""

from __future__ import annotations

import ctypes
import importlib
import os

_SET_HANDLER = 304  # PyDataMem_SetHandler in NumPy's table of functions


def _array_api() -> ctypes.Array[ctypes.c_void_p]:
    for name in ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype = ctypes.c_void_p
        pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        address = pointer(module._ARRAY_API, None)
        return (ctypes.c_void_p * (_SET_HANDLER + 1)).from_address(address)
    raise ImportError("NumPy's C interface is not where it is expected")


def install() -> bool:
    path = os.environ.get("HOLOGRAM_TEST_GUARD_PAGES")
    if not path:
        return False
    library = ctypes.CDLL(path)
    handler = ctypes.addressof(ctypes.c_char.in_dll(library, "hologram_test_guard_pages"))
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype = ctypes.py_object
    new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    capsule = new_capsule(handler, b"mem_handler", None)
    set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(_array_api()[_SET_HANDLER])
    set_handler(capsule)
    import numpy as np

    before = library.hologram_test_guarded_arrays()
    np.ones(3)
    if library.hologram_test_guarded_arrays() == before:
        raise RuntimeError("NumPy does not take memory from the library of guard pages")
    return True
