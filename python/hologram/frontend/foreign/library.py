"""Functions of Python, NumPy and Numba that the language has not, written in it.

They are helpers (scope.Helper) that are made for the types of their arguments, as those of
`numba.njit` are. What is returned has the meaning of the function of the same name.
"""

from __future__ import annotations

from hologram.frontend.diagnostics import Diagnostics
from hologram.frontend.scope import Helper, Scope
from hologram.frontend.source import Source
from hologram.frontend.syntax_tree import PyCF_ONLY_AST, ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.scope import Link

_OF_LANGUAGE = ("min", "max", "sign")  # whose names mean the language's in what is written here
_PATH = "<functions of Python and NumPy>"
_TEXT = """
def min(a, b):
    return b if b < a else a

def max(a, b):
    return b if b > a else a

def minimum(a, b):
    return a if a < b or a != a else b

def maximum(a, b):
    return a if a > b or a != a else b

def sign(a):
    return int(a > 0) - int(a < 0)

def power(a, b):
    if b < 0:
        raise ZeroDivisionError("integers to negative integer powers are not integers")
    result = 1
    while b > 0:
        if b & 1:
            result *= a
        a *= a
        b >>= 1
    return result

def at(x, k):
    if k < 0:
        k += len(x)
    if k >= 0 and k < len(x):
        return x[k]
    raise IndexError("the index is beyond the array")

def put(x, k, value):
    if k < 0:
        k += len(x)
    if k >= 0 and k < len(x):
        x[k] = value
    else:
        raise IndexError("the index is beyond the array")

def signbit(x):
    return copysign(float(1), float(x)) < 0

def square(x):
    return x * x

def reciprocal(x):
    return 1 / x

def radians(x):
    return x * (3.141592653589793 / 180)

def degrees(x):
    return x * (180 / 3.141592653589793)

def add(a, b):
    return a + b

def subtract(a, b):
    return a - b

def multiply(a, b):
    return a * b

def divide(a, b):
    return a / b

def floor_divide(a, b):
    return a // b

def logical_and(a, b):
    return bool(a) and bool(b)

def logical_or(a, b):
    return bool(a) or bool(b)

def logical_not(a):
    return not bool(a)

def dot(x, y):
    total = x[0] * y[0] * 0
    for k in range(len(x)):
        total += x[k] * y[k]
    return total

def dot_column(x, m, j):
    total = x[0] * m[0, 0] * 0
    for k in range(len(x)):
        total += x[k] * m[k, j]
    return total

def linspace(a, b, n, k):
    if n > 1 and k == n - 1:
        return float(b)
    return a + k * ((b - a) / max(n - 1, 1))

def searchsorted_left(x, v):
    low = 0
    high = len(x)
    while low < high:
        middle = (low + high) // 2
        if x[middle] < v or (v != v and x[middle] == x[middle]):
            low = middle + 1
        else:
            high = middle
    return low

def searchsorted_right(x, v):
    low = 0
    high = len(x)
    while low < high:
        middle = (low + high) // 2
        if v < x[middle] or (v == v and x[middle] != x[middle]):
            high = middle
        else:
            low = middle + 1
    return low

def interp(v, x, y):
    n = len(x)
    if v != v:
        return float(v)
    if v > x[n - 1]:
        return float(y[n - 1])
    if v < x[0]:
        return float(y[0])
    low = 0
    high = n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if v < x[middle]:
            high = middle
        else:
            low = middle
    if low == high or v == x[low]:
        return float(y[low])
    if v == x[high]:
        return float(y[high])
    slope = (y[high] - y[low]) / (x[high] - x[low])
    return slope * (v - x[low]) + y[low]

def cumsum(x, out):
    total = x[0] * 0
    for k in range(len(x)):
        total += x[k]
        out[k] = total

def sort(x):
    n = len(x)
    for k in range(n // 2):
        sift(x, n // 2 - 1 - k, n)
    for k in range(n - 1):
        last = n - 1 - k
        top = at(x, 0)
        put(x, 0, at(x, last))
        put(x, last, top)
        sift(x, 0, last)

def sift(x, root, n):
    value = at(x, root)
    child = 2 * root + 1
    while child < n:
        if child + 1 < n:
            one = at(x, child)
            other = at(x, child + 1)
            if one < other or (other != other and one == one):
                child += 1
        largest = at(x, child)
        if value < largest or (largest != largest and value == value):
            put(x, root, largest)
            root = child
            child = 2 * root + 1
        else:
            break
    put(x, root, value)

def sorted(x, out):
    for k in range(len(x)):
        out[k] = x[k]
    sort(out)

def argsort(x, out):
    n = len(x)
    for k in range(n):
        out[k] = k
    for k in range(n // 2):
        sift_places(x, out, n // 2 - 1 - k, n)
    for k in range(n - 1):
        last = n - 1 - k
        top = at(out, 0)
        put(out, 0, at(out, last))
        put(out, last, top)
        sift_places(x, out, 0, last)

def is_before(x, a, b):
    if x[a] < x[b] or (x[b] != x[b] and x[a] == x[a]):
        return True
    if x[b] < x[a] or (x[a] != x[a] and x[b] == x[b]):
        return False
    return a < b

def sift_places(x, out, root, n):
    value = at(out, root)
    child = 2 * root + 1
    while child < n:
        if child + 1 < n and is_before(x, at(out, child), at(out, child + 1)):
            child += 1
        largest = at(out, child)
        if is_before(x, value, largest):
            put(out, root, largest)
            root = child
            child = 2 * root + 1
        else:
            break
    put(out, root, value)

def nanquantile(x, q):
    n = 0
    for k in range(len(x)):
        if x[k] == x[k]:
            n += 1
    if n == 0:
        return x[0] * 1.0
    sort(x)
    return between(x, q, n)

def quantile(x, q):
    for k in range(len(x)):
        if x[k] != x[k]:
            return x[k] * 1.0
    sort(x)
    return between(x, q, len(x))

def between(x, q, n):
    if not (q >= 0 and q <= 1):
        raise ValueError("Quantiles must be in the range [0, 1]")
    rank = 1 + (n - 1) * q
    low = int(rank)
    part = rank - low
    if low >= n:
        return at(x, n - 1) * 1.0
    below = at(x, low - 1)
    return below + part * (at(x, low) - below)
"""

# Functions of numbers that are written here.
NAMES = {
    **{f"numpy.{name}": name for name in (
        *("signbit", "square", "reciprocal", "radians", "degrees", "add", "subtract", "multiply"),
        *("divide", "floor_divide", "logical_and", "logical_or", "logical_not"),
    )},
    "numpy.deg2rad": "radians", "numpy.rad2deg": "degrees", "numpy.true_divide": "divide",
    "math.radians": "radians", "math.degrees": "degrees",
}  # fmt: skip


def is_access(definition: ast.FunctionDef, scope: Scope) -> bool:
    """Whether it is `at` or `put`, whose condition keeps its own index."""
    return definition.name in ("at", "put") and scope.source.path == _PATH


def function(name: str, link: Link) -> Helper:
    """Of this link; the tree is parsed once for each."""
    if not link.library:
        source = Source(_PATH, _TEXT)
        scope = Scope(source, Diagnostics(source), link)
        for node in compile(_TEXT, source.path, "exec", PyCF_ONLY_AST).body:  # type: ignore[attr-defined]
            if isinstance(node, ast.FunctionDef):
                made = link.library[node.name] = Helper(node.name, node, scope)
                made.pristine = node
                if node.name not in _OF_LANGUAGE:
                    scope.helpers[node.name] = made
    return link.library[name]
