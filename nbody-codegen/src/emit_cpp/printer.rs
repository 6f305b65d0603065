//! Prints the tree of one function.

use super::record::type_name;
use crate::emit_cuda::part_of_joined;
use crate::emit_cuda::text::Text;
use crate::ir::{Body, Input, LocalId, Module, Roles};
use crate::lanes::{End, LaneBody, LaneExpr, LaneStmt, Name};

/// Prints the body of one function.
pub(super) struct Printer<'a> {
    module: &'a Module,
    body: &'a Body,
    /// Names of the particles, in functions that have particles.
    roles: Option<&'a Roles>,
}

impl<'a> Printer<'a> {
    pub fn new(module: &'a Module, body: &'a Body, roles: Option<&'a Roles>) -> Self {
        Self { module, body, roles }
    }

    /// Prints the statements and the value.
    pub fn body(&self, text: &mut Text, LaneBody { statements, value }: &LaneBody) {
        self.statements(text, statements);
        text.comment(&self.body.comments);
        if let Some(value) = value {
            text.line(&format!("return {};", self.expr(value)));
        }
    }

    fn local(&self, id: LocalId) -> &'a str {
        &self.body.locals[id].name
    }

    fn roles(&self) -> &'a Roles {
        self.roles.expect("checked: helper functions see no particles")
    }

    fn name(&self, name: Name) -> String {
        let known = match name {
            Name::Local(id) => self.local(id),
            Name::Input(Input::Parameters) => "self",
            Name::Input(input) => self.roles().input(input),
            Name::Result(side) => self.roles().result(side),
            Name::Index => &self.roles().index,
            Name::Others => &self.roles().others,
            Name::Space => &self.body.space,
            Name::On => "_on",
            Name::Value => "_value",
            Name::Mask => "_mask",
            Name::Entry => "_entry",
            Name::Holds(k) => return format!("_holds_{k}"),
            Name::When(k) => return format!("_when_{k}"),
            Name::Unless(k) => return format!("_unless_{k}"),
        };
        known.to_owned()
    }

    fn statements(&self, text: &mut Text, statements: &[LaneStmt]) {
        for statement in statements {
            self.statement(text, statement, None);
        }
    }

    /// Prints a statement, with a comment behind it.
    fn statement(&self, text: &mut Text, statement: &LaneStmt, behind: Option<&str>) {
        let line = match statement {
            LaneStmt::Source(source, lowered) => {
                text.comment(&source.comments);
                let mut behind = source.behind.as_deref();
                for statement in lowered {
                    self.statement(text, statement, behind.take());
                }
                return;
            }
            LaneStmt::Let { name, mutable, ty, value } => {
                let constant = if *mutable { "" } else { "const " };
                let (ty, name) = (type_name(*ty), self.name(*name));
                match value {
                    LaneExpr::Zero(_) => format!("{constant}{ty} {name}{{}};"),
                    value => format!("{constant}{ty} {name} = {};", self.expr(value)),
                }
            }
            LaneStmt::Assign { target, value } => {
                format!("{} = {};", self.expr(target), self.expr(value))
            }
            LaneStmt::Take { target, value } => {
                let (target, value) = (self.expr(target), self.expr(value));
                format!("{target}.take<Space>({value}, {});", self.name(Name::Index))
            }
            LaneStmt::AddToEntry { target, range, counts: _, value } => {
                let (target, value) = (self.expr(target), self.expr(value));
                let (start, n) = (range.start, range.len());
                let (entry, mask) = (self.name(Name::Entry), self.name(Name::Mask));
                format!("nbody::add_to_entry(&{target}[{start}], {n}, {entry}, {mask}, {value});")
            }
            LaneStmt::Block(statements) => {
                text.open("{");
                self.statements(text, statements);
                return text.close("}");
            }
            LaneStmt::For { local, range, body } => {
                let (name, start, end) = (self.local(*local), range.start, range.end);
                text.open(&format!("for (uint32_t {name} = {start}; {name} < {end}; ++{name}) {{"));
                self.statements(text, body);
                return text.close("}");
            }
            LaneStmt::EndEarly(End::Nothing) => "if (!Real::any(_on)) return;".to_owned(),
            LaneStmt::EndEarly(End::NothingOnSome) => {
                "if (Real::ENDS_EARLY && !Real::any(_on)) return;".to_owned()
            }
            LaneStmt::EndEarly(End::Value) => "if (!Real::any(_on)) return _value;".to_owned(),
        };
        text.line_with(&line, behind);
    }

    /// Prints the expression in a form that may follow `=`.
    fn expr(&self, expr: &LaneExpr) -> String {
        match expr {
            LaneExpr::Number(text) => literal(text).to_owned(),
            LaneExpr::Infinity { negative: false } => "INFINITY".to_owned(),
            LaneExpr::Infinity { negative: true } => "-INFINITY".to_owned(),
            LaneExpr::Integer(n) => format!("{n}u"),
            LaneExpr::Truth(value) => value.to_string(),
            LaneExpr::Name(name) => self.name(*name),
            LaneExpr::Constant(id) => self.module[*id].name.clone(),
            LaneExpr::Zero(ty) => format!("{}{{}}", type_name(*ty)),
            LaneExpr::Field(record, field) => {
                format!("{}.{}", self.name(*record), self.module[*field].name)
            }
            LaneExpr::Gather(index, place, field) => {
                let (others, index) = (self.name(Name::Others), self.expr(index));
                let part = part_of_joined(*place, self.roles().seconds());
                format!("{others}.at({index}){part}.{}", self.module[*field].name)
            }
            LaneExpr::Part(base, part) => format!("{}.{part}", self.expr(base)),
            LaneExpr::Component(base, k) => format!("{}[{k}]", self.expr(base)),
            LaneExpr::At(base, index) => {
                let index = if let LaneExpr::Paren(inside) = &**index { inside } else { index };
                format!("{}[{}]", self.expr(base), self.expr(index))
            }
            LaneExpr::Entry(base, indices) => {
                let name = if indices.len() == 1 { "gather" } else { "gather_entry" };
                format!("Real::{name}({}, {})", self.expr(base), self.list(indices))
            }
            LaneExpr::Paren(inside) => format!("({})", self.expr(inside)),
            LaneExpr::Prefix(sign, operand) => format!("{sign}{}", self.expr(operand)),
            LaneExpr::Infix(a, sign, b) => format!("{} {sign} {}", self.expr(a), self.expr(b)),
            LaneExpr::Real(name @ ("min" | "max"), arguments) => {
                let (result, value) = (self.expr(&arguments[0]), self.expr(&arguments[1]));
                format!("{result}.{name}({value})")
            }
            LaneExpr::Real(name, arguments) => format!("Real::{name}({})", self.list(arguments)),
            LaneExpr::Method(receiver, name, arguments) => {
                format!("{}.{name}({})", self.expr(receiver), self.list(arguments))
            }
            // The type of the receiver may depend on the space.
            LaneExpr::MethodOf(receiver, name, constant, argument) => {
                let (receiver, argument) = (self.expr(receiver), self.expr(argument));
                format!("{receiver}.template {name}<{constant}>({argument})")
            }
            LaneExpr::Powi(base, n) => format!("{}.powi({n})", self.expr(base)),
            LaneExpr::Components(ty, parts) => {
                format!("{}{{{{{}}}}}", type_name(*ty), self.list(parts))
            }
            LaneExpr::Call(id, arguments) => {
                let function = &self.module[*id];
                let space = function.body.summary.needs_space.then(|| self.name(Name::Space));
                let arguments = arguments.iter().map(|argument| self.expr(argument));
                let arguments: Vec<_> = space.into_iter().chain(arguments).collect();
                format!("law::{}({})", function.name, arguments.join(", "))
            }
            LaneExpr::Select(_, parts) => format!("nbody::select({})", self.list(&**parts)),
            LaneExpr::Within => {
                let names = [Input::Parameters, Input::I, Input::J].map(Name::Input);
                let [parameters, i, j] = names.map(|name| self.name(name));
                format!("law::within({parameters}, {}, {i}, {j})", self.name(Name::Space))
            }
        }
    }

    fn list(&self, exprs: &[LaneExpr]) -> String {
        let list: Vec<_> = exprs.iter().map(|expr| self.expr(expr)).collect();
        list.join(", ")
    }
}

/// Prints a literal as it is written. Compilers warn of a literal with nonzero digits that
/// underflows to zero.
fn literal(text: &str) -> &str {
    let x: f64 = text.parse().expect("checked: a literal is a number");
    if x == 0.0 { "0.0" } else { text }
}
