"""Where the variables of a body are declared: by their first assignment, or before a block."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Iterator, Optional

#: Blocks around a place from the outside in, each by the statement of it on the way there.
Path = tuple[tuple[int, ast.stmt], ...]


@dataclass
class Plan:
    """The variables of one body."""

    own: frozenset[str]
    mutable: frozenset[str]
    #: Names that a statement declares, by the identity of the statement.
    lets: dict[int, set[str]] = field(default_factory=dict)
    #: Names that are declared before a statement, by its identity.
    before: dict[int, list[str]] = field(default_factory=dict)


@dataclass
class _Name:
    sites: list[tuple[Path, ast.stmt]] = field(default_factory=list)
    blocks: list[Path] = field(default_factory=list)


class _Walk:
    def __init__(self) -> None:
        self.names: dict[str, _Name] = {}

    def block(self, body: list[ast.stmt], path: Path, label: int) -> None:
        for statement in body:
            here = (*path, (label, statement))
            for name in _assigned(statement):
                self.names.setdefault(name, _Name()).sites.append((here, statement))
            for part in _expressions(statement):
                for it in ast.walk(part):
                    if isinstance(it, ast.Name):
                        self.names.setdefault(it.id, _Name()).blocks.append(here)
            if isinstance(statement, (ast.If, ast.For)):
                self.block(statement.body, here, id(statement.body))
                self.block(statement.orelse, here, id(statement.orelse))


def _expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yields the expressions of a statement, but not of its blocks."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return
    for it in ast.iter_child_nodes(statement):
        if isinstance(it, ast.expr):
            yield it


def _assigned(statement: ast.stmt) -> list[str]:
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        targets = [statement.target]
    names = []
    for target in targets:
        while isinstance(target, (ast.Attribute, ast.Subscript)):
            target = target.value
        if isinstance(target, ast.Name):
            names.append(target.id)
    return names


def _common(paths: list[Path]) -> int:
    """Returns the number of blocks that all places are in."""
    depth = 0
    for level in zip(*paths):
        if len({label for label, _ in level}) > 1:
            break
        depth += 1
    return depth


def plan(body: list[ast.stmt], records: frozenset[str], arguments: frozenset[str]) -> Plan:
    """Plans the declarations of a body, whose records are no variables and whose arguments have values."""
    walk = _Walk()
    walk.block(body, (), id(body))
    found = {name: it for name, it in walk.names.items() if it.sites and name not in records}
    mutable = {name for name, it in found.items() if len(it.sites) > 1 or name in arguments}
    result = Plan(frozenset(found) | arguments, frozenset(mutable))
    for name, it in found.items():
        if name not in arguments:
            _declare(result, name, it)
    return result


def _declare(result: Plan, name: str, found: _Name) -> None:
    depth = _common([path for path, _ in found.sites] + found.blocks)
    path, first = found.sites[0]
    if len(path) == depth and _binds(first, name):
        result.lets.setdefault(id(first), set()).add(name)
        return
    result.mutable |= {name}
    result.before.setdefault(id(path[depth - 1][1]), []).append(name)


def _binds(statement: ast.stmt, name: str) -> bool:
    """Tells whether a statement gives the whole variable a value."""
    target: Optional[ast.expr] = None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        target = statement.target
    return isinstance(target, ast.Name) and target.id == name
