"""A third evaluator of programs, in NumPy: all lanes of a launch at once, the lowest program counter first.

Independent of everything in C++: it decodes the bytes of a program as docs/format.md describes them
and evaluates instructions as docs/isa.md describes them (numpy_values.py). It reads cases that
`differential_test --dump` writes (a program, a launch, what the interpreter made of it), runs them, and
compares faults and every byte of every buffer:

    differential_test structured --exact --dump --count 1000 | numpy_reference.py 1000

The argument, if given, is the number of cases that must arrive. Transcendental instructions are not
here; --exact leaves them out.
"""

import struct
import sys
import time

import numpy as np
import numpy_values as values
from numpy_values import NUMBER, SIZE, TYPES, UNSIGNED, isa_reference, word

MNEMONICS = {
    0: "ldg", 1: "stg", 2: "lds", 3: "sts", 4: "mov", 5: "mov_imm", 6: "cvt", 7: "add", 8: "sub",
    9: "mul", 10: "div", 11: "mad", 12: "fma", 13: "min", 14: "max", 15: "abs", 16: "neg", 17: "and",
    18: "or", 19: "xor", 20: "not", 21: "shl", 22: "shr", 23: "set", 24: "sel", 25: "bra", 26: "call",
    27: "ret", 28: "loop", 29: "exit", 30: "bar", 31: "memfence", 41: "reduce.add", 42: "reduce.min",
    43: "reduce.max", 44: "reduce.mul", 49: "sqrt", 64: "rem", 65: "bitcast", 66: "floor", 67: "ceil",
    68: "trunc", 69: "round", 70: "pand", 71: "por", 72: "pxor", 73: "pnot", 74: "atg", 75: "ats",
    76: "sreg", 84: "blk.red", 85: "ldl", 86: "stl", 90: "popc",
}  # fmt: skip
CONDITIONS = ["eq", "ne", "lt", "le", "gt", "ge"]
ATOMICS = ["add", "min", "max", "and", "or", "xor", "exchange"]
BLOCK_OPERATIONS = ["add", "min", "max", "mul", "and", "or", "xor"]
ACCESSES = ("ldg", "stg", "lds", "sts", "atg", "ats", "ldl", "stl")
NO_FAULT, OUT_OF_BOUNDS, DIVISION_BY_ZERO, BUDGET, CALL_DEPTH = 0, 1, 2, 3, 4
MAX_CALLS = 256


class Instruction:
    def __init__(self, data):
        fields = struct.unpack("<8BQ", data)
        opcode, type_, self.mod, self.d, self.a, self.b, self.c, self.mode, self.imm = fields
        self.name = MNEMONICS[opcode]
        self.type = TYPES[type_]
        self.displacement = self.imm - (1 << 64) if self.imm >> 63 else self.imm


class Program:
    def __init__(self, code):
        magic, major, _, parameters, shared, count, local = struct.unpack_from("<4sHHIIII", code)
        if magic != b"HGIS" or major != 1:
            raise ValueError("not a program")
        at = 48
        self.parameters = [struct.unpack_from("<BBBB", code, at + 4 * k) for k in range(parameters)]
        at += 4 * parameters
        arrays = [struct.unpack_from("<II", code, at + 8 * k) for k in range(shared + local)]
        self.shared, self.local = arrays[:shared], arrays[shared:]
        at = (at + 8 * len(arrays) + 15) // 16 * 16
        self.code = [Instruction(code[at + 16 * k : at + 16 * k + 16]) for k in range(count)]
        if at + 16 * count != len(code):
            raise ValueError("program has another size")


class Machine:
    """All lanes of one launch. Registers hold bits; `types` says of what type, lane by lane."""

    def __init__(self, program, shape, budget, counted, scalars, buffers):
        self.program, self.budget, self.counted = program, budget, counted
        self.grid, self.block = shape[:3], shape[3:]
        self.lanes_per_block = int(np.prod(self.block))
        count = self.lanes_per_block * int(np.prod(self.grid))
        self.bits = np.zeros((256, count), np.uint64)
        self.types = np.full((256, count), -1, np.int8)
        self.predicates = np.zeros((16, count), bool)
        self.pc = np.zeros(count, np.int64)
        self.calls = [[] for _ in range(count)]
        self.alive = np.ones(count, bool)
        self.waiting = np.zeros(count, bool)
        self.reducing = np.full(count, -1, np.int64)  # the blk.red that a lane waits at
        self.back_edges = np.zeros(count, np.int64)
        self.linear = np.arange(count, dtype=np.uint64)
        self.fault = None
        self.buffers = [np.frombuffer(data, np.uint8).copy() for data in buffers]
        blocks = count // self.lanes_per_block
        self.shared = [np.zeros(blocks * n * SIZE[TYPES[t]], np.uint8) for t, n in program.shared]
        self.local = [np.zeros(count * n * SIZE[TYPES[t]], np.uint8) for t, n in program.local]
        self.slots, scalars = {}, list(scalars)
        for k, (is_buffer, type_, _, _) in enumerate(program.parameters):
            if is_buffer:
                self.slots[k] = len(self.slots)
            self.bits[k + 1] = k if is_buffer else scalars.pop(0)
            self.types[k + 1] = NUMBER["u64"] if is_buffer else type_
        every = np.arange(count)
        for reg, sreg in ((252, 0), (253, 3), (254, 6), (255, 15)):
            self.put(reg, "u64" if sreg == 15 else "u32", every, self.id_of(sreg, every))

    def id_of(self, sreg, lanes):
        linear = self.linear[lanes]
        if sreg == 15:
            return linear
        axis = sreg % 3
        size = self.block[axis]
        within, block = linear % self.lanes_per_block, linear // self.lanes_per_block
        for k in range(axis):
            within, block = within // self.block[k], block // self.grid[k]
        within, block = within % size, block % self.grid[axis]
        full = np.full_like(linear, size)
        table = [within, block, full, np.full_like(linear, self.grid[axis]), block * size + within]
        return table[sreg // 3].astype(np.uint32)

    # ---- Registers, as bits

    def get(self, reg, type_, lanes):
        if (self.types[reg, lanes] != NUMBER[type_]).any():
            raise ValueError(f"r{reg} is read as {type_}, which it is not in every lane")
        return self.bits[reg, lanes].astype(word(type_))

    def put(self, reg, type_, lanes, bits):
        self.bits[reg, lanes] = bits
        self.types[reg, lanes] = NUMBER[type_]

    # ---- Control

    def run(self):
        with np.errstate(all="ignore"):
            while self.alive.any():
                ready = self.alive & ~self.waiting
                if not ready.any():
                    self.release()
                    continue
                # A block meets at a barrier by itself, so one that waits holds nobody up.
                pc = int(self.pc[ready].min())
                self.step_until_jump(pc, np.nonzero(ready & (self.pc == pc))[0])

    def release(self):
        """Every lane that has not returned is at a barrier."""
        self.waiting[:] = False
        for pc in np.unique(self.reducing[self.alive & (self.reducing >= 0)]).tolist():
            x = self.program.code[pc]
            name = BLOCK_OPERATIONS[x.mod]
            for block in range(len(self.pc) // self.lanes_per_block):
                lanes = np.arange(block * self.lanes_per_block, (block + 1) * self.lanes_per_block)
                here = lanes[self.alive[lanes] & (self.reducing[lanes] == pc)]
                if not here.size:
                    continue
                slots = np.full(lanes.size, values.absent(name, x.type), word(x.type))
                slots[here - lanes[0]] = self.get(x.a, x.type, here)
                self.put(x.d, x.type, here, values.block_reduce(name, x.type, slots))
        self.reducing[:] = -1

    def step_until_jump(self, pc, lanes):
        code = self.program.code
        while lanes.size:
            x = code[pc] if pc < len(code) else None
            if x is None or x.name in ("exit", "bra", "loop", "call", "ret", "bar", "blk.red"):
                self.leave(pc, x, lanes)
                return
            lanes = self.execute(pc, x, lanes)
            if (pc, pc + 1) in self.counted:
                self.jump(pc, pc + 1, lanes)
                return
            pc += 1

    def leave(self, pc, x, lanes):
        if x is None or x.name == "exit":
            self.alive[lanes] = False
        elif x.name in ("bra", "loop"):
            self.branch(pc, x, lanes)
        elif x.name == "call":
            self.call(pc, x, lanes)
        elif x.name == "ret":
            for lane in lanes.tolist():
                self.pc[lane] = self.calls[lane].pop()
        else:
            self.waiting[lanes] = True
            self.reducing[lanes] = pc if x.name == "blk.red" else -1
            self.jump(pc, pc + 1, lanes)

    def branch(self, pc, x, lanes):
        if x.name == "loop":
            counter = self.get(x.a, "u32", lanes)
            taken = counter > 0
            self.put(x.a, "u32", lanes, counter - taken)
        else:
            taken = self.predicates[x.a, lanes] if x.mod == 1 else np.ones(lanes.size, bool)
        self.jump(pc, pc + 1, lanes[~taken])
        self.jump(pc, x.imm, lanes[taken])

    def call(self, pc, x, lanes):
        deep = np.array([len(self.calls[lane]) >= MAX_CALLS for lane in lanes.tolist()])
        self.stop(lanes[deep], CALL_DEPTH, pc, 0)
        for lane in lanes[~deep].tolist():
            self.calls[lane].append(pc + 1)
        self.jump(pc, x.imm, lanes[~deep])

    def jump(self, pc, target, lanes):
        if (pc, target) in self.counted:
            self.back_edges[lanes] += 1
            over = self.back_edges[lanes] > self.budget
            self.stop(lanes[over], BUDGET, pc, 0)
            lanes = lanes[~over]
        self.pc[lanes] = target

    def stop(self, lanes, code, pc, index):
        """Lanes fault; the one that is reported is the lowest."""
        if not lanes.size:
            return
        self.alive[lanes] = False
        first = int(lanes.min())
        if self.fault is None or first < self.fault[2]:
            value = index if isinstance(index, int) else index[int(lanes.argmin())]
            value &= (1 << 64) - 1
            self.fault = (code, pc, first, value - (1 << 64) if value >> 63 else value)

    # ---- Instructions

    def execute(self, pc, x, lanes):
        """Returns the lanes that go on."""
        if x.name == "memfence":
            return lanes
        if x.name in ACCESSES:
            return self.access(pc, x, lanes)
        if x.name in ("div", "rem") and not values.is_float(x.type):
            zero = self.get(x.b, x.type, lanes) == 0
            self.stop(lanes[zero], DIVISION_BY_ZERO, pc, 0)
            lanes = lanes[~zero]
        if x.name in ("set", "pand", "por", "pxor", "pnot"):
            self.predicates[x.d, lanes] = self.truth(x, lanes)
        elif x.name == "sreg":
            self.put(x.d, "u64" if x.mod == 15 else "u32", lanes, self.id_of(x.mod, lanes))
        else:
            self.put(x.d, x.type, lanes, self.value(x, lanes))
        return lanes

    def truth(self, x, lanes):
        if x.name == "set":
            a, b = (values.load(x.type, self.get(reg, x.type, lanes)) for reg in (x.a, x.b))
            return isa_reference.COMPARISONS[CONDITIONS[x.mod]](a, b)
        a, b = self.predicates[x.a, lanes], self.predicates[x.b, lanes]
        return {"pand": a & b, "por": a | b, "pxor": a ^ b, "pnot": ~a}[x.name]

    def value(self, x, lanes):
        name, type_ = x.name, x.type
        if name == "mov_imm":
            return np.full(lanes.size, x.imm & ((1 << (8 * SIZE[type_])) - 1), word(type_))
        if name in ("cvt", "bitcast"):
            source = self.get(x.a, TYPES[x.mod], lanes)
            return source if name == "bitcast" else values.convert(type_, TYPES[x.mod], source)
        if name == "sel":
            b, c = self.get(x.b, type_, lanes), self.get(x.c, type_, lanes)
            return np.where(self.predicates[x.a, lanes], b, c)
        if name.startswith("reduce."):
            return self.fold(name[7:], x, lanes)
        a = self.get(x.a, type_, lanes)
        if name == "mov":
            return a
        if name in ("shl", "shr"):
            return values.shift(name, type_, a, self.get(x.b, "u32", lanes))
        if name in ("add", "sub", "mul", "div", "rem", "min", "max", "and", "or", "xor"):
            return values.binary(name, type_, a, self.get(x.b, type_, lanes))
        if name in ("mad", "fma"):
            b, c = self.get(x.b, type_, lanes), self.get(x.c, type_, lanes)
            return values.ternary(name, type_, a, b, c)
        return values.unary(name, type_, a)

    def fold(self, name, x, lanes):
        """From the first register on; a NaN is canonical even where it is alone."""
        if x.imm == 0:
            return np.full(lanes.size, values.identity(name, x.type), word(x.type))
        result = values.store(x.type, values.load(x.type, self.get(x.a, x.type, lanes)))
        for k in range(1, x.imm):
            result = values.binary(name, x.type, result, self.get(x.a + k, x.type, lanes))
        return result

    # ---- Memory

    def place(self, x, lanes):
        """The memory of an access, its bytes per owner, and where each lane's part begins."""
        size = SIZE[x.type]
        if x.name in ("lds", "sts", "ats"):
            bytes_ = self.program.shared[x.a][1] * size
            return self.shared[x.a], bytes_, lanes // self.lanes_per_block * bytes_
        if x.name in ("ldl", "stl"):
            bytes_ = self.program.local[x.a][1] * size
            return self.local[x.a], bytes_, lanes * bytes_
        memory = self.buffers[self.slots[int(self.get(x.a, "u64", lanes)[0])]]
        return memory, len(memory), np.zeros_like(lanes)

    def access(self, pc, x, lanes):
        size = SIZE[x.type]
        memory, bytes_, base = self.place(x, lanes)
        elements = self.elements(x.b, lanes, x.displacement // size)
        inside = np.array([0 <= e and (e + 1) * size <= bytes_ for e in elements])
        outside = [e for e, ok in zip(elements, inside, strict=True) if not ok]
        self.stop(lanes[~inside], OUT_OF_BOUNDS, pc, outside)
        elements = [e for e, ok in zip(elements, inside, strict=True) if ok]
        lanes, base = lanes[inside], base[inside]
        if not lanes.size:
            return lanes
        cells = memory.view(UNSIGNED[size])
        where = base // size + np.array(elements, np.int64)
        if x.name in ("stg", "sts", "stl"):
            cells[where] = self.get(x.c, x.type, lanes)
        elif x.name in ("atg", "ats"):
            self.update(x, cells, where, lanes)
        else:
            self.put(x.d, x.type, lanes, cells[where])
        return lanes

    def elements(self, reg, lanes, displacement):
        """Element numbers as Python integers, exact whatever the type of the index is."""
        kinds = [TYPES[t] for t in self.types[reg, lanes].tolist()]
        words = self.bits[reg, lanes].tolist()
        return [
            isa_reference.to_int(t, w) + displacement for t, w in zip(kinds, words, strict=True)
        ]

    def update(self, x, cells, where, lanes):
        """One lane after the other, in linear order."""
        operands = self.get(x.c, x.type, lanes)
        old = np.empty_like(operands)
        for k, (cell, operand) in enumerate(zip(where.tolist(), operands.tolist(), strict=True)):
            old[k] = cells[cell]
            cells[cell] = isa_reference.atomic(ATOMICS[x.mod], x.type, int(old[k]), operand)
        self.put(x.d, x.type, lanes, old)


class Stream:
    def __init__(self, file):
        self.file = file

    def bytes(self, count):
        data = self.file.read(count)
        if len(data) != count:
            raise EOFError
        return data

    def read(self, layout):
        fields = struct.unpack("<" + layout, self.bytes(struct.calcsize("<" + layout)))
        return fields[0] if len(fields) == 1 else fields


def run_case(stream):
    """None, or what is different."""
    program = Program(stream.bytes(stream.read("I")))
    shape = stream.read("6I")
    budget = stream.read("Q")
    counted = {stream.read("II") for _ in range(stream.read("I"))}
    scalars = [stream.read("Q") for _ in range(stream.read("I"))]
    buffers = [stream.bytes(stream.read("Q")) for _ in range(stream.read("I"))]
    fault = stream.read("IIQq")
    after = [stream.bytes(len(data)) for data in buffers]
    machine = Machine(program, shape, budget, counted, scalars, buffers)
    machine.run()
    found = machine.fault or (NO_FAULT, 0, 0, 0)
    if found != fault:
        return f"fault (code, pc, lane, index): reference {found}, interpreter {fault}"
    if machine.fault is None:
        for k, (mine, theirs) in enumerate(zip(machine.buffers, after, strict=True)):
            different = np.nonzero(mine != np.frombuffer(theirs, np.uint8))[0]
            if different.size:
                return f"buffer {k} differs first at byte {different[0]}"
    return None


def main():
    stream = Stream(sys.stdin.buffer)
    began, cases, different = time.monotonic(), 0, 0
    while True:
        try:
            number = stream.read("Q")
        except EOFError:
            break
        message = run_case(stream)
        cases += 1
        if message:
            different += 1
            print(f"program {number}: {message}")
    seconds = time.monotonic() - began
    print(f"{cases} programs in {seconds:.0f} s: {cases - different} equal, {different} different")
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else max(cases, 1)
    if cases != wanted:
        print(f"expected {wanted} programs")
    return 1 if different or cases != wanted else 0


if __name__ == "__main__":
    sys.exit(main())
