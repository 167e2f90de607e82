"""Makes the package `threadpoolctl` know hologram: `import hologram.threadpoolctl`, once.

with threadpoolctl.threadpool_limits(1): ...           then holds for launches too
threadpoolctl.threadpool_info()                        lists the library
"""

from __future__ import annotations

import ctypes

from threadpoolctl import LibController, register

from hologram import _native


class HologramController(LibController):  # type: ignore[misc]
    """The threads of launches of the process, as hologram.set_threads says them."""

    user_api = "hologram"
    internal_api = "hologram"
    filename_prefixes = ("libhologram.so",)  # not the compiler plugin
    check_symbols = ("hologram_get_threads", "hologram_set_threads")

    def get_num_threads(self) -> int | None:
        count = ctypes.c_uint32()
        failed = self.dynlib.hologram_get_threads(ctypes.byref(count))
        return None if failed else count.value

    def set_num_threads(self, num_threads: int) -> None:
        self.dynlib.hologram_set_threads(ctypes.c_uint32(num_threads))

    def get_version(self) -> str:
        return _native.version()

    def set_additional_attributes(self) -> None:
        """Nothing more is known of it."""


register(HologramController)
