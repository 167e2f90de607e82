from hologram.lang import DeviceArray, get_global_id, u32


def histogram(value: DeviceArray[u32], count: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        count[value[i] % 16] += 1
