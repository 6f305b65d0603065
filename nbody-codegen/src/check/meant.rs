//! Refuses constructs of other languages, with advice on the intended one.

use quote::ToTokens;
use syn::{Expr, ExprCall, ExprMethodCall, Member};

use crate::check::advice::functions::{Call, misspelt};
use crate::check::advice::operators::Power;
use crate::check::advice::{self, operand, written};
use crate::check::body::BodyChecker;
use crate::check::call::as_method;
use crate::check::scope::Binding;
use crate::diagnostics::Site;
use crate::ir::{Builtin, Input, Type};
use crate::message::{self, suggestion};
use crate::syntax::without_groups;

impl BodyChecker<'_> {
    pub fn refuse_reading(&self, site: Site) {
        if !self.reads_output {
            self.items.cx.error(site, &message::READ_OUTPUT, &[]);
        }
    }

    /// Advises on a path that leads to no constant.
    pub fn of_path(&self, path: &syn::Path) -> String {
        let last = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        if self.items.constants.iter().any(|constant| constant.ident == last) {
            return format!("constants belong to the module: write `{last}`");
        }
        "paths lead to `core::f64::consts` only".to_owned()
    }

    /// Returns the name of this input in the function.
    pub fn role(&self, input: Input) -> Option<&str> {
        let is =
            |name: &&str| matches!(self.scopes.find(name), Some(Binding::Input(of)) if of == input);
        self.scopes.names().find(is)
    }

    /// Writes the difference of points that the user probably meant by using this point alone.
    pub fn point_difference(&self, point: &Expr) -> String {
        let field = match without_groups(point) {
            Expr::Field(field) => written(&field.member),
            _ => "pos".to_owned(),
        };
        match (self.role(Input::I), self.role(Input::J), self.role(Input::P)) {
            (Some(i), Some(j), _) if written(point).starts_with(&format!("{i}.")) => {
                format!("{i}.{field} - {j}.{field}")
            }
            (Some(i), Some(j), _) => format!("{j}.{field} - {i}.{field}"),
            (_, _, Some(p)) => format!("{p}.{field} - self.origin"),
            _ => "b - a".to_owned(),
        }
    }

    /// Refuses a variable that hides the record that was meant.
    pub fn refuse_hidden(&mut self, base: &Expr, member: &Member) -> bool {
        let Expr::Path(path) = without_groups(base) else { return false };
        let Some(name) = path.path.get_ident().map(ToString::to_string) else { return false };
        let (record, what) = match self.scopes.hidden(&name) {
            Some(Binding::Output(_)) => (self.result(), "the result"),
            Some(Binding::Input(input)) => (self.record_of(input), "the particle"),
            _ => return false,
        };
        let member = member.to_token_stream().to_string();
        let mut fields = self.items.structs.fields(record);
        let Some((field, _)) = fields.find(|(_, field)| field.ident == member) else {
            return false;
        };
        self.accumulated.insert(field);
        if self.hidden.insert(name.clone()) {
            self.items.cx.error(Site::of(path), &message::HIDDEN, &[&name, what]);
        }
        true
    }

    /// Refuses a method that is written without parentheses.
    pub fn refuse_method(&self, base: &Expr, ty: Type, member: &Member) -> bool {
        let name = written(member);
        let x = operand(base);
        let help = match Builtin::find(ty, &name) {
            Some(method) if method.arguments() == 0 => {
                format!("it is a method: write `{x}.{name}()`")
            }
            Some(_) => format!("it is a method: write `{x}.{name}(...)`"),
            None => return false,
        };
        let arguments: [&str; 3] = [&ty.to_string(), &name, &help];
        self.items.cx.error(Site::of(member), &message::UNKNOWN_FIELD, &arguments);
        true
    }

    /// Refuses a component of a point.
    pub fn refuse_component(&self, point: &Expr, member: &Member) {
        let help = format!("({}).{}", self.point_difference(point), written(member));
        self.items.cx.error(Site::of(member), &message::POINT_COMPONENT, &[&help]);
    }

    /// Returns the names of the structs of two records.
    pub fn records_of(&self, expressions: [&Expr; 2]) -> Option<[String; 2]> {
        let names = expressions.map(|expr| match self.record(expr)? {
            Binding::Input(input) => {
                Some(self.items.structs[self.record_of(input)].ident.to_string())
            }
            _ => None,
        });
        let [Some(a), Some(b)] = names else { return None };
        Some([a, b])
    }

    /// Refuses `x ^ 6` and `x ** 2` if they are meant to be powers. This error replaces the errors
    /// of the operands, from number `before` on.
    pub fn refuse_power(&mut self, binary: &syn::ExprBinary, power: &Power, before: usize) -> bool {
        let Some([base, exponent]) = self.types_of([power.base, power.exponent]) else {
            return false;
        };
        let is_power = matches!(base, Type::Real | Type::U32 | Type::Vector(_))
            && matches!(exponent, Type::Real | Type::U32);
        if !is_power {
            return false;
        }
        let mut text = power.text(base, exponent);
        // `^` binds less tightly than a sum: the left side of `x^2 + y^2` contains a power of its
        // own.
        let mut inner = Power::before(binary);
        while let Some((binary, power)) =
            inner.and_then(|binary| Some((binary, Power::of(binary)?)))
        {
            if let Some([base, exponent]) = self.types_of([power.base, power.exponent]) {
                text = format!("{}` and `{text}", power.text(base, exponent));
            }
            inner = Power::before(binary);
        }
        self.items.cx.forget(before);
        self.items.cx.error(Site::of(binary), &message::POWER, &[power.sign, &text]);
        true
    }

    /// Returns the types of expressions and reports no errors.
    pub fn types_of<const N: usize>(&mut self, expressions: [&Expr; N]) -> Option<[Type; N]> {
        let cx = self.items.cx;
        let found = expressions.map(|expr| cx.quietly(|| self.expr(expr)).map(|value| value.ty));
        let found: Vec<Type> = found.into_iter().collect::<Option<_>>()?;
        found.try_into().ok()
    }

    /// Advises on a method that no value of this type has.
    pub fn of_method(call: &ExprMethodCall, ty: Type) -> String {
        let name = call.method.to_string();
        let arguments: Vec<String> = call.args.iter().map(written).collect();
        let receiver = operand(&call.receiver);
        match (ty, &*name, &arguments[..]) {
            (Type::Real, "grad" | "derivative" | "diff" | "d", _) => {
                return format!("write `{receiver}.gradient({})`", arguments.join(", "));
            }
            (Type::Vector(_), "gradient", _) => {
                return format!(
                    "a `Real` has a gradient: take `{receiver}.norm2()` or a component"
                );
            }
            (Type::Vector(3), "angle" | "angle_between" | "angle_to", [other]) => {
                let (a, b) = (&receiver, other.trim_start_matches('&'));
                return format!("write `{a}.cross({b}).norm().atan2({a}.dot({b}))`");
            }
            _ => {}
        }
        let known = Call { name: &name, receiver: &receiver, arguments: &arguments }.advice(ty);
        known.unwrap_or_else(|| {
            let mut methods: Vec<_> =
                Builtin::of(ty).iter().map(|builtin| builtin.name()).collect();
            methods
                .extend((ty == Type::Real).then_some(["powi", "gradient"]).into_iter().flatten());
            let has_rate = matches!(ty, Type::Real | Type::Vector(_) | Type::Array(_));
            methods.extend(has_rate.then_some("rate"));
            misspelt(&name, &methods)
        })
    }

    /// Advises on a method of a point.
    pub fn of_point(&self, call: &ExprMethodCall, name: &str) -> String {
        let difference = match call.args.first() {
            Some(other) if !Builtin::OF_VECTOR.iter().any(|method| method.name() == name) => {
                format!("{} - {}", written(&call.receiver), written(other).trim_start_matches('&'))
            }
            _ => self.point_difference(&call.receiver),
        };
        let receiver = format!("({difference})");
        let is_vector = Builtin::OF_VECTOR.iter().any(|method| method.name() == name);
        let of_difference = match name {
            "distance" | "dist" | "distance_to" => Some(format!("write `{receiver}.norm()`")),
            "distance_squared" | "distance2" | "dist2" => {
                Some(format!("write `{receiver}.norm2()`"))
            }
            "sub" => Some(format!("write `{difference}`")),
            "clone" | "to_owned" => {
                return "a point is a value: remove `.clone()`".to_owned();
            }
            _ if is_vector => {
                let arguments: Vec<String> = call.args.iter().map(written).collect();
                Some(format!("write `{receiver}.{name}({})`", arguments.join(", ")))
            }
            _ => Call { name, receiver: &receiver, arguments: &[] }.advice(Type::Vector(3)),
        };
        of_difference.unwrap_or_else(|| format!("take `{difference}`, a `Vector`"))
    }

    /// Refuses a method of a particle, the parameters or the result.
    pub fn refuse_record_method(&mut self, call: &ExprMethodCall, binding: Binding) {
        let name = call.method.to_string();
        let record = match binding {
            Binding::Input(input) => self.record_of(input),
            _ => self.result(),
        };
        let arguments: Vec<String> = call.args.iter().map(written).collect();
        let mut fields = self.items.structs.fields(record);
        let field = fields.find(|(_, field)| field.ident == name).map(|(_, field)| field.ty);
        let receiver = written(&call.receiver);
        let help = match (&*name, field) {
            (_, Some(Type::Array(_) | Type::Table(..) | Type::Vector(_)))
                if !arguments.is_empty() =>
            {
                let index = arguments.join("][");
                format!("it is a field: write `{receiver}.{name}[{index}]`")
            }
            (_, Some(_)) => format!("it is a field: write `{receiver}.{name}`"),
            ("clone", _) => "name one of its fields".to_owned(),
            ("index" | "idx" | "id", _) if arguments.is_empty() => {
                format!("a pair does not know the indices of i and j: write a field `{name}: u32`")
            }
            _ => format!(
                "a function of the module gets the fields that it needs as its arguments: `{name}({})`",
                if arguments.is_empty() { "...".to_owned() } else { arguments.join(", ") }
            ),
        };
        let arguments = [&*self.items.structs[record].ident.to_string(), &name, &help];
        self.items.cx.error(Site::of(&call.method), &message::UNKNOWN_METHOD, &arguments);
        call.args.iter().for_each(|argument| drop(self.expr(argument)));
    }

    /// Advises on an exponent of `powi` that is no constant whole number.
    pub fn of_exponent(&mut self, call: &ExprMethodCall, x: &str) -> String {
        let exponent = match call.args.first() {
            Some(exponent) if call.args.len() == 1 => exponent,
            _ => return "write it as a number, such as `powi(3)`".to_owned(),
        };
        let text = written(exponent);
        let whole = text.strip_suffix(".0").or_else(|| text.strip_suffix('.'));
        match (whole, self.types_of([exponent])) {
            (Some(whole), _) => format!("write `{x}.powi({whole})`"),
            (_, Some([Type::U32])) => {
                format!("write it as a number, or `{x}.powf({} as Real)`", operand(exponent))
            }
            (_, Some([Type::Real])) => format!("write it as a number, or `{x}.powf({text})`"),
            _ => "write it as a number, such as `powi(3)`, or use `powf`".to_owned(),
        }
    }

    /// Tests whether a call names a function that the module does not have and that has advice.
    pub fn is_unknown_function(&self, call: &ExprCall) -> bool {
        let name = call.func.to_token_stream().to_string().replace(' ', "");
        let known = ["rand", "srand", "curand_init"];
        !self.items.signatures.contains_key(&name) && known.contains(&&*name)
    }

    /// Advises on a call of a function that the module does not have.
    pub fn of_function(&mut self, path: &syn::ExprPath, call: &ExprCall) -> String {
        let name = path.to_token_stream().to_string().replace(' ', "");
        let arguments: Vec<String> = call.args.iter().map(written).collect();
        if let Some(help) =
            as_method(path, call).or_else(|| advice::names::of_function(&name, &arguments))
        {
            return help;
        }
        let ty = call.args.first().and_then(|first| self.types_of([first]));
        if let (Some(first), Some(last)) = (call.args.first(), path.path.segments.last()) {
            let ty = match ty {
                Some([ty @ Type::Vector(_)]) => ty,
                _ => Type::Real,
            };
            let (receiver, name) = (operand(first), last.ident.to_string());
            let known = Call { name: &name, receiver: &receiver, arguments: &arguments[1..] };
            if let Some(help) = known.advice(ty) {
                return help;
            }
        }
        let functions = self.items.signatures.keys().map(String::as_str);
        let functions = functions.filter(|name| !self.items.library.has(name));
        suggestion(&name, functions.chain(["Vector::new"]))
    }
}
