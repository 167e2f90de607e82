"""Updates of floats at which lanes meet: in the order of linear lanes, and in each lane in that of
its steps, between two barriers."""

import isa_reference as isa
from memory_cases import Case, size_of

TYPES = ("f16", "bf16", "f32", "f64")


def numbers(type_, count, seed):
    """Of different sizes, so that their order shows in a sum."""
    return [
        isa.round_float(type_, isa.Fraction((i * i * 31 + seed * 17) % 257 - 90, 1 + i % 7 * 3))
        for i in range(count)
    ]


def made(type_, cells, updates):
    """The cells after updates (operation, cell, value), one after the other."""
    cells = list(cells)
    for operation, cell, value in updates:
        cells[cell] = isa.atomic(operation, type_, cells[cell], value)
    return cells


def once_cases():
    """Each lane comes there once: at an element that data says."""
    cases = []
    for type_ in TYPES:
        for operation in ("add", "min", "max", "exchange"):
            lanes, size = 150, size_of(type_)
            places = [i * i % 7 for i in range(lanes)]
            values = numbers(type_, lanes, 1)
            case = Case(f"once_{operation}_{type_}", "grid 3 block 50")
            new = made(type_, numbers(type_, 7, 2), zip([operation] * lanes, places, values))
            a = case.update("a", type_, numbers(type_, 7, 2), new)
            b, p = case.read("b", type_, values), case.read("p", "u32", places)
            case.code(f"""
                sreg.u32 r20, global.x
                ldg.u32 r21, [{p} + r20*4]
                ldg.{type_} r30, [{b} + r20*{size}]
                atgf.{operation}.{type_} r31, [{a} + r21*{size}], r30
                exit""")
            cases.append(case)
    return cases


def several_case(type_):
    """Two operations in a loop whose rounds are known, and one behind it."""
    lanes, rounds, size = 100, 3, size_of(type_)
    values = numbers(type_, lanes, 3)
    updates = []
    for i, value in enumerate(values):
        for k in range(rounds, 0, -1):
            updates += [("add", (i + k) % 5, value), ("max", i % 3, value)]
        updates.append(("exchange", i % 5, value))
    case = Case(f"several_{type_}", "grid 4 block 25")
    a = case.update("a", type_, [0] * 5, made(type_, [0] * 5, updates))
    b = case.read("b", type_, values)
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 5
        mov_imm.u32 r22, 3
        mov_imm.u32 r23, {rounds}
        mov_imm.u32 r27, 1
        mov_imm.u32 r28, 0
        ldg.{type_} r30, [{b} + r20*{size}]
        rem.u32 r24, r20, r22
        rem.u32 r26, r20, r21
        again:
        add.u32 r25, r20, r23
        rem.u32 r25, r25, r21
        atgf.add.{type_} r31, [{a} + r25*{size}], r30
        atgf.max.{type_} r31, [{a} + r24*{size}], r30
        sub.u32 r23, r23, r27
        setgt.u32 p0, r23, r28
        bra.p0 @again
        atgf.exchange.{type_} r31, [{a} + r26*{size}], r30
        exit""")
    return case


def parted_case():
    """Lanes that part update one element before they meet again."""
    lanes = 96
    values = numbers("f32", lanes, 4)
    case = Case("parted", "grid 3 block 32")
    new = made("f32", [0], [("add" if i % 3 else "max", 0, v) for i, v in enumerate(values)])
    a = case.update("a", "f32", [0], new)
    b = case.read("b", "f32", values)
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 3
        mov_imm.u32 r22, 0
        ldg.f32 r30, [{b} + r20*4]
        rem.u32 r23, r20, r21
        seteq.u32 p0, r23, r22
        bra.p0 @most
        atgf.add.f32 r31, [{a} + r22*4], r30
        bra @end
        most:
        atgf.max.f32 r31, [{a} + r22*4], r30
        end:
        exit""")
    return case


def counted_case(stores):
    """Rounds that data says; `stores`: the kernel also changes what it reads."""
    lanes = 70
    values = numbers("f64", lanes, 5)
    rounds = [i * 7 % 11 for i in range(lanes)]
    updates = [("add", k % 4, values[i]) for i in range(lanes) for k in range(rounds[i], 0, -1)]
    case = Case("counted_stores" if stores else "counted", "grid 7 block 10")
    a = case.update("a", "f64", [0] * 4, made("f64", [0] * 4, updates))
    b = case.read("b", "f64", values)
    n = case.update("n", "u32", rounds, [0] * lanes) if stores else case.read("n", "u32", rounds)
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 4
        mov_imm.u32 r22, 0
        mov_imm.u32 r23, 1
        ldg.f64 r30, [{b} + r20*8]
        ldg.u32 r24, [{n} + r20*4]
        {f"stg.u32 [{n} + r20*4], r22" if stores else ""}
        again:
        setle.u32 p0, r24, r22
        bra.p0 @end
        rem.u32 r25, r24, r21
        atgf.add.f64 r31, [{a} + r25*8], r30
        sub.u32 r24, r24, r23
        bra @again
        end:
        exit""")
    return case


def shared_case():
    """Two intervals of a block: what is added in one is there in the next."""
    grid, block = 3, 40
    values = numbers("f32", grid * block, 6)
    result = []
    cells = [0] * 5
    for number in range(grid):
        own = values[number * block : number * block + block]
        tile = [0] * 4
        first = [("add", (i + k) % 4, v) for i, v in enumerate(own) for k in (0, 1)]
        tile = made("f32", tile, first)
        seen = [tile[i % 4] for i in range(block)]
        cells = made("f32", cells, [("add", i % 5, v) for i, v in enumerate(seen)])
        tile = made("f32", tile, [("min", i % 4, v) for i, v in enumerate(own)])
        result += [tile[i % 4] for i in range(block)]
    case = Case("shared", f"grid {grid} block {block}")
    a = case.update("a", "f32", [0] * 5, cells)
    b = case.read("b", "f32", values)
    d = case.write("d", "f32", grid * block, result)
    case.shared("tile", "f32", 4)
    case.code(f"""
        sreg.u32 r20, global.x
        sreg.u32 r21, lane.x
        mov_imm.u32 r22, 4
        mov_imm.u32 r23, 5
        mov_imm.u32 r24, 1
        ldg.f32 r30, [{b} + r20*4]
        rem.u32 r25, r21, r22
        rem.u32 r26, r21, r23
        add.u32 r27, r21, r24
        rem.u32 r27, r27, r22
        atsf.add.f32 r31, [s0 + r25*4], r30
        atsf.add.f32 r31, [s0 + r27*4], r30
        bar.sync 0
        lds.f32 r32, [s0 + r25*4]
        atgf.add.f32 r31, [{a} + r26*4], r32
        bar.sync 0
        atsf.min.f32 r31, [s0 + r25*4], r30
        bar.sync 0
        lds.f32 r33, [s0 + r25*4]
        stg.f32 [{d} + r20*4], r33
        exit""")
    return case


def rows_case():
    """Two dimensions: the order is that of linear lanes, block by block, not that of rows."""
    grid, block = (3, 4), (8, 4)
    at = [
        (bx * block[0] + x, by * block[1] + y)
        for by in range(grid[1])
        for bx in range(grid[0])
        for y in range(block[1])
        for x in range(block[0])
    ]
    width = grid[0] * block[0]
    values = numbers("f32", width * grid[1] * block[1], 7)
    new = made("f32", [0] * 3, [("add", (x + y) % 3, values[y * width + x]) for x, y in at])
    case = Case("rows", "grid 3,4 block 8,4")
    a, b = case.update("a", "f32", [0] * 3, new), case.read("b", "f32", values)
    case.code(f"""
        sreg.u32 r20, global.x
        sreg.u32 r21, global.y
        mov_imm.u32 r22, 3
        mov_imm.u32 r23, {width}
        mad.u32 r24, r21, r23, r20
        add.u32 r25, r20, r21
        rem.u32 r25, r25, r22
        ldg.f32 r30, [{b} + r24*4]
        atgf.add.f32 r31, [{a} + r25*4], r30
        exit""")
    return case


def past_case():
    """A lane outside faults; which one is that of the lowest number."""
    places = [i % 9 for i in range(64)]
    case = Case("past", "grid 1 block 64")
    p = case.read("p", "u32", places)
    a = case.update("a", "f32", [0] * 7)
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 1
        mov_imm.f32 r30, 1.0
        ldg.u32 r22, [{p} + r20*4]
        add.u32 r23, r22, r21
        atgf.add.f32 r31, [{a} + r22*4], r30
        atgf.add.f32 r31, [{a} + r23*4], r30
        exit""")
    case.fault = "out_of_bounds lane 6 pc 6 index 7"
    case.operand("r23", "u32", 7)
    return case


def files():
    return {
        "memory/ordered": [
            *once_cases(),
            *(several_case(type_) for type_ in TYPES),
            parted_case(),
            counted_case(stores=False),
            counted_case(stores=True),
            shared_case(),
            rows_case(),
            past_case(),
        ]
    }
