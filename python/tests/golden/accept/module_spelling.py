"""Names of the language behind their module, and characters as numbers."""

import hologram as hg
from hologram import lang

SPACE = ord(" ")
FIRST = b"az"[0]


@hg.inline
def rounded(x):
    return lang.floor(x + lang.f32(0.5))


@hg.kernel
def words(text: hg.DeviceArray[hg.u8], out: hg.DeviceArray[hg.f32], n: hg.u32):
    i = hg.get_global_id()
    if i < n:
        c = text[i]
        starts = c != SPACE and (i == 0 or text[i - 1] == ord(" "))
        if starts and FIRST <= c <= b"az"[1]:
            out[i] = rounded(hg.max(1.25, 2.5))
