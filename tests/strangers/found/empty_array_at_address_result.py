from hologram.lang import *
def k(e: DeviceArray[u32], x: DeviceArray[u32], n: u32):
    i = get_global_id()
    if (i < n):
        x[i] = (x[i] + 1)
        if (i > 50):
            e[i] = 1

# An empty array that is written, at the address of one that is written: its copy was taken for both.
# Run it: python3 tests/strangers/found.py FILE --level v4
ARRAYS = [('e', 'u32'), ('x', 'u32')]
SCALARS = [('n', 'u32')]
LAUNCH = {'pools': [{'type': 'u32', 'cells': [4, 11, 18, 25, 32, 39, 46, 53, 60, 67, 74, 81, 88, 95, 2, 9, 16, 23, 30, 37, 44, 51, 58, 65, 72, 79, 86, 93, 100, 7, 14, 21, 28, 35, 42, 49, 56, 63, 70, 77], 'at': 'end', 'read_only': False}], 'views': {'e': {'pool': 0, 'offset': 0, 'length': 0, 'shape': (), 'strides': ()}, 'x': {'pool': 0, 'offset': 0, 'length': 40, 'shape': (), 'strides': ()}}, 'scalars': {'n': 40}, 'grid': (1, 1, 1), 'block': (64, 1, 1), 'threads': 1, 'deterministic': False, 'budget': None, 'traits': []}
EXPECTED = {'form': 'ok', 'pools': ['050000000c000000130000001a00000021000000280000002f000000360000003d000000440000004b000000520000005900000060000000030000000a00000011000000180000001f000000260000002d000000340000003b000000420000004900000050000000570000005e00000065000000080000000f000000160000001d000000240000002b000000320000003900000040000000470000004e000000'], 'racy': False}
