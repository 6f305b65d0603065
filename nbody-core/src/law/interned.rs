//! Values that are made from tables at run time and live as long as the process, one for each table.

use std::sync::{Mutex, PoisonError};

/// The values so far, with their tables and whether they have loops on the CPU.
pub(super) struct Interned<Table, Value: 'static>(Mutex<Vec<Entry<Table, Value>>>);

type Entry<Table, Value> = ((Table, bool), &'static Value);

impl<Table: Clone + PartialEq, Value> Interned<Table, Value> {
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Returns the value of a table with these loops, or the value that an equal table already has.
    pub fn get<Loops: ?Sized + 'static>(
        &self,
        table: Table,
        loops: Option<Box<Loops>>,
        make: impl FnOnce(Table, Option<&'static Loops>) -> Value,
    ) -> &'static Value {
        let key = (table, loops.is_some());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, value)) = known.iter().find(|(other, _)| *other == key) {
            return value;
        }
        let loops = loops.map(|loops| &*Box::leak(loops));
        let value: &'static Value = Box::leak(Box::new(make(key.0.clone(), loops)));
        known.push((key, value));
        value
    }
}
