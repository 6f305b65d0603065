//! The open clusters.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::cluster::Cluster;
use crate::config::Setup;
use crate::error::Error;

static OPEN: Mutex<BTreeMap<i32, Cluster>> = Mutex::new(BTreeMap::new());

/// Opens a cluster. A cluster that is open begins again without particles.
pub fn open(id: i32) -> Result<(), Error> {
    let cluster = Cluster::new(&Setup::of(id)?)?;
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.insert(id, cluster);
    Ok(())
}

/// Closes a cluster.
pub fn close(id: i32) -> Result<(), Error> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let id = find(&open, id)?;
    open.remove(&id);
    Ok(())
}

/// Does work with a cluster. One thread at a time works with clusters.
pub fn with<T>(id: i32, work: impl FnOnce(&mut Cluster) -> Result<T, Error>) -> Result<T, Error> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let id = find(&open, id)?;
    work(open.get_mut(&id).expect("found"))
}

/// Returns the id of the open cluster that is meant. Some programs open a cluster by the number of
/// a GPU and then use another id: the only open cluster has every id.
fn find(open: &BTreeMap<i32, Cluster>, id: i32) -> Result<i32, Error> {
    if open.contains_key(&id) {
        return Ok(id);
    }
    let mut ids = open.keys().copied();
    match (ids.next(), ids.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(Error::NotOpen { id, open: open.keys().copied().collect() }),
    }
}
