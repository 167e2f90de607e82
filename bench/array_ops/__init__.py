"""The rows of bench/ops.py: the same operations by hologram.ops and by each of its peers."""
