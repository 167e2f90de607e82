"""out[index[i]] = src[i]; where several i name one element, the largest i wins, as in NumPy.

Arrays: index u32[n], src f32[n]; winner u32[m], zeros at first; out f32[m].
Launch: scatter_winner with one lane for each of the n indices, then scatter with one lane for each of
the m elements of out.
Accuracy: exact, bit for bit; elements that no index names stay as they are.

Lanes that write to the same place would make the result depend on their order. Here they agree on a
winner first, by an atomic maximum, which does not. An index outside out is a fault that names the
smallest such lane.
"""

from hologram.lang import DeviceArray, atomic_max, f32, get_global_id, u32


def scatter_winner(index: DeviceArray[u32], winner: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        atomic_max(winner, index[i], i + 1)


def scatter(winner: DeviceArray[u32], src: DeviceArray[f32], out: DeviceArray[f32], m: u32):
    j = get_global_id()
    if j < m:
        i = winner[j]
        if i > 0:
            out[j] = src[i - 1]
