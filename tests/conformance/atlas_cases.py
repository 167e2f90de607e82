"""Conformance cases of classes, neighbours, phase, resonance and pools. generate.py writes them."""

import random
from fractions import Fraction

import atlas_reference as atlas
from memory_cases import LANES, Case, size_of, values_of


def fault_at(case, name, lane, mnemonic, index):
    """The fault of the only instruction that begins with `mnemonic`."""
    code = [line.strip() for line in case.body if not line.endswith(":")]
    found = [pc for pc, line in enumerate(code) if line.startswith(mnemonic)]
    assert len(found) == 1, (mnemonic, code)
    case.fault = f"{name} lane {lane} pc {found[0]} index {index}"


# ---- Classes

TWICE = "grid 2 block 96"  # more classes than there are; the program takes the number modulo 96


def of_class_cases(name, mnemonic, type_, value_of):
    """All classes as data, as the number of a lane, and one for all lanes."""
    size = size_of(type_)
    order = list(range(atlas.CLASSES))
    random.Random(name).shuffle(order)
    data = Case(f"{name}_data", "grid 2 block 64")
    order += order[:32]
    a = data.read("a", "u8", order)
    d = data.write("d", type_, 128, [value_of(c) for c in order])
    data.code(f"""
        sreg.u32 r20, global.x
        ldg.u8 r21, [{a} + r20*1]
        {mnemonic.format("r22", "r21")}
        stg.{type_} [{d} + r20*{size}], r22
        exit""")
    counted = Case(f"{name}_lanes", TWICE)
    d = counted.write("d", type_, 192, [value_of(i % 96) for i in range(192)])
    counted.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r23, 96
        rem.u32 r24, r20, r23
        cvt.u8.u32 r21, r24
        {mnemonic.format("r22", "r21")}
        stg.{type_} [{d} + r20*{size}], r22
        exit""")
    uniform = Case(f"{name}_uniform")
    c = uniform.scalar("c", "u8", 91)
    d = uniform.write("d", type_, LANES, [value_of(91)] * LANES)
    uniform.code(f"""
        sreg.u32 r20, global.x
        {mnemonic.format("r22", c)}
        stg.{type_} [{d} + r20*{size}], r22
        exit""")
    return [data, counted, uniform]


def no_class_cases(name, mnemonic, type_):
    """The lowest lane whose class is 96 or more, where some lanes do not ask."""
    size = size_of(type_)
    cases = []
    for wrong, lane in ((96, 0), (96, 40), (255, LANES - 1)):
        classes = [(5 * i) % 96 for i in range(LANES)]
        classes[lane] = wrong
        if lane == 40:
            classes[7] = 200  # does not ask
            classes[41] = 201  # a higher lane
        case = Case(f"{name}_of_{wrong}_in_{lane}")
        a = case.read("a", "u8", classes)
        d = case.write("d", type_, LANES)
        case.code(f"""
            sreg.u32 r20, global.x
            ldg.u8 r21, [{a} + r20*1]
            mov_imm.u8 r23, 200
            seteq.u8 p0, r21, r23
            bra.p0 @end
            {mnemonic.format("r22", "r21")}
            stg.{type_} [{d} + r20*{size}], r22
            end:
            exit""")
        fault_at(case, "invalid_class", lane, mnemonic.split()[0], wrong)
        case.operand("r21", "u8", wrong)
        cases.append(case)
    case = Case(f"{name}_of_uniform_96")
    c = case.scalar("c", "u8", 96)
    d = case.write("d", type_, LANES)
    case.code(f"""
        sreg.u32 r20, global.x
        {mnemonic.format("r22", c)}
        stg.{type_} [{d} + r20*{size}], r22
        exit""")
    fault_at(case, "invalid_class", 0, mnemonic.split()[0], 96)
    return [*cases, case]


def mirror_cases():
    def mirrored_twice():
        case = Case("mirror_twice", "grid 1 block 96")
        d = case.write("d", "u8", 96, list(range(96)))
        case.code(f"""
            sreg.u32 r20, global.x
            cvt.u8.u32 r21, r20
            mirror.u8 r22, r21
            mirror.u8 r23, r22
            stg.u8 [{d} + r20*1], r23
            exit""")
        return case

    return [
        *of_class_cases("mirror", "mirror.u8 {}, {}", "u8", lambda c: atlas.MIRROR[c]),
        mirrored_twice(),
        *no_class_cases("mirror", "mirror.u8 {}, {}", "u8"),
    ]


def count_cases():
    def value(c):
        return len(atlas.NEIGHBOURS[c])

    return [
        *of_class_cases("nbr_count", "nbr.count.u32 {}, {}", "u32", value),
        *no_class_cases("nbr_count", "nbr.count.u32 {}, {}", "u32"),
    ]


def neighbour_cases():
    cases = []
    for k in range(6):
        mnemonic = f"nbr.get.u8 {{}}, {{}}, {k}"
        cases += of_class_cases(f"nbr_{k}", mnemonic, "u8", lambda c, k=k: atlas.neighbour(c, k))
    return cases + no_class_cases("nbr_5", "nbr.get.u8 {}, {}, 5", "u8")


def class_of_block_case():
    case = Case("cls_get", "grid 100,2 block 2,2,2 nondeterministic")
    expected = [0] * 1600
    for lane in range(1600):
        expected[lane] = lane // 8 % 100 % 96
    d = case.write("d", "u8", 1600, expected)
    case.code(f"""
        sreg.u64 r20, linear
        cls.get.u8 r21
        stg.u8 [{d} + r20*1], r21
        exit""")
    return case


def class_base_cases():
    """Every base, with blocks that pass class 95 once and more than once."""
    cases = []
    for base in (1, 5, 95):
        case = Case(
            f"cls_get_base_{base}", f"grid 200,2 block 3 class_base {base} nondeterministic"
        )
        expected = [(base + lane // 3 % 200) % 96 for lane in range(1200)]
        d = case.write("d", "u8", 1200, expected)
        case.code(f"""
            sreg.u64 r20, linear
            cls.get.u8 r21
            stg.u8 [{d} + r20*1], r21
            exit""")
        cases.append(case)
    # The class of the base stays below 96, as the verifier says: mirror does not check it.
    case = Case("cls_get_base_mirror", "grid 4 block 16 class_base 94 nondeterministic")
    expected = [atlas.MIRROR[(94 + lane // 16) % 96] for lane in range(64)]
    d = case.write("d", "u8", 64, expected)
    case.code(f"""
        sreg.u32 r20, global.x
        cls.get.u8 r21
        mirror.u8 r22, r21
        stg.u8 [{d} + r20*1], r22
        exit""")
    return [*cases, case]


def bound_map_cases():
    places = [(0, 0, 0), (0, 0, 255), (0, 1, 0), (1, 0, 0), (1, 2, 3), (5, 10, 20)]
    places += [(42, 10, 128), (95, 0, 0), (95, 47, 255)]
    generator = random.Random("bound")
    while len(places) < LANES:
        places.append(tuple(map(generator.randrange, (96, 48, 256))))

    def case_of(name, places):
        case = Case(name)
        a, b, c = (case.read(n, "u8", [p[i] for p in places]) for i, n in enumerate("abc"))
        d = case.write("d", "u64", LANES, [12288 * p[0] + 256 * p[1] + p[2] for p in places])
        case.code(f"""
            sreg.u32 r20, global.x
            ldg.u8 r21, [{a} + r20*1]
            ldg.u8 r22, [{b} + r20*1]
            ldg.u8 r23, [{c} + r20*1]
            bound.map.u64 r24, r21, r22, r23
            stg.u64 [{d} + r20*8], r24
            exit""")
        return case

    no_class = case_of("bound_map_of_no_class", [*places[:30], (96, 48, 0), *places[31:]])
    no_class.results = []
    fault_at(no_class, "invalid_class", 30, "bound.map", 96)
    no_page = case_of("bound_map_of_no_page", [*places[:9], (3, 48, 0), (96, 0, 0), *places[11:]])
    no_page.results = []
    fault_at(no_page, "invalid_coordinates", 9, "bound.map", 48)
    no_page.operand("r22", "u8", 48)
    uniform = Case("bound_map_uniform")
    c, p, b = (uniform.scalar(n, "u8", v) for n, v in (("c", 95), ("p", 47), ("b", 255)))
    d = uniform.write("d", "u64", LANES, [1179647] * LANES)
    uniform.code(f"""
        sreg.u32 r20, global.x
        bound.map.u64 r24, {c}, {p}, {b}
        stg.u64 [{d} + r20*8], r24
        exit""")
    return [case_of("bound_map", places), uniform, no_class, no_page]


# ---- Phase


def phase_cases():
    cases = []
    for phase, delta in ((750, 30), (760, 20), (767, 1), (0, 65535), (5, 768), (3, 0)):
        case = Case(f"phase_{phase}_plus_{delta}", "grid 3 block 20")
        before = [(phase + i // 20) % 768 for i in range(60)]
        d = case.write("d", "u32", 60, before)
        e = case.write("e", "u32", 60, [(p + delta) % 768 for p in before])
        case.before = [f"phase {phase}"]
        case.after = [f"phase {(phase + delta) % 768}"]
        case.code(f"""
            sreg.u32 r20, global.x
            phase.get.u32 r21
            phase.adv {delta}
            phase.get.u32 r22
            stg.u32 [{d} + r20*4], r21
            stg.u32 [{e} + r20*4], r22
            exit""")
        cases.append(case)
    return [*cases, phase_of_blocks(), phase_by_lane(0), phase_by_lane(1), phase_barrier(), idle()]


def phase_of_blocks():
    case = Case("phase_of_blocks", "grid 40,5,6 block 2,1,2 nondeterministic")
    d = case.write("d", "u32", 4800, [(700 + i // 4) % 768 for i in range(4800)])
    case.before = case.after = ["phase 700"]
    case.code(f"""
        sreg.u64 r20, linear
        phase.get.u32 r21
        stg.u32 [{d} + r20*4], r21
        exit""")
    return case


def phase_by_lane(first):
    """Each lane steps as often as its number says, lane 0 not at all or once."""
    case = Case(f"phase_by_lane_from_{first}")
    d = case.write("d", "u32", LANES, [(100 + 11 * (i + first)) % 768 for i in range(LANES)])
    case.before = ["phase 100"]
    case.after = [f"phase {100 + 11 * first}"]
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, {first}
        add.u32 r21, r21, r20
        mov_imm.u32 r22, 0
        mov_imm.u32 r23, 1
        head:
        setge.u32 p0, r22, r21
        bra.p0 @end
        phase.adv 11
        add.u32 r22, r22, r23
        bra @head
        end:
        phase.get.u32 r24
        stg.u32 [{d} + r20*4], r24
        exit""")
    return case


def phase_barrier():
    """What a lane has before a barrier, it has after."""
    case = Case("phase_barrier", "grid 2 block 75")
    d = case.write("d", "u32", 150, [(i // 75 + i % 75 % 3 * 2 + 500) % 768 for i in range(150)])
    case.after = ["phase 500"]
    case.code(f"""
        sreg.u32 r20, lane.x
        sreg.u32 r26, global.x
        mov_imm.u32 r21, 3
        rem.u32 r22, r20, r21
        mov_imm.u32 r23, 0
        mov_imm.u32 r24, 1
        seteq.u32 p0, r22, r23
        bra.p0 @wait
        phase.adv 2
        seteq.u32 p0, r22, r24
        bra.p0 @wait
        phase.adv 2
        wait:
        bar.sync 0
        phase.adv 500
        phase.get.u32 r25
        stg.u32 [{d} + r26*4], r25
        exit""")
    return case


def idle():
    """Lane 0 ends before it steps."""
    case = Case("phase_idle")
    d = case.write("d", "u32", LANES, [0] + [9] * (LANES - 1))
    case.after = ["phase 0"]
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 0
        seteq.u32 p0, r20, r21
        bra.p0 @end
        phase.adv 9
        phase.get.u32 r22
        stg.u32 [{d} + r20*4], r22
        end:
        exit""")
    return case


# ---- Resonance


def accumulate(name, type_, values, classes, before=None):
    """All lanes add; `values` are bits."""
    case = Case(name)
    size = size_of(type_)
    resonance = {c: Fraction(0) for c in classes}
    resonance.update(before or {})
    for c, bits in zip(classes, values):
        resonance[c] += atlas.fraction_of(type_, bits)
    case.before = [
        f"resonance {c} {f.numerator}/{f.denominator}" for c, f in (before or {}).items()
    ]
    case.after = [
        f"resonance {c} {f.numerator}/{f.denominator}" for c, f in sorted(resonance.items())
    ]
    a = case.read("a", type_, values)
    c = case.read("c", "u8", classes)
    case.launch = f"grid 1 block {len(values)}"
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.{type_} r21, [{a} + r20*{size}]
        ldg.u8 r22, [{c} + r20*1]
        res.accum.{type_} r22, r21
        exit""")
    return case


def accumulate_cases():
    generator = random.Random("resonance")
    cases = []
    for type_ in ("i32", "i64", "f32", "f64"):
        if type_ in ("i32", "i64"):
            values = values_of(type_, LANES, "resonance")
            values = [v >> 8 for v in values] if type_ == "i64" else values
        else:
            values = [atlas.bits_of(type_, generator.uniform(-9, 9)) for _ in range(LANES)]
            values[:4] = [atlas.bits_of(type_, v) for v in (0.25, -0.0, 2.0**-62, 2.0**-40)]
        classes = [generator.randrange(96) for _ in range(LANES)]
        cases.append(accumulate(f"res_accum_{type_}", type_, values, classes))
    thirds = {7: Fraction(1, 3), 8: Fraction(1, 2) + Fraction(1, 3), 95: Fraction(-5, 6)}
    half = atlas.bits_of("f64", 0.5)
    cases.append(accumulate("res_accum_halves", "f64", [half] * 6, [7, 8, 8, 95, 7, 0], thirds))
    cases.append(
        accumulate("res_accum_v59", "f32", [atlas.bits_of("f32", v) for v in (0.5, 0.25)], [3, 3])
    )
    # What does not fit on the way does not matter.
    large = [1 << 62, 1 << 62, 1 << 62, (1 << 64) - (1 << 62), (1 << 64) - (1 << 62)]
    cases.append(accumulate("res_accum_large", "i64", large, [5] * 5))
    low = {6: Fraction(-1)}
    cases.append(accumulate("res_accum_to_the_end", "i64", [(1 << 63) - 1, 1], [6, 6], low))
    return cases


def refused_value_cases():
    cases = []
    for type_, value in (
        ("f64", float("nan")),
        ("f64", float("inf")),
        ("f64", 2.0**63),
        ("f64", 2.0**-63),
        ("f64", 1 + 2.0**-52),
        ("f32", float("-inf")),
        ("f32", 1e-30),
        ("f32", 3e38),
    ):
        bits = [atlas.bits_of(type_, 1.0)] * LANES
        bits[44] = atlas.bits_of(type_, value)
        if atlas.fraction_of(type_, bits[44]) is not None:
            cases.append(accumulate(f"res_accum_of_{len(cases)}", type_, bits, [1] * LANES))
            continue
        case = Case(f"res_accum_overflow_{len(cases)}")
        a = case.read("a", type_, bits)
        case.before = case.after = ["resonance 1 2/3"]
        case.code(f"""
            sreg.u32 r20, global.x
            ldg.{type_} r21, [{a} + r20*{size_of(type_)}]
            mov_imm.u8 r22, 1
            res.accum.{type_} r22, r21
            exit""")
        fault_at(case, "resonance_overflow", 44, "res.accum", 1)
        case.operand("r22", "u8", 1)
        case.operand("r21", type_, bits[44])
        cases.append(case)
    return cases


def unity_cases():
    """A lane sees the resonance of the start and what it added itself."""
    cases = []
    before = {3: Fraction(1, 3), 9: Fraction(-1, 3), 50: Fraction(-5), 60: Fraction(1, 7)}
    bounds = ["0", "1e-300", "0.14285714285714285", "0.14285714285714288", "1", "inf"]
    for offset in (0, 5):
        own = [Fraction(offset)] + [Fraction(i % 13 - 6) for i in range(1, LANES)]
        start = sum(before.values())
        case = Case(f"unity_test_{offset}")
        a = case.read("a", "i32", [atlas.bits_of("i32", int(v)) for v in own])
        case.before = [f"resonance {c} {f.numerator}/{f.denominator}" for c, f in before.items()]
        code = f"""
            sreg.u32 r20, global.x
            ldg.i32 r21, [{a} + r20*4]
            mov_imm.u8 r22, 17
            res.accum.i32 r22, r21
            mov_imm.u8 r23, 1
            mov_imm.u8 r24, 0"""
        for k, bound in enumerate(bounds):
            expected = []
            for value in own:
                total = abs(start + value)
                limit = float(bound)
                if limit in (0.0, float("inf")):
                    expected.append(int(total == 0 if limit == 0 else True))
                else:
                    expected.append(int(total < Fraction(limit)))
            d = case.write(f"d{k}", "u8", LANES, expected)
            code += f"""
            unity.test.f64 p0, {bound}
            sel.u8 r25, p0, r23, r24
            stg.u8 [{d} + r20*1], r25"""
        case.code(code + "\n            exit")
        cases.append(case)
    zero = Case("unity_test_zero")
    d = zero.write("d", "u8", LANES, [1, 0] * (LANES // 2) + [1])
    zero.before = ["resonance 1 1/3", "resonance 2 -4/3"]
    zero.after = [f"resonance 90 {LANES // 2 + 1}/1"]
    zero.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 1
        and.u32 r22, r20, r21
        seteq.u32 p0, r22, r21
        bra.p0 @test
        mov_imm.f64 r23, 1.0
        mov_imm.u8 r24, 90
        res.accum.f64 r24, r23
        test:
        unity.test.f64 p1, 0
        mov_imm.u8 r25, 1
        mov_imm.u8 r26, 0
        sel.u8 r27, p1, r25, r26
        stg.u8 [{d} + r20*1], r27
        exit""")
    return [*cases, zero]


# ---- Pools


def pool_type_case(type_):
    """What is stored at any byte is what is loaded; pools are zero at first."""
    size = size_of(type_)
    values = values_of(type_, LANES, "pool")
    case = Case(f"pool_{type_}")
    a = case.read("a", type_, values)
    d = case.write("d", type_, LANES, values)
    e = case.write("e", type_, LANES, [0] * LANES)
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.{type_} r21, [{a} + r20*{size}]
        pool.alloc.u64 r22, {3 * size}
        pool.alloc.u64 r23, {3 * size}
        mov_imm.u64 r24, {size + size // 2}
        pool.store.{type_} r22, r24, r21
        pool.load.{type_} r25, r22, r24
        pool.load.{type_} r26, r23, r24
        stg.{type_} [{d} + r20*{size}], r25
        stg.{type_} [{e} + r20*{size}], r26
        exit""")
    return case


def pool_fault(name, fault, lane, mnemonic, index, code):
    case = Case(name)
    a = case.read("a", "u64", [100 if i == lane else 0 for i in range(LANES)])
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.u64 r21, [{a} + r20*8]
        mov_imm.f32 r30, 1.0
        mov_imm.u64 r31, 0
        {code}
        exit""")
    fault_at(case, fault, lane, mnemonic, index)
    if name == "pool_unknown":
        case.operand("r21", "u64", index)
    return case


def pool_cases():
    cases = [pool_type_case(t) for t in ALL_TYPES]
    for offset, ok in ((12, True), (13, False), (15, False), (16, False), ((1 << 64) - 2, False)):
        case = Case(f"pool_store_at_{offset}")
        d = case.write("d", "u64", LANES, [1] * LANES if ok else None)
        case.code(f"""
            sreg.u32 r20, global.x
            pool.alloc.u64 r21, 16
            mov_imm.u64 r22, {offset}
            mov_imm.f32 r23, 2.5
            pool.store.f32 r21, r22, r23
            stg.u64 [{d} + r20*8], r21
            exit""")
        if not ok:
            shown = offset - (1 << 64) if offset >> 63 else offset
            fault_at(case, "pool_out_of_bounds", 0, "pool.store", shown)
            case.operand("r21", "u64", 1)
            case.operand("r22", "u64", offset)
        cases.append(case)
    cases += [
        pool_fault(
            "pool_free_twice",
            "invalid_pool",
            0,
            "pool.free r23",
            1,
            """pool.alloc.u64 r22, 8
            mov.u64 r23, r22
            pool.free r22
            pool.free r23""",
        ),
        pool_fault("pool_free_0", "invalid_pool", 0, "pool.free", 0, "pool.free r31"),
        pool_fault(
            "pool_unknown", "invalid_pool", 33, "pool.load", 100, "pool.load.f32 r22, r21, r31"
        ),
        pool_fault(
            "pool_load_after_free",
            "invalid_pool",
            0,
            "pool.load",
            1,
            """pool.alloc.u64 r22, 8
            pool.free r22
            pool.load.f32 r23, r22, r31""",
        ),
        pool_fault(
            "pool_empty",
            "pool_out_of_bounds",
            0,
            "pool.load",
            0,
            """pool.alloc.u64 r22, 0
            pool.load.u8 r23, r22, r31""",
        ),
        pool_fault(
            "pool_too_large",
            "pool_memory",
            0,
            "pool.alloc.u64 r23",
            200000,
            """pool.alloc.u64 r22, 62144
            pool.free r22
            pool.alloc.u64 r24, 62145
            pool.alloc.u64 r23, 200000""",
        ),
        class_memory_case(),
        *class_handle_cases(),
    ]
    for offset in (12286, 12285, 1179646, 1179648, (1 << 64) - 4):
        shown = offset - (1 << 64) if offset >> 63 else offset
        cases.append(
            pool_fault(
                f"class_memory_at_{offset}",
                "pool_out_of_bounds",
                0,
                "pool.load",
                shown,
                f"""mov_imm.u64 r22, {offset}
                pool.load.f32 r23, r31, r22""",
            )
        )
    return cases


def class_handle_cases():
    """A class by its own handle, from its first byte to its last."""
    case = Case("class_handle", "grid 1 block 1 nondeterministic")
    d = case.write("d", "u32", 2, [123456789, 987654321])
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u64 r21, 0xffffffffffffffff
        mov_imm.u64 r22, 12284
        mov_imm.u32 r23, 123456789
        mov_imm.u64 r24, 0xffffffffffffffa0
        mov_imm.u64 r25, 0
        mov_imm.u32 r26, 987654321
        pool.store.u32 r21, r22, r23
        pool.store.u32 r24, r25, r26
        ldg.u32 r27, [phi(95, 47, 252)]
        ldg.u32 r28, [phi(0, 0, 0)]
        stg.u32 [{d} + r20*4], r27
        stg.u32 [{d} + r20*4 + 4], r28
        exit""")
    cases = [case]
    for name, handle, offset, fault, index in (
        ("class_handle_end", "0xffffffffffffffa7", "12285", "pool_out_of_bounds", 12285),
        ("class_handle_far", "0xffffffffffffffa7", "-1", "pool_out_of_bounds", -1),
        ("class_handle_none", "0xffffffffffffff9f", "0", "invalid_pool", -97),
        ("class_handle_free", "0xffffffffffffffa0", "0", "invalid_pool", -96),
    ):
        offset = "0xffffffffffffffff" if offset == "-1" else offset
        access = "pool.free r21" if name.endswith("free") else "pool.load.f32 r23, r21, r22"
        code = f"""mov_imm.u64 r21, {handle}
            mov_imm.u64 r22, {offset}
            {access}"""
        cases.append(pool_fault(name, fault, 0, access.split(" ")[0], index, code))
    return cases


def class_memory_case():
    """Each lane has the last bytes of a class of its own."""
    case = Case("class_memory", "grid 1 block 96 nondeterministic")
    values = values_of("u32", 96, "classes")
    a = case.read("a", "u32", values)
    d = case.write("d", "u32", 96, values)
    e = case.write("e", "u32", 96, [0] * 96)
    case.code(f"""
        sreg.u32 r20, global.x
        cvt.u8.u32 r21, r20
        mov_imm.u8 r22, 47
        mov_imm.u8 r23, 252
        bound.map.u64 r24, r21, r22, r23
        mov_imm.u64 r25, 0
        mov_imm.u64 r26, 4
        sub.u64 r27, r24, r26
        ldg.u32 r28, [{a} + r20*4]
        pool.store.u32 r25, r24, r28
        pool.load.u32 r29, r25, r24
        pool.load.u32 r30, r25, r27
        stg.u32 [{d} + r20*4], r29
        stg.u32 [{e} + r20*4], r30
        exit""")
    return case


ALL_TYPES = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64")


def phi_cases():
    """LDG and STG at fixed places of the class memory, up to the last byte of a class."""
    cases = []
    for type_ in ALL_TYPES:
        size = size_of(type_)
        value = values_of(type_, 1, "phi")[0]
        case = Case(f"phi_{type_}", "grid 1 block 1 nondeterministic")
        a = case.read("a", type_, [value])
        d = case.write("d", type_, 3, [value, 0, value])
        last = 256 - size
        case.code(f"""
            sreg.u32 r20, global.x
            ldg.{type_} r21, [{a} + r20*{size}]
            stg.{type_} [phi(95, 47, {last})], r21
            ldg.{type_} r22, [phi(95, 47, {last})]
            ldg.{type_} r23, [phi(94, 47, {last})]
            mov_imm.u64 r24, {95 * 12288 + 47 * 256 + last}
            ldg.{type_} r25, [boundary + r24]
            stg.{type_} [{d} + r20*{size}], r22
            stg.{type_} [{d} + r20*{size} + {size}], r23
            stg.{type_} [{d} + r20*{size} + {2 * size}], r25
            exit""")
        cases.append(case)
    return cases


def boundary_cases():
    """LDG and STG at places that BOUND.MAP gives, and outside of a class."""
    values = values_of("u16", 96, "boundary")
    case = Case("boundary", "grid 1 block 96 nondeterministic")
    a = case.read("a", "u16", values)
    d = case.write("d", "u16", 96, values)
    e = case.write("e", "u16", 1, [values[17]])
    case.code(f"""
        sreg.u32 r20, global.x
        cvt.u8.u32 r21, r20
        mov_imm.u8 r22, 3
        bound.map.u64 r24, r21, r22, r21
        ldg.u16 r25, [{a} + r20*2]
        stg.u16 [boundary + r24], r25
        ldg.u16 r26, [boundary + r24]
        stg.u16 [{d} + r20*2], r26
        mov_imm.u32 r27, 17
        setne.u32 p0, r20, r27
        bra.p0 @end
        mov_imm.u32 r28, 0
        ldg.u16 r29, [phi(17, 3, 17)]
        stg.u16 [{e} + r28*2], r29
        end:
        exit""")
    cases = [case]
    for offset, lane in ((12287, 0), (1179647, 70), (1179648, 12), ((1 << 64) - 1, 3)):
        places = [12288 * i for i in range(LANES)]
        places[lane] = offset
        for op in ("ldg", "stg"):
            case = Case(f"boundary_{op}_at_{offset}", f"grid 1 block {LANES} nondeterministic")
            a = case.read("a", "u64", places)
            access = "ldg.u16 r22, [boundary + r21]"
            if op == "stg":
                access = "stg.u16 [boundary + r21], r23"
            case.code(f"""
                sreg.u32 r20, global.x
                ldg.u64 r21, [{a} + r20*8]
                mov_imm.u16 r23, 7
                {access}
                exit""")
            shown = offset - (1 << 64) if offset >> 63 else offset
            fault_at(case, "pool_out_of_bounds", lane, access.split(" ")[0] + " ", shown)
            cases.append(case)
    return cases


def files():
    return {
        "atlas/mirror": mirror_cases(),
        "atlas/nbr-count": count_cases(),
        "atlas/nbr-get": neighbour_cases(),
        "atlas/cls-get": [class_of_block_case(), *class_base_cases()],
        "atlas/bound-map": bound_map_cases(),
        "atlas/phase": phase_cases(),
        "atlas/res-accum": [*accumulate_cases(), *refused_value_cases()],
        "atlas/unity-test": unity_cases(),
        "atlas/pool": pool_cases(),
        "atlas/phi": phi_cases(),
        "atlas/boundary": boundary_cases(),
    }
