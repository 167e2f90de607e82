from atlas_kernel import DeviceArray, f32, warp_id


def k(a: DeviceArray[f32]):
    a[0] = 1.0
