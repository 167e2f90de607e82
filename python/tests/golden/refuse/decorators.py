import numba
from hologram.lang import DeviceArray, f32, kernel


@numba.njit(parallel=True)
def foreign(a: DeviceArray[f32]):
    pass


@kernel
@kernel
def twice(a: DeviceArray[f32]):
    pass
