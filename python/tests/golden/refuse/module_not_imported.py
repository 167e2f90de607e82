from hologram.lang import DeviceArray, f32, get_global_id


def k(a: DeviceArray[f32]):
    i = get_global_id()
    if i < len(a):
        a[i] = math.sin(a[i])
        a[i] = np.exp(a[i]) * math.pi
        a[i] = other.sin(a[i])
        a[i] = np.zeros(3)[0]
