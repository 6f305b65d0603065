"""Prints statements of Python in the language."""

from __future__ import annotations

import ast
from typing import Optional

from nbody.declare.body import Surroundings
from nbody.declare.code import Code, Lines
from nbody.declare.errors import refuse
from nbody.declare.expressions import Expressions
from nbody.declare.kinds import NEGATIVE, NUMBERS, REAL, U32, UNKNOWN, WHOLE, Kind, joined, settled, zero
from nbody.declare.module import checked_name, evaluated
from nbody.declare.operators import SYMBOLS
from nbody.declare.values import Value, as_kind, as_real, as_whole
from nbody.declare.variables import Plan, plan

_REFUSED: dict[type[ast.stmt], tuple[str, str]] = {
    ast.While: ("`while`", "write `for k in range(n)` to the largest number, with an `if` inside"),
    ast.Break: ("`break`", "put an `if` around the rest of the iteration"),
    ast.Continue: ("`continue`", "put an `if` around the rest of the iteration"),
    ast.Assert: ("`assert`", "a declaration has no exceptions: check particles before the evaluation"),
    ast.Raise: ("`raise`", "a declaration has no exceptions: check particles before the evaluation"),
    ast.Try: ("`try`", "a declaration has no exceptions: write an `if`"),
    ast.With: ("`with`", "write its statements alone"),
    ast.Delete: ("`del`", "leave the variable"),
    ast.Import: ("an import", "import at the top of the file"),
    ast.ImportFrom: ("an import", "import at the top of the file"),
    ast.Global: ("`global`", "a body assigns its own variables"),
    ast.Nonlocal: ("`nonlocal`", "a body assigns its own variables"),
    ast.ClassDef: ("a class in a body", "write records in the class of the declaration"),
    ast.Match: ("`match`", "write `if`, `elif` and `else`"),
}


class Statements(Expressions):
    """Prints one body. Types of variables that grow from whole numbers to reals need several passes."""

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.plan = Plan(frozenset(), frozenset())
        self.lines = Lines()
        self.result: Optional[Kind] = None

    def run(self, body: list[ast.stmt]) -> Lines:
        """Prints the statements of a function until the types of variables do not change any more."""
        body = body[1:] if _is_text(body[0]) else body
        self.plan = plan(body, frozenset(self.records), frozenset(self.arguments))
        self.own = self.plan.own
        names = [it for part in body for it in ast.walk(part) if isinstance(it, ast.Name)]
        stored = {it.id for it in names if isinstance(it.ctx, ast.Store)}
        self.hidden = frozenset(stored) | self.own | frozenset(self.records)
        self._define_functions(body)
        while True:
            before = dict(self.kinds)
            self._pass(body)
            if self.kinds == before:
                break
        if WHOLE in self.kinds.values():
            self.kinds = {name: settled(kind) for name, kind in self.kinds.items()}
            return self.run_again(body)
        return self.lines

    def run_again(self, body: list[ast.stmt]) -> Lines:
        """Prints the statements with whole numbers as `u32`, which may make others real."""
        while True:
            before = dict(self.kinds)
            self._pass(body)
            self.kinds = {name: settled(kind) for name, kind in self.kinds.items()}
            if self.kinds == before:
                return self.lines

    def _pass(self, body: list[ast.stmt]) -> None:
        self.lines = Lines()
        self.assigned = set(self.arguments)
        for name in sorted(self.plan.mutable & frozenset(self.arguments)):
            self.lines.add(f"let mut {name} = {name};")
        self.kinds.update(self.arguments)
        if self.result is None:
            self.block(body[:-1] if isinstance(body[-1], ast.Return) and not body[-1].value else body)
        else:
            self._tail(body)

    def _define_functions(self, body: list[ast.stmt]) -> None:
        for node in ast.walk(ast.Module(body, [])):
            if isinstance(node, ast.FunctionDef):
                if node.decorator_list:
                    refuse(self.at(node), f"`{node.name}` with a decorator", "define it without one")
                if self.nested.get(node.name, node) not in (node, self.around.nested.get(node.name)):
                    refuse(self.at(node), f"two functions `{node.name}`", "give each a name of its own")
                self.nested[node.name] = node
        inner = self.outer_names | self.hidden
        self.inner = Surroundings(self.module, self.source, self.scope, self.law, self.nested, inner)

    # Blocks.

    def block(self, body: list[ast.stmt]) -> None:
        """Prints statements one after the other."""
        for node in body:
            self._declare_before(node)
            self.statement(node)

    def _declare_before(self, node: ast.stmt) -> None:
        for name in self.plan.before.get(id(node), []):
            kind = self.kinds.get(name, UNKNOWN)
            value = zero(settled(kind))
            if value is None and kind != UNKNOWN:
                remedy = "assign it before the block, and again inside"
                refuse(
                    self.at(node),
                    f"`{name}`, a {kind}, is assigned inside of a block and used after it",
                    remedy,
                )
            self.lines.add(f"let mut {checked_name(name, self.at(node))} = {value};", place=self.at(node))

    def _tail(self, body: list[ast.stmt]) -> None:
        """Prints statements that end with the value of the function."""
        self.block(body[:-1])
        last = body[-1]
        self._declare_before(last)
        if isinstance(last, ast.Return):
            self.lines.add(self._returned(last).code, place=self.at(last))
            self.assigned = None
        elif isinstance(last, ast.If) and last.orelse:
            self._branches(last, self._tail)
        else:
            refuse(self.at(last), "a function that may end without a value", "end it with `return ...`")

    def _returned(self, node: ast.Return) -> Value:
        if node.value is None:
            refuse(self.at(node), "`return` without a value", "this function gives a value: return it")
        assert self.result is not None
        return as_kind(self.value(node.value), self.result)

    def statement(self, node: ast.stmt) -> None:
        """Prints a statement."""
        printer = getattr(self, f"_{type(node).__name__.lower()}_statement", None)
        if printer is None:
            found, remedy = _REFUSED.get(
                type(node), (f"`{evaluated(node)}`", "it is not part of the language")
            )
            refuse(self.at(node), found, remedy)
        printer(node)

    def _pass_statement(self, node: ast.Pass) -> None:
        """Prints nothing."""

    def _functiondef_statement(self, node: ast.FunctionDef) -> None:
        """Prints nothing: a function is printed where it is called."""

    def _expr_statement(self, node: ast.Expr) -> None:
        if _is_text(node) or (isinstance(node.value, ast.Constant) and node.value.value is ...):
            return
        if not isinstance(node.value, ast.Call):
            remedy = "assign the value, or accumulate it with f.field += ..."
            refuse(self.at(node), f"`{evaluated(node)}` has no effect", remedy)
        self.lines.add(self.value(node.value).code, ";", place=self.at(node))

    def _return_statement(self, node: ast.Return) -> None:
        if self.result is not None:
            self.lines.add("return ", self._returned(node).code, ";", place=self.at(node))
        elif node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            self.lines.add("return;", place=self.at(node))
        else:
            refuse(self.at(node), "`return` with a value", "this function adds to a result: f.field += ...")
        self.assigned = None

    # Conditions and loops.

    def _if_statement(self, node: ast.If) -> None:
        self._branches(node, self.block)

    def _branches(self, node: ast.If, inside) -> None:  # type: ignore[no-untyped-def]
        head: str = "if "
        ends = []
        branch: Optional[ast.If] = node
        while branch is not None:
            condition = self.condition(branch.test).code
            start = None if self.assigned is None else set(self.assigned)
            self.lines.open(head, condition, " {", place=self.at(branch.test))
            ends.append(self._branch(branch.body, inside))
            self.assigned = start
            head, rest = "} else if ", branch.orelse
            branch = rest[0] if self._is_elif(rest) else None  # type: ignore[assignment]
            if branch is not None:
                self.lines.depth -= 1
        if rest:
            self.lines.close("} else {")
            self.lines.depth += 1
            ends.append(self._branch(rest, inside))
        else:
            ends.append(self.assigned)
        self.lines.close()
        known = [it for it in ends if it is not None]
        self.assigned = set.intersection(*known) if known else None

    def _is_elif(self, rest: list[ast.stmt]) -> bool:
        return len(rest) == 1 and isinstance(rest[0], ast.If) and id(rest[0]) not in self.plan.before

    def _branch(self, body: list[ast.stmt], inside) -> Optional[set[str]]:  # type: ignore[no-untyped-def]
        inside(body)
        return self.assigned

    def _for_statement(self, node: ast.For) -> None:
        name, low, high = self._range(node)
        kind_of_outer = self.loops
        self.loops = {**self.loops, name: (low[0], high[0])}
        self.lines.open(f"for {name} in {low[1]}..{high[1]} {{", place=self.at(node))
        self.block(node.body)
        self.lines.close()
        self.loops = kind_of_outer

    def _range(self, node: ast.For) -> tuple[str, tuple[int, str], tuple[int, str]]:
        call, target = node.iter, node.target
        if node.orelse:
            refuse(self.at(node), "`else` of a `for`", "write its statements after the loop")
        if not isinstance(target, ast.Name):
            refuse(self.at(target), "several variables of a `for`", "write `for k in range(n)`")
        is_range = isinstance(call, ast.Call) and self.scope.resolve(call.func) is range
        if not is_range or call.keywords or not 1 <= len(call.args) <= 2:  # type: ignore[attr-defined]
            remedy = "write `for k in range(n)` or `range(a, b)` of constants, and index by k"
            refuse(self.at(call), f"a `for` over `{evaluated(call)}`", remedy)
        if target.id in self.own or target.id in self.records or target.id in self.loops:
            remedy = "choose another name for the variable of the loop"
            refuse(self.at(target), f"`{target.id}` is another variable, too", remedy)
        bounds = [self.size(it) for it in call.args]  # type: ignore[attr-defined]
        low, high = bounds if len(bounds) == 2 else [(0, "0"), *bounds]
        return checked_name(target.id, self.at(target)), low, high

    # Assignments.

    def _assign_statement(self, node: ast.Assign) -> None:
        if len(node.targets) != 1:
            refuse(self.at(node), "several targets of an assignment", "write one assignment for each")
        if isinstance(node.targets[0], (ast.Tuple, ast.List)):
            refuse(self.at(node.targets[0]), "several variables at once", "write one assignment for each")
        self._assign(node, node.targets[0], self.value(node.value))

    def _annassign_statement(self, node: ast.AnnAssign) -> None:
        kind, text = self.annotations.read(node.annotation)
        if not isinstance(node.target, ast.Name):
            refuse(self.at(node), "an annotation of a field", "assign it without one")
        self._widen(node, node.target.id, kind)
        if node.value is not None:
            self._assign(node, node.target, self.value(node.value), f": {text}")

    def _assign(self, node: ast.stmt, target: ast.expr, value: Value, annotation: str = "") -> None:
        if value.record is not None:
            refuse(value.place, f"`{value.code.text}` is a whole record", "name one of its fields")
        if not isinstance(target, ast.Name):
            goal = self._target(target)
            self.lines.add(goal.code, " = ", as_kind(value, goal.kind).code, ";", place=self.at(node))
            return
        name = target.id
        if name in self.loops or name in self.records:
            what = "the variable of a `for`" if name in self.loops else "a record"
            refuse(self.at(target), f"`{name}` is {what}", "choose another name for the new value")
        self._widen(node, name, REAL if value.signed else value.kind)
        value = as_kind(value, self.kinds[name])
        word = ""
        if name in self.plan.lets.get(id(node), ()):
            word = "let mut " if name in self.plan.mutable else "let "
        shown = annotation if word else ""
        name_code = Code(checked_name(name, self.at(target)), place=self.at(target))
        self.lines.add(word, name_code, shown, " = ", value.code, ";", place=self.at(node))
        if self.assigned is not None:
            self.assigned.add(name)

    def _widen(self, node: ast.stmt, name: str, kind: Kind) -> None:
        known = self.kinds.get(name, UNKNOWN)
        wide = joined(known, REAL if kind == NEGATIVE else kind)
        fixed = name in self.arguments and wide not in (known, None) and known != UNKNOWN
        if fixed or wide is None:
            remedy = "a variable keeps its type: choose another name"
            zero_of_vector = kind.word == "Vector" and known == WHOLE
            remedy = "begin with Vector(0, 0, 0)" if zero_of_vector else remedy
            refuse(self.at(node), f"`{name}` is a {known}, and this is a {kind}", remedy)
        self.kinds[name] = wide

    def _target(self, target: ast.expr) -> Value:
        """Returns the field, the component or the element that is assigned."""
        if not isinstance(target, (ast.Attribute, ast.Subscript)):
            refuse(
                self.at(target), f"`{evaluated(target)}` cannot be assigned", "assign a variable or a field"
            )
        reads, self.reads_results = self.reads_results, False
        goal = self.value(target)
        self.reads_results = reads
        kind = {"Count": U32, "Counts": U32}.get(goal.kind.word, goal.kind)
        return Value(**{**vars(goal), "kind": kind})

    def _augassign_statement(self, node: ast.AugAssign) -> None:
        operand = self.value(node.value)
        is_name = isinstance(node.target, ast.Name)
        if is_name and node.target.id in self.records:  # type: ignore[union-attr]
            refuse(self.at(node), f"`{evaluated(node.target)}` is a whole record", "add to one of its fields")
        goal = self.value(node.target) if is_name else self._target(node.target)
        result = self.combined(node, goal, node.op, operand)
        if is_name:
            self._widen(node, node.target.id, REAL if result.signed else result.kind)  # type: ignore[union-attr]
        kind = self.kinds[node.target.id] if is_name else goal.kind  # type: ignore[union-attr]
        symbol = self._compound(node, kind, operand, result)
        if symbol is None:
            as_kind_of_goal = as_kind(result, kind).code
            self.lines.add(goal.code, " = ", as_kind_of_goal, ";", place=self.at(node))
            return
        added = self._operand(node, operand, kind)
        self.lines.add(goal.code, f" {symbol}= ", added, ";", place=self.at(node))

    def _compound(self, node: ast.AugAssign, kind: Kind, operand: Value, result: Value) -> Optional[str]:
        """Returns the operator of a compound assignment of the language, if it has this one."""
        operator = type(node.op)
        if operator in (ast.Pow, ast.MatMult, ast.FloorDiv):
            return None
        if kind == U32 and (result.signed or result.kind == REAL):
            as_whole(operand)
            as_whole(result)
        if operator is ast.Mod and kind != U32:
            return None
        return SYMBOLS[operator][0]

    def _operand(self, node: ast.AugAssign, operand: Value, kind: Kind) -> Code:
        scales = isinstance(node.op, (ast.Mult, ast.Div)) and kind.word in ("Vector", "Tensor")
        if kind == REAL or scales:
            return as_real(operand).code
        if kind in (U32, WHOLE):
            return as_whole(operand).code
        if operand.kind in NUMBERS and kind.word in ("Vector", "Tensor", "Array"):
            refuse(operand.place, f"found a number, expected a {kind}", "both have one type")
        return operand.code


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
