import hologram as hg
from hologram.lang import DeviceArray, barrier, f32, get_block_id, get_global_id, get_local_id
from hologram.lang import max, shared, u32

BLOCK = 256
HALF = BLOCK // 2
LOWEST = -3.4028234663852886e38


@hg.kernel(block=BLOCK, contract=False)
def block_max(src: hg.DeviceArray[hg.f32], dst: DeviceArray[f32], n: u32):
    tile = shared(f32, BLOCK)
    lane = get_local_id()
    i = get_global_id()
    tile[lane] = src[i] if i < n else LOWEST
    barrier()
    step: u32 = HALF
    while step > 0:
        if lane < step:
            tile[lane] = max(tile[lane], tile[lane + step])
        barrier()
        step //= 2
    if lane == 0:
        dst[get_block_id()] = tile[0]
