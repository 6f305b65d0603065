//! Records of one kind in C++: one, or several as `Joined<A, Joined<B, C>>`.

/// Returns the type of these records.
pub fn joined(records: &[String]) -> String {
    match records {
        [] => "Nothing".to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("Joined<{first}, {}>", joined(rest)),
    }
}

/// Returns the members that lead to the record of this place among `count`.
pub fn part_of_joined(place: usize, count: usize) -> String {
    let last = if place + 1 < count { ".first" } else { "" };
    ".rest".repeat(place) + last
}
