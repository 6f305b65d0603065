"""The kinds of declarations: interactions, updates, measures and tuples."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, Optional

from nbody.declare.body import Surroundings
from nbody.declare.classes import record_of
from nbody.declare.code import Code, Lines
from nbody.declare.errors import Place, refuse
from nbody.declare.functions import Function, arguments_of
from nbody.declare.kinds import REAL
from nbody.declare.module import Record, evaluated
from nbody.declare.scope import MISSING, Scope
from nbody.declare.source import SITE, class_source

#: Arguments with their records.
Bound = list[tuple[str, Record]]


@dataclass
class Program:
    """A class that is printed as an `impl`."""

    node: ast.ClassDef
    around: Surroundings
    parameters: Record
    methods: dict[str, ast.FunctionDef]
    scopes: dict[str, Scope]

    @property
    def place(self) -> Place:
        """The place of the class."""
        return self.around.source.place(self.node)

    def function(self, name: str) -> Function:
        """Returns the printer of a method."""
        around = self.around
        inner = Surroundings(around.module, around.source, self.scopes[name], around.law)
        return Function(inner)

    def bound(self, function: Function, node: ast.FunctionDef) -> Bound:
        """Returns the arguments of a method after `self`, with their records."""
        arguments = arguments_of(self.around, node, is_method=True)
        if not arguments or arguments[0].annotation is not None:
            refuse(
                self.around.source.place(node),
                f"`{node.name}` without `self`",
                "its first argument is `self`",
            )
        function.self_name = arguments[0].arg
        function.records[arguments[0].arg] = self.parameters
        bound = [(it.arg, self._record(it)) for it in arguments[1:]]
        function.records.update(bound)
        return bound

    def _record(self, argument: ast.arg) -> Record:
        place = self.around.source.place(argument)
        node = argument.annotation
        if node is None:
            refuse(
                place,
                f"the argument `{argument.arg}` without a record",
                f"write `{argument.arg}: Body`, its class",
            )
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = ast.copy_location(ast.parse(node.value.strip(), mode="eval").body, node)
            ast.fix_missing_locations(node)
        inner = {it.name: it for it in self.node.body if isinstance(it, ast.ClassDef)}
        around = self.around
        if isinstance(node, ast.Name) and node.id in inner:
            return around.module.record(record_of(inner[node.id], around.source, around.scope, around.module))
        found = around.scope.resolve(node)
        if found is MISSING or not isinstance(found, type):
            remedy = "name a class with the fields, inside of the declaration or before it"
            refuse(place, f"`{evaluated(node)}` is no record", remedy)
        return self._outer_record(found)

    def _outer_record(self, cls: type) -> Record:
        source, node = class_source(cls, vars(cls).get(SITE), self.around.source)
        scope = Scope([vars(cls), *self.around.scope.layers])
        return self.around.module.record(record_of(node, source, scope, self.around.module))


def _interaction(program: Program, lines: Lines) -> None:
    function = program.function("pair")
    node = program.methods["pair"]
    bound = program.bound(function, node)
    if len(bound) != 3:
        remedy = "write `def pair(self, i: Body, j: Body, f: Field):`, target, source and result"
        refuse(function.at(node), f"`pair` with {len(bound)} records", remedy)
    (i, of_i), (j, of_j), (f, of_f) = bound
    for letter, record in zip("IJF", (of_i, of_j, of_f)):
        lines.add(f"type {letter} = {record.name};", place=program.place)
    _flags(program, lines)
    if "cutoff" in program.methods:
        lines.blank()
        lines.take(_cutoff(program))
    lines.blank()
    head = f"fn pair(&self, {i}: &{of_i.name}, {j}: &{of_j.name}, {f}: &mut {of_f.name}) {{"
    lines.take(function.framed(node, Code(head, place=function.at(node))))


def _flags(program: Program, lines: Lines) -> None:
    for item in program.node.body:
        if isinstance(item, ast.Assign) and evaluated(item.targets[0]) == "SELF_PAIRS":
            place = program.around.source.place(item)
            if not isinstance(item.value, ast.Constant) or not isinstance(item.value.value, bool):
                refuse(place, f"`{evaluated(item.value)}` for SELF_PAIRS", "write True or False")
            lines.add(f"const SELF_PAIRS: bool = {str(item.value.value).lower()};", place=place)


def _cutoff(program: Program) -> Lines:
    function, node = program.function("cutoff"), program.methods["cutoff"]
    bound = program.bound(function, node)
    if len(bound) != 2:
        refuse(
            function.at(node),
            f"`cutoff` with {len(bound)} records",
            "write `def cutoff(self, i: Body, j: Body) -> Real:`",
        )
    function.result = REAL
    (i, of_i), (j, of_j) = bound
    return function.framed(node, Code(f"fn cutoff(&self, {i}: &{of_i.name}, {j}: &{of_j.name}) -> Real {{"))


def _roles(program: Program, function: Function, node: ast.FunctionDef, inputs: Bound) -> dict[str, Bound]:
    """Returns the inputs of a program per particle by the first letter of their names."""
    roles: dict[str, Bound] = {"Q": [], "F": [], "G": []}
    for name, record in inputs:
        if name[0] not in "qfg":
            remedy = (
                "names of inputs begin with q (a second record of the particle), f (results) or g (a total): "
                f"`f_{name}`"
            )
            refuse(function.at(node), f"the input `{name}` of `{node.name}`", remedy)
        roles[name[0].upper()].append((name, record))
    if [it for bound in roles.values() for it in bound] != inputs:
        refuse(
            function.at(node),
            "the order of the inputs",
            "records q come first, results f next, totals g last",
        )
    return roles


def _types(lines: Lines, roles: dict[str, Bound], place: Place) -> None:
    for letter, bound in roles.items():
        names = ", ".join(record.name for _, record in bound)
        if bound:
            lines.add(f"type {letter} = {names if len(bound) == 1 else f'({names})'};", place=place)


def _per_particle(program: Program, lines: Lines, name: str) -> None:
    function, node = program.function(name), program.methods[name]
    function.reads_results = True
    bound = program.bound(function, node)
    measures = name == "measure"
    if len(bound) < 1 + measures:
        wanted = "def measure(self, p: Body, t: Total):" if measures else "def update(self, p: Body):"
        refuse(function.at(node), f"`{name}` with {len(bound)} records", f"write `{wanted}`")
    inputs = bound[1:-1] if measures else bound[1:]
    p, of_p = bound[0]
    lines.add(f"type P = {of_p.name};", place=program.place)
    _types(lines, _roles(program, function, node, inputs), program.place)
    own = [f"{p}: &{'' if measures else 'mut '}{of_p.name}"]
    own += [f"{it}: &{record.name}" for it, record in inputs]
    if measures:
        t, of_t = bound[-1]
        lines.add(f"type T = {of_t.name};", place=program.place)
        own.append(f"{t}: &mut {of_t.name}")
    lines.blank()
    lines.take(function.framed(node, Code(f"fn {name}(&self, {', '.join(own)}) {{", place=function.at(node))))


def _update(program: Program, lines: Lines) -> None:
    _per_particle(program, lines, "update")


def _measure(program: Program, lines: Lines) -> None:
    _per_particle(program, lines, "measure")


def _tuple(program: Program, lines: Lines) -> None:
    function, node = program.function("tuple"), program.methods["tuple"]
    bound = program.bound(function, node)
    first: Optional[tuple[str, Record]] = bound[0] if len(bound) % 2 else None
    members = bound[1:] if first else bound
    n = len(members) // 2
    particles, results = members[:n], members[n:]
    if not n or len({it.name for _, it in particles}) > 1 or len({it.name for _, it in results}) > 1:
        remedy = (
            "write `def tuple(self, t: Record, a: Atom, b: Atom, f: Force, g: Force):`, n particles of one "
            "class and n results of another, with or without the record of the tuple before them"
        )
        refuse(function.at(node), "the arguments of `tuple`", remedy)
    of_p, of_f = particles[0][1].name, results[0][1].name
    if first:
        lines.add(f"type T = {first[1].name};", place=program.place)
    lines.add(f"type P = {of_p};", place=program.place)
    lines.add(f"type F = {of_f};", place=program.place)
    lines.blank()
    shown = [f"{first[0]}: &{first[1].name}"] if first else []
    shown.append(f"[{', '.join(name for name, _ in particles)}]: [&{of_p}; {n}]")
    shown.append(f"[{', '.join(name for name, _ in results)}]: [&mut {of_f}; {n}]")
    lines.take(
        function.framed(node, Code(f"fn tuple(&self, {', '.join(shown)}) {{", place=function.at(node)))
    )


#: The trait, the methods that it needs and may have, and the printer of each kind.
KINDS: dict[str, tuple[str, str, tuple[str, ...], Any]] = {
    "interaction": ("Interaction", "pair", ("pair", "cutoff"), _interaction),
    "update": ("Update", "update", ("update",), _update),
    "measure": ("Measure", "measure", ("measure",), _measure),
    "tuple": ("Tuple", "tuple", ("tuple",), _tuple),
}
