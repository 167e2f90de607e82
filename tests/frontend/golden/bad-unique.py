from hologram.lang import DeviceArray, f32, get_global_id, inline, shared, u32, unique


def written(p: DeviceArray[u32], n: u32):
    unique(p)
    p[get_global_id()] = n


def floats(p: DeviceArray[f32], x: DeviceArray[f32]):
    unique(p)
    x[get_global_id()] = p[get_global_id()]


def not_an_array(n: u32, x: DeviceArray[f32]):
    tile = shared(u32, 4)
    unique(n)
    unique(tile)
    unique(x, x)


def inside(p: DeviceArray[u32], n: u32):
    if n > 0:
        unique(p)


@inline
def promise(p: DeviceArray[u32]):
    unique(p)


def through_a_helper(p: DeviceArray[u32]):
    promise(p)


def as_a_value(p: DeviceArray[u32], x: DeviceArray[u32]):
    x[0] = unique(p)
