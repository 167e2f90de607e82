from hologram.lang import DeviceArray, f32


async def k(a: DeviceArray[f32]):
    a[0] = 1.0
