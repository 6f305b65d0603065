"""What the language does not have is refused at the line of Python, with what to write instead."""

import sys
import textwrap
import traceback

import pytest
from test_declare_support import HEADER, LAW, RECORDS, cell, compiled, declared, law_source

from nbody.declare import DeclarationError, Point, Real, interaction

#: Statements of a `pair`, what is under the caret, and a part of the message.
BODIES = [
    ("while r < 1:\n    r += 1", "while r < 1:", "for k in range(n)"),
    ("for k in range(3):\n    break", "break", "an `if` around the rest"),
    ("for k in range(3):\n    continue", "continue", "an `if` around the rest"),
    ("for x in [1, 2]:\n    f.pot += x", "[1, 2]", "for k in range(n)"),
    ("for k in range(i.kind):\n    f.pot += 1", "i.kind", "no whole number that is known now"),
    ("for k in range(0, 8, 2):\n    f.pot += 1", "range(0, 8, 2)", "range(a, b)"),
    ("for k in range(3):\n    f.pot += 1\nelse:\n    f.pot += 2", "for k in range(3):", "after the loop"),
    ("for k in range(3):\n    k = 1", "k", "choose another name"),
    ("assert r > 0", "assert r > 0", "exceptions"),
    ("raise ValueError", "raise ValueError", "exceptions"),
    ("with r:\n    pass", "with r:", "alone"),
    ("try:\n    pass\nfinally:\n    pass", "try:", "write an `if`"),
    ("del r", "del r", "leave"),
    ("import os", "import os", "top of the file"),
    ("match r:\n    case 1:\n        pass", "match r:", "`elif`"),
    ("a, b = r, r", "a, b", "one assignment"),
    ("a = b = r", "a = b = r", "one assignment for each"),
    ("r", "r", "has no effect"),
    ("return r", "return r", "f.field +="),
    ("x = lambda q: q", "lambda q: q", "@nbody.function"),
    ("x = [q for q in range(3)]", "[q for q in range(3)]", "for k in range(n)"),
    ("x = (r, r)", "(r, r)", "Vector(x, y, z)"),
    ("x = 'text'", "'text'", "number"),
    ("x = 1e999", "1e999", "1e30"),
    (f"x = 1{'0' * 400} * r", f"1{'0' * 400}", "scale the units"),
    ("x = array[0]", "array", "field of the parameters"),
    ("x = array(r)", "array(r)", "no `array`"),
    ("x: array = 1", "array", "no type"),
    ("x: Min[array] = 1", "Min[array]", "Min[Real]"),
    ("x = math.sqrt(self.table[0])", "self.table[0]", "[Real; 3]"),
    ("x = 1j", "1j", "number"),
    ("x = r is None", "r is None", "a == b"),
    ("x = j.kind in [1]", "j.kind in [1]", "a == b"),
    ("x = d[1:]", "1:", "one by one"),
    ("x = d[-1]", "-1", "begin with 0"),
    ("x = i.ids[r]", "r", "int(x)"),
    ("x = d ** 2", "d ** 2", "norm2"),
    ("x = r % 2", "r % 2", "x // y"),
    ("x = r and d", "d", "compare"),
    ("x = nothing", "nothing", "there is no `nothing`"),
    ("x = nothing(r)", "nothing(r)", "no function"),
    ("x = i", "i", "whole record"),
    ("i += 1", "i += 1", "whole record"),
    ("x = undecorated(r)", "undecorated(r)", "@nbody.function"),
    ("x = math.log2(r)", "math.log2(r)", "LN2"),
    ("x = math.hypot(r, r)", "math.hypot(r, r)", "norm()"),
    ("x = round(r)", "round(r)", "x.round()"),
    ("x = sum(r)", "sum(r)", "for k in range(n)"),
    ("x = numpy.linalg.norm(d)", "numpy.linalg.norm(d)", "v.norm()"),
    ("x = math.log(r, 2)", "math.log(r, 2)", "quotient"),
    ("x = min(r)", "min(r)", "min(a, b)"),
    ("x = self.weight(r)", "self.weight(r)", "@staticmethod"),
    ("x = r if r > 1 else d", "d", "one type"),
    ("if d:\n    pass", "d", "a condition is a bool"),
    ("x = r.sqrt(*d)", "r.sqrt(*d)", "write the arguments out"),
    ("x = math.sqrt(d)", "d", "v.norm()"),
    ("f.count += r", "r", "int(x)"),
    ("f.pot += r > 1", "r > 1", "1.0 if c else 0.0"),
    ("f.count -= j.kind", "f.count -= j.kind", "less than 0"),
    ("f.count += i.kind - j.kind", "i.kind - j.kind", "0xffffffff"),
    ("f.bins[i.kind - 1] += 1", "i.kind - 1", "less than 0"),
    ("f.bins[j.kind + -1] += 1", "j.kind + -1", "less than 0"),
    ("x = ~(r > 1)", "~(r > 1)", "write `not`"),
    ("f.count += ~i.kind", "~i.kind", "less than 0"),
    ("f.count += i.kind << 32", "i.kind << 32", "32 bits"),
    ("f.count += (i.kind - 2) & ~i.kind", "i.kind - 2", "less than 0"),
    ("f.count += -i.kind", "-i.kind", "less than 0"),
    ("f.count += 4294967296", "4294967296", "below 2**32"),
    ("v = 0\nv += d\nf.force += v", "v += d", "begins with Vector"),
    ("x = r\nx = d\nf.force += x", "x = d", "another name"),
    ("if r < 1:\n    w = 1\nf.pot += w", "w", "may have no value"),
    ("if r < 1:\n    w = 1\nelif r < 2:\n    pass\nelse:\n    w = 2\nf.pot += w", "w", "may have no value"),
    ("for k in range(2):\n    if k > 0:\n        f.pot += last\n    last = r", "last", "may have no value"),
    ("for k in range(2):\n    f.pot += k\nf.pot += k", "k", "within its `for` alone"),
    ("f.pot += w\nw = r", "w", "may have no value"),
    ("for outside in range(2):\n    f.pot += 1\nf.pot += outside", "outside", "within its `for` alone"),
    ("outside = 2\nfor k in range(outside):\n    f.pot += 1", "outside", "known now"),
    ("outside = 2\nx: Real[outside] = i.ids", "outside", "known now"),
    (
        "def inner(q: Real) -> Real:\n    for k in range(outside):\n        q = q + 1\n    return q\n"
        "outside = 2\nf.pot += inner(r)",
        "outside",
        "known now",
    ),
    (
        "def inner(q: Real) -> Real:\n    return q * outside\n"
        "for outside in range(2):\n    f.pot += inner(r)",
        "outside",
        "pass it as an argument",
    ),
    (
        "if r > 1:\n    def inner(q: Real) -> Real:\n        return q\nelse:\n"
        "    def inner(q: Real) -> Real:\n        return 2 * q\nf.pot += inner(r)",
        "def inner",
        "name of its own",
    ),
    ("@function\ndef inner(q: Real) -> Real:\n    return q\nf.pot += inner(r)", "def inner", "decorator"),
    ("x = array", "array", "field of the parameters"),
    ("x = huge", "huge", "finite"),
    ("match_ = r\ntype = r", "type", "a word of the language"),
    ("def inner(q: Real) -> Real:\n    return q * r\nf.pot += inner(r)", "r", "pass it as an argument"),
    ("def inner(q) -> Real:\n    return q\nf.pot += inner(r)", "q", "`q: Real`"),
    ("def inner(q: Real):\n    return q\nf.pot += inner(r)", "def inner(q: Real):", "-> Real"),
    (
        "def inner(q: Real) -> Real:\n    if q > 1:\n        return q\nf.pot += inner(r)",
        "if q > 1:",
        "end it with",
    ),
    ("def inner(q: Real) -> Real:\n    return\nf.pot += inner(r)", "return", "without a value"),
    (
        "def inner(q: Real = 1) -> Real:\n    return q\nf.pot += inner(r)",
        "def inner(q: Real = 1) -> Real:",
        "without",
    ),
    ("def inner(q: Real) -> Real:\n    return q\nf.pot += inner(r, r)", "inner(r, r)", "takes 1"),
    ("def inner(q: str) -> Real:\n    return q\nf.pot += inner(r)", "str", "no type"),
    ("x = r.rate(i.pos)", "i.pos", "e.rate({"),
]
BEFORE = """
array = numpy.zeros(3)
outside = 5
huge = float("inf")
def undecorated(q):
    return q
"""


@pytest.mark.parametrize(("body", "caret", "message"), BODIES)
def test_bodies(body, caret, message):
    source = law_source(body, BEFORE)
    with pytest.raises(DeclarationError) as caught:
        cell(source)
    error = caught.value
    assert message in str(error)
    line = source.splitlines()[error.lineno - 1]
    assert error.text.rstrip("\n") == line
    assert line[error.offset - 1 :].startswith(caret)
    if error.end_lineno == error.lineno:
        assert line[error.offset - 1 : error.end_offset - 1] == caret


def test_differences_in_variables_are_reals():
    with pytest.raises(DeclarationError, match=r"int\(x\)"):
        cell(law_source("n = i.kind - j.kind\nf.count += n"))
    law = cell(law_source("n = i.kind - j.kind\nf.pot += n"))["Law"]
    declared(law)
    assert "let n = i.kind as Real - j.kind as Real;" in law.text


#: Changes of the law's source, the line of the fault, and a part of the message.
CLASSES = [
    ("    eps: Real\n", "    eps: complex\n", "complex", "no type of the language"),
    ("    eps: Real\n", "    eps: Min[u32]\n", "Min[u32]", "Min[Real]"),
    ("    eps: Real\n", "    eps: Real[1.5]\n", "1.5]", "no whole number"),
    ("    eps: Real\n", "    eps: Real\n    type: Real\n", "type: Real", "a word of the language"),
    ("    eps: Real\n", "    eps: Real\n    print()\n", "print()", "holds fields"),
    ("    eps: Real\n", "    eps: Real\n    SELF_PAIRS = 1\n", "SELF_PAIRS = 1", "True or False"),
    (
        "    eps: Real\n",
        "    eps: Real\n    def w(self, q: Real) -> Real:\n        return q\n",
        "def w(",
        "@staticmethod",
    ),
    ("class Law:", "class Law(Body):", "Body):", "base class"),
    ("f: Sums", "f", "f)", "its class"),
    ("f: Sums", "f: Real[3]", "f: Real[3]", "no record"),
    ("f: Sums", "f: Sums, g: Sums", "def pair", "target, source and result"),
    ("self, i", "i", "def pair", "`self`"),
    ("def pair", "def pairs", "def pairs", "@staticmethod"),
    ("    mass: Real\n", "    mass: Real = 1\n", "mass: Real = 1", "in a record"),
    ("    mass: Real\n", "    mass: Real\n    def f(self): pass\n", "def f(self)", "in a record"),
]


@pytest.mark.parametrize(("old", "new", "caret", "message"), CLASSES)
def test_classes(old, new, caret, message):
    source = f"{HEADER}{RECORDS}{LAW}"
    assert old in source
    source = source.replace(old, new, 1)
    with pytest.raises(DeclarationError) as caught:
        cell(source)
    error = caught.value
    assert message in str(error)
    assert source.splitlines()[error.lineno - 1][error.offset - 1 :].startswith(caret)


def test_a_class_without_pair():
    with pytest.raises(DeclarationError, match="without `pair`"):
        cell(f"{HEADER}@interaction\nclass Law:\n    eps: Real\n")


def test_inputs_of_programs_have_names_of_their_roles():
    source = f"{HEADER}class P:\n    x: Real\n@update\nclass U:\n"
    source += "    def update(self, p: P, NAME: P):\n        p.x = 1\n"
    with pytest.raises(DeclarationError, match="f_other"):
        cell(source.replace("NAME", "other"))
    assert "type Q = P;" in cell(source.replace("NAME", "q"))["U"].text
    with pytest.raises(DeclarationError, match="come first"):
        cell(source.replace("NAME: P", "f: P, q: P"))


def test_arguments_of_tuples():
    source = f"{HEADER}class P:\n    x: Real\n@tuple\nclass U:\n    def tuple(self, a: P):\n        pass\n"
    with pytest.raises(DeclarationError, match="n particles"):
        cell(source)


def test_without_a_source():
    with pytest.raises(DeclarationError, match="is not available"):
        exec(f"{HEADER}{RECORDS}{LAW}", {"__name__": "none"})


def test_found_is_no_class():
    with pytest.raises(DeclarationError, match="expected a class"):
        interaction(lambda i: i)


def test_an_expression_that_nests_too_deep():
    with pytest.raises(DeclarationError, match="keep its parts in variables"):
        cell(law_source("x = r" + " + r" * 2500))


def test_a_lambda_has_no_source():
    before = "w = function(lambda q: q)"
    with pytest.raises(DeclarationError, match="function `<lambda>` is not in"):
        cell(law_source("f.pot += w(r)", before))


def test_classes_of_equal_names_are_told_apart_by_their_decorators():
    source = law_source("f.pot += 1").replace(
        "@interaction", "first = Body\n@record\nclass Body:\n    pos: Point\n@interaction"
    )
    assert "mass" not in cell(source.replace("f.bins[j.kind]", "f.bins[0]"))["Law"].text
    undecorated = source.replace("@record", "").replace("f.bins[j.kind]", "f.bins[0]")
    if sys.version_info >= (3, 13):  # a class knows its first line
        assert "mass" not in cell(undecorated)["Law"].text
        return
    with pytest.raises(DeclarationError, match="not the only one"):
        cell(undecorated)


def test_a_method_with_a_decorator():
    source = f"{HEADER}{RECORDS}{LAW}".replace("    def pair", "    @(lambda pair: pair)\n    def pair")
    with pytest.raises(DeclarationError, match="`pair` with a decorator"):
        cell(source)


def test_a_variable_that_is_not_assigned_yet():
    law = textwrap.indent(f"{LAW}        f.pot += late", "    ")
    with pytest.raises(DeclarationError, match="there is no `late`"):
        cell(f"{HEADER}{RECORDS}late = 1\ndef made():{law}\n    late = 2\nmade()\n")


def test_a_call_in_another_function_takes_the_names_of_the_class():
    source = law_source("f.pot += n", "n = 3").replace("@interaction", "")
    call = "\ndef made(cls):\n    n = 5\n    return interaction(cls)\nLaw = made(Law)\n"
    assert "N: u32 = 3;" in cell(source + call)["Law"].text


def test_a_call_in_place_of_a_decorator():
    source = law_source("f.pot += 1").replace("@interaction", "") + "\nLaw = interaction(Law)\n"
    declared(cell(source)["Law"])


def test_a_record_whose_source_has_changed():
    names = cell(f"{HEADER}{RECORDS}")
    names["Body"].__annotations__["other"] = Real
    with pytest.raises(DeclarationError, match="run the file or the cell again"):
        cell(f"{HEADER}{RECORDS}{LAW}".replace("@interaction", "Body = old\n@interaction"), old=names["Body"])


def test_the_traceback_shows_the_line_and_a_caret():
    with pytest.raises(DeclarationError) as caught:
        cell(law_source("f.pot += r % 2"))
    text = "".join(traceback.format_exception_only(DeclarationError, caught.value))
    assert "f.pot += r % 2\n" in text and "^^^^^" in text and 'File "<cell' in text
    assert isinstance(caught.value, (SyntaxError, ValueError))


# Faults that the compiler finds.


def fault(source):
    law = cell(source)["Law"]
    with pytest.raises(DeclarationError) as caught:
        declared(law)
    return law, caught.value


FAULTS = [
    ("f.pot += d.nor2()", "d.nor2()", "norm2"),
    ("x = 1\nif r < 2:\n    f.pot += i.mas", "i.mas", "mass"),
    ("f.pot += i.pos.norm()", "i.pos.norm()", "only differences of points exist"),
    ("f.pot = r", "f.pot = r", "f."),
    ("f.force += d * d", "d * d", "dot"),
    ("i.mass = 2", "i.mass", "inputs do not change"),
    ("x = 0.5 * (f.pot + 1)", "f.pot", "cannot be read"),
]


@pytest.mark.parametrize(("body", "caret", "message"), FAULTS)
def test_faults_of_the_compiler_are_at_their_place_in_python(body, caret, message):
    source = law_source(body)
    _, error = fault(source)
    line = source.splitlines()[error.lineno - 1]
    assert line.strip() == body.splitlines()[-1].strip()
    assert line[error.offset - 1 :].startswith(caret)
    assert message in str(error)


def test_faults_in_helper_functions_and_records():
    before = "@function\ndef w(q: Real) -> Real:\n    return q.squareroot()"
    source = law_source("f.pot += w(r)", before)
    law, error = fault(source)
    assert source.splitlines()[error.lineno - 1].strip() == "return q.squareroot()"
    assert law.place(*error.faults[0][:2]) == (error.filename, error.lineno, error.offset)


class Fake:
    """A compiler that finds faults at given places."""

    class TextFaults(Exception):
        def __init__(self, faults):
            super().__init__("faults")
            self.faults = faults

    def __init__(self, faults):
        self.faults = faults

    def declare(self, text):
        if self.faults:
            raise self.TextFaults(self.faults)
        return text


def test_all_faults_are_told():
    source = law_source("x = r\ny = r\nf.pot += x * y")
    law = cell(source)["Law"]
    lines = law.text.splitlines()
    at = [next(n for n, line in enumerate(lines, 1) if f"let {name} " in line) for name in "xy"]
    with pytest.raises(DeclarationError) as caught:
        compiled(law, Fake([(at[0], 17, "first", "one"), (at[1], 13, "second", "")]))
    error = caught.value
    of = [n for n, line in enumerate(source.splitlines(), 1) if line.strip() in ("x = r", "y = r")]
    assert (error.lineno, error.offset) == (of[0], 13)
    assert error.msg == f"first: one\nalso line {of[1]} of {error.filename}: second"
    assert len(error.faults) == 2
    assert compiled(law, Fake([])) == law.text


def test_every_place_of_the_text_has_a_place_in_python():
    law = cell(law_source("f.pot += r"))["Law"]
    for number, line in enumerate(law.text.splitlines(), 1):
        for column in range(1, len(line) + 2):
            name, lineno, offset = law.place(number, column)
            assert name.startswith("<cell") and lineno > 0 and offset > 0
    assert law.place(0, 1) == law.place(10**6, 1)


def test_names_and_documents_of_declarations():
    class Site:
        pos: Point

    class Sum:
        n: Real

    @interaction
    class Law:
        """A law."""

        def pair(self, i: Site, j: Site, f: Sum):
            f.n += 1

    assert (Law.name, Law.kind, Law.__doc__, repr(Law)) == (
        "Law",
        "interaction",
        "A law.",
        "<interaction `Law`>",
    )
    filename, lineno, _ = Law.place(1, 1)
    assert filename == __file__ and lineno > 0
