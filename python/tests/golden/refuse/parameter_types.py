import numpy as np
from hologram.lang import DeviceArray, bf16, f16, f32, kernel


@kernel
def k(
    a: DeviceArray,
    b: DeviceArray[f16],
    c: DeviceArray[np.float32],
    d: list[f32],
    e: "DeviceArray[f32]",
    f: bf16,
    g: np.float32,
    h: 3,
    i: DeviceArray[DeviceArray[f32]],
    j: np.ndarray[f32],
):
    pass
