//! The time of a run.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, in UTC: `2026-11-21T14:05:09Z`.
pub fn now() -> String {
    written(SystemTime::now())
}

/// The day of a time that was written so.
pub fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}

/// A clock before 1970 is one that was never set.
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
