from hologram.lang import *
@inline
def helper0(q, p0: i32, p1: u32) -> u32:
    if (i32(q[0]) <= i32(p1)):
        return (len(q) - u32(u16(10)))
    return ((u32(q[(i32(p1) % len(q))]) // 3) * p1)

@inline
def helper1(p0: u32) -> u32:
    v1 = i32(p0)
    v2 = i64((v1 & v1))
    return (max(u32(1), p0) + p0)

def k(a0: DeviceArray[f32], a1: DeviceArray[f64], o0: DeviceArray[f32], lim: DeviceArray[u32], n: u32, s0: u32, s1: i32, s2: f64):
    for i in range(get_global_id(), n, (get_grid_dim() * get_block_dim())):
        if (i < lim[0]):
            if ((i % 1) == 0):
                v4 = ((((u32(a1[0]) * s0) % len(a0)) * s0) + n)
                v3 = a0[v4]
                v4 -= (u32(s1) + max(n, get_block_id(1)))

# hang: in native
# Made smaller from program 80020615, launch 5, level v4 of
# tests/strangers/run.py. Run it: python3 tests/strangers/found.py FILE --level v4
ARRAYS = [('a0', 'f32'), ('a1', 'f64'), ('o0', 'f32'), ('lim', 'u32')]
SCALARS = [('n', 'u32'), ('s0', 'u32'), ('s1', 'i32'), ('s2', 'f64')]
LAUNCH = {'pools': [{'type': 'f32', 'cells': [1084709929, 3244220744, 1095761920, 1096810496, 3875600239, 1097859072, 1095761920, 1092616192, 1082591805, 1900671690, 3239596524, 3242668851, 0, 1096632238, 1097963930], 'at': 'end', 'read_only': True}, {'type': 'f64', 'cells': [4621819117588971520, 4625478292286210048, 4623643075438056571, 4620693217682128896, 13848433746175454085, 4625759767262920704, 4619916346746407485, 4621875412584313651, 13849190913862805750, 3517820407138064097, 13842916836631925228, 9221120237041090560, 13844639463489394442, 4622849316003732521, 13844988492460515656], 'at': 'start', 'read_only': True}, {'type': 'f32', 'cells': [2147483648, 1097208955, 3246213038, 3199750636, 1090927985, 3246469939, 1328730206, 3238873006, 3236555653, 3240047411, 3246574797, 3238191432, 3230033510, 3247591916, 4286578688], 'at': 'start', 'read_only': False}, {'type': 'u32', 'cells': [15], 'at': 'start', 'read_only': True}], 'views': {'a0': {'pool': 0, 'offset': 0, 'length': 15, 'shape': (), 'strides': ()}, 'a1': {'pool': 1, 'offset': 0, 'length': 15, 'shape': (), 'strides': ()}, 'o0': {'pool': 2, 'offset': 0, 'length': 15, 'shape': (), 'strides': ()}, 'lim': {'pool': 3, 'offset': 0, 'length': 1, 'shape': (), 'strides': ()}}, 'scalars': {'n': 2147483648, 's0': 4, 's1': 8, 's2': 4621256167635550208}, 'grid': (22, 1, 1), 'block': (1, 1, 1), 'threads': 1, 'deterministic': True, 'budget': None, 'native': 'cpu', 'traits': []}
EXPECTED = {'form': 'fault', 'kind': 'read', 'line': 19, 'element': 2147483688, 'length': 15, 'racy': False}
