"""Statements and expressions of Python in the language: how they are printed, and that it accepts them."""

import pytest
from test_declare_support import HEADER, cell, declared, law_source, statements

EXPRESSIONS = [
    # Numbers without a point are reals where the other side is one.
    ("2 * r", "2.0 * r"),
    ("r / 2 + 1", "r / 2.0 + 1.0"),
    ("1 / 3 * r", "1.0 / 3.0 * r"),
    ("2 * 3 * r", "6.0 * r"),
    ("-1 * r", "-1.0 * r"),
    ("7 // 2 * r", "3.0 * r"),
    ("1e-5 * r", "1e-05 * r"),
    # Whole numbers of the data become reals beside a real; a quotient is always a real.
    ("i.kind * r", "i.kind as Real * r"),
    ("i.kind / j.kind", "i.kind as Real / j.kind as Real"),
    ("i.kind // j.kind * r", "(i.kind / j.kind) as Real * r"),
    ("r // 2", "(r / 2.0).floor()"),
    ("(i.kind - j.kind) * r", "(i.kind as Real - j.kind as Real) * r"),
    ("~i.kind * r", "(-(i.kind as Real) - 1.0) * r"),
    ("((i.kind - j.kind) & 7) * r", "(i.kind - j.kind & 7) as Real * r"),
    ("(~i.kind & 7) * r", "(!i.kind & 7) as Real * r"),
    ("-i.kind * r", "-(i.kind as Real) * r"),
    ("((i.kind - j.kind) & 0xffffffff) * r", "(i.kind - j.kind & 4294967295) as Real * r"),
    ("r if i.kind - j.kind > 0 else 1", "if i.kind as Real - j.kind as Real > 0.0 { r } else { 1.0 }"),
    ("(i.kind if r > 1 else -1) * r", "(if r > 1.0 { i.kind as Real } else { -1.0 }) * r"),
    ("r if i.kind < r else 1", "if (i.kind as Real) < r { r } else { 1.0 }"),
    ("r if int(r) << 1 < 4 else 1", "if (r as u32) << 1 < 4 { r } else { 1.0 }"),
    ("r if r + 1 > 2 * r else 1", "if r + 1.0 > 2.0 * r { r } else { 1.0 }"),
    ("r if i.kind > -1 else 1", "if i.kind as Real > -1.0 { r } else { 1.0 }"),
    ("float(i.kind) + int(r)", "i.kind as Real + r as u32 as Real"),
    # Powers.
    ("r ** 2", "r.powi(2)"),
    ("r ** -6", "r.powi(-6)"),
    ("-r ** 2", "-r.powi(2)"),
    ("(-r) ** 3", "(-r).powi(3)"),
    ("r ** 0.5", "r.sqrt()"),
    ("r ** -0.5", "r.rsqrt()"),
    ("r ** 1.5", "r.powf(1.5)"),
    ("2 ** r", "2.0.powf(r)"),
    ("2 ** 3 * r", "8.0 * r"),
    ("r ** i.kind", "r.powf(i.kind as Real)"),
    ("2 ** 2 ** r", "2.0.powf(2.0.powf(r))"),
    # Grouping.
    ("r - (r - self.eps)", "r - (r - self.eps)"),
    ("r / (r * self.eps)", "r / (r * self.eps)"),
    ("r - r - self.eps", "r - r - self.eps"),
    ("-(r + self.eps)", "-(r + self.eps)"),
    ("(r + self.eps).sqrt()", "(r + self.eps).sqrt()"),
    ("(2 if r > 1 else 3) * r", "(if r > 1.0 { 2.0 } else { 3.0 }) * r"),
    # Functions.
    ("abs(r - 1)", "(r - 1.0).abs()"),
    ("min(r, 2)", "r.min(2.0)"),
    ("max(0, r)", "0.0.max(r)"),
    ("min(r, 1, self.eps)", "r.min(1.0).min(self.eps)"),
    ("math.sqrt(r) + math.log(r)", "r.sqrt() + r.ln()"),
    ("math.atan2(r, 1)", "r.atan2(1.0)"),
    ("math.pi * numpy.pi", "core::f64::consts::PI * core::f64::consts::PI"),
    ("numpy.exp(-r)", "(-r).exp()"),
    ("numpy.where(r > 1, r, 0)", "(r > 1.0).select(r, 0.0)"),
    ("random(i.kind, 3) + nd.gaussian(1, j.kind)", "random(i.kind, 3) + gaussian(1, j.kind)"),
    # Vectors, tensors, arrays, tables, splines.
    ("d @ i.vel", "d.dot(i.vel)"),
    ("(2 * d).norm()", "(2.0 * d).norm()"),
    ("(d / 2).x + d[1]", "(d / 2.0).x + d[1]"),
    ("Vector(1, r, 0).z", "Vector::new(1.0, r, 0.0).z"),
    ("(Tensor.symmetric(d, d) @ d).x", "Tensor::symmetric(d, d).dot(d).x"),
    ("i.ids[j.kind] + i.ids[2]", "i.ids[j.kind] + i.ids[2]"),
    ("self.table[i.kind][j.kind]", "self.table[i.kind][j.kind]"),
    ("self.table[i.kind, 2]", "self.table[i.kind][2]"),
    ("self.spline.at(r) + self.spline.slope(2)", "self.spline.at(r) + self.spline.slope(2.0)"),
    # Conditions.
    ("r if 0 < r <= 2 else 0", "if 0.0 < r && r <= 2.0 { r } else { 0.0 }"),
    ("r if i.kind == 1 or not r > 2 else 0", "if i.kind == 1 || !(r > 2.0) { r } else { 0.0 }"),
    ("r if i.kind else 0", "if i.kind != 0 { r } else { 0.0 }"),
    ("r if i.kind and r else 0", "if i.kind != 0 && r != 0.0 { r } else { 0.0 }"),
    ("r if (r > 1 or r < 2) and True else 0", "if (r > 1.0 || r < 2.0) && true { r } else { 0.0 }"),
    ("r if (i.kind & 3) == 1 else 0", "if i.kind & 3 == 1 { r } else { 0.0 }"),
    ("r if i.kind << 2 > 1 else 0", "if i.kind << 2 > 1 { r } else { 0.0 }"),
    # Derivatives.
    ("(r * r).gradient(i.pos).x", "(r * r).gradient(i.pos).x"),
    ("r.rate({i.pos: i.vel, j.pos: j.vel})", "r.rate(i.pos = i.vel, j.pos = j.vel)"),
]


@pytest.mark.parametrize(("python", "text"), EXPRESSIONS)
def test_expressions(python, text):
    assert statements(f"f.pot += {python}") == [f"f.pot += {text};"]


STATEMENTS = [
    ("a = r\nf.pot += a", ["let a = r;", "f.pot += a;"]),
    ("a = r\na = a + 1\nf.pot += a", ["let mut a = r;", "a = a + 1.0;", "f.pot += a;"]),
    ("a: Real = 1\nf.pot += a", ["let a: Real = 1.0;", "f.pot += a;"]),
    # A variable of whole numbers is a real if it becomes one anywhere.
    ("s = 0\ns += r\nf.pot += s", ["let mut s = 0.0;", "s += r;", "f.pot += s;"]),
    ("n = 0\nn += i.kind\nf.count += n", ["let mut n = 0;", "n += i.kind;", "f.count += n;"]),
    ("n = 2\nf.pot += n * r", ["let n = 2;", "f.pot += n as Real * r;"]),
    ("s = -1\nf.pot += s * r", ["let s = -1.0;", "f.pot += s * r;"]),
    (
        "n = i.kind\nif r > 1:\n    n = -1\nf.pot += n",
        ["let mut n = i.kind as Real;", "if r > 1.0 {", "    n = -1.0;", "}", "f.pot += n;"],
    ),
    ("n = 6\nn /= 4\nf.pot += n", ["let mut n = 6.0;", "n /= 4.0;", "f.pot += n;"]),
    ("v = 2 * d\nv.x += 1\nv[1] = 2\nv /= 2\nf.force -= v", None),
    ("a = [0, 1]\na[0] += r\nf.pot += a[0]", None),
    # Variables of branches are declared before them.
    (
        "if r < 1:\n    w = 1\nelse:\n    w = r\nf.pot += w",
        ["let mut w = 0.0;", "if r < 1.0 {", "    w = 1.0;", "} else {", "    w = r;", "}", "f.pot += w;"],
    ),
    (
        "if r < 1:\n    w = r\n    f.pot += w",
        ["if r < 1.0 {", "    let w = r;", "    f.pot += w;", "}"],
    ),
    (
        "if r < 1:\n    v = d\nelif r < 2:\n    v = -d\nelse:\n    return\nf.force += v",
        [
            "let mut v = Vector::new(0.0, 0.0, 0.0);",
            "if r < 1.0 {",
            "    v = d;",
            "} else if r < 2.0 {",
            "    v = -d;",
            "} else {",
            "    return;",
            "}",
            "f.force += v;",
        ],
    ),
    (
        "for k in range(3):\n    q = d[k]\n    f.pot += q * k",
        ["for k in 0..3 {", "    let q = d[k];", "    f.pot += q * k as Real;", "}"],
    ),
    (
        "for k in range(1, 3):\n    last = d[k - 1]\nf.pot += last",
        ["let mut last = 0.0;", "for k in 1..3 {", "    last = d[k - 1];", "}", "f.pot += last;"],
    ),
    ("if r > 2:\n    return\nf.pot -= 1", ["if r > 2.0 {", "    return;", "}", "f.pot -= 1.0;"]),
    ("f.pot += r\nreturn", ["f.pot += r;"]),
    ("f.bins[int(r)] += i.kind", ["f.bins[r as u32] += i.kind;"]),
    ("f.count += 1 if r < 1 else 0", ["f.count += if r < 1.0 { 1 } else { 0 };"]),
    ("f.stress.xy += 1\nf.force.x -= 2", ["f.stress.xy += 1.0;", "f.force.x -= 2.0;"]),
    ("f.stress += 2 * Tensor.outer(d)", ["f.stress += 2.0 * Tensor::outer(d);"]),
    ("'''text'''\npass", []),
]


@pytest.mark.parametrize(("python", "lines"), STATEMENTS)
def test_statements(python, lines):
    found = statements(python)
    assert lines is None or found == lines


def test_augmented_assignments_that_the_language_lacks_are_written_out():
    assert statements("x = r\nx **= 2\nx //= 3\nf.pot += x")[1:3] == [
        "x = x.powi(2);",
        "x = (x / 3.0).floor();",
    ]


def test_captured_numbers_are_constants():
    before = "n = 3\nscale = numpy.float32(0.5)\non = True"
    found = statements(
        "if on:\n    f.pot += scale * r ** n\nfor k in range(n):\n    f.pot += n * d[k]", before
    )
    assert found == [
        "if true {",
        "    f.pot += SCALE * r.powi(N);",
        "}",
        "for k in 0..N {",
        "    f.pot += N as Real * d[k];",
        "}",
    ]


def test_a_constant_is_not_called_like_a_variable_that_would_hide_it():
    found = statements("N = 2.0\nf.pot += N * n * r", "n = 3")
    assert found == ["let N = 2.0;", "f.pot += N * N_ as Real * r;"]


def test_constants_of_equal_names_and_other_values_stay_apart():
    before = """
        x = 0.5
        @function
        def other(q: Real) -> Real:
            return X * q
        X = 0.25
    """
    law = cell_of("f.pot += x * other(r)", before)
    assert "pub const X: Real = 0.5;" in law.text
    assert "X_ * q" in law.text and "pub const X_: Real = 0.25;" in law.text


def cell_of(body, before=""):
    law = cell(law_source(body, before))["Law"]
    declared(law)
    return law


FUNCTIONS = [
    (
        "def w(q: Real) -> Real:\n    if q < 1:\n        return 1\n    return 2 * q",
        ["fn w(q: Real) -> Real {", "    if q < 1.0 {", "        return 1.0;", "    }", "    2.0 * q", "}"],
    ),
    (
        "def w(q: Real) -> Real:\n    'A weight.'\n    if q < 1:\n        return 1\n    elif q < 2:\n"
        "        t = q\n        return t\n    else:\n        return 0",
        [
            "/// A weight.",
            "fn w(q: Real) -> Real {",
            "    if q < 1.0 {",
            "        1.0",
            "    } else if q < 2.0 {",
            "        let t = q;",
            "        t",
            "    } else {",
            "        0.0",
            "    }",
            "}",
        ],
    ),
    (
        "def w(q: float) -> 'Real':\n    q = max(q, 0)\n    return q",
        ["fn w(q: Real) -> Real {", "    let mut q = q;", "    q = q.max(0.0);", "    q", "}"],
    ),
]


@pytest.mark.parametrize(("source", "lines"), FUNCTIONS)
def test_helper_functions(source, lines):
    text = cell_of("f.pot += w(r)", f"@function\n{source}").text.splitlines()
    begin = text.index(lines[0])
    assert text[begin : begin + len(lines)] == lines


def test_helper_functions_take_names_and_whole_numbers():
    before = "@function\ndef w(q: Real, n: u32) -> Real:\n    return q * n"
    assert "f.pot += w(2.0, i.kind);" in cell_of("f.pot += w(n=i.kind, q=2)", before).text


def test_functions_of_equal_names_stay_apart():
    before = """
        def made(a):
            @function
            def scaled(q: Real) -> Real:
                return a * q
            return scaled
        one, two = made(2.0), made(3.0)
    """
    law = cell_of("f.pot += one(r) - two(r)", before)
    assert "f.pot += scaled(r) - scaled_2(r);" in law.text
    assert "pub const A: Real = 2.0;" in law.text and "pub const A_: Real = 3.0;" in law.text


def test_a_function_of_the_user_does_not_replace_random_numbers():
    before = "@function\ndef gaussian(q: Real) -> Real:\n    return q"
    law = cell_of("f.pot += gaussian(r) + nd.gaussian(1, 2)", before)
    assert "f.pot += gaussian_2(r) + gaussian(1, 2);" in law.text


def test_docstrings_become_doc_comments():
    names = cell(f'''{HEADER}
@interaction
class Law:
    """A law.

    Of two lines."""
    eps: Real
    """Softening."""

    class Body:
        """A body."""
        pos: Point

    class Sum:
        pot: Real

    def pair(self, i: Body, j: Body, f: Sum):
        """Adds."""
        f.pot += self.eps
''')
    text = names["Law"].text
    declared(names["Law"])
    assert text.startswith("/// A law.\n///\n/// Of two lines.\npub struct Law {\n    /// Softening.\n")
    assert "/// A body.\npub struct Body" in text and "    /// Adds.\n    fn pair(" in text


def test_future_annotations_see_constants_of_the_class():
    source = f"""from __future__ import annotations
{HEADER}
def made(n):
    @nd.interaction
    class Law:
        BINS = 2 * n
        SELF_PAIRS = True

        class Body:
            pos: Point[2]

        class Sum:
            bins: Count[BINS]
            few: Nearest[3]
            far: ArgMax[Real]

        def pair(self, i: Body, j: Body, f: Sum):
            d = i.pos - j.pos
            f.bins[int(d.norm() * n)] += 1
            f.few.insert(d.norm2())
            f.far.max(d.norm2())
    return Law
law = made(4)
"""
    law = cell(source)["law"]
    declared(law)
    assert "pub bins: [Count; BINS]," in law.text and "pub const BINS: u32 = 8;" in law.text
    assert "const SELF_PAIRS: bool = true;" in law.text and "pub const N: u32 = 4;" in law.text


def test_programs_read_results_records_and_totals():
    law = cell(f"""{HEADER}
class Body:
    pos: Point
    vel: Vector
    n: u32
    partner: u32

class Field:
    acc: Vector
    near: ArgMin[Real]
    few: Nearest[4]
    count: Count
    bins: Count[3]
    least: Min[Real]

class Total:
    dt: Max[Real]

@update
class Kick:
    dt: Real

    def update(self, p: Body, q: Body, f: Field, g_pace: Total):
        p.vel += self.dt * f.acc * (f.near.value + f.few.values[0] + f.least)
        p.pos += g_pace.dt * p.vel
        p.vel += p.pos - q[p.partner].pos
        p.n = f.near.index + f.few.indices[1] + f.count + f.bins[2]
""")["Kick"]
    declared(law)
    assert "fn update(&self, p: &mut Body, q: &Body, f: &Field, g_pace: &Total) {" in law.text
    assert "    type Q = Body;\n    type F = Field;\n    type G = Total;\n" in law.text


SPLINES = [
    ("Spline[16]", "Spline<16>"),
    ("Spline[16][4]", "[Spline<16>; 4]"),
    ("Spline[16][2, 4]", "[[Spline<16>; 4]; 2]"),
]


@pytest.mark.parametrize(
    ("python", "text"), [*SPLINES, ("Tensor[2]", "Tensor<2>"), ("Vector[1]", "Vector<1>")]
)
def test_types_of_parameters(python, text):
    law = cell(f"""{HEADER}
@interaction
class Law:
    x: {python}
    class Body:
        pos: Point
    class Sum:
        pot: Real
    def pair(self, i: Body, j: Body, f: Sum):
        f.pot += 1
""")["Law"]
    declared(law)
    assert f"pub x: {text}," in law.text
