//! Rows of buffers on the host, and their exchange.

use nbody_core::Error;
use nbody_core::pack::dim;
use nbody_core::untyped::{Buffer, Communicator, OwnedRows};

/// The kind of a buffer's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Particles,
    Results,
}

/// Returns the first `n` rows of a buffer.
pub fn first(buffer: &dyn Buffer, n: usize) -> Result<Vec<u64>, Error> {
    let mut rows = vec![0; n * dim(buffer.fields())];
    buffer.read(0..n, &mut |write| write(0..n, &mut rows))?;
    Ok(rows)
}

/// Returns the rows with these indices.
pub fn picked(buffer: &dyn Buffer, indices: &[u32]) -> Result<Vec<u64>, Error> {
    let width = dim(buffer.fields());
    let mut rows = vec![0; indices.len() * width];
    buffer.read(0..buffer.len(), &mut |write| {
        let (mut rest, mut indices) = (&mut rows[..], indices);
        while let [begin, ..] = *indices {
            // Consecutive rows are written together.
            let runs = (begin..).zip(indices).take_while(|(next, index)| next == *index).count();
            let (to, others) = std::mem::take(&mut rest).split_at_mut(runs * width);
            let begin = begin as usize;
            write(begin..begin + runs, to);
            (rest, indices) = (others, &indices[runs..]);
        }
    })?;
    Ok(rows)
}

/// Replaces all rows of a buffer of this kind.
pub fn replace(buffer: &mut dyn Buffer, kind: Kind, words: Vec<u64>) -> Result<(), Error> {
    let rows = OwnedRows::new(buffer.fields(), words)?;
    match kind {
        Kind::Particles => buffer.replace(&rows),
        Kind::Results => buffer.write_results(&rows),
    }
}

/// Replaces the particles after the first ones.
pub fn replace_after(buffer: &mut dyn Buffer, keep: usize, words: Vec<u64>) -> Result<(), Error> {
    let count = words.len() / dim(buffer.fields()).max(1);
    buffer.keep(keep)?;
    let addresses: Vec<_> = (keep as u32..).take(count).collect();
    buffer.write_at(&addresses, &OwnedRows::new(buffer.fields(), words)?)
}

/// Sends words to each rank, and returns the words from each rank, one rank after another; a rank
/// sends `width` words for each of the rows that are counted.
pub fn exchange(
    communicator: &dyn Communicator,
    sent: &[&[u64]],
    received: &[usize],
    width: usize,
) -> Result<Vec<u64>, Error> {
    let sent: Vec<&[u8]> = sent.iter().map(|words| bytemuck::cast_slice(words)).collect();
    let sizes: Vec<_> = received.iter().map(|rows| rows * width * size_of::<u64>()).collect();
    let received = communicator.exchange(&sent, &sizes)?;
    Ok(bytemuck::pod_collect_to_vec(&received))
}

/// Gathers words of all ranks, the same number of each, at least one.
pub fn gather_equal(communicator: &dyn Communicator, mine: &[u64]) -> Result<Vec<Vec<u64>>, Error> {
    let all = communicator.gather_equal(bytemuck::cast_slice(mine))?;
    let each = all.chunks_exact(size_of_val(mine).max(1));
    Ok(each.map(bytemuck::pod_collect_to_vec).collect())
}

/// Gathers words of all ranks, of any number each.
pub fn gather(communicator: &dyn Communicator, mine: &[u64]) -> Result<Vec<Vec<u64>>, Error> {
    let all = communicator.gather_all(bytemuck::cast_slice(mine))?;
    Ok(all.iter().map(|bytes| bytemuck::pod_collect_to_vec(bytes)).collect())
}
