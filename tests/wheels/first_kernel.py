"""A user's own kernel with the installed wheels: `first_kernel.py interpreted|native|source`.

source: built by pip from the sources, without LLVM. Run by scripts/fresh_wheels.sh and scripts/pythons.sh. Only
hg.ops needs NumPy.
"""

import array
import pickle
import sys
import warnings

import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, u32


@hg.kernel
def scale(a: f32, x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        x[i] = a * x[i]


def expect(condition: bool, what: object) -> None:
    if not condition:
        sys.exit(f"first_kernel: expected otherwise: {what}")


def main(expected: str) -> None:
    x = array.array("f", range(1000))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scale(2.0, x, len(x))
        scale(2.0, x, len(x))
    expect(list(x) == [4.0 * i for i in range(1000)], x[:5])
    messages = [str(warning.message) for warning in caught]
    if expected == "native":
        expect(not messages and scale.path.startswith("native (jit"), (scale.path, messages))
    else:
        expect(scale.path.startswith("interpreter"), scale.path)
        expect(len(messages) == 1 and "install the hologram-jit wheel" in messages[0], messages)
    # The operations and the standard kernels of wheels bring their code along.
    library = "interpreter" if expected == "source" else "native (bundle"
    expect(hg.ops.path().startswith(library), hg.ops.path())
    y = hg.ops.add(x, x)
    expect(y[3] == 24.0, y[3])
    c = array.array("f", [0.0] * 1000)
    hg.kernels.vector_add(x, x, c, 1000)
    expect(c[3] == 24.0, c[3])
    expect(hg.kernels.vector_add.path.startswith(library), hg.kernels.vector_add)
    for again in (pickle.loads(pickle.dumps(scale)), pickle.loads(pickle.dumps(scale[1000]))):
        again(0.5, x, len(x))
    expect(list(x) == [float(i) for i in range(1000)], x[:5])
    expect(pickle.loads(pickle.dumps(hg.ops.add)) is hg.ops.add, "an operation pickles as its name")
    print(f"first_kernel: {scale.path}; hg.ops: {hg.ops.path()}")


main(sys.argv[1])
