"""Kernels of blocks: shared arrays, barriers, reductions and scans, loops with barriers in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strangers import tree, values
from strangers.expressions import REDUCTIONS, Scope

if TYPE_CHECKING:
    from strangers.generator import Generator


def _var(name: str) -> tree.Var:
    return tree.Var("u32", name)


def _lit(value: int) -> tree.Lit:
    return tree.Lit("u32", value, True)


def _uniform(g: Generator, scope: Scope) -> tree.Expr:
    """A condition that is the same for all lanes: of scalars of the launch."""
    names = [n for n, t in g.scalars if t == "u32"]
    a = _var(g.rng.choice(names)) if names else tree.Lit("u32", 3)
    if g.chance(0.4):
        return tree.Cmp("bool", ["=="], [tree.Bin("u32", "%", a, _lit(2), "u32"), _lit(0)], "u32")
    return tree.Cmp(
        "bool", [g.rng.choice(("<", ">", "!="))], [a, _lit(g.rng.choice((0, 1, 3, 16)))], "u32"
    )


def _reduction(g: Generator, scope: Scope, body: list[tree.Stmt]) -> None:
    type_ = g.any_type()
    ops = REDUCTIONS[:4] if values.is_float(type_) else REDUCTIONS
    form = g.rng.choice(("reduce", "scan"))
    value = g.typed(g.expr(type_, scope, 2))
    name = g.fresh()
    body.append(tree.Assign(name, tree.BlockValue(type_, form, g.rng.choice(ops), value), type_))
    scope.names[name] = type_


def _exchange(
    g: Generator, scope: Scope, body: list[tree.Stmt], tile: tree.Array, block: int
) -> None:
    """Each lane writes its own element, and behind a barrier reads one of another."""
    value = g.typed(g.expr(tile.type, scope, 3))
    lane = _var("l")
    two = len(tile.extents) == 2
    if two:
        width = tile.extents[1]
        place: list[tree.Expr] = [
            tree.Bin("u32", "//", lane, _lit(width), "u32"),
            tree.Bin("u32", "%", lane, _lit(width), "u32"),
        ]
    else:
        place = [lane]
    store: tree.Stmt = tree.Store(tile.name, place, value)
    if g.chance(0.15):
        store = tree.If(tree.Cmp("bool", ["<"], [lane, _lit(block)], "u32"), [store], [])
    body += [store, tree.Barrier()]
    name = g.fresh()
    if two:
        index: list[tree.Expr] = [g.index_within(extent, scope, 2) for extent in tile.extents]
    elif g.chance(0.4):
        index = [tree.Bin("u32", "-", _lit(block - 1), lane, "u32")]
    elif g.chance(0.4):
        shifted = tree.Bin("u32", "+", lane, _lit(g.rng.choice((1, 3))), "u32")
        index = [tree.Bin("u32", "%", shifted, _lit(block), "u32")]
    else:
        index = [g.index_within(tile.extents[0], scope, 3)]
    load: tree.Expr = tree.Load(tile.type, tile.name, index)
    if g.chance(0.3):
        # The tile is read in a part of the lanes only, behind what may fault.
        inner = scope.inner()
        inner.uniform = False
        body.append(tree.Assign(name, g.typed(g.leaf(tile.type, scope, -1)), tile.type))
        scope.names[name] = inner.names[name] = tile.type
        then = g.statements(inner, g.rng.choice((0, 1, 2)), 1)
        then.append(tree.Assign(name, load, tile.type))
        body.append(tree.If(g.condition(scope, 2), then, []))
    else:
        body.append(tree.Assign(name, load, tile.type))
        scope.names[name] = tile.type
    body.append(tree.Barrier())


def _halving(
    g: Generator, scope: Scope, body: list[tree.Stmt], tile: tree.Array, block: int
) -> None:
    """The usual tree: half of the lanes add what the other half has."""
    half = block // 2
    lane = _var("l")
    body += [tree.Store(tile.name, [lane], g.typed(g.expr(tile.type, scope, 2))), tree.Barrier()]
    name = g.fresh()
    body.append(tree.Assign(name, _lit(half), "u32", True))
    other = tree.Load(tile.type, tile.name, [tree.Bin("u32", "+", lane, _var(name), "u32")])
    add = tree.Store(tile.name, [lane], other, "+")
    step: list[tree.Stmt] = [
        tree.If(tree.Cmp("bool", ["<"], [lane, _var(name)], "u32"), [add], []),
        tree.Barrier(),
        tree.Assign(name, _lit(2), "u32", False, "//"),
    ]
    body.append(tree.While(tree.Cmp("bool", [">"], [_var(name), _lit(0)], "u32"), step))
    result = g.fresh()
    body += [
        tree.Assign(result, tree.Load(tile.type, tile.name, [_lit(0)]), tile.type),
        tree.Barrier(),
    ]
    scope.names[result] = tile.type


def _histogram(g: Generator, scope: Scope, body: list[tree.Stmt], counts: tree.Array) -> None:
    inner = scope.inner()
    inner.uniform = False
    then = g.statements(inner, g.rng.choice((0, 1)), 1)
    index = g.index(counts, inner, 3)
    value = g.typed(g.expr(counts.type, inner, 2))
    op = g.rng.choice(("add", "min", "max", "or", "xor"))
    if values.is_float(counts.type):
        op = g.rng.choice(("add", "add", "min", "max", "exchange"))
    update: tree.Stmt = tree.AtomicDo(tree.AtomicValue(counts.type, op, counts.name, index, value))
    if g.chance(0.3):
        update = tree.For(g.fresh(), "u32", [tree.Lit("u32", g.rng.choice((1, 2, 3)))], [update])
    then.append(update)
    if g.chance(0.6):
        body.append(tree.If(g.condition(scope, 2), then, []))
    else:
        body += then
        scope.names.update(inner.names)
        scope.frozen |= inner.frozen
    name = g.fresh()
    body += [
        tree.Barrier(),
        tree.Assign(
            name, tree.Load(counts.type, counts.name, g.index(counts, scope, 2)), counts.type
        ),
    ]
    body.append(tree.Barrier())
    scope.names[name] = counts.type


def _looped(
    g: Generator, scope: Scope, body: list[tree.Stmt], tiles: list[tree.Array], block: int
) -> None:
    """Rounds with barriers in them; how many is the same for all lanes."""
    name = g.fresh()
    inner = scope.inner()
    inner.names[name] = "u32"
    inner.frozen.add(name)
    rounds: list[tree.Stmt] = []
    if g.chance(0.3):
        _reduction(g, inner, rounds)
    else:
        _exchange(g, inner, rounds, g.rng.choice(tiles), block)
    kept = [n for n in scope.names if n not in scope.frozen]
    if kept:
        target = g.rng.choice(kept)
        type_ = scope.names[target]
        rounds.append(tree.Assign(target, g.typed(g.expr(type_, inner, 2)), type_))
    names = [n for n, t in g.scalars if t == "u32"]
    limit: tree.Expr = tree.Lit("u32", g.rng.choice((1, 2, 3)))
    if names and g.chance(0.4):
        limit = tree.Bin("u32", "%", _var(g.rng.choice(names)), _lit(3), "u32")
    body.append(tree.For(name, "u32", [limit], rounds))


def block_kernel(
    g: Generator, scope: Scope, block: int, memory: list[tree.Array]
) -> list[tree.Stmt]:
    rng = g.rng
    tiles = [tree.Array("tile", g.any_type(), "shared", 0, (block,))]
    if block % 4 == 0 and g.chance(0.3):
        tiles.append(tree.Array("plane", g.any_type(), "shared", 0, (block // 4, 4)))
    memory += tiles
    counts = None
    if g.chance(0.35):
        counts = tree.Array(
            "counts",
            rng.choice(("u32", "i32", "u64", "f32", "f32", "f64")),
            "shared",
            0,
            (rng.choice((4, 8, 5)),),
        )
        memory.append(counts)
    body: list[tree.Stmt] = [
        g.lane("l", tree.Id("u32", "get_local_id", -1), scope),
        g.lane("i", tree.Id("u32", "get_global_id", -1), scope),
    ]
    i, n = _var("i"), _var("n")
    if g.chance(0.15):
        leave = tree.Cmp("bool", [">="], [i, n], "u32")
        body.append(tree.If(leave, [tree.Jump("return")], []))
    for _ in range(rng.choice((1, 2))):
        g.define(body, scope, 2)
    for _ in range(rng.choice((1, 1, 2))):
        part: list[tree.Stmt] = []
        inner = scope.inner()
        roll = rng.random()
        if roll < 0.3:
            _reduction(g, inner, part)
        elif roll < 0.6:
            _exchange(g, inner, part, rng.choice(tiles), block)
        elif roll < 0.7 and not block & (block - 1):
            _halving(g, inner, part, tiles[0], block)
        elif roll < 0.8 and counts is not None:
            _histogram(g, inner, part, counts)
            counts = None  # once: the next one would change what others read
        else:
            _looped(g, inner, part, tiles, block)
        if g.chance(0.12):
            body.append(tree.If(_uniform(g, scope), part, []))
        else:
            body += part
            scope.names.update(inner.names)
            scope.frozen |= inner.frozen
    g.place = [i]
    last = scope.inner()
    last.uniform, last.lane = False, "i"
    inside = g.statements(last, rng.choice((0, 1, 2)), 2)
    g.final_stores(inside, last)
    guards: list[tree.Expr] = [tree.Cmp("bool", ["<"], [i, n], "u32")]
    first, *others = g.limited(guards, [i])
    guard = tree.Logic("bool", "and", first, others[0]) if others else first
    body += [tree.If(guard, inside, [])] if g.chance(0.95) else inside
    return body


def tile_kernel(g: Generator, scope: Scope, memory: list[tree.Array]) -> list[tree.Stmt]:
    """Blocks of two dimensions that exchange a tile, as a transpose does."""
    rng = g.rng
    width, height = rng.choice((2, 4, 8)), rng.choice((1, 2, 4, 8))
    tile = tree.Array("tile", g.any_type(), "shared", 0, (height, width))
    memory.insert(0, tile)
    body: list[tree.Stmt] = []
    for name, function, dim in (
        *(("x", "get_local_id", 0), ("y", "get_local_id", 1)),
        *(("i", "get_global_id", 0), ("j", "get_global_id", 1)),
    ):
        body.append(g.lane(name, tree.Id("u32", function, dim), scope))
    g.define(body, scope, 2)
    for _ in range(rng.choice((1, 1, 2))):
        store = tree.Store(tile.name, [_var("y"), _var("x")], g.typed(g.expr(tile.type, scope, 2)))
        body += [store, tree.Barrier()]
        index: list[tree.Expr] = [
            tree.Bin("u32", "-", _lit(height - 1), _var("y"), "u32"),
            tree.Bin("u32", "-", _lit(width - 1), _var("x"), "u32"),
        ]
        if width == height and g.chance(0.5):
            index = [_var("x"), _var("y")]
        elif g.chance(0.4):
            index = [g.index_within(extent, scope, 2) for extent in tile.extents]
        name = g.fresh()
        body += [
            tree.Assign(name, tree.Load(tile.type, tile.name, index), tile.type),
            tree.Barrier(),
        ]
        scope.names[name] = tile.type
    if g.chance(0.3):
        _reduction(g, scope, body)
    out = g.outputs[0].name
    g.place = [_var("j"), _var("i")]
    last = scope.inner()
    last.uniform, last.lane = False, "i"
    inside = g.statements(last, rng.choice((0, 1, 2)), 1)
    g.final_stores(inside, last)
    limits = [tree.Size("u32", out, 1), tree.Size("u32", out, 0)]
    guard = [tree.Cmp("bool", ["<"], [_var(n), e], "u32") for n, e in zip("ij", limits)]
    body.append(tree.If(tree.Logic("bool", "and", guard[0], guard[1]), inside, []))
    return body
