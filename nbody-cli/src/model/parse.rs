//! Numbers of options.

/// Parses a number from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    number(text)
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// Parses a finite number of zero or more.
pub fn ratio(text: &str) -> Result<f64, String> {
    number(text)
        .ok()
        .filter(|ratio| *ratio >= 0.0)
        .ok_or_else(|| "expected a number of zero or more".to_owned())
}

/// Parses two positive numbers, the first not above the second: `0.1,100`.
pub fn limits(text: &str) -> Result<[f64; 2], String> {
    let limits = text.split_once(',').and_then(|(least, most)| {
        let [least, most] = [number(least).ok()?, number(most).ok()?];
        (0.0 < least && least <= most).then_some([least, most])
    });
    limits.ok_or_else(|| {
        "expected the least and the greatest as two positive numbers, such as 0.1,100".to_owned()
    })
}

fn number(text: &str) -> Result<f64, ()> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite()).ok_or(())
}
