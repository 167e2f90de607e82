from hologram.lang import DeviceArray, f32, kernel

HALF = 0.5


@kernel(256)
def positional(a: DeviceArray[f32]):
    pass


@kernel(grid=4)
def unknown(a: DeviceArray[f32]):
    pass


@kernel(block=HALF)
def not_integer(a: DeviceArray[f32]):
    pass


@kernel(block=0)
def zero(a: DeviceArray[f32]):
    pass


@kernel(block=WIDTH)
def unknown_constant(a: DeviceArray[f32]):
    pass


@kernel(contract=1)
def not_bool(a: DeviceArray[f32]):
    pass


@kernel(block=(16, 16, 1, 1))
def plane(a: DeviceArray[f32, 2]):
    pass


@kernel(block=(16, -1))
def negative(a: DeviceArray[f32, 2]):
    pass
