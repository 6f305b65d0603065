//! Lines of text for each particle, formatted by all threads.

use std::io::{self, Write};

use rayon::prelude::*;

/// Items that a thread formats at a time.
const CHUNK: usize = 1 << 12;
/// Items whose text is in memory at a time.
const BATCH: usize = 1 << 18;

/// Writes the text of each item, in their order.
pub fn write<T: Sync>(
    to: &mut impl Write,
    items: &[T],
    line: impl Fn(&mut Vec<u8>, &T) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let text = |chunk: &[T]| {
        let mut text = Vec::new();
        chunk.iter().try_for_each(|item| line(&mut text, item))?;
        Ok(text)
    };
    for batch in items.chunks(BATCH) {
        let texts: Vec<_> = batch.par_chunks(CHUNK).map(text).collect::<io::Result<_>>()?;
        texts.iter().try_for_each(|text| to.write_all(text))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_written_in_order_across_chunks_and_batches() {
        for n in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, BATCH, BATCH + CHUNK + 1] {
            let items: Vec<_> = (0..n).collect();
            let mut found = Vec::new();
            write(&mut found, &items, |line, item| writeln!(line, "{item}")).unwrap();
            let expected: Vec<_> = items.iter().map(|item| format!("{item}\n")).collect();
            assert!(found == expected.concat().as_bytes(), "{n}");
        }
    }
}
