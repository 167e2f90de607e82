"""hologram: write a kernel in Python, ship it as one small, verified file.

    import hologram as hg
    from hologram.lang import DeviceArray, f32, u32, get_global_id     (the kernel language)

    @hg.kernel                   compiled when it is first called: hologram.compiling
    hg.compile(FILE or function), hg.load("kernels.holo"), hg.Error (hologram.errors)
    hg.ops.add(a, b, out=c)      operations on arrays, compiled beforehand: hologram.ops
    hg.kernels.vector_add        the standard kernels by name: hologram.kernels
    @hg.fuse                     a chain of them as one kernel: hologram.fusion
    with hg.capture() as p:      several launches as one call and one file: hologram.pipelines
    hg.Executor().allocate(1000) buffers, in class memory too: hologram.executor
    hg.stream(...), hg.Pool(n)   arrays larger than memory: hologram.streams
    hg.windows(kernel, n=n)      a launch in parts: hologram.parts
    hg.metrics(), hg.trace(FILE) what the library does in this process: hologram.observe
    hg.registry.kernel("name")   kernels of folders, programs and the library: hologram.registry

    python3 -m hologram.frontend FILE.py                               (kernel file -> JSON)

The names of the language are also here. Everything is loaded when it is first used, because the
front end imports this package and must start fast.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram import kernels, ops, registry
    from hologram._native import Bundle, Kernel, mirror, neighbours
    from hologram.compiling import Kernels, compile, kernel, load
    from hologram.errors import *  # noqa: F403
    from hologram.executor import (
        Buffer,
        Executor,
        default_launch_config,
        fits_in_class,
        max_elements_per_class,
        offset_to_phi,
        phi_to_offset,
    )
    from hologram.fusion import fuse
    from hologram.lang import *  # type: ignore[no-redef] # noqa: F403
    from hologram.observe import Trace, doctor, metrics, span, trace
    from hologram.parts import windows
    from hologram.pipelines import Pipeline, capture, load_pipeline
    from hologram.streams import Pool, Streamed, length, stream
    from hologram.ufuncs import guvectorize, vectorize

    __all__ = [
        "Buffer",
        "Bundle",
        "Executor",
        "Kernel",
        "Kernels",
        "Pipeline",
        "Pool",
        "Streamed",
        "Trace",
        "capture",
        "compile",
        "default_launch_config",
        "doctor",
        "fits_in_class",
        "fuse",
        "guvectorize",
        "kernel",
        "kernels",
        "length",
        "load",
        "load_pipeline",
        "max_elements_per_class",
        "metrics",
        "mirror",
        "neighbours",
        "offset_to_phi",
        "ops",
        "phi_to_offset",
        "registry",
        "span",
        "stream",
        "trace",
        "vectorize",
        "windows",
    ]

_BINDING = ("Bundle", "Kernel", "Kernels", "compile", "kernel", "load")
_UFUNCS = ("guvectorize", "vectorize")
_ATLAS = ("mirror", "neighbours")
_CORE = (
    *("Buffer", "Executor", "default_launch_config", "fits_in_class", "max_elements_per_class"),
    *("offset_to_phi", "phi_to_offset"),
)
_PIPELINES = ("Pipeline", "capture", "load_pipeline")
_STREAMS = ("Pool", "Streamed", "length", "stream")
_OBSERVE = ("Trace", "doctor", "metrics", "span", "trace")
_ERRORS = (
    *("Error", "CompileError", "BundleError", "ArgumentError", "FaultError", "NotFoundError"),
    *("UnsupportedError", "ResourceLimitError", "InternalError", "CancelledError"),
    *("InterpretedWarning", "GridWarning"),
)


def __getattr__(name: str) -> object:
    import importlib

    if name in _BINDING:
        return getattr(importlib.import_module("hologram.compiling"), name)
    if name in _ATLAS:
        return getattr(importlib.import_module("hologram._native"), name)
    if name in _CORE:
        return getattr(importlib.import_module("hologram.executor"), name)
    if name in _ERRORS:
        return getattr(importlib.import_module("hologram.errors"), name)
    if name in _UFUNCS:
        return getattr(importlib.import_module("hologram.ufuncs"), name)
    if name in _PIPELINES:
        return getattr(importlib.import_module("hologram.pipelines"), name)
    if name in _STREAMS:
        return getattr(importlib.import_module("hologram.streams"), name)
    if name in _OBSERVE:
        return getattr(importlib.import_module("hologram.observe"), name)
    if name == "windows":
        return importlib.import_module("hologram.parts").windows
    if name == "fuse":
        return importlib.import_module("hologram.fusion").fuse
    # Not `from hologram import lang`: that would ask this function for `lang`.
    lang = importlib.import_module("hologram.lang")
    if name == "lang":
        return lang
    if name in ("kernels", "ops", "registry"):
        return importlib.import_module("hologram." + name)
    if name in lang.__all__:
        return getattr(lang, name)
    # With the module, Python adds "Did you mean: 'kernel'?".
    message = f"module 'hologram' has no attribute {name!r}"
    raise AttributeError(message, name=name, obj=importlib.import_module("hologram"))


def __dir__() -> list[str]:
    """What a program calls; the names of the kernel language are those of hologram.lang."""
    own = (name for name in globals() if name.startswith("__"))
    modules = ("fuse", "kernels", "lang", "ops", "registry")
    names = (*_BINDING, *_UFUNCS, *_ATLAS, *_CORE, *_ERRORS, *_OBSERVE, *_PIPELINES)
    return sorted({*own, *names, *modules})
