"""x = x + dt v in place, v = v damping, of f64, written in ten ways."""

from hologram.lang import *


def plain(x: DeviceArray[f64], v: DeviceArray[f64], dt: f64, damping: f64, n: u32):
    i = get_global_id()
    if i < n:
        x[i] = x[i] + dt * v[i]
        v[i] = v[i] * damping


def updates(x: DeviceArray[f64], v: DeviceArray[f64], dt: f64, damping: f64, n: u32):
    i = get_global_id()
    if i < n:
        x[i] += v[i] * dt
        v[i] *= damping


def saved(x: DeviceArray[f64], v: DeviceArray[f64], dt: f64, damping: f64, n: u32):
    i = get_global_id()
    if i < n:
        old = v[i]
        v[i] = damping * old
        x[i] = dt * old + x[i]


def together(x: DeviceArray[f64], v: DeviceArray[f64], dt: f64, damping: f64, n: u32):
    i = get_global_id()
    if i < n:
        x[i], v[i] = x[i] + dt * v[i], v[i] * damping


def backwards(x: DeviceArray[f64], v: DeviceArray[f64], dt: f64, damping: f64, n: u32):
    i = get_global_id()
    if i < n:
        x[i] = x[i] - -dt * v[i]
        v[i] = -(-v[i]) * damping


def steps(x: DeviceArray[f64], v: DeviceArray[f64], dt: f64, damping: f64, n: u32):
    i = get_global_id()
    if i < n:
        step = dt * v[i]
        moved = x[i]
        moved += step
        x[i] = moved
        slower = v[i] * damping
        v[i] = slower


def doubled(x: DeviceArray[f64], v: DeviceArray[f64], dt: f64, damping: f64, n: u32):
    i = get_global_id()
    if i < n:
        x[i] = x[i] + dt * v[i] * 1.0
        v[i] = v[i] * damping / 1.0


def stored_twice(x: DeviceArray[f64], v: DeviceArray[f64], dt: f64, damping: f64, n: u32):
    i = get_global_id()
    if i < n:
        old_x = x[i]
        x[i] = 0.0
        v[i] = v[i]
        x[i] = v[i] * dt + old_x
        v[i] = v[i] * damping


def named(position: DeviceArray[f64], speed: DeviceArray[f64], h: f64, friction: f64, particles: u32):
    particle = get_global_id()
    if particle >= particles:
        return
    position[particle] += h * speed[particle]
    speed[particle] = friction * speed[particle]


def either(x: DeviceArray[f64], v: DeviceArray[f64], dt: f64, damping: f64, n: u32):
    i = get_global_id()
    if i < n:
        if dt > 0.0:
            x[i] = x[i] + dt * v[i]
        else:
            x[i] = dt * v[i] + x[i]
        v[i] = v[i] * damping
