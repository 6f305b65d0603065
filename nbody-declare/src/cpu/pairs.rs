//! Loops over pairs of a law that was declared at run time.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use libloading::Library;
use nbody_compile::Cache;
use nbody_core::loaded::{
    BySize, CHOSEN, CheckNumbers, CheckedPair, Code, INDEX_BITS, LINE, Line, ListedSources,
    LoadLoops, LoadedLoops, Loops, PairSetting, Variant,
};
use nbody_core::{Error, FieldKind, LawTable, SpaceKind, loaded};

use super::border::{self, Domain, Listed, Setting, Shape, View};
use super::checks::PairFunctions;
use super::lane::Lane;
use super::{library, program};

/// The C++ of a law, and the loops that were compiled so far.
pub(crate) struct LawCode {
    name: String,
    text: String,
    /// Whether evaluating both directions at once saves operations.
    is_symmetric: bool,
    /// Whether lists need periodic images.
    has_other_points: bool,
    cache: Cache,
    loaded: Mutex<Vec<(Variant, Loaded)>>,
    checked: Mutex<Vec<(CheckNumbers, &'static PairFunctions)>>,
}

#[derive(Clone, Copy)]
enum Loaded {
    Bits32(&'static Functions<u32>),
    Bits64(&'static Functions<u64>),
}

impl LawCode {
    /// Keeps the C++ of a table.
    pub fn new(table: &LawTable, text: String, cache: &Cache) -> Self {
        let points = |record: usize| {
            let is_point = |(_, kind): &&(String, FieldKind)| matches!(kind, FieldKind::Point(_));
            table.records[record].iter().filter(is_point).count()
        };
        Self {
            name: table.name.clone(),
            text,
            is_symmetric: table.saves_by_symmetry(),
            has_other_points: points(0) > 0 || points(1) > 1 || points(2) > 1,
            cache: cache.clone(),
            loaded: Mutex::new(Vec::new()),
            checked: Mutex::new(Vec::new()),
        }
    }

    fn compile(&self, variant: Variant) -> Result<Loaded, Error> {
        let lane = Lane::of(variant);
        let space = match variant.space {
            _ if !lane.is_vector => "Either",
            SpaceKind::Open => "Open",
            SpaceKind::Periodic => "Periodic",
            SpaceKind::Triclinic => "Triclinic",
        };
        let of_lists = if self.has_other_points { space } else { "Open" };
        let title = format!("{}: loops over pairs", self.name);
        let spaces = [space, of_lists];
        let is_symmetric = self.is_symmetric && space != "Triclinic"; // as compiled laws
        let text = program::of_law(&title, lane, spaces, is_symmetric, &self.text);
        let library = library::load(&text, lane, &self.cache).map_err(Error::of_device)?;
        let found = if lane.is_wide {
            Functions::of(library).map(|found| Loaded::Bits64(Box::leak(Box::new(found))))
        } else {
            Functions::of(library).map(|found| Loaded::Bits32(Box::leak(Box::new(found))))
        };
        found.map_err(|error| Error::of_device(library::failed(&error)))
    }
}

impl LoadLoops for LawCode {
    fn load(&self, variant: Variant) -> Result<BySize, Error> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let known = loaded.iter().find(|(known, _)| *known == variant);
        let functions = if let Some((_, functions)) = known {
            *functions
        } else {
            let functions = self.compile(variant)?;
            loaded.push((variant, functions));
            functions
        };
        Ok(match functions {
            Loaded::Bits32(functions) => BySize::Bits32(functions.loops()),
            Loaded::Bits64(functions) => BySize::Bits64(functions.loops()),
        })
    }

    fn load_checked(&self, numbers: CheckNumbers) -> Result<CheckedPair, Error> {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let known = checked.iter().find(|(known, _)| *known == numbers);
        let functions = if let Some((_, functions)) = known {
            *functions
        } else {
            let functions = PairFunctions::compile(&self.name, &self.text, numbers, &self.cache)?;
            checked.push((numbers, functions));
            functions
        };
        Ok(CheckedPair::Loaded(functions))
    }
}

type Several = unsafe extern "C" fn(&Setting, &View, &View, *mut border::Line);
type One = unsafe extern "C" fn(&Setting, &View, &View, *mut border::Line, *mut border::Line);
type OnListed =
    unsafe extern "C" fn(&Setting, &View, &Listed, *mut border::Line, *mut border::Line);
type Symmetric = unsafe extern "C" fn(&Setting, &View, &View, *mut border::Line, *mut border::Line);

/// The functions of a library for words `W`.
struct Functions<W> {
    shape: Shape,
    several: Several,
    one: One,
    listed: OnListed,
    symmetric: Symmetric,
    words: PhantomData<fn(W)>,
}

impl<W> Functions<W> {
    fn of(library: &'static Library) -> Result<Self, libloading::Error> {
        // SAFETY: `loops.hpp` declares the functions and the shape with these types.
        unsafe {
            Ok(Self {
                shape: **library.get::<*const Shape>(b"nbody_shape\0")?,
                several: *library.get(b"nbody_several\0")?,
                one: *library.get(b"nbody_one\0")?,
                listed: *library.get(b"nbody_listed\0")?,
                symmetric: *library.get(b"nbody_symmetric\0")?,
                words: PhantomData,
            })
        }
    }

    fn loops(&'static self) -> Loops<W> {
        let Shape { width, vectors, .. } = self.shape;
        Loops { width, vectors, code: Code::Loaded(self) }
    }

    fn setting(&self, setting: &PairSetting<'_, W>) -> Setting {
        assert!(setting.parameters.len() >= self.shape.words_of_parameters, "one record");
        Setting {
            parameters: lines(setting.parameters),
            domain: Domain::from(&setting.domain),
            skips_self: setting.skips_self,
        }
    }

    fn i(&self, i: &loaded::View<'_, W>) -> View {
        view(i, self.shape.words_of_i)
    }

    fn j(&self, j: &loaded::View<'_, W>) -> View {
        view(j, self.shape.words_of_j)
    }

    /// Returns the sums of this many vectors.
    fn sums(&self, sums: &mut [Line<W>], vectors: usize) -> *mut border::Line {
        assert!(sums.len() >= vectors * self.shape.numbers_of_f, "a line for each number");
        sums.as_mut_ptr().cast()
    }

    fn lost(&self, lost: Option<&mut [Line<W>]>) -> *mut border::Line {
        lost.map_or(ptr::null_mut(), |lost| self.sums(lost, 1))
    }
}

/// Returns particles whose records have `words` words.
fn view<W>(view: &loaded::View<'_, W>, words: usize) -> View {
    let blocks = view.range.end.div_ceil(LINE);
    assert!(view.lines.len() >= blocks * words, "lines for each particle");
    let &loaded::View { lines: view_lines, first, ref range } = view;
    View { lines: lines(view_lines), first, begin: range.start, end: range.end }
}

fn lines<W>(lines: &[Line<W>]) -> *const border::Line {
    lines.as_ptr().cast()
}

/// The functions read and write the lines of the views alone: the assertions of `setting`, `view`,
/// `sums` and `listed` say that these lines exist. They keep no pointer and call nothing back.
impl<W> LoadedLoops<W> for Functions<W> {
    fn several(
        &self,
        setting: &PairSetting<'_, W>,
        i: &loaded::View<'_, W>,
        j: &loaded::View<'_, W>,
        sums: &mut [Line<W>],
    ) {
        let vectors = i.range.len().div_ceil(self.shape.width);
        assert!(vectors == 2 || vectors == self.shape.vectors, "as many vectors as it takes");
        let (setting, i, j) = (self.setting(setting), self.i(i), self.j(j));
        // SAFETY: see the `impl`.
        unsafe { (self.several)(&setting, &i, &j, self.sums(sums, vectors)) }
    }

    fn one(
        &self,
        setting: &PairSetting<'_, W>,
        i: &loaded::View<'_, W>,
        j: &loaded::View<'_, W>,
        sums: &mut [Line<W>],
        lost: Option<&mut [Line<W>]>,
    ) {
        let (setting, i, j) = (self.setting(setting), self.i(i), self.j(j));
        // SAFETY: see the `impl`.
        unsafe { (self.one)(&setting, &i, &j, self.sums(sums, 1), self.lost(lost)) }
    }

    fn listed(
        &self,
        setting: &PairSetting<'_, W>,
        i: &loaded::View<'_, W>,
        j: &ListedSources<'_, W>,
        sums: &mut [Line<W>],
        lost: Option<&mut [Line<W>]>,
    ) {
        let (setting, i_view) = (self.setting(setting), self.i(i));
        let parts = j.chosen.len();
        let words = parts * (CHOSEN / LINE) * self.shape.words_of_j;
        assert!(j.lines.len() >= words, "lines for each j-particle");
        let (masks, bits) = j.acts_on.as_ref().map_or((ptr::null(), ptr::null()), |on| {
            let last =
                j.chosen.iter().rposition(|chosen| *chosen != 0).map(|part| {
                    part * CHOSEN + CHOSEN - 1 - j.chosen[part].leading_zeros() as usize
                });
            assert!(last.is_none_or(|k| k < on.masks.len()), "a mask for each j-particle");
            assert!(on.bits.len() > i.range.start / LINE, "a bit for each i-particle");
            (on.masks.as_ptr(), lines(on.bits))
        });
        let listed = Listed {
            lines: lines(j.lines),
            chosen: j.chosen.as_ptr(),
            parts,
            entries: j.entries.as_ptr(),
            entry_count: j.entries.len(),
            place_mask: (1 << INDEX_BITS) - 1,
            indices: j.indices.as_ptr(),
            index_count: j.indices.len(),
            masks,
            bits,
        };
        // SAFETY: see the `impl`.
        unsafe { (self.listed)(&setting, &i_view, &listed, self.sums(sums, 1), self.lost(lost)) }
    }

    fn has_symmetric(&self) -> bool {
        self.shape.has_symmetric
    }

    fn symmetric(
        &self,
        setting: &PairSetting<'_, W>,
        i: &loaded::View<'_, W>,
        j: &loaded::View<'_, W>,
        i_sums: &mut [Line<W>],
        j_sums: &mut [Line<W>],
    ) {
        let vectors = i.range.len().div_ceil(self.shape.width);
        let blocks = j.range.end.div_ceil(LINE) - j.range.start / LINE;
        let (setting, i, j) = (self.setting(setting), self.i(i), self.j(j));
        let (i_sums, j_sums) = (self.sums(i_sums, vectors), self.sums(j_sums, blocks));
        // SAFETY: see the `impl`.
        unsafe { (self.symmetric)(&setting, &i, &j, i_sums, j_sums) }
    }
}
