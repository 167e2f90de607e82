"""The bytes of a program as docs/format.md describes them, for numpy_machine.py."""

import struct

from numpy_values import SIZE, TYPES

MNEMONICS = {
    0: "ldg", 1: "stg", 2: "lds", 3: "sts", 4: "mov", 5: "mov_imm", 6: "cvt", 7: "add", 8: "sub",
    9: "mul", 10: "div", 11: "mad", 12: "fma", 13: "min", 14: "max", 15: "abs", 16: "neg", 17: "and",
    18: "or", 19: "xor", 20: "not", 21: "shl", 22: "shr", 23: "set", 24: "sel", 25: "bra", 26: "call",
    27: "ret", 28: "loop", 29: "exit", 30: "bar", 31: "memfence", 41: "reduce.add", 42: "reduce.min",
    43: "reduce.max", 44: "reduce.mul", 49: "sqrt", 64: "rem", 65: "bitcast", 66: "floor", 67: "ceil",
    68: "trunc", 69: "round", 70: "pand", 71: "por", 72: "pxor", 73: "pnot", 74: "atg", 75: "ats",
    76: "sreg", 84: "blk.red", 85: "ldl", 86: "stl", 87: "blk.scan", 88: "atg.cas", 89: "ats.cas",
    90: "popc", 91: "trap", 92: "atgf", 94: "print", 95: "print.text", 96: "print.end",
}  # fmt: skip
CONDITIONS = ["eq", "ne", "lt", "le", "gt", "ge"]
ATOMICS = ["add", "min", "max", "and", "or", "xor", "exchange"]
BLOCK_OPERATIONS = ["add", "min", "max", "mul", "and", "or", "xor"]  # then those of warps
LEAVING = ("exit", "bra", "loop", "call", "ret", "bar", "blk.red", "blk.scan")


class Instruction:
    """An instruction word without its immediate."""

    __slots__ = ("a", "b", "bits", "c", "d", "function", "mod", "name", "run", "size", "type")

    def __init__(self, data):
        opcode, type_, self.mod, self.d, self.a, self.b, self.c, _ = data
        self.name = MNEMONICS[opcode]
        self.type = TYPES[type_]
        self.size = SIZE[self.type]
        self.bits = (1 << 8 * self.size) - 1
        self.function = None  # of columns; numpy_machine.py sets both
        self.run = None


class Program:
    """`decode` makes an Instruction of its bytes; the same bytes may give the same object."""

    def __init__(self, code, decode):
        magic, major, _, parameters, shared, count, local = struct.unpack_from("<4sHHIIII", code)
        if magic != b"HGIS" or major != 1:
            raise ValueError("not a program")
        at = 48
        self.parameters = [struct.unpack_from("<BBBB", code, at + 4 * k) for k in range(parameters)]
        at += 4 * parameters
        arrays = [struct.unpack_from("<II", code, at + 8 * k) for k in range(shared + local)]
        self.shared, self.local = arrays[:shared], arrays[shared:]
        at = (at + 8 * len(arrays) + 15) // 16 * 16
        if at + 16 * count != len(code):
            raise ValueError("program has another size")
        self.code = [
            (decode(data), imm) for data, imm in struct.iter_unpack("<8sQ", memoryview(code)[at:])
        ]

    def starts(self, counted):
        """Where control can arrive other than from the instruction before, or must be looked at."""
        starts = {0} | {target for _, target in counted} | {pc + 1 for pc, _ in counted}
        for pc, (x, imm) in enumerate(self.code):
            if x.run is None:
                starts.add(pc + 1)
                if x.name in ("bra", "loop", "call"):
                    starts.add(imm)
        return starts

    def exits(self):
        """Where a lane that arrives does nothing more."""
        return {pc for pc, (x, _) in enumerate(self.code) if x.name == "exit"} | {len(self.code)}
