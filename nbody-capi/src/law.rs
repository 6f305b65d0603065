//! Laws, and programs per particle and per tuple: ready ones, and declarations as text. They live as long as the
//! process, so their handles are never freed; the same declaration has the same handle.

use std::collections::HashMap;
use std::ffi::{CString, c_char};
use std::sync::{Mutex, OnceLock, PoisonError};

use nbody::law::{self, Declarations, Field, FieldKind, Law, ParticleProgram};

use nbody_bindings::Failure;

use crate::handles::{self, Kind, LawHandle, ProgramHandle};
use crate::pointers::{self, Out};
use crate::status::{Status, border};

impl Kind for &'static Law {
    const TAG: u8 = 2;
}

impl Kind for &'static ParticleProgram {
    const TAG: u8 = 3;
}

/// Returns the handle of an object that is never freed.
fn handle<T>(object: &'static T) -> Result<u64, Failure>
where
    &'static T: Kind,
{
    static KNOWN: Mutex<Option<HashMap<usize, u64>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    let address = std::ptr::from_ref(object).addr();
    if let Some(id) = known.get(&address) {
        return Ok(*id);
    }
    let id = handles::put(object)?;
    known.insert(address, id);
    Ok(id)
}

/// Ready laws or programs, with their names as C strings.
type Ready<T> = Vec<(CString, &'static T)>;

/// Returns ready laws or programs, with their names as C strings.
fn named<T>(all: &'static [&'static T], name_of: impl Fn(&T) -> &'static str) -> Ready<T> {
    all.iter().map(|it| (CString::new(name_of(it)).expect("an identifier"), *it)).collect()
}

/// Returns the laws of nbody-interactions.
fn ready_laws() -> &'static Ready<Law> {
    static READY: OnceLock<Ready<Law>> = OnceLock::new();
    READY.get_or_init(|| named(nbody_interactions::laws(), |law| law.name))
}

/// Returns the tuples of nbody-interactions.
fn ready_programs() -> &'static Ready<ParticleProgram> {
    static READY: OnceLock<Ready<ParticleProgram>> = OnceLock::new();
    READY.get_or_init(|| named(nbody_interactions::tuples(), |tuple| tuple.name))
}

/// Returns a ready law or program.
fn found<T>(ready: &Ready<T>, name: &str, what: &str) -> Result<&'static T, Failure> {
    let known = |name: &CString| name.to_string_lossy().into_owned();
    let found = ready.iter().find(|(it, _)| known(it) == name);
    found.map(|(_, object)| *object).ok_or_else(|| {
        let names: Vec<_> = ready.iter().map(|(it, _)| known(it)).collect();
        Failure::argument(format!("no ready {what} `{name}`: expected {}", names.join(", ")))
    })
}

macro_rules! ready {
    ($($handle:ident $all:ident $what:literal $name_of:ident $find:ident)*) => {$(
        #[doc = concat!("Returns the name of the ready ", $what, " k, from 0 on; NULL after the last.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name_of(k: usize) -> *const c_char {
            // A panic here is impossible: names are identifiers.
            $all().get(k).map_or(std::ptr::null(), |(name, _)| name.as_ptr())
        }

        #[doc = concat!("Finds a ready ", $what, ".")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $find(name: *const c_char, out: *mut $handle) -> Status {
            border(|| {
                // SAFETY: the header asks for a good place and a good string.
                let (out, name) = unsafe {
                    (
                        Out::new(out, concat!("the place of the ", $what), 0.into())?,
                        pointers::text(name, concat!("the name of the ", $what))?,
                    )
                };
                out.set(handle(found($all(), name, $what)?)?.into());
                Ok(())
            })
        }
    )*};
}

ready! {
    LawHandle ready_laws "law" nbody_law_ready_name nbody_law_ready
    ProgramHandle ready_programs "program" nbody_program_ready_name nbody_program_ready
}

/// Returns the declarations of a text of the caller.
unsafe fn declarations(text: *const c_char, length: usize) -> Result<Declarations, Failure> {
    // SAFETY: the header asks for a text of this length.
    let text = unsafe { pointers::array(text.cast::<u8>(), length, "the text") }?;
    let text = std::str::from_utf8(text)
        .map_err(|error| Failure::argument(format!("the text is not UTF-8: {error}")))?;
    Ok(law::declare(text)?)
}

/// Returns the law of a name, or the only law.
fn law_of(declarations: &Declarations, name: Option<&str>) -> Result<&'static Law, Failure> {
    Ok(match name {
        Some(name) => declarations.law(name)?,
        None => declarations.only_law()?,
    })
}

/// Returns the program of a name, or the only program.
fn program_of(
    declarations: &Declarations,
    name: Option<&str>,
) -> Result<&'static ParticleProgram, Failure> {
    match (name, &declarations.programs[..]) {
        (Some(name), _) => Ok(declarations.program(name)?),
        (None, [program]) => Ok(program),
        (None, []) => Err(Failure::argument(
            "no program declared; declare `impl Update for ...`, `impl Measure for ...` or `impl Tuple for ...`",
        )),
        (None, programs) => {
            let names: Vec<_> = programs.iter().map(|it| format!("`{}`", it.name)).collect();
            Err(Failure::argument(format!(
                "{} programs declared, expected one; ask for it by its name: {}",
                programs.len(),
                names.join(", ")
            )))
        }
    }
}

macro_rules! declared {
    ($($handle:ident $of:ident $what:literal $declare:ident $read:ident)*) => {$(
        #[doc = concat!("Declares a ", $what, " from a text; the only one if the name is NULL.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $declare(
            text: *const c_char,
            length: usize,
            name: *const c_char,
            out: *mut $handle,
        ) -> Status {
            border(|| {
                // SAFETY: the header asks for a good place, a good string and a text of this length.
                let (out, name, declarations) = unsafe {
                    (
                        Out::new(out, concat!("the place of the ", $what), 0.into())?,
                        pointers::optional_text(name, concat!("the name of the ", $what))?,
                        declarations(text, length)?,
                    )
                };
                out.set(handle($of(&declarations, name)?)?.into());
                Ok(())
            })
        }

        #[doc = concat!("Reads a ", $what, " from a file; the only one if the name is NULL.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $read(
            path: *const c_char,
            name: *const c_char,
            out: *mut $handle,
        ) -> Status {
            border(|| {
                // SAFETY: the header asks for a good place and good strings.
                let (out, name, path) = unsafe {
                    (
                        Out::new(out, concat!("the place of the ", $what), 0.into())?,
                        pointers::optional_text(name, concat!("the name of the ", $what))?,
                        pointers::text(path, "the path")?,
                    )
                };
                out.set(handle($of(&law::read(path)?, name)?)?.into());
                Ok(())
            })
        }
    )*};
}

declared! {
    LawHandle law_of "law" nbody_law_declare nbody_law_read
    ProgramHandle program_of "program" nbody_program_declare nbody_program_read
}

/// A field of a record: `nbody_field` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FieldOf {
    /// The name, which lives as long as the process.
    pub name: *const c_char,
    /// The kind of the field.
    pub kind: i32,
    /// The number of its components.
    pub components: u32,
}

/// Returns a field for the caller.
fn described(field: &'static Field) -> FieldOf {
    static NAMES: Mutex<Option<HashMap<&'static str, &'static CString>>> = Mutex::new(None);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let name = names
        .get_or_insert_default()
        .entry(field.name)
        .or_insert_with(|| Box::leak(Box::new(CString::new(field.name).expect("an identifier"))));
    let kind = match field.kind {
        FieldKind::Real => 1,
        FieldKind::Vector(_) => 2,
        FieldKind::Point(_) => 3,
        FieldKind::Array(_) => 4,
        FieldKind::U32 => 5,
        FieldKind::Min => 6,
        FieldKind::Max => 7,
        FieldKind::ArgMin => 8,
        // The number of components tells how long an array is.
        FieldKind::Count | FieldKind::Counts(_) => 9,
        FieldKind::Spline(_) => 10,
        FieldKind::Tensor(_) => 11,
        FieldKind::ArgMax => 12,
        FieldKind::Nearest(_) => 13,
        FieldKind::Splines(..) => 14,
        // A kind that the header of this version does not name.
        _ => 0,
    };
    FieldOf { name: name.as_ptr(), kind, components: field.kind.components() as u32 }
}

/// Writes the first fields of a record, and their number.
unsafe fn write_fields(
    fields: &'static [Field],
    place: *mut FieldOf,
    capacity: usize,
    count: *mut usize,
) -> Result<(), Failure> {
    // SAFETY: the header asks for a good place.
    let out = unsafe { Out::new(count, "the place of the number of fields", 0) }?;
    for (k, field) in fields.iter().take(capacity).enumerate() {
        // SAFETY: the header asks for a place of this capacity, and k is less.
        unsafe { Out::new(place.wrapping_add(k), "the place of the fields", described(field)) }?;
    }
    out.set(fields.len());
    Ok(())
}

/// Describes a record of a law: parameters, i-particle, j-particle or result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_law_fields(
    law: LawHandle,
    record: i32,
    fields: *mut FieldOf,
    capacity: usize,
    count: *mut usize,
) -> Status {
    border(|| {
        let law = *handles::get::<&'static Law>(law.id, "law")?;
        let record = match record {
            1 => law.parameters,
            2 => law.i,
            3 => law.j,
            4 => law.f,
            found => return Err(no_record(found, "NBODY_PARAMETERS, NBODY_I, NBODY_J or NBODY_F")),
        };
        // SAFETY: the header asks for good places.
        unsafe { write_fields(record, fields, capacity, count) }
    })
}

/// Returns the number of particles of a tuple; 0 for a program per particle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_program_members(
    program: ProgramHandle,
    count: *mut usize,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place.
        let out = unsafe { Out::new(count, "the place of the number", 0) }?;
        out.set(handles::get::<&'static ParticleProgram>(program.id, "program")?.members);
        Ok(())
    })
}

/// Describes a record of a program: parameters, particle, second particle, results and total
/// that it reads, or total; of a tuple: parameters, particle, its own record, or results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_program_fields(
    program: ProgramHandle,
    record: i32,
    fields: *mut FieldOf,
    capacity: usize,
    count: *mut usize,
) -> Status {
    border(|| {
        let program = *handles::get::<&'static ParticleProgram>(program.id, "program")?;
        let (is_tuple, place) = (program.members > 0, record / NEXT);
        let fields_of = match (record % NEXT, is_tuple) {
            (4, false) => record_of(program.f, place),
            (6, false) => record_of(program.q, place),
            (9, false) => record_of(program.g, place),
            _ if place > 0 => None,
            (1, _) => Some(program.parameters),
            (4, true) | (7, false) => Some(program.total),
            (5, _) => Some(program.p),
            (8, true) => Some(program.record),
            _ => None,
        };
        let of_tuple = "NBODY_PARAMETERS, NBODY_F, NBODY_P or NBODY_TUPLE";
        let expected = "NBODY_PARAMETERS, NBODY_F, NBODY_P, NBODY_Q, NBODY_G or NBODY_TOTAL";
        let expected = if is_tuple { of_tuple } else { expected };
        let record = fields_of.ok_or_else(|| no_record(record, expected))?;
        // SAFETY: the header asks for good places.
        unsafe { write_fields(record, fields, capacity, count) }
    })
}

/// The distance of the numbers of several records of one kind: `NBODY_NEXT`.
pub(crate) const NEXT: i32 = 16;

/// Returns the record of this place among records of one kind; the first of none is empty.
pub(crate) fn record_of(records: &[&'static [Field]], place: i32) -> Option<&'static [Field]> {
    if records.is_empty() && place == 0 {
        return Some(&[]);
    }
    records.get(usize::try_from(place).ok()?).copied()
}

/// Returns the failure of a record that a law or a program does not have.
pub(crate) fn no_record(found: i32, expected: &str) -> Failure {
    Failure::argument(format!("record {found}: expected {expected}"))
}
