from hologram.lang import *
def k(e: DeviceArray[u32], x: DeviceArray[u32], n: u32):
    i = get_global_id()
    if (i < n):
        x[i] = x[(x[i] + 1000)]
        if (i > 50):
            e[i] = 1

# The same where a fault shows what was read from the copy.
# Run it: python3 tests/strangers/found.py FILE --level v4
ARRAYS = [('e', 'u32'), ('x', 'u32')]
SCALARS = [('n', 'u32')]
LAUNCH = {'pools': [{'type': 'u32', 'cells': [5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5], 'at': 'end', 'read_only': False}], 'views': {'e': {'pool': 0, 'offset': 0, 'length': 0, 'shape': (), 'strides': ()}, 'x': {'pool': 0, 'offset': 0, 'length': 40, 'shape': (), 'strides': ()}}, 'scalars': {'n': 40}, 'grid': (1, 1, 1), 'block': (64, 1, 1), 'threads': 1, 'deterministic': False, 'budget': None, 'traits': []}
EXPECTED = {'form': 'fault', 'kind': 'read', 'line': 5, 'element': 1005, 'length': 40, 'racy': False}
