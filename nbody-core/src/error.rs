//! Errors of the CPU engine, the reference and the comparison.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::field::{Field, FieldKind};
use crate::numeric::precision::Precision;
use crate::numeric::simd::level::SimdLevel;

/// The error of an evaluation or a comparison that was refused. Nothing was computed.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The lengths of two slices or buffers differ.
    #[error("{what}: found {found}, expected {expected}; give one for each particle")]
    LengthMismatch {
        /// The slice or buffer of the wrong length.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The required length.
        expected: usize,
    },
    /// A buffer does not have a single total.
    #[error(
        "{what}: found {found} records, expected 1, which all particles read; take the buffer that \
         the measure allocates"
    )]
    OneTotal {
        /// The buffer.
        what: &'static str,
        /// Its length.
        found: usize,
    },
    /// A program per particle gets another number of buffers than it reads.
    #[error(
        "`{program}` reads {expected} buffers of {what}: found {found}; give one for each record that it \
         names, in their order"
    )]
    BufferCount {
        /// The program.
        program: &'static str,
        /// The buffers.
        what: &'static str,
        /// The number of buffers.
        found: usize,
        /// The number of records that the program reads.
        expected: usize,
    },
    /// A buffer is too short.
    #[error("{what}: found {found}, expected at least {least}; give every particle of the set")]
    TooShort {
        /// The buffer.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The least length.
        least: usize,
    },
    /// The particles or results belong to an engine of another precision.
    #[error(
        "{what} in {found} precision given to an engine in {expected} precision; make them with the \
         engine that uses them"
    )]
    PrecisionMismatch {
        /// The buffer: i-particles, j-particles or results.
        what: &'static str,
        /// Its precision.
        found: Precision,
        /// The precision that the engine needs.
        expected: Precision,
    },
    /// Particles, results or lists belong to another device.
    #[error("{what} of {found} given to {expected}; upload them with the engine that uses them")]
    ForeignBuffer {
        /// The kind of buffer.
        what: &'static str,
        /// The device, and the precision if it matters.
        found: String,
        /// The device of the engine, and its precision if it matters.
        expected: String,
    },
    /// Particles are given as results, or results as particles.
    #[error(
        "{found} given as {what}; upload particles, and let the engine that fills them allocate results"
    )]
    OtherBuffer {
        /// The kind of buffer that is needed.
        what: &'static str,
        /// The kind of buffer that was given.
        found: &'static str,
    },
    /// Numbers in memory of a device cannot be copied.
    #[error(
        "column of `{field}` in memory of a device: found {found}, expected {expected}; give memory \
         that the device of the buffer allocated, in the types and at the strides that it has"
    )]
    DeviceColumn {
        /// The field.
        field: Field,
        /// The column that was given.
        found: String,
        /// The column that is needed.
        expected: String,
    },
    /// A record has fewer numbers.
    #[error("number {found} of a record of {numbers}; give an index in a row")]
    NoNumber {
        /// The index of the number.
        found: usize,
        /// The number of numbers of the record.
        numbers: usize,
    },
    /// Columns in memory of a device are given to a device without memory of its own.
    #[error(
        "columns in memory of a device given to {device}, which computes in memory of the host; give \
         memory of the host"
    )]
    NoDeviceMemory {
        /// The display name of the device.
        device: String,
    },
    /// An evaluation was ended by an [`Interrupt`](crate::Interrupt).
    #[error("the evaluation was interrupted; its results have no meaning")]
    Interrupted,
    /// Words of rows of which the last is not whole.
    #[error(
        "{found} words in rows of {record}, expected a multiple; give a word for each number of each record"
    )]
    PartOfRow {
        /// The number of words.
        found: usize,
        /// The number of numbers of a record.
        record: usize,
    },
    /// An integer of a record needs more than 32 bits.
    #[error(
        "{what}[{index}]: {field} of {found}, expected at most {}; give integers of 32 bits",
        u32::MAX
    )]
    WideInteger {
        /// The particles or the parameters.
        what: &'static str,
        /// The index of the first record with such an integer.
        index: usize,
        /// The field.
        field: Field,
        /// The integer.
        found: u64,
    },
    /// A parameter is NaN. Every comparison with NaN is false, so that the law would silently take
    /// the wrong branch.
    #[error(
        "parameter `{}` is NaN{}; give a finite or an infinite number", place(field, *component),
        if matches!(field.kind, FieldKind::Array(_)) { " (a table is counted row by row, from 0)" } else { "" }
    )]
    NanParameter {
        /// The field.
        field: Field,
        /// The index of the number in the field.
        component: usize,
    },
    /// A spline needs another number of values or slopes.
    #[error("{found} numbers for {expected} knots of a spline; give one for each knot")]
    SplineLength {
        /// The number of values or slopes.
        found: usize,
        /// The number of knots.
        expected: usize,
    },
    /// A spline cannot have knots in this range.
    #[error(
        "a spline from {first} to {last}, expected finite numbers, the first one smaller, and a finite reciprocal of the distance of knots; give another range"
    )]
    SplineRange {
        /// The first knot.
        first: f64,
        /// The last knot.
        last: f64,
    },
    /// A spline has a value or a slope that is not finite, or differences that are not.
    #[error(
        "knot {knot} of a spline has the value {found}; give finite numbers whose differences are finite"
    )]
    SplineValue {
        /// The index of the knot.
        knot: usize,
        /// The value.
        found: f64,
    },
    /// The table of a law that is made at run time contradicts itself.
    #[error(
        "table of `{law}`: {part} is {found}, expected {expected}; give the table of a declaration that compiles"
    )]
    LawTable {
        /// The name of the law.
        law: String,
        /// The part of the table.
        part: String,
        /// The value of the part.
        found: String,
        /// The values that the rest of the table allows.
        expected: String,
    },
    /// The rows are of another record than the engine takes.
    #[error(
        "{what} with the fields {} given to an engine of {}; give it its own record",
        list(found),
        list(expected)
    )]
    OtherRecord {
        /// The kind of buffer.
        what: &'static str,
        /// The fields of its rows.
        found: &'static [Field],
        /// The fields that the engine needs.
        expected: &'static [Field],
    },
    /// The failure of a device, its driver, a compiler or a cache.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The number of particles exceeds the range of their indices.
    #[error("{found} particles, expected at most {limit}; upload fewer at a time")]
    TooManyParticles {
        /// The number of particles.
        found: usize,
        /// The largest number of particles.
        limit: usize,
    },
    /// A range exceeds the particles.
    #[error("particles {start}..{end} asked for, found {found}; give a range within 0..{found}")]
    OutOfRange {
        /// The first particle of the range.
        start: usize,
        /// The end of the range.
        end: usize,
        /// The number of particles.
        found: usize,
    },
    /// The records of a buffer lack a field of a program per particle, or have a field of its name
    /// but of another type.
    #[error(
        "`{program}` needs a field `{field}`, found {}; give it records that have it",
        list(found)
    )]
    MissingField {
        /// The program.
        program: &'static str,
        /// The field that it reads or changes.
        field: &'static Field,
        /// The fields of the records.
        found: &'static [Field],
    },
    /// Records have no field of this name that is a `u32`.
    #[error("no field `{name}: u32`, found {}", integers(found))]
    NoInteger {
        /// The name that was asked for.
        name: String,
        /// The fields of the records.
        found: &'static [Field],
    },
    /// A device has no engine of totals over pairs.
    #[error(
        "{device} has no engine of one result over all pairs; evaluate on the device of one rank, or sum \
         the results of an engine over ranks"
    )]
    NoPairTotals {
        /// The display name of the device.
        device: String,
    },
    /// The numbers that a pair adds to counts have no known bound.
    #[error(
        "a pair of `{law}` may add more than {limit} to its counts, or any number of the data, which a total \
         over pairs cannot bound; add numbers, `u32` constants or choices between them, or sum a `Real`"
    )]
    UnboundedCounts {
        /// The law.
        law: &'static str,
        /// The largest bound.
        limit: u32,
    },
    /// A count of a total needs more than 32 bits.
    #[error("a total of {found} in `{field}`, which holds 32 bits; ask for its counts of 64 bits")]
    WideCount {
        /// The field.
        field: Field,
        /// The count.
        found: u64,
    },
    /// Records have no field of this name.
    #[error("no field `{name}`, found {}; name one of these", list(found))]
    NoField {
        /// The name that was given.
        name: String,
        /// The fields of the records.
        found: &'static [Field],
    },
    /// The values of a field are given or requested as another type than its own.
    #[error(
        "field `{field}` as `{asked}`, expected `{}`; use its type, or an array of its numbers",
        field.kind.host_type()
    )]
    FieldType {
        /// The field.
        field: &'static Field,
        /// The type that was given or requested.
        asked: String,
    },
    /// Records are given by their fields, and a field is missing.
    #[error("no values of field `{field}`; give values of each field")]
    NoValues {
        /// The field.
        field: &'static Field,
    },
    /// The values of a field are given twice.
    #[error("field `{field}` has values twice; give them once")]
    RepeatedField {
        /// The field.
        field: &'static Field,
    },
    /// The host has too little memory for the results.
    #[error("out of memory for {n} results of {bytes} bytes each; evaluate fewer at a time")]
    OutOfMemory {
        /// The number of results.
        n: usize,
        /// The size of a result in bytes.
        bytes: usize,
    },
    /// The records need more stack than a thread can have.
    #[error(
        "cannot create threads with {bytes} bytes of stack, which the structs of the interaction \
         need; make these smaller"
    )]
    OutOfStack {
        /// The stack that a thread needs, in bytes.
        bytes: usize,
    },
    /// The name is not a value of the option.
    #[error("unknown name `{found}`: expected {}", expected.join(", "))]
    UnknownName {
        /// The name that was given.
        found: String,
        /// The valid names.
        expected: &'static [&'static str],
    },
    /// The CPU lacks the vector instructions.
    #[error("this CPU has no {found} instructions: choose one of {}", available.join(", "))]
    SimdUnavailable {
        /// The requested level.
        found: SimdLevel,
        /// The levels of this CPU.
        available: Vec<&'static str>,
    },
    /// A length of a periodic box is not positive.
    #[error(
        "periodic box of length {found} along {axis}: expected a positive length, or an infinite \
         one to leave the direction open"
    )]
    BoxLength {
        /// The direction: x, y or z.
        axis: &'static str,
        /// The length that was given.
        found: f64,
    },
    /// A length of a periodic box, or its inverse, is outside the range of the precision.
    #[error(
        "periodic box of length {found:e} along {axis}: expected {:.2e} to {:.2e} in {precision} \
         precision, where lengths and their inverses are normal numbers; choose other units or a \
         higher precision, or leave the direction open with an infinite length",
        precision.box_lengths().start(), precision.box_lengths().end()
    )]
    BoxPrecision {
        /// The direction: x, y or z.
        axis: &'static str,
        /// The length that was given.
        found: f64,
        /// The precision of the engine.
        precision: Precision,
    },
    /// The vectors of a triclinic box are not reduced.
    #[error(
        "triclinic box of a = {:?}, b = {:?}, c = {:?}: {problem}; expected a = (ax, 0, 0), b = (bx, by, 0) \
         and c = (cx, cy, cz) with finite components, positive ax, by and cz, |bx| and |cx| of at most ax/2, \
         and |cy| of at most by/2; reduce lower triangular vectors by subtracting whole vectors b and a from \
         c and a from b, as `Domain::triclinic_reduced` does, and rotate others before, with the particles",
        found[0], found[1], found[2]
    )]
    BoxVectors {
        /// The vectors that were given.
        found: [[f64; 3]; 3],
        /// The first condition that they do not meet.
        problem: &'static str,
    },
    /// Neighbour lists of an interaction with positions in one dimension.
    #[error(
        "neighbour lists of `{law}`, whose positions are in one dimension: expected two or three; evaluate \
         all pairs with `AllPairs`, or declare `Point<2>` with a second coordinate of 0"
    )]
    OneDimension {
        /// The interaction.
        law: &'static str,
    },
    /// An engine that does not take triclinic boxes was given one.
    #[error("{engine} in a triclinic box: expected a rectangular box or open space; {advice}")]
    NoTriclinic {
        /// The engine.
        engine: &'static str,
        /// A way to evaluate the particles.
        advice: &'static str,
    },
    /// A number leaves the range of the precision.
    #[error(
        "{what}[{particle}]: {field} of {found:e} becomes {computed:e} in {precision} precision, which has \
         numbers of 1.2e-38 to 3.4e38, between its operations too; scale the units, so that the numbers of \
         particles and results are near 1, or choose double precision"
    )]
    BeyondRange {
        /// The particles, the parameters or the results.
        what: &'static str,
        /// The index of the first particle whose number leaves the range.
        particle: usize,
        /// The first such field.
        field: Field,
        /// The number, in `f64`.
        found: f64,
        /// The number in the precision, apart from rounding errors.
        computed: f64,
        /// The precision.
        precision: Precision,
    },
    /// All squared distances in a periodic box are outside the range of the precision.
    #[error(
        "periodic box of lengths of {found:e} {}: expected {:.2e} to {:.2e} in {precision} precision, where \
         squares of distances are normal numbers; choose other units or a higher precision",
        if found < precision.squared_lengths().start() { "and less" } else { "and more" },
        precision.squared_lengths().start(), precision.squared_lengths().end()
    )]
    BoxScale {
        /// The greatest length if all are too small, or the least if all are too large.
        found: f64,
        /// The precision of the engine.
        precision: Precision,
    },
    /// The greatest cutoff of neighbour lists is outside the range in which squares are compared.
    #[error(
        "the cutoff of {} is up to {} in neighbour lists: expected 0, or {:.2e} to {:.2e} in {precision} \
         precision, where distances are compared by their squares; choose other units{}",
        either(laws), short(*cutoff), precision.listed_cutoffs().start(), precision.listed_cutoffs().end(),
        if *precision == Precision::Double { "" } else { " or a higher precision" }
    )]
    CutoffPrecision {
        /// The interactions that may have this cutoff: one, unless several cutoffs depend on
        /// particles.
        laws: Vec<&'static str>,
        /// The greatest cutoff of these particles.
        cutoff: f64,
        /// The precision of the lists.
        precision: Precision,
    },
    /// An interaction or a program without points is given a periodic box, which would change
    /// nothing.
    #[error(
        "`{name}` has no Point in {record}: a periodic box has no effect; declare positions as Point, \
         or leave the space open"
    )]
    NoPoint {
        /// The interaction or the program.
        name: &'static str,
        /// The particle without points: I, J or P.
        record: &'static str,
    },
    /// An update is told to wrap positions in open space.
    #[error(
        "`{program}` cannot wrap positions in open space; call `set_domain` with a periodic box first, or \
         `set_wrap(false)`"
    )]
    WrapWithoutBox {
        /// The update.
        program: &'static str,
    },
    /// An update without points is told to wrap positions.
    #[error(
        "`{program}` has no Point in P to wrap; declare positions as Point, or call `set_wrap(false)`"
    )]
    WrapWithoutPoint {
        /// The update.
        program: &'static str,
    },
    /// An interaction without a cutoff is given to neighbour lists.
    #[error(
        "`{law}` has no cutoff; declare `fn cutoff`, give the pairs of the lists, or evaluate all pairs"
    )]
    NoCutoff {
        /// Returns the interaction.
        law: &'static str,
    },
    /// The cutoff of some pair may be infinite or NaN.
    #[error(
        "the cutoff of `{law}` may be infinite or NaN for these particles; make it finite for every \
         pair, or evaluate all pairs, which do not end there"
    )]
    UnboundedCutoff {
        /// Returns the interaction.
        law: &'static str,
    },
    /// A cutoff is half of a periodic box or more, so that it meets several images.
    #[error(
        "the cutoff of {} is up to {} in a periodic box of length {length} along {axis}: expected less \
         than half of the length; take a larger box or a shorter cutoff, or evaluate all pairs, \
         which have all images",
        either(laws), short(*cutoff)
    )]
    CutoffBeyondBox {
        /// The interactions that may have this cutoff: one, unless several cutoffs depend on
        /// particles.
        laws: Vec<&'static str>,
        /// The direction: x, y or z.
        axis: &'static str,
        /// The greatest cutoff of these particles.
        cutoff: f64,
        /// The length of the box.
        length: f64,
    },
    /// The cutoff of some pair over all pairs in a periodic box may be infinite or NaN.
    #[error(
        "the cutoff of `{law}` may be infinite or NaN in a periodic box: expected a bound, within which \
         the images of a pair are summed; make it finite for every pair and independent of positions, or \
         leave the space open"
    )]
    UnboundedImages {
        /// The interaction.
        law: &'static str,
    },
    /// An interaction with a point among its parameters is given a box shorter than two cutoffs.
    #[error(
        "`{law}` has a point among its parameters, which has no images, and a cutoff of up to {}, more \
         than half of the periodic box; take a larger box or a shorter cutoff",
        short(*cutoff)
    )]
    PointOfImages {
        /// The interaction.
        law: &'static str,
        /// The greatest cutoff of these particles.
        cutoff: f64,
    },
    /// A periodic box is so short that a cutoff meets too many images.
    #[error(
        "the cutoff of `{law}` is up to {}, within which a pair has images in {found} copies of the \
         periodic box: expected up to {limit}; take a larger box or a shorter cutoff",
        short(*cutoff)
    )]
    TooManyImages {
        /// The interaction.
        law: &'static str,
        /// The greatest cutoff of these particles.
        cutoff: f64,
        /// The number of copies of the box that are two cutoffs long.
        found: f64,
        /// The most copies.
        limit: usize,
    },
    /// The offsets of rows do not ascend from 0 to the number of indices.
    #[error(
        "offsets[{at}] is {found}, expected {}; offsets ascend from 0 to the number of indices",
        if least == greatest { least.to_string() } else { format!("{least} to {greatest}") }
    )]
    Offsets {
        /// The index of the offset.
        at: usize,
        /// Its value.
        found: u64,
        /// The least value that is allowed.
        least: u64,
        /// The greatest value that is allowed.
        greatest: u64,
    },
    /// There are no offsets of rows.
    #[error("no offsets, expected one for each particle and the end; for no particles give one, 0")]
    NoOffsets,
    /// An index does not name a particle.
    #[error("{what}[{at}] names particle {found} of {n}; indices of particles begin with 0")]
    NoParticle {
        /// The indices or the pairs.
        what: &'static str,
        /// Their position.
        at: usize,
        /// The index that was given.
        found: usize,
        /// The number of particles.
        n: usize,
    },
    /// Two rows are written at one address.
    #[error("addresses[{}] and addresses[{}] are both {address}; give each address once", at[0], at[1])]
    RepeatedAddress {
        /// The address.
        address: u32,
        /// The first two places where it is given.
        at: [usize; 2],
    },
    /// Rows that are written behind the end of a buffer leave a row before them without contents.
    #[error(
        "no row for address {missing}, found {n} rows and address {largest}; give a row for each address \
         from {n} to {largest}"
    )]
    MissingAddress {
        /// The first address without a row.
        missing: usize,
        /// The number of rows of the buffer.
        n: usize,
        /// The largest address that is given.
        largest: u32,
    },
    /// Two interactions on one list have their positions in different fields.
    #[error(
        "`{}` and `{}` have their positions in different fields; give each lists of its own",
        laws[0], laws[1]
    )]
    TwoPositions {
        /// The interactions.
        laws: [&'static str; 2],
    },
    /// The position of a particle is infinite or NaN.
    #[error("{what}[{index}]{}: expected finite coordinates", at(*found))]
    NotFinite {
        /// The particles.
        what: &'static str,
        /// The index of the first such particle.
        index: usize,
        /// Its position, if the host knows it.
        found: Option<[f64; 3]>,
    },
    /// A skin is negative or not finite.
    #[error("skin of {found}: expected a finite length of at least 0")]
    InvalidSkin {
        /// The skin that was given.
        found: f64,
    },
    /// The state of lists has cells without a size.
    #[error(
        "the cells of lists have an inverse unit of {scale}, expected a positive number and a finite origin; \
         take the state of lists as it is"
    )]
    InvalidFrame {
        /// The inverse unit.
        scale: f64,
    },
    /// An interaction that is not a sum over charges is given to a tree.
    #[error("`{law}` has no tree: {reason}; evaluate all pairs")]
    NoTree {
        /// Returns the interaction.
        law: &'static str,
        /// The reason, and the expression.
        reason: &'static str,
    },
    /// Cells are to be opened by an error estimate that the interaction does not have.
    #[error(
        "the first field of the results of `{law}` depends on fields of i other than its position, or on charges that \
         are carried by another one as momenta are by masses, so that errors cannot be estimated; open cells by an angle"
    )]
    NoEstimate {
        /// Returns the interaction.
        law: &'static str,
    },
    /// The opening criterion of a tree is not positive and finite.
    #[error(
        "opening {what} of {found}: expected a positive number, such as an angle of 0.6 or a share \
         of 0.003"
    )]
    InvalidOpening {
        /// The angle, or the share of the results.
        what: &'static str,
        /// The number that was given.
        found: f64,
    },
    /// Lists that were never built, or whose space was changed since.
    #[error(
        "neighbour lists that are not built, or not since their box was changed, given to `{law}`; \
         update them first"
    )]
    NoLists {
        /// Returns the interaction.
        law: &'static str,
    },
    /// Lists that were not updated for an interaction with these parameters.
    #[error(
        "neighbour lists that were updated for other interactions than `{law}`, or for other parameters \
         of it; update them for it"
    )]
    OtherLists {
        /// Returns the interaction.
        law: &'static str,
    },
    /// An interaction with a point among its parameters is given to lists that find their pairs.
    #[error(
        "`{law}` has a point among its parameters, and neighbour lists know positions relative to others \
         alone; give the pairs of the lists, or evaluate all pairs"
    )]
    PointOfLists {
        /// Returns the interaction.
        law: &'static str,
    },
    /// Lists are updated for no interaction. An interaction's cutoff sets their reach, and its
    /// first point the position.
    #[error("neighbour lists updated for no interaction; give those that are evaluated over them")]
    NoInteractions,
    /// Lists of another number of particles.
    #[error("{found} {what} given to neighbour lists of {expected}; update them for these")]
    OtherLength {
        /// The particles.
        what: &'static str,
        /// Their number.
        found: usize,
        /// The number in the lists.
        expected: usize,
    },
    /// Lists of one set of particles are given two sets, or lists of two sets are given one.
    #[error(
        "neighbour lists of one set of particles given two sets, or those of two given one; update them \
         for these"
    )]
    OtherSets,
    /// The i-particles and the j-particles of one set are at different positions.
    #[error("i-particles and j-particles of one set at different positions; give both the same")]
    OtherPositions,
    /// Particles have moved too far, or changed, since lists were updated.
    #[error(
        "{what} have moved by more than half of the skin since the neighbour lists were updated, or \
         something that their cutoffs depend on has changed; update the lists"
    )]
    OldLists {
        /// The particles.
        what: &'static str,
    },
    /// The state of an engine of another kind.
    #[error(
        "the state of another kind of engine than that which evaluates; continue with the engine that the run had"
    )]
    OtherEngine,
    /// A program is given where another kind of program is needed.
    #[error(
        "`{program}` is not {expected}; update particles by an update, measure them by a measure, and evaluate tuples of them by a tuple"
    )]
    WrongProgram {
        /// The program.
        program: &'static str,
        /// The kind of program that is needed.
        expected: &'static str,
    },
    /// The indices of tuples end within a tuple.
    #[error(
        "{found} indices are no whole tuples of {members} particles; give {members} for each tuple"
    )]
    PartOfTuple {
        /// The number of indices.
        found: usize,
        /// The number of particles of a tuple.
        members: usize,
    },
    /// Tuples have another number of records.
    #[error("{found} records for {expected} tuples; give one for each tuple")]
    TupleRecords {
        /// The number of records.
        found: usize,
        /// The number of tuples.
        expected: usize,
    },
    /// A tuple names a particle twice.
    #[error("tuple {tuple} names particle {particle} twice; the particles of a tuple differ")]
    RepeatedMember {
        /// The index of the tuple.
        tuple: usize,
        /// The index of the particle.
        particle: u32,
    },
    /// A law made at run time is given to the CPU.
    #[error(
        "`{law}` was made at run time and has no loops for the CPU; evaluate it on a GPU or in the emulator"
    )]
    NoLoops {
        /// The law.
        law: &'static str,
    },
    /// An engine whose options have a box is given lists in another space.
    #[error(
        "neighbour lists in another space than that of the options of the engine; give both the same, or the engine \
         none"
    )]
    DomainOfLists,
    /// The bags or the splits of a summation order are empty.
    #[error("summation order of bags of {bag} in {splits} splits: both must be at least 1")]
    EmptySummationOrder {
        /// The requested size of a bag.
        bag: usize,
        /// The requested number of splits.
        splits: usize,
    },
}

/// The failure of a device, its driver, a compiler or a cache, in the words of the package that
/// provides the device.
#[derive(Clone)]
pub struct DeviceError(Arc<dyn std::error::Error + Send + Sync>);

impl DeviceError {
    /// Returns the failure if it is of this type.
    pub fn downcast_ref<E: std::error::Error + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref()
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::error::Error for DeviceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// Failures are equal if their messages are.
impl PartialEq for DeviceError {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Error {
    /// Returns the failure of a device, if this is one of that type: `nbody::cuda::Error` of GPUs and the emulator.
    pub fn device<E: std::error::Error + 'static>(&self) -> Option<&E> {
        match self {
            Self::Device(error) => error.downcast_ref(),
            _ => None,
        }
    }

    /// Returns the failure of a device as an error.
    pub fn of_device(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Device(DeviceError(Arc::new(error)))
    }

    /// Refuses rows of another record than the engine takes.
    pub fn check_record(
        what: &'static str,
        found: &'static [Field],
        expected: &'static [Field],
    ) -> Result<(), Self> {
        if found == expected { Ok(()) } else { Err(Self::OtherRecord { what, found, expected }) }
    }

    /// Refuses a length other than the expected one.
    pub fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), Self> {
        if found == expected { Ok(()) } else { Err(Self::LengthMismatch { what, found, expected }) }
    }

    /// Refuses a buffer that does not have a single total.
    pub fn check_one_total(what: &'static str, found: usize) -> Result<(), Self> {
        if found == 1 { Ok(()) } else { Err(Self::OneTotal { what, found }) }
    }

    /// Refuses a length below the required one.
    pub fn check_at_least(what: &'static str, found: usize, least: usize) -> Result<(), Self> {
        if found >= least { Ok(()) } else { Err(Self::TooShort { what, found, least }) }
    }

    /// Refuses another number of results than of i-particles, or more, if the results of the first
    /// ones alone may be wanted.
    pub fn check_results(results: usize, i: usize, is_first: bool) -> Result<(), Self> {
        if is_first {
            Self::check_at_least("particles of one set", i, results)
        } else {
            Self::check_length("results", results, i)
        }
    }

    /// Refuses a range beyond `found` particles.
    pub fn check_range(range: &Range<usize>, found: usize) -> Result<(), Self> {
        let &Range { start, end } = range;
        if start <= end && end <= found {
            Ok(())
        } else {
            Err(Self::OutOfRange { start, end, found })
        }
    }
}

/// Lists the fields that are a `u32`, and says what to do.
fn integers(fields: &[Field]) -> String {
    let is_integer = |it: &&Field| FieldKind::U32.has_layout_of(it.kind);
    let integers: Vec<_> = fields.iter().filter(is_integer).copied().collect();
    if integers.is_empty() {
        "none of `u32`; give it records that have one".to_owned()
    } else {
        format!("{}; name one of these", list(&integers))
    }
}

/// Lists fields.
fn list(fields: &[Field]) -> String {
    let fields: Vec<_> = fields.iter().map(ToString::to_string).collect();
    if fields.is_empty() { "none".to_owned() } else { fields.join(", ") }
}

/// Returns the name of a number of a field: `eps2`, `pos.x` or `sigma[3]`.
fn place(field: &Field, component: usize) -> String {
    let name = field.name;
    match (field.kind, field.kind.component_name(component)) {
        (_, Some(part)) => format!("{name}.{part}"),
        (kind, _) if kind.components() > 1 => format!("{name}[{component}]"),
        _ => name.to_owned(),
    }
}

/// Returns names in quotation marks, with `or` between them.
fn either(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(" or ")
}

/// Returns a number with six digits: bounds of numbers in `f32` have more.
fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    let is_plain = x == 0.0 || (1e-4..1e7).contains(&x.abs());
    if is_plain { rounded.to_string() } else { format!("{rounded:e}") }
}

fn at(position: Option<[f64; 3]>) -> String {
    position.map(|position| format!(" at {position:?}")).unwrap_or_default()
}

/// Prints the message, for `fn main() -> Result<(), nbody::Error>`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        explain(self, f)
    }
}

/// Writes the message of an error, and the messages of its causes that it does not repeat: a
/// `Debug` for programs that return the error from `main`.
pub fn explain(error: &dyn std::error::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let reason = cause.to_string();
        if !text.contains(&reason) {
            text = format!("{text}\n  because: {reason}");
        }
        next = cause.source();
    }
    f.write_str(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_prints_the_message() {
        let error = Error::EmptySummationOrder { bag: 0, splits: 2 };
        let message = "summation order of bags of 0 in 2 splits: both must be at least 1";
        assert_eq!(format!("{error:?}"), message);
        assert_eq!(format!("{error:#?}"), message);
        let error = Error::check_length("particles", 1, 2).unwrap_err();
        assert_eq!(format!("{error:?}"), error.to_string());
    }

    #[test]
    fn causes_are_printed_once() {
        #[derive(thiserror::Error)]
        #[error("{message}")]
        struct Outer {
            message: &'static str,
            source: std::num::ParseIntError,
        }
        impl fmt::Debug for Outer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                explain(self, f)
            }
        }
        let outer = |message| Outer { message, source: "x".parse::<u32>().unwrap_err() };
        let printed = format!("{:?}", outer("cannot read x"));
        assert_eq!(printed, "cannot read x\n  because: invalid digit found in string");
        let printed = format!("{:?}", outer("cannot read x: invalid digit found in string"));
        assert_eq!(printed, "cannot read x: invalid digit found in string");
    }
}
