"""The source of classes and functions, as syntax trees of whole files."""

from __future__ import annotations

import ast
import linecache
import sys
from dataclasses import dataclass, field
from types import FunctionType
from typing import Iterator, Optional, Union

from nbody.declare.errors import DeclarationError, Place

Definition = Union[ast.ClassDef, ast.FunctionDef]
#: Where a decorator stands: the file and the line.
Site = tuple[str, int]
#: The attribute by which a decorated record remembers its site.
SITE = "__nbody_site__"


@dataclass(eq=False)
class Source:
    """A file."""

    filename: str
    lines: list[str]
    tree: ast.Module = field(repr=False)

    def place(self, node: ast.AST) -> Place:
        """Returns the place of a node."""
        lineno, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end = getattr(node, "end_lineno", None) or lineno
        end_column = getattr(node, "end_col_offset", None) or column
        begin, until = self._offset(lineno, column), self._offset(end, end_column)
        return Place(self.filename, lineno, begin, end, until, self.lines[lineno - 1])

    def _offset(self, lineno: int, column: int) -> int:
        line = self.lines[lineno - 1].encode()
        return len(line[:column].decode(errors="replace")) + 1


_SOURCES: dict[str, Source] = {}


def _read(filename: str, what: str) -> Source:
    linecache.checkcache(filename)
    lines = linecache.getlines(filename)
    if not lines:
        raise DeclarationError(
            f"the source of {what} is not available (file {filename!r}): a declaration is read from its "
            "file or its notebook cell; put it into a file, or give the text of the language to nbody.law"
        )
    known = _SOURCES.get(filename)
    if known is None or known.lines != lines:
        known = Source(filename, lines, ast.parse("".join(lines), filename))
        _SOURCES[filename] = known
    return known


def _definitions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Definition]]:
    """Yields all classes and functions by their qualified names."""
    for node in body:
        inner = prefix
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if not isinstance(node, ast.AsyncFunctionDef):
                yield f"{prefix}{node.name}", node
            local = "" if isinstance(node, ast.ClassDef) else "<locals>."
            inner = f"{prefix}{node.name}.{local}"
        for block in ("body", "orelse", "finalbody"):
            yield from _definitions(getattr(node, block, []), inner)
        for part in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
            yield from _definitions(part.body, inner)


def _first_line(node: Definition) -> int:
    return min([node.lineno, *(it.lineno for it in node.decorator_list)])


def _at_line(source: Source, name: str, kind: type[Definition], line: int) -> Optional[Definition]:
    """Returns the definition whose decorators and head are around a line."""
    for _, node in _definitions(source.tree.body, ""):
        if isinstance(node, kind) and node.name == name and _first_line(node) <= line <= node.lineno:
            return node
    return None


def decorates(node: ast.ClassDef, source: Source, site: Optional[Site]) -> bool:
    """Tells whether a place is among the decorators of a class."""
    return site is not None and source.filename == site[0] and _first_line(node) <= site[1] <= node.lineno


def _by_name(source: Source, name: str, what: str) -> Definition:
    matches = [node for at, node in _definitions(source.tree.body, "") if at == name]
    if len(matches) == 1:
        return matches[0]
    found = "is not the only one of its name" if matches else "is not"
    raise _missing(f"{what} {found} in {source.filename!r}")


def _missing(found: str) -> DeclarationError:
    return DeclarationError(
        f"{found}: run the file or the cell again if it has changed, declare it with `class` or `def`, and "
        "decorate records of equal names with @nbody.record"
    )


def _file_of(cls: type) -> Optional[str]:
    for member in vars(cls).values():
        inner = member.__func__ if isinstance(member, (staticmethod, classmethod)) else member
        if isinstance(inner, FunctionType):
            return inner.__code__.co_filename
    return getattr(sys.modules.get(cls.__module__), "__file__", None)


def class_source(
    cls: type, site: Optional[Site], beside: Optional[Source] = None
) -> tuple[Source, ast.ClassDef]:
    """Returns the file and the syntax tree of a class.

    `site` is the place of its decorator. A class of a notebook that has no decorator is looked for
    `beside` the declaration that names it.
    """
    what = f"class `{cls.__name__}`"
    node: Optional[Definition] = None
    if site is not None and linecache.getlines(site[0]):
        source = _read(site[0], what)
        node = _at_line(source, cls.__name__, ast.ClassDef, site[1])
    if node is None:
        beside_file = beside.filename if beside is not None else None
        source = _read(_file_of(cls) or beside_file or (site or ("<unknown>", 0))[0], what)
        node = _by_line_or_name(source, cls, what)
    assert isinstance(node, ast.ClassDef)
    _check_fields(cls, node, source)
    return source, node


def _by_line_or_name(source: Source, cls: type, what: str) -> Definition:
    line = getattr(cls, "__firstlineno__", None)  # since Python 3.13
    node = None if line is None else _at_line(source, cls.__name__, ast.ClassDef, line)
    return node or _by_name(source, cls.__qualname__, what)


def _check_fields(cls: type, node: ast.ClassDef, source: Source) -> None:
    """Refuses a source that was changed since the class was made."""
    now = {
        it.target.id for it in node.body if isinstance(it, ast.AnnAssign) and isinstance(it.target, ast.Name)
    }
    if "__annotations__" in vars(cls) and set(cls.__annotations__) != now:
        raise DeclarationError(
            f"the source of class `{cls.__name__}` in {source.filename!r} has other fields than the class: "
            "run the file or the cell again"
        )


def function_source(function: FunctionType) -> tuple[Source, ast.FunctionDef]:
    """Returns the file and the syntax tree of a function."""
    code = function.__code__
    what = f"function `{function.__name__}`"
    source = _read(code.co_filename, what)
    node = _at_line(source, function.__name__, ast.FunctionDef, code.co_firstlineno)
    if not isinstance(node, ast.FunctionDef):
        raise _missing(f"{what} is not in {source.filename!r}")
    return source, node
