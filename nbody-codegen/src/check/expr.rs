//! Checks expressions.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, Lit, Member, UnOp};

use crate::check::advice::operators::{Power, of_value};
use crate::check::advice::{self, operand, written};
use crate::check::body::BodyChecker;
use crate::check::index::component_of;
use crate::check::scope::Binding;
use crate::check::{constant, operator};
use crate::diagnostics::Site;
use crate::ir::{
    self, BinaryOp, ExprKind, FieldId, Index, Input, Reduction, StructId, TENSOR, Type, UnaryOp,
    part_name,
};
use crate::message::{self, suggestion};
use crate::syntax::{self, without_groups};

/// Returns the type of the result whose values or indices an expression is.
pub(super) fn whole_of_part(checked: &ir::Expr) -> Option<Type> {
    match &checked.kind {
        ExprKind::Component(base, Index::Fixed(_))
            if matches!(base.ty, Type::Reduced(Reduction::Nearest(_))) =>
        {
            Some(base.ty)
        }
        _ => None,
    }
}

impl BodyChecker<'_> {
    /// Returns the typed form of an expression; `None` after an error.
    pub fn expr(&mut self, expr: &Expr) -> Option<ir::Expr> {
        let checked = self.expr_or_table(expr)?;
        self.read(expr, checked)
    }

    /// Refuses a value that an expression cannot have.
    pub fn read(&self, expr: &Expr, checked: ir::Expr) -> Option<ir::Expr> {
        let (message, arguments) = match checked.ty {
            Type::Table(..) => (&message::TABLE_INDEX, vec![]),
            Type::Splines(..) => (
                &message::SPLINES_INDEX,
                vec!["one index".to_owned(), format!("{}[k]", operand(expr))],
            ),
            Type::SplineTable(..) => {
                let read = format!("{}[k][l]", operand(expr));
                (&message::SPLINES_INDEX, vec!["two indices".to_owned(), read])
            }
            Type::Spline(_) => (&message::SPLINE_VALUE, vec![operand(expr), operand(expr)]),
            Type::Reduced(Reduction::Nearest(_)) => {
                let whole = operand(expr);
                (&message::NEAREST_VALUE, vec![checked.ty.to_string(), whole.clone(), whole])
            }
            Type::Reduced(_) => (&message::ARG_MIN, vec![checked.ty.to_string()]),
            _ => match (whole_of_part(&checked), without_groups(expr)) {
                (Some(ty), Expr::Field(part)) => {
                    let whole = operand(&part.base);
                    (&message::NEAREST_VALUE, vec![ty.to_string(), whole.clone(), whole])
                }
                _ => return Some(checked),
            },
        };
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        self.items.cx.error(Site::of(expr), message, &arguments);
        None
    }

    /// Returns the typed form of the base of an index, a field or a method: only there may an
    /// expression be a table, an extreme with its index or a spline.
    pub fn expr_or_table(&mut self, expr: &Expr) -> Option<ir::Expr> {
        match expr {
            Expr::Lit(literal) => self.literal(&literal.lit),
            Expr::Path(path) => self.path(path),
            Expr::Field(field) => self.field_access(field),
            Expr::Index(index) => self.indexed(index),
            Expr::Unary(unary) => self.unary(unary),
            Expr::Binary(binary) => self.binary(binary),
            Expr::MethodCall(call) => self.method(call),
            Expr::Call(call) => self.call(call),
            Expr::If(choice) => self.choice(choice, None),
            Expr::Block(block) if block.label.is_none() => self.branch_value(&block.block),
            Expr::Paren(paren) => self.expr(&paren.expr),
            Expr::Group(group) => self.expr(&group.expr),
            Expr::Cast(cast) => self.cast(cast),
            Expr::Array(array) => self.array(array),
            Expr::Repeat(repeat) => {
                let n = constant::index(&repeat.len, self.items.constants)
                    .filter(|n| (1..=8).contains(n));
                let element = written(&repeat.expr);
                let real = if element.bytes().all(|c| c.is_ascii_digit()) { ".0" } else { "" };
                let list = vec![format!("{element}{real}"); n.unwrap_or(3)].join(", ");
                let help = format!(
                    "write the elements out: `[{list}{}]`",
                    if n.is_none() { ", ..." } else { "" }
                );
                let arguments = ["a repeated array", &help];
                self.items.cx.error(Site::of(expr), &message::EXPRESSION, &arguments);
                None
            }
            _ => {
                let (name, help) = refusal(expr);
                self.items.cx.error(Site::of(expr), &message::EXPRESSION, &[name, help]);
                None
            }
        }
    }

    fn literal(&self, literal: &Lit) -> Option<ir::Expr> {
        let cx = self.items.cx;
        let (kind, ty) = match literal {
            Lit::Float(float) if float.suffix().is_empty() => {
                if !float.base10_parse::<f64>().is_ok_and(f64::is_finite) {
                    cx.error(Site::of(literal), &message::LITERAL_RANGE, &[]);
                    return None;
                }
                (ExprKind::Real(float.base10_digits().to_owned()), Type::Real)
            }
            Lit::Int(int) if int.suffix().is_empty() => {
                let Ok(value) = int.base10_parse() else {
                    cx.error(Site::of(literal), &message::LITERAL_RANGE, &[]);
                    return None;
                };
                (ExprKind::U32(value), Type::U32)
            }
            Lit::Bool(value) => (ExprKind::Bool(value.value), Type::Bool),
            _ => {
                let help = match literal {
                    Lit::Float(float) => {
                        format!("write `{}`, without a suffix", float.base10_digits())
                    }
                    Lit::Int(int) if int.suffix().starts_with('f') => {
                        format!("write `{}.0`, without a suffix", int.base10_digits())
                    }
                    Lit::Int(int) => format!("write `{}`, without a suffix", int.base10_digits()),
                    _ => "write `1.0`, `2.5e-3` for a `Real` or `3` for a `u32`".to_owned(),
                };
                cx.error(Site::of(literal), &message::LITERAL, &[&help]);
                return None;
            }
        };
        Some(ir::Expr::new(kind, ty, literal.span()))
    }

    fn path(&self, path: &syn::ExprPath) -> Option<ir::Expr> {
        let cx = self.items.cx;
        let span = path.span();
        let Some(ident) = path.path.get_ident() else {
            let Some(value) = constant::library(&path.path) else {
                let written = path.to_token_stream().to_string().replace(' ', "");
                let known = ir::CONSTS.iter().map(|(name, _)| *name);
                let help = match written.rsplit_once("f64::consts::") {
                    Some((_, name)) => suggestion(name, known),
                    None => {
                        advice::names::of_name(&written).unwrap_or_else(|| self.of_path(&path.path))
                    }
                };
                cx.error(Site::of(path), &message::UNKNOWN_NAME, &[&written, &help]);
                return None;
            };
            let kind = ExprKind::Real(format!("{value:?}"));
            return Some(ir::Expr::new(kind, Type::Real, span));
        };
        let name = ident.to_string();
        let (kind, ty) = match self.scopes.find(&name) {
            Some(Binding::Local(local)) => (ExprKind::Local(local), self.locals[local].ty),
            Some(Binding::Input(input)) => {
                self.refuse_whole(Site::of(path), &name, input);
                return None;
            }
            Some(Binding::Output(_)) => {
                self.refuse_reading(Site::of(path));
                return None;
            }
            Some(Binding::Unknown) => return None,
            None => {
                let constants = self.items.constants;
                let found = constants.by_id().find(|(_, constant)| constant.ident == *ident);
                let Some((id, constant)) = found else {
                    let constants: Vec<_> =
                        constants.iter().map(|constant| constant.ident.to_string()).collect();
                    let constants = constants.iter().map(String::as_str);
                    let help = self.of_record(&name).or_else(|| advice::names::of_name(&name));
                    let help = help
                        .unwrap_or_else(|| suggestion(&name, self.scopes.names().chain(constants)));
                    cx.error(Site::of(path), &message::UNKNOWN_NAME, &[&name, &help]);
                    return None;
                };
                if constant.is_refused {
                    return None;
                }
                (ExprKind::Constant(id), constant.value.ty())
            }
        };
        Some(ir::Expr::new(kind, ty, span))
    }

    /// Refuses a whole record where one of its fields is needed.
    pub fn refuse_whole(&self, site: Site, name: &str, input: Input) {
        let fields = self.items.structs[self.record_of(input)].fields.iter();
        let list: Vec<_> = fields.map(|field| format!("`{name}.{}`", field.ident)).collect();
        self.items.cx.error(site, &message::WHOLE_PARTICLE, &[name, &list.join(", ")]);
    }

    /// Advises on a bare name that is a field of the parameters, a particle or the result.
    pub fn of_record(&self, name: &str) -> Option<String> {
        let has = |record: StructId| {
            self.items.structs[record].fields.iter().any(|field| field.ident == name)
        };
        let mut found: Vec<String> = Vec::new();
        for role in self.scopes.names() {
            let record = match self.scopes.find(role)? {
                Binding::Input(input) => Some(self.record_of(input)),
                Binding::Output(_) => self.output,
                _ => None,
            };
            if record.is_some_and(has) {
                found.push(format!("`{role}.{name}`"));
            }
        }
        found.sort_unstable();
        (!found.is_empty()).then(|| format!("did you mean {}?", found.join(" or ")))
    }

    /// Resolves the name before a dot, if it names a record.
    pub fn record(&self, base: &Expr) -> Option<Binding> {
        let Expr::Path(path) = without_groups(base) else { return None };
        let binding = self.scopes.find(&path.path.get_ident()?.to_string())?;
        matches!(binding, Binding::Input(_) | Binding::Output(_)).then_some(binding)
    }

    pub fn record_of(&self, input: Input) -> StructId {
        let found = self.records.iter().find(|(known, _)| *known == input);
        found.map(|(_, record)| *record).expect("records are bound with their names")
    }

    /// Finds the field of this name.
    pub fn field(&self, record: StructId, member: &Member) -> Option<FieldId> {
        let structs = self.items.structs;
        let name = member.to_token_stream().to_string();
        let found = structs.fields(record).find(|(_, field)| field.ident == name);
        if found.is_none() {
            let record = &structs[record];
            let fields: Vec<_> =
                record.fields.iter().map(|field| field.ident.to_string()).collect();
            let help = if ["id", "index", "idx"].contains(&&*name) {
                format!(
                    "a pair does not know the indices of i and j: write a field `{name}: u32` into `{}`",
                    record.ident
                )
            } else {
                suggestion(&name, fields.iter().map(String::as_str))
            };
            let arguments: [&str; 3] = [&record.ident.to_string(), &name, &help];
            self.items.cx.error(Site::of(member), &message::UNKNOWN_FIELD, &arguments);
        }
        found.map(|(id, _)| id)
    }

    fn field_access(&mut self, access: &syn::ExprField) -> Option<ir::Expr> {
        if let Expr::Index(gather) = without_groups(&access.base)
            && let Some(binding) = self.record(&gather.expr)
        {
            return self.gathered(binding, gather, &access.member);
        }
        match self.record(&access.base) {
            Some(Binding::Input(input)) => {
                let (field, ty) = self.field_read(input, &access.member)?;
                Some(ir::Expr::new(ExprKind::Input(input, field), ty, access.member.span()))
            }
            Some(_) => {
                self.refuse_reading(Site::of(access));
                None
            }
            None => {
                let base = self.expr_or_table(&access.base)?;
                if self.refuse_hidden(&access.base, &access.member)
                    || self.refuse_method(&access.base, base.ty, &access.member)
                {
                    return None;
                }
                if matches!(base.ty, Type::Point(_)) {
                    self.refuse_component(&access.base, &access.member);
                    return None;
                }
                let component = self.component_index(base.ty, &access.member)?;
                if let Type::Reduced(Reduction::Nearest(n)) = base.ty {
                    let ty = [Type::Array(n), Type::Counts(n)][component];
                    return Some(ir::Expr { ty, ..component_of(base, Index::Fixed(component)) });
                }
                let is_index = matches!(base.ty, Type::Reduced(_)) && component == 1;
                let ty = if is_index { Type::U32 } else { Type::Real };
                if matches!(base.ty, Type::Tensor(_)) {
                    let part = self.tensor_parts(base).into_iter().nth(component);
                    return part.map(|part| ir::Expr { span: access.member.span(), ..part });
                }
                Some(ir::Expr { ty, ..component_of(base, Index::Fixed(component)) })
            }
        }
    }

    /// Returns the field of this name of an input, and the type that it is read as.
    pub fn field_read(&self, input: Input, member: &Member) -> Option<(FieldId, Type)> {
        let field = self.field(self.record_of(input), member)?;
        if self.items.structs[field].is_refused {
            return None;
        }
        let ty = match self.items.structs[field].ty {
            Type::Reduced(Reduction::Min | Reduction::Max) => Type::Real,
            Type::Reduced(Reduction::Count) => Type::U32,
            ty => ty,
        };
        Some((field, ty))
    }

    /// Returns the index of the component `x`, `y` or `z` of a vector.
    pub fn component_index(&self, ty: Type, member: &Member) -> Option<usize> {
        let cx = self.items.cx;
        let name = member.to_token_stream().to_string();
        match ty {
            Type::Vector(n) => {
                let found = ["x", "y", "z"][..n].iter().position(|component| *component == name);
                if found.is_none() {
                    let list = ["`x`", "`x`, `y`", "`x`, `y`, `z`"][n - 1];
                    let message = &message::UNKNOWN_COMPONENT;
                    cx.error(Site::of(member), message, &[&ty.to_string(), &name, list]);
                }
                return found;
            }
            Type::Tensor(n) => {
                let found = TENSOR[n - 1].iter().position(|(component, _)| *component == name);
                if found.is_none() {
                    let list = TENSOR[n - 1].iter().map(|(component, _)| format!("`{component}`"));
                    let list = list.collect::<Vec<_>>().join(", ");
                    let message = &message::UNKNOWN_COMPONENT;
                    cx.error(Site::of(member), message, &[&ty.to_string(), &name, &list]);
                }
                return found;
            }
            Type::Reduced(_) if [0, 1].iter().any(|&part| part_name(ty, part) == name) => {
                return Some(usize::from(name == part_name(ty, 1)));
            }
            Type::Reduced(Reduction::Nearest(_)) => {
                let arguments = [&*ty.to_string(), "f.x", "f.x"];
                cx.error(Site::of(member), &message::NEAREST_VALUE, &arguments);
            }
            Type::Reduced(_) => cx.error(Site::of(member), &message::ARG_MIN, &[&ty.to_string()]),
            Type::Point(_) => {
                let help = "add a vector to the whole position";
                cx.error(Site::of(member), &message::POINT_COMPONENT, &[help]);
            }
            _ => {
                let help = match ty {
                    Type::U32 if ["f", "F"].contains(&&*name) => {
                        "write a number with its decimals, such as `1.0`"
                    }
                    Type::Array(_) | Type::Counts(_) => {
                        "the elements of an array are `a[0]`, `a[1]`, ..."
                    }
                    _ => "only particles, parameters and vectors have fields",
                };
                let arguments: [&str; 3] = [&ty.to_string(), &name, help];
                cx.error(Site::of(member), &message::UNKNOWN_FIELD, &arguments);
            }
        }
        None
    }

    fn unary(&mut self, unary: &syn::ExprUnary) -> Option<ir::Expr> {
        let operand = self.expr(&unary.expr)?;
        if let (UnOp::Neg(_), Type::Tensor(_)) = (&unary.op, operand.ty) {
            return Some(self.negative_tensor(operand, unary.op.span()));
        }
        let op = match (&unary.op, operand.ty) {
            (UnOp::Neg(_), Type::Real | Type::Vector(_)) => UnaryOp::Neg,
            (UnOp::Not(_), Type::Bool) => UnaryOp::Not,
            (UnOp::Not(_), Type::U32) => {
                let span = unary.op.span();
                let bits = ir::Expr::new(ExprKind::U32(u32::MAX), Type::U32, span);
                let kind = ExprKind::Binary(BinaryOp::Xor, Box::new(operand), Box::new(bits));
                return Some(ir::Expr::new(kind, Type::U32, span));
            }
            _ => {
                let op = unary.op.to_token_stream().to_string();
                let ty = operand.ty.to_string();
                let help = advice::operators::of_unary(unary.op, (&unary.expr, operand.ty));
                self.items.cx.error(Site::of(unary), &message::UNARY, &[&op, &ty, &help]);
                return None;
            }
        };
        let ty = operand.ty;
        Some(ir::Expr::new(ExprKind::Unary(op, Box::new(operand)), ty, unary.op.span()))
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Option<ir::Expr> {
        if matches!(binary.op, syn::BinOp::Eq(_) | syn::BinOp::Ne(_))
            && let Some([a, b]) = self.records_of([&binary.left, &binary.right])
        {
            let op = binary.op.to_token_stream().to_string();
            let help = "a particle does not meet itself, unless `SELF_PAIRS` is `true`; else compare fields, such as \
                        `i.id == j.id`";
            self.items.cx.error(Site::of(binary), &message::BINARY, &[&a, &op, &b, help]);
            return None;
        }
        let before = self.items.cx.messages().len();
        let (a, b) = (self.expr(&binary.left), self.expr(&binary.right));
        if let Some(power) = Power::of(binary) {
            let is_of_bits = [&a, &b].into_iter().flatten().all(|value| value.ty != Type::Real)
                && a.is_some()
                && b.is_some()
                && !power.is_of_numbers();
            if !is_of_bits && self.refuse_power(binary, &power, before) {
                return None;
            }
        }
        let (a, b) = (a?, b?);
        let op = operator::of(&binary.op, [a.ty, b.ty]);
        if let Some((op, ty)) = op.and_then(|op| Some((op, operator::binary(op, a.ty, b.ty)?))) {
            if matches!(ty, Type::Tensor(_)) {
                return Some(self.tensor_operation(op, [a, b], ty, binary.op.span()));
            }
            let kind = ExprKind::Binary(op, Box::new(a), Box::new(b));
            return Some(ir::Expr::new(kind, ty, binary.op.span()));
        }
        let (left, right) = ((&*binary.left, a.ty), (&*binary.right, b.ty));
        let redeclared = match (a.ty, b.ty) {
            (Type::U32, Type::Real | Type::Vector(_)) => self.redeclared_operand(&a),
            (Type::Real | Type::Vector(_), Type::U32) => self.redeclared_operand(&b),
            _ => None,
        };
        let help =
            redeclared.unwrap_or_else(|| advice::operators::of_binary(&binary.op, left, right));
        let op = binary.op.to_token_stream().to_string();
        let (a, b) = (a.ty.to_string(), b.ty.to_string());
        self.items.cx.error(Site::of(binary), &message::BINARY, &[&a, &op, &b, &help]);
        None
    }

    fn cast(&mut self, cast: &syn::ExprCast) -> Option<ir::Expr> {
        let value = self.expr(&cast.expr)?;
        let to = syntax::type_name(&cast.ty);
        let ty = match (value.ty, to.map(|to| to.to_string()).as_deref()) {
            (Type::U32, Some("Real")) => Some(Type::Real),
            (Type::Real, Some("u32")) => Some(Type::U32),
            _ => None,
        };
        let Some(ty) = ty else {
            let (from, to) = (value.ty.to_string(), cast.ty.to_token_stream().to_string());
            let help = advice::operators::of_cast((&cast.expr, value.ty), &to);
            self.items.cx.error(Site::of(cast), &message::CAST, &[&from, &to, &help]);
            return None;
        };
        let span = value.span;
        Some(ir::Expr::new(ExprKind::Convert(Box::new(value)), ty, span))
    }

    fn array(&mut self, array: &syn::ExprArray) -> Option<ir::Expr> {
        if array.elems.is_empty() {
            self.items.cx.error(Site::of(array), &message::EMPTY_ARRAY, &[]);
            return None;
        }
        let expected = vec![Type::Real; array.elems.len()];
        let components = self.arguments((Site::of(array), "an array"), &array.elems, &expected)?;
        let ty = Type::Array(components.len());
        Some(ir::Expr::new(ExprKind::Components(components), ty, array.span()))
    }
}

/// Advises on two branches with values of different types.
pub(crate) fn of_branches(yes: &ir::Expr, no: &ir::Expr) -> String {
    let help = match (yes.ty, no.ty) {
        (Type::U32, Type::Real) => of_value(yes, Type::Real),
        (Type::Real, Type::U32) => of_value(no, Type::Real),
        _ => None,
    };
    help.unwrap_or_else(|| "both must give a value of one type".to_owned())
}

/// Returns the name of a piece of Rust that is not part of the language, and advice.
fn refusal(expr: &Expr) -> (&'static str, &'static str) {
    match expr {
        Expr::Closure(_) => ("a closure", "write a helper function"),
        Expr::Match(_) => ("`match`", "use `if` and `else`"),
        Expr::Macro(_) => ("a macro call", "write the expression out"),
        Expr::Return(_) => ("`return` inside an expression", "make it a statement inside an `if`"),
        Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => {
            ("a loop inside an expression", "make it a statement")
        }
        Expr::Reference(_) => ("a reference", "everything is passed by value; remove the `&`"),
        Expr::Tuple(_) => ("a tuple", "use separate variables, or a `Vector`"),
        Expr::Struct(literal) if is_vector(&literal.path) => {
            ("a struct literal", "write `Vector::new(x, y, z)`")
        }
        Expr::Struct(_) => ("a struct literal", "use separate variables"),
        Expr::Range(_) => ("a range", "compare with both ends"),

        Expr::Try(_) => ("`?`", "no expression of the language fails; remove it"),
        Expr::Assign(_) => {
            ("an assignment inside an expression", "make it a statement; a comparison is `==`")
        }
        Expr::Unsafe(_) => ("`unsafe`", "remove it"),
        Expr::Let(_) => ("`if let`", "compare values with `if`"),
        _ => ("this expression", "see the language's reference for what is"),
    }
}

/// Tests whether a path names a vector type, of this language or another library.
fn is_vector(path: &syn::Path) -> bool {
    let name = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    name.to_lowercase().starts_with("vec") || ["float3", "double3"].contains(&&*name)
}
