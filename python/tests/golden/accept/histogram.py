from hologram.lang import DeviceArray, atomic_add, get_global_id, kernel, u8, u32

BINS = 256


@kernel(block=BINS)
def histogram(pixels: DeviceArray[u8], counts: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        atomic_add(counts, pixels[i], 1)
