"""Conformance cases of BLK.RED and BLK.SCAN of warps. generate.py writes them."""

import isa_reference as isa
from control_cases import REDUCTIONS, special_rows, tame
from memory_cases import Case, size_of, values_of

WARP = 32


def warps(operation, type_, values, scans):
    """What each lane of a block gets; None stands for a lane that is not there."""
    found = []
    for first in range(0, len(values), WARP):
        warp = values[first : first + WARP]
        scan = isa.block_scan(operation, type_, warp + [None] * (WARP - len(warp)))
        found += scan[: len(warp)] if scans else [scan[-1]] * len(warp)
    return found


def warp_case(name, operation, type_, block, grid):
    size = size_of(type_)
    values = [tame(type_, v) for v in values_of(type_, block * grid, f"w{operation}{block}")]
    results = []
    for b in range(grid):
        results += warps(operation, type_, values[b * block : (b + 1) * block], name == "scan")
    case = Case(f"blk_{name}_w{operation}_{type_}_{block}", f"grid {grid} block {block}")
    a = case.read("a", type_, values)
    d = case.write("d", type_, block * grid, results)
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.{type_} r30, [{a} + r20*{size}]
        blk.{name}.w{operation}.{type_} r31, r30
        stg.{type_} [{d} + r20*{size}], r31
        exit""")
    return case


def special_case(block):
    rows = special_rows(block)
    case = Case(f"blk_warp_special_{block}", f"grid {len(rows)} block {block}")
    a = case.read("a", "f32", [v for row in rows for v in row])
    outputs = []
    for name in ("red", "scan"):
        for operation in ("add", "min", "max", "mul"):
            expected = [v for row in rows for v in warps(operation, "f32", row, name == "scan")]
            d = case.write(f"{name}_{operation}", "f32", len(expected), expected)
            outputs.append((f"{name}.w{operation}", d))
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.f32 r30, [{a} + r20*4]""")
    for operation, d in outputs:
        case.code(f"""
            blk.{operation}.f32 r31, r30
            stg.f32 [{d} + r20*4], r31""")
    case.code("exit")
    return case


def after_return_case():
    """Lanes that have returned do not count and get nothing."""
    block = 75
    values = [tame("f32", v) for v in values_of("f32", block, "warp returned")]
    kept = [v if i % 3 else None for i, v in enumerate(values)]
    case = Case("blk_warp_after_return", f"grid 1 block {block}")
    a = case.read("a", "f32", values)
    outputs = []
    for name in ("red", "scan"):
        results = warps("add", "f32", kept, name == "scan")
        expected = [results[i] if i % 3 else 0 for i in range(block)]
        outputs.append((name, case.write(name, "f32", block, expected)))
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 3
        mov_imm.u32 r22, 0
        rem.u32 r23, r20, r21
        seteq.u32 p0, r23, r22
        bra.p0 @end
        ldg.f32 r30, [{a} + r20*4]""")
    for name, d in outputs:
        case.code(f"""
            blk.{name}.wadd.f32 r31, r30
            stg.f32 [{d} + r20*4], r31""")
    case.code("""
        exit
        end:
        exit""")
    return case


def cases(name):
    found = []
    for type_ in isa.TYPES:
        operations = REDUCTIONS if type_ in isa.INTEGERS else REDUCTIONS[:4]
        found += [warp_case(name, operation, type_, 40, 2) for operation in operations]
    for operation, type_, block, grid in (
        ("add", "f32", 1, 3), ("add", "f32", 16, 2), ("min", "f32", 31, 2), ("max", "f64", 32, 2),
        ("add", "f32", 33, 2), ("mul", "f64", 64, 2), ("add", "f32", 1024, 1), ("xor", "u32", 250, 1),
        ("min", "i64", 17, 2), ("add", "f16", 257, 1),
    ):  # fmt: skip
        found.append(warp_case(name, operation, type_, block, grid))
    return found


def files():
    mixed = [special_case(20), special_case(64), after_return_case()]
    return {"control/warp-red": [*cases("red"), *mixed], "control/warp-scan": cases("scan")}
