"""Conformance cases of CALL, RET, LOOP, MEMFENCE, local arrays and BLK.RED. generate.py writes them."""

import itertools
import math

import isa_reference as isa
import recursion_cases
from memory_cases import LANES, Case, size_of, values_of


def counted_cases():
    """A body before LOOP runs once more than the counter says, which ends at zero."""
    cases = []
    for start in (3, 0):
        case = Case(f"loop_from_{start}")
        d = case.write("d", "u32", LANES, [start + 1] * LANES)
        e = case.write("e", "u32", LANES, [0] * LANES)
        case.code(f"""
            sreg.u32 r20, global.x
            mov_imm.u32 r21, {start}
            mov_imm.u32 r22, 0
            mov_imm.u32 r23, 1
            body:
            add.u32 r22, r22, r23
            loop r21, @body
            stg.u32 [{d} + r20*4], r22
            stg.u32 [{e} + r20*4], r21
            exit""")
        cases.append(case)
    return cases


def data_case():
    """Each lane counts down from its own number; what it passes is added up."""
    counts = [(7 * i + i * i) % 23 for i in range(LANES)]
    case = Case("loop_from_data")
    a = case.read("a", "u32", counts)
    d = case.write("d", "u32", LANES, [n * (n + 1) // 2 for n in counts])
    e = case.write("e", "u32", LANES, [0] * LANES)
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.u32 r21, [{a} + r20*4]
        mov_imm.u32 r22, 0
        body:
        add.u32 r22, r22, r21
        loop r21, @body
        stg.u32 [{d} + r20*4], r22
        stg.u32 [{e} + r20*4], r21
        exit""")
    return case


def lane_case():
    """The counter is the number of the lane."""
    case = Case("loop_from_lane")
    d = case.write("d", "u32", LANES, [3 * (i + 1) for i in range(LANES)])
    case.code(f"""
        sreg.u32 r20, global.x
        mov.u32 r21, r20
        mov_imm.u32 r22, 0
        mov_imm.u32 r23, 3
        body:
        add.u32 r22, r22, r23
        loop r21, @body
        stg.u32 [{d} + r20*4], r22
        exit""")
    return case


def nested_case():
    """The inner loop runs as often as the outer counter says, plus one."""
    counts = [(5 * i) % 9 for i in range(LANES)]
    case = Case("loop_nested")
    a = case.read("a", "u32", counts)
    d = case.write("d", "u32", LANES, [(n + 1) * (n + 2) // 2 for n in counts])
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.u32 r21, [{a} + r20*4]
        mov_imm.u32 r22, 0
        mov_imm.u32 r23, 1
        outer:
        mov.u32 r24, r21
        inner:
        add.u32 r22, r22, r23
        loop r24, @inner
        loop r21, @outer
        stg.u32 [{d} + r20*4], r22
        exit""")
    return case


def break_case():
    """Lanes leave the loop early, with what is left in the counter."""
    stops = [(3 * i) % 11 for i in range(LANES)]
    case = Case("loop_left_early")
    a = case.read("a", "u32", stops)
    d = case.write("d", "u32", LANES, [max(8 - n, 0) for n in stops])
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.u32 r21, [{a} + r20*4]
        mov_imm.u32 r22, 0
        mov_imm.u32 r23, 1
        mov_imm.u32 r24, 8
        body:
        seteq.u32 p0, r22, r21
        bra.p0 @end
        add.u32 r22, r22, r23
        loop r24, @body
        end:
        stg.u32 [{d} + r20*4], r24
        exit""")
    return case


def next_case():
    """A loop whose target is the instruction behind it counts down once."""
    counts = [i % 3 for i in range(LANES)]
    case = Case("loop_to_next")
    a = case.read("a", "u32", counts)
    d = case.write("d", "u32", LANES, [max(n - 1, 0) for n in counts])
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.u32 r21, [{a} + r20*4]
        loop r21, @next
        next:
        stg.u32 [{d} + r20*4], r21
        exit""")
    return case


def endless_case():
    """Somebody writes the counter, so the jumps count on the budget."""
    case = Case("loop_rewound", f"grid 1 block {LANES} budget 20")
    d = case.write("d", "u32", LANES)
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r22, 5
        mov_imm.u32 r21, 0
        body:
        max.u32 r21, r20, r21
        min.u32 r21, r21, r22
        loop r21, @body
        stg.u32 [{d} + r20*4], r20
        exit""")
    case.fault = "budget lane 1 pc 5"
    return case


def barrier_case():
    """A loop of the whole block with a barrier in it: values move from lane to lane."""
    block, steps = 40, 5
    case = Case("loop_with_barrier", f"grid 2 block {block}")
    d = case.write("d", "u32", 2 * block, [(i + steps) % block for i in range(block)] * 2)
    case.shared("tile", "u32", block)
    case.code(f"""
        sreg.u32 r20, global.x
        sreg.u32 r21, lane.x
        mov_imm.u32 r22, {steps - 1}
        mov_imm.u32 r23, 1
        mov_imm.u32 r24, {block}
        mov.u32 r25, r21
        body:
        sts.u32 [s0 + r21*4], r25
        bar.sync 0
        add.u32 r26, r21, r23
        rem.u32 r26, r26, r24
        lds.u32 r25, [s0 + r26*4]
        bar.sync 1
        loop r22, @body
        stg.u32 [{d} + r20*4], r25
        exit""")
    return case


def fence_cases():
    cases = []
    for scope in ("thread", "block", "device", "system"):
        case = Case(f"memfence_{scope}")
        d = case.update("d", "u32", [5] * LANES, [i + 6 for i in range(LANES)])
        case.code(f"""
            sreg.u32 r20, global.x
            mov_imm.u32 r21, 1
            ldg.u32 r22, [{d} + r20*4]
            add.u32 r23, r20, r21
            stg.u32 [{d} + r20*4], r23
            memfence.{scope}
            ldg.u32 r24, [{d} + r20*4]
            add.u32 r24, r24, r22
            stg.u32 [{d} + r20*4], r24
            exit""")
        cases.append(case)
    return cases


def call_cases():
    """Functions share the registers of who calls them."""
    nested = Case("call_nested")
    d = nested.write("d", "u32", LANES, [2 * (3 * i + 1) + 3 for i in range(LANES)])
    nested.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r22, 1
        mov_imm.u32 r23, 3
        mov.u32 r21, r20
        call @outer
        add.u32 r21, r21, r23
        stg.u32 [{d} + r20*4], r21
        exit
        outer:
        call @inner
        add.u32 r21, r21, r21
        ret
        inner:
        mad.u32 r21, r21, r23, r22
        ret""")
    return [nested, several_returns_case(), exit_in_call_case(), shared_code_case(), end_case()]


def several_returns_case():
    """Lanes leave a function in two places, and it is called twice."""

    def once(n):
        return n // 2 if n % 2 == 0 else 3 * n + 1

    case = Case("call_several_returns")
    d = case.write("d", "u32", LANES, [once(once(i)) for i in range(LANES)])
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r22, 1
        mov_imm.u32 r23, 3
        mov_imm.u32 r24, 0
        mov.u32 r21, r20
        call @step
        call @step
        stg.u32 [{d} + r20*4], r21
        bra @end
        step:
        and.u32 r25, r21, r22
        seteq.u32 p0, r25, r24
        bra.p0 @even
        mad.u32 r21, r21, r23, r22
        ret
        even:
        shr.u32 r21, r21, r22
        ret
        end:
        exit""")
    return case


def exit_in_call_case():
    """A lane that ends in a function does not come back; another one falls off the end."""
    expected = [0 if i % 3 == 0 else 7 if i % 3 == 1 else i for i in range(LANES)]
    case = Case("call_exit")
    d = case.write("d", "u32", LANES, expected)
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r22, 3
        mov_imm.u32 r23, 0
        mov_imm.u32 r24, 1
        mov_imm.u32 r25, 7
        rem.u32 r21, r20, r22
        call @maybe
        stg.u32 [{d} + r20*4], r20
        exit
        maybe:
        seteq.u32 p0, r21, r23
        bra.p0 @gone
        seteq.u32 p1, r21, r24
        bra.p1 @last
        ret
        gone:
        exit
        last:
        stg.u32 [{d} + r20*4], r25""")
    return case


def shared_code_case():
    """A second entry into a function, and a loop that goes back before the entry."""
    case = Case("call_shared_code")
    d = case.write("d", "u32", LANES, [2 * i + 100 + 3 * i + 1 for i in range(LANES)])
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 0
        mov_imm.u32 r22, 1
        mov_imm.u32 r23, 100
        bra @start
        again:
        add.u32 r21, r21, r20
        middle:
        add.u32 r21, r21, r20
        loop r24, @again
        ret
        start:
        mov_imm.u32 r24, 0
        call @again
        mov_imm.u32 r24, 1
        add.u32 r21, r21, r23
        call @middle
        add.u32 r21, r21, r22
        stg.u32 [{d} + r20*4], r21""")
    return case


def end_case():
    """A call of the end of the program ends the lane; so does what follows a call at the end."""
    case = Case("call_at_the_end")
    d = case.write("d", "u32", LANES, [i if i % 2 else 2 * i for i in range(LANES)])
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 1
        mov_imm.u32 r22, 0
        bra @start
        double:
        add.u32 r23, r20, r20
        stg.u32 [{d} + r20*4], r23
        ret
        start:
        stg.u32 [{d} + r20*4], r20
        and.u32 r24, r20, r21
        seteq.u32 p0, r24, r22
        bra.p0 @even
        call @end
        even:
        call @double
        end:""")
    return case


def call_fault_case():
    """A fault names the instruction as it stands in the program, not a copy."""
    case = Case("call_fault")
    a = case.read("a", "u32", [3 if i == 40 else 1 for i in range(LANES)])
    d = case.write("d", "u32", LANES)
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r22, 3
        ldg.u32 r21, [{a} + r20*4]
        call @safe
        call @safe
        stg.u32 [{d} + r20*4], r23
        exit
        safe:
        sub.u32 r24, r22, r21
        div.u32 r23, r22, r24
        ret""")
    case.fault = "division_by_zero lane 40 pc 8"
    return case


def local_cases():
    """Each lane writes elements of its own and reads them back in another order."""
    cases = []
    for type_ in isa.TYPES:
        count, size = 5, size_of(type_)
        values = values_of(type_, LANES, "local")
        case = Case(f"local_{type_}")
        a = case.read("a", type_, values)
        picks = case.read("picks", "u32", [(3 * i) % count for i in range(LANES)])
        # Elements 1 and (lane's pick) are written, then all are read.
        expected = []
        for i in range(LANES):
            array = [0] * count
            array[1] = values[i]
            array[(3 * i) % count] = values[(i + 1) % LANES] if i + 1 < LANES else values[i]
            expected += array
        d = case.write("d", type_, LANES * count, expected)
        case.header.append(f".local own {type_} {count}")
        case.code(f"""
            sreg.u32 r20, global.x
            mov_imm.u32 r21, 1
            mov_imm.u32 r22, {LANES - 1}
            ldg.{type_} r30, [{a} + r20*{size}]
            add.u32 r23, r20, r21
            min.u32 r23, r23, r22
            ldg.{type_} r31, [{a} + r23*{size}]
            ldg.u32 r24, [{picks} + r20*4]
            stl.{type_} [l0 + r21*{size}], r30
            stl.{type_} [l0 + r24*{size}], r31
            mov_imm.u32 r25, {count}
            mul.u32 r26, r20, r25""")
        for k in range(count):
            case.code(f"""
                mov_imm.u32 r27, {k}
                ldl.{type_} r32, [l0 + r27*{size}]
                stg.{type_} [{d} + r26*{size} + {k * size}], r32""")
        case.code("exit")
        cases.append(case)
    return [
        *cases,
        local_sort_case(),
        local_barrier_case(),
        local_fault_case(),
        *large_local_cases(),
    ]


def local_sort_case():
    """Eight numbers are sorted in place, by data that differ in every lane."""
    count = 8
    values = values_of("i32", LANES * count, "sort")
    rows = [values[i * count : (i + 1) * count] for i in range(LANES)]
    expected = [v for row in rows for v in sorted(row, key=lambda x: isa.to_int("i32", x))]
    case = Case("local_sort", f"grid 1 block {LANES} nondeterministic")
    a = case.read("a", "i32", values)
    d = case.write("d", "i32", LANES * count, expected)
    case.header.append(f".local row i32 {count}")
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 1
        mov_imm.u32 r22, {count}
        mul.u32 r23, r20, r22
        mov_imm.u32 r24, 0
        fill:
        add.u32 r25, r23, r24
        ldg.i32 r30, [{a} + r25*4]
        stl.i32 [l0 + r24*4], r30
        add.u32 r24, r24, r21
        setlt.u32 p0, r24, r22
        bra.p0 @fill
        mov.u32 r24, r21
        next:
        mov.u32 r26, r24
        down:
        sub.u32 r27, r26, r21
        ldl.i32 r30, [l0 + r27*4]
        ldl.i32 r31, [l0 + r26*4]
        setle.i32 p1, r30, r31
        bra.p1 @placed
        stl.i32 [l0 + r27*4], r31
        stl.i32 [l0 + r26*4], r30
        loop r26, @more
        more:
        setge.u32 p2, r26, r21
        bra.p2 @down
        placed:
        add.u32 r24, r24, r21
        setlt.u32 p3, r24, r22
        bra.p3 @next
        mov_imm.u32 r24, 0
        out:
        ldl.i32 r30, [l0 + r24*4]
        add.u32 r25, r23, r24
        stg.i32 [{d} + r25*4], r30
        add.u32 r24, r24, r21
        setlt.u32 p4, r24, r22
        bra.p4 @out
        exit""")
    return case


def local_barrier_case():
    """What a lane keeps for itself survives barriers; every block starts with zeros."""
    block = 40
    case = Case("local_barrier", f"grid 3 block {block}")
    d = case.write("d", "u32", 3 * block, [i + 2 for i in range(block)] * 3)
    case.header.append(".local own u32 2")
    case.code(f"""
        sreg.u32 r20, global.x
        sreg.u32 r21, lane.x
        mov_imm.u32 r22, 0
        mov_imm.u32 r23, 1
        mov_imm.u32 r24, 1
        again:
        ldl.u32 r25, [l0 + r22*4]
        add.u32 r25, r25, r23
        stl.u32 [l0 + r22*4], r25
        stl.u32 [l0 + r23*4], r21
        bar.sync 0
        loop r24, @again
        ldl.u32 r25, [l0 + r22*4]
        ldl.u32 r26, [l0 + r23*4]
        add.u32 r25, r25, r26
        stg.u32 [{d} + r20*4], r25
        exit""")
    return case


def large_local_cases():
    """Arrays of lanes that wait, which a stack does not hold for all lanes of a block: up to the
    most that a kernel may have, each lane at an element of its own and at one that is everybody's."""
    cases = []
    for name, count, blocks, shape in (
        ("above", 257, 3, (40,)),
        ("rows", 1000, 2, (5, 3, 2)),
        ("most", 4095, 2, (1024,)),
    ):
        lanes = math.prod(shape)
        own = [(37 * t + 3) % (count - 1) for t in range(lanes)]
        sums = [2 * t + 1 + own[(t + 1) % lanes] for t in range(lanes)]
        block = ",".join(str(side) for side in shape)
        # Only that global.x differs from lane to lane is known at bind time.
        row = len(shape) == 1
        order = "" if row else " nondeterministic"
        case = Case(f"local_large_{name}", f"grid {blocks} block {block}{order}")
        a = case.read("a", "u32", own * blocks)
        d = case.write("d", "u32", lanes * blocks, sums * blocks)
        case.header.append(f".local own u32 {count}")
        case.shared("cells", "u32", lanes)
        case.code(f"""
            sreg.u{"32 r20, global.x" if row else "64 r20, linear"}
            sreg.u32 r22, lane.x
            sreg.u32 r21, lane.y
            mov_imm.u32 r25, {shape[0]}
            mul.u32 r21, r21, r25
            add.u32 r22, r22, r21
            sreg.u32 r21, lane.z
            mov_imm.u32 r25, {math.prod(shape[:2])}
            mul.u32 r21, r21, r25
            add.u32 r22, r22, r21
            ldg.u32 r23, [{a} + r20*4]
            mov_imm.u32 r24, 1
            mov_imm.u32 r25, {count - 1}
            stl.u32 [l0 + r23*4], r22
            stl.u32 [l0 + r25*4], r24
            sts.u32 [s0 + r22*4], r23
            bar.sync 0
            ldl.u32 r26, [l0 + r23*4]
            ldl.u32 r27, [l0 + r25*4]
            add.u32 r28, r22, r24
            mov_imm.u32 r29, {lanes}
            rem.u32 r28, r28, r29
            lds.u32 r30, [s0 + r28*4]
            add.u32 r26, r26, r27
            add.u32 r26, r26, r30
            stl.u32 [l0 + r25*4], r26
            bar.sync 0
            ldl.u32 r27, [l0 + r25*4]
            add.u32 r27, r27, r22
            stg.u32 [{d} + r20*4], r27
            exit""")
        cases.append(case)
    return cases


def local_fault_case():
    case = Case("local_fault")
    a = case.read("a", "i32", [isa.from_int("i32", -1) if i == 33 else i % 4 for i in range(LANES)])
    d = case.write("d", "i32", LANES)
    case.header.append(".local own i32 4")
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.i32 r21, [{a} + r20*4]
        stl.i32 [l0 + r21*4], r21
        stg.i32 [{d} + r20*4], r21
        exit""")
    case.fault = "out_of_bounds lane 33 pc 2 index -1"
    return case


# Lanes of a block that native code keeps in registers from start to end: that reduces, that scans.
WHOLE, WHOLE_SCAN = 64, 256
REDUCTIONS = ("add", "min", "max", "mul", "and", "or", "xor")


def reduction_cases():
    """All lanes of a block: full rows, ragged rows, three dimensions, lanes that have returned."""
    cases = []
    for type_ in isa.TYPES:
        operations = REDUCTIONS if type_ in isa.INTEGERS else REDUCTIONS[:4]
        for operation in operations:
            for block in (40, WHOLE):
                cases.append(reduction_case(operation, type_, block, 3))
    for block, operation in itertools.product((1, 15, 16, 17, 64, 250, 1024), ("add", "min")):
        cases.append(reduction_case(operation, "f32", block, 2))
    for block in (20, WHOLE):
        cases += [special_reduction_case(block), branch_reduction_case(block)]
    for block in (33, WHOLE):
        cases += [reduction_chain_case(block), row_reduction_case(block)]
    return [*cases, reduction_after_return_case(), reduction_volume_case()]


def tame(type_, bits):
    """A number near one, for products and sums that stay finite."""
    if type_ in isa.INTEGERS:
        return bits
    return isa.round_float(type_, isa.Fraction(500 + bits % 1001, 1000))


def reduction_case(operation, type_, block, grid):
    size = size_of(type_)
    values = [tame(type_, v) for v in values_of(type_, block * grid, f"{operation}{block}")]
    sums = [
        isa.block_reduce(operation, type_, values[b * block : (b + 1) * block]) for b in range(grid)
    ]
    case = Case(f"blk_red_{operation}_{type_}_{block}", f"grid {grid} block {block}")
    a = case.read("a", type_, values)
    d = case.write("d", type_, block * grid, [sums[i // block] for i in range(block * grid)])
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.{type_} r30, [{a} + r20*{size}]
        blk.red.{operation}.{type_} r31, r30
        stg.{type_} [{d} + r20*{size}], r31
        exit""")
    return case


def special_reduction_case(block):
    """NaN, infinities and -0: one block each."""
    zero, nan = 0x80000000, 0xFFC12345
    rows = [
        [zero] * block,
        [nan] * block,
        [nan if i % 2 else 0xBF800000 for i in range(block)],
        [0x7F800000 if i == 3 else 0x3F800000 for i in range(block)],
        [0x7F800000 if i == 3 else 0xFF800000 for i in range(block)],
        [zero if i % 2 else 0 for i in range(block)],
    ]
    case = Case(f"blk_red_special_{block}", f"grid {len(rows)} block {block}")
    a = case.read("a", "f32", [v for row in rows for v in row])
    outputs = []
    for operation in ("add", "min", "max", "mul"):
        results = [isa.block_reduce(operation, "f32", row) for row in rows]
        expected = [r for r in results for _ in range(block)]
        outputs.append((operation, case.write(f"d_{operation}", "f32", len(expected), expected)))
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.f32 r30, [{a} + r20*4]""")
    for operation, d in outputs:
        case.code(f"""
            blk.red.{operation}.f32 r31, r30
            stg.f32 [{d} + r20*4], r31""")
    case.code("exit")
    return case


def reduction_after_return_case():
    """Lanes that have returned do not count."""
    block = 50
    values = [tame("f32", v) for v in values_of("f32", block, "returned")]
    kept = [v if i % 3 else None for i, v in enumerate(values)]
    total = isa.block_reduce("add", "f32", kept)
    case = Case("blk_red_after_return", f"grid 1 block {block}")
    a = case.read("a", "f32", values)
    d = case.write("d", "f32", block, [total if i % 3 else 0 for i in range(block)])
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 3
        mov_imm.u32 r22, 0
        rem.u32 r23, r20, r21
        seteq.u32 p0, r23, r22
        bra.p0 @end
        ldg.f32 r30, [{a} + r20*4]
        blk.red.add.f32 r31, r30
        stg.f32 [{d} + r20*4], r31
        exit
        end:
        exit""")
    return case


def reduction_volume_case():
    """The element of a lane is its linear number in the block."""
    shape = (5, 4, 3)
    lanes = shape[0] * shape[1] * shape[2]
    values = [tame("f32", v) for v in values_of("f32", lanes, "volume")]
    total = isa.block_reduce("add", "f32", values)
    case = Case("blk_red_volume", "grid 1 block 5,4,3 nondeterministic")
    a = case.read("a", "f32", values)
    d = case.write("d", "f32", lanes, [total] * lanes)
    case.code(f"""
        mov.u64 r20, r255
        ldg.f32 r30, [{a} + r20*4]
        blk.red.add.f32 r31, r30
        stg.f32 [{d} + r20*4], r31
        exit""")
    return case


def reduction_chain_case(block):
    """The result is used by the next reduction, in a loop, beside a value that each lane keeps."""
    values = values_of("u32", block, "chain")
    expected, current = [], list(values)
    for _ in range(3):
        total = isa.block_reduce("add", "u32", current)
        current = [v ^ total for v in current]
    expected = current
    case = Case(f"blk_red_chain_{block}", f"grid 1 block {block}")
    a = case.read("a", "u32", values)
    d = case.write("d", "u32", block, expected)
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.u32 r30, [{a} + r20*4]
        mov_imm.u32 r21, 2
        again:
        blk.red.add.u32 r31, r30
        xor.u32 r30, r30, r31
        loop r21, @again
        stg.u32 [{d} + r20*4], r30
        exit""")
    return case


def row_reduction_case(block):
    """Rows of a grid of three dimensions, whose last lanes have no element; lane 0 stores."""
    grid, columns = (3, 2, 2), block - 5
    count = grid[0] * grid[1] * grid[2]
    values = [tame("f32", v) for v in values_of("f32", count * columns, "rows")]
    padded = [0] * (block - columns)
    sums = [
        isa.block_reduce("add", "f32", values[b * columns : (b + 1) * columns] + padded)
        for b in range(count)
    ]
    case = Case(f"blk_red_rows_{block}", f"grid {grid[0]},{grid[1]},{grid[2]} block {block}")
    a = case.read("a", "f32", values)
    d = case.write("d", "f32", count, sums)
    case.code(f"""
        sreg.u32 r20, block.x
        sreg.u32 r21, block.y
        sreg.u32 r22, block.z
        sreg.u32 r23, grid_dim.x
        sreg.u32 r24, grid_dim.y
        mul.u32 r22, r22, r24
        add.u32 r22, r22, r21
        mul.u32 r22, r22, r23
        add.u32 r22, r22, r20
        sreg.u32 r25, lane.x
        mov_imm.u32 r26, {columns}
        mul.u32 r27, r22, r26
        add.u32 r27, r27, r25
        mov_imm.f32 r30, 0
        setge.u32 p0, r25, r26
        bra.p0 @reduce
        ldg.f32 r30, [{a} + r27*4]
        reduce:
        blk.red.add.f32 r31, r30
        mov_imm.u32 r28, 0
        setne.u32 p1, r25, r28
        bra.p1 @end
        stg.f32 [{d} + r22*4], r31
        end:
        exit""")
    return case


def branch_reduction_case(block):
    """Blocks take different ways to one place behind two reductions."""
    values = values_of("i32", 2 * block, "branch")
    first = isa.block_reduce("min", "i32", values[:block])
    second = isa.block_reduce("max", "i32", values[block:])
    case = Case(f"blk_red_branch_{block}", f"grid 2 block {block}")
    a = case.read("a", "i32", values)
    d = case.write("d", "i32", 2 * block, [first] * block + [second] * block)
    case.code(f"""
        sreg.u32 r20, global.x
        sreg.u32 r21, block.x
        mov_imm.u32 r22, 0
        ldg.i32 r30, [{a} + r20*4]
        setne.u32 p0, r21, r22
        bra.p0 @other
        blk.red.min.i32 r31, r30
        bra @join
        other:
        blk.red.max.i32 r31, r30
        join:
        stg.i32 [{d} + r20*4], r31
        exit""")
    return case


def scan_case(operation, type_, block, grid):
    size = size_of(type_)
    values = [tame(type_, v) for v in values_of(type_, block * grid, f"scan{operation}{block}")]
    scans = []
    for b in range(grid):
        scans += isa.block_scan(operation, type_, values[b * block : (b + 1) * block])
    case = Case(f"blk_scan_{operation}_{type_}_{block}", f"grid {grid} block {block}")
    a = case.read("a", type_, values)
    d = case.write("d", type_, block * grid, scans)
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.{type_} r30, [{a} + r20*{size}]
        blk.scan.{operation}.{type_} r31, r30
        stg.{type_} [{d} + r20*{size}], r31
        exit""")
    return case


def special_rows(block):
    """NaN, infinities and -0, in f32: one block each."""
    zero, nan, inf = 0x80000000, 0xFFC12345, 0x7F800000
    return [
        [zero] * block,
        [nan] * block,
        [nan if i % 2 else 0xBF800000 for i in range(block)],
        [inf if i == 3 else 0x3F800000 for i in range(block)],
        [inf if i == 3 else inf | zero for i in range(block)],
        [zero if i % 2 else 0 for i in range(block)],
    ]


def special_scan_case(block):
    rows = special_rows(block)
    case = Case(f"blk_scan_special_{block}", f"grid {len(rows)} block {block}")
    a = case.read("a", "f32", [v for row in rows for v in row])
    outputs = []
    for operation in ("add", "min", "max", "mul"):
        expected = [v for row in rows for v in isa.block_scan(operation, "f32", row)]
        outputs.append((operation, case.write(f"d_{operation}", "f32", len(expected), expected)))
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.f32 r30, [{a} + r20*4]""")
    for operation, d in outputs:
        case.code(f"""
            blk.scan.{operation}.f32 r31, r30
            stg.f32 [{d} + r20*4], r31""")
    case.code("exit")
    return case


def scan_after_return_case():
    """Lanes that have returned do not count and get nothing."""
    block = 50
    values = [tame("f32", v) for v in values_of("f32", block, "scan returned")]
    kept = [v if i % 3 else None for i, v in enumerate(values)]
    scans = isa.block_scan("add", "f32", kept)
    case = Case("blk_scan_after_return", f"grid 1 block {block}")
    a = case.read("a", "f32", values)
    d = case.write("d", "f32", block, [scans[i] if i % 3 else 0 for i in range(block)])
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 3
        mov_imm.u32 r22, 0
        rem.u32 r23, r20, r21
        seteq.u32 p0, r23, r22
        bra.p0 @end
        ldg.f32 r30, [{a} + r20*4]
        blk.scan.add.f32 r31, r30
        stg.f32 [{d} + r20*4], r31
        exit
        end:
        exit""")
    return case


def scan_volume_case():
    """The element of a lane is its linear number in the block."""
    shape = (5, 4, 3)
    lanes = shape[0] * shape[1] * shape[2]
    values = [tame("f32", v) for v in values_of("f32", lanes, "scan volume")]
    case = Case("blk_scan_volume", "grid 1 block 5,4,3 nondeterministic")
    a = case.read("a", "f32", values)
    d = case.write("d", "f32", lanes, isa.block_scan("add", "f32", values))
    case.code(f"""
        mov.u64 r20, r255
        ldg.f32 r30, [{a} + r20*4]
        blk.scan.add.f32 r31, r30
        stg.f32 [{d} + r20*4], r31
        exit""")
    return case


def scan_chain_case():
    """The result is used by the next scan and by a reduction, beside a value that each lane keeps."""
    block = 200
    values = values_of("i64", block, "scan chain")
    current = list(values)
    for _ in range(3):
        scans = isa.block_scan("add", "i64", current)
        total = isa.block_reduce("xor", "i64", scans)
        current = [v ^ s ^ total for v, s in zip(current, scans)]
    case = Case("blk_scan_chain", f"grid 1 block {block}")
    a = case.read("a", "i64", values)
    d = case.write("d", "i64", block, current)
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.i64 r30, [{a} + r20*8]
        mov_imm.u32 r21, 2
        again:
        blk.scan.add.i64 r31, r30
        blk.red.xor.i64 r32, r31
        xor.i64 r30, r30, r31
        xor.i64 r30, r30, r32
        loop r21, @again
        stg.i64 [{d} + r20*8], r30
        exit""")
    return case


def scan_cases():
    cases = []
    for type_ in isa.TYPES:
        operations = REDUCTIONS if type_ in isa.INTEGERS else REDUCTIONS[:4]
        for operation in operations:
            cases.append(scan_case(operation, type_, 40, 2))
    for operation, type_, block, grid in (
        ("add", "f32", 1, 3), ("add", "f32", 16, 2), ("add", "f32", 17, 2), ("add", "f32", 1024, 1),
        ("add", "f64", 300, 1), ("mul", "f32", 1000, 1), ("add", "f16", 257, 1),
        ("add", "f32", WHOLE_SCAN, 2), ("min", "f64", WHOLE_SCAN, 2), ("max", "f32", WHOLE_SCAN, 2),
        ("mul", "bf16", WHOLE_SCAN, 2), ("add", "i8", WHOLE_SCAN, 2), ("max", "u64", WHOLE_SCAN, 2),
        ("xor", "u32", WHOLE_SCAN, 2),
    ):  # fmt: skip
        cases.append(scan_case(operation, type_, block, grid))
    return [
        *cases,
        *(special_scan_case(block) for block in (20, WHOLE_SCAN)),
        scan_after_return_case(),
        scan_volume_case(),
        scan_chain_case(),
    ]


def trap_cases():
    """Lanes stop; the lowest one is reported."""
    values = [(i * 37) % 64 for i in range(64)]
    holds = Case("trap_never", "grid 1 block 64")
    a = holds.read("a", "u32", values)
    d = holds.write("d", "u32", 64, values)
    holds.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 64
        ldg.u32 r30, [{a} + r20*4]
        setge.u32 p3, r30, r21
        trap.p3
        stg.u32 [{d} + r20*4], r30
        exit""")
    fails = Case("trap_some", "grid 1 block 64")
    a = fails.read("a", "u32", values)
    fails.write("d", "u32", 64)
    fails.body = [line.replace("r21, 64", "r21, 50") for line in holds.body]
    fails.fault = f"assertion lane {next(i for i, v in enumerate(values) if v >= 50)} pc 4"
    uniform = Case("trap_block", "grid 4 block 16")
    uniform.code("""
        sreg.u32 r20, block.x
        mov_imm.u32 r21, 2
        seteq.u32 p0, r20, r21
        trap.p0
        exit""")
    uniform.fault = "assertion lane 32 pc 3"
    always = Case("trap_always", "grid 1 block 64")
    always.code("""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 40
        setlt.u32 p0, r20, r21
        bra.p0 @end
        trap
        end:
        exit""")
    always.fault = "assertion lane 40 pc 4"
    # The first of two, and lanes of a loop at different rounds: the lowest lane counts.
    rounds = Case("trap_loop", "grid 1 block 64")
    rounds.code("""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 63
        sub.u32 r21, r21, r20
        mov_imm.u32 r22, 20
        mov_imm.u32 r23, 63
        again:
        seteq.u32 p0, r21, r22
        trap.p0
        loop r21, @again
        sub.u32 r24, r20, r23
        seteq.u32 p1, r20, r23
        trap.p1
        exit""")
    rounds.fault = "assertion lane 0 pc 6"
    # A lane that has trapped is not waited for.
    barrier = Case("trap_barrier", "grid 1 block 64")
    barrier.code("""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 17
        seteq.u32 p0, r20, r21
        trap.p0
        blk.red.add.u32 r22, r20
        bar.sync 0
        exit""")
    barrier.fault = "assertion lane 17 pc 3"
    return [holds, fails, uniform, always, rounds, barrier]


def files():
    loops = [data_case(), lane_case(), nested_case(), break_case(), next_case(), barrier_case()]
    return {
        "control/loop": [*counted_cases(), *loops, endless_case()],
        "control/memfence": fence_cases(),
        "control/call": [*call_cases(), call_fault_case()],
        "control/recursion": recursion_cases.cases(),
        "control/blk-red": reduction_cases(),
        "control/blk-scan": scan_cases(),
        "control/trap": trap_cases(),
        "memory/ldl-stl": local_cases(),
    }
