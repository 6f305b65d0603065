//! Time stamps of runs.

use std::time::{SystemTime, UNIX_EPOCH};

/// Formats the current time in UTC: `2026-11-21T14:05:09Z`.
pub fn now() -> String {
    written(SystemTime::now())
}

/// Extracts the day from a formatted time.
pub fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}

/// Formats a time; times before 1970, from a clock that was never set, become the first moment of
/// 1970.
fn written(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time.max(UNIX_EPOCH)).to_string()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_in_utc_and_begin_with_their_day() {
        let time = written(UNIX_EPOCH + Duration::from_secs(1_795_270_147));
        assert_eq!(time, "2026-11-21T14:09:07Z");
        assert_eq!(day(&time), "2026-11-21");
        assert_eq!(written(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00Z");
    }
}
