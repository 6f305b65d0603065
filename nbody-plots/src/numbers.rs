//! Numbers at ticks and in captions.

/// SI prefixes.
const PREFIXES: [(&str, f64); 9] = [
    ("P", 1e15),
    ("T", 1e12),
    ("G", 1e9),
    ("M", 1e6),
    ("k", 1e3),
    ("", 1.0),
    ("m", 1e-3),
    ("µ", 1e-6),
    ("n", 1e-9),
];
const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// Formats a number without the rounding error of its tick: with a power of ten if it is small or
/// large.
pub fn plain(number: f64) -> String {
    let rounded = rounded(number);
    if rounded == 0.0 {
        return "0".to_owned();
    }
    if !rounded.is_finite() || (1e-3..1e8).contains(&rounded.abs()) {
        return rounded.to_string();
    }
    let text = format!("{rounded:e}");
    let (factor, power) = text.split_once('e').unwrap_or((&text, "0"));
    match factor {
        "1" => format!("10{}", superscript(power)),
        "-1" => format!("-10{}", superscript(power)),
        _ => format!("{factor}×10{}", superscript(power)),
    }
}

/// Formats a number with an SI prefix and a unit, which may be empty: `20 ms`, `5 G`.
pub fn prefixed(number: f64, unit: &str) -> String {
    let size = number.abs();
    let found = PREFIXES.iter().find(|(_, one)| size >= 0.9999 * one);
    match found {
        Some((prefix, one)) if size < 1e18 => {
            let text = format!("{} {prefix}{unit}", short(number / one));
            text.trim_end().to_owned()
        }
        _ => format!("{} {unit}", plain(number)).trim_end().to_owned(),
    }
}

/// Formats a number with few digits, in ASCII.
pub fn ascii(number: f64) -> String {
    let rounded: f64 = format!("{number:.5e}").parse().unwrap_or(number);
    if rounded == 0.0 || (1e-4..1e6).contains(&rounded.abs()) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

/// Formats two decimals, without trailing zeros.
fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns a number with nine significant digits.
fn rounded(number: f64) -> f64 {
    format!("{number:.8e}").parse().unwrap_or(number)
}

fn superscript(power: &str) -> String {
    let raised = |c: char| match c.to_digit(10) {
        Some(digit) => SUPERSCRIPTS[digit as usize],
        None => '⁻',
    };
    power.chars().map(raised).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_si_prefixes() {
        for (number, expected) in [
            (2e12, "2 T"),
            (1e9, "1 G"),
            (5e8, "500 M"),
            (1.284e9, "1.28 G"),
            (38.0, "38"),
            (0.02, "20 m"),
            (0.0, "0"),
            (3e-12, "3×10⁻¹²"),
            (2e21, "2×10²¹"),
        ] {
            assert_eq!(prefixed(number, ""), expected);
        }
        assert_eq!(prefixed(0.0002, "s"), "200 µs");
        assert_eq!(prefixed(10_f64.powf(0.0), "s"), "1 s");
        assert_eq!(prefixed(f64::NAN, "s"), "NaN s");
    }

    #[test]
    fn numbers_of_images_are_short() {
        for (x, expected) in [(0.0, "0"), (0.1 + 0.2, "0.3"), (1.5e20, "1.5e20"), (-2e-7, "-2e-7")]
        {
            assert_eq!(ascii(x), expected);
        }
    }

    #[test]
    fn plain_numbers_have_no_rounding_errors() {
        for (number, expected) in [
            (0.1 + 0.2, "0.3"),
            (10_f64.powf(131_072_f64.log10()), "131072"),
            (1_048_576.0, "1048576"),
            (0.0025, "0.0025"),
            (-0.0, "0"),
            (1e-7, "10⁻⁷"),
            (-2e-4, "-2×10⁻⁴"),
            (1e9, "10⁹"),
        ] {
            assert_eq!(plain(number), expected);
        }
    }
}
