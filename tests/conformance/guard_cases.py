"""Conformance cases of branches at the start of a kernel that decide whether a lane, a row or a
plane has anything to do. generate.py writes them."""

import itertools

from memory_cases import Case

GRID, BLOCK = (3, 2, 2), (13, 2, 1)  # 39 columns, 4 rows, 2 planes
EXTENTS = tuple(g * b for g, b in zip(GRID, BLOCK, strict=True))
SHAPE = f"grid {','.join(map(str, GRID))} block {','.join(map(str, BLOCK))}"
NAMES = ("global.x", "global.y", "global.z")
COMPARISONS = {
    "lt": lambda a, b: a < b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}


def places():
    """(x, y, z) by the number of the element that a lane writes."""
    columns, rows, planes = EXTENTS
    return [(x, y, z) for z in range(planes) for y in range(rows) for x in range(columns)]


def number_of_the_element():
    columns, rows, _ = EXTENTS
    return f"""
        mov_imm.u32 r24, {rows}
        mov_imm.u32 r25, {columns}
        mad.u32 r26, r22, r24, r21
        mad.u32 r26, r26, r25, r20"""


def guard_case(name, guards, scalars, kept):
    """Lanes for which all guards hold write x + 100 y + 1000 z + 1. A guard is the number of a
    dimension, a comparison, the name of a scalar, and whether the branch leaves where it holds."""
    case = Case(name, SHAPE)
    values = [1 + x + 100 * y + 1000 * z if kept(x, y, z) else 0 for x, y, z in places()]
    d = case.write("d", "u32", len(values), values)
    bounds = {key: case.scalar(key, "u32", value) for key, value in scalars.items()}
    lines = [f"sreg.u32 r{20 + k}, {NAMES[k]}" for k in range(3)]
    for k, (dimension, comparison, scalar, leaves) in enumerate(guards):
        lines.append(f"set{comparison}.u32 p{k}, r{20 + dimension}, {bounds[scalar]}")
        if leaves:
            lines.append(f"bra.p{k} @end")
        else:
            lines += [f"bra.p{k} @next{k}", "bra @end", f"next{k}:"]
    case.code(
        "\n".join(lines)
        + number_of_the_element()
        + f"""
        mov_imm.u32 r27, 1
        mov_imm.u32 r28, 100
        mov_imm.u32 r29, 1000
        mad.u32 r30, r21, r28, r20
        mad.u32 r30, r22, r29, r30
        add.u32 r30, r30, r27
        stg.u32 [{d} + r26*4], r30
        end:
        exit"""
    )
    return case


def bounded_case(order, bounds):
    """`if x < columns and y < rows and z < planes`, in any order, with each bound 0 too."""
    letters = "".join("xyz"[k] for k in order)
    sizes = "_".join(map(str, bounds))
    guards = [(k, "lt", f"n{k}", False) for k in order]
    return guard_case(
        f"below_{letters}_{sizes}",
        guards,
        {f"n{k}": bounds[k] for k in range(3)},
        lambda x, y, z: x < bounds[0] and y < bounds[1] and z < bounds[2],
    )


def one_row_case(comparison, leaves, bound):
    """One comparison of the row, that leaves or that stays, before a limit of the columns."""
    holds = COMPARISONS[comparison]
    way = "leaves" if leaves else "stays"
    return guard_case(
        f"row_{comparison}_{way}_{bound}",
        [(1, comparison, "n", leaves), (0, "lt", "m", False)],
        {"n": bound, "m": 35},
        lambda x, y, _: holds(y, bound) != leaves and x < 35,
    )


def store_first_case():
    """What is done before the branch is done by all rows."""
    case = Case("row_after_store", SHAPE)
    d = case.write("d", "u32", len(places()), [5 if y < 3 else 3 for _, y, _ in places()])
    n = case.scalar("n", "u32", 3)
    case.code(f"""
        sreg.u32 r20, global.x
        sreg.u32 r21, global.y
        sreg.u32 r22, global.z
        {number_of_the_element()}
        mov_imm.u32 r27, 3
        mov_imm.u32 r28, 5
        stg.u32 [{d} + r26*4], r27
        setge.u32 p0, r21, {n}
        bra.p0 @end
        stg.u32 [{d} + r26*4], r28
        end:
        exit""")
    return case


def load_case():
    """Rows that have nothing to do would read outside."""
    case = Case("row_load", SHAPE)
    a = case.read("a", "u32", [2 * x + 7 for x in range(2 * EXTENTS[0])])
    expected = [2 * (y * EXTENTS[0] + x) + 7 if y < 2 else 0 for x, y, _ in places()]
    d = case.write("d", "u32", len(expected), expected)
    n = case.scalar("n", "u32", 2)
    case.code(f"""
        sreg.u32 r20, global.x
        sreg.u32 r21, global.y
        sreg.u32 r22, global.z
        setge.u32 p0, r21, {n}
        bra.p0 @end
        {number_of_the_element()}
        mad.u32 r27, r21, r25, r20
        ldg.u32 r30, [{a} + r27*4]
        stg.u32 [{d} + r26*4], r30
        end:
        exit""")
    return case


def cases():
    sizes = ((30, 3, 1), (39, 4, 2), (100, 7, 9), (16, 0, 2), (33, 2, 0), (0, 3, 2))
    bounded = [
        bounded_case(order, bounds)
        for order, bounds in itertools.product(itertools.permutations(range(3)), sizes)
        if order == (2, 1, 0) or bounds == sizes[0]
    ]
    rows = [
        one_row_case(comparison, leaves, bound)
        for comparison, leaves, bound in itertools.product(COMPARISONS, (False, True), (0, 3))
    ]
    return [*bounded, *rows, store_first_case(), load_case()]
