"""Warp's examples: springs of cloth, normals of a mesh, cells of marching cubes."""

import math

import numpy as np
from common import Launches, blocks, njit, tried

import hologram as hg
from hologram.lang import DeviceArray, atomic_add, f32, get_global_id, i32, inline, sqrt

F = np.float32


@hg.kernel
def spring_forces(
    x: DeviceArray[f32, 2],
    v: DeviceArray[f32, 2],
    ends: DeviceArray[i32],
    rest: DeviceArray[f32],
    stiffness: f32,
    damping: f32,
    force: DeviceArray[f32, 2],
):
    """Each spring adds to the forces of its two ends."""
    tid = int(get_global_id())
    if tid >= int(len(rest)):
        return
    i = ends[tid * 2 + 0]
    j = ends[tid * 2 + 1]
    dx = x[i, 0] - x[j, 0]
    dy = x[i, 1] - x[j, 1]
    dz = x[i, 2] - x[j, 2]
    length = sqrt(dx * dx + dy * dy + dz * dz)
    inv = 1.0 / length
    dx *= inv
    dy *= inv
    dz *= inv
    c = length - rest[tid]
    dcdt = dx * (v[i, 0] - v[j, 0]) + dy * (v[i, 1] - v[j, 1]) + dz * (v[i, 2] - v[j, 2])
    f = stiffness * c + damping * dcdt
    atomic_add(force, (i, 0), -f * dx)
    atomic_add(force, (i, 1), -f * dy)
    atomic_add(force, (i, 2), -f * dz)
    atomic_add(force, (j, 0), f * dx)
    atomic_add(force, (j, 1), f * dy)
    atomic_add(force, (j, 2), f * dz)


spring_step = tried(spring_forces)


def springs(x, v, ends, rest, stiffness, damping, force):
    force[:] = 0
    spring_step[blocks(len(rest), 256), 256](x, v, ends, rest, stiffness, damping, force)


@njit
def springs_twin(x, v, ends, rest, stiffness, damping, force):
    force[:] = F(0)
    for tid in range(len(rest)):
        i = ends[tid * 2 + 0]
        j = ends[tid * 2 + 1]
        dx = x[i, 0] - x[j, 0]
        dy = x[i, 1] - x[j, 1]
        dz = x[i, 2] - x[j, 2]
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        inv = F(1) / length
        dx *= inv
        dy *= inv
        dz *= inv
        c = length - rest[tid]
        dcdt = dx * (v[i, 0] - v[j, 0]) + dy * (v[i, 1] - v[j, 1]) + dz * (v[i, 2] - v[j, 2])
        f = stiffness * c + damping * dcdt
        force[i, 0] -= f * dx
        force[i, 1] -= f * dy
        force[i, 2] -= f * dz
        force[j, 0] += f * dx
        force[j, 1] += f * dy
        force[j, 2] += f * dz


def check_springs(x, v, ends, rest, stiffness, damping, force):
    i, j = ends.reshape(-1, 2).T
    d = (x[i] - x[j]).astype(float)
    length = np.sqrt((d**2).sum(1))
    d /= length[:, None]
    f = stiffness * (length - rest) + damping * (d * (v[i] - v[j])).sum(1)
    want = np.zeros(x.shape)
    np.add.at(want, i, -f[:, None] * d)
    np.add.at(want, j, f[:, None] * d)
    np.testing.assert_allclose(force, want, rtol=1e-3, atol=1e-2)


@hg.kernel
def face_normals(
    points: DeviceArray[f32, 2], indices: DeviceArray[i32], normals: DeviceArray[f32, 2]
):
    """Each triangle adds its normal to those of its corners."""
    tid = int(get_global_id())
    if tid < int(len(indices)) // 3:
        i = indices[tid * 3]
        j = indices[tid * 3 + 1]
        k = indices[tid * 3 + 2]
        ax, ay, az = (
            points[j, 0] - points[i, 0],
            points[j, 1] - points[i, 1],
            points[j, 2] - points[i, 2],
        )
        bx, by, bz = (
            points[k, 0] - points[i, 0],
            points[k, 1] - points[i, 1],
            points[k, 2] - points[i, 2],
        )
        nx = ay * bz - az * by
        ny = az * bx - ax * bz
        nz = ax * by - ay * bx
        for corner in range(3):
            p = indices[tid * 3 + corner]
            atomic_add(normals, (p, 0), nx)
            atomic_add(normals, (p, 1), ny)
            atomic_add(normals, (p, 2), nz)


@hg.kernel
def normalize(normals: DeviceArray[f32, 2]):
    tid = int(get_global_id())
    if tid < int(normals.shape[0]):
        x, y, z = normals[tid, 0], normals[tid, 1], normals[tid, 2]
        inv = 1.0 / sqrt(x * x + y * y + z * z)
        normals[tid, 0] = x * inv
        normals[tid, 1] = y * inv
        normals[tid, 2] = z * inv


add_faces = tried(face_normals)


def mesh_normals(points, indices, normals):
    normals[:] = 0
    add_faces[blocks(len(indices) // 3, 256), 256](points, indices, normals)
    normalize[blocks(len(points), 256), 256](normals)


@njit
def mesh_normals_twin(points, indices, normals):
    normals[:] = F(0)
    for tid in range(len(indices) // 3):
        i, j, k = indices[tid * 3], indices[tid * 3 + 1], indices[tid * 3 + 2]
        ax = points[j, 0] - points[i, 0]
        ay = points[j, 1] - points[i, 1]
        az = points[j, 2] - points[i, 2]
        bx = points[k, 0] - points[i, 0]
        by = points[k, 1] - points[i, 1]
        bz = points[k, 2] - points[i, 2]
        nx = ay * bz - az * by
        ny = az * bx - ax * bz
        nz = ax * by - ay * bx
        for corner in range(3):
            p = indices[tid * 3 + corner]
            normals[p, 0] += nx
            normals[p, 1] += ny
            normals[p, 2] += nz
    for t in range(normals.shape[0]):
        x, y, z = normals[t, 0], normals[t, 1], normals[t, 2]
        inv = F(1) / math.sqrt(x * x + y * y + z * z)
        normals[t, 0] = x * inv
        normals[t, 1] = y * inv
        normals[t, 2] = z * inv


def check_normals(points, indices, normals):
    a, b, c = (points[indices[k::3]].astype(float) for k in range(3))
    face, want = np.cross(b - a, c - a), np.zeros(points.shape)
    for k in range(3):
        np.add.at(want, indices[k::3], face)
    want /= np.sqrt((want**2).sum(1, keepdims=True))
    np.testing.assert_allclose(normals, want, rtol=1e-3, atol=1e-3)


@inline
def crossing(iso: f32, a: f32, b: f32) -> f32:
    return (iso - a) / (b - a) if (a < iso) != (b < iso) else -1.0


@hg.kernel
def marching_cells(
    field: DeviceArray[f32, 3],
    iso: f32,
    triangles: DeviceArray[i32],
    case: DeviceArray[i32, 3],
    count: DeviceArray[i32, 3],
    edges: DeviceArray[f32, 4],
):
    """The case of each cell, its number of triangles, and where its three edges cross."""
    i, j, k = int(get_global_id(2)), int(get_global_id(1)), int(get_global_id(0))
    if i >= int(case.shape[0]) or j >= int(case.shape[1]) or k >= int(case.shape[2]):
        return
    index = 0
    for corner in range(8):
        di = corner >> 2
        dj = (corner >> 1) & 1
        dk = corner & 1
        if field[i + di, j + dj, k + dk] < iso:
            index |= 1 << corner
    case[i, j, k] = index
    count[i, j, k] = triangles[index]
    here = field[i, j, k]
    edges[i, j, k, 0] = crossing(iso, here, field[i + 1, j, k])
    edges[i, j, k, 1] = crossing(iso, here, field[i, j + 1, k])
    edges[i, j, k, 2] = crossing(iso, here, field[i, j, k + 1])


@njit
def crossing_twin(iso, a, b):
    return (iso - a) / (b - a) if (a < iso) != (b < iso) else F(-1)


@njit
def marching_twin(field, iso, triangles, case, count, edges):
    for i in range(case.shape[0]):
        for j in range(case.shape[1]):
            for k in range(case.shape[2]):
                index = 0
                for corner in range(8):
                    di = corner >> 2
                    dj = (corner >> 1) & 1
                    dk = corner & 1
                    if field[i + di, j + dj, k + dk] < iso:
                        index |= 1 << corner
                case[i, j, k] = index
                count[i, j, k] = triangles[index]
                here = field[i, j, k]
                edges[i, j, k, 0] = crossing_twin(iso, here, field[i + 1, j, k])
                edges[i, j, k, 1] = crossing_twin(iso, here, field[i, j + 1, k])
                edges[i, j, k, 2] = crossing_twin(iso, here, field[i, j, k + 1])


def check_marching(field, iso, triangles, case, count, edges):
    n = case.shape
    index = np.zeros(n, int)
    for corner, (i, j, k) in enumerate(np.ndindex(2, 2, 2)):
        part = field[i : i + n[0], j : j + n[1], k : k + n[2]]
        index |= (part < iso).astype(int) << corner
    np.testing.assert_array_equal(case, index)
    np.testing.assert_array_equal(count, triangles[index])
    a = field[:-1, :-1, :-1].astype(float)
    for axis, b in enumerate((field[1:, :-1, :-1], field[:-1, 1:, :-1], field[:-1, :-1, 1:])):
        want = np.where((a < iso) != (b < iso), (iso - a) / (b - a), -1)
        np.testing.assert_allclose(edges[..., axis], want, rtol=1e-3, atol=1e-4)


def sheet(side):
    """Indices of the triangles of a grid of side by side points."""
    i, j = np.meshgrid(np.arange(side - 1), np.arange(side - 1), indexing="ij")
    a = (i * side + j).ravel()
    return np.stack((a, a + 1, a + side, a + 1, a + side + 1, a + side), 1).astype(np.int32).ravel()


def programs(rng, small=False):
    side = 12 if small else 150
    n = side * side
    p = np.arange(n)
    ends = np.concatenate(
        [
            np.stack((p[p % side < side - 1], p[p % side < side - 1] + 1), 1),
            np.stack((p[: n - side], p[side:]), 1),
        ]
    ).astype(np.int32)
    grid = np.stack((p % side, p // side, np.zeros(n)), 1) + rng.uniform(-0.2, 0.2, (n, 3))
    points, speed = grid.astype(F), rng.normal(size=(n, 3)).astype(F)
    data = (points, speed, ends.ravel(), np.ones(len(ends), F), F(100), F(0.5))
    data += (np.zeros((n, 3), F),)
    yield "cloth_springs", "Warp", Launches(springs, spring_step), springs_twin, data, check_springs

    program = Launches(mesh_normals, add_faces, normalize)
    data = (points, sheet(side), np.zeros_like(points))
    yield "mesh_normals", "Warp", program, mesh_normals_twin, data, check_normals

    side = 8 if small else 48
    shape = (side, side + 3, side + 5)
    data = (rng.random(tuple(s + 1 for s in shape), F), F(0.5))
    data += (rng.integers(0, 6, 256).astype(np.int32), np.zeros(shape, np.int32))
    data += (np.zeros(shape, np.int32), np.zeros((*shape, 3), F))
    grid = (blocks(shape[2], 32), blocks(shape[1], 4), shape[0]), (32, 4, 1)
    yield "marching_cubes", "Warp", marching_cells[grid], marching_twin, data, check_marching
