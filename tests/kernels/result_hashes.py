"""What engines compute, by hash: `--hashes FOLDER` of the tests that run the cases of the kernels
writes a file for each engine, and scripts/same_bits.py makes a table of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np


def digest_of(arrays: Mapping[str, np.ndarray]) -> str:
    """Of all arrays of a case after its launches."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()


def write_hashes(folder: str, engine: str, digests: Mapping[str, str]) -> None:
    """FOLDER/ENGINE.json: the digest of each case by its label, or the words of its fault."""
    if not folder:
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    text = json.dumps(digests, indent=0, sort_keys=True)
    Path(f"{folder}/{engine}.json").write_text(text, encoding="utf-8")
