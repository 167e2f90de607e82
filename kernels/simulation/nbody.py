"""A step of n bodies under gravity: velocities from the forces now, then positions from the new velocities.

v += dt * sum over j of mass[j] * (p[j] - p) / (|p[j] - p|^2 + softening)^(3/2);  p += dt * v

Arrays: x, y, z, vx, vy, vz, mass f32[n]; velocities and positions in place. The constant of gravity is
in the masses; softening > 0 is the square of a length.
Launch: nbody_velocity, then nbody_position, one lane per body.
Accuracy: |error| of an acceleration <= (n + 8) * 2^-24 * the sum of the absolute values.

This order (semi-implicit Euler) keeps the energy of an orbit bounded; the other does not.
"""

from hologram.lang import DeviceArray, f32, fma, get_global_id, sqrt, u32


def nbody_velocity(
    x: DeviceArray[f32],
    y: DeviceArray[f32],
    z: DeviceArray[f32],
    mass: DeviceArray[f32],
    vx: DeviceArray[f32],
    vy: DeviceArray[f32],
    vz: DeviceArray[f32],
    dt: f32,
    softening: f32,
    n: u32,
):
    i = get_global_id()
    if i < n:
        ax: f32 = 0.0
        ay: f32 = 0.0
        az: f32 = 0.0
        for j in range(n):
            dx = x[j] - x[i]
            dy = y[j] - y[i]
            dz = z[j] - z[i]
            square = fma(dx, dx, fma(dy, dy, fma(dz, dz, softening)))
            pull = mass[j] / (square * sqrt(square))
            ax = fma(pull, dx, ax)
            ay = fma(pull, dy, ay)
            az = fma(pull, dz, az)
        vx[i] = fma(dt, ax, vx[i])
        vy[i] = fma(dt, ay, vy[i])
        vz[i] = fma(dt, az, vz[i])


def nbody_position(
    x: DeviceArray[f32],
    y: DeviceArray[f32],
    z: DeviceArray[f32],
    vx: DeviceArray[f32],
    vy: DeviceArray[f32],
    vz: DeviceArray[f32],
    dt: f32,
    n: u32,
):
    i = get_global_id()
    if i < n:
        x[i] = fma(dt, vx[i], x[i])
        y[i] = fma(dt, vy[i], y[i])
        z[i] = fma(dt, vz[i], z[i])
