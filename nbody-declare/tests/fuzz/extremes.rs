//! Texts that are deep, long or huge.

use std::fmt::Write as _;

use fastrand::Rng;

use super::mutate::{is_operand, pick, place};
use super::tokens::is_number;

/// Sizes around limits of compilers, and far beyond.
const SIZES: [usize; 12] = [2, 10, 30, 63, 64, 65, 200, 499, 501, 2000, 20_000, 100_000];

/// Returns an extreme text, some by changes of these tokens.
pub fn text(rng: &mut Rng, tokens: Vec<String>) -> String {
    let n = *pick(rng, &SIZES);
    match rng.u32(0..6) {
        0 => nested(rng, tokens, n),
        1 => statements(rng, tokens, n),
        2 => literal(rng, tokens, n),
        3 => law(&body(rng, n)),
        4 => items(rng, n.min(5000)),
        _ => odd(rng, &tokens.concat(), n),
    }
}

/// Returns a law with these items, fields and statements.
fn law_of([items, fields, body]: [&str; 3]) -> String {
    format!(
        "pub struct Law {{ pub scale: Real }} pub struct Body {{ pub pos: Point, pub x: Real, pub \
         kind: u32, {fields} }} pub struct Sum {{ pub sum: Real, pub force: Vector }} {items}
         impl Interaction for Law {{ type I = Body; type J = Body; type F = Sum;
         fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {{ {body} }} }}"
    )
}

fn law(body: &str) -> String {
    law_of(["", "", body])
}

/// Puts `n` brackets or operators around an operand.
fn nested(rng: &mut Rng, mut tokens: Vec<String>, n: usize) -> String {
    const AROUND: [[&str; 2]; 16] = [
        ["(", ")"],
        ["{ ", " }"],
        ["[", "]"],
        ["-", ""],
        ["!", ""],
        ["&", ""],
        ["", " + 1.0"],
        ["", ".abs()"],
        ["", ".x"],
        ["", " as Real"],
        ["1.5 * (2.0 + ", ")"],
        ["if 1.0 < 2.0 { ", " } else { 3.0 }"],
        ["if 1.0 < 2.0 { 3.0 } else ", ""],
        ["Vector::new(1.0, 2.0, ", ")"],
        ["|x| ", ""],
        ["f(", ")"],
    ];
    let [before, behind] = *pick(rng, &AROUND);
    if let Some(at) = place(rng, &tokens, |at| is_operand(&tokens, at)) {
        tokens[at] = [&before.repeat(n), &tokens[at], &*behind.repeat(n)].concat();
    }
    tokens.concat()
}

/// Puts `n` blocks around a statement, or `n` statements in its place.
fn statements(rng: &mut Rng, mut tokens: Vec<String>, n: usize) -> String {
    const AROUND: [[&str; 2]; 6] = [
        ["{ ", " }"],
        ["if 1.0 < 2.0 { ", " }"],
        ["if 1.0 < 2.0 { } else { ", " }"],
        ["for k in 0..2 { ", " }"],
        ["loop { ", " }"],
        ["if 1.0 < 2.0 { return; } ", ""],
    ];
    let [before, behind] = *pick(rng, &AROUND);
    let number = rng.u32(0..100);
    if let Some(at) = place(rng, &tokens, |at| tokens[at] == ";") {
        let inner = format!("let fresh = {number}.5;");
        let more = if rng.bool() {
            [&before.repeat(n), &*inner, &behind.repeat(n)].concat()
        } else {
            format!("{before}{inner}{behind} ").repeat(n.min(5000))
        };
        tokens.insert(at + 1, more);
    }
    tokens.concat()
}

/// Makes a number huge.
fn literal(rng: &mut Rng, mut tokens: Vec<String>, n: usize) -> String {
    let digits = "9".repeat(n);
    let number = match rng.u32(0..8) {
        0 => digits,
        1 => format!("{digits}.0"),
        2 => format!("0.{digits}"),
        3 => format!("1e{digits}"),
        4 => format!("1e-{digits}"),
        5 => format!("0x{digits}"),
        6 => format!("{}1.5", "0".repeat(n)),
        _ => format!("1_{}", "_".repeat(n)),
    };
    if let Some(at) = place(rng, &tokens, |at| is_number(&tokens[at])) {
        tokens[at] = number;
    }
    tokens.concat()
}

/// Returns a body that grows when it is evaluated, differentiated or printed.
fn body(rng: &mut Rng, n: usize) -> String {
    let short = n.min(500);
    let mut text = match rng.u32(0..10) {
        0 => "let mut a = i.x - j.x;".to_owned() + &"a = a * a;".repeat(short),
        1 => "let a = i.x - j.x;".to_owned() + &"let a = a + a;".repeat(short),
        2 => "let a = (i.x - j.x, 1.0);".to_owned(),
        3 => {
            let mut text = "let a0 = i.x * j.x + self.scale;".to_owned();
            for k in 1..short {
                let _ = write!(text, "let a{k} = a{} * j.x + a{} / i.x;", k - 1, k / 2);
            }
            text + &format!("let a = a{};", short - 1)
        }
        4 => "let mut a = j.x;".to_owned() + &"if a < i.x { a += 1.0; } ".repeat(n.min(2000)),
        5 => "let mut a = j.x;".to_owned() + &"if a < i.x { return; } ".repeat(n.min(2000)),
        6 => format!("let mut a = 0.0; for k in 0..{n} {{ a += j.x; }}"),
        7 => {
            let mut text = "let mut a = j.x;".to_owned();
            let depth = n.min(60);
            for k in 0..depth {
                let _ = write!(text, "for k{k} in 0..2 {{ ");
            }
            text + "a = a * a;" + &"}".repeat(depth)
        }
        8 => format!("let d = j.pos - i.pos; let a = d.norm2(){};", ".sqrt()".repeat(short)),
        _ => format!("let a = j.x.powi({}).powi({});", n, -(i64::try_from(n).unwrap())),
    };
    text += "f.sum += a;";
    text + &"f.force += a * (j.pos - i.pos);".repeat(rng.usize(0..3))
}

/// Returns a law with `n` items, fields or statements.
fn items(rng: &mut Rng, n: usize) -> String {
    let many = |item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<String>();
    let [mut items, mut fields, mut body] = ["", "", "f.sum += i.x;"].map(str::to_owned);
    match rng.u32(0..9) {
        0 => fields = many(&|k| format!("f{k}: Real, ")),
        1 => fields = many(&|k| format!("f{k}: [Real; {}], ", k + 1)),
        2 => items = many(&|k| format!("const C{k}: Real = {k}.5; ")),
        3 => {
            // Each function calls the one before twice.
            items += "fn g0(x: Real) -> Real { x } ";
            let last = n.min(100);
            for k in 1..=last {
                let before = k - 1;
                let _ = write!(
                    items,
                    "fn g{k}(x: Real) -> Real {{ g{before}(x) * g{before}(x + 1.0) }} "
                );
            }
            body = format!("f.sum += g{last}(i.x);");
        }
        4 => items = many(&|k| format!("fn g{k}(x: Real) -> Real {{ g{}(x) }} ", k + 1)),
        5 => body = many(&|k| format!("let a{k} = i.x + {k}.0; f.sum += a{k}; ")),
        6 => body = many(&|k| format!("f.sum += unknown{k}; ")),
        7 => items = many(&|k| format!("struct S{k} {{ x: Real }} ")),
        _ => {
            let laws = many(&|k| format!("mod m{k} {{ {} }} ", law("f.sum += 1.0;")));
            return laws.replace("Law", "One");
        }
    }
    law_of([&items, &fields, &body])
}

/// Returns a text that is hardly a text of the language.
fn odd(rng: &mut Rng, text: &str, n: usize) -> String {
    match rng.u32(0..20) {
        0 => String::new(),
        1 => "\0".repeat(n),
        2 => format!("\u{feff}{text}"),
        3 => format!("/*{text}"),
        4 => "/*".repeat(n),
        5 => format!("r{0}\"{text}", "#".repeat(n)),
        6 => "mod a { ".repeat(n) + text,
        7 => ["mod a { ", text, "}"]
            .map(|it| if it == text { text.to_owned() } else { it.repeat(n) })
            .concat(),
        8 => "#[nbody::interaction]".repeat(n) + text,
        9 => "///\n".repeat(n) + text,
        10 => pick(rng, &["(", "[", "{", "<", "\"", "'", ")", "'a ", "fn ", "\n"]).repeat(n),
        11 => format!("#![allow({})] {text}", "a,".repeat(n)),
        12 => format!("struct A<{}>; {text}", "'a,".repeat(n)),
        13 => format!("type A = {}u32{};", "Vector<".repeat(n), ">".repeat(n)),
        14 => format!("use {}a;", "a::".repeat(n)),
        15 => format!("fn f() -> {}u32 {{ 1 }} {text}", "&".repeat(n)),
        16 => format!("fn f() {{ {} }}", "a.b().".repeat(n)),
        17 => format!("macro_rules! m {{ {} }} {text}", "() => {};".repeat(n)),
        18 => format!("{text} {text}"),
        _ => format!("// {}\n{text}", "\\\n??/".repeat(n)),
    }
}
