"""Kernels of a bundle that take what the decorated kernel took: vectors, records, complex arrays,
`None`, defaults. The bundle says so in a text (docs/format.md), which this reads as untrusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from hologram.errors import BundleError

if TYPE_CHECKING:
    from hologram._native import Kernel


def of(kernel: Kernel) -> Kernel:
    """The kernel, or one that takes its arguments apart, which type checkers see as a Kernel."""
    return cast("Kernel", _shaped(kernel)) if kernel._arguments else kernel


def _shaped(kernel: Kernel) -> Any:
    # Reading shapes needs parts of the front end; kernels of numbers and arrays do without them.
    from hologram.frontend.forms import written
    from hologram.frontend.forms.definitions import variant_name
    from hologram.shaped import ShapedKernel

    name = kernel.name
    try:
        base, parameters = written.read(kernel._arguments, kernel.parameters)
        if not name.startswith(base):
            raise written.WrongTextError(f"it is of '{base}'")
    except written.WrongTextError as error:
        raise BundleError(
            f"the arguments of kernel '{name}' in its bundle do not fit its program: {error}"
        ) from None

    def plain(*absent: str) -> Kernel:
        if not absent:
            return kernel
        return kernel.bundle.kernel(variant_name(base, list(absent)) + name.removeprefix(base))

    return ShapedKernel(name, plain, lambda: parameters, of)
