"""Narrows many boxes side by side, each as propagate_intervals does.

Arrays: starts, columns, values, row_low, row_high, integral as of propagate_intervals; low, high
f64[boxes * variables], narrowed in place; failed, rounds u32[boxes].
Launch: one lane per box; at most 512 variables.
Accuracy: no point that satisfies all constraints is lost.
"""

from propagate_intervals import narrow

from hologram.lang import DeviceArray, f64, get_global_id, local, u8, u32

VARIABLES = 512


def propagate_boxes(
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
    variables: u32,
    boxes: u32,
    most: u32,
):
    # Of its own, so that no other lane's bounds can be meant by columns[e].
    own_low = local(f64, variables, most=VARIABLES)
    own_high = local(f64, variables, most=VARIABLES)
    box = get_global_id()
    if box < boxes:
        for j in range(variables):
            own_low[j] = low[box * variables + j]
            own_high[j] = high[box * variables + j]
        narrow(
            starts, columns, values, row_low, row_high, integral, own_low, own_high, failed,
            rounds, box, most,
        )  # fmt: skip
        for j in range(variables):
            low[box * variables + j] = own_low[j]
            high[box * variables + j] = own_high[j]
