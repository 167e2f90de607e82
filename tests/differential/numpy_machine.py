"""All lanes of a launch at once, the lowest program counter first; registers are columns of lanes.

Lanes that are at the same place with the same calls to return to form a group, a mask. Where all lanes that
can run are in one group, an instruction replaces a whole column; lanes that have ended then hold anything.
"""

import functools

import numpy as np
import numpy_values as values
from numpy_program import ATOMICS, BLOCK_OPERATIONS, CONDITIONS, LEAVING, Instruction
from numpy_values import COLUMN, NUMBER, SIZE, TYPES, isa_reference

NO_FAULT, OUT_OF_BOUNDS, DIVISION_BY_ZERO, BUDGET, CALL_DEPTH = 0, 1, 2, 3, 4
ASSERTION = 11
MAX_CALLS = 256
UNSET = -1
MIXED_BITS = np.int8
ID_REGISTERS = {252: 0, 253: 3, 254: 6, 255: 15}
SHARED = ("lds", "sts", "ats", "ats.cas")
LOCAL = ("ldl", "stl")
UPDATES = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


FEW_COLUMNS = 40
LIMITS = [(0, 0)] * len(TYPES)
for _type in isa_reference.INTEGERS:
    LIMITS[NUMBER[_type]] = isa_reference.limits(_type)


def some(mask):
    """mask.any(), but fast for few lanes."""
    return 1 in mask.tobytes()


class NoLanesLeft(Exception):
    """Every lane of the group has faulted."""


class Machine:
    def __init__(self, program, shape, budget, counted, scalars, buffers):
        self.program, self.budget, self.counted = program, budget, counted
        self.grid, self.block = shape[:3], shape[3:]
        self.lanes_per_block = self.block[0] * self.block[1] * self.block[2]
        self.count = self.lanes_per_block * self.grid[0] * self.grid[1] * self.grid[2]
        self.launched = self.count
        # columns[register, type]; kinds[register]: the type in all lanes, or an array of types
        self.columns, self.ids = {}, {}
        self.kinds = [UNSET] * 256
        self.predicates = [None] * 16
        self.alive = np.ones(self.count, bool)
        self.intact = True  # no lane has ended
        self.linear = np.arange(self.count)
        self.back_edges = np.zeros(self.count, np.int64)
        self.fault = None
        self.sums = {}  # by instruction: what lanes add to an element, once for the launch
        self.groups, self.waiting, self.reducing = {(0, ()): self.alive}, {}, []
        self.stops, self.exits = program.starts(counted), program.exits()
        self.buffers, self.slots, given = [], {}, list(scalars)
        for k, (is_buffer, type_, _, _) in enumerate(program.parameters):
            if is_buffer:
                self.slots[k + 1] = len(self.buffers)
                data = buffers[len(self.buffers)]
                self.buffers.append(np.frombuffer(bytearray(data), COLUMN[TYPES[type_]]))
            kind = NUMBER["u64"] if is_buffer else type_
            bits = k if is_buffer else given.pop(0)
            bits &= (1 << 8 * SIZE[TYPES[kind]]) - 1
            self.columns[k + 1, kind] = values.filled(TYPES[kind], self.count, bits)
            self.kinds[k + 1] = kind
        blocks = self.count // self.lanes_per_block
        self.shared = [np.zeros(blocks * n, COLUMN[TYPES[t]]) for t, n in program.shared]
        self.local = [np.zeros(self.count * n, COLUMN[TYPES[t]]) for t, n in program.local]

    def id_of(self, sreg):
        if sreg not in self.ids:
            self.ids[sreg] = self.find_id(sreg)
        return self.ids[sreg]

    def find_id(self, sreg):
        linear = self.linear
        if sreg == 15:
            return linear.astype(np.uint64)
        if sreg == 12 and self.block[0] == self.lanes_per_block and self.grid[1:] == (1, 1):
            return linear.astype(np.uint32)
        axis = sreg % 3
        size = self.block[axis]
        within, block = linear % self.lanes_per_block, linear // self.lanes_per_block
        for k in range(axis):
            within, block = within // self.block[k], block // self.grid[k]
        within, block = within % size, block % self.grid[axis]
        full = np.full_like(linear, size)
        table = [within, block, full, np.full_like(linear, self.grid[axis]), block * size + within]
        return table[sreg // 3].astype(np.uint32)

    # ---- Registers

    def get(self, reg, type_):
        kind = NUMBER[type_]
        known = self.kinds[reg]
        if known is not kind:
            self.check(reg, kind, known)
        return self.columns[reg, kind]

    def check(self, reg, kind, known):
        if reg in ID_REGISTERS and known is UNSET:
            known = self.kinds[reg] = NUMBER["u64" if reg == 255 else "u32"]
            self.columns[reg, known] = self.id_of(ID_REGISTERS[reg])
            if known == kind:
                return
        if isinstance(known, int) or some((known != kind) & self.mask):
            raise ValueError(f"r{reg} is read as {TYPES[kind]}, which it is not in every lane")

    def put(self, reg, type_, column):
        kind = NUMBER[type_]
        if self.full:
            self.columns[reg, kind] = column
            self.kinds[reg] = kind
            return
        old = self.columns.get((reg, kind))
        self.columns[reg, kind] = column if old is None else np.where(self.mask, column, old)
        self.note(reg, kind)

    def put_at(self, reg, type_, lanes, some_values):
        """Values of these lanes only."""
        kind = NUMBER[type_]
        old = self.columns.get((reg, kind))
        column = np.zeros(self.count, COLUMN[type_]) if old is None else old.copy()
        column[lanes] = some_values
        self.columns[reg, kind] = column
        if self.full:
            self.kinds[reg] = kind
        else:
            self.note(reg, kind)

    def note(self, reg, kind):
        """The lanes of the group hold this type now."""
        known = self.kinds[reg]
        if known is kind:
            return
        if isinstance(known, int):
            known = np.full(self.count, known, MIXED_BITS)
        self.kinds[reg] = np.where(self.mask, MIXED_BITS(kind), known)

    # ---- Control

    def run(self):
        with np.errstate(all="ignore"):
            while self.groups or self.waiting:
                if not self.groups:
                    self.release()
                    continue
                place = min(self.groups)
                mask = self.groups.pop(place)
                self.enter(mask)
                self.step(*place)
            if self.fault is None:
                self.add_sums()

    def enter(self, mask):
        self.full = not self.groups and not self.waiting
        self.mask = mask
        self.known_lanes = None
        if self.full and not self.intact and len(self.columns) < FEW_COLUMNS:
            self.forget_ended_lanes()

    def forget_ended_lanes(self):
        """Most programs begin by sending the lanes beyond the last element away."""
        keep = np.flatnonzero(self.mask)
        self.columns = {key: column[keep] for key, column in self.columns.items()}
        self.kinds = [kind if isinstance(kind, int) else kind[keep] for kind in self.kinds]
        self.predicates = [None if p is None else p[keep] for p in self.predicates]
        self.linear, self.back_edges, self.ids = self.linear[keep], self.back_edges[keep], {}
        self.count, self.intact = keep.size, True
        self.alive = self.mask = np.ones(keep.size, bool)

    @property
    def lanes(self):
        """The lanes of the group; None if all lanes of the launch are in it."""
        if self.full and self.intact:
            return None
        if self.known_lanes is None:
            self.known_lanes = np.flatnonzero(self.mask)
        return self.known_lanes

    def step(self, pc, calls):
        """Runs the group to the end of its basic block."""
        code, stops = self.program.code, self.stops
        try:
            while pc < len(code):
                x, imm = code[pc]
                if x.run is None:
                    return self.leave(pc, x, imm, calls)
                x.run(self, pc, x, imm)
                pc += 1
                if pc in stops:
                    return self.jump(pc - 1, pc, calls, self.mask)
            self.end(self.mask)
        except NoLanesLeft:
            pass
        return None

    def end(self, mask):
        self.intact = False
        self.alive = self.alive & ~mask

    def arrive(self, place, mask):
        if place[0] in self.exits:
            return self.end(mask)
        other = self.groups.get(place)
        self.groups[place] = mask if other is None else other | mask
        return None

    def leave(self, pc, x, imm, calls):
        if x.name == "exit":
            self.end(self.mask)
        elif x.name == "bra" and x.mod != 1:
            self.jump(pc, imm, calls, self.mask)
        elif x.name in ("bra", "loop"):
            self.branch(pc, x, imm, calls)
        elif x.name == "call":
            if len(calls) >= MAX_CALLS:
                self.stop(self.mask, CALL_DEPTH, pc, 0)
            self.jump(pc, imm, (*calls, pc + 1), self.mask)
        elif x.name == "ret":
            self.arrive((calls[-1], calls[:-1]), self.mask)
        else:
            if x.name in ("blk.red", "blk.scan"):
                self.get(x.a, x.type)
                self.reducing.append((pc, self.mask))
            place = (pc + 1, calls)
            other = self.waiting.get(place)
            self.waiting[place] = self.mask if other is None else other | self.mask

    def branch(self, pc, x, target, calls):
        if x.name == "loop":
            counter = self.get(x.a, "u32")
            taken = counter > 0
            self.put(x.a, "u32", counter - taken)
        else:
            taken = self.predicates[x.a]
        go, stay = self.mask & taken, self.mask & ~taken
        if some(go):
            self.jump(pc, target, calls, go)
        if some(stay):
            self.jump(pc, pc + 1, calls, stay)

    def jump(self, pc, target, calls, mask):
        if (pc, target) in self.counted:
            self.back_edges[mask] += 1
            over = mask & (self.back_edges > self.budget)
            if some(over):
                self.fail(over, BUDGET, pc, 0)
                mask = mask & ~over
                if not some(mask):
                    return
        self.arrive((target, calls), mask)

    def release(self):
        """Every lane that has not returned is at a barrier."""
        self.groups, self.waiting = self.waiting, {}
        at = {}
        for pc, mask in self.reducing:
            at[pc] = at[pc] | mask if pc in at else mask
        self.reducing = []
        for pc, mask in at.items():
            self.reduce(self.program.code[pc][0], mask & self.alive)

    def reduce(self, x, mask):
        name = BLOCK_OPERATIONS[x.mod % len(BLOCK_OPERATIONS)]
        self.mask, self.full = mask, False
        slots = values.filled(x.type, self.launched, values.absent(name, x.type))
        slots[self.linear[mask]] = self.get(x.a, x.type)[mask]
        slots = slots.reshape(-1, self.lanes_per_block)
        if x.mod >= len(BLOCK_OPERATIONS):
            results = values.of_warps(name, x.type, slots, x.name == "blk.scan").reshape(-1)[
                self.linear
            ]
        elif x.name == "blk.scan":
            results = values.block_scan(name, x.type, slots).reshape(-1)[self.linear]
        else:
            results = values.block_reduce(name, x.type, slots)[self.linear // self.lanes_per_block]
        self.put(x.d, x.type, results)

    def fail(self, mask, code, pc, index_of):
        """These lanes fault; the one that is reported is the lowest. `index_of` is a number, or a function of
        the place of the lane in columns."""
        self.end(mask)
        first = int(mask.argmax())
        lane = int(self.linear[first])
        if self.fault is None or lane < self.fault[2]:
            value = (index_of if isinstance(index_of, int) else index_of(first)) & ((1 << 64) - 1)
            self.fault = (code, pc, lane, value - (1 << 64) if value >> 63 else value)

    def stop(self, mask, code, pc, index_of):
        """Lanes of the group fault in the middle of a block."""
        self.fail(mask, code, pc, index_of)
        self.mask = self.mask & ~mask
        self.known_lanes = None
        if not some(self.mask):
            raise NoLanesLeft

    # ---- Memory

    def place(self, x):
        """The elements of an access, how many an owner has, and where each lane's part begins."""
        if x.name in SHARED:
            return self.shared[x.a], self.program.shared[x.a][1], self.lanes_per_block
        if x.name in LOCAL:
            return self.local[x.a], self.program.local[x.a][1], 1
        memory = self.buffers[self.slots[x.a]]
        return memory, len(memory), 0

    def elements(self, pc, x, imm):
        """The memory, the lanes that go on (None: all), and their elements."""
        memory, extent, lanes_per_owner = self.place(x)
        lanes = self.lanes
        kind = self.kinds[x.b]
        if not isinstance(kind, int):
            kind = int(kind[self.mask.argmax()])
        index = self.get(x.b, TYPES[kind])
        mine = index if lanes is None else index[lanes]
        displacement = (imm - (1 << 64) if imm >> 63 else imm) // x.size  # in elements
        low, high = -displacement, extent - displacement
        smallest, largest = LIMITS[kind]
        outside = mine >= high if high <= largest else np.zeros(mine.size, bool)
        if low > smallest:
            outside = outside | (mine < low)
        if some(outside):
            bad = np.zeros(self.count, bool)
            bad[outside if lanes is None else lanes[outside]] = True
            self.stop(bad, OUT_OF_BOUNDS, pc, lambda lane: int(index[lane]) + displacement)
            mine, lanes = mine[~outside], self.lanes
        where = mine.astype(np.intp) + displacement
        if lanes_per_owner:
            owners = self.linear if lanes is None else self.linear[lanes]
            where += owners // lanes_per_owner * extent
        return memory, where, lanes

    def load(self, pc, x, imm):
        memory, where, lanes = self.elements(pc, x, imm)
        if lanes is None:
            self.put(x.d, x.type, memory[where])
        else:
            self.put_at(x.d, x.type, lanes, memory[where])

    def store(self, pc, x, imm):
        memory, where, lanes = self.elements(pc, x, imm)
        value = self.get(x.c, x.type)
        memory[where] = value if lanes is None else value[lanes]

    def update(self, pc, x, imm):
        """What an atomic gives back depends on the order of lanes, so the register becomes unset: the programs
        do not read it."""
        memory, where, lanes = self.elements(pc, x, imm)
        value = self.get(x.c, x.type)
        UPDATES[ATOMICS[x.mod]].at(memory, where, value if lanes is None else value[lanes])
        if self.full:
            self.kinds[x.d] = UNSET
        else:
            self.note(x.d, UNSET)

    def swap(self, pc, x, imm):
        """One lane after the other, in linear order."""
        memory, where, lanes = self.elements(pc, x, imm)
        columns = (self.get(reg, x.type) for reg in (x.c, x.mod))
        expected, desired = (column if lanes is None else column[lanes] for column in columns)
        old = np.empty_like(expected)
        for k, cell in enumerate(where.tolist()):
            old[k] = memory[cell]
            if old[k] == expected[k]:
                memory[cell] = desired[k]
        if lanes is None:
            self.put(x.d, x.type, old)
        else:
            self.put_at(x.d, x.type, lanes, old)

    def collect(self, pc, x, imm):
        """The programs have no other atomics of floats than sums over the launch."""
        memory, where, lanes = self.elements(pc, x, imm)
        given = self.get(x.c, x.type).view(values.word(x.type))
        _, _, _, collected = self.sums.setdefault(
            pc, (x, memory, int(where[0]), [None] * self.launched)
        )
        present = self.linear if lanes is None else self.linear[lanes]
        given = given if lanes is None else given[lanes]
        for lane, bits in zip(present.tolist(), given.tolist(), strict=True):
            collected[lane] = bits

    def add_sums(self):
        for _, (x, memory, cell, collected) in sorted(self.sums.items()):
            words = memory.view(values.word(x.type))
            words[cell] = isa_reference.launch_sum(x.type, int(words[cell]), collected)

    # ---- Other instructions

    def trapped(self, pc, x, _):
        hit = self.mask & self.predicates[x.a] if x.mod == 1 else self.mask
        if some(hit):
            self.stop(hit, ASSERTION, pc, 0)

    def nothing(self, pc, x, imm):
        pass

    def immediate(self, _, x, imm):
        self.put(x.d, x.type, values.filled(x.type, self.count, imm & x.bits))

    def special(self, _, x, __):
        self.put(x.d, x.type, self.id_of(x.mod))

    def unary(self, _, x, __):
        self.put(x.d, x.type, x.function(self.get(x.a, x.type)))

    def converted(self, _, x, __):
        self.put(x.d, x.type, x.function(self.get(x.a, TYPES[x.mod])))

    def binary(self, _, x, __):
        self.put(x.d, x.type, x.function(self.get(x.a, x.type), self.get(x.b, x.type)))

    def divided(self, pc, x, imm):
        zero = self.get(x.b, x.type) == 0
        if some(zero):
            zero = zero & self.mask
            if some(zero):
                dividend = self.get(x.a, x.type)
                self.stop(zero, DIVISION_BY_ZERO, pc, lambda lane: int(dividend[lane]))
        self.binary(pc, x, imm)

    def shifted(self, _, x, __):
        self.put(x.d, x.type, x.function(self.get(x.a, x.type), self.get(x.b, "u32")))

    def ternary(self, _, x, __):
        operands = (self.get(reg, x.type) for reg in (x.a, x.b, x.c))
        self.put(x.d, x.type, x.function(*operands))

    def folded(self, _, x, count):
        """From the first register on; a NaN is canonical even where it is alone."""
        name = x.name[7:]
        if count == 0:
            bits = values.identity(name, x.type)
            return self.put(x.d, x.type, values.filled(x.type, self.count, bits))
        result = self.get(x.a, x.type)
        if count == 1 and values.is_float(x.type):
            result = values.smaller_or_larger("min", x.type, result, result)
        for k in range(1, count):
            result = x.function(result, self.get(x.a + k, x.type))
        return self.put(x.d, x.type, result)

    def decide(self, reg, truth):
        old = self.predicates[reg]
        self.predicates[reg] = (
            truth if self.full or old is None else np.where(self.mask, truth, old)
        )

    def compared(self, _, x, __):
        self.decide(x.d, x.function(self.get(x.a, x.type), self.get(x.b, x.type)))

    def combined(self, _, x, __):
        self.decide(x.d, x.function(self.predicates[x.a], self.predicates[x.b]))

    def inverted(self, _, x, __):
        self.decide(x.d, ~self.predicates[x.a])

    def selected(self, _, x, __):
        b, c = self.get(x.b, x.type), self.get(x.c, x.type)
        self.put(x.d, x.type, np.where(self.predicates[x.a], b, c))


BY_NAME = {
    "memfence": Machine.nothing,
    "print": Machine.nothing,
    "print.text": Machine.nothing,
    "print.end": Machine.nothing,
    "ldg": Machine.load,
    "lds": Machine.load,
    "ldl": Machine.load,
    "stg": Machine.store,
    "sts": Machine.store,
    "stl": Machine.store,
    "atg": Machine.update,
    "ats": Machine.update,
    "atg.cas": Machine.swap,
    "ats.cas": Machine.swap,
    "atgf": Machine.collect,
    "trap": Machine.trapped,
    "mov_imm": Machine.immediate,
    "sreg": Machine.special,
    "cvt": Machine.converted,
    "bitcast": Machine.converted,
    "shl": Machine.shifted,
    "shr": Machine.shifted,
    "mad": Machine.ternary,
    "fma": Machine.ternary,
    "set": Machine.compared,
    "pand": Machine.combined,
    "por": Machine.combined,
    "pxor": Machine.combined,
    "pnot": Machine.inverted,
    "sel": Machine.selected,
}
LOGIC = {"pand": np.logical_and, "por": np.logical_or, "pxor": np.logical_xor}
BINARY = ("add", "sub", "mul", "div", "rem", "min", "max", "and", "or", "xor")


def function_of(x):
    name, type_ = x.name, x.type
    if name in BINARY:
        return values.binary(name, type_)
    if name in ("mad", "fma"):
        return values.ternary(name, type_)
    if name in ("shl", "shr"):
        return values.shift(name, type_)
    if name == "cvt":
        return values.conversion(type_, TYPES[x.mod])
    if name == "bitcast":
        return lambda column: column.view(COLUMN[type_])
    if name == "set":
        return values.comparison(CONDITIONS[x.mod], type_)
    if name.startswith("reduce."):
        return values.binary(name[7:], type_)
    if name in LOGIC:
        return LOGIC[name]
    return None if name in BY_NAME else values.unary(name, type_)


@functools.cache
def decode(data):
    """Of the first 8 bytes of an instruction; the rest is its immediate."""
    x = Instruction(data)
    if x.name in LEAVING:
        return x
    x.function = function_of(x)
    if x.name in ("div", "rem") and not values.is_float(x.type):
        x.run = Machine.divided
    elif x.name in BINARY:
        x.run = Machine.binary
    elif x.name.startswith("reduce."):
        x.run = Machine.folded
    else:
        x.run = BY_NAME.get(x.name, Machine.unary)
    return x
