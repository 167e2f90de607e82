"""A kernel of a file -> a Python function, for one choice of its types.

The front end reads and checks the file as it does for the compiler, so that what the language
refuses is refused here with the same words; types are checked while the tree is translated.
"""

from __future__ import annotations

import ast
import copy
import sys
import types as python_types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hologram.frontend import document
from hologram.frontend.diagnostics import Diagnostics
from hologram.frontend.forms import definitions
from hologram.frontend.forms.definitions import Parameter
from hologram.frontend.nodes import Node
from hologram.frontend.scope import Helper, Scope
from hologram.frontend.signature import Signature
from hologram.frontend.source import Source
from hologram.functions import namespace, text
from hologram.simulator import types, widening
from hologram.simulator.arrays import Lane
from hologram.simulator.assigned import Walk
from hologram.simulator.context import PREFIX, Context, Program, Returns, Symbol
from hologram.simulator.debugging import Without
from hologram.simulator.errors import KernelError
from hologram.simulator.helpers import Translated
from hologram.simulator.statements import Statements

_FIRST = f"{PREFIX}first"


@dataclass
class Kernel:
    """A kernel as its file has it."""

    source: Source
    scope: Scope
    definition: ast.FunctionDef
    parameters: list[Node]
    block: int | tuple[int, ...] | None
    contract: bool
    names: dict[str, Any]  # of its module, for print and the like
    instances: dict[object, Instance] = field(default_factory=dict)
    written: list[Parameter] = field(default_factory=list)  # before forms were taken apart
    variants: dict[str, Kernel] = field(default_factory=dict)  # without optional arrays, by name


@dataclass
class Instance:
    """A kernel for one choice of types and compile-time values."""

    run: Callable[..., Any]
    trial: Callable[..., Any]  # the same where no breakpoint is, for lanes that do not exist
    program: Program
    meets: bool
    # `run` that first calls the function it is given, on the line of the `def`.
    calling: Callable[[Callable[[], object]], Callable[..., Any]]


def read_kernel(function: python_types.FunctionType) -> Kernel:
    """Finds a kernel's `def` in its file, cell or text, and checks it; raises KernelError."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, document.MIN_RECURSION_LIMIT))
    try:
        source, node = text.read(function, text.of(function), {})
        plain = Without().visit(copy.deepcopy(node))
        assert isinstance(plain, ast.FunctionDef)
        scope = namespace.scope_of(function, source, Diagnostics(source), {})
        document.compile_kernels([plain], [], scope, "")
    except document.CompileError as error:
        raise KernelError(str(error).removeprefix("hologram: error: ").rstrip("\n")) from None
    finally:
        sys.setrecursionlimit(limit)
    made = [_kernel(function, source, scope, plain) for plain in definitions.kernels(node, scope)]
    made[0].written = definitions.parameters(node, scope)
    made[0].variants = {kernel.definition.name: kernel for kernel in made}
    return made[0]


def _kernel(
    function: python_types.FunctionType, source: Source, scope: Scope, definition: ast.FunctionDef
) -> Kernel:
    signature = Signature(scope, scope.diagnostics)
    decorator: dict[str, Any] = signature.decorator(definition)
    return Kernel(
        source,
        scope,
        definition,
        signature.parameters(definition),
        _block(decorator.get("block")),
        decorator["contract"],
        function.__globals__,
    )


def _block(given: Any) -> int | tuple[int, ...] | None:
    return tuple(given) if isinstance(given, list) else given


def instance(kernel: Kernel, variables: dict[str, str], values: dict[str, int | float]) -> Instance:
    """The kernel for these types of its type variables and values of its constexpr parameters."""
    key = (tuple(sorted(variables.items())), tuple((k, repr(values[k])) for k in sorted(values)))
    known = kernel.instances.get(key)
    if known is None:
        known = kernel.instances[key] = _Translation(kernel, variables).translate(values)
    return known


def _calling_first(function: ast.stmt) -> ast.stmt:
    changed = copy.deepcopy(function)
    assert isinstance(changed, ast.FunctionDef)
    call = ast.Expr(ast.Call(ast.Name(_FIRST, ast.Load()), [], []))
    for node in ast.walk(call):
        ast.copy_location(node, function)
    changed.body.insert(0, call)
    return changed


def _kind_of(value: bool | int | float) -> str:
    """The type of a value that is known when compiling."""
    if isinstance(value, bool):
        return types.BOOL
    return types.SOFT_INT if isinstance(value, int) else types.SOFT_FLOAT


class _Translation:
    """One kernel with its helpers."""

    def __init__(self, kernel: Kernel, variables: dict[str, str]) -> None:
        self._kernel = kernel
        self._variables = variables
        self._program = Program(Lane(), kernel.contract)

    def translate(self, values: dict[str, int | float]) -> Instance:
        kernel, program = self._kernel, self._program
        context = Context(program, kernel.definition, kernel.scope)
        context.type_variables = self._variables
        for row in kernel.parameters:
            name, kind = str(row["name"]), row["type"]
            assert isinstance(kind, dict)
            if kind["kind"] == "constexpr":
                soft = _kind_of(values[name])
                symbol = Symbol(name, soft, const=values[name])
            elif kind["kind"] == "device_array":
                element = context.scalar_type(kind["element_type"]["type"])
                symbol = Symbol(name, element, True, "global", rank=kind.get("rank", 1))
            else:
                symbol = Symbol(name, context.scalar_type(kind["type"]))
            symbol.space = "global" if symbol.is_array else "parameter"
            context.symbols[name] = symbol
        bound = self._function(kernel.definition, context)
        program.widenings.check()
        for name in program.unique.keys() & program.written:
            program.unique[name]()
        for accesses in program.accesses.values():
            program.order_matters = program.order_matters or accesses.decide()
        run, trial = self._load(bound, "{}"), self._load(bound, "<trial of {}>")
        return Instance(
            run, trial, program, context.meets, lambda first: self._load(bound, "{}", first)
        )

    def _helper(
        self,
        helper: Helper,
        caller: Context,
        symbols: dict[str, Symbol],
        variables: dict[str, str],
    ) -> Translated:
        program, definition = self._program, helper.node
        if helper.name in program.calling:
            chain = " -> ".join([*program.calling, helper.name])
            caller.error(
                definition,
                f"`{definition.name}` calls itself ({chain}); helpers have no recursion, write a "
                "loop",
            )
        context = Context(program, definition, helper.scope)
        context.again = caller.again
        context.type_variables = variables
        context.symbols = symbols
        for name in context.assigned & symbols.keys():
            symbols[name].const = None
            symbols[name].values = None
            symbols[name].space = "local" if not symbols[name].is_array else symbols[name].space
        returns = Returns(definition.name)
        declared = Signature(helper.scope, helper.scope.diagnostics).returns(definition)
        if declared is not None:
            returns.known = True
            returns.kinds = [context.scalar_type(str(row["type"])) for row in declared]
            returns.results = [Symbol("", kind, made=widening.STATED) for kind in returns.kinds]
        context.helper = returns
        program.calling.append(helper.name)
        bound = self._function(definition, context)
        program.calling.pop()
        alike = returns.count == 1 and all(returns.alike)
        return Translated(bound, returns.kinds, context.meets, alike, returns.results)

    def _function(self, definition: ast.FunctionDef, context: Context) -> str:
        """Adds a function to the program; its name there."""
        program = self._program
        bound = f"{PREFIX}{definition.name}_{len(program.titles)}"
        program.titles[bound] = definition.name
        parameters = set(context.symbols)
        body = Statements(context, self._helper).block(definition.body)
        falls = Walk(context, parameters).body(definition.body)
        if falls and context.helper is not None and context.helper.kinds:
            context.error(
                definition,
                f"helper `{definition.name}` may end without a `return`; return a value on every "
                "path",
            )
        arguments = copy.deepcopy(definition.args)
        arguments.defaults = []
        for argument in (*arguments.posonlyargs, *arguments.args):
            argument.annotation = None
        function = ast.FunctionDef(bound, arguments, body, [], None)
        if sys.version_info >= (3, 12):
            function.type_params = []
        path = context.source.path
        program.functions.append((path, ast.copy_location(function, definition)))
        return bound

    def _load(
        self, bound: str, title: str, first: Callable[[], object] | None = None
    ) -> Callable[..., Any]:
        """`title` is the name of a file to Python, made of its path; `first` is called first."""
        program = self._program
        names = {**self._kernel.names, **program.names, _FIRST: first}
        for path, function in program.functions:
            named = isinstance(function, ast.FunctionDef) and function.name == bound
            whole = _calling_first(function) if first is not None and named else function
            module = ast.fix_missing_locations(ast.Module([whole], []))
            exec(compile(module, title.format(path), "exec", dont_inherit=True), names)
        for name, shown in program.titles.items():
            # Code is equal whatever its file is, and debuggers keep notes by code: what is skipped
            # in a trial would be skipped in a lane.
            called = title.format(shown)
            names[name].__name__ = called
            names[name].__code__ = names[name].__code__.replace(co_name=called)
        run: Callable[..., Any] = names[bound]
        return run
