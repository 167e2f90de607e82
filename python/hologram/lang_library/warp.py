"""Functions of a warp: 32 lanes of a block that follow each other. Each is a barrier.

A shuffle goes through an array that is zero outside of it, so a lane that is not there brings 0.
The array has an element for each lane of the largest block, and those of one more warp, which no
lane has.
"""

from hologram.lang import (
    barrier,
    bitcast,
    f32,
    f64,
    get_block_dim,
    get_local_id,
    i8,
    i16,
    i32,
    i64,
    inline,
    select,
    shared,
    u8,
    u16,
    u32,
    u64,
    warp_reduce_and,
    warp_reduce_or,
    warp_scan_add,
)


@inline
def _number_in_block():
    above = get_local_id(1) + get_block_dim(1) * get_local_id(2)
    return get_local_id(0) + get_block_dim(0) * above


# Numbers of lanes in the warp; 32, which none has, where there is no such lane.
@inline
def _lane_before(count: u32) -> u32:
    lane = _number_in_block() & 31
    return select(count <= lane, lane - count, u32(32))


@inline
def _lane_behind(count: u32) -> u32:
    return select(count < 32, (_number_in_block() & 31) + count, u32(32))


@inline
def _lane_across(mask: u32) -> u32:
    return select(mask < 32, (_number_in_block() & 31) ^ mask, u32(32))


# What lane number `source` of the warp has.
@inline
def shuffle__u32(x: u32, source: u32) -> u32:
    memory = shared(u32, 1056)
    me = _number_in_block()
    memory[me] = x
    barrier()
    found = u32(0)
    first = me & 992
    if source < 32:
        found = memory[first + source]
    barrier()
    memory[me] = 0
    return found


@inline
def shuffle__u64(x: u64, source: u32) -> u64:
    memory = shared(u64, 1056)
    me = _number_in_block()
    memory[me] = x
    barrier()
    found = u64(0)
    first = me & 992
    if source < 32:
        found = memory[first + source]
    barrier()
    memory[me] = 0
    return found


@inline
def shuffle__i32(x: i32, source: u32) -> i32:
    return bitcast(i32, shuffle__u32(bitcast(u32, x), source))


@inline
def shuffle__f32(x: f32, source: u32) -> f32:
    return bitcast(f32, shuffle__u32(bitcast(u32, x), source))


@inline
def shuffle__i64(x: i64, source: u32) -> i64:
    return bitcast(i64, shuffle__u64(bitcast(u64, x), source))


@inline
def shuffle__f64(x: f64, source: u32) -> f64:
    return bitcast(f64, shuffle__u64(bitcast(u64, x), source))


@inline
def shuffle__bool(x: bool, source: u32) -> bool:
    return shuffle__u32(u32(x), source) != 0


@inline
def shuffle__i8(x: i8, source: u32) -> i8:
    return i8(shuffle__i32(i32(x), source))


@inline
def shuffle__i16(x: i16, source: u32) -> i16:
    return i16(shuffle__i32(i32(x), source))


@inline
def shuffle__u8(x: u8, source: u32) -> u8:
    return u8(shuffle__u32(u32(x), source))


@inline
def shuffle__u16(x: u16, source: u32) -> u16:
    return u16(shuffle__u32(u32(x), source))


# What the lane `count` before this one has.
@inline
def shuffle_up__u32(x: u32, count: u32) -> u32:
    return shuffle__u32(x, _lane_before(count))


@inline
def shuffle_up__u64(x: u64, count: u32) -> u64:
    return shuffle__u64(x, _lane_before(count))


@inline
def shuffle_up__i32(x: i32, count: u32) -> i32:
    return shuffle__i32(x, _lane_before(count))


@inline
def shuffle_up__f32(x: f32, count: u32) -> f32:
    return shuffle__f32(x, _lane_before(count))


@inline
def shuffle_up__i64(x: i64, count: u32) -> i64:
    return shuffle__i64(x, _lane_before(count))


@inline
def shuffle_up__f64(x: f64, count: u32) -> f64:
    return shuffle__f64(x, _lane_before(count))


@inline
def shuffle_up__bool(x: bool, count: u32) -> bool:
    return shuffle__bool(x, _lane_before(count))


@inline
def shuffle_up__i8(x: i8, count: u32) -> i8:
    return shuffle__i8(x, _lane_before(count))


@inline
def shuffle_up__i16(x: i16, count: u32) -> i16:
    return shuffle__i16(x, _lane_before(count))


@inline
def shuffle_up__u8(x: u8, count: u32) -> u8:
    return shuffle__u8(x, _lane_before(count))


@inline
def shuffle_up__u16(x: u16, count: u32) -> u16:
    return shuffle__u16(x, _lane_before(count))


# What the lane `count` behind this one has.
@inline
def shuffle_down__u32(x: u32, count: u32) -> u32:
    return shuffle__u32(x, _lane_behind(count))


@inline
def shuffle_down__u64(x: u64, count: u32) -> u64:
    return shuffle__u64(x, _lane_behind(count))


@inline
def shuffle_down__i32(x: i32, count: u32) -> i32:
    return shuffle__i32(x, _lane_behind(count))


@inline
def shuffle_down__f32(x: f32, count: u32) -> f32:
    return shuffle__f32(x, _lane_behind(count))


@inline
def shuffle_down__i64(x: i64, count: u32) -> i64:
    return shuffle__i64(x, _lane_behind(count))


@inline
def shuffle_down__f64(x: f64, count: u32) -> f64:
    return shuffle__f64(x, _lane_behind(count))


@inline
def shuffle_down__bool(x: bool, count: u32) -> bool:
    return shuffle__bool(x, _lane_behind(count))


@inline
def shuffle_down__i8(x: i8, count: u32) -> i8:
    return shuffle__i8(x, _lane_behind(count))


@inline
def shuffle_down__i16(x: i16, count: u32) -> i16:
    return shuffle__i16(x, _lane_behind(count))


@inline
def shuffle_down__u8(x: u8, count: u32) -> u8:
    return shuffle__u8(x, _lane_behind(count))


@inline
def shuffle_down__u16(x: u16, count: u32) -> u16:
    return shuffle__u16(x, _lane_behind(count))


# What the lane whose number differs in the bits of `mask` has.
@inline
def shuffle_xor__u32(x: u32, mask: u32) -> u32:
    return shuffle__u32(x, _lane_across(mask))


@inline
def shuffle_xor__u64(x: u64, mask: u32) -> u64:
    return shuffle__u64(x, _lane_across(mask))


@inline
def shuffle_xor__i32(x: i32, mask: u32) -> i32:
    return shuffle__i32(x, _lane_across(mask))


@inline
def shuffle_xor__f32(x: f32, mask: u32) -> f32:
    return shuffle__f32(x, _lane_across(mask))


@inline
def shuffle_xor__i64(x: i64, mask: u32) -> i64:
    return shuffle__i64(x, _lane_across(mask))


@inline
def shuffle_xor__f64(x: f64, mask: u32) -> f64:
    return shuffle__f64(x, _lane_across(mask))


@inline
def shuffle_xor__bool(x: bool, mask: u32) -> bool:
    return shuffle__bool(x, _lane_across(mask))


@inline
def shuffle_xor__i8(x: i8, mask: u32) -> i8:
    return shuffle__i8(x, _lane_across(mask))


@inline
def shuffle_xor__i16(x: i16, mask: u32) -> i16:
    return shuffle__i16(x, _lane_across(mask))


@inline
def shuffle_xor__u8(x: u8, mask: u32) -> u8:
    return shuffle__u8(x, _lane_across(mask))


@inline
def shuffle_xor__u16(x: u16, mask: u32) -> u16:
    return shuffle__u16(x, _lane_across(mask))


# The bit of each lane for which it holds.
@inline
def ballot(flag: bool) -> u32:
    return warp_reduce_or(select(flag, u32(1) << (_number_in_block() & 31), u32(0)))


@inline
def warp_any(flag: bool) -> bool:
    return warp_reduce_or(u32(flag)) != 0


@inline
def warp_all(flag: bool) -> bool:
    return warp_reduce_and(u32(flag)) != 0


# What the lanes before this one have together; the first has 0.
@inline
def warp_exclusive_scan_add__f32(x: f32) -> f32:
    return shuffle_up__f32(warp_scan_add(x), 1)


@inline
def warp_exclusive_scan_add__f64(x: f64) -> f64:
    return shuffle_up__f64(warp_scan_add(x), 1)


@inline
def warp_exclusive_scan_add__i32(x: i32) -> i32:
    return shuffle_up__i32(warp_scan_add(x), 1)


@inline
def warp_exclusive_scan_add__i64(x: i64) -> i64:
    return shuffle_up__i64(warp_scan_add(x), 1)


@inline
def warp_exclusive_scan_add__u32(x: u32) -> u32:
    return shuffle_up__u32(warp_scan_add(x), 1)


@inline
def warp_exclusive_scan_add__u64(x: u64) -> u64:
    return shuffle_up__u64(warp_scan_add(x), 1)


@inline
def warp_exclusive_scan_add__i8(x: i8) -> i8:
    return shuffle_up__i8(warp_scan_add(x), 1)


@inline
def warp_exclusive_scan_add__i16(x: i16) -> i16:
    return shuffle_up__i16(warp_scan_add(x), 1)


@inline
def warp_exclusive_scan_add__u8(x: u8) -> u8:
    return shuffle_up__u8(warp_scan_add(x), 1)


@inline
def warp_exclusive_scan_add__u16(x: u16) -> u16:
    return shuffle_up__u16(warp_scan_add(x), 1)
