"""Conformance cases of PRINT, PRINT.TEXT and PRINT.END. generate.py writes them."""

from fractions import Fraction

import isa_reference as isa
from memory_cases import LANES, Case


def float_text(type_, bits):
    """The shortest decimal number that is rounded back, written as Python writes floats."""
    number = isa.Float(type_, bits)
    if number.nan:
        return "nan"
    sign = "-" if number.negative else ""
    if number.inf:
        return f"{sign}inf"
    magnitude = abs(number.value)
    if magnitude == 0:
        return f"{sign}0.0"
    for count in range(1, 18):
        digits, exponent = decimal(magnitude, count)
        nearest = Fraction(int(digits)) * Fraction(10) ** (exponent - count + 1)
        if isa.round_float(type_, nearest) == bits & ((1 << (isa.bits_of(type_) - 1)) - 1):
            break
    digits = digits.rstrip("0") or "0"
    if magnitude < Fraction(1, 10**4) or magnitude >= 10**16:
        mantissa = digits[0] + ("." + digits[1:] if digits[1:] else "")
        return f"{sign}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    digits = digits.ljust(exponent + 1, "0")
    return f"{sign}{digits[: exponent + 1]}.{digits[exponent + 1 :] or '0'}"


def decimal(magnitude, count):
    """`count` digits and the exponent of the first one, rounded to nearest even."""
    exponent = 0
    while magnitude >= Fraction(10) ** (exponent + 1):
        exponent += 1
    while magnitude < Fraction(10) ** exponent:
        exponent -= 1
    scaled = isa.half_even(magnitude / Fraction(10) ** (exponent - count + 1))
    if scaled == 10**count:
        scaled, exponent = scaled // 10, exponent + 1
    return str(scaled), exponent


def text_of(type_, bits):
    return float_text(type_, bits) if type_ in isa.FLOATS else str(isa.to_int(type_, bits))


def value_case(type_, edges):
    """Every lane prints its value between two texts, one of them of eight bytes."""
    values = [edges[i % len(edges)] for i in range(LANES)]
    case = Case(f"print_{type_}")
    a = case.read("a", type_, values)
    size = isa.bits_of(type_) // 8
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.{type_} r21, [{a} + r20*{size}]
        print.text "value = "
        print.{type_} r21
        print.text "\\x0a"
        print.end
        exit""")
    case.prints = [f'{i} "value = {text_of(type_, v)}\\x0a"' for i, v in enumerate(values)]
    return case


def formatted(type_, bits, spec):
    """What Python writes of the number."""
    if type_ not in isa.FLOATS:
        return format(isa.to_int(type_, bits), spec)
    number = isa.Float(type_, bits)
    value = float("nan") if number.nan else float("inf") if number.inf else float(abs(number.value))
    return format(-value if number.negative and not number.nan else value, spec)


def format_case(type_, edges):
    """Every lane prints its value in two formats."""
    values = [edges[i % len(edges)] for i in range(LANES)]
    case = Case(f"print_format_{type_}")
    a = case.read("a", type_, values)
    size = isa.bits_of(type_) // 8
    specs = ("+012.3e", "^9.1f") if type_ in isa.FLOATS else ("#06x", "*>+8,d")
    case.code(f"""
        sreg.u32 r20, global.x
        ldg.{type_} r21, [{a} + r20*{size}]
        print.{type_} r21, "{specs[0]}"
        print.text "|"
        print.{type_} r21, "{specs[1]}"
        print.end
        exit""")
    case.prints = [
        f'{i} "{"|".join(formatted(type_, v, spec) for spec in specs)}"'
        for i, v in enumerate(values)
    ]
    return case


def order_case():
    """Lanes print in different rounds and places; the lower lane comes first, then its steps."""
    case = Case("print_order", "grid 3 block 16")
    case.code("""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 3
        rem.u32 r22, r20, r21
        mov_imm.u32 r23, 0
        mov_imm.u32 r24, 1
        again:
        setlt.u32 p0, r23, r22
        pnot p0, p0
        bra.p0 @behind
        print.text "round "
        print.u32 r23
        print.end
        add.u32 r23, r23, r24
        bra @again
        behind:
        print.text "behind"
        print.end
        exit""")
    for lane in range(48):
        case.prints += [f'{lane} "round {k}"' for k in range(lane % 3)]
        case.prints.append(f'{lane} "behind"')
    return case


def rows_case():
    """Two dimensions: records are in the order of linear lanes, block by block."""
    case = Case("print_rows", "grid 2,2 block 4,2")
    case.code("""
        sreg.u32 r20, global.x
        sreg.u32 r21, global.y
        print.u32 r20
        print.text ","
        print.u32 r21
        print.end
        exit""")
    lanes = [(b % 2 * 4 + i % 4, b // 2 * 2 + i // 4) for b in range(4) for i in range(8)]
    case.prints = [f'{k} "{x},{y}"' for k, (x, y) in enumerate(lanes)]
    return case


def barrier_case():
    """What a lane prints behind a barrier comes before what a higher one prints in front of it."""
    case = Case("print_barrier", "grid 2 block 8")
    case.code("""
        sreg.u32 r20, lane.x
        print.text "front"
        print.end
        blk.red.add.u32 r21, r20
        print.u32 r21
        print.end
        exit""")
    for lane in range(16):
        case.prints += [f'{lane} "front"', f'{lane} "28"']
    return case


def open_case():
    """A lane that ends without PRINT.END has printed all the same; an empty record counts too."""
    case = Case("print_open", "grid 1 block 4")
    case.code("""
        print.end
        print.text "no end"
        exit""")
    for lane in range(4):
        case.prints += [f'{lane} ""', f'{lane} "no end"']
    return case


def cut_case():
    """A record has 1,024 bytes and still ends its line; what a terminal could take for a command is shown."""
    case = Case("print_cut", "grid 1 block 2")
    case.code("""
        mov_imm.u32 r20, 200
        again:
        print.text "\\x1b[2J\\xff "
        loop r20, @again
        print.end
        exit""")
    shown = "\\\\x1b[2J\\\\xff "
    case.prints = [f'{lane} "{shown * 170}\\\\x1b[2J...\\x0a"' for lane in range(2)]
    return case


def fault_case():
    """What the lanes up to the fault printed; those behind it are not there."""
    case = Case("print_fault", "grid 1 block 64")
    case.code("""
        sreg.u32 r20, global.x
        mov_imm.u32 r21, 3
        print.u32 r20
        print.end
        setge.u32 p0, r20, r21
        trap.p0
        print.text "passed"
        print.end
        exit""")
    case.fault = "assertion lane 3 pc 5"
    for lane in range(3):
        case.prints += [f'{lane} "{lane}"', f'{lane} "passed"']
    case.prints.append('3 "3"')
    return case


def files(edges_of):
    cases = [value_case(type_, edges_of(type_)) for type_ in isa.TYPES]
    cases += [format_case(type_, edges_of(type_)) for type_ in isa.TYPES]
    cases += [order_case(), rows_case(), barrier_case(), open_case(), cut_case(), fault_case()]
    return {"control/print": cases}
