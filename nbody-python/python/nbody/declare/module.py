"""The items of one declaration: records, constants and functions, each printed once."""

from __future__ import annotations

import ast
import keyword
import math
import numbers
from dataclasses import dataclass, field
from typing import Any, Optional

from nbody.declare.code import Code, Lines
from nbody.declare.errors import Place, refuse
from nbody.declare.kinds import Kind

#: Words of Rust that are no words of Python.
RESERVED = frozenset(
    "abstract become box const crate do dyn enum extern fn impl let loop macro mod move mut override priv "
    "pub ref self static struct super trait true false type typeof unsafe unsized use virtual where gen "
    "Self match".split()
)

#: Functions of the language that a helper function of the same name would hide.
GENERATORS = ("random", "gaussian", "random_bits")


def checked_name(name: str, place: Place) -> str:
    """Returns a name, unless it is a word of the language."""
    if name in RESERVED or keyword.iskeyword(name):
        refuse(place, f"`{name}` is a word of the language", f"choose another name, such as `{name}_`")
    return name


@dataclass
class Field:
    """A field of a record."""

    name: str
    kind: Kind
    text: str
    doc: Optional[str]
    place: Place


@dataclass
class Record:
    """A struct of the declaration."""

    name: str
    doc: Optional[str]
    fields: dict[str, Field]
    place: Place

    def print(self, lines: Lines) -> None:
        """Prints the struct."""
        lines.doc(self.doc)
        if not self.fields:
            lines.add(f"pub struct {self.name};", place=self.place)
            return
        lines.open(f"pub struct {self.name} {{", place=self.place)
        for it in self.fields.values():
            lines.doc(it.doc)
            lines.add(f"pub {it.name}: {it.text},", place=it.place)
        lines.close()


@dataclass
class Constant:
    """A number that bodies and types name."""

    name: str
    value: Any
    kind: str


@dataclass
class Module:
    """What a text declares, in the order in which it was met."""

    records: dict[str, Record] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    functions: dict[str, Lines] = field(default_factory=dict)
    #: Names of functions by the identity of their syntax trees and scopes.
    names: dict[Any, str] = field(default_factory=dict)

    def record(self, record: Record) -> Record:
        """Adds a record, unless it is there."""
        known = self.records.setdefault(record.name, record)
        if known.place != record.place:
            refuse(record.place, f"two records are called `{record.name}`", "rename one of them")
        return known

    def constant(self, name: str, value: Any, place: Place, hidden: frozenset[str] = frozenset()) -> Constant:
        """Adds a constant of Python, and returns what it is called: not like a variable that hides it."""
        number, kind = _number(name, value, place)
        name = checked_name(name.upper(), place)
        while name in hidden or self.constants.get(name, Constant(name, number, kind)) != Constant(
            name, number, kind
        ):
            name += "_"
        return self.constants.setdefault(name, Constant(name, number, kind))

    def function_name(self, name: str, key: Any) -> tuple[str, bool]:
        """Returns the name of a function in the text, and whether it is new."""
        if key in self.names:
            return self.names[key], False
        free, count = name, 2
        while free in self.names.values() or free in GENERATORS:
            free, count = f"{name}_{count}", count + 1
        self.names[key] = free
        return free, True

    def print(self, implementation: Lines) -> Lines:
        """Prints the whole text."""
        lines = Lines()
        for it in self.constants.values():
            text = repr(it.value)
            lines.add(Code(f"pub const {it.name}: {it.kind} = {text};"))
        for record in self.records.values():
            lines.blank()
            record.print(lines)
        for function in self.functions.values():
            lines.blank()
            lines.take(function)
        lines.blank()
        lines.take(implementation)
        return lines


def _number(name: str, value: Any, place: Place) -> tuple[Any, str]:
    if isinstance(value, numbers.Integral) and int(value) >= 0:
        if int(value) >= 2**32:
            refuse(place, f"`{name}` is {value}", "a whole number is below 2**32; write it as a real, 1e10")
        return int(value), "u32"
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            refuse(place, f"`{name}` is {value}", "a constant is finite; take a large number such as 1e30")
        return float(value), "Real"
    return refuse(
        place,
        f"`{name}` is a {type(value).__name__} of Python",
        "a declaration sees whole and real numbers from outside; make it a field of the parameters",
    )


def evaluated(node: ast.AST) -> str:
    """Returns the text of an expression of Python for messages."""
    text = ast.unparse(node)
    return text if len(text) <= 40 else text[:37] + "..."
