"""hologram: write a kernel in Python, ship it as one small, verified file.

    from hologram.lang import DeviceArray, f32, u32, get_global_id     (the kernel language)
    python3 -m hologram.frontend FILE.py                               (kernel file -> JSON)

The names of the language are also here, `import hologram as hg; @hg.kernel`; they are loaded when
first used, because the front end imports this package and must start fast.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.lang import *  # noqa: F403


def __getattr__(name: str) -> object:
    import importlib

    # Not `from hologram import lang`: that would ask this function for `lang`.
    lang = importlib.import_module("hologram.lang")
    if name == "lang":
        return lang
    if name in lang.__all__:
        return getattr(lang, name)
    raise AttributeError(f"module 'hologram' has no attribute {name!r}")
