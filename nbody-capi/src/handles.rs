//! Handles: numbers of objects in a table, and never pointers. A handle that was freed, that belongs to
//! another kind of object, or that is no handle, is therefore found, and is an error.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use nbody_bindings::Failure;

/// A kind of objects.
pub(crate) trait Kind: Any + Send + Sync {
    /// The tag of its handles, from 1 on.
    const TAG: u8;
}

/// The kinds by their tags.
const NOUNS: [&str; 8] = [
    "a device",
    "a law",
    "a program",
    "a buffer",
    "an engine",
    "a runner",
    "an integrator",
    "tuples",
];

fn noun(tag: u8) -> Option<&'static str> {
    NOUNS.get(usize::from(tag).checked_sub(1)?).copied()
}

macro_rules! handles {
    ($($name:ident $noun:literal)*) => {$(
        #[doc = concat!("The handle of type `nbody_", $noun, "` of the header.")]
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            pub(crate) id: u64,
        }

        impl From<u64> for $name {
            fn from(id: u64) -> Self {
                Self { id }
            }
        }
    )*};
}

handles! {
    DeviceHandle "device"
    LawHandle "law"
    ProgramHandle "program"
    BufferHandle "buffer"
    EngineHandle "engine"
    RunnerHandle "runner"
    IntegratorHandle "integrator"
    TuplesHandle "tuples"
}

/// A handle: the tag of its kind in 8 bits, the generation of its slot in 24, the slot in 32.
#[derive(Clone, Copy)]
struct Id {
    tag: u8,
    generation: u32,
    slot: u32,
}

impl Id {
    const LAST_GENERATION: u32 = (1 << 24) - 1;

    fn of(id: u64) -> Self {
        let generation = (id >> 32) as u32 & Self::LAST_GENERATION;
        Self { tag: (id >> 56) as u8, generation, slot: id as u32 }
    }

    fn to_u64(self) -> u64 {
        u64::from(self.tag) << 56 | u64::from(self.generation) << 32 | u64::from(self.slot)
    }
}

#[derive(Default)]
struct Slot {
    /// The generation of the object that is or was last in the slot.
    generation: u32,
    object: Option<(u8, Arc<dyn Any + Send + Sync>)>,
}

struct Table {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

static TABLE: Mutex<Table> = Mutex::new(Table { slots: Vec::new(), free: Vec::new() });

/// Calls a function with the table. It is whole even after a panic: no change of it can fail half-way.
fn with<R>(work: impl FnOnce(&mut Table) -> R) -> R {
    work(&mut TABLE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Puts an object in the table, and returns its handle.
pub(crate) fn put<T: Kind>(object: T) -> Result<u64, Failure> {
    let object: Arc<dyn Any + Send + Sync> = Arc::new(object);
    with(|table| {
        let slot = if let Some(slot) = table.free.pop() {
            slot
        } else {
            let slot = u32::try_from(table.slots.len()).map_err(|_| Failure {
                kind: nbody_bindings::Kind::Memory,
                message: "2^32 objects at once; free some".to_owned(),
            })?;
            table.slots.push(Slot::default());
            slot
        };
        let place = &mut table.slots[slot as usize];
        place.generation += 1;
        place.object = Some((T::TAG, object));
        Ok(Id { tag: T::TAG, generation: place.generation, slot }.to_u64())
    })
}

/// Returns the object of a handle; `what` names the argument in messages.
pub(crate) fn get<T: Kind>(id: u64, what: &str) -> Result<Arc<T>, Failure> {
    check_kind::<T>(id, what)?;
    let object = with(|table| {
        let slot = table.slots.get(Id::of(id).slot as usize)?;
        let (tag, object) = slot.object.as_ref()?;
        (Id { tag: *tag, generation: slot.generation, slot: id as u32 }.to_u64() == id)
            .then(|| object.clone())
    });
    object.and_then(|object| object.downcast().ok()).ok_or_else(|| freed(what))
}

/// Removes an object from the table. It ends when the last call that uses it returns. The handle 0 is
/// accepted, as `free` accepts NULL.
pub(crate) fn remove<T: Kind>(id: u64, what: &str) -> Result<(), Failure> {
    if id == 0 {
        return Ok(());
    }
    // Found first, so that a handle of another kind stays.
    let object = get::<T>(id, what)?;
    let removed = with(|table| {
        let Id { generation, slot, .. } = Id::of(id);
        let place = &mut table.slots[slot as usize];
        if place.generation != generation {
            return None;
        }
        let removed = place.object.take()?;
        // A slot without generations left is never used again.
        if generation < Id::LAST_GENERATION {
            table.free.push(slot);
        }
        Some(removed)
    });
    // The object ends here, outside of the lock of the table.
    drop(object);
    removed.map(drop).ok_or_else(|| freed(what))
}

fn check_kind<T: Kind>(id: u64, what: &str) -> Result<(), Failure> {
    let expected = noun(T::TAG).unwrap_or("an object");
    if id == 0 {
        return Err(Failure::argument(format!(
            "{what}: no handle of {expected} (0); a handle is 0 until the call that creates it succeeds"
        )));
    }
    let found = match Id::of(id) {
        Id { tag, .. } if tag == T::TAG => return Ok(()),
        Id { tag, .. } => noun(tag).map(|noun| format!("the handle of {noun}")),
    };
    let found = found.unwrap_or_else(|| format!("{id:#x}, which is no handle of nbody"));
    Err(Failure::argument(format!("{what}: found {found}, expected the handle of {expected}")))
}

fn freed(what: &str) -> Failure {
    Failure::argument(format!("{what}: the handle was freed, or never created; create it again"))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One(u32);
    impl Kind for One {
        const TAG: u8 = 1;
    }
    struct Two;
    impl Kind for Two {
        const TAG: u8 = 2;
    }

    #[test]
    fn freed_mixed_and_invented_handles_are_found() {
        let one = put(One(7)).unwrap();
        let two = put(Two).unwrap();
        assert_eq!(get::<One>(one, "device").unwrap().0, 7);
        let message = |id| get::<One>(id, "it").err().unwrap().message;
        assert_eq!(message(two), "it: found the handle of a law, expected the handle of a device");
        assert!(message(0).starts_with("it: no handle of a device (0)"));
        assert!(message(0x7fff_dead_beef).contains("no handle of nbody"));
        assert!(message(one + (1 << 32)).contains("freed, or never created"));
        assert!(remove::<One>(two, "it").is_err());
        remove::<One>(one, "it").unwrap();
        remove::<One>(0, "it").unwrap();
        assert!(message(one).contains("freed"));
        assert!(remove::<One>(one, "it").is_err());
        let again = put(One(8)).unwrap();
        assert_ne!(one, again);
        assert!(message(one).contains("freed"));
        remove::<One>(again, "it").unwrap();
        remove::<Two>(two, "it").unwrap();
    }
}
