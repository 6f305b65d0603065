//! Covering arrays: rows of choices such that any few choices that may occur together do so in
//! some row.

use std::collections::BTreeSet;

/// The choices of each row, and a test for choices that may occur together.
pub struct Covering<'a> {
    /// Number of choices of each option.
    pub choices: &'a [usize],
    /// Number of choices that occur together: 2 for pairs.
    pub strength: usize,
    /// Tests whether these choices may occur together; options with `None` are still open.
    pub allows: &'a dyn Fn(&[Option<usize>]) -> bool,
}

/// Combination of choices, each with the index of its option, in ascending order.
type Meeting = Vec<(usize, usize)>;
/// A row with some choices made.
type Partial = Vec<Option<usize>>;

impl Covering<'_> {
    /// Builds the rows. Each row begins with choices that no earlier row combines, and adds the
    /// choices that cover the most missing combinations.
    ///
    /// # Panics
    ///
    /// Panics if an option has no choice that is ever allowed.
    pub fn rows(&self) -> Vec<Vec<usize>> {
        let mut missing = self.meetings();
        let mut rows = Vec::new();
        while let Some(first) = missing.first() {
            let mut row = vec![None; self.choices.len()];
            for &(option, choice) in first {
                row[option] = Some(choice);
            }
            for k in 0..row.len() {
                // Fill the options in another order in each row.
                let option = (k + rows.len()) % row.len();
                if row[option].is_none() {
                    row[option] = Some(self.best_choice(&row, option, &missing, rows.len()));
                }
            }
            let row: Vec<_> = row.into_iter().flatten().collect();
            self.meetings_of(&row).iter().for_each(|meeting| {
                missing.remove(meeting);
            });
            rows.push(row);
        }
        rows
    }

    /// Lists the faults of rows: forbidden rows, and allowed combinations that no row has.
    ///
    /// # Panics
    ///
    /// Panics if no choices may occur together.
    pub fn faults(&self, rows: &[Vec<usize>]) -> Vec<String> {
        let is_allowed = |row: &&Vec<usize>| {
            let all: Partial = row.iter().copied().map(Some).collect();
            row.len() == self.choices.len() && (self.allows)(&all)
        };
        let forbidden = rows.iter().filter(|row| !is_allowed(row));
        let mut faults: Vec<_> = forbidden.map(|row| format!("{row:?} is not allowed")).collect();
        let met: BTreeSet<_> = rows.iter().flat_map(|row| self.meetings_of(row)).collect();
        let missing = self.meetings();
        assert!(!missing.is_empty(), "choices that meet");
        faults.extend(missing.difference(&met).map(|meeting| format!("{meeting:?} do not meet")));
        faults
    }

    /// Returns the choice of an option that adds the most combinations to a row and still allows
    /// its completion; `turn` selects among equally good choices.
    fn best_choice(
        &self,
        row: &Partial,
        option: usize,
        missing: &BTreeSet<Meeting>,
        turn: usize,
    ) -> usize {
        let made: Meeting =
            row.iter().enumerate().filter_map(|(k, &choice)| Some((k, choice?))).collect();
        let others = subsets(&made, self.strength - 1);
        let added = |choice: usize| {
            let meeting = |others: &Meeting| {
                let mut meeting = others.clone();
                meeting.push((option, choice));
                meeting.sort_unstable();
                meeting
            };
            others.iter().filter(|it| missing.contains(&meeting(it))).count()
        };
        let with = |choice: usize| {
            let mut row = row.clone();
            row[option] = Some(choice);
            row
        };
        let choices =
            (0..self.choices[option]).map(|choice| (choice + turn) % self.choices[option]);
        let possible = choices.filter(|&choice| self.may_become(&mut with(choice)));
        possible.max_by_key(|&choice| added(choice)).expect("a choice that is allowed")
    }

    /// Tests whether a row can be completed.
    fn may_become(&self, row: &mut Partial) -> bool {
        if !(self.allows)(row) {
            return false;
        }
        let Some(option) = row.iter().position(Option::is_none) else { return true };
        let found = (0..self.choices[option]).any(|choice| {
            row[option] = Some(choice);
            self.may_become(row)
        });
        row[option] = None;
        found
    }

    /// Returns all combinations that are allowed.
    fn meetings(&self) -> BTreeSet<Meeting> {
        let each = self.choices.iter().enumerate();
        let all: Meeting =
            each.flat_map(|(option, &n)| (0..n).map(move |choice| (option, choice))).collect();
        let may_meet = |meeting: &Meeting| {
            let mut row = vec![None; self.choices.len()];
            for &(option, choice) in meeting {
                row[option] = Some(choice);
            }
            let are_of_different_options = meeting.windows(2).all(|two| two[0].0 < two[1].0);
            are_of_different_options && self.may_become(&mut row)
        };
        subsets(&all, self.strength).into_iter().filter(may_meet).collect()
    }

    fn meetings_of(&self, row: &[usize]) -> Vec<Meeting> {
        subsets(&row.iter().copied().enumerate().collect(), self.strength)
    }
}

/// Returns the subsets of this size in ascending order.
fn subsets(of: &Meeting, size: usize) -> Vec<Meeting> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (k, &last) in of.iter().enumerate().skip(size - 1) {
        for mut subset in subsets(&of[..k].to_vec(), size - 1) {
            subset.push(last);
            all.push(subset);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_choices_that_may_meet_do_so() {
        let choices = [2, 3, 4, 2, 3];
        // The third option depends on the first, and the second on the third.
        let allows = |row: &[Option<usize>]| {
            !matches!(row, [Some(0), _, Some(2 | 3), ..] | [_, Some(2), Some(0 | 1), ..])
        };
        for strength in 1..=3 {
            let covering = Covering { choices: &choices, strength, allows: &allows };
            let mut rows = covering.rows();
            assert_eq!(covering.faults(&rows), [""; 0], "strength {strength}");
            let full = rows.len();
            assert!(full < 2 * [4, 12, 36][strength - 1], "{full} rows of strength {strength}");
            // The first row has combinations that no other row has.
            rows.remove(0);
            assert!(!covering.faults(&rows).is_empty(), "strength {strength}");
            rows.push(vec![0, 0, 3, 0, 0]);
            assert!(covering.faults(&rows)[0].ends_with("is not allowed"));
        }
        // Through the third option the first excludes a choice of the second.
        let covering = Covering { choices: &choices, strength: 2, allows: &allows };
        assert!(!covering.meetings().contains(&vec![(0, 0), (1, 2)]));
        assert_eq!(covering.meetings().len(), 77 - 2 - 2 - 1);
    }
}
