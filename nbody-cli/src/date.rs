//! The time of a run.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, in UTC: `2026-11-21T14:05:09Z`.
pub fn now() -> String {
    // A clock before 1970 is one that was never set.
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    written(seconds)
}

/// The day of a time that was written so.
pub fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}

fn written(seconds: u64) -> String {
    let (days, second) = (seconds / 86400, seconds % 86400);
    let [year, month, day] = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day, of the days since 1970. Years are counted from March on, so that the leap
/// day is their last, and begin with the first of 400, after which the calendar repeats.
fn civil(days: u64) -> [u64; 3] {
    let days = days + 719_468; // from March 1 of the year 0
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153; // from March
    let day = day - (153 * month + 2) / 5 + 1;
    let next = u64::from(month >= 10);
    [400 * era + year + next, if next == 1 { month - 9 } else { month + 3 }, day]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (1_795_270_147, "2026-11-21T14:09:07Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(written(seconds), expected);
        }
        assert_eq!(day("2026-11-21T14:09:07Z"), "2026-11-21");
    }
}
