"""What the programs share: Numba where it is installed, and programs of several launches."""

import importlib

import numpy as np

import hologram as hg

try:
    from numba import njit
except ImportError:  # the checks of the results need no twins

    def njit(function):
        return function


class Tried:
    """A kernel that is launched by the default rules; with deterministic=False after a refusal.

    `refusal` keeps the message, so the report counts the kernels that need it.
    """

    def __init__(self, kernel):
        self.kernel = kernel
        self.refusal = None
        self.last_launch = None

    def __call__(self, *data):
        self.launch(self.kernel, data)

    def __getitem__(self, shape):
        return lambda *data: self.launch(self.kernel[shape], data)

    def launch(self, kernel, data):
        if self.refusal is None:
            try:
                kernel(*data)
            except hg.ArgumentError as error:
                if "deterministic=False" not in error.message:
                    raise
                self.refusal = error.message
            else:
                self.last_launch = kernel.last_launch
                return
        allowed = kernel.configure(deterministic=False)
        allowed(*data)
        self.last_launch = allowed.last_launch


def tried(kernel):
    return kernel if isinstance(kernel, (Tried, Launches)) else Tried(kernel)


class Launches:
    """A program that launches its kernels several times; `run` takes the data of the program."""

    def __init__(self, run, *kernels):
        self.run = run
        self.kernels = kernels

    def __call__(self, *data):
        self.run(*data)

    @property
    def last_launch(self):
        """The last launch of its kernels, of an interpreted one if there is one."""
        last = [kernel.last_launch for kernel in self.kernels]
        return next((x for x in last if x.engine == "interpreter"), last[-1])

    @property
    def refusal(self):
        """What the default rules say against one of its kernels."""
        found = (getattr(kernel, "refusal", None) for kernel in self.kernels)
        return next((x for x in found if x), None)


def blocks(count, size):
    """How many blocks of a size cover a count."""
    return (count + size - 1) // size


FAMILIES = (
    "stencils",
    "products",
    "polybench",
    "ispc",
    "noise",
    "sorts",
    "rays",
    "occlusion",
    "tiles",
    "tile_products",
    "gallery",
    "meshes",
    "particles",
    "fields",
    "rodinia",
    "rodinia_blocks",
    "dynamic",
    "npb",
    "multigrid",
    "samples",
    "images",
    "models",
    "numeric",
    "lookups",
    "elimination",
    "scatters",
)


def all_programs(rng, small=False):
    """Name, style, kernel, twin, data and check of each program of each family."""
    for family in FAMILIES:
        yield from importlib.import_module(family).programs(rng, small)


def copied(data):
    return tuple(x.copy() if isinstance(x, np.ndarray) else x for x in data)
