//! Sums into elements whose index depends on the data, such as the bins of a histogram.
//!
//! `for k in 0..N { if j.kind == k { f.bins[k] += e; } }` adds to one entry. On a GPU the loop
//! runs over all entries of reals, since registers cannot be indexed; in memory the index selects
//! the entry.

use std::ops::Range;

use super::expr::real;
use super::lowering::Lowering;
use super::statement::declared;
use super::tree::{LaneExpr, LaneStmt, Name};
use crate::ir::{Accumulate, LocalId, Scatter, Stmt, StmtKind, Type};

impl<'a> Lowering<'a> {
    /// Recognises a loop over a variable that adds to the entry of one index.
    pub(super) fn scatter(
        &self,
        (variable, range): (LocalId, &'a Range<u32>),
        body: &'a [Stmt],
        mask: Option<Name>,
    ) -> Option<LaneStmt<'a>> {
        let Scatter { index, conditions, sums } = Scatter::of(variable, body)?;
        let conditions = conditions.into_iter().map(|condition| self.expr(condition));
        let masks = conditions.chain(self.mask(mask)).map(LaneExpr::paren);
        let mask = masks.reduce(|all, mask| all.infix('&', mask));
        let mask = mask.unwrap_or_else(|| real("splat_mask", vec![LaneExpr::Truth(true)]));
        let index = self.expr(index);
        let index = if range.start == 0 {
            index
        } else {
            let start = real("splat_u32", vec![LaneExpr::Integer(range.start)]);
            real("sub_u32", vec![index, start])
        };
        let index =
            LaneStmt::Let { name: Name::Entry, mutable: false, ty: Type::U32, value: index };
        let sums = sums.iter().map(|sum| {
            let StmtKind::Accumulate { side, place, how, value } = &sum.kind else {
                unreachable!("found to be a sum")
            };
            let target = LaneExpr::Field(Name::Result(*side), place.of);
            let term = self.expr(value);
            let value = if *how == Accumulate::Sub { term.paren().negative() } else { term };
            let counts = matches!(place.whole, Type::Counts(_));
            LaneStmt::AddToEntry { target, range, counts, value }
        });
        Some(LaneStmt::Block([index, declared(Name::Mask, mask)].into_iter().chain(sums).collect()))
    }
}
