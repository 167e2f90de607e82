"""Energies of search_test.cc: of each chain's row of x."""

from hologram.lang import DeviceArray, cos, f64, get_global_id, u32


def waves(
    x: DeviceArray[f64],
    data: DeviceArray[f64],
    level: DeviceArray[f64],
    dimensions: u32,
    chains: u32,
):
    chain = get_global_id()
    if chain < chains:
        total = 0.0 * x[chain * dimensions]
        for i in range(dimensions):
            v = x[chain * dimensions + i] - data[i]
            total += v * v - cos(6.0 * v)
        level[chain] = total


def broken(
    x: DeviceArray[f64],
    data: DeviceArray[f64],
    level: DeviceArray[f64],
    dimensions: u32,
    chains: u32,
):
    chain = get_global_id()
    if chain < chains:
        level[chain] = x[chain * dimensions] / 0.0 - x[chain * dimensions] / 0.0
