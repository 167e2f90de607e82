"""Conformance cases of accesses whose stride only the launch knows. generate.py writes them."""

import itertools

import isa_reference as isa
from memory_cases import Case, size_of, values_of

LANES = 150  # several vectors at once, and a rest, on every engine
STRIDES = (0, 1, 2, 3, -1, -2)


def bits(value, type_):
    return value % 2 ** isa.bits_of(type_)


def load_case(type_, index_type, stride):
    """d[i] = a[first + i * stride], by add and mul."""
    width = "wide" if index_type == "i64" else "narrow"
    sign = "minus" if stride < 0 else "plus"
    case = Case(f"load_{type_}_{width}_{sign}_{abs(stride)}", f"grid 1 block {LANES}")
    first = 3 + max(0, -stride * (LANES - 1))
    a = values_of(type_, 3 + abs(stride) * (LANES - 1) + 1, "a")
    expected = [a[first + i * stride] for i in range(LANES)]
    source, target = case.read("a", type_, a), case.write("d", type_, LANES, expected)
    start = case.scalar("first", index_type, bits(first, index_type))
    step = case.scalar("stride", index_type, bits(stride, index_type))
    lane = "r20" if index_type == "u32" else "r21"
    size = size_of(type_)
    case.code(f"""
        sreg.u32 r20, global.x
        cvt.{index_type}.u32 r21, r20
        mul.{index_type} r22, {lane}, {step}
        add.{index_type} r23, {start}, r22
        ldg.{type_} r30, [{source} + r23*{size}]
        stg.{type_} [{target} + r20*{size}], r30
        exit""")
    return case


def store_case(type_, stride):
    """d[i * stride + 1] = a[i], by mad; what lies between stays."""
    case = Case(f"store_{type_}_{stride}", f"grid 1 block {LANES}")
    a = values_of(type_, LANES, "a")
    before = values_of(type_, stride * LANES + 1, "b")
    expected = list(before)
    for i in range(LANES):
        expected[i * stride + 1] = a[i]
    source = case.read("a", type_, a)
    target = case.update("d", type_, before, expected)
    step = case.scalar("stride", "u32", stride)
    size = size_of(type_)
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.{type_} r30, [{source} + r20*{size}]
        mov_imm.u32 r21, 1
        mad.u32 r22, r20, {step}, r21
        stg.{type_} [{target} + r22*{size}], r30
        exit""")
    return case


def changed_case():
    """d[i] = a[i * stride], where the register of the stride is another when the index is used."""
    case = Case("stride_changed", f"grid 1 block {LANES}")
    a = values_of("f32", 2 * LANES, "a")
    expected = [a[2 * i] for i in range(LANES)]
    source, target = case.read("a", "f32", a), case.write("d", "f32", LANES, expected)
    after = case.write("after", "u32", LANES, [3] * LANES)
    step = case.scalar("stride", "u32", 2)
    case.code(f"""
        sreg.u32 r20, global.x
        mov_imm.u32 r24, 1
        mov.u32 r21, {step}
        setlt.u32 p0, {step}, r24
        bra.p0 @end
        mul.u32 r22, r20, r21
        add.u32 r21, r21, r24
        ldg.f32 r30, [{source} + r22*4]
        stg.f32 [{target} + r20*4], r30
        end:
        stg.u32 [{after} + r20*4], r21
        exit""")
    return case


def cases():
    loads = [
        load_case(type_, index_type, stride)
        for type_, index_type, stride in itertools.product(("f32", "u8"), ("i64", "u32"), STRIDES)
        if stride >= 0 or index_type == "i64"
    ]
    loads += [load_case(type_, "i64", stride) for type_ in ("f64", "bf16") for stride in (2, 3, -1)]
    stores = [
        store_case(t, s) for t, s in itertools.product(("f32", "f64", "u16", "u8"), (1, 2, 3))
    ]
    return [*loads, *stores, changed_case()]
