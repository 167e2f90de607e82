"""hologram.ops on Dask arrays: `import hologram.dask as hd`. See hologram.ops.on_dask."""

from hologram.ops.on_dask import *  # noqa: F403
from hologram.ops.on_dask import __all__

__all__ = __all__  # noqa: PLW0127
