from hologram.lang import *
def k(a1: DeviceArray[i16], spots: DeviceArray[f32], n: u32):
    i = u32(0)
    v1 = i16(n)
    v1 -= a1[(get_global_id() % len(a1))]
    atomic_add(spots, u32(0), f32(0.125))
    atomic_max(spots, i, f32(n))

# Where a row was cut into pieces with one quotient, updates of one array did not wait for each other.
# Run it: python3 tests/strangers/found.py FILE --level v3
ARRAYS = [('a1', 'i16'), ('spots', 'f32')]
SCALARS = [('n', 'u32')]
LAUNCH = {'pools': [{'type': 'i16', 'cells': [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 'at': 'end', 'read_only': True}, {'type': 'f32', 'cells': [0], 'at': 'start', 'read_only': False}], 'views': {'a1': {'pool': 0, 'offset': 0, 'length': 32, 'shape': (), 'strides': ()}, 'spots': {'pool': 1, 'offset': 0, 'length': 1, 'shape': (), 'strides': ()}}, 'scalars': {'n': 1}, 'grid': (1, 1, 1), 'block': (2, 1, 1), 'threads': 1, 'deterministic': True, 'budget': None, 'native': 'cpu', 'traits': []}
EXPECTED = {'form': 'ok', 'pools': ['00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000', '0000903f'], 'racy': False}
