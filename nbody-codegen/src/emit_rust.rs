//! Prints a body as Rust that is generic over the lane: the CPU kernel and the reference.
//!
//! A lane may hold many particles, so that an `if` becomes a mask: both branches are computed,
//! and what they assign or accumulate is selected by the mask. A `return` takes particles out of
//! the mask `__on`, and the function ends early once none is left.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use crate::analysis::needs_space;
use crate::builtin::Builtin;
use crate::ir::{
    Accumulate, BinaryOp, Body, Expr, ExprKind, FieldName, Index, Input, LocalId, Module, Place,
    Reduction, Roles, Stmt, StmtKind, Type, UnaryOp, Value,
};

/// Prints the body of one function.
pub struct Printer<'a> {
    module: &'a Module,
    body: &'a Body,
    roles: Option<&'a Roles>,
    krate: &'a TokenStream,
    /// What the function returns, if anything.
    value: Option<&'a Expr>,
    masks: usize,
    /// Whether a `return` stands before what is printed next.
    returned: bool,
}

/// The type in generated Rust, where `Real` is the lane.
pub fn type_tokens(ty: Type, krate: &TokenStream) -> TokenStream {
    match ty {
        Type::Real | Type::Reduced(Reduction::Min | Reduction::Max) => quote!(Real),
        Type::U32 | Type::Reduced(Reduction::Count) => quote!(Real::U32),
        Type::Bool => quote!(Real::Mask),
        Type::Vector(3) => quote!(#krate::Vector<Real>),
        Type::Point(3) => quote!(#krate::Point<Real>),
        Type::Vector(n) => quote!(#krate::Vector<Real, #n>),
        Type::Point(n) => quote!(#krate::Point<Real, #n>),
        Type::Array(n) => quote!([Real; #n]),
        Type::Table(rows, columns) => quote!([[Real; #columns]; #rows]),
        Type::Reduced(Reduction::ArgMin) => quote!(#krate::ArgMin<Real>),
    }
}

/// A name of the generated function.
pub fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

impl<'a> Printer<'a> {
    pub fn new(
        module: &'a Module,
        body: &'a Body,
        roles: Option<&'a Roles>,
        krate: &'a TokenStream,
    ) -> Self {
        Self { module, body, roles, krate, value: None, masks: 0, returned: false }
    }

    /// The statements of the body of `pair`.
    pub fn body(&mut self) -> TokenStream {
        let body = self.body;
        let on =
            has_return(&body.statements).then(|| quote!(let mut __on = Real::splat_mask(true);));
        let statements = self.statements(&body.statements, None);
        quote!(#on #statements)
    }

    /// The statements of the body of `pair` for particles in reach: `near` is their mask.
    pub fn body_within(&mut self, near: &TokenStream) -> TokenStream {
        self.returned = true;
        let statements = self.statements(&self.body.statements, None);
        let end = self.end_early();
        quote!(let mut __on = #near; #end #statements)
    }

    /// The statements of a helper function, and its value.
    pub fn body_with_value(&mut self, value: &'a Expr) -> TokenStream {
        self.value = Some(value);
        let body = self.body();
        let last = self.expr(value);
        if !self.returned {
            return quote!(#body #last);
        }
        let zero = self.zero(value.ty);
        let chosen = self.select(value.ty, &quote!(__on), &last, &quote!(__value));
        quote!(let mut __value = #zero; #body #chosen)
    }

    /// The variable's name, where the user wrote it.
    pub fn local(&self, id: LocalId) -> Ident {
        let local = &self.body.locals[id];
        Ident::new(&local.name, local.span)
    }

    fn statements(&mut self, statements: &[Stmt], mask: Option<&Ident>) -> TokenStream {
        statements.iter().map(|statement| self.statement(&statement.kind, mask)).collect()
    }

    fn statement(&mut self, statement: &StmtKind, mask: Option<&Ident>) -> TokenStream {
        match statement {
            StmtKind::Let { local, value } => {
                let (name, value) = (self.local(*local), self.expr(value));
                let mutable = self.body.locals[*local].mutable.then(|| quote!(mut));
                quote!(let #mutable #name = #value;)
            }
            StmtKind::Declare { local } => {
                let ty = self.body.locals[*local].ty;
                let (name, zero) = (self.local(*local), self.zero(ty));
                quote!(let mut #name = #zero;)
            }
            StmtKind::Assign { place, op, value } => self.assign(place, *op, value, mask),
            StmtKind::Accumulate { place, how, value, .. } => {
                self.accumulate(place, *how, value, mask)
            }
            StmtKind::If { condition, yes, no } => {
                let branches = self.branches(condition, yes, no, mask);
                let guard = mask.is_none() && (has_return(yes) || has_return(no));
                let end = guard.then(|| self.end_early());
                quote!(#branches #end)
            }
            StmtKind::For { local, body } => {
                let (name, range) = (self.local(*local), self.body.locals[*local].range.clone());
                let range = range.unwrap_or_default();
                let (start, end) = (range.start, range.end);
                // What a turn returns from, the next turns must not accumulate.
                self.returned |= has_return(body);
                let body = self.statements(body, mask);
                quote!(for #name in #start..#end { #body })
            }
            StmtKind::Return { value } => self.return_(value.as_ref(), mask),
        }
    }

    fn return_(&mut self, value: Option<&Expr>, mask: Option<&Ident>) -> TokenStream {
        self.returned = true;
        let mask = mask.map_or_else(|| quote!(Real::splat_mask(true)), |mask| quote!(#mask));
        let value = value.map(|value| {
            let (ty, value) = (value.ty, self.expr(value));
            let chosen = self.select(ty, &quote!((#mask & __on)), &value, &quote!(__value));
            quote!(__value = #chosen;)
        });
        quote!(#value __on = __on & !#mask;)
    }

    /// Ends the function if it goes on for no particle.
    fn end_early(&self) -> TokenStream {
        let value = self.value.map(|_| quote!(__value));
        quote!(if !Real::any(__on) { return #value; })
    }

    fn branches(
        &mut self,
        condition: &Expr,
        yes: &[Stmt],
        no: &[Stmt],
        mask: Option<&Ident>,
    ) -> TokenStream {
        let condition = self.expr(condition);
        self.masks += 1;
        let holds = format_ident!("__holds_{}", self.masks);
        let (when, unless) =
            (format_ident!("__when_{}", self.masks), format_ident!("__unless_{}", self.masks));
        let outer = mask.map(|mask| quote!(#mask &));
        let branch = |this: &mut Self, name: &Ident, value: TokenStream, statements: &[Stmt]| {
            let statements = this.statements(statements, Some(name));
            (!statements.is_empty()).then(|| quote!({ let #name = #outer #value; #statements }))
        };
        let yes = branch(self, &when, quote!(#holds), yes);
        let no = branch(self, &unless, quote!(!#holds), no);
        quote!(let #holds = #condition; #yes #no)
    }

    fn assign(
        &self,
        place: &Place<LocalId>,
        op: Option<BinaryOp>,
        value: &Expr,
        mask: Option<&Ident>,
    ) -> TokenStream {
        let name = self.local(place.of);
        let target = match &place.component {
            None => quote!(#name),
            Some(index) => {
                let index = self.index(index);
                quote!(#name[#index])
            }
        };
        let new = match op {
            None => self.expr(value),
            Some(op) => {
                let left = (quote!(#target), place.ty());
                Self::binary(op, left, (self.operand(value), value.ty))
            }
        };
        let new = match mask {
            None => new,
            Some(mask) => self.select(place.ty(), &quote!(#mask), &new, &target),
        };
        quote!(#target = #new;)
    }

    fn accumulate(
        &self,
        place: &Place<FieldName>,
        how: Accumulate,
        value: &Expr,
        mask: Option<&Ident>,
    ) -> TokenStream {
        let result = ident(self.roles.map_or("f", |roles| &roles.f));
        let field = &place.of.ident;
        let target = match &place.component {
            None => quote!(#result.#field),
            Some(index) => {
                let index = self.index(index);
                quote!(#result.#field[#index])
            }
        };
        let term = self.expr(value);
        let mask = match (mask, self.returned) {
            (None, false) => None,
            (None, true) => Some(quote!(__on)),
            (Some(mask), false) => Some(quote!(#mask)),
            (Some(mask), true) => Some(quote!((#mask & __on))),
        };
        let neutral = match how {
            Accumulate::Add | Accumulate::Sub => self.zero(place.ty()),
            Accumulate::Reduce(Reduction::Min | Reduction::ArgMin) => {
                quote!(Real::splat(f64::INFINITY))
            }
            Accumulate::Reduce(Reduction::Max) => quote!(Real::splat(f64::NEG_INFINITY)),
            Accumulate::Reduce(Reduction::Count) => self.zero(Type::U32),
        };
        let term = match mask {
            None => term,
            Some(mask) => self.select(value.ty, &mask, &term, &neutral),
        };
        match how {
            Accumulate::Add => quote!(#target += #term;),
            Accumulate::Sub => quote!(#target -= #term;),
            Accumulate::Reduce(Reduction::Min) => quote!(#target = Real::min(#target, #term);),
            Accumulate::Reduce(Reduction::Max) => quote!(#target = Real::max(#target, #term);),
            Accumulate::Reduce(Reduction::Count) => {
                quote!(#target = Real::add_u32(#target, #term);)
            }
            Accumulate::Reduce(Reduction::ArgMin) => {
                let index = ident(self.roles.map_or("index", |roles| &roles.index));
                quote!(#target.take(#term, #index);)
            }
        }
    }

    fn zero(&self, ty: Type) -> TokenStream {
        let krate = self.krate;
        match ty {
            Type::Real => quote!(Real::default()),
            Type::U32 => quote!(Real::splat_u32(0)),
            Type::Bool => quote!(Real::splat_mask(false)),
            Type::Vector(_) => quote!(#krate::Vector::default()),
            Type::Point(_) => quote!(#krate::Point::default()),
            Type::Array(n) => quote!([Real::default(); #n]),
            Type::Table(rows, columns) => quote!([[Real::default(); #columns]; #rows]),
            Type::Reduced(_) => quote!(::core::default::Default::default()),
        }
    }

    fn select(
        &self,
        ty: Type,
        mask: &TokenStream,
        yes: &TokenStream,
        no: &TokenStream,
    ) -> TokenStream {
        let krate = self.krate;
        match ty {
            Type::Real => quote!(Real::select(#mask, #yes, #no)),
            Type::U32 => quote!(Real::select_u32(#mask, #yes, #no)),
            Type::Bool => quote!(((#mask & (#yes)) | (!(#mask) & (#no)))),
            Type::Vector(_) => quote!(#krate::Vector::select(#mask, #yes, #no)),
            Type::Point(_) => quote!(#krate::Point::select(#mask, #yes, #no)),
            Type::Array(_) => quote!(#krate::select_array::<Real, _>(#mask, #yes, #no)),
            Type::Table(..) | Type::Reduced(_) => {
                unreachable!("checked: tables are read by their entries, and results not at all")
            }
        }
    }

    /// The expression, in whatever form stands behind `=`.
    pub fn expr(&self, expr: &Expr) -> TokenStream {
        match &expr.kind {
            ExprKind::Real(text) => {
                let literal: TokenStream = text.parse().unwrap_or_default();
                quote!(Real::splat(#literal))
            }
            ExprKind::U32(n) => quote!(Real::splat_u32(#n)),
            ExprKind::Bool(value) => quote!(Real::splat_mask(#value)),
            ExprKind::Local(id) => {
                let name = self.local(*id);
                let counts = self.body.locals[*id].range.is_some();
                if counts { quote!(Real::splat_u32(#name)) } else { quote!(#name) }
            }
            ExprKind::Constant(index) => {
                let constant = &self.module.constants[*index];
                let name = &constant.ident;
                match constant.value {
                    Value::U32(_) => quote!(Real::splat_u32(#name)),
                    Value::Real(_) => quote!(Real::splat(#name)),
                }
            }
            ExprKind::Input(input, field) => {
                let record = self.input(*input);
                let field = &field.ident;
                quote!(#record.#field)
            }
            ExprKind::Component(base, index) => {
                let (base, index) = (self.operand(base), self.index(index));
                quote!(#base[#index])
            }
            ExprKind::Entry(base, indices) => {
                let (krate, base) = (self.krate, self.operand(base));
                let indices: Vec<_> = indices.iter().map(|index| self.expr(index)).collect();
                if let [index] = &indices[..] {
                    quote!(Real::gather(&#base, #index))
                } else {
                    quote!(#krate::gather_entry::<Real, _, _>(&#base, #(#indices),*))
                }
            }
            ExprKind::Unary(UnaryOp::Neg, operand) => {
                let operand = self.operand(operand);
                quote!(-#operand)
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let operand = self.operand(operand);
                quote!(!#operand)
            }
            ExprKind::Binary(BinaryOp::Sub, a, b) if matches!(a.ty, Type::Point(_)) => {
                let (space, a, b) = (ident(&self.body.space), self.expr(a), self.expr(b));
                quote!(#space.difference(#a, #b))
            }
            ExprKind::Binary(op, a, b) => {
                Self::binary(*op, (self.left_operand(*op, a), a.ty), (self.operand(b), b.ty))
            }
            ExprKind::Math(builtin, operands) => self.math(*builtin, operands),
            ExprKind::Powi(base, n) => {
                let base = self.operand(base);
                quote!(#base.powi(#n))
            }
            ExprKind::Components(parts) => {
                let krate = self.krate;
                let parts = parts.iter().map(|part| self.expr(part));
                let constructor =
                    matches!(expr.ty, Type::Vector(_)).then(|| quote!(#krate::Vector));
                let parts = quote!([#(#parts),*]);
                constructor.map_or(parts.clone(), |vector| quote!(#vector(#parts)))
            }
            ExprKind::Call(index, arguments) => {
                let function = &self.module.functions[*index];
                let name = &function.ident;
                let arguments = arguments.iter().map(|argument| self.expr(argument));
                if needs_space(self.module, &function.body, Some(&function.value)) {
                    let space = ident(&self.body.space);
                    quote!(#name::<Real, _>(#space, #(#arguments),*))
                } else {
                    quote!(#name::<Real>(#(#arguments),*))
                }
            }
            ExprKind::Select(parts) => {
                let [condition, yes, no] = &**parts;
                let condition = self.operand(condition);
                self.select(expr.ty, &condition, &self.expr(yes), &self.expr(no))
            }
            ExprKind::Convert(integer) => {
                let integer = self.expr(integer);
                quote!(Real::from_u32(#integer))
            }
        }
    }

    /// An index in the host's integers.
    fn index(&self, index: &Index) -> TokenStream {
        match index {
            Index::Fixed(k) => quote!(#k),
            Index::Loop(index) => {
                let index = self.host_integer(index);
                quote!((#index) as usize)
            }
        }
    }

    fn host_integer(&self, expr: &Expr) -> TokenStream {
        match &expr.kind {
            ExprKind::Local(id) => {
                let name = self.local(*id);
                quote!(#name)
            }
            ExprKind::Constant(index) => {
                let name = &self.module.constants[*index].ident;
                quote!(#name)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.host_integer(a), self.host_integer(b));
                match op {
                    BinaryOp::Add => quote!((#a + #b)),
                    BinaryOp::Sub => quote!((#a - #b)),
                    _ => quote!((#a * #b)),
                }
            }
            ExprKind::U32(n) => quote!(#n),
            _ => unreachable!("checked: loops count in numbers, constants and `+ - *`"),
        }
    }

    fn math(&self, builtin: Builtin, operands: &[Expr]) -> TokenStream {
        let name = ident(builtin.name());
        let receiver = self.operand(&operands[0]);
        let arguments = operands[1..].iter().map(|operand| self.expr(operand));
        quote!(#receiver.#name(#(#arguments),*))
    }

    /// The expression, in parentheses unless it is one word or one call.
    fn operand(&self, expr: &Expr) -> TokenStream {
        let tokens = self.expr(expr);
        match expr.kind {
            ExprKind::Unary(..) => quote!((#tokens)),
            ExprKind::Binary(op, ..) if infix(op, expr) => quote!((#tokens)),
            _ => tokens,
        }
    }

    /// As [`operand`](Self::operand), but chains of sums and products need no parentheses.
    fn left_operand(&self, op: BinaryOp, expr: &Expr) -> TokenStream {
        use BinaryOp::{Add, Div, Mul, Sub};
        let bare = match (&expr.kind, op) {
            (ExprKind::Binary(Mul | Div, a, b), Mul | Div | Add | Sub) => {
                // A scale from the left changes places with its vector.
                !matches!((a.ty, b.ty), (Type::Real, Type::Vector(_))) || matches!(op, Add | Sub)
            }
            (ExprKind::Binary(Add | Sub, ..), Add | Sub) => true,
            _ => false,
        };
        let is_real = matches!(expr.ty, Type::Real | Type::Vector(_));
        if bare && is_real { self.expr(expr) } else { self.operand(expr) }
    }

    fn binary(
        op: BinaryOp,
        (a, left): (TokenStream, Type),
        (b, right): (TokenStream, Type),
    ) -> TokenStream {
        use BinaryOp::{Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Sub, Xor};
        let sign = match op {
            Add => quote!(+),
            Sub => quote!(-),
            Mul => quote!(*),
            Div => quote!(/),
            And => quote!(&),
            Or => quote!(|),
            Xor | Ne => quote!(^),
            _ => TokenStream::new(),
        };
        match (left, op, right) {
            (Type::U32, Add, _) => quote!(Real::add_u32(#a, #b)),
            (Type::U32, Sub, _) => quote!(Real::sub_u32(#a, #b)),
            (Type::U32, Mul, _) => quote!(Real::mul_u32(#a, #b)),
            (Type::U32, Lt, _) => quote!(Real::lt_u32(#a, #b)),
            (Type::U32, Le, _) => quote!(Real::le_u32(#a, #b)),
            (Type::U32, Gt, _) => quote!(Real::lt_u32(#b, #a)),
            (Type::U32, Ge, _) => quote!(Real::le_u32(#b, #a)),
            (Type::U32, Eq, _) => quote!(Real::eq_u32(#a, #b)),
            (Type::U32, Ne, _) => quote!(!Real::eq_u32(#a, #b)),
            (Type::Bool, Eq, _) => quote!(!(#a ^ #b)),
            (Type::Real, Lt, _) => quote!(Real::lt(#a, #b)),
            (Type::Real, Le, _) => quote!(Real::le(#a, #b)),
            (Type::Real, Gt, _) => quote!(Real::lt(#b, #a)),
            (Type::Real, Ge, _) => quote!(Real::le(#b, #a)),
            (Type::Real, Eq, _) => quote!(Real::eq(#a, #b)),
            (Type::Real, Ne, _) => quote!(!Real::eq(#a, #b)),
            (Type::Real, Mul, Type::Vector(_)) => quote!(#b * (#a)),
            _ => quote!(#a #sign #b),
        }
    }

    fn input(&self, input: Input) -> Ident {
        match (input, self.roles) {
            (Input::I, Some(roles)) => ident(&roles.i),
            (Input::J, Some(roles)) => ident(&roles.j),
            _ => ident("this"),
        }
    }
}

/// Whether a `return` is among these statements.
fn has_return(statements: &[Stmt]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StmtKind::Return { .. } => true,
        StmtKind::If { yes, no, .. } => has_return(yes) || has_return(no),
        StmtKind::For { body, .. } => has_return(body),
        _ => false,
    })
}

/// Whether the operator is printed between its operands.
fn infix(op: BinaryOp, expr: &Expr) -> bool {
    use BinaryOp::{Add, Mul, Sub};
    let ExprKind::Binary(_, a, _) = &expr.kind else {
        return false;
    };
    let call = op.is_comparison() && a.ty != Type::Bool
        || a.ty == Type::U32 && matches!(op, Add | Sub | Mul)
        || matches!(a.ty, Type::Point(_));
    !call || op == BinaryOp::Ne
}
