"""PyTorch and JAX: tensors by DLPack, and the operators of hologram.torch."""

from __future__ import annotations

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402
from hologram import ops  # noqa: E402

torch = pytest.importorskip("torch", reason="PyTorch is not installed: hologram.torch is untested")
import hologram.nn as hn  # noqa: E402
import hologram.torch as ht  # noqa: E402

UNARY = (*ht._OF_X, *ht._OF_Y)
BINARY = tuple(ht._GRADIENTS)
FLOATS = (torch.float32, torch.float64, torch.float16)


def sample(*shape: int, dtype=torch.float64, seed: int = 1, gradient: bool = False):
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(*shape, generator=generator, dtype=torch.float64) * 3 + 0.25
    return x.to(dtype).requires_grad_(gradient)


def same_bits(a, b) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("name", UNARY)
def test_one_operand(name: str) -> None:
    op = getattr(ht, name)
    operation = ht._OPERATIONS.get(name) or getattr(ops, name)
    for dtype in FLOATS:
        x = sample(7, 9, dtype=dtype) - (0 if name in ("log", "sqrt") else 1.5)
        for view in (x, x.T, x[::2, 1:], x[0, 0]):
            assert same_bits(op(view).numpy(), np.asarray(operation(view.numpy())))
    x = sample(4, 5, gradient=True)
    torch.library.opcheck(op, (x,))
    torch.library.opcheck(op, (sample(5, 4).T.requires_grad_(),))
    assert torch.autograd.gradcheck(op, (x,))
    peer = {
        "gelu": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
        "gelu_erf": torch.nn.functional.gelu,
    }
    functions = (peer, vars(torch), vars(torch.nn.functional))
    theirs = next(found[name] for found in functions if name in found)
    assert torch.allclose(op(x), theirs(x))


@pytest.mark.parametrize("name", BINARY)
def test_two_operands(name: str) -> None:
    op, operation = getattr(ht, name), getattr(ops, name)
    for dtype in (*FLOATS, torch.int32, torch.uint8):
        a, b = sample(7, 9, dtype=dtype), sample(9, dtype=dtype, seed=2) + 1
        assert same_bits(op(a, b).numpy(), operation(a.numpy(), b.numpy()))
    a, b = sample(3, 1, 4, gradient=True), sample(5, 1, seed=2, gradient=True)
    torch.library.opcheck(op, (a, b))
    assert torch.autograd.gradcheck(op, (a, b))


# ---- Gradients at the ends of the types, beside those of PyTorch

PEERS = {
    "gelu": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "gelu_erf": torch.nn.functional.gelu,
    "relu": torch.relu,
    "silu": torch.nn.functional.silu,
    "softplus": torch.nn.functional.softplus,
    "div": torch.div,
}


def ends_of(dtype):
    """Numbers of every size, both signs, the ends of the type, where squares and cubes leave it."""
    info = torch.finfo(dtype)
    top = 2.0 ** (np.log2(info.max) / 2)
    sizes = [0.0, info.tiny, info.tiny * 1000, 1e-4, 0.01, 0.3, 1.0, 2.5, 9.0, 17.0, 40.0, 100.0]
    sizes += [255.0, 256.0, 300.0, top / 2, top * 2, info.max / 2, info.max]
    return torch.tensor([sign * size for size in sizes for sign in (1, -1)], dtype=dtype)


def near(ours, theirs, exact, dtype, label) -> None:
    """Ours are what is exact, computed in float64, up to a few roundings; or what PyTorch has."""
    info = torch.finfo(dtype)
    exact, ours, theirs = exact.double(), ours.double(), theirs.double()
    exact = exact.to(dtype).double()
    lost = info.eps if label in ("sigmoid", "tanh", "gelu", "gelu_erf", "silu") else 0  # in 1 - y
    if label == "softplus" and dtype == torch.float32:
        lost = info.tiny  # torch.sigmoid of less than -88
    slack = 8 * info.eps * exact.abs() + 4 * info.tiny * info.eps + lost
    good = (ours == exact) | ((ours - exact).abs() <= slack) | (ours.isnan() & exact.isnan())
    good |= (ours == theirs) | (ours.isnan() & theirs.isnan())
    assert good.all(), (label, ours[~good][:4], exact[~good][:4], theirs[~good][:4])


def gradients(function, *operands, seed=None):
    operands = [x.detach().clone().requires_grad_() for x in operands]
    result = function(*operands)
    seed = torch.ones_like(result) if seed is None else seed.to(result.dtype)
    return torch.autograd.grad(result, operands, seed)


def peer_of(name: str):
    functions = (PEERS, vars(torch), vars(torch.nn.functional))
    return next(found[name] for found in functions if name in found)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("name", UNARY)
def test_gradients_of_one_operand_at_the_ends(name: str, dtype) -> None:
    theirs = peer_of(name)
    x = ends_of(dtype)
    if name in ("log", "sqrt"):
        x = x[x > 0]
    if name in ("sin", "cos"):
        x = x[x.abs() < 1000]
    for factor in (1.0, -0.25):
        seed = torch.full_like(x, factor)
        ours = gradients(getattr(ht, name), x, seed=seed)[0]
        peer = gradients(theirs, x, seed=seed)[0]
        exact = gradients(theirs, x.double(), seed=seed)[0]
        near(ours, peer, exact, dtype, name)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("name", BINARY)
def test_gradients_of_two_operands_at_the_ends(name: str, dtype) -> None:
    x = ends_of(dtype)
    a, b = (y.reshape(-1) for y in torch.meshgrid(x, x, indexing="ij"))
    if name == "div":
        a, b = a[b != 0], b[b != 0]
    seed = torch.full_like(a, 0.5)
    ours = gradients(getattr(ht, name), a, b, seed=seed)
    peer = gradients(peer_of(name), a, b, seed=seed)
    exact = gradients(peer_of(name), a.double(), b.double(), seed=seed)
    for k in range(2):
        near(ours[k], peer[k], exact[k], dtype, (name, k))


def test_gradients_that_left_the_type_on_the_way() -> None:
    one = torch.ones(1)
    for a, b in ((1e-30, 1e-30), (0.0, 1e-30), (1e30, 1e30), (1e-30, 1e30)):
        ours = gradients(ht.div, one * a, one * b)
        assert torch.equal(torch.cat(ours), torch.cat(gradients(torch.div, one * a, one * b)))
    half = torch.tensor([300.0], dtype=torch.float16)
    assert gradients(ht.div, torch.ones_like(half), half)[1].item() == pytest.approx(-1.1e-5, 0.01)
    for op in (ht.gelu, ht.gelu_erf):
        for dtype in FLOATS:
            far = torch.tensor([256, -256, 3e4, -3e4, np.inf, -np.inf, np.nan], dtype=dtype)
            assert gradients(op, far)[0][:6].tolist() == [1, 0, 1, 0, 1, 0]
            assert gradients(op, far)[0][6].isnan()
    for dtype in FLOATS:
        x = torch.tensor([np.nan, -0.0, 0.0, 2.0], dtype=dtype)
        assert gradients(ht.relu, x)[0].tolist() == [1, 0, 0, 1]
    # Where there is no slope, there is none for an infinite gradient either.
    infinite = torch.full((2,), np.inf)
    assert gradients(ht.relu, torch.tensor([-1.0, 1.0]), seed=infinite)[0].tolist() == [0, np.inf]
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([2.0, 1.0])
    assert gradients(ht.maximum, a, b, seed=infinite)[0].tolist() == [0, np.inf]
    assert gradients(ht.minimum, a, b, seed=infinite)[0].tolist() == [np.inf, 0]
    p, t = one * 1e-3, one * 0.0
    assert gradients(ht.mse_loss, p, t, seed=torch.tensor(3e38))[0].item() == pytest.approx(6e35)


@pytest.mark.parametrize("name", [*UNARY, *BINARY, "softmax", "matmul", "mse_loss", "sum"])
def test_forward_mode_is_an_error(name: str) -> None:
    op = getattr(ht, name)
    x = sample(3, 3)
    count = 2 if name in (*BINARY, "matmul", "mse_loss") else 1
    with pytest.raises(NotImplementedError, match=f"hologram.torch: {name} has no forward mode"):
        torch.func.jvp(op, (x,) * count, (torch.ones_like(x),) * count)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))
        with pytest.raises(NotImplementedError, match="has no forward mode"):
            op(*(x,) * (count - 1), dual)
        assert torch.equal(op(*(x,) * count), op(*(x,) * count))  # others are as always


def test_rows_products_and_losses() -> None:
    x = sample(3, 4, 5, gradient=True)
    for dim in (-1, 1):
        torch.library.opcheck(ht.softmax, (x, dim))
        assert torch.autograd.gradcheck(lambda x, dim=dim: ht.softmax(x, dim), (x,))
        assert torch.allclose(ht.softmax(x, dim), torch.softmax(x, dim))
    a, b = sample(3, 4, gradient=True), sample(4, 6, seed=2, gradient=True)
    torch.library.opcheck(ht.matmul, (a, b))
    assert torch.autograd.gradcheck(ht.matmul, (a, b))
    assert torch.allclose(ht.matmul(a, b), a @ b)
    with pytest.raises(hg.Error):
        ht.matmul(a, a)
    p, t = sample(3, 4, gradient=True), sample(3, 4, seed=2, gradient=True)
    torch.library.opcheck(ht.mse_loss, (p, t))
    assert torch.autograd.gradcheck(ht.mse_loss, (p, t))
    assert torch.allclose(ht.mse_loss(p, t), torch.nn.functional.mse_loss(p, t))
    for view in (x, x.permute(2, 0, 1), x[0, 0, 0], x[:0]):
        torch.library.opcheck(ht.sum, (view,))
        assert torch.allclose(ht.sum(view), torch.sum(view))
        assert torch.autograd.gradcheck(ht.sum, (view,))


def test_every_operator_is_tried() -> None:
    others = ("softmax", "matmul", "mse_loss", "sum")
    assert sorted((*UNARY, *BINARY, *others)) == sorted(ht.__all__)


def test_a_network_learns() -> None:
    x, w = sample(64, 3, dtype=torch.float32), sample(3, 1, dtype=torch.float32, seed=2)
    y = x @ w
    weights = torch.zeros(3, 1, requires_grad=True)
    first = None
    for _ in range(200):
        loss = ht.mse_loss(ht.relu(ht.matmul(x, weights) + 0.01), y)
        first = loss.item() if first is None else first
        loss.backward()
        with torch.no_grad():
            weights -= 0.05 * weights.grad
            weights.grad = None
    assert first is not None
    assert loss.item() < first / 100


# ---- hologram.nn

LAYERS = {
    "ReLU": ({}, {"inplace": True}),
    "Sigmoid": ({},),
    "Tanh": ({},),
    "GELU": ({}, {"approximate": "tanh"}),
    "Softmax": ({"dim": -1}, {"dim": 0}),
}


@pytest.mark.parametrize(("name", "options"), [(n, o) for n in LAYERS for o in LAYERS[n]])
def test_layers(name: str, options: dict[str, object]) -> None:
    ours, theirs = getattr(hn, name)(**options), getattr(torch.nn, name)(**options)
    x = sample(3, 4, 5) - 1.5
    assert torch.allclose(ours(x.clone()), theirs(x.clone()))
    x.requires_grad_()
    assert torch.autograd.gradcheck(lambda x: ours(x * 1.0), (x,))
    assert isinstance(ours, type(theirs))
    if options.get("inplace"):
        y = x.detach().clone()
        assert ours(y) is y
        assert torch.equal(y, torch.relu(x))


@pytest.mark.parametrize(
    "shape", [(4,), (3, 4), (2, 3, 4), (0, 4), (0,), (5, 0), (2, 3, 0), (0, 0)]
)
def test_linear(shape: tuple[int, ...]) -> None:
    n = shape[-1]
    x, w, b = sample(*shape, gradient=True), sample(6, n, seed=2, gradient=True), sample(6, seed=3)
    b.requires_grad_()
    for bias in (b, None):
        ours, theirs = hn.linear(x, w, bias), torch.nn.functional.linear(x, w, bias)
        assert ours.shape == theirs.shape
        assert torch.allclose(ours, theirs)
    assert torch.autograd.gradcheck(hn.linear, (x, w, b))
    layer, peer = hn.Linear(n, 6).double(), torch.nn.Linear(n, 6).double()
    layer.load_state_dict(peer.state_dict())
    assert torch.allclose(layer(x), peer(x))
    assert repr(hn.Linear(4, 6, bias=False)) == repr(torch.nn.Linear(4, 6, bias=False))


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_reductions_of_the_loss(reduction: str) -> None:
    p, t = sample(3, 4, gradient=True), sample(3, 4, seed=2, gradient=True)
    theirs = torch.nn.functional.mse_loss(p, t, reduction=reduction)
    for ours in (hn.mse_loss(p, t, reduction), hn.MSELoss(reduction=reduction)(p, t)):
        assert ours.shape == theirs.shape
        assert torch.allclose(ours, theirs)
    assert torch.autograd.gradcheck(lambda p, t: hn.mse_loss(p, t, reduction), (p, t))


def test_layers_learn() -> None:
    torch.manual_seed(1)
    net = torch.nn.Sequential(hn.Linear(3, 16), hn.Tanh(), hn.Linear(16, 1))
    loss_of, x = hn.MSELoss(), sample(64, 3, dtype=torch.float32)
    y = (x * x).sum(1, keepdim=True)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.03)
    losses = []
    for _ in range(200):
        optimizer.zero_grad()
        loss = loss_of(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 100


def test_layers_name_what_is_wrong() -> None:
    x = torch.zeros(2, 3)
    for call, message in (
        (lambda: hn.linear(x, torch.zeros(4, 5)), r"'input' \(2, 3\) and 'weight' \(4, 5\)"),
        (lambda: hn.linear(x, torch.zeros(4, 3), torch.zeros(3)), r"'bias' is \(3,\), .* \(4,\)"),
        (lambda: hn.mse_loss(x, x, "most"), "'reduction' expects .* found 'most'"),
        (lambda: hn.mse_loss(x, x[0]), r"'target' is \(3,\), expected \(2, 3\)"),
        (lambda: hn.gelu(x, "erf"), "'approximate' expects 'none' or 'tanh', found 'erf'"),
    ):
        with pytest.raises(hg.ArgumentError, match=message):
            call()


def test_errors_name_the_argument() -> None:
    with pytest.raises(hg.ArgumentError, match="'b' is f64 and 'a' is f32"):
        ht.add(torch.zeros(3), torch.zeros(3, dtype=torch.float64))
    with pytest.raises(hg.ArgumentError, match="exp: 'x' is torch.bfloat16, which has no such"):
        ht.exp(torch.zeros(3, dtype=torch.bfloat16))
    with pytest.raises(hg.ArgumentError, match="'x' is i64, which has no such operation"):
        ht.exp(torch.zeros(3, dtype=torch.int64))


# ---- Arrays of other libraries


@hg.fuse
def chain(x, y, a):
    return ops.relu(a * x + y)


def check_arrays(x, y) -> None:
    """x and y: 60 float32 of another library."""
    first, second = np.from_dlpack(x), np.from_dlpack(y)
    assert same_bits(ops.add(x, y), ops.add(first, second))
    assert same_bits(chain(x, y, 2.5), chain(first, second, 2.5))
    assert same_bits(ops.sum(x), ops.sum(first))
    out = np.empty_like(first)
    assert chain(x, y, 1.0, out=out) is out
    assert same_bits(out, ops.relu(ops.add(first, second)))


def test_tensors_of_pytorch() -> None:
    x, y = sample(60, dtype=torch.float32), sample(60, dtype=torch.float32, seed=2)
    check_arrays(x, y)
    out = torch.empty(60)
    chain(x, y, 1.0, out=out)
    assert torch.equal(out, torch.relu(x + y))
    ops.exp(x, out=out)
    assert torch.allclose(out, torch.exp(x))


def test_arrays_of_jax() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    x = jax.numpy.linspace(-1, 1, 60, dtype=jax.numpy.float32)
    y = jax.numpy.cos(x)
    check_arrays(x, y)
    with pytest.raises(hg.ArgumentError, match="'out' is written, found a read-only array"):
        chain(x, y, 1.0, out=x)


def test_operands_on_several_devices_are_an_error() -> None:
    x = sample(3, 3)
    meta = torch.ones(3, 3, device="meta")
    for op in (ht.add, ht.mul, ht.matmul, ht.mse_loss):
        for operands in ((x, meta), (meta, x)):
            with pytest.raises(NotImplementedError, match="the operands are on cpu and meta"):
                op(*operands)
        assert op(meta, meta).device.type == "meta"


def test_a_storage_that_is_smaller_than_its_tensor() -> None:
    x = torch.ones(1000)
    x.untyped_storage().resize_(16)
    with pytest.raises(hg.Error, match="the storage of 'x' is smaller than the tensor"):
        ht.exp(x)
    with pytest.raises(hg.Error, match="the storage of 'b' is smaller"):
        ht.add(torch.ones(1000), x)
    x.untyped_storage().resize_(4000)
    assert torch.equal(ht.exp(x[:0]), torch.empty(0))
    y = torch.ones(4, 6)[1:, ::2]
    assert torch.equal(ht.exp(y), torch.exp(y).contiguous()) or torch.allclose(
        ht.exp(y), torch.exp(y)
    )


def test_sums_of_integers_have_64_bits() -> None:
    for kind in (torch.int8, torch.int32, torch.int64, torch.uint8):
        x = torch.ones(300, dtype=kind)
        total = ht.sum(x)
        assert total.item() == 300
        assert total.dtype == (torch.uint64 if kind == torch.uint8 else torch.int64)
        assert ht.sum(x.to("meta")).dtype == total.dtype


def test_what_is_refused_is_refused_by_fake_kernels_too() -> None:
    for device in ("cpu", "meta"):
        x = torch.ones(3, 4, device=device)
        with pytest.raises(hg.Error, match="'dim' is 2, 'x' has 2 dimensions"):
            ht.softmax(x, 2)
        with pytest.raises(hg.Error, match="'dim' is -1, 'x' has 0 dimensions"):
            ht.softmax(x[0, 0])
        with pytest.raises(hg.Error, match="no elements along dimension 1"):
            ht.softmax(x[:, :0], 1)
        with pytest.raises(hg.Error, match="expected two matrices, found 1 and 2 dimensions"):
            ht.matmul(x[0], x)
        with pytest.raises(hg.Error, match="expected operands of one shape"):
            ht.mse_loss(x, x[:, :1])


def test_results_are_no_views() -> None:
    x = sample(3, 4, gradient=True)
    for dim in (0, 1, -1):
        y = ht.softmax(x, dim)
        assert not y._is_view()
        y.mul_(2)
