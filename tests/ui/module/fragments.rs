//! A module that a macro writes may have any of its fragments wherever their kind makes sense: only
//! the last statement is refused, which has no effect.

macro_rules! interaction {
    (
        $vis:vis $law:ident, $n:literal, $real:ty, $vector:ty, $table:ty, $body:ty, $item:item,
        $value:expr, $path:path, $condition:expr, $block:block, $branch:block, $statement:expr,
        $step:stmt, $pattern:pat, $range:expr, $docs:meta, $i:expr, $target:expr, $call:expr,
        $function:path, $($rest:tt)*
    ) => {
        #[nbody::interaction]
        mod fragments {
            const COUNT: u32 = $n;
            const VALUE: Real = $value;
            #[$docs]
            $vis struct $law {
                $vis table: $table,
                pub row: [$real; $n],
                pub flat: Vector<$n>,
            }
            pub struct Body {
                pub pos: Point,
                pub x: $real,
            }
            pub struct Sum {
                pub v: $vector,
                pub sum: Real,
            }
            $item

            impl Interaction for $law {
                type I = $body;
                type J = $body;
                type F = Sum;
                const SELF_PAIRS: bool = true;

                fn pair(&self, i: &$body, j: &$body, f: &mut Sum) {
                    let a: $real = $value * $value + $path;
                    let $pattern = $i.x + $block;
                    $branch;
                    $branch
                    $statement;
                    $step;
                    if $condition $branch else $branch
                    for k in $range $branch
                    for k in 0..$n {
                        f.sum += i.x.powi($n) * self.row[$n - 1];
                    }
                    b += if $condition $block else { $value };
                    $target += $call * $function(b) + c;
                    let d: $vector = j.pos - i.pos;
                    f.v += d;
                    $($rest)*
                }
            }
        }
    };
}

interaction! {
    pub Law, 2, Real, Vector, [[Real; 2]; 2], Body,
    fn weight(x: Real) -> Real {
        x
    },
    1.0 + 2.0, core::f64::consts::PI, true && i.x < j.x, { 1.0 }, { f.sum += 1.0; }, f.sum += j.x,
    let c = 2.0, mut b, 0..2, doc = "What is the same for all.", i, f.sum, weight(i.x * j.x),
    weight, 1.0;
}

fn main() {}
