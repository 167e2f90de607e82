"""Narrows a box to what linear constraints leave of them: row_low <= sum of values * x <= row_high.

Arrays: starts u32[rows + 1], columns u32[terms], values f64[terms], none of them 0; row_low, row_high
f64[rows], integral u8[variables]; low, high f64[variables], narrowed in place; failed, rounds u32[1].
Launch: one lane.
Accuracy: no point that satisfies all constraints is lost: each bound is moved outwards by more than
rounding can have moved it.

For each row the smallest and the largest sum that the bounds admit are computed; if they miss the row's interval
no point of the box satisfies it, and failed is its number plus 1. Else each variable of the row is
bounded by what the others leave. Variables with `integral` not 0 have bounds rounded inwards. Rounds over all rows
go on until no bound moves by more than 1e-9 of its size, at most `most`. failed is 0 where nothing was found;
that need not mean that there is a solution.
"""

from hologram.lang import (
    DeviceArray,
    abs,
    ceil,
    f64,
    floor,
    get_global_id,
    inf,
    inline,
    max,
    u8,
    u32,
)

# Relative; a sum of k products is off by less than (k + 1) times half of it.
SLACK = 2.0**-51


@inline
def outward(bound: f64, room: f64, by: f64) -> f64:
    """A bound, larger by what rounding may have taken; by is 1.0 or -1.0."""
    return bound + by * (abs(bound) * f64(SLACK) + room)


@inline
def moves(bound: f64, by: f64) -> bool:
    return by > f64(1e-9) * max(f64(1.0), abs(bound))


@inline
def narrow(
    starts: DeviceArray[u32],
    columns: DeviceArray[u32],
    values: DeviceArray[f64],
    row_low: DeviceArray[f64],
    row_high: DeviceArray[f64],
    integral: DeviceArray[u8],
    low: DeviceArray[f64],
    high: DeviceArray[f64],
    failed: DeviceArray[u32],
    rounds: DeviceArray[u32],
    box: u32,
    most: u32,
):
    """Narrows one box, and says what failed and how many rounds there were."""
    count: u32 = 0
    wrong: u32 = 0
    moving = True
    while moving and wrong == 0 and count < most:
        moving = False
        count += 1
        for row in range(len(row_low)):
            least = f64(0.0)
            largest = f64(0.0)
            size = f64(0.0)
            below: u32 = 0  # terms without a smallest value
            above: u32 = 0
            first = starts[row]
            end = starts[row + 1]
            for e in range(first, end):
                a = values[e]
                at_low = a * low[columns[e]]
                at_high = a * high[columns[e]]
                small = at_low if a > 0.0 else at_high
                large = at_high if a > 0.0 else at_low
                if small == -inf:
                    below += 1
                else:
                    least += small
                    size += abs(small)
                if large == inf:
                    above += 1
                else:
                    largest += large
                    size += abs(large)
            slack = size * f64(SLACK) * f64(end - first + 2)
            if (below == 0 and least - slack > row_high[row]) or (
                above == 0 and largest + slack < row_low[row]
            ):
                wrong = row + 1
                break
            for e in range(first, end):
                a = values[e]
                j = columns[e]
                bottom_now = low[j]
                h = high[j]
                at_low = a * bottom_now
                at_high = a * h
                small = at_low if a > 0.0 else at_high
                large = at_high if a > 0.0 else at_low
                # What the row leaves to a * x, from above and from below.
                upper: f64 = inf
                lower: f64 = -inf
                if small == -inf:
                    if below == 1:
                        upper = row_high[row] - least
                elif below == 0:
                    upper = row_high[row] - (least - small)
                if large == inf:
                    if above == 1:
                        lower = row_low[row] - largest
                elif above == 0:
                    lower = row_low[row] - (largest - large)
                room = slack / abs(a)
                top = (upper if a > 0.0 else lower) / a
                bottom = (lower if a > 0.0 else upper) / a
                if top < inf:
                    top = outward(top, room, f64(1.0))
                    if integral[j] != 0:
                        top = floor(top)
                    if top < h:
                        moving = moving or h == inf or moves(h, h - top)
                        high[j] = top
                        h = top
                if bottom > -inf:
                    bottom = outward(bottom, room, f64(-1.0))
                    if integral[j] != 0:
                        bottom = ceil(bottom)
                    if bottom > bottom_now:
                        moving = (
                            moving or bottom_now == -inf or moves(bottom_now, bottom - bottom_now)
                        )
                        low[j] = bottom
                        bottom_now = bottom
                if bottom_now > h:
                    wrong = row + 1
            if wrong != 0:
                break
    failed[box] = wrong
    rounds[box] = count


def propagate_intervals(
    starts: DeviceArray[u32],
    columns: DeviceArray[u32],
    values: DeviceArray[f64],
    row_low: DeviceArray[f64],
    row_high: DeviceArray[f64],
    integral: DeviceArray[u8],
    low: DeviceArray[f64],
    high: DeviceArray[f64],
    failed: DeviceArray[u32],
    rounds: DeviceArray[u32],
    most: u32,
):
    if get_global_id() == 0:
        narrow(
            starts, columns, values, row_low, row_high, integral, low, high, failed, rounds, 0, most
        )
