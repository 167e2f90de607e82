from hologram.lang import *
@kernel(block=4)
def k(a0: DeviceArray[i64]):
    v1: f64 = select((u16(0) != u16(a0[u32(1)])), f64(0.0), f64(a0[u32(0)]))

# The condition of select comes first, as in Python: which of two faults is named depends on it.
# Run it: python3 tests/strangers/found.py FILE --level v4
ARRAYS = [('a0', 'i64')]
SCALARS = []
LAUNCH = {'pools': [{'type': 'i64', 'cells': [], 'at': 'end', 'read_only': True}], 'views': {'a0': {'pool': 0, 'offset': 0, 'length': 0, 'shape': (), 'strides': ()}}, 'scalars': {}, 'grid': (1, 1, 1), 'block': (1, 1, 1), 'threads': 1, 'deterministic': True, 'budget': None, 'traits': []}
EXPECTED = {'form': 'fault', 'kind': 'read', 'line': 4, 'element': 1, 'length': 0, 'racy': False}
