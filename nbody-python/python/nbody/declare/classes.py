"""Reads classes of Python as records and parameters."""

from __future__ import annotations

import ast
import inspect
from types import FunctionType
from typing import Any, Optional

from nbody.declare.annotations import Annotations
from nbody.declare.body import Law, known_number
from nbody.declare.errors import refuse
from nbody.declare.functions import documentation
from nbody.declare.module import Field, Module, Record, checked_name, evaluated
from nbody.declare.scope import Scope
from nbody.declare.source import Source

#: Class attributes that are part of an `impl`.
FLAGS = ("SELF_PAIRS",)


def record_of(
    node: ast.ClassDef, source: Source, scope: Scope, module: Module, is_law: bool = False
) -> Record:
    """Returns the record that a class declares by its annotations."""
    place = source.place(node)
    if node.bases or node.keywords:
        remedy = "a record has its own fields alone: write them out"
        refuse(source.place((node.bases or node.keywords)[0]), f"`{node.name}` with a base class", remedy)
    annotations = Annotations(source, scope, lambda it: known_number(it, source, scope, module))
    fields: dict[str, Field] = {}
    for at, item in enumerate(node.body):
        if isinstance(item, ast.AnnAssign) and item.value is None and isinstance(item.target, ast.Name):
            kind, text = annotations.read(item.annotation)
            name = checked_name(item.target.id, source.place(item))
            fields[name] = Field(name, kind, text, _doc_after(node.body, at), source.place(item))
        elif not is_law and not _is_text(item) and not isinstance(item, ast.Pass):
            remedy = "a record has fields `name: Real` alone; functions and constants are in the declaration"
            refuse(source.place(item), f"`{evaluated(item)}` in a record", remedy)
    return Record(checked_name(node.name, place), documentation(node), fields, place)


def _doc_after(body: list[ast.stmt], at: int) -> Optional[str]:
    """Returns the string behind a field, which documents it."""
    after = body[at + 1] if at + 1 < len(body) else None
    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and _is_text(after):
        return inspect.cleandoc(str(after.value.value))
    return None


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def law_of(cls: type, node: ast.ClassDef, source: Source, methods: tuple[str, ...]) -> Law:
    """Returns the constants and the helper functions of a class."""
    law = Law(cls)
    for item in node.body:
        for target in _named(item):
            law.constants[target] = _constant(cls, item, target)
        if isinstance(item, ast.FunctionDef) and item.name not in methods:
            _add_function(law, cls, item, source)
        allowed = (ast.AnnAssign, ast.Assign, ast.FunctionDef, ast.ClassDef, ast.Pass)
        if not isinstance(item, allowed) and not _is_text(item):
            remedy = "it holds fields, constants, records and functions"
            refuse(source.place(item), f"`{evaluated(item)}` in a declaration", remedy)
    return law


def _named(item: ast.stmt) -> list[str]:
    targets: list[Any] = item.targets if isinstance(item, ast.Assign) else []
    if isinstance(item, ast.AnnAssign) and item.value is not None:
        targets = [item.target]
    return [it.id for it in targets if isinstance(it, ast.Name) and it.id not in FLAGS]


def _constant(cls: type, item: ast.stmt, name: str) -> Any:
    value = vars(cls)[name]
    is_real = isinstance(item, ast.AnnAssign) and evaluated(item.annotation).rpartition(".")[2] in (
        "Real",
        "float",
    )
    return float(value) if is_real and type(value) is int else value


def _add_function(law: Law, cls: type, item: ast.FunctionDef, source: Source) -> None:
    member = vars(cls).get(item.name)
    if not isinstance(member, staticmethod) or not isinstance(member.__func__, FunctionType):
        remedy = "a helper function is a @staticmethod with types: `@staticmethod`, `def w(q: Real) -> Real:`"
        refuse(source.place(item), f"the method `{item.name}`", remedy)
    law.functions[item.name] = member.__func__
