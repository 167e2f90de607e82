"""Conformance cases of functions that call themselves. generate.py writes them."""

from memory_cases import LANES, Case

# Adds fibonacci(r21) to r22; r24 is 1, r26 is 2, r25 the depth, l0 what each level keeps.
FIBONACCI = """setlt.u32 p0, r21, r26
bra.p0 @leaf
stl.u32 [l0 + r25*4], r21
add.u32 r25, r25, r24
sub.u32 r21, r21, r24
call @fibonacci
sub.u32 r25, r25, r24
ldl.u32 r21, [l0 + r25*4]
sub.u32 r21, r21, r26
call @fibonacci
ret
leaf:
add.u32 r22, r22, r21
ret"""


def cases():
    """factorial by recursion, and a depth that is one too many."""
    counts = [i % 11 for i in range(LANES)]
    products = []
    for n in counts:
        product = 1
        for k in range(1, n + 1):
            product = product * k % 2**32
        products.append(product)
    case = Case("call_factorial", f"grid 1 block {LANES} nondeterministic")
    a = case.read("a", "u32", counts)
    d = case.write("d", "u32", LANES, products)
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.u32 r21, [{a} + r20*4]
        mov_imm.u32 r22, 1
        mov_imm.u32 r23, 0
        mov_imm.u32 r24, 1
        call @factorial
        stg.u32 [{d} + r20*4], r22
        exit
        factorial:
        seteq.u32 p0, r21, r23
        bra.p0 @done
        mul.u32 r22, r22, r21
        sub.u32 r21, r21, r24
        call @factorial
        done:
        ret""")
    return [
        case,
        *depth_cases(),
        *twice_cases(),
        *mutual_cases(),
        *barrier_cases(),
        *recursion_fault_cases(),
        *many_returns_cases(),
    ]


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def twice_cases():
    """Two calls of itself, with what is to do kept in a local array; once behind a barrier."""
    cases = []
    for name, launch, lanes in (("", "grid 3 block 100", 300), ("_block", "grid 5 block 7,3", 105)):
        case = Case(f"call_fibonacci{name}", f"{launch} nondeterministic")
        counts = [(5 * i + i // 7) % 11 for i in range(lanes)]
        a = case.read("a", "u32", counts)
        d = case.write("d", "u32", lanes, [fibonacci(n) for n in counts])
        case.header.append(".local rest u32 12")
        barrier = ""
        if name:
            case.shared("cells", "u32", 21)
            barrier = """
            sreg.u32 r27, lane.x
            sts.u32 [s0 + r27*4], r27
            bar.sync 0"""
        case.code(f"""
            sreg.u64 r20, linear
            ldg.u32 r21, [{a} + r20*4]
            mov_imm.u32 r22, 0
            mov_imm.u32 r24, 1
            mov_imm.u32 r25, 0
            mov_imm.u32 r26, 2{barrier}
            call @fibonacci
            stg.u32 [{d} + r20*4], r22
            exit
            fibonacci:
            {FIBONACCI}""")
        cases.append(case)
    return cases


def mutual_cases():
    """Two functions that call each other, store at each level on the way down and on the way up;
    some lanes end before they return."""
    depths = [(7 * i + i // 5) % 6 for i in range(LANES)]
    stop = [i % 9 == 4 for i in range(LANES)]
    width = 6
    down, up = [0] * (LANES * width), [0] * LANES
    for i, depth in enumerate(depths):
        for level in range(depth + 1):
            down[i * width + level] = 10 + level % 2
        for level in reversed(range(depth + 1)):
            if not stop[i]:
                up[i] = up[i] * 3 + level % 2
    case = Case("call_each_other", f"grid 1 block {LANES} nondeterministic")
    a = case.read("a", "u32", depths)
    b = case.read("b", "u32", [int(s) for s in stop])
    d = case.write("d", "u32", LANES * width, down)
    e = case.update("e", "u32", [0] * LANES, up)
    body = ""
    for name, other, number in (("even", "odd", 0), ("odd", "even", 1)):
        body += f"""
            {name}:
            mov_imm.u32 r30, {10 + number}
            stg.u32 [{d} + r27*4], r30
            setge.u32 p0, r22, r21
            bra.p0 @{name}_last
            add.u32 r22, r22, r24
            add.u32 r27, r27, r24
            call @{other}
            {name}_back:
            ldg.u32 r31, [{e} + r20*4]
            mul.u32 r31, r31, r25
            mov_imm.u32 r30, {number}
            add.u32 r31, r31, r30
            stg.u32 [{e} + r20*4], r31
            ret
            {name}_last:
            ldg.u32 r32, [{b} + r20*4]
            setne.u32 p1, r32, r26
            bra.p1 @stop
            bra @{name}_back"""
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.u32 r21, [{a} + r20*4]
        mov_imm.u32 r22, 0
        mov_imm.u32 r24, 1
        mov_imm.u32 r25, 3
        mov_imm.u32 r26, 0
        mov_imm.u32 r28, {width}
        mul.u32 r27, r20, r28
        call @even
        stop:
        exit{body}""")
    return [case]


def barrier_cases():
    """A function that calls itself, called before barriers, between and behind them, by some lanes
    only; in the second case some lanes end in it and leave what they had in memory of the block, in
    the third what the lanes of a block keep does not fit a stack."""
    cases = []
    for name, lanes, blocks, kept in (
        ("", 75, 2, 12),
        ("_end", 37, 3, 12),
        ("_large", 37, 3, 4000),
    ):
        counts = [(3 * i + i // 4) % 9 for i in range(lanes * blocks)]
        results = [0] * (lanes * blocks)
        for block in range(blocks):
            first = lanes * block
            n = counts[first : first + lanes]
            cells = [fibonacci(n[t]) if t % 3 else 0 for t in range(lanes)]
            for t in range(lanes):
                other = cells[lanes - 1 - t] % 7 + 2
                ends = name == "_end" and t % 5 == 2
                results[first + t] = 0 if ends else fibonacci(other) + 1000
        case = Case(
            f"call_fibonacci_barriers{name}", f"grid {blocks} block {lanes} nondeterministic"
        )
        a = case.read("a", "u32", counts)
        d = case.write("d", "u32", lanes * blocks, results)
        case.header.append(f".local rest u32 {kept}")
        case.shared("cells", "u32", lanes)
        ends = ""
        if name == "_end":
            ends = """
            setne.u32 p1, r33, r34
            bra.p1 @goes_on
            exit
            goes_on:"""
        case.code(f"""
            sreg.u64 r20, linear
            ldg.u32 r21, [{a} + r20*4]
            mov_imm.u32 r22, 0
            mov_imm.u32 r24, 1
            mov_imm.u32 r25, 0
            mov_imm.u32 r26, 2
            mov_imm.u32 r28, 7
            mov_imm.u32 r29, 3
            sreg.u32 r27, lane.x
            mov_imm.u32 r30, {lanes - 1}
            sub.u32 r30, r30, r27
            mov_imm.u32 r33, 9
            mov_imm.u32 r34, 2
            rem.u32 r31, r27, r29
            mov_imm.u32 r32, 0
            seteq.u32 p0, r31, r32
            bra.p0 @meet
            call @fibonacci
            meet:
            sts.u32 [s0 + r27*4], r22
            bar.sync 0
            mov_imm.u32 r33, 5
            rem.u32 r33, r27, r33
            lds.u32 r21, [s0 + r30*4]
            rem.u32 r21, r21, r28
            add.u32 r21, r21, r26
            mov_imm.u32 r22, 0
            call @fibonacci
            bar.sync 0
            sts.u32 [s0 + r27*4], r22
            bar.sync 0
            lds.u32 r22, [s0 + r27*4]
            mov_imm.u32 r21, 1000
            add.u32 r22, r22, r21
            stg.u32 [{d} + r20*4], r22
            exit
            fibonacci:{ends}
            {FIBONACCI}""")
        cases.append(case)
    return cases


def recursion_fault_cases():
    """Lanes from 20 on fault in their first call, lane 9 in a deeper one: on the way down, and on
    the way up."""
    cases = []
    for name, most, elements, start, divisor, fault in (
        ("down", 6, 8, 100, 50, "out_of_bounds lane 9 pc 8 index 8"),
        ("up", 4, 20, 4, 5, "division_by_zero lane 9 pc 14"),
    ):
        case = Case(f"call_fault_{name}", f"grid 1 block {LANES} nondeterministic")
        counts = [12 if i == 9 else 2 + i % (most - 1) for i in range(LANES)]
        a = case.read("a", "u32", counts)
        s = case.read("s", "u32", [start if i >= 20 else 0 for i in range(LANES)])
        b = case.read("b", "u32", [1] * elements)
        d = case.write("d", "u32", LANES)
        case.code(f"""
            sreg.u32 r20, global.x
            ldg.u32 r21, [{a} + r20*4]
            ldg.u32 r22, [{s} + r20*4]
            mov_imm.u32 r24, 1
            mov_imm.u32 r25, {divisor}
            call @down
            stg.u32 [{d} + r20*4], r22
            exit
            down:
            ldg.u32 r30, [{b} + r22*4]
            add.u32 r22, r22, r30
            setge.u32 p0, r22, r21
            bra.p0 @up
            call @down
            up:
            sub.u32 r23, r22, r25
            div.u32 r31, r24, r23
            sub.u32 r22, r22, r24
            ret""")
        case.fault = fault
        cases.append(case)
    return cases


def depth_cases():
    """256 nested calls are allowed; a lane that makes one more faults."""
    cases = []
    for name, most in (("enough", 255), ("too_deep", 256)):
        case = Case(f"call_depth_{name}", f"grid 1 block {LANES} nondeterministic")
        counts = [most if i >= 5 else i for i in range(LANES)]
        a = case.read("a", "u32", counts)
        d = case.write("d", "u32", LANES, [n + 1 for n in counts] if most == 255 else None)
        case.code(f"""
            sreg.u32 r20, global.x
            ldg.u32 r21, [{a} + r20*4]
            mov_imm.u32 r22, 0
            mov_imm.u32 r24, 1
            call @down
            stg.u32 [{d} + r20*4], r22
            exit
            down:
            add.u32 r22, r22, r24
            setlt.u32 p0, r21, r22
            bra.p0 @up
            call @down
            up:
            ret""")
        if most == 256:
            case.fault = "call_depth lane 5 pc 10"
        cases.append(case)
    return cases


def branches_by_number(label, count):
    """To label0, label1, ... for 0, 1, ... in r27; r32 is used."""
    return "".join(
        f"""
            mov_imm.u32 r32, {k}
            seteq.u32 p0, r27, r32
            bra.p0 @{label}{k}"""
        for k in range(count)
    )


def many_returns_cases():
    """A function that calls itself at many places and returns from many: each call and each return
    leaves its number. Ways back are calls times returns. Some lanes end inside; in blocks of two
    dimensions with a barrier; with a budget that lane 30, which goes deepest, does not have (where it
    ends is as the interpreter counts)."""
    calls, returns = 13, 11
    cases = []
    for name, launch, lanes in (
        ("", "grid 3 block 100", 300),
        ("_block", "grid 5 block 7,3", 105),
        ("_budget", "grid 1 block 75 budget 80", 75),
    ):
        depths = [(37 * i + i // 7) % 41 for i in range(lanes)]
        if name == "_budget":
            depths = [60 if i == 30 else depth % 20 for i, depth in enumerate(depths)]
        ends = [i % 17 == 5 for i in range(lanes)]
        results = []
        for depth, end in zip(depths, ends, strict=True):
            value = 1
            for up in range(1, depth + 1):
                value = (value * 3 + (up - 1) % calls + 7 * (up % returns)) % 2**32
            results.append(0 if end and depth > 20 else value)
        case = Case(f"call_many_returns{name}", f"{launch} nondeterministic")
        a = case.read("a", "u32", depths)
        b = case.read("b", "u32", [int(end) for end in ends])
        fault = name == "_budget"
        d = case.write("d", "u32", lanes, None if fault else results)
        barrier = ""
        if name == "_block":
            case.shared("cells", "u32", 21)
            barrier = """
            sreg.u32 r33, lane.x
            sts.u32 [s0 + r33*4], r33
            bar.sync 0"""
        chosen = branches_by_number("call", calls - 1)
        called = "".join(
            f"""
            call{k}:
            call @down
            mov_imm.u32 r32, {k}
            mad.u32 r22, r22, r26, r32
            bra @up"""
            for k in reversed(range(calls))
        )
        left = branches_by_number("return", returns - 1)
        returned = "".join(
            f"""
            return{k}:
            mov_imm.u32 r32, {7 * k}
            add.u32 r22, r22, r32
            ret"""
            for k in reversed(range(returns))
        )
        case.code(f"""
            sreg.u64 r20, linear
            ldg.u32 r21, [{a} + r20*4]
            ldg.u32 r34, [{b} + r20*4]
            mov_imm.u32 r22, 1
            mov_imm.u32 r23, 0
            mov_imm.u32 r24, 1
            mov_imm.u32 r26, 3
            mov_imm.u32 r28, {calls}
            mov_imm.u32 r29, 0
            mov_imm.u32 r31, {returns}
            mov_imm.u32 r35, 21
            seteq.u32 p2, r34, r24{barrier}
            call @down
            stg.u32 [{d} + r20*4], r22
            exit
            down:
            seteq.u32 p0, r21, r23
            bra.p0 @leaf
            sub.u32 r21, r21, r24
            rem.u32 r27, r21, r28{chosen}
            bra @call{calls - 1}
            leaf:
            ret{called}
            up:
            add.u32 r29, r29, r24
            seteq.u32 p1, r29, r35
            pand p1, p1, p2
            bra.p1 @gone
            rem.u32 r27, r29, r31{left}
            bra @return{returns - 1}{returned}
            gone:
            exit""")
        if fault:
            case.fault = "budget lane 30 pc 76"
        cases.append(case)
    return cases
