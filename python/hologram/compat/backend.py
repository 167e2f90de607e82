"""Which backends there are: the CPU."""

from __future__ import annotations

from enum import Enum


class BackendType(str, Enum):
    """The names that an Executor takes."""

    AUTO = "auto"
    CPU = "cpu"
    METAL = "metal"
    CUDA = "cuda"


def is_metal_available() -> bool:
    """False: this package computes on the CPU."""
    return False


def is_cuda_available() -> bool:
    """False: this package computes on the CPU."""
    return False


def get_default_backend() -> str:
    """What "auto" stands for."""
    return BackendType.CPU.value


def validate_backend(backend: str | BackendType) -> str:
    """The backend that a name stands for. Raises ValueError for no name, RuntimeError for one that
    is not there."""
    names = [member.value for member in BackendType]
    name = backend.value if isinstance(backend, BackendType) else backend
    if name not in names:
        raise ValueError(f"Invalid backend {name!r}: expected {', '.join(names)}")
    if name in (BackendType.METAL.value, BackendType.CUDA.value):
        raise RuntimeError(f"the backend {name!r} is not available, only 'cpu' is")
    return get_default_backend()
