"""The module among strangers: a second interpreter, and classes that offer the table of another
type. Needs the built module."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import binding_kernels as kernels  # noqa: E402, I001
import hologram as hg  # noqa: E402

ATTRIBUTE = "__dlpack_c_exchange_api__"


def run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("first", ["main", "second"])
def test_a_second_interpreter_is_refused(first: str) -> None:
    done = run(f"""
        import sys

        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            import _interpreters as interpreters

        def check():
            import numpy as np
            import binding_kernels as kernels
            import hologram as hg

            x = np.ones(1000, np.float32)
            kernels.scale[4, 256](3.0, x, 1000)
            hg.ops.add(x, x, out=x)
            assert (x == 6).all()
            buffer = hg.Executor().allocate(10, "f32")
            buffer.fill(2.0)
            assert np.asarray(buffer).sum() == 20

        if {first!r} == "main":
            check()
        for _ in range(3):
            second = interpreters.create()
            try:
                interpreters.run_string(second, '''if True:
                    import sys
                    sys.path[:] = {{path}}
                    for _ in range(2):
                        try:
                            import hologram._native
                        except ImportError as error:
                            assert "main interpreter" in str(error), str(error)
                        else:
                            raise AssertionError("imported")
                '''.replace("{{path}}", repr(sys.path)))
            finally:
                interpreters.destroy(second)
            check()
        print("alive")
        """)
    assert (done.returncode, done.stdout) == (0, "alive\n"), (done.returncode, done.stderr)


def _table() -> object:
    return type(hg.Executor().allocate(1, "f32")).__dict__[ATTRIBUTE]


def test_a_class_that_borrows_a_table_is_refused() -> None:
    x = np.ones(8, np.float32)
    fields: dict[str, object] = {ATTRIBUTE: _table(), "requires_grad": False}
    classes = [
        type("Plain", (), fields),
        type("Slots", (), {**fields, "__slots__": tuple("abcdefghij")}),
        type("Derived", (type("Base", (), {"__slots__": ("a", "b", "c")}),), fields),
        type("OfList", (list,), fields),
        type("OfException", (Exception,), fields),
    ]
    for borrower in classes:
        for call in (
            lambda thing: kernels.scale(2.0, thing, 8),
            lambda thing: kernels.add(x, thing, x, 8),
            lambda thing: hg.ops.add(thing, x),
            lambda thing: hg.ops.add(x, x, out=thing),
            lambda thing: hg.ops.sum(thing),
            lambda thing: hg.ops.softmax(thing),
            lambda thing: hg.ops.cumsum(thing),
            lambda thing: hg.Executor().allocate(8, "f32").copy_from_slice(thing),
        ):
            with pytest.raises(TypeError, match="array|cannot be"):
                call(borrower())
    assert (x == 1).all()


def test_functions_of_the_table_take_buffers_alone() -> None:
    # Offsets in the table: version (8 bytes), previous, allocate, from_object, to_object, view.
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table = (ctypes.c_void_p * 8).from_address(get(_table(), b"dlpack_exchange_api"))
    signature = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
    out = (ctypes.c_void_p * 16)()
    for place in (3, 5):
        function = signature(table[place])
        for thing in (1, "text", object(), np.ones(3, np.float32), [], type):
            with pytest.raises(TypeError, match="expected a hologram.Buffer"):
                function(thing, ctypes.addressof(out))
    view = signature(table[5])
    assert view(hg.Executor().allocate(4, "f32"), ctypes.addressof(out)) == 0
