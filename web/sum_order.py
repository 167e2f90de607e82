"""The order in which a sum of floats is added, found out by running it.

A large number M at element i, -M at element j and ones elsewhere: M takes in every one that is
added before it meets -M, so the result counts the ones that are added afterwards. The n - result
other elements are the leaves of the smallest subtree that has both i and j, and all such numbers
together are the tree.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

# Elements are numbers, additions pairs of what is added.
Tree = int | tuple["Tree", "Tree"]
LARGE = np.float32(2**40)  # takes in up to 2^15 ones


def probes(n: int) -> np.ndarray:
    """f32[n * (n - 1) / 2, n]: a row for each pair of elements, in the order of np.triu_indices."""
    first, second = np.triu_indices(n, 1)
    rows = np.ones((first.size, n), np.float32)
    rows[np.arange(first.size), first] = LARGE
    rows[np.arange(first.size), second] = -LARGE
    return rows


def tree_of(sums: np.ndarray, n: int) -> Tree:
    """`sums`: what the operation gives for each row of the probes."""
    leaves = np.zeros((n, n), int)
    leaves[np.triu_indices(n, 1)] = n - np.rint(sums).astype(int)
    leaves += leaves.T

    def build(elements: list[int]) -> Tree:
        first, *rest = elements
        tree: Tree = first
        for size in sorted({int(leaves[first, k]) for k in rest}):
            tree = (tree, build([k for k in rest if leaves[first, k] == size]))
        return tree

    return build(list(range(n)))


def order_of(sums_of_rows: Callable[[np.ndarray], np.ndarray], n: int) -> Tree:
    """REQUIRES: the order does not depend on the values."""
    return tree_of(sums_of_rows(probes(n)), n)


def leaves_of(tree: Tree) -> list[int]:
    return [tree] if isinstance(tree, int) else leaves_of(tree[0]) + leaves_of(tree[1])


def depth_of(tree: Tree) -> int:
    """How many additions lie between an element and the result, at most."""
    return 0 if isinstance(tree, int) else 1 + max(depth_of(tree[0]), depth_of(tree[1]))


def text_of(tree: Tree, names: list[str]) -> str:
    """`((a + b) + c)`"""
    if isinstance(tree, int):
        return names[tree]
    return f"({text_of(tree[0], names)} + {text_of(tree[1], names)})"
