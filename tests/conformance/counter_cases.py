"""Conformance cases of loops whose counter starts at an id, as `for c in range(lane, n, lanes)`:
lanes leave them in different rounds. generate.py writes them."""

import isa_reference as isa
from memory_cases import LANES, Case, values_of

WHOLE = 256  # lanes without a rest


def of_type(type_, value):
    low, high = isa.limits(type_)
    return (value - low) % (high - low + 1) + low


def bits(type_, value):
    return isa.from_int(type_, of_type(type_, value))


def rounds_of(type_, start, end, step):
    """The values of the counter of range(start, end, step), and what it is behind the loop."""
    low, high = isa.limits(type_)
    values, counter = [], start
    while counter < end if step > 0 else counter > end:
        values.append(counter)
        if not low <= counter + step <= high:
            break
        counter += step
    return values, counter


def head(case, type_, first, turned, end):
    """The start, lane + first or first - lane, in r21; counts in r30, sums in r31."""
    case.code(f"""
        sreg.u32 r20, global.x
        cvt.{type_}.u32 r21, r20
        {"sub" if turned else "add"}.{type_} r21, {first}, r21
        mov_imm.u32 r29, 1
        mov_imm.u32 r30, 0
        mov_imm.u32 r31, 0
        loop:
        {"setle" if turned else "setge"}.{type_} p0, r21, {end}
        bra.p0 @end""")


def tail(case, type_, step, turned, checks=True):
    case.code(f"""
        add.u32 r30, r30, r29
        {"sub" if turned else "add"}.{type_} r22, r21, {step}""")
    if checks:
        case.code(f"""
        {"setgt" if turned else "setlt"}.{type_} p1, r22, r21
        bra.p1 @end""")
    case.code(f"""
        mov.{type_} r21, r22
        bra @loop
        end:""")


def sum_case(name, type_, first, end, step, lanes=LANES, turned=False, last=False, checks=True):
    """Sums of a[c], the number of rounds and, with `last`, what the counter was at the end."""
    case = Case(name, f"grid 1 block {lanes}")
    size = max(abs(end), abs(first) + lanes) + 1
    a = values_of("u32", size, "counted")
    a_register = case.read("a", "u32", a)
    runs = [
        rounds_of(type_, first - i if turned else first + i, end, -step if turned else step)
        for i in range(lanes)
    ]
    inside = [[c for c in values if 0 <= c < size] for values, _ in runs]
    sums = case.write(
        "sums", "u32", lanes, [sum(a[c] for c in values) % 2**32 for values in inside]
    )
    counts = case.write("counts", "u32", lanes, [len(values) for values, _ in runs])
    if last:
        lasts = case.write("lasts", type_, lanes, [bits(type_, c) for _, c in runs])
    start = case.scalar("first", type_, bits(type_, first))
    stop = case.scalar("end", type_, bits(type_, end))
    by = case.scalar("step", type_, bits(type_, step))
    most = case.scalar("most", type_, size)
    case.code(f"mov_imm.{type_} r27, 0")
    case.code(f"mov_imm.{type_} r28, 1")
    case.code(f"max.{type_} r26, {by}, r28")  # a step that is not 0 for all that is proved
    head(case, type_, start, turned, stop)
    case.code(f"""
        setlt.{type_} p2, r21, r27
        bra.p2 @over
        setge.{type_} p2, r21, {most}
        bra.p2 @over
        ldg.u32 r32, [{a_register} + r21*4]
        add.u32 r31, r31, r32
        over:""")
    tail(case, type_, "r26", turned, checks)
    case.code(f"""
        stg.u32 [{sums} + r20*4], r31
        stg.u32 [{counts} + r20*4], r30""")
    if last:
        case.code(f"stg.{type_} [{lasts} + r20*{isa.bits_of(type_) // 8}], r21")
    case.code("exit")
    return case


def plain_case(name, type_, end, step, lanes=64, block=64, array="global"):
    """b[c] = 3 * a[c] by all lanes of each block, with a constant step, through shared memory or
    not; then each lane reads its neighbour's element."""
    blocks = lanes // block
    case = Case(name, f"grid {blocks} block {block}")
    if array == "shared":
        case.shared("tile", "u32", end + 1)
    a = values_of("u32", blocks * end, "plain")
    source = case.read("a", "u32", a)
    target = case.write("b", "u32", blocks * end, [3 * x % 2**32 for x in a])
    stop = case.scalar("end", type_, end)
    case.code(f"""
        sreg.u32 r20, lane.x
        sreg.u32 r19, block.x
        mov_imm.u32 r18, {end}
        mul.u32 r19, r19, r18
        cvt.{type_}.u32 r19, r19
        mov_imm.{type_} r28, {step}
        mov_imm.u32 r29, 3""")
    for turn in range(2 if array == "shared" else 1):
        case.code(f"""
        cvt.{type_}.u32 r21, r20
        loop{turn}:
        setge.{type_} p0, r21, {stop}
        bra.p0 @end{turn}
        add.{type_} r23, r19, r21""")
        if turn == 0:
            case.code(f"""
        ldg.u32 r32, [{source} + r23*4]
        mul.u32 r32, r32, r29""")
            if array == "shared":
                case.code("sts.u32 [s0 + r21*4], r32")
        else:
            case.code("lds.u32 r32, [s0 + r21*4]")
        if array != "shared" or turn == 1:
            case.code(f"stg.u32 [{target} + r23*4], r32")
        case.code(f"""
        add.{type_} r22, r21, r28
        setlt.{type_} p1, r22, r21
        bra.p1 @end{turn}
        mov.{type_} r21, r22
        bra @loop{turn}
        end{turn}:""")
        if array == "shared" and turn == 0:
            case.code("bar.sync 0")
    case.code("exit")
    return case


def leaving_case(lanes, key):
    """A search: a lane leaves at the end, or where it finds what it looks for, in any round."""
    case = Case(f"search_{lanes}_{key}", f"grid 1 block {lanes}")
    size, step = 400, 128
    a = [x % 64 for x in values_of("u32", size, "search")]
    source = case.read("a", "u32", a)
    found, counts = [], []
    for i in range(lanes):
        at = [c for c in range(i, size, step) if a[c] == key]
        found.append(at[0] if at else size)
        counts.append(len([c for c in range(i, size, step) if not at or c <= at[0]]))
    places = case.write("found", "u32", lanes, found)
    rounds = case.write("rounds", "u32", lanes, counts)
    stop, wanted = case.scalar("end", "u32", size), case.scalar("key", "u32", key)
    case.code(f"""
        sreg.u32 r20, global.x
        mov.u32 r21, r20
        mov.u32 r33, {stop}
        mov_imm.u32 r28, {step}
        mov_imm.u32 r29, 1
        mov_imm.u32 r30, 0
        loop:
        setge.u32 p0, r21, {stop}
        bra.p0 @end
        add.u32 r30, r30, r29
        ldg.u32 r32, [{source} + r21*4]
        setne.u32 p0, r32, {wanted}
        bra.p0 @next
        mov.u32 r33, r21
        bra @end
        next:
        add.u32 r22, r21, r28
        setlt.u32 p1, r22, r21
        bra.p1 @end
        mov.u32 r21, r22
        bra @loop
        end:
        stg.u32 [{places} + r20*4], r33
        stg.u32 [{rounds} + r20*4], r30
        exit""")
    return case


def uneven_case():
    """The loop inside of another whose rounds differ from lane to lane."""
    case = Case("nested_uneven", f"grid 1 block {LANES}")
    size, step = 300, 32
    a = values_of("u32", size, "nested")
    source = case.read("a", "u32", a)
    expected = [(1 + i % 3) * sum(a[c] for c in range(i, size, step)) % 2**32 for i in range(LANES)]
    sums = case.write("sums", "u32", LANES, expected)
    stop = case.scalar("end", "u32", size)
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r27, 3
        mov_imm.u32 r28, {step}
        mov_imm.u32 r29, 1
        mov_imm.u32 r31, 0
        rem.u32 r26, r20, r27
        mov_imm.u32 r25, 0
        outer:
        setgt.u32 p0, r25, r26
        bra.p0 @done
        mov.u32 r21, r20
        loop:
        setge.u32 p0, r21, {stop}
        bra.p0 @end
        ldg.u32 r32, [{source} + r21*4]
        add.u32 r31, r31, r32
        add.u32 r22, r21, r28
        setlt.u32 p1, r22, r21
        bra.p1 @end
        mov.u32 r21, r22
        bra @loop
        end:
        add.u32 r25, r25, r29
        bra @outer
        done:
        stg.u32 [{sums} + r20*4], r31
        exit""")
    return case


def while_case(type_):
    """b[c] = a[c] twice as far as a constant step goes, each time by all lanes."""
    end, step, lanes = 333, 64, 64
    case = Case(f"while_{type_}_constant", f"grid 1 block {lanes}")
    a = values_of("u32", end, "while")
    source, target = case.read("a", "u32", a), case.write("b", "u32", end, a)
    rounds = [len(range(i, end, step)) + len(range(i, end // 2, step)) for i in range(lanes)]
    counts = case.write("counts", "u32", lanes, rounds)
    stop, half = case.scalar("end", type_, end), case.scalar("half", type_, end // 2)
    case.code(f"""
        sreg.u32 r20, lane.x
        mov_imm.{type_} r28, {step}
        mov_imm.u32 r29, 1
        mov_imm.u32 r30, 0""")
    for name, limit in (("first", half), ("second", stop)):
        case.code(f"""
        cvt.{type_}.u32 r21, r20
        {name}:
        setge.{type_} p0, r21, {limit}
        bra.p0 @{name}_end
        ldg.u32 r32, [{source} + r21*4]
        stg.u32 [{target} + r21*4], r32
        add.u32 r30, r30, r29
        add.{type_} r21, r21, r28
        bra @{name}
        {name}_end:""")
    case.code(f"""
        stg.u32 [{counts} + r20*4], r30
        exit""")
    return case


def cases():
    made = []
    for type_ in ("u32", "i32", "u64", "i64"):
        for end in (0, 1, LANES, 300):
            made.append(sum_case(f"sum_{type_}_{end}", type_, 0, end, 64))
        made.append(sum_case(f"sum_{type_}_last", type_, 5, 200, 75, last=True))
    for type_ in ("u32", "i64"):
        made.append(sum_case(f"sum_{type_}_whole", type_, 0, 512, 128, WHOLE))
    # `while c < n: c += step`, whose rounds count on the budget.
    for type_ in ("u32", "i32"):
        for end in (0, LANES, 300):
            made.append(sum_case(f"while_{type_}_{end}", type_, 0, end, 64, checks=False))
        made.append(sum_case(f"while_{type_}_last", type_, 5, 200, 75, last=True, checks=False))
        made.append(while_case(type_))
    for type_ in ("i32", "i64"):
        made.append(sum_case(f"sum_{type_}_negative", type_, -100, 250, 64, 128))
        made.append(sum_case(f"sum_{type_}_turned", type_, 300, -1, 64, 128, turned=True))
        made.append(
            sum_case(f"sum_{type_}_turned_last", type_, 80, -200, 7, turned=True, last=True)
        )
    # Where the counter would leave its type: some lanes wrap, others do not.
    high = 2**31 - 1
    made.append(edge_case("edge_u32", "u32", 2**32 - 1, 2**31 + 40))
    made.append(edge_case("edge_u32_step", "u32", 2**32 - 30, 2**30))
    made.append(edge_case("edge_i32", "i32", high, 2**30 + 33))
    made.append(edge_case("edge_i32_least", "i32", high, 2**29, first=-(2**31)))
    made.append(edge_case("edge_u32_start", "u32", 2**32 - 1, 16, first=2**32 - 80))
    for type_ in ("u32", "i32", "u64"):
        for end in (0, 64, 100, 150) if type_ == "u32" else (150,):
            made.append(plain_case(f"plain_{type_}_{end}", type_, end, 64) if end else None)
            made.append(plain_case(f"tile_{type_}_{end}", type_, end, 64, array="shared"))
    made += [leaving_case(lanes, key) for lanes in (LANES, 128) for key in (3, 64)]
    return [case for case in [*made, uneven_case()] if case is not None]


def edge_case(name, type_, end, step, first=0):
    """Counts and sums of the counters themselves, and a[c] where that is an element."""
    case = Case(name, f"grid 1 block {LANES}")
    a = values_of("u32", 100, "edge")
    source = case.read("a", "u32", a)
    runs = [rounds_of(type_, of_type(type_, first + i), end, step)[0] for i in range(LANES)]
    counts = case.write("counts", "u32", LANES, [len(values) for values in runs])
    sums = case.write(
        "sums",
        "u32",
        LANES,
        [sum(c + (a[c] if 0 <= c < 100 else 0) for c in values) % 2**32 for values in runs],
    )
    start = case.scalar("first", type_, bits(type_, first))
    stop = case.scalar("end", type_, bits(type_, end))
    case.code(f"mov_imm.{type_} r27, 0")
    case.code(f"mov_imm.{type_} r28, {step}")
    case.code(f"mov_imm.{type_} r26, 100")
    head(case, type_, start, False, stop)
    case.code(f"""
        bitcast.u32.{type_} r33, r21
        add.u32 r31, r31, r33
        setlt.{type_} p2, r21, r27
        bra.p2 @over
        setge.{type_} p2, r21, r26
        bra.p2 @over
        ldg.u32 r32, [{source} + r21*4]
        add.u32 r31, r31, r32
        over:""")
    tail(case, type_, "r28", False)
    case.code(f"""
        stg.u32 [{sums} + r20*4], r31
        stg.u32 [{counts} + r20*4], r30
        exit""")
    return case
