from hologram.lang import *
def k(a: DeviceArray[u8], b: DeviceArray[u32], o0: DeviceArray[u32], n: u32):
    i = get_global_id()
    if (i < n):
        x: u32 = 0
        if (i == 5):
            x = u32(a[(b[0] % len(a))])
        o0[i] = x

# A division by 0 that all lanes share left no lane, and the load behind it still happened.
# Run it: python3 tests/strangers/found.py FILE --level v4
ARRAYS = [('a', 'u8'), ('b', 'u32'), ('o0', 'u32')]
SCALARS = [('n', 'u32')]
LAUNCH = {'pools': [{'type': 'u8', 'cells': [], 'at': 'end', 'read_only': True}, {'type': 'u32', 'cells': [7], 'at': 'end', 'read_only': True}, {'type': 'u32', 'cells': [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], 'at': 'end', 'read_only': False}], 'views': {'a': {'pool': 0, 'offset': 0, 'length': 0, 'shape': (), 'strides': ()}, 'b': {'pool': 1, 'offset': 0, 'length': 1, 'shape': (), 'strides': ()}, 'o0': {'pool': 2, 'offset': 0, 'length': 33, 'shape': (), 'strides': ()}}, 'scalars': {'n': 33}, 'grid': (1, 1, 1), 'block': (64, 1, 1), 'threads': 1, 'deterministic': True, 'budget': None, 'traits': []}
EXPECTED = {'form': 'fault', 'kind': 'divide', 'line': 7, 'element': 0, 'length': 0, 'racy': False}
