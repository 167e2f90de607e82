"""Conformance cases that are more than one instruction on operands: accesses, atomics, ids, control
flow, barriers and faults. generate.py writes them; expectations are computed here, in Python."""

import itertools
import random

import isa_reference as isa

LANES = 75  # more than one vector, and no multiple of one


def words(name, type_, values, width=98):
    lines, line = [], f"{name} ="
    for value in values:
        word = f" {value:0{isa.bits_of(type_) // 4}x}"
        if len(line) + len(word) > width:
            lines.append(line)
            line = " "
        line += word
    return [*lines, line]


class Case:
    """Parameters arrive in r1, r2, ... in the order of the calls."""

    def __init__(self, name, launch=f"grid 1 block {LANES}"):
        self.name, self.launch = name, launch
        self.header, self.body, self.scalars, self.buffers, self.results = [], [], [], [], []
        self.before, self.after = [], []  # of the stream
        self.fault = None
        self.operands = []  # that decided about the fault
        self.prints = []  # lane and quoted text
        self.registers = 0

    def _register(self):
        self.registers += 1
        return f"r{self.registers}"

    def read(self, name, type_, values):
        self.header.append(f".param {name} {type_}[] in")
        self.buffers += words(name, type_, values)
        return self._register()

    def write(self, name, type_, count, expected=None):
        self.header.append(f".param {name} {type_}[] out")
        self.buffers.append(f"{name} = zero {count}")
        if expected is not None:
            self.results += words(name, type_, expected)
        return self._register()

    def update(self, name, type_, values, expected=None):
        self.header.append(f".param {name} {type_}[] inout")
        self.buffers += words(name, type_, values)
        if expected is not None:
            self.results += words(name, type_, expected)
        return self._register()

    def scalar(self, name, type_, bits):
        self.header.append(f".param {name} {type_}")
        self.scalars += words(name, type_, [bits])
        return self._register()

    def shared(self, name, type_, count):
        self.header.append(f".shared {name} {type_} {count}")

    def operand(self, register, type_, bits):
        digits = 2 * size_of(type_)
        self.operands.append(f"{register}.{type_} = {bits:0{digits}x}")

    def code(self, text):
        self.body += [
            line if line.endswith(":") else "  " + line.strip()
            for line in text.strip().splitlines()
            for line in [line.strip()]
        ]

    def text(self):
        out = ["-- asm", f".kernel {self.name}", *self.header, *self.body]
        out += ["-- launch", self.launch]
        if self.scalars:
            out += ["-- scalars", *self.scalars]
        if self.buffers:
            out += ["-- buffers", *self.buffers]
        if self.before:
            out += ["-- stream", *self.before]
        if self.after:
            out += ["-- stream after", *self.after]
        if self.results:
            out += ["-- result", *self.results]
        if self.prints:
            out += ["-- prints", *self.prints]
        if self.fault:
            out += ["-- fault", self.fault]
        if self.operands:
            out.append("operands " + ", ".join(self.operands))
        return "\n".join(out)


def size_of(type_):
    return isa.bits_of(type_) // 8


def values_of(type_, count, seed):
    generator = random.Random(f"{type_}{seed}")
    return [generator.getrandbits(isa.bits_of(type_)) for _ in range(count)]


def access_cases():
    """d[i] = a[i + shift], by a displacement in bytes; shifts back start at lane `shift`."""
    cases = []
    for type_, shift in itertools.product(isa.TYPES, (3, -2)):
        case = Case(f"ldg_{type_}_{'plus' if shift > 0 else 'minus'}")
        back = max(0, -shift)
        a = values_of(type_, LANES + max(0, shift), "a")
        expected = [0] * back + [a[i + shift] for i in range(back, LANES)]
        source, target = case.read("a", type_, a), case.write("d", type_, LANES, expected)
        size = size_of(type_)
        sign = "+" if shift > 0 else "-"
        case.code(f"""
            sreg.u32 r20, global.x
            mov_imm.u32 r21, {back}
            setlt.u32 p0, r20, r21
            bra.p0 @end
            ldg.{type_} r30, [{source} + r20*{size} {sign} {abs(shift) * size}]
            stg.{type_} [{target} + r20*{size}], r30
            end:
            exit""")
        cases.append(case)
    return cases


def index_type_cases():
    """Gather through an index buffer of every integer type, in bounds and not."""
    cases = []
    order = list(range(LANES))
    random.Random(5).shuffle(order)
    for type_ in isa.INTEGERS:
        case = Case(f"gather_{type_}")
        a = values_of("i32", LANES, "g")
        source, index = case.read("a", "i32", a), case.read("index", type_, order)
        target = case.write("d", "i32", LANES, [a[k] for k in order])
        case.code(gather(type_, source, index, target))
        cases.append(case)

        low, high = isa.limits(type_)
        for name, bad in (("past", LANES), ("high", high), ("low", low)):
            if 0 <= bad < LANES:
                continue
            case = Case(f"gather_{type_}_{name}")
            indices = list(order)
            indices[41] = indices[66] = isa.from_int(type_, bad)
            case.read("a", "i32", a)
            case.read("index", type_, indices)
            case.write("d", "i32", LANES)
            case.code(gather(type_, source, index, target))
            shown = bad if bad < 2**63 else bad - 2**64
            case.fault = f"out_of_bounds lane 41 pc 2 index {shown}"
            case.operand("r21", type_, indices[41])
            cases.append(case)
    return cases


def gather(type_, source, index, target):
    return f"""
        sreg.u32 r20, global.x
        ldg.{type_} r21, [{index} + r20*{size_of(type_)}]
        ldg.i32 r30, [{source} + r21*4]
        stg.i32 [{target} + r20*4], r30
        exit"""


def wrapping_index_cases():
    """A narrow index that counts up with the lane and starts again: lanes are neighbours, elements not."""
    lanes = 300
    cases = []
    for type_ in ("u8", "i8"):
        case = Case(f"wrapping_{type_}", f"grid 3 block {lanes // 3}")
        a = values_of("i32", 256, "w")
        source = case.read("a", "i32", a)
        in_bounds = type_ == "u8"
        target = case.write(
            "d", "i32", lanes, [a[i % 256] for i in range(lanes)] if in_bounds else None
        )
        case.code(f"""
            sreg.u32 r20, global.x
            cvt.{type_}.u32 r21, r20
            ldg.i32 r30, [{source} + r21*4]
            stg.i32 [{target} + r20*4], r30
            exit""")
        if not in_bounds:
            case.fault = "out_of_bounds lane 128 pc 2 index -128"
        cases.append(case)
    return cases


def displaced_fault_cases():
    """The index of a fault is that of the element: index register plus displacement."""
    cases = []
    for name, shift, bad, element in (("plus", 4, LANES - 2, LANES + 2), ("minus", -3, 1, -2)):
        case = Case(f"gather_displaced_{name}")
        indices = [20] * LANES
        indices[7] = bad
        source = case.read("a", "i32", values_of("i32", LANES, "d"))
        index = case.read("index", "u32", indices)
        target = case.write("d", "i32", LANES)
        sign = "+" if shift > 0 else "-"
        case.code(
            gather("u32", source, index, target).replace(
                "r21*4]", f"r21*4 {sign} {abs(shift) * 4}]"
            )
        )
        case.fault = f"out_of_bounds lane 7 pc 2 index {element}"
        cases.append(case)
    return cases


def scalar_index_cases():
    """All lanes store at an index that is a scalar of 64 bits and a displacement: their sum does not
    wrap, so it is outside of every array where 64 bits cannot hold it."""
    cases = []
    for name, type_, index, shift in (
        ("inside", "u64", 3, 8),
        ("wraps_inside", "u64", 2**64 - 1, 8),
        ("wraps_to_first", "u64", 2**64 - 8, 8),
        ("below_first", "u64", 3, -8),
        ("beyond_signed", "i64", 2**63 - 1, 8),
        ("below_signed", "i64", -(2**63), -8),
    ):
        case = Case(f"scalar_index_{name}", f"grid 1 block {LANES} nondeterministic")
        at = case.scalar("k", type_, index % 2**64)
        inside = 0 <= index + shift < 16
        values = [7 if inside and i == index + shift else 0 for i in range(16)]
        target = case.write("d", "u32", 16, values if inside else None)
        case.code(f"""
            mov_imm.u32 r20, 7
            stg.u32 [{target} + {at}*4 {"+" if shift > 0 else "-"} {abs(shift) * 4}], r20
            exit""")
        if not inside:
            element = (index + shift + 2**63) % 2**64 - 2**63
            case.fault = f"out_of_bounds lane 0 pc 1 index {element}"
        cases.append(case)
    return cases


def fault_after_store_cases():
    """Lanes that fault after they have stored: what was stored is there once, also where a chunk of
    lanes is run again after a fault."""
    lanes, bad = 200, 130
    launch = f"grid 2 block {lanes // 2}"
    cases = []

    def updating(name, seed, first, first_of_bad):
        """A case with an array to read, one to update, one to write."""
        case = Case(name, launch)
        source = case.read("a", "i32", values_of("i32", lanes, seed))
        indices = [first_of_bad if i == bad else first for i in range(lanes)]
        return case, source, case.update("s", "u32", indices), case.write("d", "i32", lanes)

    case, source, state, target = updating("gather_after_update", "u", 50, 120)
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r22, 100
        ldg.u32 r21, [{state} + r20*4]
        add.u32 r21, r21, r22
        stg.u32 [{state} + r20*4], r21
        ldg.i32 r30, [{source} + r21*4]
        stg.i32 [{target} + r20*4], r30
        exit""")
    case.fault = f"out_of_bounds lane {bad} pc 5 index 220"
    cases.append(case)

    case, source, state, target = updating("gather_and_update_in_turn", "v", 70, 115)
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r22, 45
        mov_imm.u32 r23, 2
        again:
        ldg.u32 r21, [{state} + r20*4]
        ldg.i32 r30, [{source} + r21*4]
        add.u32 r21, r21, r22
        stg.u32 [{state} + r20*4], r21
        loop r23, @again
        stg.i32 [{target} + r20*4], r30
        exit""")
    case.fault = f"out_of_bounds lane {bad} pc 4 index 205"
    cases.append(case)

    case = Case("gather_and_store_in_turn", launch + " nondeterministic")
    indices = [(7 * i) % (lanes - 3) for i in range(lanes)]
    indices[bad], indices[bad + 1] = lanes - 2, lanes
    source = case.read("a", "i32", values_of("i32", lanes, "w"))
    index = case.read("index", "u32", indices)
    target = case.write("d", "i32", 4 * lanes)
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r22, 1
        mov_imm.u32 r23, 4
        mul.u32 r24, r20, r23
        mov_imm.u32 r25, 3
        ldg.u32 r21, [{index} + r20*4]
        again:
        ldg.i32 r30, [{source} + r21*4]
        stg.i32 [{target} + r24*4], r30
        add.u32 r21, r21, r22
        add.u32 r24, r24, r22
        loop r25, @again
        exit""")
    case.fault = f"out_of_bounds lane {bad} pc 6 index {lanes}"
    cases.append(case)
    return cases


def scatter_cases():
    cases = []
    order = list(range(LANES))
    random.Random(6).shuffle(order)
    for type_ in isa.TYPES:
        a = values_of(type_, LANES, "s")
        expected = [0] * LANES
        for i, k in enumerate(order):
            expected[k] = a[i]
        case = Case(f"scatter_{type_}", f"grid 1 block {LANES} nondeterministic")
        source, index = case.read("a", type_, a), case.read("index", "u32", order)
        target = case.write("d", type_, LANES, expected)
        size = size_of(type_)
        case.code(f"""
            sreg.u32 r20, global.x
            ldg.u32 r21, [{index} + r20*4]
            ldg.{type_} r30, [{source} + r20*{size}]
            stg.{type_} [{target} + r21*{size}], r30
            exit""")
        cases.append(case)
    bad = Case("scatter_past", f"grid 1 block {LANES} nondeterministic")
    order[12] = order[13] = LANES
    source, index = bad.read("a", "u8", [1] * LANES), bad.read("index", "u32", order)
    target = bad.write("d", "u8", LANES)
    bad.code(f"""
        sreg.u32 r20, global.x
        ldg.u32 r21, [{index} + r20*4]
        ldg.u8 r30, [{source} + r20*1]
        stg.u8 [{target} + r21*1], r30
        exit""")
    bad.fault = f"out_of_bounds lane 12 pc 3 index {LANES}"
    return [*cases, bad]


def shared_cases():
    """Every block reverses its part of a; what is not written is zero."""
    cases = []
    block, grid = 24, 3
    for type_ in isa.TYPES:
        a = values_of(type_, block * grid, "r")
        expected = [a[b * block + block - 1 - i] for b in range(grid) for i in range(block)]
        case = Case(f"reverse_{type_}", f"grid {grid} block {block}")
        source = case.read("a", type_, a)
        target = case.write("d", type_, block * grid, expected)
        fresh = case.write("z", type_, block * grid, [0] * (block * grid))
        case.shared("tile", type_, block)
        case.shared("untouched", type_, block)
        size = size_of(type_)
        case.code(f"""
            sreg.u32 r20, global.x
            sreg.u32 r21, lane.x
            ldg.{type_} r30, [{source} + r20*{size}]
            sts.{type_} [s0 + r21*{size}], r30
            bar.sync 0
            mov_imm.u32 r22, {block - 1}
            sub.u32 r22, r22, r21
            lds.{type_} r31, [s0 + r22*{size}]
            lds.{type_} r32, [s1 + r21*{size}]
            stg.{type_} [{target} + r20*{size}], r31
            stg.{type_} [{fresh} + r20*{size}], r32
            exit""")
        cases.append(case)
    return cases


ATOMICS = ("add", "min", "max", "and", "or", "xor", "exchange")
ATOMIC_TYPES = ("i32", "i64", "u32", "u64")


def atomic_operands(type_):
    low, high = isa.limits(type_)
    edges = [isa.from_int(type_, v) for v in (0, 1, -1, low, high, high - 1, 5, -6, high // 3)]
    rows = list(itertools.product(edges, repeat=2))
    return [a for a, _ in rows], [b for _, b in rows]


def atomic_global_cases():
    """Each lane updates its own element, and every lane one common element."""
    cases = []
    for type_, operation in itertools.product(ATOMIC_TYPES, ATOMICS):
        old, value = atomic_operands(type_)
        new = [isa.atomic(operation, type_, a, b) for a, b in zip(old, value)]
        case = Case(f"atg_{operation}_{type_}", f"grid 1 block {len(old)} nondeterministic")
        a = case.update("a", type_, old, new)
        b = case.read("b", type_, value)
        d = case.write("d", type_, len(old), old)
        size = size_of(type_)
        case.code(f"""
            sreg.u32 r20, global.x
            ldg.{type_} r30, [{b} + r20*{size}]
            atg.{operation}.{type_} r31, [{a} + r20*{size}], r30
            stg.{type_} [{d} + r20*{size}], r31
            exit""")
        cases.append(case)
        if operation == "exchange":
            continue
        total = old[0]
        for one in value:
            total = isa.atomic(operation, type_, total, one)
        case = Case(f"atg_{operation}_{type_}_common", f"grid 1 block {len(old)}")
        a, b = case.update("a", type_, old[:1], [total]), case.read("b", type_, value)
        case.code(f"""
            sreg.u32 r20, global.x
            mov_imm.u32 r21, 0
            ldg.{type_} r30, [{b} + r20*{size}]
            atg.{operation}.{type_} r31, [{a} + r21*{size}], r30
            exit""")
        cases.append(case)
    return cases


def histogram_case():
    bins = 16
    data = [k % 7 + (k * k) % 9 for k in range(LANES)]
    case = Case("histogram")
    a = case.read("a", "u32", data)
    counts = case.update("counts", "u32", [0] * bins, [data.count(k) for k in range(bins)])
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.u32 r21, [{a} + r20*4]
        mov_imm.u32 r22, 1
        atg.add.u32 r23, [{counts} + r21*4], r22
        exit""")
    bad = Case("histogram_past")
    bad.read("a", "u32", [*data[:30], bins, *data[31:]])
    bad.update("counts", "u32", [0] * bins)
    bad.body = case.body
    bad.fault = f"out_of_bounds lane 30 pc 3 index {bins}"
    return [case, bad]


def atomic_shared_cases():
    cases = []
    for type_, operation in itertools.product(ATOMIC_TYPES, ATOMICS):
        old, value = atomic_operands(type_)
        new = [isa.atomic(operation, type_, a, b) for a, b in zip(old, value)]
        case = Case(f"ats_{operation}_{type_}", f"grid 1 block {len(old)} nondeterministic")
        a, b = case.read("a", type_, old), case.read("b", type_, value)
        d = case.write("d", type_, len(old), old)
        e = case.write("e", type_, len(old), new)
        case.shared("cells", type_, len(old))
        size = size_of(type_)
        case.code(f"""
            sreg.u32 r20, global.x
            sreg.u32 r21, lane.x
            ldg.{type_} r30, [{a} + r20*{size}]
            ldg.{type_} r31, [{b} + r20*{size}]
            sts.{type_} [s0 + r21*{size}], r30
            bar.sync 3
            ats.{operation}.{type_} r32, [s0 + r21*{size}], r31
            bar.sync 3
            lds.{type_} r33, [s0 + r21*{size}]
            stg.{type_} [{d} + r20*{size}], r32
            stg.{type_} [{e} + r20*{size}], r33
            exit""")
        cases.append(case)
    return cases


def swap_operands(type_):
    """Old values, expected ones (half of them right), desired ones."""
    old, desired = (atomic_operands if type_ in isa.INTEGERS else float_operands)(type_)
    expected = [a if i % 2 else b for i, (a, b) in enumerate(zip(old, desired))]
    return old, expected, list(reversed(desired))


def swap_cases():
    """atg.cas and ats.cas: each lane at its own element, then all lanes at one."""
    cases, shared_cases = [], []
    for type_ in (*ATOMIC_TYPES, *FLOAT_ATOMIC_TYPES):
        old, expected, desired = swap_operands(type_)
        new = [z if x == y else x for x, y, z in zip(old, expected, desired)]
        size = size_of(type_)
        case = Case(f"atg_cas_{type_}", f"grid 1 block {len(old)} nondeterministic")
        a = case.update("a", type_, old, new)
        b, c = case.read("b", type_, expected), case.read("c", type_, desired)
        d = case.write("d", type_, len(old), old)
        case.code(f"""
            sreg.u32 r20, global.x
            ldg.{type_} r30, [{b} + r20*{size}]
            ldg.{type_} r31, [{c} + r20*{size}]
            atg.cas.{type_} r32, [{a} + r20*{size}], r30, r31
            stg.{type_} [{d} + r20*{size}], r32
            exit""")
        cases.append(case)
        # Lane i makes i + 1 of i, so that the last lane finds what all before it have done.
        lanes = 16
        case = Case(f"atg_cas_{type_}_chain", f"grid 1 block {lanes} nondeterministic")
        numbers = [
            i if type_ in isa.INTEGERS else isa.round_float(type_, isa.Fraction(i))
            for i in range(lanes + 1)
        ]
        a = case.update("a", type_, [5, 0, 7], [5, numbers[lanes], 7])
        d = case.write("d", type_, lanes, numbers[:lanes])
        case.code(f"""
            sreg.u32 r20, global.x
            mov_imm.u32 r22, 0
            mov_imm.u32 r23, 1
            add.u32 r24, r20, r23
            cvt.{type_}.u32 r21, r20
            cvt.{type_}.u32 r24, r24
            atg.cas.{type_} r25, [{a} + r22*{size} + {size}], r21, r24
            stg.{type_} [{d} + r20*{size}], r25
            exit""")
        cases.append(case)
        case = Case(f"ats_cas_{type_}", f"grid 1 block {len(old)} nondeterministic")
        a, b = case.read("a", type_, old), case.read("b", type_, expected)
        c = case.read("c", type_, desired)
        d = case.write("d", type_, len(old), old)
        e = case.write("e", type_, len(old), new)
        case.shared("cells", type_, len(old))
        case.code(f"""
            sreg.u32 r20, global.x
            sreg.u32 r21, lane.x
            ldg.{type_} r30, [{a} + r20*{size}]
            ldg.{type_} r31, [{b} + r20*{size}]
            ldg.{type_} r32, [{c} + r20*{size}]
            sts.{type_} [s0 + r21*{size}], r30
            bar.sync 3
            ats.cas.{type_} r33, [s0 + r21*{size}], r31, r32
            bar.sync 3
            lds.{type_} r34, [s0 + r21*{size}]
            stg.{type_} [{d} + r20*{size}], r33
            stg.{type_} [{e} + r20*{size}], r34
            exit""")
        shared_cases.append(case)
    past = Case("atg_cas_past", "grid 1 block 64 nondeterministic")
    a = past.update("a", "u32", list(range(64)))
    past.code(f"""
        sreg.u32 r20, global.x
        atg.cas.u32 r25, [{a} + r20*4 + 36], r20, r20
        exit""")
    past.fault = "out_of_bounds lane 55 pc 1 index 64"
    past.operand("r20", "u32", 55)
    return [*cases, past], shared_cases


FLOAT_ATOMICS = ("add", "min", "max", "exchange")
FLOAT_ATOMIC_TYPES = ("f16", "bf16", "f32", "f64")


def float_operands(type_):
    one, edges = isa.round_float(type_, isa.Fraction(1)), []
    edges += [isa.zero(type_, False), isa.zero(type_, True), one, isa.infinity(type_, True)]
    edges += [isa.infinity(type_, False), isa.nan(type_) | 0x23, isa.nan(type_)]
    edges += [isa.round_float(type_, isa.Fraction(n, 7)) for n in (1, -5, 1000001)]
    rows = list(itertools.product(edges, repeat=2))
    return [a for a, _ in rows], [b for _, b in rows]


def float_atomic_cases():
    """Each lane updates its own element."""
    cases, shared_cases = [], []
    for type_, operation in itertools.product(FLOAT_ATOMIC_TYPES, FLOAT_ATOMICS):
        old, value = float_operands(type_)
        new = [isa.atomic(operation, type_, a, b) for a, b in zip(old, value)]
        size = size_of(type_)
        case = Case(f"atgf_{operation}_{type_}", f"grid 1 block {len(old)} nondeterministic")
        a = case.update("a", type_, old, new)
        b = case.read("b", type_, value)
        d = case.write("d", type_, len(old), old)
        case.code(f"""
            sreg.u32 r20, global.x
            ldg.{type_} r30, [{b} + r20*{size}]
            atgf.{operation}.{type_} r31, [{a} + r20*{size}], r30
            stg.{type_} [{d} + r20*{size}], r31
            exit""")
        cases.append(case)
        case = Case(f"atsf_{operation}_{type_}", f"grid 1 block {len(old)} nondeterministic")
        a, b = case.read("a", type_, old), case.read("b", type_, value)
        e = case.write("e", type_, len(old), new)
        case.shared("cells", type_, len(old))
        case.code(f"""
            sreg.u32 r20, global.x
            sreg.u32 r21, lane.x
            ldg.{type_} r30, [{a} + r20*{size}]
            ldg.{type_} r31, [{b} + r20*{size}]
            sts.{type_} [s0 + r21*{size}], r30
            bar.sync 3
            atsf.{operation}.{type_} r32, [s0 + r21*{size}], r31
            bar.sync 3
            lds.{type_} r33, [s0 + r21*{size}]
            stg.{type_} [{e} + r20*{size}], r33
            exit""")
        shared_cases.append(case)
    return [*cases, *launch_sum_cases()], shared_cases


def launch_sum_cases():
    """Sums over all lanes of a launch: deterministic, whatever the block is."""
    cases = []
    for type_, block, grid in (
        ("f32", 1, 1), ("f32", 100, 1), ("f32", 256, 13), ("f64", 64, 40), ("f64", 7, 3),
        ("f16", 96, 25), ("bf16", 256, 13), ("f16", 1, 1),
    ):  # fmt: skip
        lanes, size = block * grid, size_of(type_)
        values = [
            isa.round_float(type_, isa.Fraction(3 * i * i % 7919 - 3000, 7 if size > 2 else 700))
            for i in range(lanes)
        ]
        old = isa.round_float(type_, isa.Fraction(1, 3))
        total = isa.launch_sum(type_, old, values)
        case = Case(f"launch_sum_{type_}_{block}_{grid}", f"grid {grid} block {block}")
        a = case.update("a", type_, [0, old, 0], [0, total, 0])
        b = case.read("b", type_, values)
        case.code(f"""
            sreg.u32 r20, global.x
            mov_imm.u32 r21, 1
            ldg.{type_} r30, [{b} + r20*{size}]
            atgf.add.{type_} r31, [{a} + r21*{size}], r30
            exit""")
        cases.append(case)
    # Lanes that do not come there count as -0; two sums follow each other.
    lanes = 300
    values = [isa.round_float("f32", isa.Fraction(i % 13 - 6, 11)) for i in range(lanes)]
    kept = [v if i % 3 == 1 else None for i, v in enumerate(values)]
    once = isa.launch_sum("f32", isa.zero("f32", True), kept)
    twice = isa.launch_sum("f32", once, values)
    case = Case("launch_sum_some_lanes", "grid 3 block 100")
    a, b = case.update("a", "f32", [isa.zero("f32", True)], [twice]), case.read("b", "f32", values)
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 3
        mov_imm.u32 r22, 0
        mov_imm.u32 r23, 1
        ldg.f32 r30, [{b} + r20*4]
        rem.u32 r24, r20, r21
        setne.u32 p0, r24, r23
        bra.p0 @skip
        atgf.add.f32 r31, [{a} + r22*4], r30
        skip:
        atgf.add.f32 r31, [{a} + r22*4], r30
        exit""")
    cases.append(case)
    # Few lanes far apart, in blocks that do not divide the 1,024 lanes of a part of the sum.
    far = [
        isa.round_float("f32", isa.Fraction(i)) if i % 2500 == 17 else None for i in range(12000)
    ]
    case = Case("launch_sum_far", "grid 120 block 100")
    one = isa.round_float("f32", isa.Fraction(1, 10))
    a = case.update("a", "f32", [one], [isa.launch_sum("f32", one, far)])
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 2500
        mov_imm.u32 r22, 0
        mov_imm.u32 r23, 17
        cvt.f32.u32 r30, r20
        rem.u32 r24, r20, r21
        setne.u32 p0, r24, r23
        bra.p0 @skip
        atgf.add.f32 r31, [{a} + r22*4], r30
        skip:
        exit""")
    cases.append(case)
    # Two dimensions: the order is that of linear lanes, block by block.
    case = Case("launch_sum_rows", "grid 3,5 block 16,4")
    numbers = [
        isa.Fraction((b % 3 * 16 + i % 16) * 37 % 101 + (b // 3 * 4 + i // 16) * 1009, 7)
        for b in range(15)
        for i in range(64)
    ]
    rounded = [
        isa.div_float("f32", isa.round_float("f32", n * 7), isa.round_float("f32", isa.Fraction(7)))
        for n in numbers
    ]
    a = case.update("a", "f32", [0], [isa.launch_sum("f32", 0, rounded)])
    case.code(f"""
        sreg.u32 r20, global.x
        sreg.u32 r21, global.y
        mov_imm.u32 r22, 0
        mov_imm.u32 r23, 37
        mov_imm.u32 r24, 101
        mov_imm.u32 r25, 1009
        mul.u32 r20, r20, r23
        rem.u32 r20, r20, r24
        mad.u32 r20, r21, r25, r20
        cvt.f32.u32 r30, r20
        mov_imm.f32 r31, 7.0
        div.f32 r30, r30, r31
        atgf.add.f32 r32, [{a} + r22*4], r30
        exit""")
    cases.append(case)
    # Nobody comes there: the element keeps its bits.
    case = Case("launch_sum_no_lane", "grid 1 block 32")
    a = case.update("a", "f32", [0x7F812345], [0x7F812345])
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r22, 5
        mov_imm.f32 r30, 1.0
        setlt.u32 p0, r20, r254
        bra.p0 @skip
        atgf.add.f32 r31, [{a} + r22*4], r30
        skip:
        exit""")
    cases.append(case)
    bad = Case("launch_sum_past", "grid 2 block 32")
    a = bad.update("a", "f32", [0, 0])
    bad.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r22, 2
        mov_imm.f32 r30, 1.0
        atgf.add.f32 r31, [{a} + r22*4], r30
        exit""")
    bad.fault = "out_of_bounds lane 0 pc 3 index 2"
    bad.operand("r22", "u32", 2)
    return [*cases, bad]


def id_cases():
    """All ids of a launch in three dimensions, stored at the linear lane number."""
    grid, block = (2, 3, 2), (3, 2, 2)
    lanes = list(
        itertools.product(
            *(range(n) for n in (grid[2], grid[1], grid[0], block[2], block[1], block[0]))
        )
    )
    columns = {}
    for k, axis in enumerate("xyz"):
        columns[f"lane.{axis}"] = [lane[5 - k] for lane in lanes]
        columns[f"block.{axis}"] = [lane[2 - k] for lane in lanes]
        columns[f"block_dim.{axis}"] = [block[k]] * len(lanes)
        columns[f"grid_dim.{axis}"] = [grid[k]] * len(lanes)
        columns[f"global.{axis}"] = [lane[2 - k] * block[k] + lane[5 - k] for lane in lanes]
    launch = f"grid {','.join(map(str, grid))} block {','.join(map(str, block))} nondeterministic"
    cases = []
    for name, values in columns.items():
        case = Case(name.replace(".", "_"), launch)
        d = case.write("d", "u32", len(lanes), values)
        case.code(f"""
            sreg.u64 r20, linear
            sreg.u32 r30, {name}
            stg.u32 [{d} + r20*4], r30
            exit""")
        cases.append(case)
    case = Case("linear", launch)
    d = case.write("d", "u64", len(lanes), list(range(len(lanes))))
    case.code(f"""
        sreg.u64 r20, linear
        stg.u64 [{d} + r20*8], r20
        exit""")
    cases.append(case)
    fixed = (
        ("r252", columns["lane.x"]),
        ("r253", columns["block.x"]),
        ("r254", columns["block_dim.x"]),
    )
    for register, values in fixed:
        case = Case(register, launch)
        d = case.write("d", "u32", len(lanes), values)
        case.code(f"stg.u32 [{d} + r255*4], {register}\nexit")
        cases.append(case)
    return cases


def branch_cases():
    """Lanes count Collatz steps: a loop that each lane leaves at another time."""

    def steps(n):
        count = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        return count

    collatz = Case("collatz")
    d = collatz.write("d", "u32", LANES, [steps(k + 1) for k in range(LANES)])
    collatz.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 1
        mov_imm.u32 r22, 0
        mov_imm.u32 r23, 3
        mov_imm.u32 r26, 0
        add.u32 r24, r20, r21
        loop:
        seteq.u32 p0, r24, r21
        bra.p0 @end
        add.u32 r26, r26, r21
        and.u32 r25, r24, r21
        seteq.u32 p1, r25, r22
        bra.p1 @even
        mad.u32 r24, r24, r23, r21
        bra @loop
        even:
        shr.u32 r24, r24, r21
        bra @loop
        end:
        stg.u32 [{d} + r20*4], r26
        exit""")
    return [collatz, *exit_cases(), *budget_cases()]


def exit_cases():
    """Lanes that return early leave zeros, and do not count at the barrier."""
    block = 40
    case = Case("exit_before_barrier", f"grid 2 block {block}")
    last = 29
    d = case.write(
        "d",
        "u32",
        2 * block,
        [(last - i if i <= last else 0) for _ in range(2) for i in range(block)],
    )
    case.shared("tile", "u32", block)
    case.code(f"""
        sreg.u32 r20, global.x
        sreg.u32 r21, lane.x
        mov_imm.u32 r22, {last}
        setgt.u32 p0, r21, r22
        bra.p0 @end
        sts.u32 [s0 + r21*4], r21
        bar.sync 0
        sub.u32 r23, r22, r21
        lds.u32 r24, [s0 + r23*4]
        stg.u32 [{d} + r20*4], r24
        exit
        end:
        exit""")
    return [case, late_arrival_case()]


def late_arrival_case():
    """Odd lanes go through code that lies after the barrier, so the even ones reach it first."""
    block = 40
    case = Case("late_arrival", f"grid 2 block {block}")
    values = [i if i % 2 == 0 else 1000 + i for i in range(block)]
    d = case.write("d", "u32", 2 * block, values[::-1] * 2)
    case.shared("tile", "u32", block)
    case.code(f"""
        sreg.u32 r20, global.x
        sreg.u32 r21, lane.x
        mov_imm.u32 r22, 1
        mov_imm.u32 r23, 0
        mov.u32 r24, r21
        and.u32 r25, r21, r22
        setne.u32 p0, r25, r23
        bra.p0 @odd
        meet:
        sts.u32 [s0 + r21*4], r24
        bar.sync 0
        mov_imm.u32 r26, {block - 1}
        sub.u32 r26, r26, r21
        lds.u32 r27, [s0 + r26*4]
        stg.u32 [{d} + r20*4], r27
        exit
        odd:
        mov_imm.u32 r28, 1000
        add.u32 r24, r24, r28
        bra @meet""")
    return case


def budget_cases():
    """Lane k takes k back edges; the budget is spent first in lane 8, or in none."""
    cases = []
    for name, budget in (("spent", 7), ("enough", LANES)):
        case = Case(f"budget_{name}", f"grid 1 block {LANES} budget {budget}")
        a = case.read("a", "u32", list(range(LANES)))
        d = case.write("d", "u32", LANES, list(range(LANES)) if name == "enough" else None)
        case.code(f"""
            sreg.u32 r20, global.x
            ldg.u32 r21, [{a} + r20*4]
            mov_imm.u32 r22, 0
            mov_imm.u32 r23, 1
            loop:
            seteq.u32 p0, r22, r21
            bra.p0 @end
            add.u32 r22, r22, r23
            bra @loop
            end:
            stg.u32 [{d} + r20*4], r22
            exit""")
        if name == "spent":
            case.fault = "budget lane 8 pc 7"
        cases.append(case)
    return cases


def division_cases():
    cases = []
    for name, type_ in itertools.product(("div", "rem"), isa.INTEGERS):
        divisors = [1 + k % 5 for k in range(LANES)]
        divisors[70] = divisors[33] = 0
        case = Case(f"{name}_{type_}_by_zero")
        dividends = values_of(type_, LANES, "z")
        a, b = case.read("a", type_, dividends), case.read("b", type_, divisors)
        d = case.write("d", type_, LANES)
        size = size_of(type_)
        case.code(f"""
            sreg.u32 r20, global.x
            ldg.{type_} r30, [{a} + r20*{size}]
            ldg.{type_} r31, [{b} + r20*{size}]
            {name}.{type_} r32, r30, r31
            stg.{type_} [{d} + r20*{size}], r32
            exit""")
        case.fault = "division_by_zero lane 33 pc 3"
        case.operand("r30", type_, dividends[33])
        case.operand("r31", type_, 0)
        cases.append(case)
    return cases


def chosen_scalar_cases():
    """The larger and the smaller of what all lanes have and a constant, which native code computes
    once, in numbers that are no vectors."""
    constants = {"f16": 0x3C00, "bf16": 0x3F80, "f32": 0x3F800000, "f64": 0x3FF0000000000000}
    cases = []
    for type_, one in constants.items():
        sign = 1 << (isa.bits_of(type_) - 1)
        for operation, (name, constant) in itertools.product(
            ("max", "min"), (("one", one), ("zero", 0))
        ):
            for number, x in enumerate((isa.nan(type_) | sign, sign, one | sign, one + 1)):
                case = Case(f"{operation}_{name}_{type_}_{number}", "grid 1 block 3")
                expected = isa.evaluate(operation, type_, x, constant)
                d = case.write("d", type_, 3, [expected] * 3)
                s = case.scalar("x", type_, x)
                case.code(f"""
                    sreg.u32 r20, global.x
                    mov_imm.{type_} r21, {constant:#x}
                    {operation}.{type_} r21, {s}, r21
                    stg.{type_} [{d} + r20*{size_of(type_)}], r21
                    exit""")
                cases.append(case)
    return cases


def scalar_cases():
    """A scalar of every type arrives in its register."""
    cases = []
    for type_ in isa.TYPES:
        value = values_of(type_, 1, "scalar")[0]
        case = Case(f"scalar_{type_}")
        d = case.write("d", type_, LANES, [value] * LANES)
        x = case.scalar("x", type_, value)
        size = size_of(type_)
        case.code(f"""
            sreg.u32 r20, global.x
            stg.{type_} [{d} + r20*{size}], {x}
            exit""")
        cases.append(case)
    return cases


def files():
    swaps, shared_swaps = swap_cases()
    floats, shared_floats = float_atomic_cases()
    return {
        "memory/ldg-displacement": access_cases(),
        "memory/ldg-index-types": index_type_cases(),
        "memory/ldg-wrapping-index": wrapping_index_cases(),
        "memory/ldg-displaced-fault": displaced_fault_cases(),
        "memory/stg-scalar-index": scalar_index_cases(),
        "memory/ldg-fault-after-store": fault_after_store_cases(),
        "memory/stg-scatter": scatter_cases(),
        "memory/lds-sts": shared_cases(),
        "memory/atg": atomic_global_cases(),
        "memory/atg-histogram": histogram_case(),
        "memory/ats": atomic_shared_cases(),
        "memory/atg-cas": swaps,
        "memory/ats-cas": shared_swaps,
        "memory/atgf": floats,
        "memory/atsf": shared_floats,
        "memory/scalars": [*scalar_cases(), *chosen_scalar_cases()],
        "control/sreg": id_cases(),
        "control/bra": branch_cases(),
        "arithmetic/div-rem-by-zero": division_cases(),
    }
