from hologram.lang import *
def k(a0: DeviceArray[u64, 2], a1: DeviceArray[f64, 2], o0: DeviceArray[f32, 2]):
    i = get_global_id(0)
    j = get_global_id(1)
    if (i < u32(1)):
        v4: f64 = a1[(j % a1.shape[0]), u32(0)]
        v5: u32 = 0
        for v6 in range(u32(0), u32(i16(v4))):
            v7: u64 = a0[get_block_id(1), (i % a0.shape[1])]

# A division by 0 that all lanes share left no lane, and the load behind it still happened.
# Run it: python3 tests/strangers/found.py FILE --level v4
ARRAYS = [('a0', 'u64'), ('a1', 'f64'), ('o0', 'f32')]
SCALARS = []
LAUNCH = {'pools': [{'type': 'u64', 'cells': [0, 0, 0, 0, 0], 'at': 'end', 'read_only': True}, {'type': 'f64', 'cells': [], 'at': 'end', 'read_only': True}, {'type': 'f32', 'cells': [0, 0, 0, 0, 0], 'at': 'start', 'read_only': False}], 'views': {'a0': {'pool': 0, 'offset': 0, 'length': 5, 'shape': (1, 5), 'strides': (5, 1)}, 'a1': {'pool': 1, 'offset': 0, 'length': 0, 'shape': (0, 5), 'strides': (5, 1)}, 'o0': {'pool': 2, 'offset': 0, 'length': 5, 'shape': (1, 5), 'strides': (5, 1)}}, 'scalars': {}, 'grid': (1, 1, 1), 'block': (1, 1, 1), 'threads': 1, 'deterministic': True, 'budget': None, 'traits': []}
EXPECTED = {'form': 'fault', 'kind': 'divide', 'line': 6, 'element': 0, 'length': 0, 'racy': False}
