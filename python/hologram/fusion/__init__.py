"""hologram.fuse: chains of operations as one kernel. See hologram.fusion.fused."""

from hologram.fusion.fused import fuse

__all__ = ["fuse"]
