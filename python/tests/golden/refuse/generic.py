from typing import TypeVar

from hologram.lang import DeviceArray, constexpr, f32, f64, inline, u32

T = TypeVar("T")
B = TypeVar("B", bound=float)
S = TypeVar("S", f32, str)
L = TypeVar("L", f32, bool)
W = TypeVar("W", f32, f32)
O = TypeVar("O", f32)
D = TypeVar("D", f32, f64)
D = TypeVar("D", f32, f64)
G = TypeVar("G", f32, f64)


def k(a: DeviceArray[T], b: DeviceArray[B], c: S, d: DeviceArray[L], e: W, o: O, f: D, g: G = 0):
    x: T = a[0]
    y = G
    b[0] = T(x)


def presets(a: DeviceArray[f32], n: u32 = 1, R: constexpr = n, Q: constexpr = f(1)):
    R: constexpr = 3
    a[0] = constexpr(1)


@inline
def helper(x, R: constexpr = 3) -> T:
    return x


def constant_array(a: DeviceArray[constexpr]):
    a[0] = 1.0


for V in range(3):
    V = TypeVar("V", f32)


def late(a: DeviceArray[V]):
    a[0] = 1.0
