"""Kernels as plain Python: lane by lane on NumPy arrays, with the bits of the compiled form.

`hologram.lang` starts this package when a kernel is called. The stages, one module each:

  translate    kernel file -> checked syntax tree -> one Python function per kernel and types
  types        the typing rules of the language
  expressions  with elements, calls and helpers, and statements: the body
  scalars      what the operators compute; conversions: casts, mathematics: exp and the like
  arrays       checked memory; blocks runs lanes and barriers, launching a launch
  errors       what is raised

The translated function has the line numbers of the source, and one Python variable for each
local, so that breakpoints, stepping, tracebacks and `print` work. NumPy is imported here and by
nothing that only reads kernels. Documented in docs/debugging.md; tests: tests/simulator.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hologram.simulator.launching import Launcher

__all__ = ["launch"]


def launch(  # noqa: PLR0913
    kernel: Any,
    grid: object = None,
    block: object = None,
    *,
    deterministic: bool = True,
    budget: int = 1 << 24,
    warns: bool = False,
) -> Launcher:
    """What runs a kernel as Python: `launch(blur, grid=4, block=128)(src, dst, n)`, or
    `launch(blur)[4, 128](src, dst, n)`.

    The kernel is a function of a kernel file, decorated or not; arrays are NumPy arrays of the
    element types, contiguous, of several dimensions also with gaps between rows; `grid` and `block`
    are one to three positive integers. Without a grid the launch covers the largest array that the
    kernel writes, and with ids of several dimensions all lanes that the conditions of the kernel
    admit. Arrays are written when all lanes have run without a fault. Raises LaunchError,
    KernelError and KernelFaultError of hologram.simulator.errors. One launch of a kernel at a time.
    `warns`: once, that a large launch runs as Python, for a caller who may not know.
    """
    try:
        from hologram.simulator import launching
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise ModuleNotFoundError(
            "kernels run as Python on NumPy arrays: install numpy, or compile the kernel"
        ) from None
    function = getattr(kernel, "_atlas_kernel", None) or getattr(kernel, "__wrapped__", kernel)
    return launching.Launcher(function, (grid, block), deterministic, budget, warns)
