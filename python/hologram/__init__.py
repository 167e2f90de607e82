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
    with hg.threads(1):          how many threads launches use: hologram.thread_counts
    hg.to_device(x, "cuda")      arrays that stay on a device: hologram.ops.resident
    hg.stream(...), hg.Pool(n)   arrays larger than memory: hologram.streams
    hg.windows(kernel, n=n)      a launch in parts: hologram.parts
    hg.metrics(), hg.trace(FILE) what the library does in this process: hologram.observe
    hg.progress(range(30))       a bar on the terminal: hologram.bars
    hg.search.shortest_paths     searching and optimising: hologram.search
    hg.qsim.Circuit(2)           quantum circuits on a state vector: hologram.qsim
    hg.registry.kernel("name")   kernels of folders, programs and the library: hologram.registry

    python3 -m hologram.frontend FILE.py                               (kernel file -> JSON)

The names of the language are also here. Everything is loaded when it is first used, because the
front end imports this package and must start fast.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hologram import cycle768, kernels, lang, ops, qsim, registry, search
    from hologram._native import Bundle, Kernel, mirror, neighbours
    from hologram.bars import progress
    from hologram.compiling import Kernels, asm, compile, kernel, load
    from hologram.errors import (
        ArgumentError,
        BundleError,
        CancelledError,
        CompileError,
        Error,
        FaultError,
        GridWarning,
        InternalError,
        InterpretedWarning,
        NotFoundError,
        OverflowWarning,
        ResourceLimitError,
        UnsupportedError,
    )
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
    from hologram.observe import Trace, devices, doctor, metrics, span, trace
    from hologram.ops.accumulators import Accumulator
    from hologram.ops.resident import ResidentArray, device_empty, to_device, to_host
    from hologram.parts import windows
    from hologram.pipelines import Pipeline, capture, load_pipeline
    from hologram.streams import Pool, Streamed, length_of, stream
    from hologram.thread_counts import get_threads, set_threads, threads
    from hologram.ufuncs import guvectorize, ufunc, vectorize

    if TYPE_CHECKING:  # again: one type checker takes the last of two names, another the first
        from hologram.compiling import kernel

    __all__ = [
        "Accumulator",
        "ArgumentError",
        "Buffer",
        "Bundle",
        "BundleError",
        "CancelledError",
        "CompileError",
        "Error",
        "Executor",
        "FaultError",
        "GridWarning",
        "InternalError",
        "InterpretedWarning",
        "Kernel",
        "Kernels",
        "NotFoundError",
        "OverflowWarning",
        "Pipeline",
        "Pool",
        "ResidentArray",
        "ResourceLimitError",
        "Streamed",
        "Trace",
        "UnsupportedError",
        "asm",
        "capture",
        "compile",
        "cycle768",
        "default_launch_config",
        "device_empty",
        "devices",
        "doctor",
        "fits_in_class",
        "fuse",
        "get_threads",
        "guvectorize",
        "kernel",
        "kernels",
        "lang",
        "length_of",
        "load",
        "load_pipeline",
        "max_elements_per_class",
        "metrics",
        "mirror",
        "neighbours",
        "offset_to_phi",
        "ops",
        "phi_to_offset",
        "progress",
        "qsim",
        "registry",
        "search",
        "set_threads",
        "span",
        "stream",
        "threads",
        "to_device",
        "to_host",
        "trace",
        "ufunc",
        "vectorize",
        "windows",
    ]
    __all__ += lang.__all__  # type: ignore[has-type]

# Names, by the part of the package that has them; it is imported when one is used.
_PLACES = {
    "_native": ("mirror", "neighbours"),
    "bars": ("progress",),
    "compiling": ("Bundle", "Kernel", "Kernels", "asm", "compile", "kernel", "load"),
    "errors": (
        *("Error", "CompileError", "BundleError", "ArgumentError", "FaultError", "NotFoundError"),
        *("UnsupportedError", "ResourceLimitError", "InternalError", "CancelledError"),
        *("InterpretedWarning", "GridWarning", "OverflowWarning"),
    ),
    "executor": (
        *("Buffer", "Executor", "default_launch_config", "fits_in_class"),
        *("max_elements_per_class", "offset_to_phi", "phi_to_offset"),
    ),
    "fusion": ("fuse",),
    "observe": ("Trace", "devices", "doctor", "metrics", "span", "trace"),
    "ops.accumulators": ("Accumulator",),
    "parts": ("windows",),
    "pipelines": ("Pipeline", "capture", "load_pipeline"),
    "ops.resident": ("ResidentArray", "device_empty", "to_device", "to_host"),
    "streams": ("Pool", "Streamed", "length_of", "stream"),
    "thread_counts": ("get_threads", "set_threads", "threads"),
    "ufuncs": ("guvectorize", "ufunc", "vectorize"),
}
_MODULES = ("cycle768", "kernels", "lang", "ops", "qsim", "registry", "search")


def _module(name: str, what: str) -> Any:
    """A module of the package, for `what` of it. Says what to install for those with arrays."""
    import importlib

    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
    raise ModuleNotFoundError(f"{what} needs NumPy: pip install numpy", name="numpy")


# Not for type checkers: they would take every name for one of the package.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        import importlib

        if name in _MODULES:
            return _module("hologram." + name, "hologram." + name)
        for module, names in _PLACES.items():
            if name in names:
                return getattr(_module("hologram." + module, "hologram." + name), name)
        # Not `from hologram import lang`: that would ask this function for `lang`.
        lang = importlib.import_module("hologram.lang")
        if name in lang.__all__:
            return getattr(lang, name)
        # With the module, Python adds "Did you mean: 'kernel'?".
        message = f"module 'hologram' has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=importlib.import_module("hologram"))


def __dir__() -> list[str]:
    """What a program calls; the names of the kernel language are those of hologram.lang."""
    own = (name for name in globals() if name.startswith("__"))
    return sorted({*own, *_MODULES, *(name for names in _PLACES.values() for name in names)})
