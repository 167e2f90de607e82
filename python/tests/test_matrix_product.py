"""Products of matrices by tiles: the bits of the kernel that has one lane for each column, whatever
the shape and the strides."""

from __future__ import annotations

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

from test_ops import no_guarded_launches  # noqa: E402, F401

from hologram import library, ops  # noqa: E402

TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16}
# (m, k, n): around the sizes of tiles, panels, blocks of rows, and of b that is read where it is.
SHAPES = [
    (12, 16, 64),
    (13, 17, 65),
    (11, 40, 200),
    (12, 16, 31),
    (17, 16, 32),
    (40, 100, 96),
    (50, 33, 97),
    (25, 64, 160),
    (769, 20, 70),
    (1200, 16, 129),
    (14, 700, 777),
    (18, 2100, 640),
    (6, 700, 900),
    (700, 900, 1),
    (30, 15, 300),
    (1, 40, 1400),
    (1, 9, 255),
    (1, 17, 321),
]


def by_rows(a, b, kind):
    """a b by op_gemm_strided: one lane for each column and four rows."""
    (m, k), n = a.shape, b.shape[1]
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    out = np.empty((m, n), a.dtype)
    kernel = library.kernel(f"op_gemm_strided_{kind}")
    configured = kernel.configure(grid=(-(-n // 64), -(-m // 4), 1), block=(64, 1, 1))
    configured(a.ravel(), b.ravel(), out.ravel(), m, n, k, k, 1, n, 1, n)
    return out


def operands(shape, kind, seed):
    m, k, n = shape
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((m, k)).astype(TYPES[kind])
    b = rng.standard_normal((k, n)).astype(TYPES[kind])
    return a, b


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_bits_are_those_of_the_kernel_by_rows(shape, kind):
    a, b = operands(shape, kind, 1)
    expected = by_rows(a, b, kind).tobytes()
    assert ops.matmul(a, b).tobytes() == expected
    assert ops.matmul(np.asfortranarray(a), b).tobytes() == expected
    assert ops.matmul(a, np.asfortranarray(b)).tobytes() == expected
    wide = np.full((shape[0], shape[2] + 3), 7, TYPES[kind])
    ops.matmul(a, b, out=wide[:, : shape[2]])
    assert wide[:, : shape[2]].tobytes() == expected
    assert (wide[:, shape[2] :] == 7).all()


def test_products_are_exact_where_numbers_are_whole():
    rng = np.random.default_rng(2)
    a = rng.integers(-9, 10, (97, 300)).astype(np.float32)
    b = rng.integers(-9, 10, (300, 211)).astype(np.float32)
    assert (ops.matmul(a, b) == a.astype(np.int64) @ b.astype(np.int64)).all()


def test_nan_and_infinity_keep_their_place():
    a, b = operands((30, 64, 100), "f32", 3)
    a[7, 5] = np.nan
    b[9, 99] = np.inf
    out = ops.matmul(a, b)
    assert np.isnan(out[7]).all()
    assert np.isinf(out[:7, 99]).all()
    assert np.isfinite(out[:7, :99]).all()
    assert out.tobytes() == by_rows(a, b, "f32").tobytes()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("rows, columns", [(1, 70), (7, 64), (8, 200), (61, 33), (300, 129)])
def test_rows_times_a_vector(rows, columns, kind):
    a, _ = operands((rows, columns, 1), kind, 4)
    x = np.random.default_rng(5).standard_normal(columns).astype(TYPES[kind])
    one = library.kernel(f"op_matvec_{kind}").configure(grid=(rows, 1, 1), block=(64, 1, 1))
    expected = np.empty(rows, a.dtype)
    one(a.ravel(), x, expected, columns, columns)
    assert ops.matvec(a, x).tobytes() == expected.tobytes()
    wide = np.full((rows, columns + 5), 9, a.dtype)
    wide[:, :columns] = a
    assert ops.matvec(wide[:, :columns], x).tobytes() == expected.tobytes()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("rows, columns", [(5, 9), (255, 16), (256, 17), (1100, 8), (2100, 21)])
def test_columns_times_a_vector(rows, columns, kind):
    a, _ = operands((rows, columns, 1), kind, 6)
    x = np.random.default_rng(7).standard_normal(columns).astype(TYPES[kind])
    turned = np.asfortranarray(a)
    expected = np.empty(rows, a.dtype)
    library.kernel(f"op_matvec_columns_{kind}")(turned.T.ravel(), x, expected, rows, columns, rows)
    assert ops.matvec(turned, x).tobytes() == expected.tobytes()
