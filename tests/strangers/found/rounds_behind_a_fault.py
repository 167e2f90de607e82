from hologram.lang import *
def k(a0: DeviceArray[f32], a1: DeviceArray[i32], a2: DeviceArray[i16], idx: DeviceArray[i32], r: DeviceArray[i16], o0: DeviceArray[i32], lim: DeviceArray[u32], n: u32):
    for i in range(get_global_id(), n, (get_grid_dim() * get_block_dim())):
        if (i < lim[0]):
            v4 = i32(0)
            if (not (i > 8)):
                v3 = (u32(a1[0]) % len(idx))
                v4 = idx[v3]

# hang: in interpreter
# Made smaller from program 80037405, launch 2, level v3 of
# tests/strangers/run.py. Run it: python3 tests/strangers/found.py FILE --level v3
ARRAYS = [('a0', 'f32'), ('a1', 'i32'), ('a2', 'i16'), ('idx', 'i32'), ('r', 'i16'), ('o0', 'i32'), ('lim', 'u32')]
SCALARS = [('n', 'u32')]
LAUNCH = {'pools': [{'type': 'f32', 'cells': [1065688760, 3229614080, 0, 1860766855, 1065353216], 'at': 'end', 'read_only': True}, {'type': 'i32', 'cells': [2024348282, -1, 17, -2058161555, -1763044408], 'at': 'start', 'read_only': True}, {'type': 'i16', 'cells': [-2, 11, 13, -32768, -32768, 13, 1, 26653, 3, -6740, 10, 19], 'at': 'end', 'read_only': True}, {'type': 'i32', 'cells': [], 'at': 'end', 'read_only': True}, {'type': 'i16', 'cells': [10, 0, 28843, -18136, 32767], 'at': 'start', 'read_only': True}, {'type': 'i32', 'cells': [7, -1144817859, -1583765604, 1, 8], 'at': 'end', 'read_only': False}, {'type': 'u32', 'cells': [5], 'at': 'end', 'read_only': True}], 'views': {'a0': {'pool': 0, 'offset': 0, 'length': 5, 'shape': (), 'strides': ()}, 'a1': {'pool': 1, 'offset': 0, 'length': 5, 'shape': (), 'strides': ()}, 'a2': {'pool': 2, 'offset': 0, 'length': 12, 'shape': (), 'strides': ()}, 'idx': {'pool': 3, 'offset': 0, 'length': 0, 'shape': (), 'strides': ()}, 'r': {'pool': 4, 'offset': 0, 'length': 5, 'shape': (), 'strides': ()}, 'o0': {'pool': 5, 'offset': 0, 'length': 5, 'shape': (), 'strides': ()}, 'lim': {'pool': 6, 'offset': 0, 'length': 1, 'shape': (), 'strides': ()}}, 'scalars': {'n': 2147483648}, 'grid': (21, 1, 1), 'block': (1, 1, 1), 'threads': 2, 'deterministic': True, 'budget': None, 'native': 'auto', 'traits': []}
EXPECTED = {'form': 'fault', 'kind': 'divide', 'line': 7, 'element': 0, 'length': 0, 'racy': False}
